/** Starts the container of a reserved row. After a failure at any step, the sweep ends the remaining row. */
import { flagVariables, teamVariables } from '@vexil/core/interop'
import { containerLease } from '@vexil/core/limits'
import {
  ContainerEngineBusy,
  ContainerEngineUnreachable,
  ContainerImagePending,
  ContainerNotCreated,
  RuleError,
} from '@vexil/core/rules'
import type { Selectable } from 'kysely'
import { severalOf } from '../challenges/challenges.view.ts'
import type { ContainerRow } from '../challenges/container-info.ts'
import type { DB } from '../db/schema.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { counts, observe } from '../metrics/counts.ts'
import {
  type AdditionalContainer,
  type ContainerSpec,
  type CreateWatch,
  EngineError,
  type Started,
  unlessStopped,
} from '../ports/engine/engine.ts'
import { endContainer, finishEnding } from './end-container.ts'
import { moveToFreeSubnet, renewLeases, setEnded, setRunning } from './instances.queries.ts'
import type { Starts } from './starts.ts'

export type LaunchDeps = Pick<Deps, 'db' | 'bus' | 'log' | 'engine' | 'settings' | 'config' | 'node' | 'onError'> & {
  readonly starts: Starts
}

export interface NewInstance {
  readonly id: string
  readonly subnetIndex: number
  readonly challenge: Selectable<DB['challenges']>
  readonly participationId: number | null
  /** Passed to the container and shown by the engine's tools: a number, or `admin` in a test container. */
  readonly team: string
  /** Null: the platform. */
  readonly accountId: string | null
  readonly flag: string | null
  /** Minutes. */
  readonly lifetime: number
  /** Ids of containers with the state `Ending` that are removed first, because this one takes their place. */
  readonly evicted?: readonly string[]
  readonly record?: (tx: Tx) => Promise<void>
  /** Waits for images until they are pulled. */
  readonly waitsForImages?: boolean
  /** The program of a solver check. */
  readonly beside?: AdditionalContainer
}

const subnetsTried = 3

/** Number of networks of eight addresses in the configured range. */
export const subnetCount = ({ config }: Pick<Deps, 'config'>): number => 2 ** (29 - Number(config.dockerSubnets.split('/')[1]))

/** Starts the container of a Pending row. @throws ContainerEngineUnreachable, ContainerImagePending, ContainerEngineBusy, ContainerNotCreated with the reason as `cause` */
export const launch = (deps: LaunchDeps, instance: NewInstance): Promise<ContainerRow> =>
  deps.starts.run(
    {
      ...{ id: instance.id, challengeId: instance.challenge.id, participationId: instance.participationId },
      waitsForImages: instance.waitsForImages ?? false,
    },
    (watch) => launchWatched(deps, instance, watch),
  )

async function launchWatched(deps: LaunchDeps, instance: NewInstance, given: CreateWatch): Promise<ContainerRow> {
  const startedAt = performance.now()
  let isCreating = false
  const watch: CreateWatch = {
    ...given,
    seen: (phase, percent) => {
      isCreating ||= phase === 'creating'
      given.seen(phase, percent)
    },
  }
  const renewing = setInterval(
    () => void renewLeases(deps.db, [instance.id], containerLease).catch(deps.onError),
    containerLease / 3,
  )
  try {
    await unlessStopped(finishAll(deps, instance.evicted ?? []), given.signal)
    const started = await create(deps, instance, watch)
    const row = await inTransaction(deps.db, async (tx) => {
      const running = await setRunning(tx, instance.id, {
        ...started,
        lifetime: instance.lifetime,
        readyTimeout: instance.challenge.readyTimeout,
      })
      if (running) await instance.record?.(tx)
      return running
    })
    if (!row) throw new EngineError('stopped', 'It was stopped before it started')
    observe(counts.instanceStarts, (performance.now() - startedAt) / 1000)
    return row
  } catch (error) {
    const refusal = refusalOf(error)
    const failureCode = refusal instanceof RuleError ? refusal.code : undefined
    // The engine has no objects of a start that was stopped in its queue, and may be busy with others.
    if (isStopped(error) && !isCreating) await setEnded(deps.db, instance.id)
    else
      await endContainer(deps, instance.id, {
        by: 'failure',
        problem: messageOf(refusal.cause ?? error),
        ...(failureCode && { failureCode }),
      })
    throw refusal
  } finally {
    clearInterval(renewing)
  }
}

async function finishAll(deps: LaunchDeps, ids: readonly string[]): Promise<void> {
  for (const id of ids) await finishEnding(deps, id)
}

async function create(deps: LaunchDeps, instance: NewInstance, watch: CreateWatch): Promise<Started> {
  let { subnetIndex } = instance
  for (let tries = 1; ; tries++) {
    try {
      return await deps.engine.create({ ...specOf(deps, instance), subnetIndex }, watch)
    } catch (error) {
      if (!(error instanceof EngineError) || error.problem !== 'subnet' || tries === subnetsTried) throw error
      await deps.engine.destroy(instance.id)
      subnetIndex = await moveToFreeSubnet(deps.db, instance.id, subnetCount(deps))
    }
  }
}

function specOf(
  { settings }: LaunchDeps,
  { id, challenge, team, accountId, flag, beside }: NewInstance,
): Omit<ContainerSpec, 'subnetIndex'> {
  const more = settings
    .get()
    ['ContainerPolicy:FlagVariables'].split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  const named = (names: readonly string[], value: string) => Object.fromEntries(names.map((name) => [name, value]))
  const ofTeam = { ...(flag !== null && named([...more, ...flagVariables], flag)), ...named(teamVariables, team) }
  const { additionalContainers, namedPorts } = severalOf(challenge)
  return {
    id,
    name: `chal-${challenge.id}`,
    labels: {
      app: 'ctf',
      'ctf.container': id,
      'ctf.team': team,
      'ctf.user': accountId ?? '',
      'ctf.challenge': String(challenge.id),
    },
    image: challenge.containerImage,
    environment: ofTeam,
    port: challenge.exposePort,
    cpuCount: challenge.cpuCount,
    memoryLimit: challenge.memoryLimit,
    storageLimit: challenge.storageLimit,
    isolated: challenge.network === 'Isolated',
    hasReadyCheck: challenge.readyTimeout > 0,
    strict: challenge.profile === 'strict',
    runtime: challenge.runtime,
    namedPorts,
    additional: [
      ...additionalContainers.map(({ environment, getsFlag, image, ...one }) => ({
        ...one,
        image: image.trim(),
        environment: { ...Object.fromEntries(environment.map(({ name, value }) => [name, value])), ...(getsFlag && ofTeam) },
        runsOnce: false,
      })),
      ...(beside ? [beside] : []),
    ],
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 2000)

/** True also for the refusal that `launch` throws. */
export const isStopped = (error: unknown): boolean =>
  error instanceof EngineError ? error.problem === 'stopped' : error instanceof Error && isStopped(error.cause)

function refusalOf(error: unknown): Error {
  if (!(error instanceof EngineError)) return error as Error
  const refusal = {
    unreachable: () => new ContainerEngineUnreachable(),
    pulling: () => new ContainerImagePending(),
    busy: () => new ContainerEngineBusy(),
    image: () => new ContainerNotCreated(),
    subnet: () => new ContainerNotCreated(),
    failed: () => new ContainerNotCreated(),
    stopped: () => new ContainerNotCreated(),
  }[error.problem]()
  return Object.assign(refusal, { cause: error })
}
