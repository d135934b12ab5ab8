/** The database of a command: of the running platform if there is one, otherwise started for the command. */
import { existsSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { closeParts, closesWithin } from '../close-parts.ts'
import type { Config } from '../config.ts'
import { claimDataFolder, lockDataFolder } from '../data-folder.ts'
import type { DatabaseSource } from '../db/client-settings.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { runningDatabase, startEmbedded } from '../db/embedded.ts'
import { hasCluster, knownLocation, placeName } from '../db/embedded-place.ts'
import { isMigrated } from '../db/migrate.ts'
import type { Deps } from '../deps.ts'
import { openDeps, openedDeps } from '../open-deps.ts'
import type { Engine } from '../ports/engine/engine.ts'
import { noEngine } from '../ports/engine/none.ts'
import { StartError } from '../start-error.ts'
import type { CommandContext } from './command.ts'

/** Enough for commands that compare in parallel. */
const poolSize = 4

/** @throws StartError without a platform in the data folder, or while it starts */
export async function withDatabase<T>(context: CommandContext, work: (database: Database) => Promise<T>): Promise<T> {
  const { config } = context
  if (config.databaseUrl !== null) return opened({ url: config.databaseUrl }, work)
  mustExist(config)
  const lock = lockDataFolder(config.dataDir)
  if ('heldBy' in lock) {
    const connection = runningDatabase(config.dataDir)
    if (connection) return opened(connection, work)
    throw new StartError('The platform is starting or stopping: try again in a few seconds.')
  }
  try {
    const embedded = await startEmbedded({ dataDir: config.dataDir, printLine: context.printNotice })
    try {
      return await opened(embedded.connection, work)
    } finally {
      await embedded.stop()
    }
  } finally {
    lock.release()
  }
}

/** As `withDatabase`, with the adapters of the platform. `withEngine`: also the configured container engine. @throws StartError when a migration is missing */
export async function withPlatform<T>(
  context: CommandContext,
  { withEngine = false }: { readonly withEngine?: boolean },
  work: (deps: Deps) => Promise<T>,
): Promise<T> {
  return withDatabase(context, async (database) => {
    if (!(await isMigrated(database.db))) throw new StartError('The database has an older schema: run "vexil migrate" first.')
    return platformOn(database, context, withEngine ? [] : [noEngine], work)
  })
}

async function platformOn<T>(
  database: Database,
  context: CommandContext,
  engine: [Engine?],
  work: (deps: Deps) => Promise<T>,
): Promise<T> {
  // Background work may find the database closed.
  let closing = false
  const printError = (error: unknown) => context.printNotice(error instanceof Error ? error.message : String(error))
  const output = {
    onError: (error: unknown) => {
      if (!closing) printError(error)
    },
    printLine: context.printNotice,
  }
  const deps = await openDeps(context.config, database, output, ...engine)
  try {
    return await work(deps)
  } finally {
    closing = true
    await closeParts(openedDeps(deps), closesWithin.rest, printError)
  }
}

/**
 * Fills an empty database, embedded or outside, and then opens the platform on it, without its engine. A data folder is made when it is missing. When
 * `fill` fails, what it has made in the data folder is removed. @throws StartError while a platform uses the data folder
 */
export async function withNewDatabase<T>(
  context: CommandContext,
  fill: (database: Database) => Promise<void>,
  work: (deps: Deps) => Promise<T>,
): Promise<T> {
  const { config } = context
  const before = existsSync(config.dataDir) ? readdirSync(config.dataDir) : null
  const lock = claimDataFolder(config.dataDir)
  let isFilled = false
  const both = async (database: Database) => {
    await fill(database)
    isFilled = true
    return platformOn(database, context, [noEngine], work)
  }
  try {
    if (config.databaseUrl !== null) return await opened({ url: config.databaseUrl }, both)
    const embedded = await startEmbedded({ dataDir: config.dataDir, printLine: context.printNotice })
    try {
      return await opened(embedded.connection, both)
    } finally {
      await embedded.stop()
    }
  } finally {
    if (!isFilled) removeNew(config.dataDir, before)
    lock.release()
  }
}

/** `before`: names in the folder when it was found, null without a folder. */
function removeNew(dataDir: string, before: readonly string[] | null): void {
  const location = knownLocation(dataDir)
  if (location !== realpathSync(dataDir) && !before?.includes(placeName)) rmSync(location, { recursive: true, force: true })
  const added = readdirSync(dataDir).filter((name) => !before?.includes(name))
  for (const name of added) rmSync(join(dataDir, name), { recursive: true, force: true })
  if (before === null) rmdirSync(dataDir)
}

function mustExist({ dataDir }: Config): void {
  if (!existsSync(dataDir) || !hasCluster(dataDir)) throw new StartError(`There is no platform in ${dataDir}: set DATA_DIR.`)
}

async function opened<T>(source: DatabaseSource, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ source, poolSize })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
