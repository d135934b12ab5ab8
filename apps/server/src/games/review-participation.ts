import { locksTeam } from '@vexil/core/participation'
import { ParticipationNotFound } from '@vexil/core/rules'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { type Actor, audit } from '../audit.ts'
import { lockLogs } from '../db/lock-logs.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { lockTeam } from '../teams/lock-team.ts'

export interface Review {
  readonly participationId: number
  readonly status: ParticipationStatus
  readonly by: Actor
}

/** Sets a status; every transition is allowed. The database raises the versions that update the board. @throws ParticipationNotFound */
export async function reviewParticipation(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  { participationId, status, by }: Review,
): Promise<void> {
  const { gameId, teamName } = await inTransaction(deps.db, async (tx) => {
    const found = await tx.selectFrom('participations').select('gameId').where('id', '=', participationId).executeTakeFirst()
    if (!found) throw new ParticipationNotFound()
    await lockLogs(tx, { gameId: found.gameId })
    const row = await tx
      .selectFrom('participations as p')
      .innerJoin('teams as t', 't.id', 'p.teamId')
      .select(['p.gameId', 'p.teamId', 'p.status', 't.name as teamName'])
      .where('p.id', '=', participationId)
      .executeTakeFirst()
    if (!row) throw new ParticipationNotFound()
    await tx.updateTable('participations').set({ status }).where('id', '=', participationId).execute()
    if (locksTeam(status)) await lockTeam(tx, row.teamId)
    return row
  })
  deps.bus.publish('participation.changed', { gameId, participationId })
  audit(deps, by, `Set participation of ${teamName} (#${participationId}) to ${status}`)
}
