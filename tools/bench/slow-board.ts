/**
 * npm run tool -- slow-board [--teams N] [--pictures FOLDER]: a player without a cache opens the scoreboard of 10,000 teams on a slow network with a slow
 * CPU (1.6 Mbit/s, 150 ms, slowed 4 times). Prints the times until the first rows and the player's own row are shown, and until the whole board is;
 * median of 3. Needs a built web (`npm test` or `npm start` builds it) and Debian's chromium.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from '@playwright/test'
import { openDatabase } from '../../apps/server/src/db/database.ts'
import { migrate } from '../../apps/server/src/db/migrate.ts'
import { startPlatform } from '../../e2e/platform.ts'
import { browser as browserPath, ensureBrowser } from '../../scripts/gate/browser.mjs'
import { embeddedDatabase, environment } from './databases.ts'
import { type Seeded, seed } from './seed.ts'

const { values } = parseArgs({ options: { teams: { type: 'string', default: '10000' }, pictures: { type: 'string' } } })
const runs = 3
const slowLine = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 100_000 }
const slowed = 4

async function open(browser: Browser, url: string, { game, actors }: Seeded, run: number): Promise<readonly [number, number]> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US', reducedMotion: 'reduce' })
  const [name = '', value = ''] = (actors[Math.floor(actors.length / 2)]?.headers.cookie ?? '').split('=')
  await context.addCookies([{ name, value, url }])
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.emulateNetworkConditions', slowLine)
  await network.send('Emulation.setCPUThrottlingRate', { rate: slowed })
  const startedAt = performance.now()
  const picture = async (what: string) => {
    if (values.pictures) await page.screenshot({ path: join(values.pictures, `slow-board-${run}-${what}.png`) })
  }
  await page.goto(`${url}/games/${game}/scoreboard`, { waitUntil: 'commit' })
  await page.locator('tbody th button').first().waitFor()
  const first = performance.now() - startedAt
  await picture('first')
  await page.locator('button[aria-label="Replay"]:enabled').waitFor({ timeout: 120_000 })
  const whole = performance.now() - startedAt
  await picture('whole')
  await context.close()
  return [first, whole]
}

const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN

const measured = await embeddedDatabase()
try {
  const database = await openDatabase({ source: measured.source, poolSize: 2 })
  await migrate(database)
  const teams = Number(values.teams)
  const seeded = await seed(database.db, { teams, challenges: 100, solves: teams * 10 })
  await database.close()
  const platform = await startPlatform({ env: environment(measured.url) })
  ensureBrowser()
  const browser = await chromium.launch({
    executablePath: browserPath(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
  try {
    const visits = []
    for (let run = 0; run < runs; run++) visits.push(await open(browser, platform.url, seeded, run))
    for (const [at, what] of ['first rows', 'the whole board'].entries()) {
      const seconds = visits.map((visit) => (visit[at] as number) / 1000)
      console.log(`${what}: ${median(seconds).toFixed(1)} s (${seconds.map((one) => one.toFixed(1)).join(', ')})`)
    }
  } finally {
    await browser.close()
    await platform.stop()
  }
} finally {
  await measured.close()
}
