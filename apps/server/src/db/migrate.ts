/** Applies `migrations/NNNN_name.sql` in order, forward only. A mistake is mended by the next migration. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runMigrations } from 'graphile-worker'
import type pg from 'pg'
import { codeOf, StartError } from '../start-error.ts'
import type { Database } from './database.ts'
import { silent } from './jobs.ts'

const FOLDER = join(import.meta.dirname, 'migrations')

/** Any number, the same on all nodes: one of them migrates, the others wait. */
const LOCK = 4_917_203

const LOCK_NOT_AVAILABLE = '55P03'
const ATTEMPTS = 10

/** Brings the database to this release's schema and answers with the names of what was applied. */
export async function migrate(
  database: Pick<Database, 'reservedClient' | 'reservedPool'>,
  folder: string = FOLDER,
): Promise<string[]> {
  const known = listMigrations(folder)
  const client = await database.reservedClient({ idleInTransactionMs: 0, name: 'vexil migrations' })
  try {
    await client.query('set statement_timeout = 0')
    await client.query('set lock_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
    )
    const { rows } = await client.query<{ name: string }>('select name from migrations')
    const applied = new Set(rows.map((row) => row.name))
    mustKnow([...applied].filter((name) => !known.includes(name)))
    const due = known.filter((name) => !applied.has(name))
    for (const name of due) await apply(client, name, readFileSync(join(folder, `${name}.sql`), 'utf8'))
    await migrateJobs(database)
    return due
  } finally {
    // The lock ends with its session.
    await client.end()
  }
}

/** The tables of the jobs (decision 0006) are the library's own; they are brought up to date under the same lock. */
async function migrateJobs(database: Pick<Database, 'reservedPool'>): Promise<void> {
  const pgPool = database.reservedPool({ size: 1, name: 'vexil migrations' })
  try {
    await runMigrations({ pgPool, logger: silent })
  } finally {
    await pgPool.end()
  }
}

function listMigrations(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  const odd = names.find((name) => !/^\d{4}_[a-z0-9_]+\.sql$/.test(name))
  if (odd) throw new Error(`A migration is named NNNN_name.sql, not ${odd}.`)
  return names.map((name) => name.slice(0, -'.sql'.length)).sort()
}

function mustKnow(unknown: string[]): void {
  if (unknown.length === 0) return
  throw new StartError(
    `The database was written by a newer release (it knows ${unknown.sort().at(-1)}): start that release, or one after it.`,
  )
}

/** An ALTER that waits makes everybody behind it wait too, so it gives up soon and comes again. */
async function apply(client: pg.Client, name: string, statements: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await client.query('begin')
    try {
      await client.query("set local lock_timeout = '3s'")
      await client.query(statements)
      await client.query('insert into migrations (name) values ($1)', [name])
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      if (codeOf(error) !== LOCK_NOT_AVAILABLE || attempt === ATTEMPTS)
        throw new Error(`The migration ${name} failed.`, { cause: error })
      await sleep(200 * attempt)
    }
  }
}
