import { setTimeout as sleep } from 'node:timers/promises'
import { hideValues, lastLines, nameOf, partOf } from '../challenge-container.ts'
import { type ContainerSpec, type CreateWatch, EngineError, type Started } from '../engine.ts'
import { type ClusterEvent, type ContainerState, type KubernetesApi, KubernetesRefusal, type Pod } from './kubernetes-api.ts'
import { endOf, hasEnded, isDeleted, readLogs, removePod } from './kubernetes-found.ts'
import { firstName, type PodOptions, podBody, secretBodies, serviceBody } from './kubernetes-pod.ts'
import { isDenied, type PolicyOptions } from './kubernetes-policies.ts'

/** Milliseconds. */
const pollInterval = 200
/** Between two reads of the events of a pod, for the phase of its start. */
const phasePause = 1_000
/** Between two looks of a patient start during a pull. */
const pullPause = 1_000
/** How often such a look is repeated if the cluster does not answer. */
const pullRetries = 3
/** For a start that is patient. */
const pullTime = 600_000
/** The node reports once a second, so an image that cannot run has ended between two checks. */
export const settleMs = 1_200

export interface CreateOptions extends PodOptions, Pick<PolicyOptions, 'deny' | 'pods'> {
  readonly published: boolean
  /** Milliseconds within which the pod must run. */
  readonly timeoutMs: number
  /** Milliseconds for which it must keep running. */
  readonly settle: number
}

/** Removes everything after a failure, if the cluster responds. @throws EngineError */
export async function createPod(
  api: KubernetesApi,
  options: CreateOptions,
  spec: ContainerSpec,
  watch?: CreateWatch,
): Promise<Started> {
  const name = nameOf(spec)
  const { installation } = options
  try {
    await Promise.all(secretBodies(name, spec, installation).map((body) => api.create('secrets', body)))
    await api.create('pods', podBody(name, spec, options))
    const pod = await becomeRunning(api, options, { name, spec, watch })
    const host = pod.status.podIP ?? ''
    if (!isDenied(host, options))
      throw new EngineError(
        'failed',
        `The pod got the address ${host}, which is not in VEXIL_KUBERNETES_DENY: other pods could reach it`,
      )
    const nodePorts = options.published ? await publish(api, options, name, spec) : null
    return {
      engineId: name,
      host,
      port: spec.port,
      published: nodePorts && { host: null, port: nodePorts[0] as number },
      namedPorts: spec.namedPorts.map((one, at) => ({ ...one, publishedPort: nodePorts?.[at + 1] ?? null })),
    }
  } catch (error) {
    await removePod(api, installation, spec.id).catch(() => undefined)
    if (!(error instanceof EngineError)) throw error
    throw new EngineError(isOverQuota(error) ? 'busy' : error.problem, hideValues(error.message, spec))
  }
}

/** Whether a ResourceQuota of the namespace leaves no room until another container ends. */
const isOverQuota = (error: EngineError): boolean =>
  error instanceof KubernetesRefusal && error.status === 403 && error.message.includes('exceeded quota')

async function publish(
  api: KubernetesApi,
  { installation }: CreateOptions,
  name: string,
  spec: ContainerSpec,
): Promise<number[]> {
  const body = serviceBody(name, spec, installation)
  const service = await api.create('services', body)
  return [spec.port, ...spec.namedPorts.map(({ port }) => port)].map((port, at) => {
    const { nodePort } = service.spec.ports[at] ?? {}
    if (nodePort !== undefined) return nodePort
    throw new EngineError('failed', `Kubernetes published no port for port ${port} of the container`)
  })
}

async function becomeRunning(
  api: KubernetesApi,
  options: CreateOptions,
  { name, spec, watch }: { readonly name: string; readonly spec: ContainerSpec; readonly watch: CreateWatch | undefined },
): Promise<Pod> {
  const startedAt = performance.now()
  let until = startedAt + options.timeoutMs
  let lookedAt = startedAt
  let seen = false
  let waits = false
  const read = <T>(work: () => Promise<T>) => retry(work, waits ? pullRetries : 0, watch?.signal)
  for (;;) {
    watch?.signal.throwIfAborted()
    const pod = await read(() => api.find('pods', name))
    if (!pod || isDeleted(pod)) throw new EngineError('busy', 'The pod was removed while it started')
    const parts = partsOf(spec)
    const problem = parts.map(({ part, image }) => pullProblem(image, stateOf(pod, part))).find((why) => why !== null)
    const now = performance.now()
    const isLate = now > until
    if (problem && (isLate || !(await wasPulledWithoutSecret(api, options, name)))) throw new EngineError('image', problem)
    if (hasEnded(pod)) throw await endedEarly(api, options.installation, spec, pod)
    const idle = parts.find(({ part }) => !hasStarted(stateOf(pod, part)))
    if (!idle && pod.status.podIP) {
      if (seen) return pod
      seen = true
    } else if (isLate || (idle && watch && now - lookedAt >= phasePause)) {
      lookedAt = now
      const events = await read(() => eventsOf(api, name))
      const pulls = isPulling(events)
      waits = pulls && (watch?.waitsForImages ?? false)
      if (waits) until = Math.min(now + options.timeoutMs, startedAt + pullTime)
      if (now > until) throw tooLate(pod, events, idle ?? { part: firstName, image: spec.image })
      watch?.seen(pulls ? 'pulling' : 'creating', null)
    }
    await sleep(!idle ? options.settle : waits ? pullPause : pollInterval)
  }
}

async function retry<T>(work: () => Promise<T>, retries: number, signal: AbortSignal | undefined): Promise<T> {
  for (let left = retries; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left === 0 || !(error instanceof EngineError) || error.problem !== 'unreachable') throw error
    }
    await sleep(pullPause)
    signal?.throwIfAborted()
  }
}

/** One that runs once may have ended already; others that have are refused before. */
const hasStarted = ({ running, terminated }: ContainerState): boolean => running !== undefined || terminated !== undefined

interface Part {
  /** Its name in the pod. */
  readonly part: string
  readonly image: string
}

const partsOf = ({ image, additional }: ContainerSpec): Part[] => [
  { part: firstName, image },
  ...additional.map((one) => ({ part: partOf(one), image: one.image })),
]

export const stateOf = ({ status }: Pod, part?: string): ContainerState =>
  status.containerStatuses?.find(({ name }) => part === undefined || name === part)?.state ?? {}

/** Why a node cannot pull an image; null for other reasons of a waiting container, which may be temporary. */
export function pullProblem(image: string, { waiting }: ContainerState): string | null {
  const { reason = '', message = '' } = waiting ?? {}
  if (!/^(ErrImage|ImagePull|InvalidImageName|RegistryUnavailable|ImageInspectError|SignatureValidation)/.test(reason))
    return null
  return `The image ${image} cannot be pulled: ${message || reason}`
}

/**
 * Whether the node pulled without the credentials of the registry: a kubelet that does not receive their secret within a second pulls
 * without it, is refused, and tries again after ten seconds.
 */
export async function wasPulledWithoutSecret(api: KubernetesApi, { registrySecret }: PodOptions, pod: string): Promise<boolean> {
  if (registrySecret === null) return false
  const events = await eventsOf(api, pod)
  const times = (fits: (event: ClusterEvent) => boolean) => events.filter(fits).reduce((sum, { count = 1 }) => sum + count, 0)
  const without = times(({ reason }) => reason === 'FailedToRetrieveImagePullSecret')
  return without > 0 && without >= times(({ message }) => message?.startsWith('Failed to pull image') ?? false)
}

/** The error for a pod that ended while it started. The cluster may have rejected it, for example because its node became full: that is no fault of the challenge. */
async function endedEarly(api: KubernetesApi, installation: string, spec: ContainerSpec, pod: Pod): Promise<EngineError> {
  const { reason, container, exitCode, message } = endOf(pod)
  if (reason === 'evicted' || reason === 'engine')
    return new EngineError('busy', `The cluster ended the container while it started: ${message}`)
  const lines = (await readLogs(api, installation, spec.id, lastLines, container ?? undefined).catch(() => '')) || message
  const why = {
    exit: `exit code ${exitCode ?? 'unknown'}`,
    memory: 'it needed more memory than its limit',
    storage: 'it exceeded its storage limit',
  }[reason]
  const name = container === null ? '' : `${container} `
  return new EngineError('failed', `The container ${name}exited immediately (${why})${lines ? `: ${lines}` : ''}`)
}

/** Warnings that are no reason any more, or never were: the pod got a node later, and a service that does not listen yet runs. */
const pastWarnings = ['FailedScheduling', 'Unhealthy']

/** The error for a pod that does not run in time: the image is being pulled, the cluster is busy, or the reason of the cluster. */
function tooLate(pod: Pod, events: readonly ClusterEvent[], { part, image }: Part): EngineError {
  const unplaced = pod.status.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  if (unplaced)
    return new EngineError('busy', `The cluster has no room for the container: ${unplaced.message ?? unplaced.reason}`)
  const { reason = '', message } = stateOf(pod, part).waiting ?? {}
  if (reason.endsWith('Error')) return new EngineError('failed', `The container cannot be created: ${message ?? reason}`)
  if (isPulling(events)) return new EngineError('pulling', `The image ${image} is being pulled`)
  const last = events.findLast((one) => one.type === 'Warning' && !pastWarnings.includes(one.reason ?? ''))
  if (!last) return new EngineError('busy', 'The cluster is busy: the node of the pod has not begun to start it')
  return new EngineError(last.reason === 'FailedMount' ? 'busy' : 'failed', `The container does not start: ${last.message}`)
}

/** A node pulls the image of one container after it has started the one before. */
function isPulling(events: readonly ClusterEvent[]): boolean {
  const partsWith = (wanted: string) =>
    events.filter(({ reason }) => reason === wanted).map(({ involvedObject }) => involvedObject?.fieldPath)
  const pulled = partsWith('Pulled')
  return partsWith('Pulling').some((part) => !pulled.includes(part))
}

export function eventsOf(api: KubernetesApi, name: string, kind = 'Pod'): Promise<ClusterEvent[]> {
  return api.list('events', { fieldSelector: `involvedObject.kind=${kind},involvedObject.name=${name}` })
}
