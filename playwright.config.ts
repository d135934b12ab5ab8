import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { isProof } from './e2e/proof.ts'
import { browser } from './scripts/gate/browser.mjs'

// No background traffic on a closed network; the sandbox of a browser does not work for root.
const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []

/** Journeys that start containers. Each adds network interfaces, and a browser aborts its requests then, so no other journey runs at the same time. */
const withContainers = '**/instances.spec.ts'
/** Started first, so that none of them runs alone at the end. */
const longest = '**/screens.spec.ts'
const long = '**/{every-route,screens-of-players,hostile-text,network,competition}.spec.ts'
const chosen =
  process.env.VEXIL_JOURNEYS_WITH === 'containers'
    ? { testMatch: withContainers, workers: 1 }
    : {
        projects: [
          { name: 'longest', testMatch: longest },
          { name: 'long', testMatch: long },
          { name: 'others', testMatch: '**/*.spec.ts', testIgnore: [longest, long, withContainers] },
        ],
      }

export default defineConfig({
  testDir: 'e2e',
  // Each file of journeys has its own platform; its browser waits for it a quarter of the time.
  workers: Number(process.env.VEXIL_WORKERS ?? Math.min(4, availableParallelism() + 1)),
  ...chosen,
  timeout: 900_000,
  // Machines that run the tests are often busy; no test asserts durations.
  expect: { timeout: 60_000 },
  // The accessibility trees of screens.spec.ts.
  snapshotPathTemplate: 'e2e/screens/{arg}{ext}',
  // Emptied at the start, so the two runs of `npm test` need separate folders.
  outputDir: `test-results/${process.env.VEXIL_JOURNEYS_WITH ?? 'without-containers'}`,
  use: {
    launchOptions: {
      executablePath: browser(),
      args: [...quiet, ...asRoot],
      // Without a UTF-8 locale, a file with a Chinese name is saved as "download".
      env: { ...process.env, LANG: 'C.UTF-8' },
    },
    actionTimeout: 60_000,
    // Without a GPU each frame of an animation costs CPU time; only the proof shows animations.
    contextOptions: { reducedMotion: isProof ? 'no-preference' : 'reduce' },
    screenshot: 'only-on-failure',
    // A trace copies the page at every step: it is recorded only to investigate a failure.
    trace: process.env.VEXIL_TRACE ? 'retain-on-failure' : 'off',
  },
})
