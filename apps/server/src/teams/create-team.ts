import { randomBytes } from 'node:crypto'
import { teamLimits } from '@vexil/core/limits'
import { cleanTeamName } from '@vexil/core/names'
import { mustOwnNoTeam } from '@vexil/core/teams'
import { type Actor, audit } from '../audit.ts'
import { translated } from '../db/constraints.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { countOwnedTeams, insertMember, insertTeam } from './teams.queries.ts'

export const newInviteToken = (): string => randomBytes(teamLimits.inviteSecretLength / 2).toString('hex')

/** Creates a team with the caller as captain and only member. Returns its id. */
export async function createTeam(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  by: Actor,
  { name, bio }: { readonly name?: string | null; readonly bio?: string | null },
): Promise<number> {
  // Checked first, before the name; the unique index handles concurrent requests.
  mustOwnNoTeam(await countOwnedTeams(deps.db, by.id))
  const team = { name: cleanTeamName(name), bio: bio ?? null, captainId: by.id, inviteToken: newInviteToken() }
  const id = await translated(
    inTransaction(deps.db, async (tx) => {
      const made = await insertTeam(tx, team)
      await insertMember(tx, made, by.id)
      return made
    }),
  )
  deps.bus.publish('team.changed', { teamId: id })
  audit(deps, by, `Team ${team.name} (${id}) created`)
  return id
}
