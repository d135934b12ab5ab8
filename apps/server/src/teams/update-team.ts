import { cleanTeamName } from '@vexil/core/names'
import { TeamUnknown } from '@vexil/core/rules'
import { mustBeAbleToRename, mustBeCaptain } from '@vexil/core/teams'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { openTeam } from './locked-team.ts'

/** Changes name (absent, null or empty: unchanged) and bio (absent or null: none), also of a locked team. */
export async function updateTeam(
  deps: Pick<Deps, 'db' | 'bus'>,
  accountId: string,
  { teamId, name, bio }: { readonly teamId: number; readonly name?: string | null; readonly bio?: string | null },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const team = await openTeam(tx, teamId)
    if (!team) throw new TeamUnknown()
    mustBeCaptain(team, accountId)
    const wanted = name ? cleanTeamName(name) : team.name
    const onBoards = wanted !== team.name && team.participations.length > 0
    if (onBoards) mustBeAbleToRename(team.renamedAt?.getTime() ?? null, team.now)
    await tx
      .updateTable('teams')
      .set({ name: wanted, bio: bio ?? null, ...(onBoards && { renamedAt: new Date(team.now) }) })
      .where('id', '=', teamId)
      .execute()
  })
  deps.bus.publish('team.changed', { teamId })
}
