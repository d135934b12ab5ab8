/**
 * Where containers run. An engine knows nothing of games, teams or flags: it gets an image, an environment and limits under an id of ours,
 * and everything that it makes carries that id and the installation's, so that all of it is found again.
 */

export interface ContainerSpec {
  /** A GUID of ours. It gives access to the container through the platform, so it is in labels only, never in a name. */
  readonly id: string
  /** Begins the name that the engine's own tools show; 12 random signs follow: `chal-7` becomes `chal-7-k3v9q0x2m1ab`. */
  readonly name: string
  /** For operators who inspect the engine with its own tools: which team the container belongs to. Never a secret. */
  readonly labels: Readonly<Record<string, string>>
  readonly image: string
  /** May hold a flag, which must be nowhere else: not in names, labels, arguments or messages. */
  readonly environment: Readonly<Record<string, string>>
  /** The TCP port inside that is reached; no other is. */
  readonly port: number
  /** In 0.1 cores. */
  readonly cpuCount: number
  /** MB of 1,048,576 bytes; no swap beside it. */
  readonly memoryLimit: number
  /** MB of 1,048,576 bytes that may be written. Enforced by the engine where it can, see `EngineState`. */
  readonly storageLimit: number
  /** No way out at all; else out to everything but the denied ranges. */
  readonly isolated: boolean
  /** A number that no other running container of the installation has, from 0 on: its network is chosen by it. */
  readonly subnetIndex: number
}

export interface Started {
  /** As the engine's own tools show it. */
  readonly engineId: string
  /** Where the platform reaches it. */
  readonly host: string
  readonly port: number
  /** The published port; null behind the platform proxy. `host` is null where the engine reports none. */
  readonly published: { readonly host: string | null; readonly port: number } | null
}

export interface Found {
  /** Of `ContainerSpec`. */
  readonly id: string
  /** `remains`: networks, services or secrets without a container. */
  readonly state: 'running' | 'ended' | 'remains'
  /** More is written than the limit allows, where the engine itself does not stop it. */
  readonly overStorage: boolean
}

/**
 * Why an engine did not do what was asked for.
 * - `away`: it cannot be reached, did not answer in time, or what answers in its place is no such engine.
 * - `pulling`: the image is being fetched and will be there soon; nothing is left of the container.
 * - `image`: the image cannot be had; the message says why.
 * - `subnetIndex`: the network of this subnetIndex is in use by another program; another subnetIndex may be free.
 * - `failed`: the container did not start or ended at once; the message holds its last lines.
 */
export type EngineProblem = 'away' | 'pulling' | 'image' | 'subnet' | 'failed'

export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly problem: EngineProblem
  constructor(problem: EngineProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

/** What an administrator reads of an engine. Null: the engine does not tell, or may not be asked. */
export interface EngineState {
  readonly version: string | null
  /** Does the engine itself stop a container at its storage limit? Otherwise it is looked at now and then. */
  readonly limitsStorage: boolean | null
  /** `proven`: the rules that keep instances from each other and from the host are in place; else a sentence what is missing. */
  readonly isolation: string
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
  /**
   * Pulls the image if need be, starts the container and says where it is reached. After an error, call `destroy`: something may be left.
   * @throws EngineError
   */
  create(spec: ContainerSpec): Promise<Started>
  /** Everything of this installation, at one moment. @throws EngineError away, failed */
  list(): Promise<Found[]>
  /** One of ours; null when nothing is there. @throws EngineError away, failed */
  inspect(id: string): Promise<Found | null>
  /** The last lines that it printed, at most 16 kB; empty when there is no such container. @throws EngineError away, failed */
  logs(id: string, lines: number): Promise<string>
  /** Removes everything that carries the id. Nothing there is a success. @throws EngineError */
  destroy(id: string): Promise<void>
  /** Is this an address of containers? The platform proxy dials no other. */
  reaches(host: string): boolean
  /** Fetches an image, as before a game. Calls for the same image at the same time share one pull. @throws EngineError away, image */
  pull(image: string): Promise<void>
  /** `here`: the engine holds it; `registry`: it can be pulled. @throws EngineError away, image (with the registry's reason) */
  findImage(image: string): Promise<'here' | 'registry'>
  /** @throws EngineError away, failed */
  probe(): Promise<EngineState>
  close(): Promise<void>
}

/** Longer waits for an image end with `pulling`. */
export const pullPatienceMs = 25_000
