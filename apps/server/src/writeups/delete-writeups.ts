import { GameNotFound } from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import type { Deps } from '../deps.ts'
import { findGame } from '../games/games.queries.ts'
import { dropWriteups } from './writeups.queries.ts'

/** Deletes all writeups of a game; their files are released within seconds (files/release-file.ts). @throws GameNotFound */
export async function deleteWriteups(deps: Pick<Deps, 'db' | 'log'>, gameId: number, by: Actor): Promise<void> {
  const game = await findGame(deps.db, gameId)
  if (!game) throw new GameNotFound()
  const count = await dropWriteups(deps.db, gameId)
  const message = `Deleted all writeups (${count}) of ${game.title} (#${gameId})`
  audit(deps, by, message)
}
