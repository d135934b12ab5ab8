/**
 * npm run tool -- first-visit: measures the first visit of the start page by a browser without a cache: transferred bytes, including headers, and on
 * a slow network with a slow CPU (1.6 Mbit/s, 150 ms, slowed 4 times) the times until the site's name is painted and the main button responds, median
 * of 5. Needs a built web (`npm test` or `npm start` builds it) and Debian's chromium. For the bytes of every route see `npm run tool -- weight`.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import { startEmbedded } from '../../apps/server/src/db/embedded.ts'
import { startPlatform } from '../../e2e/platform.ts'
import { browser as browserPath, ensureBrowser } from '../../scripts/gate/browser.mjs'

const runs = 5
const slowLine = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 100_000 }
const slowed = 4

interface Sent {
  readonly path: string
  readonly encoding: string
  readonly type: string
  bytes: number
}

async function watchNetwork(page: Page) {
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  const asked = new Map<string, Sent>()
  network.on('Network.responseReceived', ({ requestId, response, type }) => {
    const { pathname } = new URL(response.url)
    asked.set(requestId, { path: pathname, encoding: response.headers['content-encoding'] ?? '', type, bytes: 0 })
  })
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = asked.get(requestId)
    if (one) one.bytes = encodedDataLength
  })
  return { network, asked }
}

async function printBytes(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage()
  const { asked } = await watchNetwork(page)
  await page.goto(url, { waitUntil: 'networkidle' })
  const rows = [...asked.values()].sort((a, b) => b.bytes - a.bytes)
  for (const { path, encoding, bytes } of rows) console.log(`${String(bytes).padStart(9)}  ${encoding.padEnd(5)} ${path}`)
  const sum = (all: readonly Sent[]) => all.reduce((bytes, one) => bytes + one.bytes, 0)
  const scripts = rows.filter(({ type }) => type === 'Script')
  console.log(`${sum(rows)} bytes in ${rows.length} requests, of them JavaScript ${sum(scripts)} in ${scripts.length}`)
  await page.close()
}

/**
 * Runs in the page before its own scripts. The main button responds once it is in the page, is painted, and no earlier task is pending.
 * The page records this, because a slowed page answers requests of a tool hundreds of milliseconds late.
 */
const noteAnswering = `
  const watched = new MutationObserver(() => {
    if (!document.querySelector('main :is(a, button)')) return
    watched.disconnect()
    requestAnimationFrame(() => setTimeout(() => performance.mark('answers')))
  })
  watched.observe(document, { subtree: true, childList: true })
`

/** Runs in the page: times in ms since the start of the visit. */
const moments = () => ({
  painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  answers: performance.getEntriesByName('answers')[0]?.startTime ?? 0,
})

async function visitSlowly(browser: Browser, url: string) {
  const context = await browser.newContext()
  const page = await context.newPage()
  const { network } = await watchNetwork(page)
  await network.send('Network.emulateNetworkConditions', slowLine)
  await network.send('Emulation.setCPUThrottlingRate', { rate: slowed })
  await page.addInitScript({ content: noteAnswering })
  await page.goto(url, { waitUntil: 'networkidle' })
  const result = await page.evaluate(moments)
  await context.close()
  return result
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const folder = mkdtempSync(join(tmpdir(), 'vexil-bench-'))
const embedded = await startEmbedded({ dataDir: folder, printLine: console.error, durable: false })
const { host, user, database: name } = embedded.connection
const platform = await startPlatform({
  env: { DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}` },
})
ensureBrowser()
const browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })
try {
  await printBytes(browser, platform.url)
  const visits = []
  for (let run = 0; run < runs; run++) visits.push(await visitSlowly(browser, platform.url))
  for (const what of ['painted', 'answers'] as const) {
    const times = visits.map((visit) => Math.round(visit[what]))
    console.log(`${what}: ${median(times)} ms (${times.join(', ')})`)
  }
} finally {
  await browser.close()
  await platform.stop()
  await embedded.stop()
  rmSync(folder, { recursive: true, force: true })
}
