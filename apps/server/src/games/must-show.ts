import { mustHaveStarted } from '@vexil/core/phases'
import { GameNotFound } from '@vexil/core/rules'
import type { Db } from '../db/transaction.ts'
import { findClock } from './games.queries.ts'

/** Refuses before the start: nothing of the game is public then. @throws GameNotFound, GameNotStarted */
export async function mustShow(db: Db, gameId: number): Promise<void> {
  const game = await findClock(db, gameId)
  if (!game) throw new GameNotFound()
  mustHaveStarted(game, game.now)
}
