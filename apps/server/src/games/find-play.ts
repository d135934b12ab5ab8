import type { ChallengeScene } from '@vexil/core/participation'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../db/transaction.ts'

/** What decides whether a caller may play (packages/core/src/participation.ts), from one snapshot and with the database's time. */
export interface Play extends ChallengeScene {
  readonly participationId: number | null
}

interface PlayRow {
  now: number
  startsAt: Date
  endsAt: Date
  practiceMode: boolean
  participationId: number | null
  status: ParticipationStatus | null
  enabled: boolean | null
}

interface Caller {
  readonly gameId: number
  readonly accountId: string
  /** Left out for calls on no challenge. */
  readonly challengeId?: number
}

/** What a room reads in the same query. The query's names: g game, r registration, p participation, t team, c challenge. */
interface More {
  readonly columns: RawBuilder<unknown>
  readonly joins?: RawBuilder<unknown>
}

/** One query by indexes. `row` holds the columns of `more`; undefined when there is no such game. */
export async function findPlay<T>(
  db: Db | Tx,
  { gameId, accountId, challengeId = 0 }: Caller,
  { columns, joins = sql`` }: More,
): Promise<{ play: Play; row: T | undefined }> {
  const { rows } = await sql<PlayRow & T>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now, g.starts_at, g.ends_at, g.practice_mode,
      p.id as participation_id, p.status, c.enabled, ${columns}
    from games g
    left join registrations r on r.game_id = g.id and r.account_id = ${accountId}
    left join participations p on p.id = r.participation_id
    left join teams t on t.id = p.team_id
    left join challenges c on c.id = ${challengeId} and c.game_id = g.id
    ${joins}
    where g.id = ${gameId}`.execute(db)
  const row = rows[0]
  return { play: row ? playOf(row) : { now: 0, game: null, status: null, challenge: null, participationId: null }, row }
}

const playOf = ({ now, startsAt, endsAt, practiceMode, participationId, status, enabled }: PlayRow): Play => ({
  now,
  game: { startsAt: startsAt.getTime(), endsAt: endsAt.getTime(), practiceMode },
  status,
  challenge: enabled === null ? null : { enabled },
  participationId,
})
