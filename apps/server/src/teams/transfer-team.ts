import { NewCaptainOwnsTeam, TeamUnknown } from '@vexil/core/rules'
import { mustBeAbleToTransfer, mustBeCaptain } from '@vexil/core/teams'
import { type Actor, audit } from '../audit.ts'
import { translated } from '../db/constraints.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { clearObsoleteLock, openTeam } from './locked-team.ts'
import { findHeir } from './teams.queries.ts'

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Transfers the captaincy to a member who owns no team; the old captain stays a member. */
export async function transferTeam(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  by: Actor,
  { teamId, heirId }: { readonly teamId: number; readonly heirId: string },
): Promise<void> {
  await clearObsoleteLock(deps.db, teamId, (team) => mustBeCaptain(team, by.id))
  const handing = inTransaction(deps.db, async (tx) => {
    const team = await openTeam(tx, teamId)
    if (!team) throw new TeamUnknown()
    const heir = guid.test(heirId) ? ((await findHeir(tx, heirId)) ?? null) : null
    mustBeAbleToTransfer(team, by.id, heir, team.now)
    await tx.updateTable('teams').set({ captainId: heir!.id }).where('id', '=', teamId).execute()
    return `Team ${team.name} (${teamId}) transferred to ${heir!.userName}`
  })
  const message = await translated(handing, { teams_one_per_captain: NewCaptainOwnsTeam })
  deps.bus.publish('team.changed', { teamId })
  audit(deps, by, message)
}
