/** Queries whose rows come in order only if the query asks for it. */
import { sql } from 'kysely'
import { type Db, inTransaction, type Tx } from '../src/db/transaction.ts'

/** Runs `work` with a planner that reads no rows in the order of an index. */
export const withoutIndexes = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inTransaction(db, async (tx) => {
    for (const scan of ['indexscan', 'indexonlyscan', 'bitmapscan'])
      await sql`set local ${sql.raw(`enable_${scan}`)} = off`.execute(tx)
    return work(tx)
  })
