import { gameFieldNames } from '@vexil/contract/game-fields'
import type { EventType, NoticeType, ParticipationStatus, Role } from '@vexil/core/vocabulary'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { DB } from '../db/schema.ts'
import type { Db, Tx } from '../db/transaction.ts'

export const gameColumns = [
  ...gameFieldNames,
  'id',
  'title',
  'inviteCode',
  'divisions',
  'memberLimit',
  'containerLimit',
  'posterHash',
  'publicKey',
  'startsAt',
  'endsAt',
  'writeupDeadline',
  'bloodBonus',
] as const

export type GameRow = Pick<Selectable<DB['games']>, (typeof gameColumns)[number]>

interface PageOf {
  readonly count: number
  readonly skip: number
}

export const listVisibleGames = (db: Db, { count, skip }: PageOf) =>
  db
    .selectFrom('games')
    .select(['id', 'title', 'summary', 'posterHash', 'memberLimit', 'startsAt', 'endsAt'])
    .where('hidden', '=', false)
    .orderBy('startsAt', 'desc')
    .orderBy('id', 'desc')
    .limit(count)
    .offset(skip)
    .execute()

export async function listAllGames(db: Db, { count, skip }: PageOf): Promise<{ rows: GameRow[]; total: number }> {
  const rows = await db.selectFrom('games').select(gameColumns).orderBy('id', 'desc').limit(count).offset(skip).execute()
  const { total } = await db.selectFrom('games').select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow()
  return { rows, total }
}

export const findGame = (db: Db | Tx, id: number): Promise<GameRow | undefined> =>
  db.selectFrom('games').select(gameColumns).where('id', '=', id).executeTakeFirst()

/** Masked with the platform's key (game-keys.ts); undefined if the game does not exist. */
export const findPrivateKey = (db: Db | Tx, id: number): Promise<string | undefined> =>
  db
    .selectFrom('games')
    .select('privateKey')
    .where('id', '=', id)
    .executeTakeFirst()
    .then((row) => row?.privateKey)

/** Title and times of a game with the database time (ms); undefined if the game does not exist. */
export async function findClock(
  db: Db | Tx,
  id: number,
): Promise<{ title: string; startsAt: number; endsAt: number; now: number } | undefined> {
  const { rows } = await sql<{ title: string; startsAt: Date; endsAt: Date; now: number }>`
    select title, starts_at, ends_at, extract(epoch from clock_timestamp())::float8 * 1000 as now from games where id = ${id}`.execute(
    db,
  )
  const row = rows[0]
  return row && { title: row.title, startsAt: row.startsAt.getTime(), endsAt: row.endsAt.getTime(), now: row.now }
}

export const countParticipations = (db: Db, gameId: number) =>
  db
    .selectFrom('participations')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('gameId', '=', gameId)
    .executeTakeFirstOrThrow()
    .then(({ count }) => count)

/** The participation of an account. Players see a stored Unsubmitted as no participation. */
export const findOwnParticipation = (db: Db | Tx, gameId: number, accountId: string) =>
  db
    .selectFrom('registrations as r')
    .innerJoin('participations as p', 'p.id', 'r.participationId')
    .innerJoin('teams as t', 't.id', 'p.teamId')
    .select(['p.id', 'p.status', 'p.division', 'p.teamId', 't.name as teamName'])
    .where('r.gameId', '=', gameId)
    .where('r.accountId', '=', accountId)
    .executeTakeFirst() as Promise<
    { id: number; status: ParticipationStatus; division: string | null; teamId: number; teamName: string } | undefined
  >

export async function countRegistered(db: Db, gameId: number, accountId: string): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('teamMembers as m')
    .leftJoin('registrations as r', (join) => join.onRef('r.teamId', '=', 'm.teamId').on('r.gameId', '=', gameId))
    .select('m.teamId')
    .select(sql<number>`count(r.account_id)::int`.as('count'))
    .where('m.accountId', '=', accountId)
    .groupBy('m.teamId')
    .execute()
  return Object.fromEntries(rows.map(({ teamId, count }) => [String(teamId), count]))
}

/** Accounts registered under the participation. */
export const playersOf = async (db: Db, participationId: number): Promise<ReadonlySet<string>> =>
  new Set(
    (await db.selectFrom('registrations').select('accountId').where('participationId', '=', participationId).execute()).map(
      ({ accountId }) => accountId,
    ),
  )

export interface NoticeRow {
  readonly id: number
  readonly type: NoticeType
  readonly values: string[]
  readonly createdAt: Date
}

export const listNotices = (db: Db, gameId: number, { count, skip }: PageOf) =>
  db
    .selectFrom('notices')
    .select(['id', 'type', 'values', 'createdAt'])
    .where('gameId', '=', gameId)
    .orderBy(sql`type <> 'Normal'`)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(count)
    .offset(skip)
    .execute() as Promise<NoticeRow[]>

export const listNormalNotices = (db: Db, gameId: number) =>
  db
    .selectFrom('notices')
    .select(['id', 'type', 'values', 'createdAt'])
    .where('gameId', '=', gameId)
    .where('type', '=', 'Normal')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(10_000)
    .execute() as Promise<NoticeRow[]>

/** A notice of this game, and whether the game has started. */
export const findNotice = (db: Db | Tx, gameId: number, id: number) =>
  db
    .selectFrom('notices')
    .innerJoin('games', 'games.id', 'notices.gameId')
    .select(['notices.id', 'notices.type', 'notices.values', 'notices.createdAt'])
    .select(sql<boolean>`games.starts_at <= clock_timestamp()`.as('started'))
    .where('notices.id', '=', id)
    .where('games.id', '=', gameId)
    .executeTakeFirst() as Promise<(NoticeRow & { started: boolean }) | undefined>

/** Adds a notice; only this module and, for bloods, the SQL function that records answers insert notices. */
export async function addNotice(tx: Tx | Db, gameId: number, type: NoticeType, values: string[]): Promise<NoticeRow> {
  return (await tx
    .insertInto('notices')
    .values({ gameId, type, values, createdAt: sql`clock_timestamp()` })
    .returning(['id', 'type', 'values', 'createdAt'])
    .executeTakeFirstOrThrow()) as NoticeRow
}

export async function addEvent(
  tx: Tx,
  event: {
    readonly gameId: number
    readonly participationId: number
    readonly accountId: string | null
    readonly type: 'ContainerStart' | 'ContainerDestroy'
    readonly values: string[]
  },
): Promise<number> {
  return (await tx.insertInto('gameEvents').values(event).returning('id').executeTakeFirstOrThrow()).id
}

export const findEvent = (db: Db, id: number): Promise<EventRow | undefined> =>
  db
    .selectFrom('gameEvents as e')
    .leftJoin('accounts as a', 'a.id', 'e.accountId')
    .leftJoin('participations as p', 'p.id', 'e.participationId')
    .leftJoin('teams as t', 't.id', 'p.teamId')
    .select(['e.createdAt as time', 'e.type', 'e.values', 'a.userName', 't.name as teamName'])
    .where('e.id', '=', id)
    .executeTakeFirst() as Promise<EventRow | undefined>

export interface EventRow {
  readonly time: Date
  readonly type: EventType
  readonly values: string[]
  readonly userName: string | null
  readonly teamName: string | null
}

/** Newest first; derives FlagSubmit and CheatDetected from submissions and cheats. A cheat follows the event of its wrong answer. */
export async function listEvents(
  db: Db,
  gameId: number,
  { hideContainer, count, skip, from, before }: PageOf & { hideContainer: boolean; from: Date | null; before: Date | null },
): Promise<EventRow[]> {
  const most = count + skip
  const since = (time: RawBuilder<unknown>) => (from ? sql`and ${time} >= ${from}` : sql``)
  const until = (time: RawBuilder<unknown>) => (before ? sql`and ${time} < ${before}` : sql``)
  const within = (time: RawBuilder<unknown>) => sql`${since(time)} ${until(time)}`
  const { rows } = await sql<EventRow>`
    select e.time, e.type, e."values", a.user_name, t.name as team_name from (
      (select s.arrived_at as time, 1 as place, s.id, 'FlagSubmit' as type,
        array[case s.status when 'CheatDetected' then 'WrongAnswer' else s.status end, s.answer, c.title, c.id::text] as "values",
        s.account_id, s.participation_id
      from submissions s join challenges c on c.id = s.challenge_id
      where s.game_id = ${gameId} ${within(sql`s.arrived_at`)} order by s.arrived_at desc, s.id desc limit ${most})
      union all
      (select s.arrived_at, 2, s.id, 'CheatDetected', array[c.title, st.name, ot.name], s.account_id, s.participation_id
      from cheats x
      join submissions s on s.id = x.submission_id
      join challenges c on c.id = s.challenge_id
      join participations sp on sp.id = x.participation_id join teams st on st.id = sp.team_id
      join participations op on op.id = x.source_id join teams ot on ot.id = op.team_id
      where x.game_id = ${gameId} ${within(sql`s.arrived_at`)} order by s.arrived_at desc, s.id desc limit ${most})
      union all
      (select created_at, 0, id, type, "values", account_id, participation_id from game_events
      where game_id = ${gameId} and not (${hideContainer} and type in ('ContainerStart', 'ContainerDestroy')) ${within(sql`created_at`)}
      order by created_at desc, id desc limit ${most})
    ) e
    left join accounts a on a.id = e.account_id
    left join participations p on p.id = e.participation_id
    left join teams t on t.id = p.team_id
    order by e.time desc, e.id desc, e.place desc limit ${count} offset ${skip}`.execute(db)
  return rows
}

export interface MemberRow {
  readonly teamId: number
  readonly userId: string
  readonly userName: string
  readonly email: string
  readonly bio: string
  readonly phone: string | null
  readonly realName: string
  readonly studentNumber: string
  readonly avatarHash: string | null
  readonly role: Role
}

export const listParticipations = (db: Db, gameId: number) =>
  db
    .selectFrom('participations as p')
    .innerJoin('teams as t', 't.id', 'p.teamId')
    .select(['p.id', 'p.status', 'p.division', 't.id as teamId', 't.name', 't.bio', 't.avatarHash', 't.locked', 't.captainId'])
    .where('p.gameId', '=', gameId)
    .orderBy('t.id')
    .execute()

export const listMembersOfGame = (db: Db, gameId: number) =>
  db
    .selectFrom('participations as p')
    .innerJoin('teamMembers as m', 'm.teamId', 'p.teamId')
    .innerJoin('accounts as a', 'a.id', 'm.accountId')
    .select([
      'm.teamId',
      'a.id as userId',
      'a.userName',
      'a.email',
      'a.bio',
      'a.phone',
      'a.realName',
      'a.studentNumber',
      'a.avatarHash',
      'a.role',
    ])
    .where('p.gameId', '=', gameId)
    .orderBy('m.joinedAt')
    .orderBy('a.id')
    .execute() as Promise<MemberRow[]>

export const listRegistrations = (db: Db, gameId: number) =>
  db
    .selectFrom('registrations')
    .select(['participationId', 'accountId'])
    .where('gameId', '=', gameId)
    .orderBy('registeredAt')
    .orderBy('accountId')
    .execute()
