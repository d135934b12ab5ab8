import { mustBeUnlocked } from '@vexil/core/participation'
import type { TeamContext } from '@vexil/core/teams'
import { type Db, inTransaction, type Tx } from '../db/transaction.ts'
import { findTeamForUpdate, listMemberIds, listParticipationsOf } from './teams.queries.ts'

export interface LockedTeam extends TeamContext {
  readonly id: number
  readonly name: string
  readonly avatarHash: string | null
  readonly renamedAt: Date | null
  readonly participations: Awaited<ReturnType<typeof listParticipationsOf>>
  /** The database's time at which the row was locked. */
  readonly now: number
}

/** All facts for the rules of a team, read while its row is locked. null: the team does not exist. */
export async function openTeam(tx: Tx, id: number): Promise<LockedTeam | null> {
  const team = await findTeamForUpdate(tx, id)
  if (!team) return null
  return {
    ...team,
    now: team.now.getTime(),
    memberIds: await listMemberIds(tx, id),
    participations: await listParticipationsOf(tx, id),
  }
}

/**
 * Clears an obsolete lock, in its own transaction, so that it stays cleared when a later rule refuses the change.
 * A team that does not exist is left to the caller. @throws as mustBePermitted, TeamLocked
 */
export async function clearObsoleteLock(db: Db, id: number, mustBePermitted: (team: LockedTeam) => void): Promise<void> {
  const seen = await db.selectFrom('teams').select('locked').where('id', '=', id).executeTakeFirst()
  // Most teams are not locked, and the locks of `openTeam` delay submissions.
  if (!seen?.locked) return
  await inTransaction(db, async (tx) => {
    const team = await openTeam(tx, id)
    if (!team) return
    mustBePermitted(team)
    mustBeUnlocked(team, team.now)
    await tx.updateTable('teams').set({ locked: false }).where('id', '=', id).execute()
  })
}
