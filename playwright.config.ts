import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { isProof } from './e2e/proof.ts'
import { browser } from './scripts/gate/browser.mjs'

// Quiet on a closed network; a browser's sandbox does not work for root.
const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []

/** Journeys that start containers: each makes network interfaces, at which a browser breaks off what it loads, so nothing runs beside them. */
const withContainers = '**/instances.spec.ts'
const chosen =
  process.env.VEXIL_JOURNEYS_WITH === 'containers' ? { testMatch: withContainers, workers: 1 } : { testIgnore: withContainers }

export default defineConfig({
  testDir: 'e2e',
  // Each file of journeys has its own platform, and a browser waits for it a quarter of the time.
  workers: Number(process.env.VEXIL_WORKERS ?? Math.min(4, availableParallelism() + 1)),
  ...chosen,
  timeout: 900_000,
  // Machines that run the tests are often busy; nothing is asserted by the clock.
  expect: { timeout: 60_000 },
  // Emptied at the start, so the second run of `npm test` must not have that of the first.
  outputDir: `test-results/${process.env.VEXIL_JOURNEYS_WITH ?? 'without-containers'}`,
  use: {
    launchOptions: {
      executablePath: browser(),
      args: [...quiet, ...asRoot],
      // Without a language of the system that has all signs a file with a Chinese name is saved as "download".
      env: { ...process.env, LANG: 'C.UTF-8' },
    },
    actionTimeout: 60_000,
    // Without a graphics card each frame of an animation costs the processor; the proof shows them.
    contextOptions: { reducedMotion: isProof ? 'no-preference' : 'reduce' },
    screenshot: 'only-on-failure',
    // A trace copies the page at every step: it is recorded when a failure is looked into.
    trace: process.env.VEXIL_TRACE ? 'retain-on-failure' : 'off',
  },
})
