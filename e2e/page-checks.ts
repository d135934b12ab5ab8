/** Checks of an open page: accessibility, the console, requests to other hosts, covered controls, horizontal scrolling, cut content and layout shifts. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type BrowserContext, expect, type Page } from '@playwright/test'
import { checkPage } from '../tools/pictures/check-page.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Opens a page that records console output, errors and requests to other hosts; `untilIdle` waits for answers and loaders. */
export async function openWatched(context: BrowserContext, address: string) {
  await context.addInitScript({ path: join(import.meta.dirname, 'page-checks-in-page.js') })
  const page = await context.newPage()
  const messages: string[] = []
  const pending = new Set<unknown>()
  let changedAt = Date.now()
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) messages.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => messages.push(`error: ${error.message}`))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (/^(http|ws)/.test(protocol) && origin !== address) messages.push(`another host: ${request.url()}`)
    pending.add(request)
    changedAt = Date.now()
  })
  const answered = (request: unknown) => {
    pending.delete(request)
    changedAt = Date.now()
  }
  page.on('requestfinished', answered)
  page.on('requestfailed', answered)
  const loader = page.locator('.mantine-Loader-root, .mantine-Skeleton-root')
  async function untilIdle(): Promise<void> {
    const isIdle = async () => pending.size === 0 && Date.now() - changedAt > 250 && (await loader.count()) === 0
    await expect.poll(isIdle, { intervals: [50], message: page.url() }).toBe(true)
    await page.evaluate(
      'document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))',
    )
  }
  return { page, messages, untilIdle }
}
export type Watched = Awaited<ReturnType<typeof openWatched>>

/** @returns accessibility violations */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate<
    string[]
  >(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 4).map(({ target, failureSummary = '' }) => 'axe ' + id + ': ' + target.join(' ') + ': ' + failureSummary.split('\\n').slice(1, 3).join(' '))))`)
}

/**
 * @param widths in pixels; the page was loaded at the first one
 * @param axeAt the widths at which accessibility is checked, which takes half a second of CPU time
 */
export async function problemsAt(
  { page, messages, untilIdle }: Watched,
  widths: readonly number[],
  axeAt: readonly number[],
): Promise<string[]> {
  const problems: string[] = []
  for (const [index, width] of widths.entries()) {
    if (index > 0) await page.setViewportSize({ width, height: 900 })
    await untilIdle()
    const found = axeAt.includes(width) ? await violations(page) : []
    if (index === 0) found.push(...(await page.evaluate<string[]>('pageChecks.shift()')))
    found.push(...(await page.evaluate<string[]>('pageChecks.covered()')), ...(await checkPage(page, false)))
    problems.push(...found.map((what) => `at ${width}: ${what}`))
  }
  return [...problems, ...messages.splice(0)]
}
