import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { getInvite, type TeamInfo } from '@vexil/contract/teams'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'

/** Only captains may request it; the key is per team, so that one never shows another's. */
export const inviteQuery = (id: number) =>
  queryOptions({
    queryKey: keys.teams.invite(id),
    queryFn: ({ signal }) => call(getInvite, { params: { id }, signal }),
    gcTime: 0,
  })

export function useTeamsChanged(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    await queries.invalidateQueries({ queryKey: keys.teams.mine })
    void queries.invalidateQueries({ queryKey: keys.myGames })
    void queries.invalidateQueries({ queryKey: ['game'] })
  }
}

export const captainOf = (team: TeamInfo) => team.members?.find((member) => member.captain)

/** Captain first, the others in order of joining. */
export function sortMembers(team: TeamInfo) {
  return [...(team.members ?? [])].sort((a, b) => Number(b.captain) - Number(a.captain))
}
