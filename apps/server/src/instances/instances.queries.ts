import type { ChallengeScene } from '@vexil/core/participation'
import type { ChallengeType, ParticipationStatus } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import type { Db } from '../db/transaction.ts'

export interface InstanceScene extends ChallengeScene {
  readonly type: ChallengeType | null
}

interface SceneRow {
  now: number
  startsAt: Date
  endsAt: Date
  practiceMode: boolean
  status: ParticipationStatus | null
  enabled: boolean | null
  type: ChallengeType | null
}

/** Game, own participation and challenge of a player's call. */
export async function findInstanceScene(db: Db, gameId: number, challengeId: number, accountId: string): Promise<InstanceScene> {
  const { rows } = await sql<SceneRow>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now, g.starts_at, g.ends_at, g.practice_mode, p.status, c.enabled, c.type
    from games g
    left join registrations r on r.game_id = g.id and r.account_id = ${accountId}
    left join participations p on p.id = r.participation_id
    left join challenges c on c.id = ${challengeId} and c.game_id = g.id
    where g.id = ${gameId}`.execute(db)
  const row = rows[0]
  if (!row) return { now: 0, game: null, status: null, challenge: null, type: null }
  return {
    now: row.now,
    game: { startsAt: row.startsAt.getTime(), endsAt: row.endsAt.getTime(), practiceMode: row.practiceMode },
    status: row.status,
    challenge: row.enabled === null ? null : { enabled: row.enabled },
    type: row.type,
  }
}

/** Challenges of a game whose traffic is captured, by their numbers. None for an unknown game. */
export async function listCapturing(db: Db, gameId: number) {
  return db
    .selectFrom('challenges')
    .select(['id', 'title', 'category', 'type', 'enabled'])
    .where('gameId', '=', gameId)
    .where('captureTraffic', '=', true)
    .orderBy('id')
    .execute()
}
