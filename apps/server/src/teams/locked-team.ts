import type { TeamContext } from '@vexil/core/teams'
import type { Tx } from '../db/transaction.ts'
import { findTeamForUpdate, listMemberIds, listParticipationsOf } from './teams.queries.ts'

export interface LockedTeam extends TeamContext {
  readonly id: number
  readonly name: string
  readonly avatarHash: string | null
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

/** Clears an obsolete lock on the first change that checks it. A lock in force was refused by the rules before. */
export async function unlockWhenFree(tx: Tx, team: LockedTeam): Promise<void> {
  if (!team.locked) return
  await tx.updateTable('teams').set({ locked: false }).where('id', '=', team.id).execute()
}
