/** Cache of facts that permit an answer; refusals are always read again. No invalidation: `record_attempts` checks the facts in its transaction, and outdated ones are dropped. */
import { type ChallengeType, hasOwnFlags } from '@vexil/core/vocabulary'
import type { ReadSubmissionContext, SubmissionContext } from './submissions.queries.ts'

export interface At {
  readonly gameId: number
  readonly challengeId: number
  readonly actor: { readonly id: string }
}

interface Challenge {
  readonly title: string
  readonly type: ChallengeType
  /** The flags of a static challenge. */
  readonly flags: ReadonlySet<string>
}

interface Game {
  readonly epoch: number
  readonly times: NonNullable<SubmissionContext['game']>
  readonly challenges: Map<number, Challenge>
  readonly players: Map<string, number>
  /** Flags of teams, by participation and challenge. Absence is not cached, because a team may get its flag at any time. */
  readonly assigned: Map<string, string>
}

export interface SubmissionContextCache {
  /** All facts of an answer, of one epoch; null if one is missing. Costs four map lookups. */
  find(at: At, answer: string): SubmissionContext | null
  /** Caches facts that permit an answer. A newer epoch replaces the facts of an older one. */
  keep(at: At, read: ReadSubmissionContext): void
  /** Drops the outdated facts of this answer; for `stale`, those of the whole game. */
  drop(at: At, outcome: 'stale' | string): void
}

/** Entries per kind; above it the cache of the kind is cleared. About 10 MB for all kinds of one game. */
const mostOfAKind = 50_000
const mostGames = 50

export function openSubmissionContextCache(): SubmissionContextCache {
  const games = new Map<number, Game>()
  const assignedKey = (participationId: number, challengeId: number) => `${participationId} ${challengeId}`

  function put<K, V>(map: Map<K, V>, key: K, value: V, most = mostOfAKind): void {
    if (map.size >= most && !map.has(key)) map.clear()
    map.set(key, value)
  }

  function gameOf(gameId: number, epoch: number, times: Game['times']): Game | null {
    const known = games.get(gameId)
    if (known?.epoch === epoch) return known
    if (known && known.epoch > epoch) return null
    const game = { epoch, times, challenges: new Map(), players: new Map(), assigned: new Map() }
    put(games, gameId, game, mostGames)
    return game
  }

  return {
    find({ gameId, challengeId, actor }, answer) {
      const game = games.get(gameId)
      const challenge = game?.challenges.get(challengeId)
      const participationId = game?.players.get(actor.id)
      if (!game || !challenge || participationId === undefined) return null
      const assigned = hasOwnFlags(challenge.type) ? game.assigned.get(assignedKey(participationId, challengeId)) : null
      if (assigned === undefined) return null
      return {
        game: game.times,
        status: 'Accepted',
        challenge: { enabled: true },
        participationId,
        challengeTitle: challenge.title,
        epoch: game.epoch,
        key:
          assigned === null
            ? { kind: 'any of', flags: challenge.flags.has(answer) ? [answer] : [] }
            : { kind: 'own', flag: assigned },
      }
    },
    keep({ gameId, challengeId, actor }, { context, type, flags }) {
      const { participationId, key } = context
      if (!context.game || !context.challenge?.enabled || context.status !== 'Accepted' || participationId === null || !type)
        return
      const game = gameOf(gameId, context.epoch, context.game)
      if (!game) return
      put(game.players, actor.id, participationId)
      if (hasOwnFlags(type) || flags)
        put(game.challenges, challengeId, { title: context.challengeTitle, type, flags: new Set(flags) })
      if (key.kind === 'own' && key.flag !== null) put(game.assigned, assignedKey(participationId, challengeId), key.flag)
    },
    drop({ gameId, challengeId, actor }, outcome) {
      if (outcome === 'stale') games.delete(gameId)
      games.get(gameId)?.players.delete(actor.id)
      games.get(gameId)?.challenges.delete(challengeId)
    },
  }
}
