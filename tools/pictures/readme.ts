/** The pictures of README.md in docs/: four of the taken pictures, and ten seconds of the scoreboard of a fast demo. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from '@playwright/test'
import sharp from 'sharp'
import { startDemo } from '../../e2e/demo.ts'

const still = {
  'board.png': 'scoreboard-1440-light.png',
  'board-dark.png': 'scoreboard-1440-dark.png',
  'challenge.png': 'dialog-1440-light.png',
  'phone.png': 'board-390-light.png',
}
const size = { width: 1080, height: 675 }
const frames = 40
/** Milliseconds. */
const frameTime = 250

export async function writeReadmePictures(browser: Browser, taken: string, docs: string): Promise<void> {
  // A palette keeps the files small; the README needs no exact gradients.
  for (const [name, source] of Object.entries(still))
    await sharp(join(taken, source))
      .png({ palette: true, colours: 128, effort: 10, compressionLevel: 9 })
      .toFile(join(docs, name))
  await filmBoard(browser, join(docs, 'live.webp'))
}

async function filmBoard(browser: Browser, file: string): Promise<void> {
  const demo = await startDemo({ DISABLE_RATE_LIMIT: 'true' }, ['--speed', '40'])
  const context = await browser.newContext({ viewport: size, colorScheme: 'light', baseURL: demo.address, locale: 'en-US' })
  try {
    const page = await context.newPage()
    await page.goto(`/games/${demo.facts.gameId}/Scoreboard`)
    await page.locator('main tbody tr[data-team]').first().waitFor()
    const shots: Buffer[] = []
    for (let frame = 0; frame < frames; frame++) {
      const next = performance.now() + frameTime
      shots.push(await page.screenshot())
      await sleep(Math.max(0, next - performance.now()))
    }
    const delay = shots.map(() => frameTime)
    await sharp(shots, { join: { animated: true } })
      .webp({ quality: 60, effort: 6, delay, loop: 0, mixed: true })
      .toFile(file)
  } finally {
    await context.close()
    await demo.stop()
  }
}
