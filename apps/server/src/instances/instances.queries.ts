import type { ChallengeType } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import type { Db } from '../db/transaction.ts'
import { findPlay, type Play } from '../games/find-play.ts'

export interface InstanceScene extends Play {
  readonly type: ChallengeType | null
}

/** Game, own participation and challenge of a player's call. */
export async function findInstanceScene(db: Db, gameId: number, challengeId: number, accountId: string): Promise<InstanceScene> {
  const { play, row } = await findPlay<{ type: ChallengeType | null }>(
    db,
    { gameId, challengeId, accountId },
    { columns: sql`c.type` },
  )
  return { ...play, type: row?.type ?? null }
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
