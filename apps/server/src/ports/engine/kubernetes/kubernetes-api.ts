import { setTimeout as sleep } from 'node:timers/promises'
import type { TSchema } from 'typebox'
import * as Type from 'typebox'
import { codeOf } from '../../../start-error.ts'
import { messageOf, readAnswer } from '../answer.ts'
import { EngineError } from '../engine.ts'
import { type Answer, exchange, NoAnswer } from '../exchange.ts'
import type { Access } from './kubernetes-access.ts'

/** Milliseconds. */
const callTime = 30_000
const pingTime = 3_000
const logTime = 3_000
/** At least, before a call that the cluster has throttled is repeated. */
const throttlePause = 100
/** Names and labels only, without the contents of secrets. */
const namesOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'

export class KubernetesRefusal extends EngineError {
  readonly status: number
  constructor(status: number, message: string) {
    super('failed', message)
    this.status = status
  }
}

const Text = Type.Optional(Type.String())
const Labelled = {
  metadata: Type.Object({
    name: Type.String(),
    labels: Type.Optional(Type.Record(Type.String(), Type.String())),
    creationTimestamp: Text,
    deletionTimestamp: Text,
    uid: Text,
    ownerReferences: Type.Optional(Type.Array(Type.Object({ uid: Type.String() }))),
  }),
}
const State = Type.Object({
  running: Type.Optional(Type.Object({})),
  waiting: Type.Optional(Type.Object({ reason: Text, message: Text })),
  terminated: Type.Optional(Type.Object({ reason: Text, message: Text, exitCode: Type.Number() })),
})
const Status = Type.Object({
  phase: Text,
  reason: Text,
  message: Text,
  podIP: Text,
  hostIP: Text,
  conditions: Type.Optional(Type.Array(Type.Object({ type: Type.String(), status: Type.String(), reason: Text, message: Text }))),
  containerStatuses: Type.Optional(Type.Array(Type.Object({ name: Type.String(), state: State }))),
})
/** In a pod of a DaemonSet: the only node on which it can run, as the field `metadata.name`. */
const Affinity = Type.Object({
  nodeAffinity: Type.Optional(
    Type.Object({
      requiredDuringSchedulingIgnoredDuringExecution: Type.Optional(
        Type.Object({
          nodeSelectorTerms: Type.Array(
            Type.Object({
              matchFields: Type.Optional(Type.Array(Type.Object({ values: Type.Optional(Type.Array(Type.String())) }))),
            }),
          ),
        }),
      ),
    }),
  ),
})
const DaemonStatus = Type.Object({
  /** Absent until the cluster has seen the set. */
  observedGeneration: Type.Optional(Type.Number()),
  desiredNumberScheduled: Type.Optional(Type.Number()),
})
const Peer = Type.Object({
  ipBlock: Type.Optional(Type.Object({ cidr: Type.String(), except: Type.Optional(Type.Array(Type.String())) })),
})
const Rules = Type.Object({
  podSelector: Type.Unknown(),
  policyTypes: Type.Optional(Type.Array(Type.String())),
  egress: Type.Optional(Type.Array(Type.Object({ to: Type.Optional(Type.Array(Peer)) }))),
  ingress: Type.Optional(Type.Array(Type.Object({}))),
})

const shapes = {
  pods: Type.Object({
    ...Labelled,
    spec: Type.Object({ nodeName: Text, affinity: Type.Optional(Affinity) }),
    status: Status,
  }),
  daemonsets: Type.Object({ ...Labelled, status: Type.Optional(DaemonStatus) }),
  services: Type.Object({
    ...Labelled,
    spec: Type.Object({ ports: Type.Array(Type.Object({ nodePort: Type.Optional(Type.Number()) })) }),
  }),
  secrets: Type.Object(Labelled),
  events: Type.Object({
    ...Labelled,
    type: Text,
    reason: Text,
    message: Text,
    count: Type.Optional(Type.Integer()),
    /** In an event of one container: `spec.containers{name}`. */
    involvedObject: Type.Optional(Type.Object({ fieldPath: Text })),
  }),
  networkpolicies: Type.Object({ ...Labelled, spec: Rules }),
}
/** Paths of the kinds that are not in the core group. */
const groups: { readonly [K in keyof typeof shapes]?: string } = {
  networkpolicies: '/apis/networking.k8s.io/v1',
  daemonsets: '/apis/apps/v1',
}
const Named = Type.Object(Labelled)
const Release = Type.Object({ gitVersion: Type.String() })
const ListOf = <T extends TSchema>(shape: T) => Type.Object({ items: Type.Union([Type.Array(shape), Type.Null()]) })

type Resources = { [K in keyof typeof shapes]: Type.Static<(typeof shapes)[K]> }
export type Kind = keyof Resources
export type Named = Type.Static<typeof Named>
export type Pod = Resources['pods']
export type DaemonSet = Resources['daemonsets']
export type Policy = Pick<Resources['networkpolicies'], 'spec'> & Named
export type ContainerState = Type.Static<typeof State>
export type ClusterEvent = Resources['events']

export interface KubernetesApi {
  /** @throws KubernetesRefusal, EngineError (unreachable); so do all methods */
  create<K extends Kind>(kind: K, body: object): Promise<Resources[K]>
  /** null if missing. */
  find<K extends Kind>(kind: K, name: string): Promise<Resources[K] | null>
  list<K extends Kind>(kind: K, query: Readonly<Record<string, string>>): Promise<Resources[K][]>
  listNames(kind: Kind, labelSelector: string): Promise<Named[]>
  replace(kind: Kind, name: string, body: object): Promise<void>
  /** Removes without a grace period. Succeeds if it is missing. */
  remove(kind: Kind, name: string): Promise<void>
  /** Within 3 s. @throws EngineError (failed) also when only the node of the pod does not answer */
  logs(pod: string, container: string, lines: number, bytes: number): Promise<Buffer>
  version(): Promise<string>
  /** As `version`, within 3 s. */
  ping(): Promise<unknown>
  close(): void
}

export function openKubernetesApi({ target, path, headers, address }: Access, namespace: string): KubernetesApi {
  const closing = new AbortController()
  const send = async (
    method: string,
    place: string,
    body?: object,
    accept = 'application/json',
    { time = callTime, isOfNode = false } = {},
  ): Promise<Buffer> => {
    const bytes = body && Buffer.from(JSON.stringify(body))
    const length = { 'content-type': 'application/json', 'content-length': String(bytes?.length ?? 0) }
    const until = performance.now() + time
    const fetchAnswer = async (): Promise<Answer> => {
      const call = { ...target, method, path: `${path}${place}`, headers: { ...headers(), accept, ...length } }
      const answer = await exchange(call, bytes, time, closing.signal)
      // A busy cluster refuses some calls before it does anything, and names the time after which they can be repeated.
      const pause = Math.max(Number(answer.retryAfter) * 1_000, throttlePause)
      if (answer.status !== 429 || !(performance.now() + pause < until)) return answer
      await sleep(pause, undefined, { signal: closing.signal })
      return fetchAnswer()
    }
    const answer = await fetchAnswer().catch((error) => {
      if (isOfNode && error instanceof NoAnswer) throw new EngineError('failed', `A node does not answer: ${error.message}`)
      throw unreachable(address, error)
    })
    if (answer.status < 400) return answer.bytes
    const message = messageOf(answer.status, answer.bytes)
    // Errors of configuration or load, not of the request. The API forwards some requests to a node, whose failure is not that of the cluster.
    if (answer.status === 401 || answer.status === 429 || (answer.status >= 500 && !isOfNode)) throw unreachable(address, message)
    throw new KubernetesRefusal(answer.status, message)
  }
  const read = async <T>(shape: TSchema, method: string, place: string, body?: object, accept?: string): Promise<T> => {
    const bytes = await send(method, place, body, accept)
    try {
      return readAnswer(shape, bytes.toString()) as T
    } catch (error) {
      throw unreachable(address, error)
    }
  }
  const pathOf = (kind: Kind, name = '') => `${groups[kind] ?? '/api/v1'}/namespaces/${namespace}/${kind}${name && `/${name}`}`
  const search = (query: Readonly<Record<string, string>>) => `?${new URLSearchParams(query)}`

  return {
    create: (kind, body) => read(shapes[kind], 'POST', pathOf(kind), body),
    find: <K extends Kind>(kind: K, name: string) =>
      read<Resources[K]>(shapes[kind], 'GET', pathOf(kind, name)).catch(nullIfMissing),
    list: async (kind, query) => itemsOf(await read(ListOf(shapes[kind]), 'GET', pathOf(kind) + search(query))),
    listNames: async (kind, labelSelector) =>
      itemsOf(await read(ListOf(Named), 'GET', pathOf(kind) + search({ labelSelector }), undefined, namesOnly)),
    replace: async (kind, name, body) => void (await send('PUT', pathOf(kind, name), body)),
    remove: async (kind, name) =>
      void (await send('DELETE', pathOf(kind, name), { gracePeriodSeconds: 0, propagationPolicy: 'Background' }).catch(
        nullIfMissing,
      )),
    logs: (pod, container, lines, bytes) => {
      const query = { container, tailLines: String(lines), limitBytes: String(bytes) }
      return send('GET', `${pathOf('pods', pod)}/log${search(query)}`, undefined, '*/*', { time: logTime, isOfNode: true })
    },
    version: async () => (await read<Type.Static<typeof Release>>(Release, 'GET', '/version')).gitVersion,
    ping: () => send('GET', '/version', undefined, undefined, { time: pingTime }),
    close: () => closing.abort(),
  }
}

/** A list of names has null in place of an empty list. */
const itemsOf = <T>({ items }: { items: T[] | null }): T[] => items ?? []

export function nullIfMissing(error: unknown): null {
  if (error instanceof KubernetesRefusal && error.status === 404) return null
  throw error
}

function unreachable(address: string, error: unknown): EngineError {
  const why = error instanceof Error ? codeOf(error) || error.message : error
  return new EngineError('unreachable', `Kubernetes does not answer at ${address}: ${why}`)
}
