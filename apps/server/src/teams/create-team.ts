import { randomBytes } from 'node:crypto'
import { teamLimits } from '@vexil/core/limits'
import { cleanTeamName } from '@vexil/core/names'
import { mustOwnNoTeam } from '@vexil/core/teams'
import { type Actor, audit } from '../audit.ts'
import { translated } from '../db/constraints.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { countOwnedTeams, findTeam, insertMember, insertTeam } from './teams.queries.ts'

export const newInviteToken = (): string => randomBytes(teamLimits.inviteSecretLength / 2).toString('hex')

/** Creates a team with the caller as captain and only member, and returns it. */
export async function createTeam(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  by: Actor,
  { name, bio }: { readonly name?: string | null; readonly bio?: string | null },
) {
  // Checked first, before the name; the unique index handles concurrent requests.
  mustOwnNoTeam(await countOwnedTeams(deps.db, by.id))
  const values = { name: cleanTeamName(name), bio: bio ?? null, captainId: by.id, inviteToken: newInviteToken() }
  const team = await translated(
    inTransaction(deps.db, async (tx) => {
      const id = await insertTeam(tx, values)
      await insertMember(tx, id, by.id)
      // Read in the transaction: the team may be deleted right after it.
      return (await findTeam(tx, id))!
    }),
  )
  deps.bus.publish('team.changed', { teamId: team.id })
  audit(deps, by, `Team ${team.name} (${team.id}) created`)
  return team
}
