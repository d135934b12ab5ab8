/** The type says whether a transaction is needed: `Db` for reads, `Tx` for what must be in one. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { codeOf } from '../start-error.ts'
import type { DB } from './schema.ts'

export type Db = Kysely<DB>
export type Tx = Transaction<DB>

const DEADLOCK = '40P01'
const SERIALISATION_FAILURE = '40001'
const RETRIES = 3

/**
 * Runs `work` in a transaction, again when the database gave it up for another's sake: it must have no effect elsewhere.
 * Inside only `tx` is used; whoever asks the pool for a second connection can starve everybody.
 */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (retry === RETRIES || ![DEADLOCK, SERIALISATION_FAILURE].includes(codeOf(error))) throw error
      await sleep(Math.random() * 20 * 2 ** retry)
    }
  }
}
