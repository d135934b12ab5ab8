import { TeamNotFound, TeamUnknown } from '@vexil/core/rules'
import { mustBeAbleToKick, mustBeAbleToLeaveTeam, mustBeCaptain, mustBeTeamMember } from '@vexil/core/teams'
import { type Actor, audit } from '../audit.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { clearObsoleteLock, openTeam } from './locked-team.ts'
import { deleteMember } from './teams.queries.ts'

type TeamDeps = Pick<Deps, 'db' | 'bus' | 'log'>

/** Ends the caller's membership; the database deletes the registrations in games. */
export async function leaveTeam(deps: TeamDeps, by: Actor, teamId: number): Promise<void> {
  await clearObsoleteLock(deps.db, teamId, (team) => mustBeTeamMember(team, by.id))
  const { name, registered } = await inTransaction(deps.db, async (tx) => {
    const team = await openTeam(tx, teamId)
    if (!team) throw new TeamNotFound()
    mustBeAbleToLeaveTeam(team, by.id, team.now)
    return { name: team.name, registered: await deleteMember(tx, teamId, by.id) }
  })
  deps.bus.publish('team.changed', { teamId })
  for (const participation of registered) deps.bus.publish('participation.changed', { ...participation, leaverId: by.id })
  audit(deps, by, `Left team ${name} (${teamId})`)
}

/** The captain removes another member, whose registrations are deleted. */
export async function kickMember(
  deps: TeamDeps,
  by: Actor,
  { teamId, kickedId }: { readonly teamId: number; readonly kickedId: string },
): Promise<void> {
  await clearObsoleteLock(deps.db, teamId, (team) => mustBeCaptain(team, by.id))
  const { name, kicked, registered } = await inTransaction(deps.db, async (tx) => {
    const team = await openTeam(tx, teamId)
    if (!team) throw new TeamUnknown()
    mustBeAbleToKick(team, by.id, kickedId, team.now)
    const registered = await deleteMember(tx, teamId, kickedId)
    const account = await tx.selectFrom('accounts').select('userName').where('id', '=', kickedId).executeTakeFirstOrThrow()
    return { name: team.name, kicked: account.userName, registered }
  })
  deps.bus.publish('team.changed', { teamId })
  for (const participation of registered) deps.bus.publish('participation.changed', { ...participation, leaverId: kickedId })
  const message = `Removed ${kicked} from team ${name} (${teamId})`
  audit(deps, by, message)
}
