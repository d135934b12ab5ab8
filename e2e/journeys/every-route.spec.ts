/**
 * Opens every route of the web application on a platform with data, as a visitor, a player and an administrator, and checks accessibility, the console,
 * requests to other hosts, covered controls, horizontal scrolling and layout shifts during loading. In `npm test` screens.spec.ts does this without
 * the rules of accessibility, except for the pages before the set-up.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test'
import { paths } from '../../apps/web/src/shell/paths.ts'
import { type Demo, type Facts, startDemo } from '../demo.ts'
import { openWatched, problemsAt, violations, type Watched } from '../page-checks.ts'
import { texts } from '../people.ts'
import { startPlatform } from '../platform.ts'
import { isProof } from '../proof.ts'

const root = join(import.meta.dirname, '../..')

type Scheme = 'light' | 'dark'
type Who = 'visitor' | 'player' | 'administrator'
type Need = 'anyone' | 'guest' | 'User' | 'Monitor' | 'Admin' | 'setup'
const allowed: Readonly<Record<Who, readonly Need[]>> = {
  visitor: ['anyone', 'guest'],
  player: ['anyone', 'User'],
  administrator: ['anyone', 'User', 'Monitor', 'Admin'],
}
/** An address that this role may not see; all other such addresses lead to the same page. */
const refused: Readonly<Partial<Record<Who, string>>> = { visitor: '/Teams', player: '/admin/Users' }

/** Each route with the role that it needs and addresses to check. */
const routes: readonly [path: string, need: Need, addresses: (facts: Facts) => readonly string[]][] = [
  ['/', 'anyone', () => ['/']],
  ['/games', 'anyone', () => ['/games']],
  ['/games/:id', 'anyone', ({ gameId: game }) => [`/games/${game}`]],
  ['/posts', 'anyone', () => ['/posts']],
  ['/posts/:postId', 'anyone', ({ post }) => [`/posts/${post}`]],
  ['/posts/:postId/edit', 'Admin', ({ post }) => [`/posts/${post}/edit`, '/posts/new/edit']],
  ['/About', 'anyone', () => ['/About']],
  ['/Teams', 'User', () => ['/Teams']],
  ['/account/Profile', 'User', () => ['/account/Profile']],
  [
    '/games/:id/Challenges',
    'User',
    ({ gameId: game, open, solved }) => ['', `?c=${open}`, `?c=${solved}`].map((query) => `/games/${game}/Challenges${query}`),
  ],
  ['/games/:id/Scoreboard', 'anyone', ({ gameId: game }) => [`/games/${game}/Scoreboard`]],
  ['/games/:id/screen', 'anyone', ({ gameId: game }) => [`/games/${game}/screen`]],
  ['/games/:id/monitor', 'Monitor', ({ gameId: game }) => [`/games/${game}/monitor`]],
  ['/games/:id/monitor/Events', 'Monitor', ({ gameId: game }) => [`/games/${game}/monitor/Events`]],
  ['/games/:id/monitor/Submissions', 'Monitor', ({ gameId: game }) => [`/games/${game}/monitor/Submissions`]],
  ['/games/:id/monitor/CheatInfo', 'Monitor', ({ gameId: game }) => [`/games/${game}/monitor/CheatInfo`]],
  ['/games/:id/monitor/traffic', 'Monitor', ({ gameId: game }) => [`/games/${game}/monitor/traffic`]],
  ['/admin', 'Admin', () => ['/admin']],
  ['/admin/games', 'Admin', () => ['/admin/games']],
  ['/admin/Teams', 'Admin', () => ['/admin/Teams']],
  ['/admin/Users', 'Admin', () => ['/admin/Users']],
  ['/admin/Instances', 'Admin', () => ['/admin/Instances']],
  ['/admin/Health', 'Admin', () => ['/admin/Health']],
  ['/admin/Logs', 'Admin', () => ['/admin/Logs?level=All']],
  ['/admin/Settings', 'Admin', () => ['/admin/Settings']],
  ['/admin/games/:id', 'Admin', ({ gameId: game }) => [`/admin/games/${game}`]],
  ['/admin/games/:id/Info', 'Admin', ({ gameId: game }) => [`/admin/games/${game}/Info`]],
  ['/admin/games/:id/Notices', 'Admin', ({ gameId: game }) => [`/admin/games/${game}/Notices`]],
  ['/admin/games/:id/Review', 'Admin', ({ gameId: game }) => [`/admin/games/${game}/Review`]],
  ['/admin/games/:id/Writeups', 'Admin', ({ gameId: game }) => [`/admin/games/${game}/Writeups`]],
  ['/admin/games/:id/challenges', 'Admin', ({ gameId: game }) => [`/admin/games/${game}/challenges`]],
  ['/admin/games/:id/challenges/:chalId', 'Admin', ({ gameId: game, open }) => [`/admin/games/${game}/challenges/${open}`]],
  [
    '/admin/games/:id/challenges/:chalId/Flags',
    'Admin',
    ({ gameId: game, open }) => [`/admin/games/${game}/challenges/${open}/Flags`],
  ],
  // On a platform that is set up it redirects to the home page; another test covers it before the setup.
  ['/setup', 'setup', () => []],
  ['/account/Login', 'guest', () => ['/account/Login']],
  ['/account/Register', 'guest', () => ['/account/Register']],
  ...(['Recovery', 'Reset', 'Verify', 'Confirm', 'Cancel'] as const).map(
    (kind) => [`/account/${kind}`, 'anyone', () => [`/account/${kind}`, mailLink(kind)]] as [string, Need, () => string[]],
  ),
  ['*', 'anyone', () => ['/nowhere/at/all']],
]
const mailLink = (kind: string) => `/account/${kind}?token=${btoa('token')}&email=${btoa('anna@example.org')}`

let demo: Demo

test.beforeAll(async () => {
  if (isProof) demo = await startDemo({ DISABLE_RATE_LIMIT: 'true' })
})
test.afterAll(() => demo?.stop())

/** Light pages are loaded at desktop width, dark ones at phone width; the layout does not depend on colours, so each width is checked once. */
const widths: Readonly<Record<Scheme, readonly number[]>> = { light: [1440, 1080], dark: [390, 800, 1440] }

/** Accessibility violations after the colour scheme is switched in the open page. */
async function afterSwitch(page: Page, scheme: Scheme): Promise<string[]> {
  const other = scheme === 'light' ? 'dark' : 'light'
  await page.emulateMedia({ colorScheme: other })
  await page.locator(`html[data-mantine-color-scheme='${other}']`).waitFor()
  const found = await violations(page)
  await page.emulateMedia({ colorScheme: scheme })
  return found.map((what) => `switched to ${other}: ${what}`)
}

/** Opens one address and returns its problems. */
async function problemsOf(seen: Watched, address: string, scheme: Scheme): Promise<string[]> {
  const { page, messages } = seen
  const [first = 0] = widths[scheme]
  await page.setViewportSize({ width: first, height: 900 })
  await page.goto(address)
  await page.locator('h1').first().waitFor({ state: 'attached' })
  const problems = await problemsAt(seen, widths[scheme], [first, 1440])
  if (isProof) problems.push(...(await afterSwitch(page, scheme)), ...messages.splice(0))
  return problems.map((what) => `${address} ${what}`)
}

function contextOf(browser: Browser, baseURL: string, scheme: Scheme): Promise<BrowserContext> {
  return browser.newContext({ baseURL, colorScheme: scheme, locale: 'en-US', reducedMotion: 'reduce' })
}

/** Checks all of these routes that the role may see, and one that it may not. */
async function walk(browser: Browser, who: Who, scheme: Scheme): Promise<string[]> {
  const context = await contextOf(browser, demo.address, scheme)
  if (who !== 'visitor') await context.addCookies([{ ...demo.cookies[who], url: demo.address }])
  const seen = await openWatched(context, demo.address)
  const problems: string[] = []
  const missing = seen.page.getByRole('heading', { level: 1, name: texts.shell.notFound })
  for (const [path, need, addresses] of routes.filter(([, need]) => allowed[who].includes(need)))
    for (const address of addresses(demo.facts)) {
      problems.push(...(await problemsOf(seen, address, scheme)))
      if ((await missing.count()) > 0 !== (path === '*')) problems.push(`${address}: ${need} does not see it`)
    }
  const closed = refused[who]
  if (closed) {
    problems.push(...(await problemsOf(seen, closed, scheme)))
    if (who === 'visitor') expect(seen.page.url()).toContain('/account/Login')
    else await expect(missing).toBeVisible()
  }
  await context.close()
  return problems.map((problem) => `${who}, ${scheme}: ${problem}`)
}

test('every route of the web is in the list of checked routes', () => {
  const source = readFileSync(join(root, 'apps/web/src/routes.tsx'), 'utf8')
  const defined = [...source.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path)
  const table = readFileSync(join(root, 'apps/web/src/shell/screen-table.ts'), 'utf8')
  const named = [...table.matchAll(/^ {2}(?: {2})?.*\b(?:path: (?:paths\.(\w+)\b(?!\[)|'([^']+)')|admin\('(\w+)'\))/gm)].map(
    ([, name, path, tab]) => {
      if (path) return path
      const found = tab ? paths.admin[tab as 'games'] : paths[name as 'home' | 'login']
      return typeof found === 'function' ? found() : found
    },
  )
  const all = [...defined, ...named]
  expect(all.length).toBeGreaterThan(35)
  expect(routes.map(([path]) => path).toSorted()).toEqual(all.toSorted())
})

for (const scheme of isProof ? (['light', 'dark'] as const) : []) {
  test(`KEY-7 SESS-3 every route is accessible, has no console message, no layout shift and no covered control for every role: ${scheme}`, async ({
    browser,
  }) => {
    const people: readonly Who[] = ['visitor', 'player', 'administrator']
    const problems = await Promise.all(people.map((who) => walk(browser, who, scheme)))
    expect(problems.flat()).toEqual([])
  })
}

test(`${isProof ? 'KEY-7 ' : ''}SESS-3 before set-up every page leads to "not yet set up"; that page and the set-up form are accessible, with no console message, layout shift or covered control`, async ({
  browser,
}) => {
  const platform = await startPlatform({ env: { ADMIN_PASSWORD: '' } })
  const link = new URL(readFileSync(join(platform.dataDir, 'setup-link'), 'utf8').trim())
  const problems: string[] = []
  for (const scheme of isProof ? (['light', 'dark'] as const) : (['dark'] as const)) {
    const context = await contextOf(browser, platform.url, scheme)
    const seen = await openWatched(context, platform.url)
    for (const address of ['/', '/setup']) {
      problems.push(...(await problemsOf(seen, address, scheme)))
      await expect(seen.page.getByText(texts.setup.notYetText)).toBeVisible()
    }
    problems.push(...(await problemsOf(seen, link.pathname + link.search, scheme)))
    await expect(seen.page.getByRole('button', { name: texts.setup.finish })).toBeVisible()
    await context.close()
  }
  await platform.stop()
  expect(problems).toEqual([])
})
