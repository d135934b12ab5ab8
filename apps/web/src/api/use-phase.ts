import { type Phase, phaseOf } from '@vexil/core/phases'
import { useServerNow } from './clock.ts'

/** Where a game stands by the server's clock; changes by itself when the moment comes (LIVE-6). */
export function usePhase(game: { readonly start: string; readonly end: string }): Phase {
  return phaseOf({ startsAt: Date.parse(game.start), endsAt: Date.parse(game.end) }, useServerNow())
}
