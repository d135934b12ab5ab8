import type { Page } from '@playwright/test'
// English has all of its keys, and additional plural forms.
import type texts from '../../apps/web/locales/zh_CN.json'
import type { Facts, Role } from '../../e2e/demo.ts'

export type Texts = typeof texts

/** A screen to photograph: its path, the role of the viewer, replaced answers, and the actions before the picture. */
export interface Screen {
  readonly name: string
  readonly role: Role | 'visitor'
  readonly path: (facts: Facts) => string
  /** Selector of an element that exists once the screen has its data. */
  readonly ready: string
  /** Replaces answers of the platform with others that it would not give in this state. */
  readonly fake?: (page: Page) => Promise<unknown>
  readonly before?: (page: Page, texts: Texts) => Promise<unknown>
  /** Its actions change the network of the browser context. */
  readonly ownContext?: true
  /** Needs a Docker engine, and containers with this kind of ports. */
  readonly containers?: 'Default' | 'PlatformProxy' | 'any'
}
