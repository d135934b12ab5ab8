/** Applies `migrations/NNNN_name.sql` in order, forward only. Fix a mistake in a new migration, never in an applied file. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runMigrations } from 'graphile-worker'
import { sql } from 'kysely'
import type pg from 'pg'
import { codeOf, StartError } from '../start-error.ts'
import type { Database } from './database.ts'
import { silent } from './jobs.ts'
import type { Db } from './transaction.ts'

const FOLDER = join(import.meta.dirname, 'migrations')

const LOCK = 4_917_203

const LOCK_NOT_AVAILABLE = '55P03'
const ATTEMPTS = 10

export interface Applied {
  readonly name: string
  /** SHA-256 of the applied file, in hexadecimal. */
  readonly hash: string
}

const TABLE =
  'create table if not exists migrations (name text primary key, hash text not null, applied_at timestamptz not null default now())'

interface Migration extends Applied {
  readonly statements: string
}

/** Returns the names of the applied migrations. @throws StartError when the database has an unknown or changed migration */
export async function migrate(
  database: Pick<Database, 'reservedClient' | 'reservedPool'>,
  folder: string = FOLDER,
): Promise<string[]> {
  const known = readMigrations(folder)
  const client = await database.reservedClient({ idleInTransactionMs: 0, name: 'vexil migrations' })
  try {
    await client.query('set statement_timeout = 0')
    await client.query('set lock_timeout = 0')
    await lockMigrations(client)
    await client.query(TABLE)
    const { rows } = await client.query<Applied>('select * from migrations')
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

/** The start of another node, or another restore, waits until this connection ends. */
export async function lockMigrations(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [LOCK])
}

/** Names and hashes of this release's migrations. */
export const listMigrations = (folder: string = FOLDER): Applied[] =>
  readMigrations(folder).map(({ name, hash }) => ({ name, hash }))

/** Applies those of these names that are not applied yet, in the transaction of the caller. Requires the lock. */
export async function applyHere(client: pg.Client, names: readonly string[], folder: string = FOLDER): Promise<void> {
  await client.query(TABLE)
  const { rows } = await client.query<Applied>('select name from migrations')
  for (const migration of readMigrations(folder)) {
    if (!names.includes(migration.name) || rows.some(({ name }) => name === migration.name)) continue
    await execute(client, migration)
    // What is deferred would prevent changes of the table in the next one.
    await client.query('set constraints all immediate; set constraints all deferred')
  }
}

/** Whether the database has exactly this release's schema; changes nothing. @throws StartError as `migrate` */
export const isMigrated = async (db: Db, folder: string = FOLDER): Promise<boolean> =>
  (await pendingMigrations(db, folder)).length === 0

/** Names of migrations that are not applied yet; changes nothing. @throws StartError as `migrate` */
export async function pendingMigrations(db: Db, folder: string = FOLDER): Promise<string[]> {
  const known = readMigrations(folder)
  const { rows: found } = await sql<{ exists: boolean }>`select to_regclass('migrations') is not null as exists`.execute(db)
  const { rows } = found[0]?.exists ? await sql<Applied>`select name, hash from migrations`.execute(db) : { rows: [] }
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

function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  const odd = names.find((name) => !/^\d{4}_[a-z0-9_]+\.sql$/.test(name))
  if (odd) throw new Error(`A migration is named NNNN_name.sql, not ${odd}.`)
  return names.sort().map((file) => {
    const statements = readFileSync(join(folder, file), 'utf8')
    return { name: file.slice(0, -'.sql'.length), statements, hash: createHash('sha256').update(statements).digest('hex') }
  })
}

function mustBeOurs(applied: readonly Applied[], known: readonly Migration[]): void {
  const unknown = applied.map(({ name }) => name).filter((name) => !known.some((one) => one.name === name))
  if (unknown.length > 0) {
    throw new StartError(
      `The database was changed by another, probably newer release (migration ${unknown.sort().at(-1)}): start that release or a later one.`,
    )
  }
  const changed = applied.find(({ name, hash }) => !known.some((one) => one.name === name && one.hash === hash))
  if (!changed) return
  throw new StartError(
    `The migration ${changed.name} was changed after it was applied to this database: start the release that applied it, or restore its file.`,
  )
}

async function execute(client: pg.Client, { name, statements, hash }: Migration): Promise<void> {
  await client.query(statements)
  await client.query('insert into migrations (name, hash) values ($1, $2)', [name, hash])
}

/** Requests queue behind a waiting ALTER, so it gives up soon and tries again. */
async function apply(client: pg.Client, migration: Migration): Promise<void> {
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
