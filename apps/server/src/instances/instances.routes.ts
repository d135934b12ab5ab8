import * as contract from '@vexil/contract/challenges'
import { myInstances } from '@vexil/contract/instances'
import { GameNotFound, NotTakingPart } from '@vexil/core/rules'
import { containerInfo } from '../challenges/container-info.ts'
import type { Deps } from '../deps.ts'
import { prefersAsync } from '../http/prefer.ts'
import { type Http, route } from '../http/route.ts'
import { destroyInstance } from './destroy-instance.ts'
import { extendInstance } from './extend-instance.ts'
import { findCaller, listOfTeam } from './instances.queries.ts'
import { type StartDeps, startInBackground, startInstance } from './start-instance.ts'

export function instanceRoutes(http: Http, deps: Deps & Pick<StartDeps, 'readyWatch' | 'starts'>): void {
  const { db, config } = deps
  route(http, contract.createContainer, async ({ params, by, request, reply }) => {
    const call = { gameId: params.id, challengeId: params.cid, by }
    if (!prefersAsync(request)) return startInstance(deps, call)
    const info = await startInBackground(deps, call)
    reply.code(202).header('preference-applied', 'respond-async')
    return info
  })
  route(http, contract.extendContainer, ({ params, by }) =>
    extendInstance(deps, { gameId: params.id, challengeId: params.cid, by }),
  )
  route(http, contract.destroyContainer, ({ params, by }) =>
    destroyInstance(deps, { gameId: params.id, challengeId: params.cid, by }),
  )

  route(http, myInstances, async ({ params, actor }) => {
    const { game, status, participationId } = await findCaller(db, params.id, actor.id)
    if (!game) throw new GameNotFound()
    if (!status || participationId === null) throw new NotTakingPart()
    return (await listOfTeam(db, participationId)).map((row) => ({
      ...containerInfo(row, game, config),
      challengeId: row.challengeId,
    }))
  })
}
