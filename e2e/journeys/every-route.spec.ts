/**
 * Opens every route of the web application on a platform with data, as a visitor, a player and an administrator, and checks accessibility, the console,
 * requests to other hosts, covered controls, horizontal scrolling and layout shifts during loading. Dark colours and phone widths are in the proof.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test'
import { paths } from '../../apps/web/src/shell/paths.ts'
import { type Demo, type Facts, startDemo } from '../demo.ts'
import { texts } from '../people.ts'
import { startPlatform } from '../platform.ts'
import { isProof } from '../proof.ts'

const root = join(import.meta.dirname, '../..')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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
  demo = await startDemo({ DISABLE_RATE_LIMIT: 'true' })
})
test.afterAll(() => demo?.stop())

/** A page that records console output, errors and requests to other hosts; `rest` waits until it is idle. */
async function watched(context: BrowserContext, address: string) {
  const page = await context.newPage()
  const said: string[] = []
  const asked = new Set<unknown>()
  let changed = Date.now()
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) said.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => said.push(`error: ${error.message}`))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (/^(http|ws)/.test(protocol) && origin !== address) said.push(`another host: ${request.url()}`)
    asked.add(request)
    changed = Date.now()
  })
  const answered = (request: unknown) => {
    asked.delete(request)
    changed = Date.now()
  }
  page.on('requestfinished', answered)
  page.on('requestfailed', answered)
  const loader = page.locator('.mantine-Loader-root, .mantine-Skeleton-root')
  async function rest(): Promise<void> {
    const rests = async () => asked.size === 0 && Date.now() - changed > 250 && (await loader.count()) === 0
    await expect.poll(rests, { intervals: [50], message: page.url() }).toBe(true)
    await page.evaluate(
      'document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))',
    )
  }
  return { page, said, rest }
}
type Watched = Awaited<ReturnType<typeof watched>>

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate<
    string[]
  >(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 4).map(({ target, failureSummary = '' }) => 'axe ' + id + ': ' + target.join(' ') + ': ' + failureSummary.split('\\n').slice(1, 3).join(' '))))`)
}

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
async function problemsOf({ page, said, rest }: Watched, address: string, scheme: Scheme): Promise<string[]> {
  const problems: string[] = []
  const [first = 0] = widths[scheme]
  await page.setViewportSize({ width: first, height: 900 })
  await page.goto(address)
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await rest()
  for (const width of widths[scheme]) {
    if (width !== first) await page.setViewportSize({ width, height: 900 })
    await rest()
    const found = width === first || width === 1440 ? await violations(page) : []
    if (width === first) found.push(...(await page.evaluate<string[]>('everyRoute.shift()')))
    for (const look of ['sideways', 'covered']) found.push(...(await page.evaluate<string[]>(`everyRoute.${look}()`)))
    problems.push(...found.map((what) => `${address} at ${width}: ${what}`))
  }
  if (isProof) problems.push(...(await afterSwitch(page, scheme)).map((what) => `${address} ${what}`))
  return [...problems, ...said.splice(0).map((what) => `${address}: ${what}`)]
}

async function contextOf(browser: Browser, baseURL: string, scheme: Scheme): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL, colorScheme: scheme, locale: 'en-US', reducedMotion: 'reduce' })
  await context.addInitScript({ path: join(root, 'e2e/every-route-in-page.js') })
  return context
}

/** Checks all of these routes that the role may see, and one that it may not. */
async function walk(browser: Browser, who: Who, scheme: Scheme, needs = allowed[who]): Promise<string[]> {
  const context = await contextOf(browser, demo.address, scheme)
  if (who !== 'visitor') await context.addCookies([{ ...demo.cookies[who], url: demo.address }])
  const seen = await watched(context, demo.address)
  const problems: string[] = []
  const missing = seen.page.getByRole('heading', { level: 1, name: texts.shell.notFound })
  for (const [path, need, addresses] of routes.filter(([, need]) => needs.includes(need)))
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

if (!isProof)
  test('SESS-3 every route is accessible, has no console message, no layout shift and no covered control: once', async ({
    browser,
  }) => {
    const problems = await Promise.all([walk(browser, 'administrator', 'light'), walk(browser, 'visitor', 'light', ['guest'])])
    expect(problems.flat()).toEqual([])
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
    const seen = await watched(context, platform.url)
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
