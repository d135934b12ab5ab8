/** Finds, reads and removes objects on a Docker engine that carry the label of the installation. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as Type from 'typebox'
import { labels, logBytes, mustLast, nameOfPart } from '../challenge-container.ts'
import { type ContainerEnd, EngineError, type Found, type Inspected } from '../engine.ts'
import { type DockerApi, DockerRefusal } from './docker-api.ts'
import { findOverStorage, Listed } from './docker-storage.ts'

/** Docker refuses to remove an object that it is already removing. The growing pauses take 9 s in total. */
const removeRounds = 10
const removePause = 200

const Network = Type.Object({ Id: Type.String(), Labels: Type.Record(Type.String(), Type.String()) })
type Network = Type.Static<typeof Network>

/** All containers. Written bytes are measured even if the driver enforces the limit: drivers ignore volumes of images, and btrfs quotas pause while inconsistent. */
export async function findOurs(api: DockerApi, installation: string): Promise<Found[]> {
  return (await listFound(api, installation)).map(({ found }) => found)
}

/** All containers, or those with one id. `ended`: a container of it that is not running. */
async function listFound(
  api: DockerApi,
  installation: string,
  id?: string,
): Promise<{ readonly found: Found; readonly ended: Listed | null }[]> {
  // Networks first, so that the network of a container that starts during the calls does not look orphaned.
  const networks = await listNetworks(api, installation, id)
  const containers = await listContainers(api, installation, id, true)
  const over = await findOverStorage(api, containers)
  const looked = groupsOf(containers).map((group) => {
    const [first] = group
    const ended = group.find((one) => !isRunning(one)) ?? null
    const state = ended === null ? ('running' as const) : ('ended' as const)
    const overStorage = group.some(({ Id }) => over.has(Id))
    return { found: { id: idOf(first), engineId: first.Id, state, overStorage }, ended }
  })
  const known = new Set(containers.map(idOf))
  const orphans = [...new Set(networks.map(idOf).filter((its) => !known.has(its)))]
  const remains = (its: string) => ({ id: its, engineId: null, state: 'remains' as const, overStorage: false })
  return [...looked, ...orphans.map((its) => ({ found: remains(its), ended: null }))]
}

const idOf = ({ Labels }: Pick<Listed, 'Labels'>): string => Labels[labels.container] ?? ''

type Group = [first: Listed, ...others: Listed[]]

const partIn = ({ Labels }: Listed): string | undefined => Labels[labels.part]

const isRunning = ({ State }: Listed): boolean => ['running', 'paused', 'restarting'].includes(State)

/** First containers, each with the additional ones that must last beside it. An additional one whose first no longer exists is a group. */
function groupsOf(containers: readonly Listed[]): Group[] {
  const besideOf = ({ Labels }: Listed) => Labels[labels.beside] ?? ''
  const ids = new Set(containers.map(({ Id }) => Id))
  const others = Map.groupBy(
    containers.filter((one) => ids.has(besideOf(one))),
    besideOf,
  )
  const isLasting = (one: Listed) => mustLast(partIn(one) ?? '')
  return containers
    .filter((one) => !ids.has(besideOf(one)))
    .map((first) => [first, ...(others.get(first.Id) ?? []).filter(isLasting)])
}

const Detail = Type.Object({
  State: Type.Object({ ExitCode: Type.Number(), OOMKilled: Type.Boolean(), FinishedAt: Type.String() }),
})
const Bridge = Type.Object({ Created: Type.String() })

/** One container with the reason of its end; null if there is none. */
export async function inspectOurs(
  api: DockerApi,
  installation: string,
  id: string,
  engineId?: string,
): Promise<Inspected | null> {
  const all = await listFound(api, installation, id)
  const looked = all.find(({ found }) => engineId === undefined || found.engineId === engineId)
  if (!looked?.ended) return looked ? { ...looked.found, end: null } : null
  const end = await endOf(api, looked.ended)
  return end && { ...looked.found, end }
}

/** null if the container was removed in the meantime. */
async function endOf(api: DockerApi, ended: Listed): Promise<ContainerEnd | null> {
  const detail = await api.read(Detail, 'GET', `/containers/${ended.Id}/json`).catch(unless(404))
  if (!detail) return null
  const { ExitCode: exitCode, OOMKilled, FinishedAt } = detail.State
  const restartedAt = await engineStart(api)
  const reason = restartedAt !== null && Date.parse(FinishedAt) <= restartedAt ? 'engine' : OOMKilled ? 'memory' : 'exit'
  return { reason, container: nameOfPart(partIn(ended) ?? ''), exitCode, message: '' }
}

/**
 * When the engine started, in milliseconds since 1970; null if unknown. Docker does not report it, but creates the network `bridge`
 * at each start at which no container survives (moby, `initBridgeDriver`).
 */
async function engineStart(api: DockerApi): Promise<number | null> {
  const bridge = await api.read(Bridge, 'GET', '/networks/bridge').catch(unless(404))
  return bridge && Date.parse(bridge.Created)
}

/** The last lines of both streams, without NUL, which PostgreSQL rejects. */
export async function readLogs(api: DockerApi, installation: string, id: string, lines: number, name?: string): Promise<string> {
  const containers = await listContainers(api, installation, id, false)
  const container = containers.find((one) => nameOfPart(partIn(one) ?? '') === (name ?? null))
  if (!container) return ''
  const query = { stdout: '1', stderr: '1', tail: String(lines) }
  // 409: the container is dead or being removed.
  const framed = await api.bytes('GET', `/containers/${container.Id}/logs`, { query }).catch(unless(404, 409))
  const text = framed ? withoutFrames(framed).subarray(-logBytes).toString() : ''
  return text.replaceAll('\0', '').trimEnd()
}

/** Repeats until nothing carries the id. @throws EngineError unreachable, failed */
export async function removeContainer(api: DockerApi, installation: string, id: string): Promise<void> {
  let refusal: string | null = ''
  for (let round = 0; round < removeRounds; round++) {
    const containers = await listContainers(api, installation, id, false)
    const networks = await listNetworks(api, installation, id)
    if (containers.length + networks.length === 0) return
    const before = refusal
    refusal = await removeParts(api, containers, networks)
    if (refusal !== null || before === null) await sleep(removePause * Math.max(round, 1))
  }
  throw new EngineError('failed', `Docker did not remove the container: ${refusal ?? 'it still exists'}`)
}

/** Removes one of several containers with this id. @throws EngineError unreachable, failed */
export async function removeOne(api: DockerApi, installation: string, id: string, engineId: string): Promise<void> {
  const containers = await listContainers(api, installation, id, false)
  const isOf = ({ Id, Labels }: Listed) => Id === engineId || Labels[labels.beside] === engineId
  const refusal = await removeParts(api, containers.filter(isOf), [])
  if (refusal !== null) throw new EngineError('failed', `Docker did not remove the container: ${refusal}`)
}

async function removeParts(api: DockerApi, containers: readonly Listed[], networks: readonly Network[]): Promise<string | null> {
  try {
    // First containers are last: without them, the additional ones would be found as separate groups.
    const inOrder = containers.toSorted((one, other) => Number(partIn(one) === undefined) - Number(partIn(other) === undefined))
    // A container that cannot be stopped is still removed.
    const stop = ({ Id }: Listed) => api.bytes('POST', `/containers/${Id}/stop`, { query: { t: '1' } }).catch(unlessRefused)
    await Promise.all(inOrder.map(stop))
    for (const { Id } of inOrder)
      await api.bytes('DELETE', `/containers/${Id}`, { query: { force: '1', v: '1' } }).catch(unless(404))
    for (const { Id } of networks) await api.bytes('DELETE', `/networks/${Id}`).catch(unless(404))
    return null
  } catch (error) {
    if (error instanceof DockerRefusal) return error.message
    throw error
  }
}

function listNetworks(api: DockerApi, installation: string, id?: string): Promise<Network[]> {
  return api.read(Type.Array(Network), 'GET', '/networks', { query: { filters: ours(installation, id) } })
}

function listContainers(api: DockerApi, installation: string, id: string | undefined, sizes: boolean): Promise<Listed[]> {
  const query = { all: '1', filters: ours(installation, id), ...(sizes && { size: '1' }) }
  return api.read(Type.Array(Listed), 'GET', '/containers/json', { query })
}

function ours(installation: string, id?: string): string {
  const label = [`${labels.installation}=${installation}`, ...(id === undefined ? [] : [`${labels.container}=${id}`])]
  return JSON.stringify({ label })
}

function unlessRefused(error: unknown): null {
  if (error instanceof DockerRefusal) return null
  throw error
}

const unless =
  (...statuses: number[]) =>
  (error: unknown): null => {
    if (error instanceof DockerRefusal && statuses.includes(error.status)) return null
    throw error
  }

/** Removes the headers of Docker's log frames: eight bytes, the last four of which are the length. */
function withoutFrames(framed: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at + 8 <= framed.length; ) {
    const end = at + 8 + framed.readUInt32BE(at + 4)
    pieces.push(framed.subarray(at + 8, end))
    at = end
  }
  return Buffer.concat(pieces)
}
