import { type Phase, phaseOf } from '@vexil/core/phases'
import { useEffect, useState } from 'react'
import { serverNow } from './clock.ts'

/** The clock of the server is known better with each answer, and devices sleep: longer than this nobody waits without looking. */
const longestMs = 60_000

/** Where a game stands by the server's clock; changes by itself when the moment comes (LIVE-6), and costs nothing until then. */
export function usePhase(game: { readonly start: string; readonly end: string }): Phase {
  const startsAt = Date.parse(game.start)
  const endsAt = Date.parse(game.end)
  const phase = phaseOf({ startsAt, endsAt }, serverNow())
  const [, setSeen] = useState(phase)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const look = () => {
      const now = serverNow()
      setSeen(phaseOf({ startsAt, endsAt }, now))
      // The last millisecond of a game belongs to it.
      const next = [startsAt, endsAt + 1].find((moment) => moment > now)
      if (next !== undefined) timer = setTimeout(look, Math.min(next - now + 5, longestMs))
    }
    look()
    return () => clearTimeout(timer)
  }, [startsAt, endsAt])
  return phase
}
