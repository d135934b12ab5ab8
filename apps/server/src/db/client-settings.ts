/** Settings of every connection to the database, with few imports: a child process starts with them. */
import pg from 'pg'
import type { EmbeddedConnection } from './embedded.ts'

export type DatabaseSource = EmbeddedConnection | { readonly url: string }

export interface ReservedOptions {
  /** Idle time allowed in a transaction; default 2 s, since it may lock a game's log. */
  readonly idleInTransactionMs?: number
  /** Time limit of a statement; default 30 s. 0: none, only for `openClient`. */
  readonly statementMs?: number
  /** The application name in pg_stat_activity. */
  readonly name?: string
}

const STATEMENT_MS = 30_000
const INT8 = 20
const INT8_ARRAY: number = 1016

/** Parses bigint as number: all values are below 2^53. Timestamps are Dates, as pg parses them. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary' && oid === INT8) return Number
    if (format !== 'binary' && oid === INT8_ARRAY) {
      const parse = pg.types.getTypeParser(INT8_ARRAY, 'text') as (text: string) => (string | null)[]
      return (text: string) => parse(text).map((item) => (item === null ? null : Number(item)))
    }
    return pg.types.getTypeParser(oid, format as 'text')
  }) as pg.CustomTypesConfig['getTypeParser'],
}

export const clientSettings = (source: DatabaseSource): pg.ClientConfig => ({
  ...('url' in source ? { connectionString: source.url } : source),
  types,
  keepAlive: true,
  keepAliveInitialDelayMillis: 5_000,
  connectionTimeoutMillis: 10_000,
  statement_timeout: STATEMENT_MS,
  lock_timeout: 10_000,
  application_name: 'vexil',
})

/** Settings of a connection outside the pool for requests. */
export const reservedSettings = (
  source: DatabaseSource,
  { idleInTransactionMs = 2_000, statementMs = STATEMENT_MS, name = 'vexil reserved' }: ReservedOptions,
): pg.ClientConfig => ({
  ...clientSettings(source),
  statement_timeout: statementMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
  application_name: name,
})
