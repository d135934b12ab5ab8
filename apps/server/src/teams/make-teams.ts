import type { Tx } from '../db/transaction.ts'
import { newInviteToken } from './create-team.ts'

/** Creates many teams with their members, captains included. Unique indexes apply (db/constraints.ts). Returns the ids. */
export async function makeTeams(
  tx: Tx,
  teams: readonly { readonly name: string; readonly captainId: string; readonly memberIds: readonly string[] }[],
): Promise<number[]> {
  if (teams.length === 0) return []
  const made = await tx
    .insertInto('teams')
    .values(teams.map(({ name, captainId }) => ({ name, captainId, inviteToken: newInviteToken() })))
    .returning(['id', 'captainId'])
    .execute()
  const numbers = new Map(made.map(({ id, captainId }) => [captainId, id]))
  await tx
    .insertInto('teamMembers')
    .values(
      teams.flatMap(({ captainId, memberIds }) =>
        memberIds.map((accountId) => ({ teamId: numbers.get(captainId) as number, accountId })),
      ),
    )
    .execute()
  return [...numbers.values()]
}
