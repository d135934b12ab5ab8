import * as endpoints from '@vexil/contract/teams'
import { pages } from '@vexil/core/limits'
import type { Deps } from '../deps.ts'
import { pageOf } from '../http/paging.ts'
import { type Http, route } from '../http/route.ts'
import { administerTeam } from './administer-team.ts'
import { deleteTeam } from './disband-team.ts'
import { listTeamPage, searchTeams } from './teams.queries.ts'
import { teamView } from './teams.view.ts'

const listView = ({ teams, total }: Awaited<ReturnType<typeof listTeamPage>>) => ({
  data: teams.map((team) => ({ ...teamView(team), solves: team.solves })),
  length: teams.length,
  total,
})

export function teamAdminRoutes(http: Http, deps: Pick<Deps, 'db' | 'bus' | 'log' | 'storage' | 'onError'>): void {
  const { db } = deps

  route(http, endpoints.listTeams, async ({ query }) => listView(await listTeamPage(db, pageOf(query, pages.teams))))

  route(http, endpoints.searchTeams, async ({ query }) =>
    listView(await searchTeams(db, query.hint, pageOf(query, pages.search))),
  )

  route(http, endpoints.adminUpdateTeam, async ({ body, params, by }) => administerTeam(deps, by, params.id, body))

  route(http, endpoints.adminDeleteTeam, async ({ params, by }) => deleteTeam(deps, by, params.id))
}
