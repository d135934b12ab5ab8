/** Finds, reads and removes objects in the namespace that carry the label of the installation. */
import { setTimeout as sleep } from 'node:timers/promises'
import { labels, logBytes, mustLast, nameOfPart } from '../challenge-container.ts'
import { type ContainerEnd, EngineError, type Found, type Inspected } from '../engine.ts'
import { type Kind, type KubernetesApi, KubernetesRefusal, type Named, nullIfMissing, type Pod } from './kubernetes-api.ts'
import { firstName, pullLabel } from './kubernetes-pod.ts'

const kinds = ['secrets', 'services', 'pods'] as const satisfies Kind[]
/** The growing pauses take 6 s in total. */
const removeRounds = 8
/** Milliseconds. */
const removePause = 200
/** Above the time that a pull may take. */
const oldestPull = 11 * 60_000

const ours = (installation: string, id?: string) =>
  `${labels.installation}=${installation},${labels.container}${id === undefined ? '' : `=${id}`}`

/**
 * A pod runs as long as one of its containers does, and an instance only as long as all that must last. One that the cluster deletes has ended: on
 * a node that does not answer, its phase remains Running.
 */
export const hasEnded = (pod: Pod): boolean =>
  isDeleted(pod) || ['Succeeded', 'Failed'].includes(pod.status.phase ?? '') || endedIn(pod) !== undefined

export const isDeleted = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined

/** The container whose end ends the pod; undefined if there is none. */
const endedIn = ({ status }: Pod) =>
  status.containerStatuses?.find(({ name, state }) => mustLast(name) && state.terminated !== undefined)

/** All containers of the installation, or those with one id. */
export async function findOurs(api: KubernetesApi, installation: string, id?: string): Promise<Found[]> {
  const selector = ours(installation, id)
  // Secrets and services first, so that those of a container that starts during the calls do not look orphaned.
  const [secrets, services] = [await api.listNames('secrets', selector), await api.listNames('services', selector)]
  const pods = await api.list('pods', { labelSelector: selector })
  const found: Found[] = pods.map((pod) => ({
    id: idOf(pod),
    engineId: pod.metadata.name,
    state: hasEnded(pod) ? 'ended' : 'running',
    overStorage: false,
  }))
  const known = new Set(found.map((one) => one.id))
  const orphans = new Set([...secrets, ...services].map(idOf).filter((its) => !known.has(its)))
  for (const its of orphans) found.push({ id: its, engineId: null, state: 'remains', overStorage: false })
  return found
}

const idOf = ({ metadata }: Named) => metadata.labels?.[labels.container] ?? ''

/** One container with the reason of its end; null if there is none. */
export async function inspectOurs(
  api: KubernetesApi,
  installation: string,
  id: string,
  engineId?: string,
): Promise<Inspected | null> {
  const all = await findOurs(api, installation, id)
  const found = all.find((one) => engineId === undefined || one.engineId === engineId)
  if (found?.state !== 'ended' || found.engineId === null) return found ? { ...found, end: null } : null
  const pod = await api.find('pods', found.engineId)
  return pod && { ...found, end: endOf(pod) }
}

/** The runtime (containerd) or the kubelet found no container after a restart of the node, and sets an exit code that no program returned. */
const lostReasons = ['Unknown', 'ContainerStatusUnknown']

/** A pod has a reason only where the cluster ended it; its own exit is in the state of its container. */
export function endOf(pod: Pod): ContainerEnd {
  const ended = endedIn(pod)
  const terminated = ended?.state.terminated
  const exitCode = terminated?.exitCode ?? null
  if (pod.status.reason !== undefined || isDeleted(pod)) {
    const { reason, message = '' } = pod.status.reason === undefined ? (disruptionOf(pod) ?? {}) : pod.status
    // The kubelet evicts for its own limits of a pod and for a node that is short of something; only the first exceeds a limit.
    const isOver = reason === 'Evicted' && /exceed/.test(message) && /storage|emptyDir|total limit/i.test(message)
    const description = [reason, message].filter(Boolean).join(': ')
    return { reason: isOver ? 'storage' : 'evicted', container: null, exitCode, message: description }
  }
  const { reason = '', message = '' } = terminated ?? {}
  if (lostReasons.includes(reason)) return { reason: 'engine', container: null, exitCode: null, message }
  return { reason: reason === 'OOMKilled' ? 'memory' : 'exit', container: nameOfPart(ended?.name ?? ''), exitCode, message }
}

/** The condition with the reason for which the cluster deletes a pod. */
const disruptionOf = ({ status }: Pod) =>
  status.conditions?.find((condition) => condition.type === 'DisruptionTarget' && condition.status === 'True')

/** The last lines of both streams, without NUL, which PostgreSQL rejects. */
export async function readLogs(
  api: KubernetesApi,
  installation: string,
  id: string,
  lines: number,
  name?: string,
): Promise<string> {
  const [pod] = await api.list('pods', { labelSelector: ours(installation, id) })
  if (!pod) return ''
  // 400: the container has not started, or its log is gone.
  const container =
    name === undefined ? firstName : pod.status.containerStatuses?.find((one) => nameOfPart(one.name) === name)?.name
  if (container === undefined) return ''
  const printed = await api.logs(pod.metadata.name, container, lines, logBytes * lines).catch((error) => {
    if (error instanceof KubernetesRefusal && error.status === 400) return Buffer.alloc(0)
    return nullIfMissing(error) ?? Buffer.alloc(0)
  })
  return printed.subarray(-logBytes).toString().replaceAll('\0', '').trimEnd()
}

/** Repeats until nothing carries the id. @throws EngineError unreachable, failed */
export async function removePod(api: KubernetesApi, installation: string, id: string): Promise<void> {
  const selector = ours(installation, id)
  for (let round = 0; round < removeRounds; round++) {
    const left = await Promise.all(kinds.map(async (kind) => ({ kind, parts: await api.listNames(kind, selector) })))
    if (left.every(({ parts }) => parts.length === 0)) return
    await removeAll(api, left)
    if (round > 0) await sleep(removePause * round)
  }
  throw new EngineError('failed', 'Kubernetes did not remove the pod')
}

/** Removes one of several pods with this id, with its secrets and service. @throws EngineError unreachable, failed */
export async function removeOne(api: KubernetesApi, installation: string, id: string, name: string): Promise<void> {
  for (const kind of kinds) {
    const parts = await api.listNames(kind, ours(installation, id))
    const isOf = ({ metadata }: Named) => metadata.name === name || metadata.name.startsWith(`${name}-`)
    await removeAll(api, [{ kind, parts: parts.filter(isOf) }])
  }
}

/** Removes all that it can. @throws EngineError with the first refusal */
async function removeAll(
  api: KubernetesApi,
  found: readonly { readonly kind: Kind; readonly parts: readonly Named[] }[],
): Promise<void> {
  let refusal: KubernetesRefusal | null = null
  for (const { kind, parts } of found)
    for (const { metadata } of parts)
      await api.remove(kind, metadata.name).catch((error) => {
        if (!(error instanceof KubernetesRefusal)) throw error
        refusal ??= error
      })
  if (refusal !== null) throw refusal
}

/** DaemonSets that pulled an image for a node of the platform that has ended. A Role from before these may not list them. */
export async function removeOldPulls(api: KubernetesApi, installation: string): Promise<void> {
  const sets = await api.listNames('daemonsets', `${labels.installation}=${installation},${pullLabel}`).catch((error) => {
    if (error instanceof KubernetesRefusal) return []
    throw error
  })
  const isOld = ({ metadata }: Named) => Date.now() - Date.parse(metadata.creationTimestamp ?? '') > oldestPull
  for (const { metadata } of sets.filter(isOld)) await api.remove('daemonsets', metadata.name)
}
