import { cleanTeamName } from '@vexil/core/names'
import { TeamUnknown } from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findTeamForUpdate } from './teams.queries.ts'

/** An absent or null field is unchanged, as is a blank name; a blank bio clears it. */
export interface TeamChanges {
  readonly name?: string | null
  readonly bio?: string | null
  readonly locked?: boolean | null
}

/** For administrators: changes a team even if it is locked. @throws TeamUnknown, TeamNameInvalid */
export async function administerTeam(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  by: Actor,
  teamId: number,
  changes: TeamChanges,
): Promise<void> {
  const { old, wanted } = await inTransaction(deps.db, async (tx) => {
    const team = await findTeamForUpdate(tx, teamId)
    if (!team) throw new TeamUnknown()
    const after = {
      name: changes.name ? cleanTeamName(changes.name) : team.name,
      bio: changes.bio == null ? team.bio : changes.bio || null,
      locked: changes.locked ?? team.locked,
    }
    await tx.updateTable('teams').set(after).where('id', '=', teamId).execute()
    return { old: team, wanted: after }
  })
  deps.bus.publish('team.changed', { teamId })
  const what = [
    ...(old.name === wanted.name ? [] : [`name => ${wanted.name}`]),
    ...(old.bio === wanted.bio ? [] : ['bio']),
    ...(old.locked === wanted.locked ? [] : [wanted.locked ? 'locked' : 'unlocked']),
  ]
  if (what.length === 0) return
  const message = `Changed team ${old.name} (${teamId}): ${what.join(', ')}`
  audit(deps, by, message)
}
