/** The API of a Kubernetes cluster, as far as it is used, within one namespace. */
import { codeOf } from '../../start-error.ts'
import { EngineError } from './engine.ts'
import { exchange } from './exchange.ts'
import type { Access } from './kubernetes-access.ts'

/** Milliseconds. */
const callTime = 30_000
/** Names and labels alone: what a secret holds is not asked for. */
const namesOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'

/** The API answered, and refused. */
export class KubernetesRefusal extends EngineError {
  readonly status: number
  constructor(status: number, message: string) {
    super('failed', message)
    this.status = status
  }
}

export type Kind = 'pods' | 'services' | 'secrets' | 'events' | 'networkpolicies'

export interface Named {
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
    readonly creationTimestamp?: string
  }
}

export interface KubernetesApi {
  /** @throws KubernetesRefusal, EngineError (away); as all of these */
  create<T>(kind: Kind, body: object): Promise<T>
  /** Null when it is not there. */
  find<T>(kind: Kind, name: string): Promise<T | null>
  /** In full. */
  list<T>(kind: Kind, query: Readonly<Record<string, string>>): Promise<T[]>
  listNames(kind: Kind, labelSelector: string): Promise<Named[]>
  replace(kind: Kind, name: string, body: object): Promise<void>
  /** At once, without time to end in order. Nothing there is a success. */
  remove(kind: Kind, name: string): Promise<void>
  logs(pod: string, lines: number, bytes: number): Promise<Buffer>
  version(): Promise<string>
  close(): void
}

/** Opens no connection. */
export function openKubernetesApi({ target, path, headers, address }: Access, namespace: string): KubernetesApi {
  const closing = new AbortController()
  const send = async (method: string, place: string, body?: object, accept = 'application/json'): Promise<Buffer> => {
    const bytes = body && Buffer.from(JSON.stringify(body))
    const length = { 'content-type': 'application/json', 'content-length': String(bytes?.length ?? 0) }
    const call = { ...target, method, path: `${path}${place}`, headers: { ...headers(), accept, ...length } }
    const answer = await exchange(call, bytes, callTime, closing.signal).catch((error) => {
      throw away(address, codeOf(error) || (error as Error).message)
    })
    if (answer.status < 400) return answer.bytes
    const message = messageOf(answer.bytes)
    // What an operator mends, or time: no fault of what was asked for.
    if (answer.status === 401 || answer.status === 429 || answer.status >= 500) throw away(address, message)
    throw new KubernetesRefusal(answer.status, message)
  }
  const parsed = async <T>(bytes: Promise<Buffer>) => JSON.parse((await bytes).toString()) as T
  const pathOf = (kind: Kind, name = '') =>
    `${kind === 'networkpolicies' ? '/apis/networking.k8s.io/v1' : '/api/v1'}/namespaces/${namespace}/${kind}${name && `/${name}`}`
  const search = (query: Readonly<Record<string, string>>) => `?${new URLSearchParams(query)}`

  return {
    create: (kind, body) => parsed(send('POST', pathOf(kind), body)),
    find: (kind, name) => parsed<never>(send('GET', pathOf(kind, name))).catch(nullIfMissing),
    list: async (kind, query) => itemsOf(await parsed(send('GET', pathOf(kind) + search(query)))),
    listNames: async (kind, labelSelector) =>
      itemsOf(await parsed(send('GET', pathOf(kind) + search({ labelSelector }), undefined, namesOnly))),
    replace: async (kind, name, body) => void (await send('PUT', pathOf(kind, name), body)),
    remove: async (kind, name) =>
      void (await send('DELETE', pathOf(kind, name), { gracePeriodSeconds: 0, propagationPolicy: 'Background' }).catch(
        nullIfMissing,
      )),
    logs: (pod, lines, bytes) =>
      send(
        'GET',
        `${pathOf('pods', pod)}/log${search({ tailLines: String(lines), limitBytes: String(bytes) })}`,
        undefined,
        '*/*',
      ),
    version: async () => (await parsed<{ gitVersion: string }>(send('GET', '/version'))).gitVersion,
    close: () => closing.abort(),
  }
}

/** A list of names alone has null in place of an empty list. */
const itemsOf = <T>({ items }: { items: T[] | null }): T[] => items ?? []

export function nullIfMissing(error: unknown): null {
  if (error instanceof KubernetesRefusal && error.status === 404) return null
  throw error
}

function away(address: string, why: string): EngineError {
  return new EngineError('away', `Kubernetes does not answer at ${address}: ${why}`)
}

function messageOf(bytes: Buffer): string {
  const text = bytes.toString()
  try {
    return (JSON.parse(text) as { message: string }).message
  } catch {
    return text.slice(0, 500)
  }
}
