import type { FlagKey } from '@vexil/core/flags'
import { pages } from '@vexil/core/limits'
import {
  type AnswerResult,
  type ChallengeType,
  challengeTypes,
  hasOwnFlags,
  type ParticipationStatus,
} from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import type { Db } from '../db/transaction.ts'
import { findPlayerAccessWith, type PlayerAccess } from '../games/player-access.ts'

export interface SubmissionContext extends Omit<PlayerAccess, 'now'> {
  readonly challengeTitle: string
  readonly epoch: number
  readonly key: FlagKey
}

export interface ReadSubmissionContext {
  readonly context: SubmissionContext
  readonly now: number
  readonly type: ChallengeType | null
  /** All flags of a static challenge; null for other types and for more than `flagsKept`. */
  readonly flags: readonly string[] | null
}

interface ContextRow {
  epoch: number
  challengeId: number | null
  title: string | null
  type: ChallengeType | null
  own: string | null
  flags: string[] | null
}

/** With more flags, each answer is looked up, because the query would return the whole list. */
const flagsKept = 200
const staticTypes = challengeTypes.filter((type) => !hasOwnFlags(type))

const findContext = findPlayerAccessWith<ContextRow>({
  columns: sql`l.epoch, c.id as challenge_id, c.title, c.type, h.flag as own,
      case when c.type = any(${staticTypes}::text[]) then
        array(select f.flag from flags f where f.challenge_id = c.id limit ${flagsKept + 1}) end as flags`,
  joins: sql`join solve_logs l on l.game_id = g.id
    left join team_flags h on h.participation_id = p.id and h.challenge_id = c.id`,
})

/** Game, participation, challenge and whether the answer is among its flags. One indexed query, and a second one for more than `flagsKept` flags. */
export async function findSubmissionContext(
  db: Db,
  { gameId, challengeId, actor }: { gameId: number; challengeId: number; actor: { id: string } },
  answer: string,
): Promise<ReadSubmissionContext> {
  const { play, row } = await findContext(db, { gameId, challengeId, accountId: actor.id })
  const { now, ...rest } = play
  const flags = row?.flags && row.flags.length <= flagsKept ? row.flags : null
  const listed = row?.flags ? (flags?.includes(answer) ?? (await isListed(db, challengeId, answer))) : false
  return {
    context: {
      ...rest,
      challengeTitle: row?.title ?? '',
      epoch: row?.epoch ?? 0,
      key: row ? keyOf(row, listed ? [answer] : []) : { kind: 'none' },
    },
    now,
    type: row?.type ?? null,
    flags,
  }
}

/** Read after the epoch: a later change of the list has another epoch, which is detected when the answer is stored. */
const isListed = async (db: Db, challengeId: number, answer: string): Promise<boolean> =>
  (await db
    .selectFrom('flags')
    .select('id')
    .where('challengeId', '=', challengeId)
    .where('flag', '=', answer)
    .limit(1)
    .executeTakeFirst()) !== undefined

function keyOf({ type, own }: ContextRow, flags: readonly string[]): FlagKey {
  if (type === null) return { kind: 'none' }
  return hasOwnFlags(type) ? { kind: 'own', flag: own } : { kind: 'any of', flags }
}

export const findCaller = (db: Db, gameId: number, accountId: string) => findCallerPlay(db, { gameId, accountId })
const findCallerPlay = findPlayerAccessWith({ columns: sql`g.id` })

export interface TryRow {
  readonly answer: string
  readonly status: AnswerResult
  readonly arrivedAt: Date
  readonly userName: string | null
}

/** Distinct answers of a participation to a challenge with their last time, newest first. */
export async function listTries(db: Db, participationId: number, challengeId: number): Promise<TryRow[]> {
  const { rows } = await sql<TryRow>`
    select t.answer, t.status, t.arrived_at, a.user_name from (
      select distinct on (answer) answer, status, arrived_at, id, account_id from submissions
      where participation_id = ${participationId} and challenge_id = ${challengeId}
      order by answer, arrived_at desc, id desc
    ) t left join accounts a on a.id = t.account_id
    order by t.arrived_at desc, t.id desc limit ${pages.tries.max}`.execute(db)
  return rows
}

/** Status of the caller's submission; undefined unless id, game, challenge and user all match. */
export const findStatus = (db: Db, at: { id: number; cid: number; sid: number }, accountId: string) =>
  db
    .selectFrom('submissions')
    .select('status')
    .where('id', '=', at.sid)
    .where('gameId', '=', at.id)
    .where('challengeId', '=', at.cid)
    .where('accountId', '=', accountId)
    .executeTakeFirst()
    .then((row) => row?.status as AnswerResult | undefined)

export interface SubmissionRow {
  readonly id: number
  readonly answer: string
  readonly status: AnswerResult
  readonly arrivedAt: Date
  readonly userName: string | null
  readonly teamName: string
  readonly title: string
  readonly challengeId: number
}

const submissionRows = (db: Db) =>
  db
    .selectFrom('submissions as s')
    .innerJoin('participations as p', 'p.id', 's.participationId')
    .innerJoin('teams as t', 't.id', 'p.teamId')
    .innerJoin('challenges as c', 'c.id', 's.challengeId')
    .leftJoin('accounts as a', 'a.id', 's.accountId')
    .select(['s.id', 's.answer', 's.status', 's.arrivedAt', 's.challengeId', 'a.userName', 't.name as teamName', 'c.title'])

export interface SubmissionFilter {
  readonly type?: AnswerResult | undefined
  readonly from?: Date | null
  readonly before?: Date | null
}

export const listSubmissions = (
  db: Db,
  gameId: number,
  { type, from, before, count, skip }: SubmissionFilter & { count: number; skip: number },
) =>
  submissionRows(db)
    .where('s.gameId', '=', gameId)
    .$if(from != null, (query) => query.where('s.arrivedAt', '>=', from as Date))
    .$if(before != null, (query) => query.where('s.arrivedAt', '<', before as Date))
    .$if(type !== undefined, (query) => query.where('s.status', '=', type as string))
    .orderBy('s.arrivedAt', 'desc')
    .orderBy('s.id', 'desc')
    .limit(count)
    .offset(skip)
    .execute() as Promise<SubmissionRow[]>

/** Newest first, below a position (from the newest without one), with the user's email address. */
export const listSubmissionsBelow = (
  db: Db,
  gameId: number,
  { below, count, type, from, before }: SubmissionFilter & { below: { arrivedAt: Date; id: number } | undefined; count: number },
) =>
  submissionRows(db)
    .select('a.email')
    .where('s.gameId', '=', gameId)
    .$if(from != null, (query) => query.where('s.arrivedAt', '>=', from as Date))
    .$if(before != null, (query) => query.where('s.arrivedAt', '<', before as Date))
    .$if(type !== undefined, (query) => query.where('s.status', '=', type as string))
    .$if(below !== undefined, (query) =>
      query.where(sql<boolean>`(s.arrived_at, s.id) < (${below?.arrivedAt}::timestamptz, ${below?.id}::int)`),
    )
    .orderBy('s.arrivedAt', 'desc')
    .orderBy('s.id', 'desc')
    .limit(count)
    .execute() as Promise<(SubmissionRow & { readonly email: string | null })[]>

export interface ActivityRow {
  readonly from: Date
  readonly right: number
  readonly wrong: number
}

/** Counts per five minutes since the start, without empty intervals, oldest first; at most the newest 10,000. */
export async function countActivity(db: Db, gameId: number): Promise<ActivityRow[]> {
  const { rows } = await sql<ActivityRow>`
    select g.starts_at + n.at * interval '5 minutes' as "from", n."right", n.wrong from (
      select floor(extract(epoch from s.arrived_at - g.starts_at) / 300)::int as at,
        count(*) filter (where s.status = 'Accepted')::int as "right",
        count(*) filter (where s.status in ('WrongAnswer', 'CheatDetected'))::int as wrong
      from submissions s join games g on g.id = s.game_id
      where s.game_id = ${gameId} group by at order by at desc limit 10000
    ) n join games g on g.id = ${gameId} order by n.at`.execute(db)
  return rows
}

export const listSubmissionsById = (db: Db, ids: readonly number[]) =>
  submissionRows(db)
    .where('s.id', '=', sql<number>`any(${[...ids]}::int[])`)
    .execute() as Promise<SubmissionRow[]>

export interface CheatRow extends SubmissionRow {
  readonly ownerId: number
  readonly ownerTeamId: number
  readonly ownerName: string
  readonly ownerAvatar: string | null
  readonly ownerStatus: ParticipationStatus
  readonly ownerDivision: string | null
  readonly senderId: number
  readonly senderTeamId: number
  readonly senderAvatar: string | null
  readonly senderStatus: ParticipationStatus
  readonly senderDivision: string | null
}

const cheatRows = (db: Db) =>
  submissionRows(db)
    .innerJoin('cheats as x', 'x.submissionId', 's.id')
    .innerJoin('participations as o', 'o.id', 'x.sourceId')
    .innerJoin('teams as ot', 'ot.id', 'o.teamId')
    .select([
      'o.id as ownerId',
      'ot.id as ownerTeamId',
      'ot.name as ownerName',
      'ot.avatarHash as ownerAvatar',
      'o.status as ownerStatus',
      'o.division as ownerDivision',
      'p.id as senderId',
      't.id as senderTeamId',
      't.avatarHash as senderAvatar',
      'p.status as senderStatus',
      'p.division as senderDivision',
    ])

/** Newest first, at most 10,000. */
export const listCheats = (db: Db, gameId: number) =>
  cheatRows(db)
    .where('x.gameId', '=', gameId)
    .orderBy('x.detectedAt', 'desc')
    .orderBy('x.submissionId', 'desc')
    .limit(10_000)
    .execute() as Promise<CheatRow[]>

export const listCheatsOf = (db: Db, submissionIds: readonly number[]) =>
  cheatRows(db)
    .where('x.submissionId', '=', sql<number>`any(${[...submissionIds]}::int[])`)
    .execute() as Promise<CheatRow[]>
