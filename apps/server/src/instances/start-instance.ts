import { randomUUID } from 'node:crypto'
import type { ContainerInfo } from '@vexil/contract/challenges'
import { mustBeAbleToStart } from '@vexil/core/instances'
import { containerLease, startAnswersWithin } from '@vexil/core/limits'
import { type GameTimes, phaseOf } from '@vexil/core/phases'
import {
  ChallengeHasNoContainer,
  ChallengeNotFound,
  ContainerEngineUnreachable,
  ContainerNotCreated,
  ContainersUnavailable,
  ParticipationNotAccepted,
  RuleError,
} from '@vexil/core/rules'
import { generatesFlags, hasContainer } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { type Actor, audit } from '../audit.ts'
import { type ContainerRow, containerInfo, entriesOf, entryOf, findContainer, tlsEntryOf } from '../challenges/container-info.ts'
import { enterChallenge } from '../challenges/open-challenge.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { addEvent } from '../games/games.queries.ts'
import { EngineError } from '../ports/engine/engine.ts'
import { finishEnding } from './end-container.ts'
import { insertContainer, setEnding } from './instances.queries.ts'
import { isStopped, type LaunchDeps, launch, messageOf, type NewInstance, subnetCount } from './launch.ts'
import type { ReadyWatch } from './ready-watch.ts'

export type StartDeps = LaunchDeps & { readonly readyWatch: ReadyWatch }

export interface InstanceCall {
  readonly gameId: number
  readonly challengeId: number
  readonly by: Actor
}

/**
 * Starts the team's instance of a challenge. The team's row is locked while its instances are counted, and unique indexes enforce one
 * instance per challenge and per place under the limit. The engine is called after the commit. Waits for the service for a while.
 * @throws as enterChallenge, ChallengeHasNoContainer, ContainersUnavailable, as mustBeAbleToStart, as launch
 */
export async function startInstance(deps: StartDeps, call: InstanceCall): Promise<ContainerInfo> {
  const requestedAt = performance.now()
  const reserved = await reserveInstance(deps, call)
  return startedInfo(deps, await startReserved(deps, call, reserved, false), reserved.game, requestedAt)
}

/** As startInstance, but resolves once the instance is reserved. The team is notified of what follows, and the row keeps a failure. */
export async function startInBackground(deps: StartDeps, call: InstanceCall): Promise<ContainerInfo> {
  const reserved = await reserveInstance(deps, call)
  const { row, game } = reserved
  const { gameId, challengeId } = call
  deps.bus.publish('instance.changed', { gameId, challengeId, participationId: reserved.instance.participationId })
  startReserved(deps, call, reserved, true)
    .then((started) => deps.readyWatch.until(started.id, 0))
    .catch((error: unknown) => {
      if (!(error instanceof RuleError)) deps.onError(error)
    })
  return containerInfo(row, game, deps.config)
}

type Reserved = Awaited<ReturnType<typeof reserveInstance>>

async function reserveInstance(deps: StartDeps, { gameId, challengeId, by }: InstanceCall) {
  const { challenge, participationId, game, now } = await enterChallenge(deps, { gameId, challengeId, accountId: by.id })
  if (!hasContainer(challenge.type)) throw new ChallengeHasNoContainer()
  if (deps.engine.kind === 'None') throw new ContainersUnavailable()
  const left = await findContainer(deps.db, { challengeId, participationId })
  // Finishes an ending container first; if the engine cannot, the start does not succeed either.
  if (left?.state === 'Ending') await finishEnding(deps, left.id)
  try {
    return { ...(await reserve(deps, { challengeId, participationId, accountId: by.id, game, now })), game }
  } catch (error) {
    if (error instanceof ContainerNotCreated) {
      const status = error.cause instanceof EngineError ? 'Failed' : 'Denied'
      const message = `Could not start instance of ${challenge.title} (#${challengeId}): ${messageOf(error.cause)}`
      deps.log.write({ level: 'Warning', status, name: by.userName, ip: by.ip, message })
    }
    throw error
  }
}

/** @throws as launch */
async function startReserved(
  deps: StartDeps,
  { gameId, challengeId, by }: InstanceCall,
  { instance, evicted, teamName }: Reserved,
  waitsForImages: boolean,
): Promise<ContainerRow> {
  const { participationId } = instance
  const { title } = instance.challenge
  const changed = (concerned: number) => deps.bus.publish('instance.changed', { gameId, challengeId: concerned, participationId })
  for (const other of evicted) {
    changed(other.challengeId)
    deps.bus.publish('event.recorded', { gameId, eventId: other.eventId })
    audit(deps, by, `Destroyed instance of ${other.title} (#${other.challengeId}) of ${teamName} to make room`)
  }
  let started = 0
  const record = async (tx: Tx) => {
    const values = [String(challengeId), title]
    started = await addEvent(tx, { gameId, participationId, accountId: by.id, type: 'ContainerStart', values })
  }
  try {
    const row = await launch(deps, { ...instance, evicted: evicted.map(({ id }) => id), record, waitsForImages })
    deps.bus.publish('event.recorded', { gameId, eventId: started })
    audit(deps, by, `Started instance of ${title} (#${challengeId}) for ${teamName}`)
    return row
  } catch (error) {
    // The end of a stopped start has a separate entry.
    if (isStopped(error)) throw error
    const reason = messageOf((error as Error).cause ?? error)
    const message = `Could not start instance of ${title} (#${challengeId}) for ${teamName}: ${reason}`
    deps.log.write({ level: 'Warning', status: 'Failed', name: by.userName, ip: by.ip, message })
    deps.bus.publish('start.changed', { gameId, challengeId, participationId })
    throw error
  } finally {
    changed(challengeId)
  }
}

/**
 * The answer to a start: once the service answers or is late, and after `startAnswersWithin` in any case. Existing clients read the address from it, so it
 * has one even while the service is awaited. `requestedAt`: ms of the monotonic clock.
 */
export async function startedInfo(
  { readyWatch, config }: Pick<StartDeps, 'readyWatch' | 'config'>,
  row: ContainerRow,
  game: Parameters<typeof containerInfo>[1],
  requestedAt: number,
): Promise<ContainerInfo> {
  const readiness =
    row.readiness === 'ready' ? 'ready' : await readyWatch.until(row.id, startAnswersWithin - (performance.now() - requestedAt))
  const info = containerInfo({ ...row, readiness }, game, config)
  return { ...info, entry: entryOf(row, config), tlsEntry: tlsEntryOf(row, config), entries: entriesOf(row, config) }
}

interface Reserving {
  readonly challengeId: number
  readonly participationId: number
  readonly accountId: string
  readonly game: GameTimes
  readonly now: number
}

interface Other {
  readonly id: string
  readonly challengeId: number
  readonly title: string
  readonly slot: number | null
}

/** Counts and reserves under the team's lock. Instances that must give way are marked as ending in the same transaction. */
async function reserve(deps: LaunchDeps, { challengeId, participationId, accountId, game, now }: Reserving) {
  const policy = deps.settings.get()
  return inTransaction(deps.db, async (tx) => {
    // A share lock: starts of all teams run concurrently, while a change of the challenge waits.
    const challenge = await tx.selectFrom('challenges').selectAll().where('id', '=', challengeId).forShare().executeTakeFirst()
    if (!challenge?.enabled) throw new ChallengeNotFound()
    const team = await lockTeamOf(tx, participationId)
    const mine = await findContainer(tx, { challengeId, participationId })
    const others = await listOthers(tx, { challengeId, participationId })
    const evicted = mustBeAbleToStart({
      now,
      actedAt: await lastAct(tx, { challengeId, participationId }),
      there: mine !== undefined && mine.state !== 'Ending',
      image: challenge.containerImage,
      port: challenge.exposePort,
      others: others.map(({ id }) => id),
      limit: team.limit,
      autoDestroy: policy['ContainerPolicy:AutoDestroyOnLimitReached'],
    })
    // The previous container is still ending, because the engine was unreachable.
    if (mine) throw new ContainerEngineUnreachable()
    const ended = []
    for (const other of others.filter(({ id }) => evicted.includes(id))) {
      await setEnding(tx, other.id, { by: 'limit' })
      const values = [String(other.challengeId), other.title]
      const event = { gameId: challenge.gameId, participationId, accountId, type: 'ContainerDestroy', values } as const
      ended.push({ ...other, eventId: await addEvent(tx, event) })
    }
    const id = randomUUID()
    const slot = team.limit === 0 ? null : freeSlot(others.filter((other) => !evicted.includes(other.id)))
    const capture = phaseOf(game, now) === 'running'
    const row = { id, challengeId, participationId, accountId, slot, image: challenge.containerImage, capture, node: deps.node }
    const subnetIndex = await insertContainer(tx, row, { subnets: subnetCount(deps), leaseMs: containerLease })
    const flag = generatesFlags(challenge.type as 'DynamicContainer') ? await flagOf(tx, { challengeId, participationId }) : null
    const lifetime = policy['ContainerPolicy:DefaultLifetime']
    const instance: NewInstance & { readonly participationId: number } = {
      id,
      subnetIndex,
      challenge,
      participationId,
      team: String(team.id),
      accountId,
      flag,
      lifetime,
    }
    const reserved = (await findContainer(tx, { challengeId, participationId })) as ContainerRow
    return { instance, row: reserved, evicted: ended, teamName: team.name }
  })
}

async function lockTeamOf(tx: Tx, participationId: number): Promise<{ id: number; name: string; limit: number }> {
  const { rows } = await sql<{ id: number; name: string; limit: number; status: string }>`
    select t.id, t.name, g.container_limit as limit, p.status
    from participations p join teams t on t.id = p.team_id join games g on g.id = p.game_id
    where p.id = ${participationId} for no key update of p`.execute(tx)
  const row = rows[0]
  if (row?.status !== 'Accepted') throw new ParticipationNotAccepted()
  return row
}

interface OfInstance {
  readonly challengeId: number
  readonly participationId: number
}

/** The team's other instances that run or are being started, in the order of their start. */
const listOthers = async (tx: Tx, { challengeId, participationId }: OfInstance): Promise<Other[]> =>
  (
    await sql<Other>`
      select k.id, k.challenge_id, c.title, k.slot from containers k join challenges c on c.id = k.challenge_id
      where k.participation_id = ${participationId} and k.challenge_id <> ${challengeId} and k.state in ('Pending', 'Running')
      order by k.created_at, k.id`.execute(tx)
  ).rows

async function lastAct(tx: Tx, { challengeId, participationId }: OfInstance): Promise<number | null> {
  const { rows } = await sql<{ at: number | null }>`
    select extract(epoch from max(acted_at))::float8 * 1000 as at from containers
    where participation_id = ${participationId} and challenge_id = ${challengeId}`.execute(tx)
  return rows[0]?.at ?? null
}

/** The lowest free place; places above the limit may be taken if the limit was lowered. */
function freeSlot(others: readonly Other[]): number {
  const used = new Set(others.map(({ slot }) => slot))
  let slot = 1
  while (used.has(slot)) slot++
  return slot
}

const flagOf = async (tx: Tx, { challengeId, participationId }: OfInstance): Promise<string> =>
  (
    await tx
      .selectFrom('teamFlags')
      .select('flag')
      .where('participationId', '=', participationId)
      .where('challengeId', '=', challengeId)
      .executeTakeFirstOrThrow()
  ).flag
