import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { DetailedGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import { Refusal } from '../api/client.ts'
import { pollWithout, useJittered, useLive } from '../api/live.ts'
import { refetch } from '../api/live-data.ts'
import { keys } from '../api/query-keys.ts'
import { gameQuery } from '../api/shared.queries.ts'

/** The game, reloaded on messages; polled without the channel. */
export function useGame(id: number) {
  const queries = useQueryClient()
  const refetchGame = () => refetch(queries, keys.game(id).detail)
  const refetchSoon = useJittered(refetchGame)
  const live = useLive({
    hub: '/hub/user',
    game: id,
    handlers: {
      VexilGame: ({ what }) => {
        if (what === 'game') refetchGame()
        if (what === 'participations') refetchSoon()
      },
      // Screens find the own team by its name.
      VexilRoster: ({ teams }) => {
        const { registered } = queries.getQueryData<DetailedGame>(keys.game(id).detail) ?? {}
        if (registered && teams.some((team) => team.id in registered)) refetchGame()
      },
    },
    reads: [keys.game(id).detail],
  })
  return useQuery({
    ...gameQuery(id),
    refetchInterval: ({ state: { error } }) => !(error instanceof Refusal && error.http === 404) && pollWithout(live),
  })
}

/** Whether the challenges are visible: accepted, started, and running or practice. */
export const canPlay = (game: DetailedGame, phase: Phase): boolean =>
  game.status === 'Accepted' && (phase === 'running' || (phase === 'ended' && game.practiceMode))
