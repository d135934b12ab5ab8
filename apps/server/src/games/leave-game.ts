import { mustBeAbleToLeave } from '@vexil/core/participation'
import { lockLogs } from '../db/lock-logs.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findOwnParticipation } from './games.queries.ts'

/** Ends the caller's registration; the database deletes a participation without members and submissions. */
export async function leaveGame(deps: Pick<Deps, 'db' | 'bus'>, gameId: number, accountId: string): Promise<void> {
  const participationId = await inTransaction(deps.db, async (tx) => {
    const gameExists = await lockLogs(tx, { gameId })
    const own = await findOwnParticipation(tx, gameId, accountId)
    mustBeAbleToLeave({ gameExists, status: own?.status ?? null })
    await tx.deleteFrom('registrations').where('gameId', '=', gameId).where('accountId', '=', accountId).execute()
    return own?.id ?? 0
  })
  deps.bus.publish('participation.changed', { gameId, participationId, leaverId: accountId })
}
