import type { BoardTeam } from '@vexil/core/scoreboard'
import { sql } from 'kysely'
import type { Db } from '../db/transaction.ts'
import { findPlayerAccessWith, type PlayerAccess } from '../games/player-access.ts'

export interface Player extends PlayerAccess {
  readonly team: BoardTeam
  readonly teamToken: string
  readonly writeupRequired: boolean
  readonly writeupDeadline: Date
  readonly containerLimit: number
}

interface PlayerRow {
  containerLimit: number
  writeupRequired: boolean
  writeupDeadline: Date
  token: string | null
  division: string | null
  teamId: number | null
  name: string | null
  bio: string | null
  avatarHash: string | null
}

const findPlayerPlay = findPlayerAccessWith<PlayerRow>({
  columns: sql`g.writeup_required, g.writeup_deadline, g.container_limit, p.token, p.division, t.id as team_id, t.name, t.bio, t.avatar_hash`,
})

export async function findPlayer(db: Db, gameId: number, accountId: string): Promise<Player> {
  const { play, row } = await findPlayerPlay(db, { gameId, accountId })
  return {
    ...play,
    team: {
      id: row?.teamId ?? 0,
      participationId: play.participationId ?? 0,
      name: row?.name ?? '',
      bio: row?.bio ?? null,
      avatar: row?.avatarHash ? `/assets/${row.avatarHash}/avatar` : null,
      division: row?.division ?? null,
    },
    teamToken: row?.token ?? '',
    writeupRequired: row?.writeupRequired ?? false,
    writeupDeadline: row?.writeupDeadline ?? new Date(0),
    containerLimit: row?.containerLimit ?? 0,
  }
}

/** Challenges that a team solved after the end, which are not on the board. */
export const listPracticeSolves = (db: Db, participationId: number, endsAt: number) =>
  db
    .selectFrom('solves')
    .select('challengeId')
    .where('participationId', '=', participationId)
    .where('arrivedAt', '>=', new Date(endsAt))
    .execute()
    .then((rows) => rows.map(({ challengeId }) => challengeId))

/** Further columns of a team in the spreadsheet. The lists of members are in the same order, null without members. */
export interface BoardPerson {
  readonly captain: string
  readonly names: readonly string[] | null
  readonly studentNumbers: readonly string[] | null
  readonly phones: readonly string[] | null
}

export async function listBoardPeople(db: Db, gameId: number): Promise<Map<number, BoardPerson>> {
  const { rows } = await sql<BoardPerson & { id: number }>`
    select p.id, c.real_name as captain, m.names, m.student_numbers, m.phones
    from participations p
    join teams t on t.id = p.team_id
    join accounts c on c.id = t.captain_id
    left join (
      select r.participation_id, array_agg(a.real_name order by r.registered_at, a.id) as names,
        array_agg(a.student_number order by r.registered_at, a.id) as student_numbers,
        array_agg(coalesce(a.phone, '') order by r.registered_at, a.id) as phones
      from registrations r
      join accounts a on a.id = r.account_id
      where r.game_id = ${gameId}
      group by r.participation_id
    ) m on m.participation_id = p.id
    where p.game_id = ${gameId} and p.status = 'Accepted'`.execute(db)
  return new Map(rows.map(({ id, ...person }) => [id, person]))
}
