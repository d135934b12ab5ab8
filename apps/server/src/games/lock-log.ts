import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'

/**
 * Takes the log of a game before anything else of it is changed, as a batch of answers does: all in one order, so nobody waits crosswise.
 * Says whether the game exists.
 */
export async function lockLog(tx: Tx, gameId: number): Promise<boolean> {
  const { rows } = await sql`select from solve_logs where game_id = ${gameId} for no key update`.execute(tx)
  return rows.length > 0
}
