import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { type Insertable, type SelectQueryBuilder, sql } from 'kysely'
import { lockLogs } from '../db/lock-logs.ts'
import type { DB } from '../db/schema.ts'
import type { Db, Tx } from '../db/transaction.ts'

export async function listTeams(db: Db | Tx, ids: readonly number[]) {
  if (ids.length === 0) return []
  const teams = await db
    .selectFrom('teams')
    .select(['id', 'name', 'bio', 'avatarHash', 'locked', 'captainId'])
    .where('id', '=', sql<number>`any(${ids}::int[])`)
    .orderBy('id')
    .execute()
  const members = await db
    .selectFrom('teamMembers as m')
    .innerJoin('accounts as a', 'a.id', 'm.accountId')
    .select(['m.teamId', 'a.id', 'a.userName', 'a.bio', 'a.avatarHash'])
    .where('m.teamId', '=', sql<number>`any(${ids}::int[])`)
    .orderBy('m.joinedAt')
    .orderBy('a.id')
    .execute()
  const byTeam = Map.groupBy(members, ({ teamId }) => teamId)
  return teams.map((team) => ({ ...team, members: byTeam.get(team.id) ?? [] }))
}

interface Page {
  readonly count: number
  readonly skip: number
}

export async function listTeamPage(db: Db, page: Page) {
  return teamPage(db, page, (query) => query)
}

/** Teams with this id or with the text in their name, ignoring case. `total` counts all matches. */
export async function searchTeams(db: Db, hint: string, page: Page) {
  const text = hint.trim()
  const id = /^\d{1,9}$/.test(text) ? Number(text) : -1
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  return teamPage(db, page, (query) => query.where((or) => or.or([or('name', 'ilike', pattern), or('id', '=', id)])))
}

async function teamPage(
  db: Db,
  { count, skip }: Page,
  narrowed: <O>(query: SelectQueryBuilder<DB, 'teams', O>) => SelectQueryBuilder<DB, 'teams', O>,
) {
  const { total } = await narrowed(db.selectFrom('teams'))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await narrowed(db.selectFrom('teams'))
    .select('id')
    .select(({ selectFrom }) =>
      selectFrom('solves as s')
        .innerJoin('participations as p', 'p.id', 's.participationId')
        .whereRef('p.teamId', '=', 'teams.id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('solves'),
    )
    .orderBy('id')
    .limit(count)
    .offset(skip)
    .execute()
  const solves = new Map(rows.map((row) => [row.id, Number(row.solves)]))
  const teams = await listTeams(db, [...solves.keys()])
  return { teams: teams.map((team) => ({ ...team, solves: solves.get(team.id) ?? 0 })), total }
}

export async function findTeam(db: Db | Tx, id: number) {
  return (await listTeams(db, [id]))[0]
}

export async function listTeamIdsOf(db: Db, accountId: string): Promise<number[]> {
  const rows = await db.selectFrom('teamMembers').select('teamId').where('accountId', '=', accountId).execute()
  return rows.map((row) => row.teamId)
}

/** A first check; the unique index handles concurrent requests (db/constraints.ts). */
export async function countOwnedTeams(db: Db, accountId: string): Promise<number> {
  const { owned } = await db
    .selectFrom('teams')
    .select((count) => count.fn.countAll<number>().as('owned'))
    .where('captainId', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(owned)
}

export async function insertTeam(tx: Tx, team: Insertable<DB['teams']>): Promise<number> {
  const { id } = await tx.insertInto('teams').values(team).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function insertMember(tx: Tx, teamId: number, accountId: string): Promise<void> {
  await tx.insertInto('teamMembers').values({ teamId, accountId }).execute()
}

/** Deletes a member with the registrations in games. Returns the participations of these registrations. */
export async function deleteMember(tx: Tx, teamId: number, accountId: string) {
  const registered = await tx
    .selectFrom('registrations')
    .select(['gameId', 'participationId'])
    .where('teamId', '=', teamId)
    .where('accountId', '=', accountId)
    .execute()
  await tx.deleteFrom('teamMembers').where('teamId', '=', teamId).where('accountId', '=', accountId).execute()
  return registered
}

/** Locks the logs, then the team's row, until the end of the transaction. `now` is the database's time. */
export async function findTeamForUpdate(tx: Tx, id: number) {
  await lockLogs(tx, { teamId: id })
  return tx
    .selectFrom('teams')
    .selectAll()
    .select(sql<Date>`clock_timestamp()`.as('now'))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export async function listMemberIds(tx: Tx, teamId: number): Promise<string[]> {
  const rows = await tx.selectFrom('teamMembers').select('accountId').where('teamId', '=', teamId).execute()
  return rows.map((row) => row.accountId)
}

export async function listParticipationsOf(tx: Tx, teamId: number) {
  const rows = await tx
    .selectFrom('participations as p')
    .innerJoin('games as g', 'g.id', 'p.gameId')
    .select(['p.id', 'p.gameId', 'p.status', 'g.endsAt'])
    .where('p.teamId', '=', teamId)
    .execute()
  return rows.map(({ id, gameId, status, endsAt }) => ({
    id,
    gameId,
    status: status as ParticipationStatus,
    endsAt: endsAt.getTime(),
  }))
}

export async function hasResults(tx: Tx, teamId: number): Promise<boolean> {
  const found = await tx
    .selectFrom('submissions as s')
    .innerJoin('participations as p', 'p.id', 's.participationId')
    .innerJoin('games as g', 'g.id', 'p.gameId')
    .select('s.id')
    .where('p.teamId', '=', teamId)
    .where('g.startsAt', '<=', sql<Date>`clock_timestamp()`)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export async function findHeir(tx: Tx, id: string) {
  const heir = await tx
    .selectFrom('accounts')
    .select(['id', 'userName'])
    .select(({ selectFrom }) =>
      selectFrom('teams')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('captainId', '=', 'accounts.id')
        .as('ownedTeams'),
    )
    .where('id', '=', id)
    .executeTakeFirst()
  return heir && { ...heir, ownedTeams: Number(heir.ownedTeams) }
}
