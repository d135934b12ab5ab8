import { phaseOf } from '@vexil/core/phases'

interface Timed {
  readonly id: number
  readonly start: string
  readonly end: string
}

export function phaseAt(game: Timed, now: number) {
  return phaseOf({ startsAt: Date.parse(game.start), endsAt: Date.parse(game.end) }, now)
}

/** Games not yet ended first, by end; then ended ones, latest first. */
export function orderGames<G extends Timed>(games: readonly G[], now: number): G[] {
  const over = (game: G) => phaseAt(game, now) === 'ended'
  return [...games].sort((a, b) => {
    if (over(a) !== over(b)) return over(a) ? 1 : -1
    const difference = Date.parse(a.end) - Date.parse(b.end)
    return (over(a) ? -difference : difference) || a.id - b.id
  })
}
