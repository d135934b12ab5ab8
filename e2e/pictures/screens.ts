/** What is photographed: each screen by its address, who looks at it, and what to do there first. */
import type { Page } from '@playwright/test'

export type Role = 'player' | 'administrator' | 'monitor'

/** What the addresses are made of. */
export interface Facts {
  readonly gameId: number
  /** A challenge that the player's team has not solved, and one that it has. */
  readonly open: number
  readonly solved: number
}

export interface Screen {
  readonly name: string
  readonly role: Role
  readonly path: (facts: Facts) => string
  /** Is there once the screen has its data. */
  readonly ready: string
  readonly before?: (page: Page) => Promise<void>
}

/** A name in the table, not the one in the words for the chart. */
const rowOfTeam = 'main tbody button:text("Kombu Overflow")'

const play = ({ gameId }: Facts) => `/games/${gameId}/Challenges`

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
  { name: 'review', role: 'administrator', path: ({ gameId }) => `/admin/games/${gameId}/Review`, ready: 'h1:visible' },
  { name: 'settings', role: 'administrator', path: () => '/admin/Settings', ready: 'h1:visible' },
  {
    name: 'cancel-change',
    role: 'player',
    path: () => `/account/cancel?token=${btoa('token')}&email=${btoa('anna@example.org')}`,
    ready: 'h1:visible',
  },
  { name: 'monitor', role: 'monitor', path: ({ gameId }) => `/games/${gameId}/monitor/Events`, ready: 'h1:visible' },
]
