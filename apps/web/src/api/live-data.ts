/** What the channel tells and what the server answers, together: an answer that is under way may be older than what was just heard. */
import type { QueryClient, QueryKey } from '@tanstack/react-query'

/**
 * Changes a list by what was heard. An answer that is under way may be older than that and would take its place, so it is changed alike
 * when it comes: `change` must leave alone what holds the entry already.
 */
export function patchList<T>(queries: QueryClient, queryKey: QueryKey, change: (list: T[]) => T[]): void {
  const keep = () => void queries.setQueryData<T[]>(queryKey, (list) => list && change(list))
  keep()
  const query = queries.getQueryCache().find({ queryKey, fetchStatus: 'fetching' })
  query?.promise?.then(keep, () => {})
}

/** Reads again what has changed. A first answer that is under way may be older than the change, so it is waited for (LIVE-2). */
export function refetch(queries: QueryClient, queryKey: QueryKey): void {
  const first = queries
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: 'fetching', predicate: ({ state }) => state.data === undefined })
  void Promise.allSettled(first.map(({ promise }) => promise)).then(() => queries.invalidateQueries({ queryKey }))
}
