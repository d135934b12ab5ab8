/** Screens that need no login, including those of the login. */
import type { Page } from '@playwright/test'
import { answer, asList, asSite, games, hang, refuse, times } from './answers.ts'
import type { Screen, Texts } from './screen.ts'

const posts = /^\/api\/posts/
const link = `?token=${btoa('token')}&email=${btoa('anna@example.org')}`

export const press = (page: Page, name: string | RegExp, within = page.locator('body')) =>
  within.getByRole('button', { name }).filter({ visible: true }).first().click()

/** The account menu of the rail, or on a phone the main menu. */
export const openMenu = (page: Page, t: Texts) =>
  page
    .getByRole('button', { name: new RegExp(`^(${t.shell.account}|${t.shell.menu})`) })
    .filter({ visible: true })
    .first()
    .click()

const signIn = async (page: Page, t: Texts) => {
  await page.getByLabel(t.account.nameOrEmail).fill('anna')
  await page.getByLabel(t.account.password, { exact: true }).fill('not my password')
  await page.locator('main form button[type=submit]').click()
}

const fillRegister = async (page: Page, t: Texts, retype: string) => {
  await page.getByLabel(t.account.email, { exact: true }).fill('anna@example.org')
  await page.getByLabel(t.account.userName).fill('anna')
  await page.getByLabel(t.account.password, { exact: true }).fill('Correct-horse-9')
  await page.getByLabel(t.account.retype).fill(retype)
  await page.locator('main form button[type=submit]').click()
}

const visitor = { role: 'visitor', ready: 'h1:visible' } as const

export const ofVisitors: readonly Screen[] = [
  { ...visitor, name: 'home-visitor', path: () => '/' },
  { ...visitor, name: 'home-before', path: () => '/', fake: (page) => asList(page, times.before) },
  { ...visitor, name: 'home-ended', path: () => '/', fake: (page) => asList(page, times.ended) },
  {
    ...visitor,
    name: 'home-empty',
    path: () => '/',
    fake: (page) => Promise.all([answer(page, games, []), answer(page, posts, [])]),
  },
  {
    ...visitor,
    name: 'home-error',
    path: () => '/',
    ready: 'main [role=alert]',
    fake: (page) => refuse(page, /^\/api\/(game|posts)/),
  },
  { ...visitor, name: 'home-loading', path: () => '/', ready: 'main', fake: (page) => hang(page, /^\/api\/(game|posts)/) },
  {
    ...visitor,
    name: 'offline',
    path: () => '/games',
    ownContext: true,
    before: async (page, t) => {
      await page.context().setOffline(true)
      await page.getByText(t.shell.unreachable).filter({ visible: true }).first().waitFor()
    },
  },
  { ...visitor, name: 'games', path: () => '/games' },
  { ...visitor, name: 'games-none', path: () => '/games', fake: (page) => answer(page, games, []) },
  { ...visitor, name: 'games-error', path: () => '/games', ready: 'main [role=alert]', fake: (page) => refuse(page, games) },
  { ...visitor, name: 'games-loading', path: () => '/games', fake: (page) => hang(page, games) },
  {
    ...visitor,
    name: 'games-not-found',
    path: () => '/games',
    before: (page) => page.locator('main input').first().fill('nothing is called so'),
  },
  { ...visitor, name: 'game-visitor', path: ({ gameId }) => `/games/${gameId}` },
  { ...visitor, name: 'posts-visitor', path: () => '/posts' },
  { ...visitor, name: 'posts-none', path: () => '/posts', fake: (page) => answer(page, posts, []) },
  { ...visitor, name: 'post', path: ({ post }) => `/posts/${post}` },
  { ...visitor, name: 'about', path: () => '/About' },
  {
    ...visitor,
    name: 'licences',
    path: () => '/About',
    before: async (page, t) => {
      await press(page, t.posts.licences)
      await page.locator('[role=dialog] table, [role=dialog] li').first().waitFor()
    },
  },
  { ...visitor, name: 'login', path: () => '/account/Login' },
  {
    ...visitor,
    name: 'login-wrong',
    path: () => '/account/Login',
    before: async (page, t) => {
      await signIn(page, t)
      await page.locator('main [class*=error]').first().waitFor()
    },
  },
  {
    ...visitor,
    name: 'login-queue',
    path: () => '/account/Login',
    fake: (page) => hang(page, /^\/api\/account\/login$/),
    before: async (page, t) => {
      await signIn(page, t)
      await page.getByRole('button', { name: t.account.queued }).waitFor()
    },
  },
  {
    ...visitor,
    name: 'login-captcha-failed',
    path: () => '/account/Login',
    ready: 'main [role=alert]',
    fake: (page) =>
      Promise.all([
        answer(page, /^\/api\/captcha$/, { type: 'CloudflareTurnstile', siteKey: 'key' }),
        page.route(/turnstile/, (route) => route.abort()),
      ]),
  },
  { ...visitor, name: 'register', path: () => '/account/Register' },
  {
    ...visitor,
    name: 'register-wrong',
    path: () => '/account/Register',
    before: (page, t) => fillRegister(page, t, 'something else'),
  },
  {
    ...visitor,
    name: 'register-mail-sent',
    path: () => '/account/Register',
    fake: (page) => answer(page, /^\/api\/account\/register$/, { data: 'EmailConfirmationRequired' }),
    before: (page, t) => fillRegister(page, t, 'Correct-horse-9'),
  },
  {
    ...visitor,
    name: 'register-closed',
    path: () => '/account/Register',
    fake: (page) => asSite(page, { allowRegister: false }),
  },
  { ...visitor, name: 'recovery', path: () => '/account/Recovery' },
  {
    ...visitor,
    name: 'recovery-sent',
    path: () => '/account/Recovery',
    fake: (page) => answer(page, /^\/api\/account\/recovery$/, { title: '', data: '' }),
    before: async (page) => {
      await page.locator('main input').first().fill('anna@example.org')
      await page.locator('main form button[type=submit]').click()
    },
  },
  { ...visitor, name: 'reset', path: () => `/account/Reset${link}` },
  { ...visitor, name: 'reset-incomplete', path: () => '/account/Reset' },
  { ...visitor, name: 'verify', path: () => `/account/Verify${link}` },
  { ...visitor, name: 'verify-damaged', path: () => '/account/Verify?token=x' },
  {
    ...visitor,
    name: 'verify-used',
    path: () => `/account/Verify${link}`,
    before: async (page, t) => {
      await press(page, t.account.verifyButton)
      await page.waitForTimeout(800)
    },
  },
  { ...visitor, name: 'confirm', path: () => `/account/Confirm${link}` },
  { ...visitor, name: 'cancel-change', path: () => `/account/Cancel${link}` },
  { ...visitor, name: 'setup', path: () => '/setup?token=one-time', fake: (page) => asSite(page, { setupRequired: true }) },
  { ...visitor, name: 'setup-not-yet', path: () => '/', fake: (page) => asSite(page, { setupRequired: true }) },
  { ...visitor, name: 'not-found', path: () => '/nowhere/at/all' },
  { ...visitor, name: 'fault', path: () => '/posts', fake: (page) => answer(page, posts, { surprising: true }) },
  { ...visitor, name: 'scoreboard-visitor', path: ({ gameId }) => `/games/${gameId}/Scoreboard`, ready: 'main tbody tr' },
  { ...visitor, name: 'hall', path: ({ gameId }) => `/games/${gameId}/screen`, ready: 'main tbody tr' },
  { ...visitor, name: 'menu-visitor', path: () => '/About', before: openMenu },
  {
    ...visitor,
    name: 'language-menu',
    path: () => '/About',
    before: (page, t) => press(page, new RegExp(`^${t.shell.language}`)),
  },
]
