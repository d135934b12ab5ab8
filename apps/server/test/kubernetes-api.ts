/**
 * A small fake of the API of a Kubernetes cluster. Its pods are TCP listeners of this process at separate addresses in 127.0.0.0/8. Their behaviour
 * depends on the name of their image, as in the engine's suite.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createListener, type Server as Listener } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Asked, type HttpDoor, openHttpDoor } from './engine-door.ts'

type Fields = Record<string, unknown>

export interface Thing {
  apiVersion?: string
  metadata: {
    name: string
    namespace?: string
    labels?: Record<string, string>
    creationTimestamp?: string
    deletionTimestamp?: string
    uid?: string
    ownerReferences?: { uid: string }[]
  }
  spec: Fields & {
    template?: Pick<Thing, 'metadata' | 'spec'>
    nodeName?: string
    containers?: { name: string; image: string; command?: string[] }[]
    podSelector?: unknown
  }
  status?: Fields
  stringData?: Record<string, string>
  type?: string
}

export interface FakeCluster {
  /** The path of a kubeconfig for it. */
  readonly config: string
  readonly door: HttpDoor
  /** All objects, by kind. */
  readonly things: Record<string, Map<string, Thing>>
  /** Method and path of every call, in order; followed by `in full` for lists of more than names. */
  readonly calls: string[]
  /** Calls that start with `call` are answered with this status and message, until the status is null. */
  refuse(call: string, status: number | null, message?: string): void
  /** Every later pod ends in this way at its start. */
  ends(how: { readonly reason: string; readonly exitCode: number }): void
  /** The output of a pod, by its secret; null: two lines. */
  prints: ((environment: Readonly<Record<string, string>>) => string) | null
  /** The nodes on which a DaemonSet has pods, by default one; `full` has no room for pods, and `lacking` cannot pull. */
  nodes: string[]
  /** Completes the pull of an image. */
  arrive(): void
  /** Adds an event of a pod, or of its container `part`. */
  tell(pod: Thing, type: 'Normal' | 'Warning', reason: string, message: string, part?: string): void
  close(): Promise<void>
}

/**
 * Images named `slow` wait for `arrive`; `full` finds no node, `stray` gets a foreign address, `brief` ends a moment after its start, `late` has an
 * error of its node first, `broken` has nothing else; `keyless` and `denied` are pulled without credentials at first, `untried` once and never again.
 */
export async function openFakeCluster(place: Parameters<typeof openHttpDoor>[1] = 'tcp'): Promise<FakeCluster> {
  const kinds = ['pods', 'services', 'secrets', 'events', 'networkpolicies', 'daemonsets']
  const things = Object.fromEntries(kinds.map((kind) => [kind, new Map<string, Thing>()]))
  const listeners = new Map<string, Listener[]>()
  const calls: string[] = []
  const cluster: Pick<FakeCluster, 'prints' | 'nodes'> = { prints: null, nodes: ['node-1'] }
  const waiting: (() => void)[] = []
  const arrived = { yes: false }
  let pods = 0
  let end: { readonly reason: string; readonly exitCode: number } | null = null

  const tell: FakeCluster['tell'] = (pod, type, reason, message, part) => {
    const name = `${pod.metadata.name}.${things.events!.size}`
    const involvedObject = { name: pod.metadata.name, ...(part !== undefined && { fieldPath: `spec.containers{${part}}` }) }
    things.events!.set(name, { metadata: { name }, spec: {}, ...{ type, reason, message, involvedObject } })
  }

  const isPulled = ({ image }: { readonly image: string }) => kindOf(image) !== 'slow' || arrived.yes

  async function pull(pod: Thing, one: { readonly name: string; readonly image: string }): Promise<void> {
    const { name, image } = one
    if (isPulled(one)) return tell(pod, 'Normal', 'Pulled', `Container image "${image}" already present on machine`, name)
    tell(pod, 'Normal', 'Pulling', `Pulling image "${image}"`, name)
    await new Promise<void>((resolve) => waiting.push(resolve))
    tell(pod, 'Normal', 'Pulled', `Successfully pulled image "${image}"`, name)
  }

  async function run(pod: Thing): Promise<void> {
    const [first, ...others] = pod.spec.containers ?? []
    const { name = '', image = '', command } = first ?? {}
    const kind = kindOf(image)
    /** `state` is that of the first container; the others run, unless their image has another state. A kubelet sorts them by name. */
    const statusOf = (state: Fields, phase = 'Pending', more: Fields = {}) => {
      const states = [
        { name, state },
        ...others.map((one) => ({ name: one.name, state: isPulled(one) ? stateOf(one) : { waiting: {} } })),
      ]
      return { phase, containerStatuses: states.sort((one, other) => (one.name < other.name ? -1 : 1)), ...more }
    }
    pod.status = statusOf({ waiting: { reason: 'ContainerCreating' } })
    if (kind === 'silent') {
      // Set by the scheduler; the node does nothing.
      pod.status = { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] }
      tell(pod, 'Normal', 'Scheduled', 'Successfully assigned it to a node')
      return
    }
    if (kind === 'missing' || pod.spec.nodeName === 'lacking') {
      pod.status = statusOf({ waiting: { reason: 'ErrImagePull', message: `${image}: not found` } })
      return
    }
    if (kind === 'keyless' || kind === 'denied' || kind === 'untried') {
      tell(pod, 'Warning', 'FailedToRetrieveImagePullSecret', 'Unable to retrieve some image pull secrets')
      tell(pod, 'Warning', 'Failed', `Failed to pull image "${image}": 401 Unauthorized`)
      pod.status = statusOf({ waiting: { reason: 'ErrImagePull', message: '401 Unauthorized' } })
      if (kind === 'untried') return
      await new Promise((resolve) => setTimeout(resolve, 600))
      if (kind === 'denied') {
        tell(pod, 'Warning', 'Failed', `Failed to pull image "${image}": 401 Unauthorized`)
        return
      }
    }
    if (kind === 'full' || (pod.spec.affinity && !pod.spec.nodeName)) {
      pod.status = {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes are available' }],
      }
      return
    }
    if (kind === 'late' || kind === 'broken') {
      pod.status = statusOf({ waiting: { reason: 'CreateContainerConfigError', message: 'failed to sync secret cache' } })
      if (kind === 'broken') return
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    await pull(pod, { name, image })
    if (command) {
      // The next attempt to start the command finds the image.
      await pull(pod, { name, image })
      pod.status = statusOf({ waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s restarting failed container' } })
      return
    }
    if (kind === 'crash' || end !== null) {
      pod.status = statusOf({ terminated: end ?? { reason: 'Error', exitCode: 3 } }, 'Failed')
      return
    }
    const podIP = kind === 'stray' ? '203.0.113.9' : await listen(pod)
    // A kubelet pulls the image of a container after it has started the one before.
    for (const one of others) {
      if (!isPulled(one)) pod.status = statusOf({ running: {} }, 'Pending', { podIP })
      await pull(pod, one)
    }
    const isReady = kind === 'deaf' ? 'False' : 'True'
    pod.status = statusOf({ running: {} }, 'Running', {
      podIP,
      hostIP: '127.0.0.1',
      conditions: [{ type: 'Ready', status: isReady }],
    })
    if (kind === 'brief')
      setTimeout(() => {
        pod.status = statusOf({ terminated: { reason: 'Error', exitCode: 7 } }, 'Failed', { podIP })
      }, 30)
  }

  /** Another process of tests may listen at the same address: then the next one is tried. @returns the address */
  async function listen(pod: Thing): Promise<string> {
    const [container, ...others] = pod.spec.containers as unknown as {
      image: string
      ports: { containerPort: number }[]
      envFrom: { secretRef: { name: string } }[]
    }[]
    const secret = things.secrets!.get(container!.envFrom[0]!.secretRef.name)
    const listener = createListener({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined).write(`${secret?.stringData?.FLAG ?? 'no flag'}\n`)
      socket.pipe(socket)
    })
    for (;;) {
      pods++
      const host = `127.77.${Math.floor(pods / 250)}.${(pods % 250) + 1}`
      const [first, ...named] = container!.ports.map(({ containerPort }) => containerPort)
      const isFree = await once(listener.listen(first, host), 'listening').then(
        () => true,
        () => false,
      )
      if (!isFree) continue
      listeners.set(pod.metadata.name, [listener])
      const environment = things.secrets!.get(others[0]?.envFrom[0]?.secretRef.name ?? '')?.stringData
      for (const port of others.some(({ image }) => kindOf(image) === 'deaf') ? [] : named) {
        const more = createListener({ allowHalfOpen: true }, (socket) => {
          socket.on('error', () => undefined).write(`${environment?.FLAG ?? 'no flag'}\n`)
          socket.pipe(socket)
        })
        await once(more.listen(port, host), 'listening')
        listeners.get(pod.metadata.name)!.push(more)
      }
      return host
    }
  }

  function create(kind: string, thing: Thing): [number, unknown] {
    const { name } = thing.metadata
    if (things[kind]!.has(name)) return [409, { message: `${kind} "${name}" already exists` }]
    Object.assign(thing.metadata, { creationTimestamp: new Date().toISOString(), uid: randomUUID() })
    things[kind]!.set(name, thing)
    if (kind === 'pods') void run(thing)
    if (kind === 'daemonsets') spread(thing)
    if (kind === 'services')
      for (const [at, port] of (thing.spec.ports as Fields[]).entries())
        Object.assign(port, { nodePort: 30_000 + things.services!.size + 100 * at })
    return [201, thing]
  }

  /** One pod for each node; a refused pod is an event of the set. */
  function spread({ metadata, spec, ...set }: Thing): void {
    const status = { observedGeneration: 1, desiredNumberScheduled: cluster.nodes.length }
    Object.assign(things.daemonsets!.get(metadata.name)!, set, { status })
    for (const node of cluster.nodes) {
      const name = `${metadata.name}-${node}`
      const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }]
      const affinity = {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
      }
      const pod: Thing = {
        metadata: { name, labels: spec.template!.metadata.labels!, ownerReferences: [{ uid: metadata.uid! }] },
        spec: { ...spec.template!.spec, affinity, ...(node !== 'full' && { nodeName: node }) },
      }
      if (node === 'refused') tell(things.daemonsets!.get(metadata.name)!, 'Warning', 'FailedCreate', 'exceeded quota: vexil')
      else create('pods', pod)
    }
  }

  /** A pod that gets time to end stays meanwhile, and one whose set is deleted alone stays for good. */
  function remove(kind: string, name: string, { gracePeriodSeconds, propagationPolicy }: Fields): [number, unknown] {
    const { uid } = things[kind]!.get(name)?.metadata ?? {}
    if (kind === 'pods' && gracePeriodSeconds !== 0) return [things[kind]!.has(name) ? 200 : 404, {}]
    if (!things[kind]!.delete(name)) return [404, { message: `${kind} "${name}" not found` }]
    if (kind === 'daemonsets' && propagationPolicy === 'Background')
      for (const { metadata } of things.pods!.values())
        if (metadata.ownerReferences?.[0]?.uid === uid) remove('pods', metadata.name, { gracePeriodSeconds: 0 })
    if (kind === 'pods') for (const listener of listeners.get(name) ?? []) listener.close()
    return [200, {}]
  }

  function list(kind: string, query: URLSearchParams, namesOnly: boolean): unknown {
    const labels = query.get('labelSelector')?.split(',') ?? []
    const pod = /involvedObject.name=(.+)$/.exec(query.get('fieldSelector') ?? '')?.[1]
    const items = [...things[kind]!.values()].filter((thing) => {
      const has = (wanted: string) => {
        const [name = '', value] = wanted.split('=')
        const found = thing.metadata.labels?.[name]
        return value === undefined ? found !== undefined : found === value
      }
      const about = (thing as unknown as { involvedObject?: { name: string } }).involvedObject?.name
      return labels.every(has) && (pod === undefined || about === pod)
    })
    if (namesOnly) return { items: items.length === 0 ? null : items.map(({ metadata }) => ({ metadata })) }
    return { items }
  }

  function logs(name: string, query: URLSearchParams): [number, unknown] {
    const pod = things.pods!.get(name)
    if (!pod) return [404, { message: 'not found' }]
    const container = pod.spec.containers?.find((one) => one.name === query.get('container'))
    if (!container) return [400, { message: `container ${query.get('container')} is not valid for pod ${name}` }]
    const crash = container.image.includes('crash')
    const secret = container.name === 'challenge' ? name : `${name}-${container.name}`
    const flag = things.secrets!.get(secret)?.stringData?.FLAG
    if (cluster.prints) return [200, cluster.prints(things.secrets!.get(name)?.stringData ?? {})]
    const lines = crash ? [`cannot start with ${flag}`] : ['starting', 'ready']
    return [200, lines.slice(-Number(query.get('tailLines'))).join('\n')]
  }

  function answer(method: string, url: URL, body: Thing | null, accept: string): [number, unknown] {
    if (url.pathname === '/version') return [200, { gitVersion: 'v1.34.0' }]
    const [, , kind = '', name = '', sub] = /\/namespaces\/([^/]+)\/([a-z]+)\/?([^/]*)(\/log)?$/.exec(url.pathname) ?? []
    if (sub) return logs(name, url.searchParams)
    if (method === 'POST' && body) return create(kind, body)
    if (method === 'PUT' && body) {
      things[kind]!.set(name, body)
      return [200, body]
    }
    if (method === 'DELETE') return remove(kind, name, (body ?? {}) as unknown as Fields)
    if (!name) return [200, list(kind, url.searchParams, accept.includes('PartialObjectMetadataList'))]
    const thing = things[kind]?.get(name)
    return thing ? [200, thing] : [404, { message: `${kind} "${name}" not found` }]
  }

  function engine({ method, url, headers, body }: Asked): [number, string] {
    const accept = String(headers.accept)
    const isFull = url.searchParams.has('labelSelector') && !accept.includes('PartialObjectMetadataList')
    calls.push(`${method} ${url.pathname}${isFull ? ' in full' : ''}`)
    if (headers.authorization !== 'Bearer a-token') return [401, JSON.stringify({ message: 'Unauthorized' })]
    const [status, said] = answer(method, url, body === '' ? null : JSON.parse(body), accept)
    return [status, typeof said === 'string' ? said : JSON.stringify(said)]
  }

  const door = await openHttpDoor(engine, place)
  const folder = mkdtempSync(join(tmpdir(), 'vexil-kubeconfig-'))
  const config = join(folder, 'config')
  writeFileSync(config, kubeconfigOf(door.address))
  return Object.assign(cluster, {
    config,
    door,
    things,
    calls,
    tell,
    refuse: (call: string, status: number | null, message = 'refused') =>
      door.meet(call, status === null ? null : { status, text: JSON.stringify({ message }) }),
    ends: (how: { readonly reason: string; readonly exitCode: number }) => {
      end = how
    },
    arrive: () => {
      arrived.yes = true
      for (const resolve of waiting.splice(0)) resolve()
    },
    close: async () => {
      for (const listener of [...listeners.values()].flat()) listener.close()
      await door.close()
      rmSync(folder, { recursive: true })
    },
  })
}

const kindOf = (image: string) => image.split('/').at(-1)?.split(':')[0] ?? ''

/** The state of an additional container. */
function stateOf({ image }: { readonly image: string }): Fields {
  const kind = kindOf(image)
  if (kind === 'missing') return { waiting: { reason: 'ErrImagePull', message: `${image}: not found` } }
  return kind === 'crash' ? { terminated: { reason: 'Error', exitCode: 4 } } : { running: {} }
}

function kubeconfigOf(server: string): string {
  return `apiVersion: v1
kind: Config
current-context: here
contexts:
- name: elsewhere
  context: {cluster: other, user: other}
- name: here
  context: {cluster: cluster, user: platform}
clusters:
- name: cluster
  cluster:
    server: ${server}
    insecure-skip-tls-verify: ${server.startsWith('https:')}
users:
- name: platform
  user:
    token: a-token
`
}
