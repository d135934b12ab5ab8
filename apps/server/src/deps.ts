/** Dependencies of functions, as `Pick<Deps, 'db' | 'bus'>`. Types only; open-deps.ts creates them. */
import type { CaptchaChange, MailServerChange } from '@vexil/contract/service-settings'
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
import type { NamedFiles } from './ports/storage/named-files.ts'
import type { Storage } from './ports/storage/storage.ts'
import type { Secrets } from './secrets.ts'

export interface StoredMail extends Omit<MailServerChange, 'password'> {
  /** Sealed; null without one. */
  readonly password: string | null
}
export interface StoredCaptcha extends Omit<CaptchaChange, 'secret'> {
  /** Sealed. */
  readonly secret: string
}
export interface StoredServices {
  readonly mail: StoredMail | null
  readonly captcha: StoredCaptcha | null
}

export interface Settings {
  get(): Readonly<SettingValues>
  /** Stored mail server and captcha provider, which the environment can override. */
  services(): StoredServices
  /** Reloads now, as after a change by this process. Reloads never overtake each other. */
  reload(): Promise<void>
  /** Called after a reload with different values. */
  onChange(changed: () => void): void
}

export interface Deps {
  readonly config: Config
  /** Id of this node, the same in all of its processes and after a restart. */
  readonly node: string
  readonly database: Database
  readonly db: Db
  readonly bus: Bus
  readonly versions: Versions
  readonly storage: Storage
  /** Where captured traffic is: first in the data folder of this node, where it is written; then in what all nodes share, if there is any. */
  readonly captures: readonly [NamedFiles, NamedFiles?]
  readonly captcha: Captcha
  readonly mailer: Mailer
  readonly engine: Engine
  readonly jobs: Jobs
  readonly log: Log
  readonly settings: Settings
  readonly secrets: Secrets
  readonly onError: (error: unknown) => void
}
