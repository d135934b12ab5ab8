/** PostgreSQL dialect that retries what a deadlock or serialisation failure rolled back. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Driver, PostgresDialect, PostgresDriver, type TransactionSettings } from 'kysely'
import type pg from 'pg'
import { inDatabase } from '../request-trace.ts'
import { codeOf } from '../start-error.ts'
import { isOutdatedPlan } from './named-statements.ts'

export interface FailedStatement {
  statement?: string
}

/** Deadlock and serialisation failure: the database has rolled back the transaction, or the statement outside one. */
const givenUp = new Set(['40P01', '40001'])
const RETRIES = 3

/** Repeats `work` up to three times after a deadlock or serialisation failure: it must have no other side effects. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await work()
    } catch (error) {
      if (retry === RETRIES || !(givenUp.has(codeOf(error)) || isOutdatedPlan(error))) throw error
      await sleep(Math.random() * 20 * 2 ** retry)
    }
  }
}

/** Retries single statements outside transactions; `inTransaction` retries transactions. */
export class RetryingDialect extends PostgresDialect {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    super({ pool })
    this.#pool = pool
  }

  override createDriver(): Driver {
    return new RetryingDriver({ pool: this.#pool })
  }
}

type Connection = Awaited<ReturnType<PostgresDriver['acquireConnection']>>

class RetryingDriver extends PostgresDriver {
  readonly #known = new WeakSet<Connection>()
  readonly #inTransaction = new WeakSet<Connection>()

  override async acquireConnection(...options: Parameters<PostgresDriver['acquireConnection']>): Promise<Connection> {
    const connection = await inDatabase(() => super.acquireConnection(...options))
    if (this.#known.has(connection)) return connection
    this.#known.add(connection)
    const execute = connection.executeQuery.bind(connection)
    const once = ((...query) =>
      execute(...query).catch((error: FailedStatement) => {
        // The driver's error does not contain the statement. Its values must not be logged.
        error.statement = query[0].sql
        throw error
      })) as typeof execute
    connection.executeQuery = (...query) =>
      inDatabase(() => (this.#inTransaction.has(connection) ? once(...query) : withRetries(() => once(...query))))
    return connection
  }

  override async beginTransaction(connection: Connection, settings: TransactionSettings): Promise<void> {
    await super.beginTransaction(connection, settings)
    this.#inTransaction.add(connection)
  }

  override async releaseConnection(connection: Parameters<PostgresDriver['releaseConnection']>[0]): Promise<void> {
    this.#inTransaction.delete(connection)
    await super.releaseConnection(connection)
  }
}
