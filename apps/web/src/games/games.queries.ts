import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { latestPosts } from '@vexil/contract/site'
import { call } from '../api/client.ts'
import { type Listeners, type LiveState, useJittered, useLive } from '../api/live.ts'
import { refetch } from '../api/live-data.ts'
import { keys } from '../api/query-keys.ts'

export const latestPostsQuery = queryOptions({
  queryKey: keys.posts.latest,
  queryFn: ({ signal }) => call(latestPosts, { signal }),
  staleTime: 300_000,
})

export function useParticipationChanged(id: number): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: keys.game(id).all }),
      queries.invalidateQueries({ queryKey: keys.myGames }),
      queries.invalidateQueries({ queryKey: keys.teams.all }),
    ])
  }
}

/** Visitors follow changes of the game itself, such as its end or its deletion. */
export function useGamePushes(id: number, member: boolean): LiveState {
  const queries = useQueryClient()
  const reads = [keys.game(id).detail, keys.myGames]
  const refresh = () => {
    for (const queryKey of reads) refetch(queries, queryKey)
  }
  const refreshSoon = useJittered(refresh)
  const handlers: Listeners<'/hub/user'> = {
    VexilGame: ({ what }) => {
      if (member) return what === 'participations' ? refreshSoon() : refresh()
      if (what === 'game') refreshSoon()
    },
  }
  return useLive({ hub: '/hub/user', game: id, handlers, reads, ...(!member && { repeatedFor: 10_000 }) })
}
