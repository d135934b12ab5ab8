/** Containers on a Kubernetes cluster: one pod each in a dedicated namespace, found by their labels. */
import { everyImage } from '../challenge-container.ts'
import { type Engine, EngineError, pullPatienceMs, unlessStopped } from '../engine.ts'
import { areListening } from '../listens.ts'
import { openAccess } from './kubernetes-access.ts'
import { type KubernetesApi, KubernetesRefusal, openKubernetesApi } from './kubernetes-api.ts'
import { createPod, settleMs } from './kubernetes-create.ts'
import { findOurs, inspectOurs, readLogs, removeOldPulls, removeOne, removePod } from './kubernetes-found.ts'
import { tryKubernetesIsolation } from './kubernetes-isolation.ts'
import type { PodOptions } from './kubernetes-pod.ts'
import { ensurePolicies, isDenied } from './kubernetes-policies.ts'
import { openKubernetesImages } from './kubernetes-pull.ts'

export interface KubernetesOptions {
  /** The path of a kubeconfig; null for the service account of the platform's pod. */
  readonly config: string | null
  readonly namespace: string
  /** Distinguishes our objects from those of other platforms in the same namespace. */
  readonly installation: string
  /** Players connect to a port of the cluster; otherwise the platform forwards connections. */
  readonly published: boolean
  /** Ranges that pods may not reach: those of pods, services and nodes. */
  readonly deny: readonly string[]
  /** Ranges of pods' addresses; empty if unknown. */
  readonly pods: readonly string[]
  /** Name servers of pods; empty for those of the node. */
  readonly dns: readonly string[]
  /** The share of its limits that a container requests; 0 to 1. */
  readonly requests: number
  readonly registry: { readonly name: string; readonly user: string; readonly password: string } | null
  readonly onError: (error: unknown) => void
  /** Called before a start; what it throws refuses the start. */
  readonly check?: () => void
  /** Milliseconds that `create` waits for a pod to run; set in tests. */
  readonly pullPatience?: number
  /** Milliseconds for which a pod must keep running; set in tests. */
  readonly settle?: number
}

/** Opens the engine, whose cluster may be unreachable at first. @throws StartError if the kubeconfig or the service account cannot be used */
export async function openKubernetes(options: KubernetesOptions): Promise<Engine> {
  const { installation, published, deny, pods, dns, requests, onError, check = () => undefined } = options
  const access = openAccess(options.config)
  const api = openKubernetesApi(access, options.namespace)
  const registrySecret = options.registry === null ? null : `vexil-registry-${installation.slice(0, 8)}`
  const timeoutMs = options.pullPatience ?? pullPatienceMs
  const { settle = settleMs } = options
  const podOptions: PodOptions = { installation, dns, requests, registrySecret }
  const createOptions = { ...podOptions, published, deny, pods, timeoutMs, settle }
  const images = openKubernetesImages(api, podOptions, timeoutMs, onError)
  const isolation = watchIsolation(api, { deny, pods, ownNamespace: access.ownNamespace }, onError)
  const ready = rememberRegistry(api, registrySecret, options)
  // In the cluster, the policy of the platform's own pods allows only the pods of challenges.
  const dialsPublished = access.ownNamespace === null
  return {
    kind: 'Kubernetes',
    create: async (spec, watch) => {
      check()
      await unlessStopped(Promise.all([ready(), isolation()]), watch?.signal)
      watch?.seen('creating', null)
      return createPod(api, createOptions, spec, watch).catch((error) => {
        // The pod is removed, but the pull continues.
        if (error instanceof EngineError && error.problem === 'pulling')
          for (const image of everyImage(spec)) images.pull(image).catch(onError)
        throw error
      })
    },
    list: async () => {
      await isolation()
      await removeOldPulls(api, installation)
      return findOurs(api, installation)
    },
    inspect: (id, engineId) => inspectOurs(api, installation, id, engineId),
    logs: (id, lines, name) => readLogs(api, installation, id, lines, name),
    destroy: (id) => removePod(api, installation, id),
    destroyOne: (id, engineId) => removeOne(api, installation, id, engineId),
    // Pods have configured denied addresses, but never addresses that are always denied.
    reaches: (host) => isDenied(host, { deny, pods }) && !isDenied(host, { deny: [], pods: [] }),
    pull: async (image, seen) => {
      await ready()
      await images.pull(image, seen)
    },
    findImage: async (image) => {
      await ready()
      return images.findImage(image)
    },
    listens: async ({ engineId, host, port, published, namedPorts }, text) => {
      const pod = await api.find('pods', engineId)
      const isReady = pod?.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
      // The cluster has only checked the first port.
      if (!isReady) return false
      const place = (dialsPublished ? published : null) ?? { host, port }
      const targets = [
        ...(text === '' ? [] : [{ port: place.port, text }]),
        ...namedPorts.map((one) => ({ port: (dialsPublished ? one.publishedPort : null) ?? one.port, text: '' })),
      ]
      return areListening(targets.map((one) => ({ host: place.host, ...one, stays: 0 })))
    },
    dialsPublished,
    readyPollInterval: 1_000,
    ping: async () => void (await api.ping()),
    probe: async () => ({
      version: await api.version(),
      limitsStorage: true,
      isolation: await isolation(),
      credentialsUntil: access.expiresAt,
      running: (await findOurs(api, installation)).filter(({ state }) => state === 'running').length,
      // These belong to the nodes, which the platform may not query.
      images: null,
      memory: null,
      disk: null,
    }),
    tryIsolation: async (plan) => {
      await Promise.all([ready(), isolation()])
      return tryKubernetesIsolation(api, createOptions, access, plan)
    },
    close: async () => api.close(),
  }
}

/** Milliseconds for which a check of the policies is valid. */
const trustTime = 5_000

/** Keeps the policies in place. Reports each deterioration once. */
function watchIsolation(
  api: KubernetesApi,
  policies: Parameters<typeof ensurePolicies>[1],
  onError: (error: unknown) => void,
): () => Promise<string> {
  let [looking, since, last]: [Promise<string> | null, number, string] = [null, 0, 'in place']
  return async () => {
    if (looking === null || performance.now() - since > trustTime)
      [looking, since] = [ensurePolicies(api, policies), performance.now()]
    const state = await looking.catch((error) => {
      looking = null
      throw error
    })
    if (state !== last && state !== 'in place') onError(new Error(`Containers on Kubernetes may not be isolated. ${state}`))
    last = state
    return state
  }
}

/** Stores the registry's credentials in the cluster once; retries after a failure. */
function rememberRegistry(api: KubernetesApi, name: string | null, options: KubernetesOptions): () => Promise<void> {
  let stored: Promise<void> | null = null
  return () => {
    stored ??= storeRegistry(api, name, options).catch((error) => {
      stored = null
      throw error
    })
    return stored
  }
}

async function storeRegistry(
  api: KubernetesApi,
  name: string | null,
  { registry, installation }: KubernetesOptions,
): Promise<void> {
  if (name === null || registry === null) return
  const server = registry.name.split('/')[0] ?? ''
  // The key that kubelets look up for Docker Hub.
  const key = server === 'docker.io' ? 'https://index.docker.io/v1/' : server
  const auths = { [key]: { username: registry.user, password: registry.password } }
  const body = {
    metadata: { name, labels: { 'vexil.installation': installation } },
    type: 'kubernetes.io/dockerconfigjson',
    stringData: { '.dockerconfigjson': JSON.stringify({ auths }) },
  }
  await api.create('secrets', body).catch((error) => {
    if (!(error instanceof KubernetesRefusal) || error.status !== 409) throw error
    return api.replace('secrets', name, body)
  })
}
