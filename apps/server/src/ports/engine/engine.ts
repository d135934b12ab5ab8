/** Where containers run. An engine is independent of games, teams and flags, and labels everything that it creates with our id and the installation's. */

import type { ProbePlan } from './isolation-places.ts'
import type { Attempt } from './isolation-probe.ts'

/** A limit for each container of an instance. */
export interface ContainerLimits {
  /** In 0.1 cores. */
  readonly cpuCount: number
  /** MB of 1,048,576 bytes, without swap. */
  readonly memoryLimit: number
  /** MB of 1,048,576 bytes of written data. Enforced by the engine if it can, see `EngineState`. */
  readonly storageLimit: number
}

/** A container that shares the network namespace and the lifetime of the first one, and its profile and runtime. */
export interface AdditionalContainer extends ContainerLimits {
  /** A DNS label, unique in the instance. */
  readonly name: string
  readonly image: string
  readonly environment: Readonly<Record<string, string>>
  /** Its end does not end the instance, for example of a program that checks it. */
  readonly runsOnce: boolean
}

export interface ContainerSpec extends ContainerLimits {
  /** Our GUID. It gives access to the container through the platform, so it is in labels only, never in a name. */
  readonly id: string
  /** Prefix of the name in the engine's tools; 12 random characters follow: `chal-7` becomes `chal-7-k3v9q0x2m1ab`. */
  readonly name: string
  /** For operators who inspect the engine with its own tools: the team of the container. Never a secret. */
  readonly labels: Readonly<Record<string, string>>
  readonly image: string
  /** May contain a flag, which must not be in names, labels, arguments or messages. */
  readonly environment: Readonly<Record<string, string>>
  /** The TCP port of the instance that is reachable; it has no other but `namedPorts`. */
  readonly port: number
  /** Further reachable TCP ports, of any container of the instance; at most `maxNamedPorts`. */
  readonly namedPorts: readonly { readonly name: string; readonly port: number }[]
  readonly additional: readonly AdditionalContainer[]
  /** No outgoing connections; otherwise all but those to denied ranges. */
  readonly isolated: boolean
  /** Whether `listens` will be called, so that a cluster checks the port. */
  readonly hasReadyCheck: boolean
  /** No capabilities, no new privileges, a read-only root with a small `/tmp`, and an unprivileged user. */
  readonly strict: boolean
  /** Runtime class on Kubernetes, runtime name on Docker; empty for that of the engine. */
  readonly runtime: string
  /** A number from 0, unique among the running containers of the installation, that selects the network. */
  readonly subnetIndex: number
}

export interface Started {
  readonly engineId: string
  /** Address for the platform. */
  readonly host: string
  readonly port: number
  /** The published address; null behind the platform proxy. `host` is null if the engine reports none. */
  readonly published: { readonly host: string | null; readonly port: number } | null
  /** In the order of the spec. */
  readonly namedPorts: readonly StartedPort[]
}

/** A named port, on the hosts of the first port. */
export interface StartedPort {
  readonly name: string
  /** For the platform. */
  readonly port: number
  /** null behind the platform proxy. */
  readonly publishedPort: number | null
}

/** Where a container is, as in `Started`. */
interface Place {
  readonly engineId: string
  readonly host: string
  readonly port: number
  readonly published: { readonly host: string; readonly port: number } | null
  readonly namedPorts: readonly Omit<StartedPort, 'name'>[]
}

/** A first container with its additional ones, or an additional one whose first no longer exists. */
export interface Found {
  readonly id: string
  /** The engine's name of the container, as in `Started`; null if there is none. */
  readonly engineId: string | null
  /** `ended`: one of its containers has. `remains`: networks, services or secrets without a container. */
  readonly state: 'running' | 'ended' | 'remains'
  /** A limit is exceeded, and the engine does not enforce it. */
  readonly overStorage: boolean
}

/**
 * Why a container ended.
 * - `exit`: its first process exited with `exitCode`.
 * - `memory`: it needed more memory than its limit.
 * - `storage`: it wrote more than its limit, and the engine ended it.
 * - `evicted`: the cluster ended it, for example because its node was short of memory.
 * - `engine`: the engine, or its host, was restarted.
 */
export interface ContainerEnd {
  readonly reason: 'exit' | 'memory' | 'storage' | 'evicted' | 'engine'
  /** The name of the additional container that ended; null: the first one, or all. */
  readonly container: string | null
  /** null: the engine reports none. */
  readonly exitCode: number | null
  /** The engine's own words; empty if it has none. */
  readonly message: string
}

export interface Inspected extends Found {
  /** null unless the state is `ended`. */
  readonly end: ContainerEnd | null
}

/** How the caller of `create` follows and controls it while it runs. */
export interface CreateWatch {
  /** Called at each change. `queued`: it waits for its turn; `percent`: of the images that are pulled, null when unknown. */
  seen(phase: 'queued' | 'pulling' | 'creating', percent: number | null): void
  /** Stops a creation that waits; `create` throws its reason, and nothing is left. Once it creates containers, it may complete. */
  readonly signal: AbortSignal
  /** Waits for a pull until it ends, 10 minutes at most, instead of failing with `pulling`. */
  readonly waitsForImages: boolean
}

/**
 * Why an engine call failed.
 * - `unreachable`: the engine is unreachable, did not answer in time, or another program answers.
 * - `pulling`: the image is still being pulled; nothing is left of the container.
 * - `busy`: no node of the cluster has room for the container or has begun to start it, its quota is used up, or the cluster removed or ended it while it started; nothing is left of it.
 * - `image`: the image is not available; the message contains the reason.
 * - `subnet`: another program uses the network of this subnetIndex; another subnetIndex may be free.
 * - `failed`: the container did not start or ended at once; the message contains its last lines.
 * - `stopped`: the caller stopped it.
 */
export type EngineProblem = 'unreachable' | 'pulling' | 'busy' | 'image' | 'subnet' | 'failed' | 'stopped'

export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly problem: EngineProblem
  constructor(problem: EngineProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

/** An image on one node of an engine. */
export interface NodeImage {
  /** Name of the node; empty if the engine is one node, or has not named it. */
  readonly node: string
  readonly state: 'here' | 'pulling' | 'failed'
  /** Why it is not there (yet), in the engine's words; null: no reason. */
  readonly problem: string | null
}

/** Status of an engine for administrators. null: not reported, or not permitted. */
export interface EngineState {
  readonly version: string | null
  /** Whether the engine enforces the storage limit; otherwise it is checked periodically. */
  readonly limitsStorage: boolean | null
  /** `in place`: the rules that isolate instances from each other and from the host are in place; otherwise a sentence that describes the problem. */
  readonly isolation: string
  /** When the credentials for the engine expire, ms since 1970; null: never, not known, or they are renewed. */
  readonly credentialsUntil: number | null
  readonly running: number | null
  readonly images: number | null
  /** Bytes. */
  readonly memory: { readonly total: number; readonly free: number | null } | null
  readonly disk: { readonly total: number; readonly free: number } | null
}

export const engineKinds = ['None', 'Docker', 'Kubernetes'] as const
type EngineKind = (typeof engineKinds)[number]

export interface Engine {
  readonly kind: EngineKind | 'Memory'
  /** Pulls missing images, starts the containers and returns their address. After an error, call `destroy` to remove remains. @throws EngineError */
  create(spec: ContainerSpec, watch?: CreateWatch): Promise<Started>
  /** A snapshot of everything of this installation. Two first containers with one id are two elements. @throws EngineError unreachable, failed */
  list(): Promise<Found[]>
  /** null if nothing exists. `engineId`: null if that container does not exist, whatever else has the id. @throws EngineError unreachable, failed */
  inspect(id: string, engineId?: string): Promise<Inspected | null>
  /** The last lines of output of the first container, or of the additional one with this name, at most 16 kB; empty if it does not exist. @throws EngineError unreachable, failed */
  logs(id: string, lines: number, name?: string): Promise<string>
  /** Removes everything with this id. Succeeds if there is nothing. @throws EngineError */
  destroy(id: string): Promise<void>
  /** Removes one of several containers with this id, with its additional ones, and keeps the networks. Succeeds if it does not exist. @throws EngineError */
  destroyOne(id: string, engineId: string): Promise<void>
  /**
   * Whether the service accepts a connection now on its port and on each named one and, unless `text` is empty, sends that text on its port
   * within 3 s. `published`: as in `Started`, with a host. @throws EngineError unreachable, failed
   */
  listens(place: Place, text: string): Promise<boolean>
  /** Whether the platform connects to the published ports of containers that have them, because it is outside of their network. */
  readonly dialsPublished: boolean
  /** Milliseconds between two calls of `listens`. */
  readonly readyPollInterval: number
  /** Whether this is an address of containers. The platform proxy connects to no other. */
  reaches(host: string): boolean
  /**
   * Pulls an image to every node, for example before a game. Concurrent calls for the same image share one pull. `seen` is called with all nodes
   * each time one of them changes; an engine of one node does not call it. @throws EngineError unreachable, or image when a node lacks it
   */
  pull(image: string, seen?: (nodes: readonly NodeImage[]) => void): Promise<void>
  /** `here`: on the engine; `registry`: can be pulled. @throws EngineError unreachable, image (with the registry's reason) */
  findImage(image: string): Promise<'here' | 'registry'>
  /** The cheapest request, for at most 3 s. @throws EngineError */
  ping(): Promise<void>
  /** @throws EngineError unreachable, failed */
  probe(): Promise<EngineState>
  /** Starts containers that try to reach what they must not, and a control without the rules. Removes what it started. @throws EngineError */
  tryIsolation(plan: ProbePlan): Promise<Attempt[]>
  close(): Promise<void>
}

/** Settles as `work`, or rejects with the reason of the signal, whichever is first. */
export function unlessStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  return Promise.race([work, stopped]).finally(() => signal.removeEventListener('abort', stop))
}

/** Longer pulls end with `pulling`. */
export const pullPatienceMs = 25_000

/** Policies of a cluster name the ports in advance. */
export const maxNamedPorts = 4
