import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { listTeams, searchTeams } from '@vexil/contract/teams'
import { listUsers, searchUsers } from '@vexil/contract/users'
import type { Role } from '@vexil/core/vocabulary'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { slice } from './use-list-address.ts'

export interface UserFilter {
  /** Search text; may be empty. */
  readonly hint: string
  readonly role: Role | null
  readonly activity: 'active' | 'inactive' | null
  readonly page: number
}

export const usersQuery = (filter: UserFilter) =>
  queryOptions({
    queryKey: keys.admin.users(filter),
    queryFn: ({ signal }) => {
      const { hint, role, activity, page } = filter
      const narrowed = { ...(role && { role }), ...(activity && { active: activity === 'active' }), ...slice(page) }
      return hint === ''
        ? call(listUsers, { query: narrowed, signal })
        : call(searchUsers, { query: { hint, ...narrowed }, signal })
    },
    placeholderData: keepPreviousData,
  })

/** After a change of accounts, which may include one's own. */
export function useUsersChanged(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    void queries.invalidateQueries({ queryKey: keys.profile })
    void queries.invalidateQueries({ queryKey: keys.admin.teams() })
    await queries.invalidateQueries({ queryKey: keys.admin.users() })
  }
}

export const teamsQuery = (filter: { readonly hint: string; readonly page: number }) =>
  queryOptions({
    queryKey: keys.admin.teams(filter),
    queryFn: ({ signal }) => {
      const { hint, page } = filter
      return hint === ''
        ? call(listTeams, { query: slice(page), signal })
        : call(searchTeams, { query: { hint, ...slice(page) }, signal })
    },
    placeholderData: keepPreviousData,
  })

/** After a change of a team: members and boards show it, too. */
export function useTeamsChanged(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    void queries.invalidateQueries({ queryKey: keys.teams.all })
    void queries.invalidateQueries({ queryKey: ['game'] })
    await queries.invalidateQueries({ queryKey: keys.admin.teams() })
  }
}
