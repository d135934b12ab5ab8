/**
 * node bench/first-visit.ts: the bytes of a first visit of the start page as they are sent, headers included: everything that a browser
 * without a cache asks for until nothing more comes. Needs a built web (`npm test` or `npm start` builds it) and Debian's chromium.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { startEmbedded } from '../apps/server/src/db/embedded.ts'
import { startPlatform } from '../e2e/platform.ts'

const folder = mkdtempSync(join(tmpdir(), 'vexil-bench-'))
const embedded = await startEmbedded({ dataDir: folder, note: console.error, durable: false })
const { host, user, database: name } = embedded.connection
const platform = await startPlatform({
  env: { DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}` },
})
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const page = await browser.newPage()
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  const asked = new Map<string, { path: string; encoding: string; bytes: number }>()
  network.on('Network.responseReceived', ({ requestId, response }) => {
    const { pathname } = new URL(response.url)
    asked.set(requestId, { path: pathname, encoding: response.headers['content-encoding'] ?? '', bytes: 0 })
  })
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = asked.get(requestId)
    if (one) one.bytes = encodedDataLength
  })
  await page.goto(platform.url, { waitUntil: 'networkidle' })
  const rows = [...asked.values()].sort((a, b) => b.bytes - a.bytes)
  for (const { path, encoding, bytes } of rows) console.log(`${String(bytes).padStart(9)}  ${encoding.padEnd(5)} ${path}`)
  console.log(`${rows.reduce((sum, { bytes }) => sum + bytes, 0)} bytes in ${rows.length} requests`)
} finally {
  await browser.close()
  await platform.stop()
  await embedded.stop()
  rmSync(folder, { recursive: true, force: true })
}
