import type { ChallengeContext } from '@vexil/core/participation'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { type RawBuilder, sql } from 'kysely'
import { batched } from '../db/batched.ts'
import type { Db, Tx } from '../db/transaction.ts'

/** Facts that decide whether a caller may play (packages/core/src/participation.ts), from one snapshot with the database's time. */
export interface PlayerAccess extends ChallengeContext {
  readonly participationId: number | null
}

interface PlayRow {
  place: number
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
  readonly challengeId?: number
}

/** Aliases in the query: requested (place, game_id, account_id, challenge_id), g game, r registration, p participation, t team, c challenge. */
interface More {
  readonly columns: RawBuilder<unknown>
  readonly joins?: RawBuilder<unknown>
}

export interface FoundPlayerAccess<T> {
  readonly play: PlayerAccess
  readonly row: T | undefined
}

/** Reads the facts that decide whether a caller may play; reads of one turn are batched into one query by indexes. */
export const findPlayerAccessWith = <T>({
  columns,
  joins = sql``,
}: More): ((db: Db | Tx, caller: Caller) => Promise<FoundPlayerAccess<T>>) =>
  batched(async (db, callers) => {
    const column = (take: (caller: Caller) => unknown) => callers.map(take)
    const { rows } = await sql<PlayRow & T>`
      select requested.place::int, extract(epoch from clock_timestamp())::float8 * 1000 as now, g.starts_at, g.ends_at, g.practice_mode,
        p.id as participation_id, p.status, c.enabled, ${columns}
      from unnest(
        ${column(({ gameId }) => gameId)}::int[], ${column(({ accountId }) => accountId)}::uuid[],
        ${column(({ challengeId = 0 }) => challengeId)}::int[]
      ) with ordinality as requested (game_id, account_id, challenge_id, place)
      join games g on g.id = requested.game_id
      left join registrations r on r.game_id = g.id and r.account_id = requested.account_id
      left join participations p on p.id = r.participation_id
      left join teams t on t.id = p.team_id
      left join challenges c on c.id = requested.challenge_id and c.game_id = g.id
      ${joins}`.execute(db)
    const found = new Map(rows.map((row) => [row.place, row]))
    return callers.map((_, at) => {
      const row = found.get(at + 1)
      return { play: row ? playerAccessOf(row) : nowhere, row }
    })
  })

const nowhere: PlayerAccess = { now: 0, game: null, status: null, challenge: null, participationId: null }

const playerAccessOf = ({ now, startsAt, endsAt, practiceMode, participationId, status, enabled }: PlayRow): PlayerAccess => ({
  now,
  game: { startsAt: startsAt.getTime(), endsAt: endsAt.getTime(), practiceMode },
  status,
  challenge: enabled === null ? null : { enabled },
  participationId,
})
