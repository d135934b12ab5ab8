/** Containers on a Docker engine: one container and one bridge network each, found by their labels. */
import * as Type from 'typebox'
import { openSemaphore } from '../../../semaphore.ts'
import { StartError } from '../../../start-error.ts'
import { everyImage } from '../challenge-container.ts'
import { type ContainerSpec, type CreateWatch, type Engine, pullPatienceMs, unlessStopped } from '../engine.ts'
import { areListening } from '../listens.ts'
import { type DockerApi, openDockerApi } from './docker-api.ts'
import { createContainer } from './docker-create.ts'
import { findOurs, inspectOurs, readLogs, removeContainer, removeOne } from './docker-found.ts'
import { tryDockerIsolation } from './docker-isolation.ts'
import { isWithin, seesBridge } from './docker-network.ts'
import { probeDocker } from './docker-probe.ts'
import { type DockerImages, openDockerImages, type Registry } from './docker-pull.ts'
import { limitsStorage } from './docker-storage.ts'
import { ensureFirewall } from './firewall.ts'

export interface DockerOptions {
  /** `unix:///path` or `tcp://host:port`. */
  readonly host: string
  /** A folder with ca.pem, cert.pem and key.pem; null without TLS. */
  readonly certs: string | null
  /** Distinguishes our objects from those of other platforms on the same engine. */
  readonly installation: string
  /** Players connect to a port of the engine's host; otherwise the platform forwards connections. */
  readonly published: boolean
  /** The range from which every container gets a /29. */
  readonly subnets: string
  /** Host address of ports that are published for the platform only, when it forwards connections from another host. */
  readonly bind: string | null
  readonly deny: readonly string[]
  readonly registry: Registry | null
  readonly onError: (error: unknown) => void
  /** Called before a start; what it throws refuses the start. */
  readonly check?: () => void
  /** Milliseconds that `create` waits for an image; set in tests. */
  readonly pullPatience?: number
}

/** Milliseconds: docker-proxy accepts a connection to a published port, and ends it when the container refuses. */
const proxyTime = 300

/** Docker serialises most of the work on containers, so more concurrent calls would only time out. `waiting`: the queue of a node. */
const queueLimits = { atOnce: 6, waiting: 500 }

/** Opens the engine, which may be unreachable at first. @throws StartError if the platform could not reach containers, or certificates cannot be read */
export async function openDocker(options: DockerOptions): Promise<Engine> {
  const { installation, onError, check = () => undefined } = options
  const api = openDockerApi(options)
  await refuseUnreachable(api, options)
  const images = openDockerImages(api, options.registry, options.pullPatience ?? pullPatienceMs, onError)
  const enforced = rememberStorage(api, installation)
  const isolation = watchIsolation(options)
  const semaphore = openSemaphore(queueLimits.atOnce, queueLimits.waiting)
  return {
    kind: 'Docker',
    create: async (spec, watch) => {
      check()
      const prepare = async () => {
        await needImages(images, spec, watch)
        return enforced()
      }
      const limitsStorage = await unlessStopped(prepare(), watch?.signal)
      watch?.seen('queued', null)
      return semaphore(() => {
        // The engine may have become unreachable while this start waited.
        check()
        watch?.seen('creating', null)
        return createContainer(api, options, { limitsStorage, isolation }, spec)
      }, watch?.signal)
    },
    list: async () => {
      await isolation()
      return findOurs(api, installation)
    },
    inspect: (id, engineId) => inspectOurs(api, installation, id, engineId),
    logs: (id, lines, name) => readLogs(api, installation, id, lines, name),
    destroy: (id) => semaphore(() => removeContainer(api, installation, id)),
    destroyOne: (id, engineId) => semaphore(() => removeOne(api, installation, id, engineId)),
    reaches: (host) => (options.bind === null ? isWithin(options.subnets, host) : host === options.bind),
    pull: images.pull,
    findImage: images.findImage,
    listens: ({ host, port, namedPorts }, text) => {
      const stays = isWithin(options.subnets, host) ? 0 : proxyTime
      return areListening([{ host, port, text, stays }, ...namedPorts.map((one) => ({ host, port: one.port, text: '', stays }))])
    },
    dialsPublished: false,
    readyPollInterval: 200,
    ping: async () => void (await api.ping()),
    probe: async () => ({
      ...(await probeDocker(api, options.host)),
      limitsStorage: await enforced(),
      isolation: await isolation(),
      credentialsUntil: null,
    }),
    tryIsolation: async (plan) => {
      await isolation()
      return tryDockerIsolation(api, options, plan)
    },
    close: async () => api.close(),
  }
}

/** `watch` sees the average of the images that are pulled and have a percentage. */
async function needImages(images: DockerImages, spec: ContainerSpec, watch: CreateWatch | undefined): Promise<void> {
  const percents = new Map<string, number | null>()
  const seen = (image: string) => (percent: number | null) => {
    percents.set(image, percent)
    const known = [...percents.values()].filter((one) => one !== null)
    watch?.seen('pulling', known.length === 0 ? null : Math.floor(known.reduce((sum, one) => sum + one, 0) / known.length))
  }
  await Promise.all(everyImage(spec).map((image) => images.need(image, watch?.waitsForImages, seen(image))))
}

/** Behind the platform proxy the platform connects to containers itself. */
async function refuseUnreachable(api: DockerApi, { published, bind, host }: DockerOptions): Promise<void> {
  if (published || bind !== null) return
  const remedy = 'VEXIL_DOCKER_BIND must be a private address of its host where ports are published for the platform'
  if (!host.startsWith('unix://'))
    throw new StartError(`With PlatformProxy and the Docker engine on another host (${host}), ${remedy}.`)
  const bridges = await listBridges(api)
  if (bridges.length > 0 && !bridges.some(seesBridge))
    throw new StartError(
      `With PlatformProxy the platform must share the network of the host of Docker (${host}); else ${remedy}.`,
    )
}

const Networks = Type.Array(Type.Object({ Options: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()]) }))

async function listBridges(api: DockerApi): Promise<string[]> {
  const query = { filters: JSON.stringify({ driver: ['bridge'] }) }
  const found = await api.read(Networks, 'GET', '/networks', { query }).catch(() => [])
  return found.flatMap(({ Options }) => Options?.['com.docker.network.bridge.name'] ?? [])
}

function rememberStorage(api: DockerApi, installation: string): () => Promise<boolean> {
  let tried: Promise<boolean> | null = null
  return () => {
    tried ??= limitsStorage(api, installation).catch((error) => {
      tried = null
      throw error
    })
    return tried
  }
}

/** Milliseconds for which a check of the rules is valid. */
const trustTime = 5_000

/** Keeps the rules in place. Reports each deterioration once. */
function watchIsolation({ host, deny, onError }: DockerOptions): () => Promise<string> {
  let [looking, since, last]: [Promise<string> | null, number, string] = [null, 0, 'in place']
  return async () => {
    if (looking === null || performance.now() - since > trustTime)
      [looking, since] = [checkIsolation(host, deny), performance.now()]
    const state = await looking
    if (state !== last && state !== 'in place') onError(new Error(`Containers on Docker may not be isolated. ${state}`))
    last = state
    return state
  }
}

async function checkIsolation(host: string, deny: readonly string[]): Promise<string> {
  const remedy = 'As root, apply the rules that `npm run firewall` prints on its host.'
  if (!host.startsWith('unix://')) return `Not proven: the engine is on another host. ${remedy}`
  if (process.getuid?.() !== 0) return `Not proven: the platform does not run as root. ${remedy}`
  const state = await ensureFirewall(deny)
  return state === 'in place' ? state : `Not proven: ${state}`
}
