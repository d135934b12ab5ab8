import { cleanTeamName } from '@vexil/core/names'
import { TeamRenamedTooSoon, TeamUnknown } from '@vexil/core/rules'
import { mustBeCaptain } from '@vexil/core/teams'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { openTeam } from './locked-team.ts'

const pauseMs = 60_000

export interface Renames {
  /** Takes the one rename of this minute. Synchronous where this process counts. @throws TeamRenamedTooSoon */
  take(teamId: number): void | Promise<void>
  /** The rename failed. */
  giveBack(teamId: number): void
}

/** One rename per minute, because each is sent to every open board of the team's games. */
export function openRenames(now: () => number = () => performance.now()) {
  const last = new Map<number, number>()
  return {
    take(teamId: number): void {
      const wait = (last.get(teamId) ?? Number.NEGATIVE_INFINITY) + pauseMs - now()
      if (wait > 0) throw new TeamRenamedTooSoon({ retryAfter: Math.ceil(wait / 1000) })
      for (const [id, at] of last) if (now() - at > pauseMs) last.delete(id)
      last.set(teamId, now())
    },
    giveBack(teamId: number): void {
      last.delete(teamId)
    },
  }
}

/** Changes name (absent, null or empty: unchanged) and bio (absent or null: none), also of a locked team. */
export async function updateTeam(
  deps: Pick<Deps, 'db' | 'bus'>,
  renames: Renames,
  accountId: string,
  { teamId, name, bio }: { readonly teamId: number; readonly name?: string | null; readonly bio?: string | null },
): Promise<void> {
  // Taken once, under the team's lock, however often the transaction is retried.
  let taken = false
  const updating = inTransaction(deps.db, async (tx) => {
    const team = await openTeam(tx, teamId)
    if (!team) throw new TeamUnknown()
    mustBeCaptain(team, accountId)
    const wanted = name ? cleanTeamName(name) : team.name
    const onBoards = wanted !== team.name && team.participations.length > 0
    if (onBoards && !taken) {
      await renames.take(teamId)
      taken = true
    }
    await tx
      .updateTable('teams')
      .set({ name: wanted, bio: bio ?? null })
      .where('id', '=', teamId)
      .execute()
  })
  await updating.catch((error: unknown) => {
    if (taken) renames.giveBack(teamId)
    throw error
  })
  deps.bus.publish('team.changed', { teamId })
}
