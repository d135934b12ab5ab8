/** The parts that functions may ask for: `Pick<Deps, 'db' | 'bus'>`. Types only; open-deps.ts builds them. */
import type { SettingValues } from '@vexil/contract/site-settings'
import type { Log } from './audit.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { Jobs } from './db/jobs.ts'
import type { Db } from './db/transaction.ts'
import type { Versions } from './db/versions.ts'
import type { Bus } from './ports/bus/bus.ts'
import type { Captcha } from './ports/captcha/captcha.ts'
import type { Engine } from './ports/engine/engine.ts'
import type { Mailer } from './ports/mail/mail.ts'
import type { Storage } from './ports/storage/storage.ts'
import type { Secrets } from './secrets.ts'

export interface Settings {
  /** Current values. No query: they are read again when their version moves. */
  get(): Readonly<SettingValues>
  /** Reads them now, as after a change of our own. Readings never overtake each other: what was read later holds. */
  reload(): Promise<void>
  /** Called after other values were read than were held before. */
  onChange(changed: () => void): void
}

export interface Deps {
  readonly config: Config
  readonly database: Database
  readonly db: Db
  readonly bus: Bus
  readonly versions: Versions
  readonly storage: Storage
  readonly captcha: Captcha
  readonly mailer: Mailer
  readonly engine: Engine
  readonly jobs: Jobs
  readonly log: Log
  readonly settings: Settings
  readonly secrets: Secrets
  /** Reports a fault of background work. */
  readonly onError: (error: unknown) => void
}
