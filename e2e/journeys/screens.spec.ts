/**
 * Compares every screen, dialog and state of the interface with its stored accessibility tree in `e2e/screens`: roles, names, states, values, texts
 * and addresses in their order. CONTRIBUTING.md has the command that stores them after a change of the interface.
 */
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test'
import { screens } from '../../tools/pictures/picture-list.ts'
import type { Screen } from '../../tools/pictures/screen.ts'
import { comparable } from '../accessibility-tree.ts'
import { type Demo, startDemo } from '../demo.ts'
import { texts } from '../people.ts'
import { isProof } from '../proof.ts'

let demo: Demo
test.beforeAll(async () => {
  // Without an engine on every machine.
  demo = await startDemo({ DISABLE_RATE_LIMIT: 'true', VEXIL_DOCKER_HOST: 'unix:///nowhere/docker.sock' })
})
test.afterAll(() => demo?.stop())

/** @returns the requests of the page that have no answer yet */
function watch(page: Page) {
  const pending = new Set<unknown>()
  page.on('request', (request) => pending.add(request))
  page.on('requestfinished', (request) => pending.delete(request))
  page.on('requestfailed', (request) => pending.delete(request))
  return pending
}

/** Resolves when the page has not changed for 150 ms, except its timers. Executed in the page. */
const unchanged = `new Promise((done) => {
  const rest = () => { changes.disconnect(); requestAnimationFrame(done) }
  let timer = setTimeout(rest, 150)
  const changes = new MutationObserver((records) => {
    if (records.every(({ target }) => target.parentElement?.closest('[role=timer], time'))) return
    clearTimeout(timer)
    timer = setTimeout(rest, 150)
  })
  changes.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
})`

/** Waits until the page has its answers and no longer changes. Some screens show a request that is never answered: they wait for two seconds. */
async function settle(page: Page, pending: ReadonlySet<unknown>): Promise<void> {
  const begun = Date.now()
  do await page.evaluate(unchanged)
  while (pending.size > 0 && Date.now() - begun < 2000)
}

async function open(page: Page, screen: Screen, withFrame: boolean): Promise<string> {
  const pending = watch(page)
  await screen.fake?.(page)
  await page.goto(screen.path(demo.facts))
  await page.locator(screen.ready).first().waitFor()
  await settle(page, pending)
  // The texts of a journey are the English ones.
  await screen.before?.(page, texts as never)
  await settle(page, pending)
  return comparable(await page.locator('body').ariaSnapshot(), withFrame)
}

/** Screens that show the machine, or how much of the game is over. */
const varying = new Set(['health', 'health-backup', 'scoreboard-replay'])
const compared = screens.filter(({ name, containers }) => !containers && !varying.has(name))

async function openContext(browser: Browser, role: Screen['role']): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    baseURL: demo.address,
  })
  if (role !== 'visitor') await context.addCookies([{ ...demo.cookies[role], url: demo.address }])
  return context
}

// One test: screens of administrators show what players did before.
async function compareAll(browser: Browser): Promise<void> {
  for (const role of ['visitor', 'player', 'monitor', 'administrator'] as const) {
    const shared = await openContext(browser, role)
    for (const [index, screen] of compared.filter((one) => one.role === role).entries()) {
      // The browser keeps replaced answers.
      const context = screen.fake || screen.ownContext ? await openContext(browser, role) : shared
      const page = await context.newPage()
      const tree = await open(page, screen, index === 0)
      expect.soft(tree, screen.name).toMatchSnapshot(`${screen.name}.yml`)
      await page.evaluate('localStorage.clear()')
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.close()
      if (context !== shared) await context.close()
    }
    await shared.close()
  }
}

if (isProof) test('every screen is as stored', ({ browser }) => compareAll(browser))
