/** Screens of monitors, and of administrators of games and of the platform. */
import type { Page } from '@playwright/test'
import type { HealthReport } from '@vexil/contract/health'
import type { Facts } from '../../e2e/demo.ts'
import { answer, asSite, change, refuse } from './answers.ts'
import { press } from './of-visitors.ts'
import type { Screen } from './screen.ts'

const dialog = '[role=dialog]'
const ready = 'h1:visible'
const admin = { role: 'administrator', ready } as const
const monitor = { role: 'monitor', ready } as const
/** A list with its rows, or the notice that the window is too narrow for it. */
const inList = { ...admin, ready: 'main tbody tr:visible, main [class*=notice] h1:visible' } as const

const info = ({ gameId }: Facts) => `/admin/games/${gameId}/Info`
const challenges = ({ gameId }: Facts) => `/admin/games/${gameId}/challenges`
const challenge = ({ gameId, open }: Facts) => `${challenges({ gameId } as Facts)}/${open}`
const watch = (tab: string) => (facts: Facts) => `/games/${facts.gameId}/monitor/${tab}`
const ofGame = (tab: string) => (facts: Facts) => `/admin/games/${facts.gameId}/${tab}`

/** Buttons with this icon in the page. */
const sign = (page: Page, name: string, within = 'main') =>
  page.locator(`${within} button:has(svg.tabler-icon-${name})`).filter({ visible: true })

/** Chooses an item in the menu of the third row. */
const chooseInMenu = async (page: Page, name: string) => {
  await sign(page, 'dots').nth(2).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

/** Selects `count` rows of the list if it has checkboxes: narrow lists have none. */
const pick = (count: number) => async (page: Page) => {
  if (await page.locator('main tbody input[type=checkbox]').first().isHidden()) return
  for (let row = 0; row < count; row++)
    await page
      .locator('main tbody tr')
      .nth(row + 1)
      .locator('input[type=checkbox]')
      .first()
      .check({ force: true })
}

const team = (id: number, name: string, status: string) => ({
  id,
  team: { id, name, avatar: null },
  status,
  organization: id % 2 ? 'Student' : 'Open',
})
const cheats = [
  ['Two Keepers', 'tide{7f3a-91c0-keel}', 4],
  ['Salted Rope', 'tide{salt_and_vinegar_0b1c}', 22],
].map(([challengeName, answered, minutes]) => ({
  ownedTeam: team(3, 'Kombu Overflow', 'Accepted'),
  submitTeam: team(7, '海鸥与灯塔', minutes === 4 ? 'Suspended' : 'Accepted'),
  submission: {
    answer: answered,
    status: 'CheatDetected',
    time: new Date(Date.now() - Number(minutes) * 60_000).toISOString(),
    user: 'mizuki',
    team: '海鸥与灯塔',
    challenge: challengeName,
  },
}))

/** A result of the isolation probe; `kubelet`: whether the kubelet is refused or reached at its link-local address. */
const probeOf = (kubelet: string) => ({
  state: 'done',
  finishedAt: new Date(Date.now() - 120_000).toISOString().replace('Z', '+00:00'),
  problem: null,
  attempts: ['Open', 'Isolated'].flatMap((network) =>
    [
      ['apiServer', '198.18.78.2', 6443, 'refused'],
      ['kubelet', '198.18.78.2', 10_250, 'refused'],
      ['linkLocal', 'fe80::fce9:44ff:fe6f:1675%eth0', 10_250, kubelet],
      ['metadata', 'fd00:ec2::254', 80, 'untried'],
      ...(network === 'Isolated' ? [['resolver', '10.255.255.53', 53, 'refused']] : []),
    ].map(([target, address, port, result]) => ({ network, target, address, port, result })),
  ),
})

const unwellReport: HealthReport = {
  checkedAt: '2026-11-25T01:02:03+00:00',
  checks: [
    { name: 'database', level: 'ok', text: 'PostgreSQL 18.1, locale C.UTF-8, 12 of 97 connections', fix: null },
    {
      name: 'disk',
      level: 'warning',
      text: '4.2 GiB of 40.0 free in /srv/vexil/data',
      fix: 'Free space, delete captures and unused files, or move DATA_DIR to a larger disk',
    },
    {
      name: 'mail',
      level: 'error',
      text: 'The mail server does not accept emails: connect ECONNREFUSED 192.0.2.7:587',
      fix: 'Correct the mail server in the settings or in the VEXIL_MAIL_ variables',
    },
    { name: 'faults', level: 'warning', text: 'Unexpected errors in the last hour: 14', fix: 'See the log of the platform' },
  ],
  nodes: [
    ['http://10.0.0.5:8080', '0.24.2', 'Serving', '01:02:01'],
    ['http://10.0.0.6:8080', '0.24.2', 'Draining', '01:02:02'],
    [null, '0.24.1', 'Late', '00:58:40'],
  ].map(([url, version, state, seen], index) => ({
    id: `018f2b5e-7c00-7aaa-8000-00000000000${index}`,
    version: version as string,
    startedAt: '2026-11-24T09:00:00+00:00',
    seenAt: `2026-11-25T${seen}+00:00`,
    url: url as string | null,
    processes: index + 1,
    state: state as HealthReport['nodes'][number]['state'],
  })),
  faults: [
    { route: 'GET /api/game/:id/scoreboard', count: 12, lastAt: '2026-11-25T01:01:03+00:00' },
    { route: 'POST /api/edit/games/:id/challenges/:cId/attachment', count: 2, lastAt: '2026-11-25T00:31:03+00:00' },
  ],
}

const instances = [
  ['Kombu Overflow', 'Bilge Pump', 'Pwn', 12],
  ['海鸥与灯塔', 'Harbour Log', 'Web', 47],
  ['A team with quite a long name', 'Bilge Pump', 'Pwn', 119],
].map(([name, title, category, minutes], index) => ({
  team: { id: index + 1, name, avatar: null },
  challenge: { id: index + 1, title, category },
  image: 'registry.example.org/tideline/bilge-pump:1.4',
  containerGuid: `018f2b5e-7c00-7aaa-8000-00000000000${index}`,
  containerId: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  startedAt: new Date(Date.now() - (120 - Number(minutes)) * 60_000).toISOString(),
  expectStopAt: new Date(Date.now() + Number(minutes) * 60_000).toISOString(),
  ip: '203.0.113.7',
  port: 32811 + index,
  readiness: ['ready', 'waiting', 'late'][index],
}))

const withPending = (page: Page) =>
  change<Record<string, unknown>[]>(page, /\/participations$/, (list) =>
    list.map((one, index) => ({ ...one, status: ['Pending', 'Pending', 'Rejected', 'Suspended'][index] ?? one.status })),
  )

export const ofOrganisers: readonly Screen[] = [
  { ...monitor, name: 'events', path: watch('Events') },
  { ...monitor, name: 'events-none', path: watch('Events'), fake: (page) => answer(page, /\/events$/, []) },
  { ...monitor, name: 'submissions', path: watch('Submissions') },
  {
    ...monitor,
    name: 'submissions-not-found',
    path: watch('Submissions'),
    before: (page) => page.locator('main input').filter({ visible: true }).first().fill('nothing is called so'),
  },
  {
    ...monitor,
    name: 'submissions-error',
    path: watch('Submissions'),
    ready: 'main [role=alert]:visible, main svg + h1:visible',
    fake: (page) => refuse(page, /\/submissions$/),
  },
  { ...monitor, name: 'cheats', path: watch('CheatInfo'), fake: (page) => answer(page, /\/cheatinfo$/, cheats) },
  {
    ...monitor,
    name: 'cheats-list',
    path: watch('CheatInfo'),
    fake: (page) =>
      Promise.all([answer(page, /\/cheatinfo$/, cheats), page.addInitScript("localStorage.setItem('cheats-by-team', 'false')")]),
  },
  { ...monitor, name: 'cheats-none', path: watch('CheatInfo'), fake: (page) => answer(page, /\/cheatinfo$/, []) },
  { ...monitor, name: 'traffic-none', path: watch('traffic') },
  { ...admin, name: 'posts', path: () => '/posts' },
  { ...admin, name: 'post-delete', path: ({ post }) => `/posts/${post}/edit`, before: (page, t) => press(page, t.ui.delete) },
  { ...admin, name: 'post-new', path: () => '/posts/new/edit' },
  { ...admin, name: 'post-edit', path: ({ post }) => `/posts/${post}/edit` },
  { ...admin, name: 'home-admin', path: () => '/' },
  { ...admin, name: 'games-admin', path: () => '/admin/games' },
  {
    ...admin,
    name: 'games-admin-none',
    path: () => '/admin/games',
    fake: (page) => answer(page, /^\/api\/edit\/games$/, { data: [], length: 0, total: 0 }),
  },
  { ...inList, name: 'games-picked', path: () => '/admin/games', before: pick(2) },
  {
    ...inList,
    name: 'games-delete',
    path: () => '/admin/games',
    before: async (page, t) => {
      await pick(2)(page)
      const remove = page.getByRole('button', { name: t.admin.games.deleteMany, exact: true }).filter({ visible: true })
      if (await remove.count()) await remove.first().click()
    },
  },
  { ...inList, name: 'game-menu', path: () => '/admin/games', before: (page) => sign(page, 'dots').first().click() },
  { ...admin, name: 'game-new', path: () => '/admin/games', before: (page, t) => press(page, t.admin.games.create) },
  { ...admin, name: 'game-info', path: info },
  {
    ...admin,
    name: 'game-info-wrong',
    path: info,
    before: async (page, t) => {
      await page.getByLabel(t.admin.info.title, { exact: true }).fill('')
      await page.getByLabel(t.admin.info.end, { exact: true }).fill('2020-01-01 10:00')
      await page.getByLabel(t.admin.info.teamSize).fill('none')
    },
  },
  {
    ...admin,
    name: 'game-info-end',
    path: info,
    before: (page) =>
      page.evaluate(
        'for (const one of [document.documentElement, ...document.querySelectorAll("main *")]) one.scrollTop = one.scrollHeight',
      ),
  },
  { ...admin, name: 'game-delete', path: info, before: (page, t) => press(page, new RegExp(`^${t.ui.delete}$`)) },
  { ...admin, name: 'notices', path: ofGame('Notices') },
  { ...admin, name: 'notices-none', path: ofGame('Notices'), fake: (page) => answer(page, /\/notices$/, []) },
  { ...admin, name: 'notice-new', path: ofGame('Notices'), before: (page, t) => press(page, t.admin.notices.create) },
  { ...admin, name: 'challenge-list', path: challenges },
  {
    ...admin,
    name: 'challenge-list-none',
    path: challenges,
    fake: (page) => answer(page, /^\/api\/edit\/games\/\d+\/challenges$/, []),
  },
  { ...inList, name: 'challenges-picked', path: challenges, before: pick(3) },
  { ...admin, name: 'challenge-new', path: challenges, before: (page, t) => press(page, t.admin.challenges.create) },
  {
    ...admin,
    name: 'challenge-new-category',
    path: challenges,
    before: async (page, t) => {
      await press(page, t.admin.challenges.create)
      await page.getByRole('dialog').getByRole('combobox', { name: t.admin.challenges.category }).click()
      await page.getByRole('option').nth(3).hover()
    },
  },
  {
    ...admin,
    name: 'review-filter',
    path: ofGame('Review'),
    before: async (page, t) => {
      await page.getByRole('combobox', { name: t.admin.review.status }).click()
      await page.getByRole('option').nth(1).hover()
    },
  },
  { ...admin, name: 'blood-bonus', path: challenges, before: (page, t) => press(page, t.admin.blood.title) },
  { ...admin, name: 'challenge-editor', path: challenge },
  {
    ...admin,
    name: 'challenge-wrong',
    path: challenge,
    before: async (page, t) => {
      await page.getByLabel(t.admin.challenge.title, { exact: true }).fill('')
      await press(page, t.admin.challenge.hintAdd)
    },
  },
  { ...admin, name: 'challenge-preview', path: challenge, before: (page, t) => press(page, t.ui.preview) },
  { ...admin, name: 'flags', path: (facts) => `${challenge(facts)}/Flags` },
  { ...admin, name: 'flags-template', path: ({ gameId, pump }) => `/admin/games/${gameId}/challenges/${pump}/Flags` },
  { ...admin, name: 'container-fields', path: ({ gameId, pump }) => `/admin/games/${gameId}/challenges/${pump}` },
  {
    ...admin,
    name: 'container-several',
    path: ({ gameId, pump }) => `/admin/games/${gameId}/challenges/${pump}`,
    before: async (page, t) => {
      await press(page, t.admin.challenge.namedPortAdd)
      await page.getByPlaceholder('sql').fill('SQL')
      await press(page, t.admin.challenge.additionalAdd)
      await page.getByPlaceholder('db').fill('db')
      await page.getByPlaceholder('db').scrollIntoViewIfNeeded()
    },
  },
  { ...admin, name: 'review', path: ofGame('Review'), fake: withPending },
  {
    ...admin,
    name: 'review-open',
    path: ofGame('Review'),
    fake: withPending,
    before: (page) => page.locator('main button[aria-expanded]').filter({ visible: true }).first().click(),
  },
  {
    ...admin,
    name: 'review-menu',
    path: ofGame('Review'),
    fake: withPending,
    before: (page) => sign(page, 'dots').first().click(),
  },
  { ...admin, name: 'review-none', path: ofGame('Review'), fake: (page) => answer(page, /\/participations$/, []) },
  { ...admin, name: 'writeups', path: ofGame('Writeups') },
  {
    ...admin,
    name: 'writeups-none',
    path: ofGame('Writeups'),
    fake: (page) => Promise.all([answer(page, /^\/api\/admin\/writeups\/\d+$/, []), answer(page, /\/participations$/, [])]),
  },
  { ...inList, name: 'users', path: () => '/admin/Users' },
  {
    ...inList,
    name: 'user-dialog',
    path: () => '/admin/Users',
    before: async (page) => {
      await page.locator('main tbody tr').nth(1).locator('button:has(svg.tabler-icon-pencil)').click()
      await page.locator(`${dialog} form`).waitFor()
    },
  },
  {
    ...inList,
    name: 'users-add',
    path: () => '/admin/Users',
    before: async (page) => {
      await sign(page, 'user-plus').click()
      await page.locator(`${dialog} form`).waitFor()
    },
  },
  {
    ...inList,
    name: 'users-import',
    path: () => '/admin/Users',
    before: async (page) => {
      await sign(page, 'user-plus').click()
      await page.locator(`${dialog} [role=radiogroup] label`).last().click()
      const lines = ['ada,,ada@example.org,Ada Lovelace,S-1,,Halyard', 'x,123,nowhere', 'grace,,grace@example.org,,,,Halyard']
      await page.locator(`${dialog} textarea`).first().fill(lines.join('\n'))
      await page.locator(`${dialog} table`).waitFor()
    },
  },
  { ...inList, name: 'users-picked', path: () => '/admin/Users', before: pick(3) },
  { ...inList, name: 'user-delete', path: () => '/admin/Users', before: (page, t) => chooseInMenu(page, t.ui.delete) },
  {
    ...inList,
    name: 'password-once',
    path: () => '/admin/Users',
    fake: (page) => page.route(/\/password$/, (route) => route.fulfill({ json: 'q7Wm-2Rk9-dJ4x' })),
    before: async (page, t) => {
      await chooseInMenu(page, t.admin.users.resetPassword)
      await press(page, new RegExp(`^${t.admin.users.reset}$`))
      await page.locator(`${dialog} code, ${dialog} input`).first().waitFor()
    },
  },
  { ...admin, name: 'users-none', path: () => '/admin/Users?search=nobody-at-all', ready: 'main p' },
  {
    ...admin,
    name: 'users-error',
    path: () => '/admin/Users',
    ready: 'main [role=alert]',
    fake: (page) => refuse(page, /^\/api\/admin\/users/),
  },
  { ...inList, name: 'teams-admin', path: () => '/admin/Teams' },
  { ...inList, name: 'teams-picked', path: () => '/admin/Teams', before: pick(2) },
  {
    ...inList,
    name: 'team-lock',
    path: () => '/admin/Teams',
    before: (page) => sign(page, 'lock').or(sign(page, 'lock-open')).nth(1).click(),
  },
  {
    ...inList,
    name: 'team-dialog-admin',
    path: () => '/admin/Teams',
    before: async (page) => {
      await sign(page, 'pencil', 'main tbody').first().click()
      await page.locator(`${dialog} form`).waitFor()
    },
  },
  { ...inList, name: 'logs', path: () => '/admin/Logs?level=All' },
  { ...admin, name: 'logs-none', path: () => '/admin/Logs', fake: (page) => answer(page, /^\/api\/admin\/logs$/, []) },
  {
    ...admin,
    name: 'instances',
    path: () => '/admin/Instances',
    fake: (page) => answer(page, /^\/api\/admin\/instances$/, { data: instances, length: 3, total: 3 }),
  },
  { ...admin, name: 'health', path: () => '/admin/Health' },
  {
    ...admin,
    name: 'health-wrong',
    path: () => '/admin/Health',
    fake: (page) => answer(page, /^\/api\/admin\/health$/, unwellReport),
  },
  {
    ...admin,
    name: 'health-backup',
    path: () => '/admin/Health',
    before: async (page) => {
      await sign(page, 'download').click()
      await page.locator(`${dialog} form`).waitFor()
    },
  },
  {
    ...admin,
    name: 'health-error',
    path: () => '/admin/Health',
    ready: 'main [role=alert]',
    fake: (page) => refuse(page, /^\/api\/admin\/health$/),
  },
  { ...admin, name: 'instances-none', path: () => '/admin/Instances' },
  ...['isolation', 'isolation-reached'].map(
    (name): Screen => ({
      ...admin,
      name,
      path: () => '/admin/Instances',
      fake: async (page) => {
        await asSite(page, { containers: 'Default' })
        await answer(page, /^\/api\/admin\/engine\/isolation$/, probeOf(name === 'isolation' ? 'refused' : 'reached'))
      },
      before: async (page) => {
        const details = page.locator('main details')
        if (name === 'isolation') await details.locator('summary').click()
        await details.locator('tbody tr').first().waitFor()
      },
    }),
  ),
  { ...admin, name: 'settings', path: () => '/admin/Settings' },
  ...['accounts', 'mail', 'containers', 'files', 'server'].map(
    (section): Screen => ({
      ...admin,
      name: `settings-${section}`,
      path: () => '/admin/Settings',
      before: (page) => page.evaluate(`document.getElementById('${section}')?.scrollIntoView()`),
    }),
  ),
  {
    ...admin,
    name: 'settings-wrong',
    path: () => '/admin/Settings',
    before: async (page, t) => {
      const minutes = page.locator('main input[inputmode=numeric]')
      await minutes.nth(0).fill('5')
      await minutes.nth(2).fill('30')
      await page.locator('main input[placeholder^=CHALLENGE]').fill('MY-FLAG')
      await page.getByLabel(t.admin.settings.customTheme).first().fill('blue')
      await page.evaluate('document.getElementById("containers").scrollIntoView()')
    },
  },
]
