/** What is photographed: each screen by its address, who looks at it, what is answered and what is done there first. */
import type { Page } from '@playwright/test'
// English has every key of it; it has other plurals besides.
import type texts from '../../apps/web/locales/zh_CN.json'
import { ofOrganisers } from './of-organisers.ts'
import { ofPlayers } from './of-players.ts'
import { ofVisitors } from './of-visitors.ts'
import { withContainers } from './with-containers.ts'

export type Role = 'player' | 'administrator' | 'monitor'
export type Texts = typeof texts

/** What the addresses are made of. */
export interface Facts {
  readonly gameId: number
  /** A challenge that the player's team has not solved, and one that it has. */
  readonly open: number
  readonly solved: number
  /** One that needs a container. */
  readonly pump: number
  readonly post: string
}

export interface Screen {
  readonly name: string
  readonly role: Role | 'visitor'
  readonly path: (facts: Facts) => string
  /** Is there once the screen has its data. */
  readonly ready: string
  /** Answers that the platform would not give in this state. */
  readonly fake?: (page: Page) => Promise<unknown>
  readonly before?: (page: Page, texts: Texts) => Promise<unknown>
  /** Needs a Docker engine, and containers that are reached so. */
  readonly containers?: 'Default' | 'PlatformProxy' | 'any'
}

export const screens: readonly Screen[] = [...ofVisitors, ...ofPlayers, ...ofOrganisers, ...withContainers]
