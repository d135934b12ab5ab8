import type { Tx } from '../db/transaction.ts'

export async function lockTeam(tx: Tx, teamId: number): Promise<void> {
  await tx.updateTable('teams').set({ locked: true }).where('id', '=', teamId).where('locked', '=', false).execute()
}
