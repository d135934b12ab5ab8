import { useQueryClient } from '@tanstack/react-query'
import { keys } from '../api/query-keys.ts'
import { notifyOtherTabs, profileQuery } from '../shell/session.ts'

/** After signing in: loads the profile before the next screen checks the role, and invalidates personal data. */
export function useEntered(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    notifyOtherTabs()
    // Signed in, but the account cannot be loaded now: it is retried automatically.
    await queries.fetchQuery({ ...profileQuery, staleTime: 0 }).catch(() => {})
    await queries.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[0] !== keys.profile[0] && queryKey[0] !== keys.config[0],
    })
  }
}
