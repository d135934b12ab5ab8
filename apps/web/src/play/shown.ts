import type { DetailedGame } from '@vexil/contract/games'
import type { GameDetail } from '@vexil/contract/scoreboard'
import type { BoardRow } from '@vexil/core/scoreboard'
import { useMemo } from 'react'
import type { BoardState } from '../api/board.ts'
import type { Card } from './play.queries.ts'
import type { Flags } from './use-flags.ts'
import type { useSeen } from './use-seen.ts'

export interface Shown extends Card {
  readonly isSolved: boolean
  /** Solved after the end, which the board does not count. */
  readonly practised: boolean
  readonly ownPlace: 1 | 2 | 3 | null
  /** The own solve on the board. */
  readonly own: { readonly by: string | null; readonly at: number; readonly points: number } | null
  readonly fresh: boolean
}

const places = { FirstBlood: 1, SecondBlood: 2, ThirdBlood: 3 } as const

interface Known {
  readonly game: DetailedGame
  readonly details: GameDetail
  readonly state: BoardState | undefined
  readonly own: BoardRow | undefined
  readonly flags: Flags
  readonly seen: ReturnType<typeof useSeen>
}

export function useShownCards({ game, details, state, own, flags, seen }: Known): readonly Shown[] {
  return useMemo(() => {
    const columns = new Map(state?.columns.map((column) => [column.id, column]) ?? [])
    const solves = new Map(
      details.rank.solvedChallenges.map(({ id, type, userName, time, score }) => [
        id,
        { type, by: userName, at: Date.parse(time), points: score },
      ]),
    )
    for (const { challengeId, type, userName, time, points } of own?.solves ?? []) {
      solves.set(challengeId, { type, by: userName, at: time, points })
    }
    return Object.values(details.challenges)
      .flatMap((cards) => cards ?? [])
      .map((card): Shown => {
        const column = columns.get(card.id)
        const solve = solves.get(card.id)
        const practised = details.practiceSolves.includes(card.id)
        const onBoard = own?.solves.some(({ challengeId }) => challengeId === card.id) ?? false
        const isSolved = onBoard || solve !== undefined || practised || flags.of(card.id).right
        return {
          ...card,
          ...(column && {
            score: column.value,
            solved: column.solved,
            // `nextScore` was computed for another number of solves.
            ...(column.solved !== card.solved && { nextScore: undefined }),
            bloods: column.bloods.map(({ team, time }) => ({
              id: team.id,
              name: team.name,
              avatar: team.avatar,
              submitTimeUtc: new Date(time).toISOString(),
            })),
          }),
          isSolved,
          practised: practised && !onBoard,
          ownPlace: places[solve?.type as keyof typeof places] ?? null,
          own: solve ?? null,
          fresh: !isSolved && card.enabledAt != null && Date.parse(card.enabledAt) > Date.parse(game.start) && !seen.has(card.id),
        }
      })
  }, [details, state, own, flags.of, seen.has, game.start])
}
