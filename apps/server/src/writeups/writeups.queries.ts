import type { PlayScene } from '@vexil/core/participation'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/transaction.ts'

/** A caller's team and its writeup in a game. */
export interface WriteupScene extends PlayScene {
  readonly gameTitle: string
  readonly participationId: number
  readonly teamId: number
  readonly teamName: string
  readonly required: boolean
  readonly deadline: Date
  readonly note: string
  readonly writeup: { readonly hash: string; readonly name: string; readonly size: number } | null
}

interface SceneRow {
  now: number
  startsAt: Date
  endsAt: Date
  practiceMode: boolean
  required: boolean
  deadline: Date
  note: string
  gameTitle: string
  participationId: number | null
  status: ParticipationStatus | null
  teamId: number | null
  teamName: string | null
  hash: string | null
  fileName: string | null
  size: number | null
}

export async function findWriteupScene(db: Db | Tx, gameId: number, accountId: string): Promise<WriteupScene> {
  const { rows } = await sql<SceneRow>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now, g.starts_at, g.ends_at, g.practice_mode,
      g.writeup_required as required, g.writeup_deadline as deadline, g.writeup_note as note, g.title as game_title,
      p.id as participation_id, p.status, t.id as team_id, t.name as team_name, f.hash, w.file_name, f.size
    from games g
    left join registrations r on r.game_id = g.id and r.account_id = ${accountId}
    left join participations p on p.id = r.participation_id
    left join teams t on t.id = p.team_id
    left join writeups w on w.participation_id = p.id
    left join files f on f.hash = w.file_hash
    where g.id = ${gameId}`.execute(db)
  const row = rows[0]
  return {
    now: row?.now ?? 0,
    game: row ? { startsAt: row.startsAt.getTime(), endsAt: row.endsAt.getTime(), practiceMode: row.practiceMode } : null,
    status: row?.status ?? null,
    gameTitle: row?.gameTitle ?? '',
    participationId: row?.participationId ?? 0,
    teamId: row?.teamId ?? 0,
    teamName: row?.teamName ?? '',
    required: row?.required ?? false,
    deadline: row?.deadline ?? new Date(0),
    note: row?.note ?? '',
    writeup: row?.hash ? { hash: row.hash, name: row.fileName ?? '', size: row.size ?? 0 } : null,
  }
}

/** Members who hand in at the same moment go one after the other, and a review waits for them. */
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

/** Of a game, newest first; at most 10,000. */
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

/** Says how many there were. */
export async function dropWriteups(db: Db, gameId: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('writeups')
    .where('participationId', 'in', (of) => of.selectFrom('participations').select('id').where('gameId', '=', gameId))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
