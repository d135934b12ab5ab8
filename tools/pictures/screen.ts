import type { Page } from '@playwright/test'
// English has every key of it; it has other plurals besides.
import type texts from '../../apps/web/locales/zh_CN.json'
import type { Facts, Role } from '../../e2e/demo.ts'

export type Texts = typeof texts

/** What is photographed: a screen by its address, who looks at it, what is answered and what is done there first. */
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
