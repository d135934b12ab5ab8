/** The container with which an editor tests a challenge: at most one per challenge, for two hours, with a flag that no team can submit. */
import { randomInt, randomUUID } from 'node:crypto'
import type { ContainerInfo } from '@vexil/contract/challenges'
import { makeTestFlag } from '@vexil/core/flags'
import { containerLease, testContainerLife } from '@vexil/core/limits'
import {
  ChallengeHasNoContainer,
  ChallengeImageMissing,
  ContainerNotDestroyed,
  ContainerRunning,
  ContainersUnavailable,
  TestContainerFailed,
} from '@vexil/core/rules'
import { type ChallengeType, generatesFlags, hasContainer } from '@vexil/core/vocabulary'
import { type Actor, audit } from '../audit.ts'
import { getChallenge } from '../challenges/challenges.queries.ts'
import { findContainer } from '../challenges/container-info.ts'
import { translated } from '../db/constraints.ts'
import { inTransaction } from '../db/transaction.ts'
import { endContainer } from './end-container.ts'
import { insertContainer } from './instances.queries.ts'
import { type LaunchDeps, launch, messageOf, subnetCount } from './launch.ts'
import { type StartDeps, startedInfo } from './start-instance.ts'

interface TestCall {
  readonly gameId: number
  readonly challengeId: number
  readonly by: Actor
}

/**
 * Starts the test container; an earlier one is destroyed first.
 * @throws GameNotFound, ChallengeNotFound, ChallengeHasNoContainer, ChallengeImageMissing, ContainersUnavailable, ContainerNotDestroyed,
 * ContainerRunning (another was started at the same instant), TestContainerFailed
 */
export async function startTestContainer(deps: StartDeps, { gameId, challengeId, by }: TestCall): Promise<ContainerInfo> {
  const startedAt = performance.now()
  const challenge = await getChallenge(deps.db, gameId, challengeId)
  if (!hasContainer(challenge.type as ChallengeType)) throw new ChallengeHasNoContainer()
  if (challenge.containerImage === '') throw new ChallengeImageMissing()
  if (deps.engine.kind === 'None') throw new ContainersUnavailable()
  await destroyEarlier(deps, challengeId)
  const flag = generatesFlags(challenge.type as ChallengeType)
    ? makeTestFlag(challenge.flagTemplate, { random: (n) => randomInt(n), makeGuid: () => randomUUID() })
    : null
  const id = randomUUID()
  const row = {
    id,
    challengeId,
    participationId: null,
    accountId: by.id,
    slot: null,
    image: challenge.containerImage,
    capture: false,
    node: deps.node,
  }
  try {
    const subnetIndex = await translated(
      inTransaction(deps.db, (tx) => insertContainer(tx, row, { subnets: subnetCount(deps), leaseMs: containerLease })),
    )
    const instance = { id, subnetIndex, challenge, participationId: null, team: 'admin', accountId: by.id, flag }
    const running = await launch(deps, { ...instance, lifetime: testContainerLife })
    audit(deps, by, `Started test container of ${challenge.title} (#${challengeId})`)
    return startedInfo(deps, running, null, startedAt)
  } catch (error) {
    if (error instanceof ContainerRunning) throw error
    const reason = messageOf((error as Error).cause ?? error)
    const message = `Could not start test container of ${challenge.title} (#${challengeId}): ${reason}`
    deps.log.write({ level: 'Warning', status: 'Failed', name: by.userName, ip: by.ip, message })
    throw new TestContainerFailed({ reason })
  }
}

/** Succeeds if there is none. @throws GameNotFound, ChallengeNotFound, ContainerNotDestroyed */
export async function destroyTestContainer(deps: LaunchDeps, { gameId, challengeId, by }: TestCall): Promise<void> {
  const challenge = await getChallenge(deps.db, gameId, challengeId)
  if (await destroyEarlier(deps, challengeId)) audit(deps, by, `Destroyed test container of ${challenge.title} (#${challengeId})`)
}

/** Returns whether there was one. @throws ContainerNotDestroyed */
async function destroyEarlier(deps: LaunchDeps, challengeId: number): Promise<boolean> {
  const earlier = await findContainer(deps.db, { challengeId, participationId: null })
  if (!earlier) return false
  if (!(await endContainer(deps, earlier.id, { by: 'administrator' }))) throw new ContainerNotDestroyed()
  return true
}
