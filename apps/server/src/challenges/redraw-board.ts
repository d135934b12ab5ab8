import { GameNotFound } from '@vexil/core/rules'
import { sql } from 'kysely'
import { type Actor, audit } from '../audit.ts'
import { lockLogs } from '../db/lock-logs.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'

/** Makes every node compute the board of a game again from the log. @throws GameNotFound */
export async function redrawBoard({ db, bus, log }: Pick<Deps, 'db' | 'bus' | 'log'>, gameId: number, by: Actor): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await lockLogs(tx, { gameId }))) throw new GameNotFound()
    await sql`select raise_epoch(array[${gameId}::int])`.execute(tx)
  })
  // 0: no particular challenge.
  bus.publish('challenge.changed', { gameId, challengeId: 0 })
  audit({ log }, by, `Recalculated the scoreboard of game #${gameId}`)
}
