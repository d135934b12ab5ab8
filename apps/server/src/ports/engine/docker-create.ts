/** Making and starting a container on Docker, and where it is reached then. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as Type from 'typebox'
import { hideValues, labelsOf, lastLines, nameOf } from './challenge-container.ts'
import { type DockerApi, Made } from './docker-api.ts'
import { containerBody } from './docker-container.ts'
import { readLogs, removeContainer } from './docker-found.ts'
import { bridgeOf, networkBody, seesBridge, subnetOf } from './docker-network.ts'
import { EngineError, type Started, type Wanted } from './engine.ts'

/** Milliseconds in which an image that cannot run usually ends. */
const settleTime = 400

interface Options {
  readonly host: string
  readonly installation: string
  readonly published: boolean
  readonly subnets: string
  readonly bind: string | null
}

/** Of `GET /containers/{id}/json`, as far as it is read. */
const Inspected = Type.Object({
  Id: Type.String(),
  State: Type.Object({ Running: Type.Boolean(), ExitCode: Type.Number(), OOMKilled: Type.Boolean() }),
  NetworkSettings: Type.Object({
    Networks: Type.Record(Type.String(), Type.Object({ IPAddress: Type.String() })),
    Ports: Type.Record(
      Type.String(),
      Type.Union([Type.Array(Type.Object({ HostIp: Type.String(), HostPort: Type.String() })), Type.Null()]),
    ),
  }),
})
type Inspected = Type.Static<typeof Inspected>

/** The image must be there. Whatever fails, nothing is left, as far as the engine still answers. @throws EngineError */
export async function createContainer(
  api: DockerApi,
  options: Options,
  limitsStorage: boolean,
  wanted: Wanted,
): Promise<Started> {
  const subnet = subnetOf(options.subnets, wanted.lane)
  if (subnet === null)
    throw new EngineError('lane', `${options.subnets} (VEXIL_DOCKER_SUBNETS) has no network number ${wanted.lane}`)
  try {
    const network = bridgeOf(wanted.id, wanted.isolated)
    const labels = labelsOf(wanted, options.installation)
    await api.read(Made, 'POST', '/networks/create', { body: networkBody(network, subnet, wanted.isolated, labels) })
    return await start(api, options, limitsStorage, wanted, network)
  } catch (error) {
    await removeContainer(api, options.installation, wanted.id).catch(() => undefined)
    throw explain(error, wanted)
  }
}

async function start(
  api: DockerApi,
  options: Options,
  limitsStorage: boolean,
  wanted: Wanted,
  network: string,
): Promise<Started> {
  const { installation, published, bind } = options
  const publishAt = published ? '' : bind
  const { Id } = await api.read(Made, 'POST', '/containers/create', {
    query: { name: nameOf(wanted) },
    body: containerBody(wanted, { installation, network, publishAt, limitsStorage }),
  })
  await api.bytes('POST', `/containers/${Id}/start`)
  await sleep(settleTime)
  const inspected = await api.read(Inspected, 'GET', `/containers/${Id}/json`)
  if (!inspected.State.Running) throw new EngineError('failed', await describeEnd(api, installation, wanted, inspected))
  return placeOf(inspected, options, wanted.port, network)
}

function placeOf({ Id, NetworkSettings }: Inspected, { host, published, bind }: Options, port: number, network: string): Started {
  const inside = { host: NetworkSettings.Networks[network]?.IPAddress ?? '', port }
  if (!published && bind === null) return { engineId: Id, ...inside, published: null }
  // The port of IPv6 may be another one.
  const bindings = NetworkSettings.Ports[`${port}/tcp`] ?? []
  const binding = bindings.find(({ HostIp }) => !HostIp.includes(':')) ?? bindings[0]
  if (!binding) throw new EngineError('failed', `Docker published no port for port ${port} of the container`)
  const outside = Number(binding.HostPort)
  if (!published) return { engineId: Id, host: bind ?? '', port: outside, published: null }
  const near = seesBridge(network) ? inside : { host: host.startsWith('unix://') ? '127.0.0.1' : hostOf(host), port: outside }
  return { engineId: Id, ...near, published: { host: null, port: outside } }
}

async function describeEnd(api: DockerApi, installation: string, wanted: Wanted, { State }: Inspected): Promise<string> {
  // Why it ended is known without them.
  const lines = await readLogs(api, installation, wanted.id, lastLines).catch(() => '')
  const reason = State.OOMKilled ? 'it needed more memory than its limit' : `exit code ${State.ExitCode}`
  return `The container exited immediately (${reason})${lines ? `: ${lines}` : ''}`
}

function explain(error: unknown, wanted: Wanted): unknown {
  if (!(error instanceof EngineError)) return error
  if (error.problem === 'failed' && /pool overlaps|overlapping ipv4/i.test(error.message))
    return new EngineError('lane', `The network number ${wanted.lane} is already in use: ${error.message}`)
  return new EngineError(error.problem, hideValues(error.message, wanted.environment))
}

function hostOf(host: string): string {
  return new URL(host).hostname.replace(/^\[|\]$/g, '')
}
