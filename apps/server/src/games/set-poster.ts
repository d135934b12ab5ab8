import { GameNotFound } from '@vexil/core/rules'
import type { Tx } from '../db/transaction.ts'

/** Makes a stored picture the poster of a game. Returns the hash of the one before it. @throws GameNotFound */
export async function setPoster(tx: Tx, gameId: number, hash: string): Promise<string | null> {
  const game = await tx.selectFrom('games').select('posterHash').where('id', '=', gameId).forNoKeyUpdate().executeTakeFirst()
  if (!game) throw new GameNotFound()
  await tx.updateTable('games').set({ posterHash: hash }).where('id', '=', gameId).execute()
  return game.posterHash
}
