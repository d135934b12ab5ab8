import { type Phase, phaseOf } from '@vexil/core/phases'
import { useEffect, useState } from 'react'
import { earliestServerNow } from './clock.ts'

/** Longest timer: the server's clock becomes more precise with each response, and devices sleep. */
const longestMs = 60_000

interface Timed {
  readonly start: string
  readonly end: string
}

/** Server time, ms, at most a second late and never early; re-renders only when one of the games starts or ends. */
export function usePhaseClock(games: readonly Timed[]): number {
  // The last millisecond of a game belongs to it.
  const moments = games.flatMap(({ start, end }) => [Date.parse(start), Date.parse(end) + 1])
  const now = earliestServerNow()
  const passed = (at: number) => moments.filter((moment) => moment <= at).length
  const [, setPassed] = useState(passed(now))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the moments themselves, not the array they come in
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const update = () => {
      const at = earliestServerNow()
      setPassed(passed(at))
      const next = Math.min(...moments.filter((moment) => moment > at))
      if (next < Number.POSITIVE_INFINITY) timer = setTimeout(update, Math.min(next - at + 5, longestMs))
    }
    update()
    return () => clearTimeout(timer)
  }, [moments.join()])
  return now
}

export function usePhase(game: Timed): Phase {
  return phaseOf({ startsAt: Date.parse(game.start), endsAt: Date.parse(game.end) }, usePhaseClock([game]))
}
