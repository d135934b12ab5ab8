import { setTimeout as sleep } from 'node:timers/promises'
import { hideValues, lastLines, nameOf } from '../challenge-container.ts'
import { type ContainerSpec, EngineError, type Started } from '../engine.ts'
import type { ClusterEvent, ContainerState, KubernetesApi, Pod } from './kubernetes-api.ts'
import { hasEnded, readLogs, removePod } from './kubernetes-found.ts'
import { type PodOptions, podBody, secretBody, serviceBody } from './kubernetes-pod.ts'
import { isDenied, type PolicyOptions } from './kubernetes-policies.ts'

/** Milliseconds. */
const lookPause = 200
/** The node reports once a second, so an image that cannot run has ended between two looks. */
export const settleMs = 1_200

export interface CreateOptions extends PodOptions, Pick<PolicyOptions, 'deny' | 'pods'> {
  readonly published: boolean
  /** Milliseconds within which the pod must run. */
  readonly patience: number
  /** Milliseconds for which it must keep running. */
  readonly settle: number
}

/** Removes everything after a failure, if the cluster responds. @throws EngineError */
export async function createPod(api: KubernetesApi, options: CreateOptions, spec: ContainerSpec): Promise<Started> {
  const name = nameOf(spec)
  const { installation } = options
  try {
    await api.create('secrets', secretBody(name, spec, installation))
    await api.create('pods', podBody(name, spec, options))
    const pod = await becomeRunning(api, options, name, spec)
    const host = pod.status.podIP ?? ''
    if (!isDenied(host, options))
      throw new EngineError(
        'failed',
        `The pod got the address ${host}, which is not in VEXIL_KUBERNETES_DENY: other pods could reach it`,
      )
    return {
      engineId: name,
      host,
      port: spec.port,
      published: options.published ? await publish(api, options, name, spec) : null,
    }
  } catch (error) {
    await removePod(api, installation, spec.id).catch(() => undefined)
    if (!(error instanceof EngineError)) throw error
    throw new EngineError(error.problem, hideValues(error.message, spec.environment))
  }
}

async function publish(
  api: KubernetesApi,
  { installation }: CreateOptions,
  name: string,
  spec: ContainerSpec,
): Promise<Started['published']> {
  const body = serviceBody(name, spec, installation)
  const service = await api.create('services', body)
  const port = service.spec.ports[0]?.nodePort
  if (port === undefined) throw new EngineError('failed', `Kubernetes published no port for port ${spec.port} of the container`)
  return { host: null, port }
}

async function becomeRunning(api: KubernetesApi, options: CreateOptions, name: string, spec: ContainerSpec): Promise<Pod> {
  const until = performance.now() + options.patience
  let seen = false
  for (;;) {
    const pod = await api.find('pods', name)
    if (!pod) throw new EngineError('failed', 'The pod was removed while it started')
    const state = stateOf(pod)
    const problem = whyNoImage(spec.image, state)
    if (problem !== null) throw new EngineError('image', problem)
    if (hasEnded(pod) || state.terminated)
      throw new EngineError('failed', await describeEnd(api, options.installation, spec, pod))
    if (state.running && pod.status.podIP) {
      if (seen) return pod
      seen = true
    } else if (performance.now() > until) throw await tooLate(api, name, spec.image, pod)
    await sleep(state.running ? options.settle : lookPause)
  }
}

export const stateOf = ({ status }: Pod): ContainerState => status.containerStatuses?.[0]?.state ?? {}

/** Why a node cannot pull an image; null for other reasons of a waiting container, which may be temporary. */
export function whyNoImage(image: string, { waiting }: ContainerState): string | null {
  const { reason = '', message = '' } = waiting ?? {}
  if (!/^(ErrImage|ImagePull|InvalidImageName|RegistryUnavailable|ImageInspectError|SignatureValidation)/.test(reason))
    return null
  return `The image ${image} cannot be pulled: ${message || reason}`
}

async function describeEnd(api: KubernetesApi, installation: string, spec: ContainerSpec, pod: Pod): Promise<string> {
  const { reason, exitCode, message } = stateOf(pod).terminated ?? {}
  const lines = (await readLogs(api, installation, spec.id, lastLines).catch(() => '')) || message
  const why = reason === 'OOMKilled' ? 'it needed more memory than its limit' : `exit code ${exitCode ?? 'unknown'}`
  return `The container exited immediately (${why})${lines ? `: ${lines}` : ''}`
}

/** The error for a pod that does not run in time: the image is being pulled, no node has begun, or the reason of the cluster. */
async function tooLate(api: KubernetesApi, name: string, image: string, pod: Pod): Promise<EngineError> {
  const unplaced = pod.status.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  if (unplaced)
    return new EngineError('failed', `The cluster has no room for the container: ${unplaced.message ?? unplaced.reason}`)
  const { reason = '', message } = stateOf(pod).waiting ?? {}
  if (reason.endsWith('Error')) return new EngineError('failed', `The container cannot be created: ${message ?? reason}`)
  const events = await eventsOf(api, name)
  const last = events.findLast(({ type }) => type === 'Warning')
  const isPulling = events.some(({ reason }) => reason === 'Pulling') && !events.some(({ reason }) => reason === 'Pulled')
  if (isPulling) return new EngineError('pulling', `The image ${image} is being pulled`)
  if (!last) return new EngineError('busy', 'The cluster is busy: the node of the pod has not begun to start it')
  return new EngineError('failed', `The container does not start: ${last.message}`)
}

export function eventsOf(api: KubernetesApi, name: string, kind = 'Pod'): Promise<ClusterEvent[]> {
  return api.list('events', { fieldSelector: `involvedObject.kind=${kind},involvedObject.name=${name}` })
}
