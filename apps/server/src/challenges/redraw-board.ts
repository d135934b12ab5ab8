import { GameNotFound } from '@vexil/core/rules'
import { sql } from 'kysely'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import type { By } from '../games/edit-game.ts'
import { lockLog } from '../games/lock-log.ts'

/** Makes every node draw the board of a game anew. Counts are derived from the log, so there is nothing to repair. @throws GameNotFound */
export async function redrawBoard(
  { db, bus, log }: Pick<Deps, 'db' | 'bus' | 'log'>,
  gameId: number,
  { actor, ip }: By,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await lockLog(tx, gameId))) throw new GameNotFound()
    await sql`select raise_epoch(array[${gameId}::int])`.execute(tx)
  })
  // 0: none in particular.
  bus.publish('challenge.changed', { gameId, challengeId: 0 })
  log.write({ status: 'Success', name: actor.userName, ip, message: `Had the board of game #${gameId} drawn anew` })
}
