/** What is photographed: each screen by its address, who looks at it, and what to do there first. */
import type { Page } from '@playwright/test'

export type Role = 'player' | 'administrator' | 'monitor'

/** What the addresses are made of. */
export interface Facts {
  readonly gameId: number
  /** A challenge that the player's team has not solved, and one that it has. */
  readonly open: number
  readonly solved: number
  /** One that needs a container. */
  readonly pump: number
}

export interface Screen {
  readonly name: string
  readonly role: Role
  readonly path: (facts: Facts) => string
  /** Is there once the screen has its data. */
  readonly ready: string
  readonly before?: (page: Page) => Promise<void>
  /** Needs a Docker engine, and containers that are reached so. */
  readonly containers?: 'Default' | 'PlatformProxy' | 'any'
}

/** A name in the table, not the one in the words for the chart. */
const rowOfTeam = 'main tbody button:text("Kombu Overflow")'

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

/** Traffic of the team that used the terminal, down to its files. */
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
  // Narrow windows are asked for a wider one.
  if (!(await start.or(stop).first().isVisible())) return
  if (!(await stop.isVisible())) await start.click()
  await page.locator('main p code').waitFor({ timeout: 60_000 })
  await stop.scrollIntoViewIfNeeded()
}

const traffic = ({ gameId }: Facts) => `/games/${gameId}/monitor/traffic`

export const screens: readonly Screen[] = [
  { name: 'home', role: 'player', path: () => '/', ready: 'main h1' },
  { name: 'game', role: 'player', path: ({ gameId }) => `/games/${gameId}`, ready: 'main h1' },
  { name: 'board', role: 'player', path: play, ready: 'main :text("Roll Call")' },
  { name: 'dialog', role: 'player', path: (facts) => `${play(facts)}?c=${facts.open}`, ready: '[role=dialog] form' },
  { name: 'dialog-solved', role: 'player', path: (facts) => `${play(facts)}?c=${facts.solved}`, ready: '[role=dialog] h2' },
  {
    name: 'scoreboard',
    role: 'player',
    path: ({ gameId }) => `/games/${gameId}/Scoreboard`,
    ready: rowOfTeam,
  },
  {
    name: 'scoreboard-replay',
    role: 'player',
    path: ({ gameId }) => `/games/${gameId}/Scoreboard`,
    ready: rowOfTeam,
    before: async (page) => {
      await page.locator('button:has(svg.tabler-icon-history):visible').click()
      await page.locator('input[type=range]').press('PageDown')
    },
  },
  {
    name: 'team-dialog',
    role: 'player',
    path: ({ gameId }) => `/games/${gameId}/Scoreboard`,
    ready: rowOfTeam,
    before: async (page) => {
      await page.locator(rowOfTeam).first().click()
      await page.locator('[role=dialog]').waitFor()
    },
  },
  { name: 'game-info', role: 'administrator', path: ({ gameId }) => `/admin/games/${gameId}/Info`, ready: 'h1:visible' },
  {
    name: 'challenge-editor',
    role: 'administrator',
    path: ({ gameId, open }) => `/admin/games/${gameId}/challenges/${open}`,
    ready: 'h1:visible',
  },
  {
    name: 'challenge-list',
    role: 'administrator',
    path: ({ gameId }) => `/admin/games/${gameId}/challenges`,
    ready: 'h1:visible',
  },
  { name: 'writeups', role: 'administrator', path: ({ gameId }) => `/admin/games/${gameId}/Writeups`, ready: 'h1:visible' },
  { name: 'events', role: 'monitor', path: ({ gameId }) => `/games/${gameId}/monitor/Events`, ready: 'h1:visible' },
  { name: 'submissions', role: 'monitor', path: ({ gameId }) => `/games/${gameId}/monitor/Submissions`, ready: 'h1:visible' },
  { name: 'posts', role: 'administrator', path: () => '/posts', ready: 'main h1' },
  { name: 'post-new', role: 'administrator', path: () => '/posts/new/edit', ready: 'main h1' },
  { name: 'about', role: 'player', path: () => '/About', ready: 'main h1' },
  { name: 'review', role: 'administrator', path: ({ gameId }) => `/admin/games/${gameId}/Review`, ready: 'h1:visible' },
  { name: 'users', role: 'administrator', path: () => '/admin/Users', ready: 'main tbody tr' },
  {
    name: 'user-dialog',
    role: 'administrator',
    path: () => '/admin/Users',
    ready: 'main tbody tr',
    before: async (page) => {
      await page.locator('main tbody tr').nth(1).locator('button:has(svg.tabler-icon-pencil)').click()
      await page.locator('[role=dialog] form').waitFor()
    },
  },
  {
    name: 'users-import',
    role: 'administrator',
    path: () => '/admin/Users',
    ready: 'main tbody tr',
    before: async (page) => {
      await page.locator('main button:has(svg.tabler-icon-user-plus)').click()
      await page.locator('[role=dialog] [role=radiogroup] label').last().click()
      const lines = ['ada,,ada@example.org,Ada Lovelace,S-1,,Halyard', 'x,123,nowhere', 'grace,,grace@example.org,,,,Halyard']
      await page.locator('[role=dialog] textarea').first().fill(lines.join('\n'))
      await page.locator('[role=dialog] table').waitFor()
    },
  },
  { name: 'teams-admin', role: 'administrator', path: () => '/admin/Teams', ready: 'main tbody tr' },
  {
    name: 'team-dialog-admin',
    role: 'administrator',
    path: () => '/admin/Teams',
    ready: 'main tbody tr',
    before: async (page) => {
      await page.locator('main tbody button:has(svg.tabler-icon-pencil)').first().click()
      await page.locator('[role=dialog] form').waitFor()
    },
  },
  { name: 'logs', role: 'administrator', path: () => '/admin/Logs?level=All', ready: 'main tbody tr' },
  { name: 'users-none', role: 'administrator', path: () => '/admin/Users?search=nobody-at-all', ready: 'main p' },
  { name: 'games-admin', role: 'administrator', path: () => '/admin/games', ready: 'h1:visible' },
  { name: 'settings', role: 'administrator', path: () => '/admin/Settings', ready: 'h1:visible' },
  {
    name: 'settings-end',
    role: 'administrator',
    path: () => '/admin/Settings',
    ready: 'h1:visible',
    before: async (page) => page.evaluate('window.scrollTo(0, document.body.scrollHeight)'),
  },
  {
    name: 'settings-containers',
    role: 'administrator',
    path: () => '/admin/Settings',
    ready: 'h1:visible',
    before: async (page) => {
      const minutes = page.locator('main input[inputmode=numeric]')
      // Narrow windows are asked for a wider one.
      if (!(await minutes.first().isVisible())) return
      await minutes.nth(0).fill('5')
      await minutes.nth(2).fill('30')
      await page.locator('main input[placeholder^=CHALLENGE]').fill('MY-FLAG')
      await page.evaluate('document.getElementById("containers").scrollIntoView()')
    },
  },
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
  { name: 'instances', role: 'administrator', path: () => '/admin/Instances', ready: 'h1:visible' },
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
  {
    name: 'cancel-change',
    role: 'player',
    path: () => `/account/cancel?token=${btoa('token')}&email=${btoa('anna@example.org')}`,
    ready: 'h1:visible',
  },
  { name: 'monitor', role: 'monitor', path: ({ gameId }) => `/games/${gameId}/monitor/Events`, ready: 'h1:visible' },
]
