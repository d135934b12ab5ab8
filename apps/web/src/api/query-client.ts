import { QueryClient } from '@tanstack/react-query'
import { Refusal } from './client.ts'
import { onReturn } from './connection.ts'

/** A refusal will be the same a moment later; only a server that is away is asked again. */
const worthRepeating = (error: unknown) => error instanceof Refusal && (error.http === 0 || error.http >= 500)

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      gcTime: 30 * 60_000,
      retry: (failures, error) => failures < 2 && worthRepeating(error),
      retryDelay: (failures) => 500 * 2 ** failures,
      // Without this a query started offline neither fails nor answers.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/** Refetches of many browsers are spread; what failed is asked for at once. */
const spreadMs = 1500

/**
 * Whenever the platform is back, what is on screen is asked for again: at once where there is nothing to show, soon where it may be old.
 * Returns how to stop.
 */
export function healQueries(queries: QueryClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = onReturn((wasAway) => {
    // A call that was swallowed would hold its query for minutes.
    if (wasAway) void queries.cancelQueries({ fetchStatus: 'fetching' }, { silent: true })
    void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status !== 'success' || state.error !== null })
    if (!wasAway) return
    clearTimeout(timer)
    timer = setTimeout(() => void queries.invalidateQueries(), Math.random() * spreadMs)
  })
  return () => {
    clearTimeout(timer)
    stop()
  }
}
