/** Screens of a platform that runs containers; they need a Docker engine. */
import type { Page } from '@playwright/test'
import type { Facts } from '../../e2e/demo.ts'
import type { Screen } from './screen.ts'

const play = ({ gameId }: Facts) => `/games/${gameId}/Challenges`

const pump = (facts: Facts) => `${play(facts)}?c=${facts.pump}`

/** Starts the instance unless it runs already. */
async function startInstance(page: Page): Promise<void> {
  const timer = page.locator('[role=dialog] [role=timer]:visible').first()
  const start = page.locator('[role=dialog] button:has(svg.tabler-icon-player-play):visible').first()
  await timer.or(start).first().waitFor()
  if (await start.isVisible()) await start.click()
  await timer.waitFor({ timeout: 60_000 })
}

/** Opens the terminal of the running instance and sends a line. */
async function openTerminal(page: Page): Promise<void> {
  await startInstance(page)
  await page.locator('[role=dialog] button:has(svg.tabler-icon-terminal-2):visible').first().click()
  const dialog = page.locator('[role=dialog]').last()
  await dialog.locator('.xterm-rows', { hasText: 'order' }).waitFor()
  await dialog.locator('form input').fill('open the valve')
  await dialog.locator('form button[type=submit]').click()
  await dialog.locator('.xterm-rows', { hasText: 'shut' }).waitFor()
}

/** Opens the traffic of the team that used the terminal, down to its files. */
async function chooseTraffic(page: Page): Promise<void> {
  const columns = page.locator('main section')
  await columns.nth(0).locator('li button').first().click()
  await columns.nth(1).locator('li button').first().click()
  await columns.nth(2).locator('a[href$=".pcap"]').first().waitFor()
}

/** Starts the test container unless it runs already, and waits for what it answers. */
async function startTest(page: Page): Promise<void> {
  const start = page.locator('main button:has(svg.tabler-icon-player-play):visible').last()
  const stop = page.locator('main button:has(svg.tabler-icon-player-stop):visible')
  // Narrow windows only show a request for a wider one.
  if (!(await start.or(stop).first().isVisible())) return
  if (!(await stop.isVisible())) await start.click()
  await page.locator('main p code').waitFor({ timeout: 60_000 })
  await stop.scrollIntoViewIfNeeded()
}

const traffic = ({ gameId }: Facts) => `/games/${gameId}/monitor/traffic`

export const withContainers: readonly Screen[] = [
  {
    name: 'instance-none',
    role: 'player',
    containers: 'any',
    path: pump,
    ready: '[role=dialog] button:has(svg.tabler-icon-player-play):visible, [role=dialog] [role=timer]:visible',
  },
  {
    name: 'instance',
    role: 'player',
    containers: 'any',
    path: pump,
    ready: '[role=dialog] h2',
    before: startInstance,
  },
  { name: 'terminal', role: 'player', containers: 'PlatformProxy', path: pump, ready: '[role=dialog] h2', before: openTerminal },
  { name: 'tray', role: 'player', containers: 'any', path: play, ready: 'main section [role=timer]' },
  {
    name: 'container-editor',
    role: 'administrator',
    containers: 'any',
    path: ({ gameId, pump }) => `/admin/games/${gameId}/challenges/${pump}`,
    ready: 'h1:visible',
    before: async (page) => {
      const look = page.locator('button:has(svg.tabler-icon-search):visible').last()
      if (!(await look.isVisible())) return
      await look.click()
      await page.locator('main [role=status], main [role=alert]').first().waitFor()
      await look.scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'traffic',
    role: 'monitor',
    containers: 'PlatformProxy',
    path: traffic,
    ready: 'main section li, main section p, main h2',
  },
  {
    name: 'traffic-files',
    role: 'monitor',
    containers: 'PlatformProxy',
    path: traffic,
    ready: 'main section li',
    before: chooseTraffic,
  },
  {
    name: 'traffic-look',
    role: 'monitor',
    containers: 'PlatformProxy',
    path: traffic,
    ready: 'main section li',
    before: async (page) => {
      await chooseTraffic(page)
      await page.locator('main section button:has(svg.tabler-icon-eye)').first().click()
      const packets = page.locator('[role=dialog] ol button')
      await packets.nth(1).click()
      await page.locator('[role=dialog] pre').last().waitFor()
    },
  },
  {
    name: 'test-container',
    role: 'administrator',
    containers: 'any',
    path: ({ gameId, pump }) => `/admin/games/${gameId}/challenges/${pump}`,
    ready: 'h1:visible',
    before: startTest,
  },
]
