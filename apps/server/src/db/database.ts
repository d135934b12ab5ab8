/** Access to the database, embedded or external: a pool for requests, and reserved connections. */
import { setTimeout as sleep } from 'node:timers/promises'
import { CamelCasePlugin, Kysely } from 'kysely'
import type pg from 'pg'
import { codeOf, NotYet, StartError } from '../start-error.ts'
import { clientSettings, type DatabaseSource, type ReservedOptions, reservedSettings } from './client-settings.ts'
import { openClient, openPool } from './connections.ts'
import { RetryingDialect } from './retrying-dialect.ts'
import type { DB } from './schema.ts'
import type { Db } from './transaction.ts'

const OLDEST_MAJOR = 15

/** Reserved connections: answers (4, submissions/attempts.ts), LISTEN (1), jobs (3, db/jobs.ts), boards (2), versions (1), a backup (1); migrations (2) run before them. */
const RESERVED = 12

export interface Database {
  readonly source: DatabaseSource
  readonly db: Db
  readonly pool: pg.Pool
  /** A connected client outside the pool, for LISTEN: it and requests must not wait for each other. The caller ends it. */
  reservedClient(options?: ReservedOptions): Promise<pg.Client>
  /** A separate small pool, for answers and jobs. The caller ends it. */
  reservedPool(options: PoolOptions): pg.Pool
  close(): Promise<void>
}

interface PoolOptions extends ReservedOptions {
  readonly size: number
  readonly first?: string
}

interface OpenOptions {
  readonly source: DatabaseSource
  /** Connections for requests, per process. */
  readonly poolSize: number
  /** Number of processes of this node that open the database. */
  readonly processes?: number
}

const builder = (pool: pg.Pool): Kysely<DB> =>
  new Kysely<DB>({
    dialect: new RetryingDialect(pool),
    // Keeps the keys inside JSON columns.
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })

/** The query builder ends the pool only if it has sent a query. */
async function closeBoth(db: Kysely<DB>, pool: pg.Pool): Promise<void> {
  await db.destroy()
  if (!pool.ending) await pool.end()
}

/** A small pool beside that of the requests; `openDatabase` has already checked the database. */
export function openReader(
  source: DatabaseSource,
  { size, ...options }: Pick<PoolOptions, 'size' | 'statementMs'> & { readonly name: string },
): Pick<Database, 'db' | 'close'> {
  const pool = openPool({
    ...reservedSettings(source, { ...options, idleInTransactionMs: 10_000 }),
    max: size,
    idleTimeoutMillis: 60_000,
  })
  const db = builder(pool)
  return { db, close: () => closeBoth(db, pool) }
}

/** Opens the database and checks that it is usable. @throws StartError */
export async function openDatabase({ source, poolSize, processes = 1 }: OpenOptions): Promise<Database> {
  const settings = clientSettings(source)
  const reservedClient = (options: ReservedOptions = {}) => openClient(reservedSettings(source, options))
  await examine(reservedClient, { source, poolSize, processes })
  const pool = openPool({ ...settings, max: poolSize, idle_in_transaction_session_timeout: 10_000, idleTimeoutMillis: 60_000 })
  const reservedPool = ({ size, first, ...options }: PoolOptions) =>
    openPool({
      ...reservedSettings(source, options),
      max: size,
      ...(first !== undefined && { onConnect: async (client: pg.ClientBase) => void (await client.query(first)) }),
    })
  const db = builder(pool)
  return { source, db, pool, reservedClient, reservedPool, close: () => closeBoth(db, pool) }
}

async function examine(connect: () => Promise<pg.Client>, { source, poolSize, processes }: Required<OpenOptions>): Promise<void> {
  const client = await firstConnection(connect, source)
  try {
    const { rows } = await client.query<{ version: number; connections: number; encoding: string }>(
      `select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding,
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections`,
    )
    const { version, connections, encoding } = rows[0]!
    if (version < OLDEST_MAJOR)
      throw new StartError(`The database of DATABASE_URL is PostgreSQL ${version}; ${OLDEST_MAJOR} or later is required.`)
    if (encoding !== 'UTF8') throw new StartError(`The database of DATABASE_URL has the encoding ${encoding}; UTF8 is required.`)
    if (processes * (poolSize + RESERVED) > connections) {
      const each = processes > 1 ? ` by each of ${processes} processes` : ''
      throw new StartError(
        `VEXIL_DATABASE_POOL is ${poolSize}, and ${RESERVED} more connections are needed${each}, but the database allows ${connections}.`,
      )
    }
    if ('url' in source) await mustNotBePooled(client, connect)
  } finally {
    await client.end()
  }
}

async function firstConnection(connect: () => Promise<pg.Client>, source: DatabaseSource): Promise<pg.Client> {
  try {
    return await connect()
  } catch (error) {
    throw new NotYet(`The database ${placeOf(source)} cannot be reached: ${reasonOf(error)}.`)
  }
}

/** A pooler in transaction mode silently breaks LISTEN, named statements and session locks. */
async function mustNotBePooled(client: pg.Client, connect: () => Promise<pg.Client>): Promise<void> {
  const notified = new Promise<true>((resolve) => client.once('notification', () => resolve(true)))
  await client.query('listen vexil_start')
  const other = await connect()
  await other.query('notify vexil_start')
  await other.end()
  if (await Promise.race([notified, sleep(3_000, false)])) return
  throw new StartError(
    'The database of DATABASE_URL is behind a pooler that does not keep sessions: use session mode, or connect to it directly.',
  )
}

function placeOf(source: DatabaseSource): string {
  if (!('url' in source)) return source.host
  try {
    const { host, pathname, searchParams } = new URL(source.url)
    return `at ${host || searchParams.get('host') || 'localhost'}${pathname} (DATABASE_URL)`
  } catch {
    return 'of DATABASE_URL'
  }
}

function reasonOf(error: unknown): string {
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  const message = inner instanceof Error && inner.message ? inner.message : codeOf(error) || String(error)
  return message.replace(/\.$/, '')
}
