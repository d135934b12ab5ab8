/** What the account screens ask of the server, and what each makes stale. */
import { useQueryClient } from '@tanstack/react-query'
import { keys } from '../api/query-keys.ts'
import { notifyOtherTabs, profileQuery } from '../shell/session.ts'

/** After signing in: the profile is fetched before the next screen decides who is looking, and everything personal is stale. */
export function useEntered(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    notifyOtherTabs()
    // Signed in, but the account cannot be loaded now: it is retried automatically (SESS-1).
    await queries.fetchQuery({ ...profileQuery, staleTime: 0 }).catch(() => {})
    await queries.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[0] !== keys.profile[0] && queryKey[0] !== keys.config[0],
    })
  }
}
