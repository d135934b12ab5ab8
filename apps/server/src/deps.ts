/** The only file that constructs adapters. Functions ask for the parts they use: `Pick<Deps, 'db' | 'bus'>`. */
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { Db } from './db/transaction.ts'
import { type Versions, watchVersions } from './db/versions.ts'
import type { Bus } from './ports/bus/bus.ts'
import { openInProcessBus } from './ports/bus/in-process.ts'
import { openPostgresBus } from './ports/bus/postgres.ts'
import type { Captcha } from './ports/captcha/captcha.ts'
import { noCaptcha } from './ports/captcha/none.ts'
import { openLocalStorage } from './ports/storage/local.ts'
import type { Storage } from './ports/storage/storage.ts'
import { openSecrets, type Secrets } from './secrets.ts'
import { type Log, openLog } from './site/log.ts'
import { openSettings, type Settings } from './site/settings.ts'

export interface Deps {
  readonly config: Config
  readonly database: Database
  readonly db: Db
  readonly bus: Bus
  readonly versions: Versions
  readonly storage: Storage
  readonly captcha: Captcha
  readonly log: Log
  readonly settings: Settings
  readonly secrets: Secrets
  /** Reports a fault that nobody waits for. */
  readonly report: (error: unknown) => void
}

export async function openDeps(config: Config, database: Database, report: (error: unknown) => void): Promise<Deps> {
  const { db } = database
  const secrets = await openSecrets(config, db)
  const versions = await watchVersions(db, report)
  const bus =
    config.databaseUrl === null
      ? openInProcessBus(report)
      : await openPostgresBus(
          () => database.reservedClient({ name: 'bus' }),
          report,
          () => void versions.poll().catch(report),
        )
  const log = openLog(db, bus, report)
  const settings = await openSettings(db, versions)
  const storage = await openLocalStorage(config.dataDir)
  return { config, database, db, bus, versions, storage, captcha: noCaptcha, log, settings, secrets, report }
}

export async function closeDeps({ log, bus, versions }: Deps): Promise<void> {
  await log.close()
  await bus.close()
  versions.close()
}
