import * as contract from '@vexil/contract/challenges'
import { myInstances } from '@vexil/contract/instances'
import { mustBeAbleToOpen } from '@vexil/core/participation'
import {
  ChallengeHasNoContainer,
  ContainerNotRunning,
  ContainersUnavailable,
  GameNotFound,
  NotTakingPart,
} from '@vexil/core/rules'
import { hasContainer } from '@vexil/core/vocabulary'
import type { Deps } from '../deps.ts'
import { type Http, route } from '../http/route.ts'
import { findInstanceScene } from './instances.queries.ts'

/** The players' calls. Without an engine there is no instance to extend or destroy, and none can be started. */
export function instanceRoutes(http: Http, { db }: Pick<Deps, 'db'>): void {
  async function mustHaveContainer(gameId: number, challengeId: number, accountId: string): Promise<void> {
    const scene = await findInstanceScene(db, gameId, challengeId, accountId)
    mustBeAbleToOpen(scene)
    if (!scene.type || !hasContainer(scene.type)) throw new ChallengeHasNoContainer()
  }

  route(http, contract.createContainer, async ({ params, actor }) => {
    await mustHaveContainer(params.id, params.cid, actor.id)
    throw new ContainersUnavailable()
  })
  route(http, contract.extendContainer, async ({ params, actor }) => {
    await mustHaveContainer(params.id, params.cid, actor.id)
    throw new ContainerNotRunning()
  })
  route(http, contract.destroyContainer, async ({ params, actor }) => {
    await mustHaveContainer(params.id, params.cid, actor.id)
    throw new ContainerNotRunning()
  })

  route(http, myInstances, async ({ params, actor }) => {
    const { game, status } = await findInstanceScene(db, params.id, 0, actor.id)
    if (!game) throw new GameNotFound()
    if (!status) throw new NotTakingPart()
    return []
  })
}
