import type { TeamInfo } from '@vexil/contract/teams'
import * as endpoints from '@vexil/contract/teams'
import { fileLimits } from '@vexil/core/limits'
import { TeamNotFound } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import { type Http, route } from '../http/route.ts'
import { oneFile } from '../http/uploads.ts'
import { changeTeamAvatar, mustOwnTeam } from './change-team-avatar.ts'
import { createTeam } from './create-team.ts'
import { disbandTeam } from './disband-team.ts'
import { acceptInvite, inviteCode } from './invites.ts'
import { kickMember, leaveTeam } from './leave-team.ts'
import { mustBeTeamToken } from './team-token.ts'
import { findTeam, listTeamIdsOf, listTeams } from './teams.queries.ts'
import { teamView } from './teams.view.ts'
import { transferTeam } from './transfer-team.ts'
import { updateTeam } from './update-team.ts'

export function teamRoutes(http: Http, deps: Pick<Deps, 'db' | 'bus' | 'log' | 'storage' | 'onError'>): void {
  const { db } = deps
  const shown = async (id: number): Promise<TeamInfo> => {
    const team = await findTeam(db, id)
    if (!team) throw new TeamNotFound()
    return teamView(team)
  }

  route(http, endpoints.getTeam, async ({ params }) => shown(params.id))

  route(http, endpoints.myTeams, async ({ actor }) => {
    const teams = await listTeams(db, await listTeamIdsOf(db, actor.id))
    return teams.map(teamView)
  })

  route(http, endpoints.createTeam, async ({ body, by }) => teamView(await createTeam(deps, by, body)))

  route(http, endpoints.updateTeam, async ({ actor, body, params }) => {
    await updateTeam(deps, actor.id, { ...body, teamId: params.id })
    return shown(params.id)
  })

  route(http, endpoints.transferTeam, async ({ body, params, by }) => {
    await transferTeam(deps, by, { teamId: params.id, heirId: body.newCaptainId ?? '' })
    return shown(params.id)
  })

  route(http, endpoints.getInvite, async ({ actor, params }) => inviteCode(deps, actor.id, { teamId: params.id, renew: false }))

  route(http, endpoints.renewInvite, async ({ actor, params }) => inviteCode(deps, actor.id, { teamId: params.id, renew: true }))

  route(http, endpoints.acceptInvite, async ({ body, by }) => acceptInvite(deps, by, body))

  route(http, endpoints.leaveTeam, async ({ params, by }) => leaveTeam(deps, by, params.id))

  route(http, endpoints.kickMember, async ({ params, by }) => {
    const kicked = { teamId: params.id, kickedId: params.userId.toLowerCase() }
    await kickMember(deps, by, kicked)
    return shown(params.id)
  })

  route(http, endpoints.disbandTeam, async ({ params, by }) => disbandTeam(deps, by, params.id))

  route(http, endpoints.teamAvatar, async (call) => {
    const { actor, by, params } = call
    await mustOwnTeam(db, params.id, actor.id)
    return oneFile(http, call, { part: 'file', max: fileLimits.imageBytes }, ({ bytes }) =>
      changeTeamAvatar(deps, by, params.id, bytes),
    )
  })

  route(http, endpoints.verifyTeamToken, async ({ body }) => mustBeTeamToken(body.teamToken, body.publicKey))
}
