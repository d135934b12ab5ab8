import { QueryClient } from '@tanstack/react-query'
import { Refusal } from './client.ts'
import { onReturn } from './connection.ts'

/** Only network and server errors are retried; other refusals are final. */
const isRetryable = (error: unknown) => error instanceof Refusal && (error.http === 0 || error.http >= 500)

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      gcTime: 30 * 60_000,
      retry: (failures, error) => failures < 2 && isRetryable(error),
      retryDelay: (failures) => 500 * 2 ** failures,
      // By default a query started offline neither fails nor completes.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/** Spreads the refetches of many browsers; failed queries refetch at once. */
const spreadMs = 1500

/** Refetches active queries when the platform returns, first those that failed or have no data. Returns a function that stops it. */
export function refetchOnReturn(queries: QueryClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = onReturn((wasOffline) => {
    // A swallowed call would hold its query for minutes.
    if (wasOffline) void queries.cancelQueries({ fetchStatus: 'fetching' }, { silent: true })
    void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status !== 'success' || state.error !== null })
    if (!wasOffline) return
    clearTimeout(timer)
    timer = setTimeout(() => void queries.invalidateQueries(), Math.random() * spreadMs)
  })
  return () => {
    clearTimeout(timer)
    stop()
  }
}
