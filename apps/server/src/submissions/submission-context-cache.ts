/**
 * What permits an answer, kept in memory, so that most answers are judged without reading anything. Only facts that permit are kept:
 * a refusal is always read anew. They need no poll and no hint: `record_attempts` tests all of them again in the transaction that stores
 * the answer, by the epoch that they were read at or by their own rows, and what it finds outdated is dropped here and read anew.
 */
import { type ChallengeType, hasOwnFlags } from '@vexil/core/vocabulary'
import type { ReadSubmissionContext, SubmissionContext } from './submissions.queries.ts'

/** Which answer of whom. */
export interface At {
  readonly gameId: number
  readonly challengeId: number
  readonly actor: { readonly id: string }
}

interface Challenge {
  readonly title: string
  readonly type: ChallengeType
  /** Of a static type. */
  readonly flags: ReadonlySet<string>
}

/** Facts of one epoch of a game. */
interface Game {
  readonly epoch: number
  readonly times: NonNullable<SubmissionContext['game']>
  readonly challenges: Map<number, Challenge>
  /** Accepted participations by account. */
  readonly players: Map<string, number>
  /** Flags that teams hold, by participation and challenge. A team that holds none may do so a moment later, so only those that do are kept. */
  readonly assigned: Map<string, string>
}

export interface SubmissionContextCache {
  /** All facts of an answer, of one epoch; null when one is missing. Costs four looks into maps. */
  find(at: At, answer: string): SubmissionContext | null
  /** Keeps what was read and permits. What an older epoch said is not kept beside what a newer one said. */
  keep(at: At, read: ReadSubmissionContext): void
  /** The facts of this answer were outdated; `stale`: those of the whole game were. */
  drop(at: At, outcome: 'stale' | string): void
}

/** Of each kind; what is more begins anew. About 10 MB for all of one game. */
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
