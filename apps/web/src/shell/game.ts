/** What every screen of a game knows of it: its page data and its phase by the server's clock. */
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { type DetailedGame, getGame } from '@vexil/contract/games'
import { refreshInterval } from '@vexil/core/limits'
import { type Phase, phaseOf } from '@vexil/core/phases'
import { call } from '../api/client.ts'
import { useServerNow } from '../api/clock.ts'
import { keys } from '../api/keys.ts'
import { useLive } from '../api/live.ts'

export const gameQuery = (id: number) =>
  queryOptions({
    queryKey: keys.game(id).detail,
    queryFn: ({ signal }) => call(getGame, { params: { id }, signal }),
    staleTime: refreshInterval,
  })

/** The game, refetched when the server says that it or a participation changed; every 10 s without the channel (GD-6). */
export function useGame(id: number) {
  const queries = useQueryClient()
  const refetch = () => void queries.invalidateQueries({ queryKey: keys.game(id).detail })
  const live = useLive({
    hub: '/hub/user',
    game: id,
    hear: {
      VexilGame: ({ what }) => {
        if (what === 'game' || what === 'participations') refetch()
      },
    },
    onReturn: refetch,
  })
  return useQuery({ ...gameQuery(id), refetchInterval: live === 'live' ? false : refreshInterval })
}

/** Phase by the server's clock; switches by itself within a second (LIVE-6). */
export function usePhase(game: Pick<DetailedGame, 'start' | 'end'> | undefined): Phase {
  const now = useServerNow(1000)
  if (!game) return 'before'
  return phaseOf({ startsAt: Date.parse(game.start), endsAt: Date.parse(game.end) }, now)
}

/** May the challenges be seen? Accepted, started, and running or practice. */
export const canPlay = (game: DetailedGame, phase: Phase): boolean =>
  game.status === 'Accepted' && (phase === 'running' || (phase === 'ended' && game.practiceMode))
