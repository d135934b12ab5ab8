import * as contract from '@vexil/contract/challenges'
import {
  destroyInstance,
  engineStatus,
  failingChecks,
  gameImages,
  isolationProbe,
  listInstances,
  lookUpImage,
  pullGameImages,
  silentChallenges,
  startIsolationProbe,
} from '@vexil/contract/instances'
import { wireTime } from '@vexil/contract/wire'
import { marksChallenge } from '@vexil/core/checks'
import { ChallengeHasNoCheck, GameNotFound } from '@vexil/core/rules'
import { getChallenge, listFailures } from '../challenges/challenges.queries.ts'
import type { Deps } from '../deps.ts'
import { findGame } from '../games/games.queries.ts'
import { type Http, route } from '../http/route.ts'
import { destroyAnyInstance } from './destroy-instance.ts'
import { lookUp, watchEngine } from './engine-status.ts'
import { gameImages as imagesOf, pullGameImages as pullImages } from './image-pulls.ts'
import { listInstances as listRows } from './instances.queries.ts'
import { instanceView } from './instances.view.ts'
import { listSilent } from './ready-watch.queries.ts'
import { findCheck, listChecks } from './solver-checks.queries.ts'
import type { SolverChecks } from './solver-checks.ts'
import { checkDetailView, checkView } from './solver-checks.view.ts'
import type { StartDeps } from './start-instance.ts'
import { destroyTestContainer, startTestContainer } from './test-container.ts'
import { tryTestContainer } from './try-container.ts'
import { isolationProbe as findIsolation, startIsolationProbe as startProbe } from './try-isolation.ts'

export function instanceAdminRoutes(
  http: Http,
  deps: Deps & Pick<StartDeps, 'readyWatch' | 'starts'> & { readonly solverChecks: SolverChecks },
): void {
  const { db, config } = deps
  route(http, contract.createTestContainer, ({ params, by }) =>
    startTestContainer(deps, { gameId: params.id, challengeId: params.cid, by }),
  )
  route(http, contract.tryTestContainer, ({ params }) => tryTestContainer(deps, { gameId: params.id, challengeId: params.cid }))
  route(http, contract.deleteTestContainer, ({ params, by }) =>
    destroyTestContainer(deps, { gameId: params.id, challengeId: params.cid, by }),
  )

  route(http, contract.listSolverChecks, async ({ params }) => {
    await getChallenge(db, params.id, params.cid)
    return (await listChecks(db, params.cid)).map(checkView)
  })
  route(http, contract.startSolverCheck, async ({ params, by }) =>
    checkDetailView(await deps.solverChecks.requestCheck({ gameId: params.id, challengeId: params.cid, by })),
  )
  route(http, contract.getSolverCheck, async ({ params }) => {
    await getChallenge(db, params.id, params.cid)
    const check = await findCheck(db, params.cid, params.check)
    if (!check) throw new ChallengeHasNoCheck()
    return checkDetailView(check)
  })
  route(http, failingChecks, async ({ params }) => {
    if (!(await findGame(db, params.id))) throw new GameNotFound()
    return (await listFailures(db, { gameId: params.id }))
      .filter(({ enabled, failures }) => enabled && marksChallenge(failures))
      .map(({ challengeId, title, since }) => ({ challengeId, title, since: wireTime(since) }))
  })

  route(http, listInstances, async () => {
    const data = (await listRows(db)).map((row) => instanceView(row, config))
    return { data, length: data.length, total: data.length }
  })
  route(http, engineStatus, watchEngine(deps.engine))
  route(http, isolationProbe, () => findIsolation(deps))
  route(http, startIsolationProbe, ({ by }) => startProbe(deps, by))
  route(http, lookUpImage, ({ query }) => lookUp(deps.engine, query.name))
  route(http, gameImages, ({ params }) => imagesOf(deps, params.id))
  route(http, pullGameImages, ({ params, by }) => pullImages(deps, params.id, by))
  route(http, silentChallenges, async ({ params }) => {
    if (!(await findGame(db, params.id))) throw new GameNotFound()
    return (await listSilent(db, params.id)).map((one) => ({ ...one, since: wireTime(one.since) }))
  })
  route(http, destroyInstance, ({ params, by }) => destroyAnyInstance(deps, params.guid, by))
}
