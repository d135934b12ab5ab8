import { ChallengeNotFound, GameNotFound } from '@vexil/core/rules'
import type { AttachmentType } from '@vexil/core/vocabulary'
import { type Selectable, sql } from 'kysely'
import { lockLogs } from '../db/lock-logs.ts'
import type { DB } from '../db/schema.ts'
import type { Db, Tx } from '../db/transaction.ts'
import { findGame } from '../games/games.queries.ts'

export type ChallengeRow = Selectable<DB['challenges']>

export const listChallenges = (db: Db, gameId: number): Promise<ChallengeRow[]> =>
  db.selectFrom('challenges').selectAll().where('gameId', '=', gameId).orderBy('id').execute()

/** @throws GameNotFound, ChallengeNotFound */
export async function getChallenge(db: Db | Tx, gameId: number, id: number): Promise<ChallengeRow> {
  const row = await db.selectFrom('challenges').selectAll().where('id', '=', id).where('gameId', '=', gameId).executeTakeFirst()
  if (row) return row
  if (!(await findGame(db, gameId))) throw new GameNotFound()
  throw new ChallengeNotFound()
}

/** Locks the log of the game, then the challenge; answers are still stored. @throws GameNotFound, ChallengeNotFound */
export async function lockChallenge(tx: Tx, gameId: number, id: number): Promise<ChallengeRow> {
  if (!(await lockLogs(tx, { gameId }))) throw new GameNotFound()
  const row = await tx
    .selectFrom('challenges')
    .selectAll()
    .where('id', '=', id)
    .where('gameId', '=', gameId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row) throw new ChallengeNotFound()
  return row
}

/** Number of listed teams that solved each challenge in time; challenges without a solve are absent. */
export async function countSolves(db: Db | Tx, gameId: number): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ challengeId: number; solves: number }>`
    select s.challenge_id, count(*)::int as solves
    from solves s
    join games g on g.id = s.game_id
    join participations p on p.id = s.participation_id
    where s.game_id = ${gameId} and s.arrived_at < g.ends_at and p.status = 'Accepted' and p.created_at < g.ends_at
    group by s.challenge_id`.execute(db)
  return new Map(rows.map(({ challengeId, solves }) => [challengeId, solves]))
}

export interface FlagCounts {
  readonly flags: number
  readonly files: number
}

/** Challenges without flags are absent. */
export async function countFlagsOfGame(db: Db, gameId: number): Promise<ReadonlyMap<number, FlagCounts>> {
  const { rows } = await sql<FlagCounts & { challengeId: number }>`
    select f.challenge_id, count(*)::int as flags, count(a.id)::int as files
    from challenges c join flags f on f.challenge_id = c.id left join attachments a on a.flag_id = f.id
    where c.game_id = ${gameId} group by f.challenge_id`.execute(db)
  return new Map(rows.map(({ challengeId, flags, files }) => [challengeId, { flags, files }]))
}

export const countFlags = (db: Db | Tx, challengeId: number): Promise<number> =>
  db
    .selectFrom('flags')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('challengeId', '=', challengeId)
    .executeTakeFirstOrThrow()
    .then(({ count }) => count)

export const listFlags = (db: Db | Tx, challengeId: number) =>
  db.selectFrom('flags').select(['id', 'flag']).where('challengeId', '=', challengeId).orderBy('id').execute()

export interface AttachmentRow {
  readonly id: number
  /** Null: the attachment of the challenge. */
  readonly flagId: number | null
  readonly type: AttachmentType
  readonly fileHash: string | null
  readonly fileName: string | null
  readonly remoteUrl: string | null
  readonly size: number | null
}

export const listAttachments = (db: Db | Tx, challengeId: number): Promise<AttachmentRow[]> =>
  db
    .selectFrom('attachments as a')
    .leftJoin('files as f', 'f.hash', 'a.fileHash')
    .select(['a.id', 'a.flagId', 'a.type', 'a.fileHash', 'a.fileName', 'a.remoteUrl', 'f.size'])
    .where('a.challengeId', '=', challengeId)
    .execute() as Promise<AttachmentRow[]>

/** Names of stored files by hash; unknown files are absent. Files cannot be deleted until the transaction ends. */
export async function holdFiles(tx: Tx, hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map()
  const rows = await tx
    .selectFrom('files')
    .select(['hash', 'name'])
    .where('hash', '=', sql<string>`any (${[...hashes].sort()}::text[])`)
    .orderBy('hash')
    .forKeyShare()
    .execute()
  return new Map(rows.map(({ hash, name }) => [hash, name]))
}

export interface Failures {
  readonly challengeId: number
  readonly title: string
  readonly enabled: boolean
  /** Since the last success. */
  readonly failures: number
  /** When the first of them ended. */
  readonly since: Date
}

/** Challenges of a game, or one, with a failure after their last success, by number. */
export async function listFailures(
  db: Db | Tx,
  of: { readonly gameId: number } | { readonly challengeId: number },
): Promise<Failures[]> {
  const which = 'gameId' in of ? sql`c.game_id = ${of.gameId}` : sql`c.id = ${of.challengeId}`
  const { rows } = await sql<Failures>`
    select c.id as challenge_id, c.title, c.enabled, count(*)::int as failures, min(s.ended_at) as since
    from challenges c join solver_checks s on s.challenge_id = c.id and s.state = 'Failed'
    where ${which} and c.check_image <> ''
      and not exists (select from solver_checks p where p.challenge_id = c.id and p.state = 'Passed' and p.id > s.id)
    group by c.id order by c.id`.execute(db)
  return rows
}
