import { setTimeout as sleep } from 'node:timers/promises'
import * as Type from 'typebox'
import { hideValues, labelsOf, lastLines, nameOf, partOf } from '../challenge-container.ts'
import { type AdditionalContainer, type ContainerSpec, EngineError, type Started } from '../engine.ts'
import { areListening } from '../listens.ts'
import { type DockerApi, Made } from './docker-api.ts'
import { additionalBody, containerBody } from './docker-container.ts'
import { readLogs, removeContainer } from './docker-found.ts'
import { bridgeOf, isWithin, networkBody, seesBridge, subnetOf } from './docker-network.ts'

/** Milliseconds within which an image that cannot run usually exits, and between two checks of its port during that time. */
const settleTime = 400
const pollInterval = 20
/** Milliseconds within which Docker reports the address and the ports of a container that it has started. */
const placeTime = 2_000

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

interface Host {
  readonly limitsStorage: boolean
  /** Checks the firewall rules of the host; settles when they are in place or the problem was reported. */
  readonly isolation: () => Promise<unknown>
}

/** The images must exist. Removes everything after a failure, if the engine responds. @throws EngineError */
export async function createContainer(
  api: DockerApi,
  options: Options,
  { limitsStorage, isolation }: Host,
  spec: ContainerSpec,
): Promise<Started> {
  const subnet = subnetOf(options.subnets, spec.subnetIndex)
  if (subnet === null)
    throw new EngineError('subnet', `${options.subnets} (VEXIL_DOCKER_SUBNETS) has no network number ${spec.subnetIndex}`)
  try {
    const network = bridgeOf(spec.id, spec.isolated)
    const labels = labelsOf(spec, options.installation)
    // At the same time: only the start of the container needs the network and the rules.
    const made = await Promise.allSettled([
      api.read(Made, 'POST', '/networks/create', { body: networkBody(network, subnet, spec.isolated, labels) }),
      makeFirst(api, options, limitsStorage, spec, network),
      isolation(),
    ])
    const [, Id] = made.map((one) => {
      if (one.status === 'rejected') throw one.reason
      return one.value
    }) as [unknown, string, unknown]
    return await start(api, options, limitsStorage, spec, { network, Id })
  } catch (error) {
    await removeContainer(api, options.installation, spec.id).catch(() => undefined)
    throw explain(error, spec)
  }
}

/** Returns Docker's id of the first container. */
async function makeFirst(
  api: DockerApi,
  { installation, published, bind }: Options,
  limitsStorage: boolean,
  spec: ContainerSpec,
  network: string,
): Promise<string> {
  const publishAt = published ? '' : bind
  const { Id } = await api.read(Made, 'POST', '/containers/create', {
    query: { name: nameOf(spec) },
    body: containerBody(spec, { installation, network, publishAt, limitsStorage }),
  })
  return Id
}

async function start(
  api: DockerApi,
  options: Options,
  limitsStorage: boolean,
  spec: ContainerSpec,
  { network, Id }: { readonly network: string; readonly Id: string },
): Promise<Started> {
  await api.bytes('POST', `/containers/${Id}/start`)
  const others = await Promise.all(
    spec.additional.map(async (one) => ({ one, Id: await startBeside(api, options, limitsStorage, spec, Id, one) })),
  ).catch(async (error: unknown) => {
    // No container can be started beside a first one that has exited: the output of that one is the reason.
    await mustRun(api, options, spec, Id)
    throw error
  })
  if (spec.hasReadyCheck && others.length === 0) await listenOrSettle(api, options, spec, network, Id)
  else await sleep(settleTime)
  for (const { one, Id } of others.filter(({ one }) => !one.runsOnce)) await mustRun(api, options, spec, Id, one.name)
  return findPlace(api, options, spec, network, Id)
}

/** Docker Desktop, and at times Docker Engine, reports the ports only some moments after the start. @throws EngineError failed */
async function findPlace(
  api: DockerApi,
  options: Options,
  spec: ContainerSpec,
  network: string,
  engineId: string,
): Promise<Started> {
  for (const until = performance.now() + placeTime; ; await sleep(pollInterval)) {
    const inspected = await mustRun(api, options, spec, engineId)
    try {
      return placeOf(inspected, options, spec, network)
    } catch (error) {
      if (performance.now() >= until) throw error
    }
  }
}

/** A service that listens shows that its image can run. Where docker-proxy accepts for it, only time does. */
async function listenOrSettle(
  api: DockerApi,
  options: Options,
  spec: ContainerSpec,
  network: string,
  engineId: string,
): Promise<void> {
  const until = performance.now() + settleTime
  const { host, port, namedPorts } = await findPlace(api, options, spec, network, engineId)
  const ports = isWithin(options.subnets, host) ? [port, ...namedPorts.map((one) => one.port)] : null
  const targets = ports?.map((one) => ({ host, port: one, text: '', stays: 0 }))
  while (performance.now() < until && !(targets && (await areListening(targets)))) await sleep(pollInterval)
}

/**
 * Starts a container in the network namespace of a running first one. `destroy` of its id removes it too. Returns Docker's id of it.
 * @throws EngineError
 */
async function startBeside(
  api: DockerApi,
  { installation }: Pick<Options, 'installation'>,
  limitsStorage: boolean,
  spec: ContainerSpec,
  first: string,
  one: AdditionalContainer,
): Promise<string> {
  const { Id } = await api.read(Made, 'POST', '/containers/create', {
    query: { name: nameOf({ name: `${spec.name}-${partOf(one)}` }) },
    body: additionalBody(spec, one, { installation, first, limitsStorage }),
  })
  await api.bytes('POST', `/containers/${Id}/start`)
  return Id
}

/** `name`: of an additional container. @throws EngineError failed, with its last lines */
async function mustRun(
  api: DockerApi,
  { installation }: Options,
  spec: ContainerSpec,
  engineId: string,
  name?: string,
): Promise<Inspected> {
  const inspected = await api.read(Inspected, 'GET', `/containers/${engineId}/json`)
  const { State } = inspected
  if (State.Running) return inspected
  const lines = await readLogs(api, installation, spec.id, lastLines, name).catch(() => '')
  const reason = State.OOMKilled ? 'it needed more memory than its limit' : `exit code ${State.ExitCode}`
  const which = name === undefined ? 'The container' : `The container ${name}`
  throw new EngineError('failed', `${which} exited immediately (${reason})${lines ? `: ${lines}` : ''}`)
}

/** @throws EngineError failed while Docker does not report it */
function placeOf(
  { Id, NetworkSettings }: Inspected,
  { host, published, bind }: Options,
  { port, namedPorts }: ContainerSpec,
  network: string,
): Started {
  const inside = NetworkSettings.Networks[network]?.IPAddress ?? ''
  const isNear = published && seesBridge(network)
  if (inside === '' && (isNear || (!published && bind === null)))
    throw new EngineError('failed', 'Docker reported no address of the container')
  if (!published && bind === null)
    return {
      engineId: Id,
      host: inside,
      port,
      published: null,
      namedPorts: namedPorts.map((one) => ({ ...one, publishedPort: null })),
    }
  const outside = (port: number) => {
    // The IPv6 port may differ.
    const bindings = NetworkSettings.Ports[`${port}/tcp`] ?? []
    const binding = bindings.find(({ HostIp }) => !HostIp.includes(':')) ?? bindings[0]
    if (!binding) throw new EngineError('failed', `Docker published no port for port ${port} of the container`)
    return Number(binding.HostPort)
  }
  const near = (port: number) => (isNear ? port : outside(port))
  const elsewhere = host.startsWith('unix://') ? '127.0.0.1' : hostOf(host)
  return {
    engineId: Id,
    host: published ? (isNear ? inside : elsewhere) : (bind ?? ''),
    port: near(port),
    published: published ? { host: null, port: outside(port) } : null,
    namedPorts: namedPorts.map((one) => ({
      name: one.name,
      port: near(one.port),
      publishedPort: published ? outside(one.port) : null,
    })),
  }
}

function explain(error: unknown, spec: ContainerSpec): unknown {
  if (!(error instanceof EngineError)) return error
  if (error.problem === 'failed' && /pool overlaps|overlapping ipv4/i.test(error.message))
    return new EngineError('subnet', `The network number ${spec.subnetIndex} is already in use: ${error.message}`)
  return new EngineError(error.problem, hideValues(error.message, spec))
}

function hostOf(host: string): string {
  return new URL(host).hostname.replace(/^\[|\]$/g, '')
}
