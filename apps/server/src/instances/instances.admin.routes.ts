import * as contract from '@vexil/contract/challenges'
import {
  destroyInstance,
  engineStatus,
  isolationProbe,
  listInstances,
  lookUpImage,
  startIsolationProbe,
} from '@vexil/contract/instances'
import { containerInfo } from '../challenges/container-info.ts'
import type { Deps } from '../deps.ts'
import { type Http, route } from '../http/route.ts'
import { destroyAnyInstance } from './destroy-instance.ts'
import { lookUp, watchEngine } from './engine-status.ts'
import { listInstances as listRows } from './instances.queries.ts'
import { instanceView } from './instances.view.ts'
import { destroyTestContainer, startTestContainer } from './test-container.ts'
import { tryTestContainer } from './try-container.ts'
import { isolationProbe as findIsolation, startIsolationProbe as startProbe } from './try-isolation.ts'

export function instanceAdminRoutes(http: Http, deps: Deps): void {
  const { db, config } = deps
  route(http, contract.createTestContainer, async ({ params, by }) =>
    containerInfo(
      await startTestContainer(deps, { gameId: params.id, challengeId: params.cid, by }),
      null,
      config.containerEntry,
    ),
  )
  route(http, contract.tryTestContainer, ({ params }) => tryTestContainer(deps, { gameId: params.id, challengeId: params.cid }))
  route(http, contract.deleteTestContainer, ({ params, by }) =>
    destroyTestContainer(deps, { gameId: params.id, challengeId: params.cid, by }),
  )

  route(http, listInstances, async () => {
    const data = (await listRows(db)).map((row) => instanceView(row, config.containerEntry))
    return { data, length: data.length, total: data.length }
  })
  route(http, engineStatus, watchEngine(deps.engine))
  route(http, isolationProbe, () => findIsolation(deps))
  route(http, startIsolationProbe, ({ by }) => startProbe(deps, by))
  route(http, lookUpImage, ({ query }) => lookUp(deps.engine, query.name))
  route(http, destroyInstance, ({ params, by }) => destroyAnyInstance(deps, params.guid, by))
}
