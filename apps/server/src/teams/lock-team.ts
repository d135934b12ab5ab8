import type { Tx } from '../db/transaction.ts'

/** Locks a team: its members cannot leave while it takes part in a game. */
export async function lockTeam(tx: Tx, teamId: number): Promise<void> {
  await tx.updateTable('teams').set({ locked: true }).where('id', '=', teamId).where('locked', '=', false).execute()
}
