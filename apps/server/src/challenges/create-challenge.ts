import { challengeDefaults } from '@vexil/core/limits'
import { GameNotFound } from '@vexil/core/rules'
import type { ChallengeCategory, ChallengeType } from '@vexil/core/vocabulary'
import { type Actor, audit } from '../audit.ts'
import { translated } from '../db/constraints.ts'
import type { Deps } from '../deps.ts'
import { findGame } from '../games/games.queries.ts'
import type { ChallengeRow } from './challenges.queries.ts'

export interface NewChallenge {
  readonly gameId: number
  readonly title: string
  readonly category?: ChallengeCategory | undefined
  readonly type?: ChallengeType | undefined
}

/** Creates a disabled challenge with the defaults; its type cannot change. @throws GameNotFound */
export async function createChallenge(
  { db, bus, log }: Pick<Deps, 'db' | 'bus' | 'log'>,
  { gameId, title, category = 'Misc', type = 'StaticAttachment' }: NewChallenge,
  by: Actor,
): Promise<ChallengeRow> {
  if (!(await findGame(db, gameId))) throw new GameNotFound()
  const { port, ...defaults } = challengeDefaults
  const challenge = await translated(
    db
      .insertInto('challenges')
      .values({ gameId, title: title.trim(), category, type, ...defaults, exposePort: port })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
  bus.publish('challenge.changed', { gameId, challengeId: challenge.id })
  audit({ log }, by, `Created challenge ${challenge.title} (#${challenge.id})`)
  return challenge
}
