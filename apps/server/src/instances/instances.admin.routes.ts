import * as contract from '@vexil/contract/challenges'
import { destroyInstance, listInstances } from '@vexil/contract/instances'
import { ChallengeHasNoContainer, ChallengeImageMissing, ContainersUnavailable, InstanceNotFound } from '@vexil/core/rules'
import { type ChallengeType, hasContainer } from '@vexil/core/vocabulary'
import { getChallenge } from '../challenges/challenges.queries.ts'
import type { Deps } from '../deps.ts'
import { type Http, route } from '../http/route.ts'

/** Test containers and all instances. Without an engine none can be started, and none is there to be destroyed. */
export function instanceAdminRoutes(http: Http, { db }: Pick<Deps, 'db'>): void {
  route(http, contract.createTestContainer, async ({ params }) => {
    const challenge = await getChallenge(db, params.id, params.cid)
    if (!hasContainer(challenge.type as ChallengeType)) throw new ChallengeHasNoContainer()
    if (challenge.containerImage === '') throw new ChallengeImageMissing()
    throw new ContainersUnavailable()
  })
  route(http, contract.deleteTestContainer, async ({ params }) => {
    await getChallenge(db, params.id, params.cid)
  })

  route(http, listInstances, async () => ({ data: [], length: 0, total: 0 }))
  route(http, destroyInstance, async () => {
    throw new InstanceNotFound()
  })
}
