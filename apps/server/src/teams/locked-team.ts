import type { TeamScene } from '@vexil/core/teams'
import type { Tx } from '../db/transaction.ts'
import { findTeamForUpdate, listMemberIds, listParticipationsOf } from './teams.queries.ts'

export interface LockedTeam extends TeamScene {
  readonly id: number
  readonly name: string
  readonly avatarHash: string | null
  readonly participations: Awaited<ReturnType<typeof listParticipationsOf>>
  /** The database's time when the row was locked. */
  readonly now: number
}

/** Everything that the rules of a team ask for, read while its row is locked. Null: no such team. */
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

/** A lock that has outlived its reason goes with the first change that asks for it; while it holds, the rules have refused before. */
export async function unlockWhenFree(tx: Tx, team: LockedTeam): Promise<void> {
  if (!team.locked) return
  await tx.updateTable('teams').set({ locked: false }).where('id', '=', team.id).execute()
}
