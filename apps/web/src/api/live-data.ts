import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** Changes a list now and again after a response in flight, which may lack the entry: `change` must be idempotent. */
export function patchList<T>(queries: QueryClient, queryKey: QueryKey, change: (list: T[]) => T[]): void {
  const keep = () => void queries.setQueryData<T[]>(queryKey, (list) => list && change(list))
  keep()
  const query = queries.getQueryCache().find({ queryKey, fetchStatus: 'fetching' })
  query?.promise?.then(keep, () => {})
}

/** Reloads what has changed. A first response in flight may be older than the change, so it is awaited. */
export function refetch(queries: QueryClient, queryKey: QueryKey): void {
  const first = queries
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: 'fetching', predicate: ({ state }) => state.data === undefined })
  void Promise.allSettled(first.map(({ promise }) => promise)).then(() => queries.invalidateQueries({ queryKey }))
}

/** Whether the data is being requested, or was requested less than `ms` ago. */
export function isFresh(queries: QueryClient, queryKey: QueryKey, ms: number): boolean {
  const found = queries.getQueryCache().findAll({ queryKey })
  return found.every(({ state: { data, dataUpdatedAt, fetchStatus } }) => {
    const age = Date.now() - dataUpdatedAt
    return data === undefined ? fetchStatus === 'fetching' : age >= 0 && age < ms
  })
}
