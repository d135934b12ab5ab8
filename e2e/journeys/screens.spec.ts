/**
 * Compares every screen, dialog and state of the interface with its stored accessibility tree in `e2e/screens`: roles, names, states, values, texts
 * and addresses in their order. Screens without actions are also checked for console messages, layout shifts and covered controls, in the proof for
 * accessibility, too. `npm test` compares the screens that show answers of the platform, the proof also those that replace them.
 * CONTRIBUTING.md has the command that stores the trees after a change of the interface.
 */
import { existsSync, readFileSync } from 'node:fs'
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test'
import { screens } from '../../tools/pictures/picture-list.ts'
import type { Screen } from '../../tools/pictures/screen.ts'
import { comparable } from '../accessibility-tree.ts'
import { type Demo, startDemo } from '../demo.ts'
import { openWatched, problemsAt, type Watched } from '../page-checks.ts'
import { texts } from '../people.ts'
import { isProof } from '../proof.ts'

let demo: Demo
test.beforeAll(async () => {
  // Without an engine on every machine.
  demo = await startDemo({ DISABLE_RATE_LIMIT: 'true', VEXIL_DOCKER_HOST: 'unix:///nowhere/docker.sock' })
})
test.afterAll(() => demo?.stop())

/** Resolves when the page has not changed for 150 ms, except its timers. Executed in the page. */
const unchanged = `new Promise((done) => {
  const end = () => { changes.disconnect(); requestAnimationFrame(done) }
  let timer = setTimeout(end, 150)
  const changes = new MutationObserver((records) => {
    if (records.every(({ target }) => target.parentElement?.closest('[role=timer], time'))) return
    clearTimeout(timer)
    timer = setTimeout(end, 150)
  })
  changes.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
})`

/** The accessibility tree as soon as it is the stored one; another one is returned after ten seconds, since an answer may still arrive. */
async function treeOf(page: Page, name: string, withFrame: boolean): Promise<string> {
  const file = test.info().snapshotPath(`${name}.yml`)
  const stored = existsSync(file) && readFileSync(file, 'utf8')
  for (const end = Date.now() + 10_000; ; ) {
    await page.evaluate(unchanged)
    const tree = comparable(await page.locator('body').ariaSnapshot(), withFrame)
    if (tree === stored || Date.now() > end) return tree
  }
}

/** Shows the machine, so it is checked, but not compared. */
const varying = 'health'
/** Pictures that differ from another one only in colours or in what is scrolled into view, or that show the machine or how much of the game is over. */
const looks = /^(?:health-backup|scoreboard-replay|clock-off|watermark|game-info-end|settings-(?!wrong).*)$/
const compared = screens.filter(({ name, containers }) => !containers && !looks.test(name))

async function compare(seen: Watched, screen: Screen, withFrame: boolean): Promise<void> {
  const { page, messages } = seen
  messages.splice(0)
  await screen.fake?.(page)
  await page.goto(screen.path(demo.facts))
  await page.locator(screen.ready).first().waitFor()
  await page.evaluate(unchanged)
  // The texts of a journey are the English ones.
  await screen.before?.(page, texts as never)
  if (screen.name !== varying) {
    const tree = await treeOf(page, screen.name, withFrame)
    expect.soft(tree, screen.name).toMatchSnapshot(`${screen.name}.yml`)
  }
  if (screen.before || screen.fake) return
  expect.soft(await problemsAt(seen, [1440, 1080], isProof ? [1440] : []), screen.name).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })
}

async function openContext(browser: Browser, role: Screen['role'], locale = 'en-US'): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale,
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    baseURL: demo.address,
  })
  if (role !== 'visitor') await context.addCookies([{ ...demo.cookies[role], url: demo.address }])
  return context
}

const roles = ['visitor', 'player', 'monitor', 'administrator'] as const
const isAlone = ({ fake, ownContext }: Screen) => fake !== undefined || ownContext === true

/** All screens with answers of the platform, in one tab for each role. */
async function compareInOneTab(browser: Browser): Promise<void> {
  for (const role of roles) {
    const context = await openContext(browser, role)
    const seen = await openWatched(context, demo.address)
    const { page } = seen
    const ofRole = compared.filter((screen) => screen.role === role && !isAlone(screen))
    for (const [index, screen] of ofRole.entries()) {
      await compare(seen, screen, index === 0)
      await page.evaluate('localStorage.clear(), sessionStorage.clear()')
      await page.mouse.move(0, 0)
    }
    await context.close()
  }
}

/** The others, each in a context of the browser without its cache, which would keep replaced answers. */
async function compareAlone(browser: Browser): Promise<void> {
  for (const screen of compared.filter((one) => isAlone(one) && (isProof || !one.fake))) {
    const context = await openContext(browser, screen.role)
    const seen = await openWatched(context, demo.address)
    await compare(seen, screen, false)
    await seen.page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  }
}

// One test: screens of administrators show what players did before.
test('SESS-3 every screen is as stored, has no console message, no layout shift and no covered control', async ({ browser }) => {
  await compareInOneTab(browser)
  await compareAlone(browser)
})

/** The screens with the least space for texts. `npm run tool -- pictures` checks all screens in all languages. */
const dense = ['board', 'board-compact', 'scoreboard', 'users']

test('no text and no icon of the densest screens is cut off in Japanese', async ({ browser }) => {
  for (const screen of screens.filter(({ name }) => dense.includes(name))) {
    const context = await openContext(browser, screen.role, 'ja-JP')
    const seen = await openWatched(context, demo.address)
    await screen.fake?.(seen.page)
    await seen.page.goto(screen.path(demo.facts))
    await seen.page.locator(screen.ready).first().waitFor()
    expect.soft(await problemsAt(seen, [1440, 1080, 390], []), screen.name).toEqual([])
    await context.close()
  }
})

test("screens of full height fit in the window below the demo's bar", async ({ browser }) => {
  for (const screen of screens.filter(({ name }) => ['board', 'scoreboard', 'challenge-editor'].includes(name))) {
    const context = await openContext(browser, screen.role, 'ja-JP')
    const { page } = await openWatched(context, demo.address)
    // The platform of this file has no bar, since its tests sign in with a cookie.
    await page.route('**/api/config', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, json: { ...(await answer.json()), isDemo: true } })
    })
    await page.goto(screen.path(demo.facts))
    await page.locator(screen.ready).first().waitFor()
    await page.getByRole('complementary', { name: 'Vexil のデモです' }).waitFor()
    for (const width of [1440, 1080]) {
      await page.setViewportSize({ width, height: 900 })
      expect.soft(await page.evaluate('document.documentElement.scrollHeight'), `${screen.name}, ${width} px`).toBe(900)
    }
    await context.close()
  }
})
