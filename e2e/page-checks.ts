/** Checks of an open page: accessibility, the console, requests to other hosts, covered controls, horizontal scrolling and layout shifts. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type BrowserContext, expect, type Page } from '@playwright/test'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Opens a page that records console output, errors and requests to other hosts; `rest` waits until it is idle. */
export async function openWatched(context: BrowserContext, address: string) {
  await context.addInitScript({ path: join(import.meta.dirname, 'page-checks-in-page.js') })
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
  { page, said, rest }: Watched,
  widths: readonly number[],
  axeAt: readonly number[],
): Promise<string[]> {
  const problems: string[] = []
  for (const [index, width] of widths.entries()) {
    if (index > 0) await page.setViewportSize({ width, height: 900 })
    await rest()
    const found = axeAt.includes(width) ? await violations(page) : []
    if (index === 0) found.push(...(await page.evaluate<string[]>('pageChecks.shift()')))
    for (const look of ['sideways', 'covered']) found.push(...(await page.evaluate<string[]>(`pageChecks.${look}()`)))
    problems.push(...found.map((what) => `at ${width}: ${what}`))
  }
  return [...problems, ...said.splice(0)]
}
