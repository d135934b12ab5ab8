import { phaseOf } from '@vexil/core/phases'

interface Timed {
  readonly id: number
  readonly start: string
  readonly end: string
}

/** Phase of a game at a moment of the server. */
export function phaseAt(game: Timed, now: number) {
  return phaseOf({ startsAt: Date.parse(game.start), endsAt: Date.parse(game.end) }, now)
}

/** Games not yet ended first, the one that ends soonest on top; then ended ones, the latest on top (HOME-1). */
export function orderGames<G extends Timed>(games: readonly G[], now: number): G[] {
  const over = (game: G) => phaseAt(game, now) === 'ended'
  return [...games].sort((a, b) => {
    if (over(a) !== over(b)) return over(a) ? 1 : -1
    const difference = Date.parse(a.end) - Date.parse(b.end)
    return (over(a) ? -difference : difference) || a.id - b.id
  })
}
