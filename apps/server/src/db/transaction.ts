/** `Db` for reads, `Tx` for functions that require a transaction. */
import type { Kysely, Transaction } from 'kysely'
import { withRetries } from './retrying-dialect.ts'
import type { DB } from './schema.ts'

export type Db = Kysely<DB>
export type Tx = Transaction<DB>

/**
 * Repeats `work` after a deadlock or serialisation failure: it must have no other side effects, and use only `tx` (a second connection from the pool
 * can deadlock all callers).
 */
export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withRetries(() => db.transaction().execute(work))
}
