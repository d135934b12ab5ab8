/** Browsers that have the start page open while a node is replaced, and then open a screen whose code is not loaded yet. */
import { type Browser, chromium, type Page } from '@playwright/test'
import { browser, ensureBrowser } from '../../scripts/gate/browser.mjs'
import type { Seeded } from '../bench/seed.ts'

/** Number of visitors, each with a separate session, so that a proxy distributes them over the nodes. */
const count = 6
const within = 20_000

export const isInstalled = ensureBrowser
export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: browser(), args: ['--no-sandbox'] })

interface Visitor {
  readonly page: Page
  /** Failed requests and script errors. */
  readonly failed: string[]
  loads: number
}

async function visit(browser: Browser, url: string, cookie: string): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en-US' })
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url }])
  const page = await context.newPage()
  const visitor: Visitor = { page, failed: [], loads: 0 }
  page.on('pageerror', ({ message }) => visitor.failed.push(message))
  page.on('response', (answer) => {
    if (answer.status() >= 400) visitor.failed.push(`${answer.status()} ${answer.url()}`)
  })
  page.on('domcontentloaded', () => visitor.loads++)
  await page.goto(url, { waitUntil: 'networkidle' })
  return visitor
}

async function openScreen({ page }: Visitor): Promise<string[]> {
  await page.locator('a[href="/About"]').first().click()
  const opened = page.locator('section[aria-labelledby="vexil"]').waitFor({ timeout: within })
  return opened.then(
    () => [],
    async () => [`the screen was not shown, but: ${(await page.locator('body').innerText()).slice(0, 300)}`],
  )
}

/** Loads the start page for each. The returned function opens the screen and closes the pages. */
export async function loadPages(browser: Browser, url: string, { actors }: Seeded) {
  const visitors = await Promise.all(actors.slice(0, count).map(({ headers }) => visit(browser, url, headers.cookie ?? '')))
  return async (): Promise<{ readonly notShown: string[]; readonly failed: string[]; readonly reloaded: number }> => {
    const notShown = await Promise.all(visitors.map(openScreen))
    for (const { page } of visitors) await page.context().close()
    return {
      notShown: notShown.flat(),
      failed: visitors.flatMap(({ failed }) => failed),
      reloaded: visitors.filter(({ loads }) => loads > 1).length,
    }
  }
}
