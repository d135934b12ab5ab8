/** Applies the migrations in order, forward only. Fix a mistake in a new migration, never in an applied file. */
import { setTimeout as sleep } from 'node:timers/promises'
import { runMigrations } from 'graphile-worker'
import { sql } from 'kysely'
import type pg from 'pg'
import { codeOf, StartError } from '../start-error.ts'
import type { Database } from './database.ts'
import { silent } from './jobs.ts'
import { type Applied, type Migration, migrationsFolder, numberOf, readMigrations } from './migration-files.ts'
import type { Db } from './transaction.ts'

const LOCK = 4_917_203

/** Milliseconds. */
const LOCK_RETRY = 100
const PENDING_RETRY = 500

const LOCK_NOT_AVAILABLE = '55P03'
const ATTEMPTS = 10

const TABLE =
  'create table if not exists migrations (name text primary key, hash text not null, applied_at timestamptz not null default now())'

/** A row of the table; `oldest` is its `works_with`, which early releases did not have. */
interface Row extends Applied {
  readonly oldest: string | null
}
const ROWS = "select name, hash, to_jsonb(m) ->> 'works_with' as oldest from migrations m"

/** Returns the names of the applied migrations. @throws StartError when the database has an unknown or changed migration */
export async function migrate(
  database: Pick<Database, 'reservedClient' | 'reservedPool'>,
  folder: string = migrationsFolder,
): Promise<string[]> {
  const known = readMigrations(folder)
  const client = await database.reservedClient({ idleInTransactionMs: 0, statementMs: 0, name: 'vexil migrations' })
  try {
    await client.query('set lock_timeout = 0')
    await lockMigrations(client)
    await client.query(TABLE)
    const { rows } = await client.query<Row>(ROWS)
    mustBeOurs(rows, known)
    const applied = new Set(rows.map(({ name }) => name))
    const due = known.filter(({ name }) => !applied.has(name))
    for (const migration of due) await apply(client, migration)
    await migrateJobs(database)
    return due.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/**
 * The start of another node, or another restore, waits until this connection ends. It polls, because an index that is created concurrently would wait
 * for a statement that waits for the lock.
 */
export async function lockMigrations(client: pg.Client): Promise<void> {
  const tryLock = () => client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK])
  while (!(await tryLock()).rows[0]?.locked) await sleep(LOCK_RETRY)
}

/** Names and hashes of this release's migrations. */
export const listMigrations = (folder: string = migrationsFolder): Applied[] =>
  readMigrations(folder).map(({ name, hash }) => ({ name, hash }))

/** Applies those of these names that are not applied yet, in the transaction of the caller. Requires the lock. */
export async function applyHere(client: pg.Client, names: readonly string[], folder: string = migrationsFolder): Promise<void> {
  await client.query(TABLE)
  const { rows } = await client.query<Applied>('select name from migrations')
  for (const migration of readMigrations(folder)) {
    if (!names.includes(migration.name) || rows.some(({ name }) => name === migration.name)) continue
    await execute(client, {
      ...migration,
      statements: migration.statements.replace(/^(create (?:unique )?index) concurrently/m, '$1'),
    })
    // Deferred constraints would prevent changes of the table in the next one.
    await client.query('set constraints all immediate; set constraints all deferred')
  }
}

/** Whether the database has exactly this release's schema; changes nothing. @throws StartError as `migrate` */
export const isMigrated = async (db: Db, folder: string = migrationsFolder): Promise<boolean> =>
  (await pendingMigrations(db, folder)).length === 0

/**
 * Waits until `vexil migrate` has run, and changes nothing. `waiting` is called once if it has not; ends early when `isEnding` returns true.
 * @throws StartError as `migrate`
 */
export async function untilMigrated(
  db: Db,
  waiting: (pending: readonly string[]) => void,
  isEnding: () => boolean,
  folder: string = migrationsFolder,
): Promise<void> {
  const pending = await pendingMigrations(db, folder)
  if (pending.length === 0 || isEnding()) return
  waiting(pending)
  do await sleep(PENDING_RETRY)
  while (!isEnding() && (await pendingMigrations(db, folder)).length > 0)
}

/** Names of migrations that are not applied yet; changes nothing. @throws StartError as `migrate` */
export async function pendingMigrations(db: Db, folder: string = migrationsFolder): Promise<string[]> {
  const known = readMigrations(folder)
  const { rows: found } = await sql<{ exists: boolean }>`select to_regclass('migrations') is not null as exists`.execute(db)
  const { rows } = found[0]?.exists ? await sql<Row>`${sql.raw(ROWS)}`.execute(db) : { rows: [] }
  mustBeOurs(rows, known)
  const applied = new Set(rows.map(({ name }) => name))
  return known.map(({ name }) => name).filter((name) => !applied.has(name))
}

/** Migrates the tables of the job library (decision 0006). Requires the lock. */
export async function migrateJobs(database: Pick<Database, 'reservedPool'>): Promise<void> {
  const pgPool = database.reservedPool({ size: 1, name: 'vexil migrations', idleInTransactionMs: 10_000 })
  try {
    await runMigrations({ pgPool, logger: silent })
  } finally {
    await pgPool.end()
  }
}

/** A newer schema is accepted when each migration that is not known here works with the last one that is. */
function mustBeOurs(applied: readonly Row[], known: readonly Applied[]): void {
  const last = numberOf(known.at(-1)?.name ?? '0000')
  const unknown = applied.filter(({ name }) => !known.some((one) => one.name === name))
  const foreign = unknown.filter(({ oldest }) => oldest === null || Number(oldest) > last).map(({ name }) => name)
  if (foreign.length > 0) {
    throw new StartError(
      `The database was changed by another, probably newer release (migration ${foreign.sort().at(-1)}): start that release or a later one.`,
    )
  }
  const changed = applied.find(({ name, hash }) => known.some((one) => one.name === name && one.hash !== hash))
  if (!changed) return
  throw new StartError(
    `The migration ${changed.name} was changed after it was applied to this database: start the release that applied it, or restore its file.`,
  )
}

async function execute(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(migration.statements)
  await record(client, migration)
}

async function record(client: pg.Client, { name, hash, worksWith }: Migration): Promise<void> {
  await client.query('insert into migrations (name, hash) values ($1, $2)', [name, hash])
  // The column is added by one of the migrations.
  if (worksWith !== null) await client.query('update migrations set works_with = $2 where name = $1', [name, worksWith])
}

/** Can be repeated: what an interrupted attempt left is an invalid index, which `if not exists` would keep. */
async function createIndex(client: pg.Client, migration: Migration, index: string): Promise<void> {
  const invalid = 'select from pg_index where indexrelid = to_regclass($1) and not indisvalid'
  if ((await client.query(invalid, [index])).rowCount) await client.query(`drop index concurrently ${index}`)
  await client.query(migration.statements)
  await record(client, migration)
}

/** Requests queue behind a waiting ALTER, so it gives up soon and tries again. */
async function apply(client: pg.Client, migration: Migration): Promise<void> {
  if (migration.index !== null) return createIndex(client, migration, migration.index)
  for (let attempt = 1; ; attempt++) {
    await client.query('begin')
    try {
      await client.query("set local lock_timeout = '3s'")
      await execute(client, migration)
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      if (codeOf(error) !== LOCK_NOT_AVAILABLE || attempt === ATTEMPTS)
        throw new Error(`The migration ${migration.name} failed.`, { cause: error })
      await sleep(200 * attempt)
    }
  }
}
