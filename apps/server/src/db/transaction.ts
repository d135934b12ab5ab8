/** The type says whether a transaction is needed: `Db` for reads, `Tx` for what must be in one. */
import type { Kysely, Transaction } from 'kysely'
import { withRetries } from './retrying-dialect.ts'
import type { DB } from './schema.ts'

export type Db = Kysely<DB>
export type Tx = Transaction<DB>

/**
 * Runs `work` in a transaction, again when the database gave it up for another's sake: it must have no effect elsewhere.
 * Inside only `tx` is used; a second connection from the pool can deadlock all callers.
 */
export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withRetries(() => db.transaction().execute(work))
}
