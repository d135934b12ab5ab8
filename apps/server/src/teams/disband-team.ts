import { TeamNotFound } from '@vexil/core/rules'
import { mustBeAbleToDisband } from '@vexil/core/teams'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { releaseFile } from '../files/release-file.ts'
import type { By } from './create-team.ts'
import { openTeam } from './team-scene.ts'
import { hasResults } from './teams.queries.ts'

/** Removes the team with everything that belongs to it (by the database). One with results in a started game stays. */
export async function disbandTeam(deps: Pick<Deps, 'db' | 'bus' | 'log' | 'storage'>, by: By, teamId: number): Promise<void> {
  const { name, avatarHash, participations } = await inTransaction(deps.db, async (tx) => {
    const team = await openTeam(tx, teamId)
    if (!team) throw new TeamNotFound()
    mustBeAbleToDisband({ ...team, hasResults: await hasResults(tx, teamId) }, by.id, team.now)
    await tx.deleteFrom('teams').where('id', '=', teamId).execute()
    return team
  })
  deps.bus.publish('team.changed', { teamId })
  for (const { id, gameId } of participations) deps.bus.publish('participation.changed', { gameId, participationId: id })
  await releaseFile(deps, avatarHash)
  deps.log.write({ status: 'Success', name: by.userName, ip: by.ip, message: `Team ${name} (${teamId}) disbanded` })
}
