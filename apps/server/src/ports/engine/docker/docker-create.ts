import { setTimeout as sleep } from 'node:timers/promises'
import * as Type from 'typebox'
import { hideValues, labelsOf, lastLines, nameOf } from '../challenge-container.ts'
import { type ContainerSpec, EngineError, type Started } from '../engine.ts'
import { type DockerApi, Made } from './docker-api.ts'
import { containerBody } from './docker-container.ts'
import { readLogs, removeContainer } from './docker-found.ts'
import { bridgeOf, networkBody, seesBridge, subnetOf } from './docker-network.ts'

/** Milliseconds within which an image that cannot run usually exits. */
const settleTime = 400

interface Options {
  readonly host: string
  readonly installation: string
  readonly published: boolean
  readonly subnets: string
  readonly bind: string | null
}

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

/** The image must exist. Removes everything after a failure, if the engine responds. @throws EngineError */
export async function createContainer(
  api: DockerApi,
  options: Options,
  limitsStorage: boolean,
  spec: ContainerSpec,
): Promise<Started> {
  const subnet = subnetOf(options.subnets, spec.subnetIndex)
  if (subnet === null)
    throw new EngineError('subnet', `${options.subnets} (VEXIL_DOCKER_SUBNETS) has no network number ${spec.subnetIndex}`)
  try {
    const network = bridgeOf(spec.id, spec.isolated)
    const labels = labelsOf(spec, options.installation)
    await api.read(Made, 'POST', '/networks/create', { body: networkBody(network, subnet, spec.isolated, labels) })
    return await start(api, options, limitsStorage, spec, network)
  } catch (error) {
    await removeContainer(api, options.installation, spec.id).catch(() => undefined)
    throw explain(error, spec)
  }
}

async function start(
  api: DockerApi,
  options: Options,
  limitsStorage: boolean,
  spec: ContainerSpec,
  network: string,
): Promise<Started> {
  const { installation, published, bind } = options
  const publishAt = published ? '' : bind
  const { Id } = await api.read(Made, 'POST', '/containers/create', {
    query: { name: nameOf(spec) },
    body: containerBody(spec, { installation, network, publishAt, limitsStorage }),
  })
  await api.bytes('POST', `/containers/${Id}/start`)
  await sleep(settleTime)
  const inspected = await api.read(Inspected, 'GET', `/containers/${Id}/json`)
  if (!inspected.State.Running) throw new EngineError('failed', await describeEnd(api, installation, spec, inspected))
  return placeOf(inspected, options, spec.port, network)
}

function placeOf({ Id, NetworkSettings }: Inspected, { host, published, bind }: Options, port: number, network: string): Started {
  const inside = { host: NetworkSettings.Networks[network]?.IPAddress ?? '', port }
  if (!published && bind === null) return { engineId: Id, ...inside, published: null }
  // The IPv6 port may differ.
  const bindings = NetworkSettings.Ports[`${port}/tcp`] ?? []
  const binding = bindings.find(({ HostIp }) => !HostIp.includes(':')) ?? bindings[0]
  if (!binding) throw new EngineError('failed', `Docker published no port for port ${port} of the container`)
  const outside = Number(binding.HostPort)
  if (!published) return { engineId: Id, host: bind ?? '', port: outside, published: null }
  const near = seesBridge(network) ? inside : { host: host.startsWith('unix://') ? '127.0.0.1' : hostOf(host), port: outside }
  return { engineId: Id, ...near, published: { host: null, port: outside } }
}

async function describeEnd(api: DockerApi, installation: string, spec: ContainerSpec, { State }: Inspected): Promise<string> {
  const lines = await readLogs(api, installation, spec.id, lastLines).catch(() => '')
  const reason = State.OOMKilled ? 'it needed more memory than its limit' : `exit code ${State.ExitCode}`
  return `The container exited immediately (${reason})${lines ? `: ${lines}` : ''}`
}

function explain(error: unknown, spec: ContainerSpec): unknown {
  if (!(error instanceof EngineError)) return error
  if (error.problem === 'failed' && /pool overlaps|overlapping ipv4/i.test(error.message))
    return new EngineError('subnet', `The network number ${spec.subnetIndex} is already in use: ${error.message}`)
  return new EngineError(error.problem, hideValues(error.message, spec.environment))
}

function hostOf(host: string): string {
  return new URL(host).hostname.replace(/^\[|\]$/g, '')
}
