import type { PlayContext } from '@vexil/core/participation'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/transaction.ts'
import { findPlayerAccessWith } from '../games/player-access.ts'

export interface WriteupContext extends PlayContext {
  readonly gameTitle: string
  readonly participationId: number
  readonly teamId: number
  readonly teamName: string
  readonly required: boolean
  readonly deadline: Date
  readonly note: string
  readonly writeup: { readonly hash: string; readonly name: string; readonly size: number } | null
}

interface ContextRow {
  required: boolean
  deadline: Date
  note: string
  gameTitle: string
  teamId: number | null
  teamName: string | null
  hash: string | null
  fileName: string | null
  size: number | null
}

const findContext = findPlayerAccessWith<ContextRow>({
  columns: sql`g.writeup_required as required, g.writeup_deadline as deadline, g.writeup_note as note, g.title as game_title,
      t.id as team_id, t.name as team_name, f.hash, w.file_name, f.size`,
  joins: sql`left join writeups w on w.participation_id = p.id
    left join files f on f.hash = w.file_hash`,
})

export async function findWriteupContext(db: Db | Tx, gameId: number, accountId: string): Promise<WriteupContext> {
  const { play, row } = await findContext(db, { gameId, accountId })
  return {
    ...play,
    participationId: play.participationId ?? 0,
    gameTitle: row?.gameTitle ?? '',
    teamId: row?.teamId ?? 0,
    teamName: row?.teamName ?? '',
    required: row?.required ?? false,
    deadline: row?.deadline ?? new Date(0),
    note: row?.note ?? '',
    writeup: row?.hash ? { hash: row.hash, name: row.fileName ?? '', size: row.size ?? 0 } : null,
  }
}

/** Serialises concurrent uploads of one team, and makes a review wait for them. */
export async function lockOwnParticipation(tx: Tx, gameId: number, accountId: string): Promise<void> {
  await sql`
    select from participations p
    join registrations r on r.participation_id = p.id
    where r.game_id = ${gameId} and r.account_id = ${accountId}
    for no key update of p`.execute(tx)
}

export async function putWriteup(tx: Tx, participationId: number, fileHash: string, fileName: string): Promise<void> {
  await tx
    .insertInto('writeups')
    .values({ participationId, fileHash, fileName })
    .onConflict((conflict) =>
      conflict.column('participationId').doUpdateSet({ fileHash, fileName, uploadedAt: sql`clock_timestamp()` }),
    )
    .execute()
}

/** Writeups of a game, newest first; at most 10,000. */
export const listWriteups = (db: Db, gameId: number) =>
  db
    .selectFrom('writeups as w')
    .innerJoin('participations as p', 'p.id', 'w.participationId')
    .innerJoin('teams as t', 't.id', 'p.teamId')
    .select([
      'w.participationId',
      'w.fileHash',
      'w.fileName',
      'w.uploadedAt',
      't.id as teamId',
      't.name',
      't.bio',
      't.avatarHash',
      't.locked',
    ])
    .where('p.gameId', '=', gameId)
    .orderBy('w.uploadedAt', 'desc')
    .orderBy('w.participationId', 'desc')
    .limit(10_000)
    .execute()

export type WriteupRow = Awaited<ReturnType<typeof listWriteups>>[number]

export async function dropWriteups(db: Db, gameId: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('writeups')
    .where('participationId', 'in', (of) => of.selectFrom('participations').select('id').where('gameId', '=', gameId))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
