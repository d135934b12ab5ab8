import { QueryClient } from '@tanstack/react-query'
import { Refusal } from './client.ts'

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
