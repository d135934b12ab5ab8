import { TeamNotFound } from '@vexil/core/rules'
import { mustBeAbleToDisband, mustBeCaptain } from '@vexil/core/teams'
import { type Actor, audit } from '../audit.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { releaseFiles } from '../files/release-file.ts'
import { clearObsoleteLock, type LockedTeam, openTeam } from './locked-team.ts'
import { hasResults } from './teams.queries.ts'

type TeamDeps = Pick<Deps, 'db' | 'bus' | 'log' | 'storage' | 'onError'>

/** Deletes the team; the database cascades. A team with results in a started game cannot be deleted. */
export async function disbandTeam(deps: TeamDeps, by: Actor, teamId: number): Promise<void> {
  await clearObsoleteLock(deps.db, teamId, (team) => mustBeCaptain(team, by.id))
  const mustBeAllowed: Check = async (team, tx) =>
    mustBeAbleToDisband({ ...team, hasResults: await hasResults(tx, teamId) }, by.id, team.now)
  await removeTeam(deps, by, teamId, { mustBeAllowed, done: 'disbanded' })
}

/** For administrators: ignores lock and results. @throws TeamNotFound */
export const deleteTeam = (deps: TeamDeps, by: Actor, teamId: number): Promise<void> =>
  removeTeam(deps, by, teamId, { mustBeAllowed: async () => {}, done: 'deleted' })

type Check = (team: LockedTeam, tx: Tx) => Promise<void>

async function removeTeam(
  deps: TeamDeps,
  by: Actor,
  teamId: number,
  { mustBeAllowed, done }: { readonly mustBeAllowed: Check; readonly done: 'disbanded' | 'deleted' },
): Promise<void> {
  const { name, avatarHash, participations, memberIds } = await inTransaction(deps.db, async (tx) => {
    const team = await openTeam(tx, teamId)
    if (!team) throw new TeamNotFound()
    await mustBeAllowed(team, tx)
    await tx.deleteFrom('teams').where('id', '=', teamId).execute()
    return team
  })
  deps.bus.publish('team.changed', { teamId })
  for (const { id, gameId } of participations)
    for (const leaverId of memberIds) deps.bus.publish('participation.changed', { gameId, participationId: id, leaverId })
  audit(deps, by, `Team ${name} (${teamId}) ${done}`)
  await releaseFiles(deps, [avatarHash])
}
