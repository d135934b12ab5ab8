/** The isolation probe on Docker: two containers like those of challenges, a neighbour, and controls without our rules. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerNetwork } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { labelsOf, nameOf } from '../challenge-container.ts'
import { type ContainerSpec, EngineError, type Started } from '../engine.ts'
import { addressesOf, commonTargets, listenOnMachine, machineAddresses, type ProbePlan } from '../isolation-places.ts'
import {
  type Attempt,
  judge,
  type Outcome,
  probeEnvironment,
  probePort,
  readOutcomes,
  type Target,
  targetsOf,
} from '../isolation-probe.ts'
import { type DockerApi, DockerRefusal, Made } from './docker-api.ts'
import { containerBody } from './docker-container.ts'
import { createContainer } from './docker-create.ts'
import { findOurs, readLogs, removeContainer } from './docker-found.ts'
import { bridgeOf, subnetCountOf } from './docker-network.ts'
import { tarOf } from './docker-storage.ts'

type Options = Parameters<typeof createContainer>[1]
/** The rules were checked before the probe, whose containers need no storage limit. */
const probedHost = { limitsStorage: false, isolation: async () => undefined }

const Connected = Type.Object({
  NetworkSettings: Type.Object({ Networks: Type.Record(Type.String(), Type.Object({ IPAddress: Type.String() })) }),
})
const program = new URL('../../../../../../deploy/probe/probe', import.meta.url)
/** How often the output of a probe is read, and the milliseconds between two reads: a probe takes about four seconds. */
const attempts = 40
const attemptInterval = 250

/** Removes its containers afterwards, and those that an interrupted run left. @throws EngineError */
export async function tryDockerIsolation(api: DockerApi, options: Options, plan: ProbePlan): Promise<Attempt[]> {
  // A separate installation, whose containers the sweep neither sees nor removes.
  const own = { ...options, installation: `${options.installation}.probe` }
  const image = plan.image ?? (await loadProgram(api))
  await removeAll(api, own.installation)
  const listener = options.host.startsWith('unix://') ? await listenOnMachine() : null
  try {
    return await tryAll(api, own, plan, { image, hostPort: listener?.port ?? null })
  } finally {
    listener?.close()
    await removeAll(api, own.installation)
  }
}

interface Tools {
  readonly image: string
  /** A port that this machine listens on; null when the engine is on another host. */
  readonly hostPort: number | null
}

async function tryAll(api: DockerApi, options: Options, plan: ProbePlan, { image, hostPort }: Tools): Promise<Attempt[]> {
  let subnetIndex = subnetCountOf(options.subnets)
  const specFor = (targets: readonly Target[], network: ContainerNetwork): ContainerSpec => ({
    ...{
      id: randomUUID(),
      name: 'probe',
      labels: {},
      image,
      environment: probeEnvironment(targets, { port: probePort }),
      port: probePort,
    },
    ...{ cpuCount: 5, memoryLimit: 64, storageLimit: 128, isolated: network === 'Isolated', strict: false, runtime: '' },
    // From the end of the range: networks of instances are taken from its beginning.
    subnetIndex: --subnetIndex,
    hasReadyCheck: false,
    namedPorts: [],
    additional: [],
  })
  const besides = specFor([], 'Open')
  const neighbour = await createContainer(api, options, probedHost, besides)
  const network = bridgeOf(besides.id, besides.isolated)
  const targets = [
    ...(await hostTargets(options.host, hostPort)),
    ...(await commonTargets(plan)),
    ...(await neighbourTargets(api, options, neighbour, network)),
  ]
  const ours = async (of: ContainerNetwork) => {
    const tried = targetsOf(targets, of)
    const spec = specFor(tried, of)
    await createContainer(api, options, probedHost, spec)
    return { of, tried, outcomes: await readOutcomesOf(api, options, spec.id, tried) }
  }
  const control = async (tried: readonly Target[], isOnHost: boolean) => {
    const spec = { ...specFor(tried, 'Open'), environment: probeEnvironment(tried) }
    await startControl(api, options, spec, isOnHost)
    return new Map((await readOutcomesOf(api, options, spec.id, tried)).map((outcome, at) => [tried[at], outcome]))
  }
  const [isBeside, isElsewhere] = [({ name }: Target) => name === 'neighbour', ({ name }: Target) => name !== 'neighbour']
  const [open, isolated, ...controls] = await Promise.all([
    ours('Open'),
    ours('Isolated'),
    control(targets.filter(isElsewhere), false),
    // Docker separates bridges, so the control of the neighbour's address runs in the network of the host.
    control(targets.filter(isBeside), true),
  ])
  const reached = new Map(controls.flatMap((one) => [...one]))
  return [open, isolated].flatMap(({ of, tried, outcomes }) => {
    const controlled = tried.map((target) => reached.get(target) as Outcome)
    return judge(of, tried, outcomes, controlled)
  })
}

async function hostTargets(host: string, hostPort: number | null): Promise<Target[]> {
  if (hostPort === null) {
    const addresses = await addressesOf(hostOf(host))
    return addresses.map((address) => ({ name: 'engine', kind: 'tcp', address, port: Number(new URL(host).port) }))
  }
  return [
    ...machineAddresses().map((address): Target => ({ name: 'host', kind: 'tcp', address, port: hostPort })),
    { name: 'gateway', kind: 'tcp', address: 'gateway', port: hostPort },
    { name: 'linkLocal', kind: 'link', address: '', port: hostPort },
  ]
}

/** By its address in its network, and by its published port if it has one. */
async function neighbourTargets(
  api: DockerApi,
  { host, bind }: Options,
  { engineId, published, ...near }: Started,
  network: string,
): Promise<Target[]> {
  const { NetworkSettings } = await api.read(Connected, 'GET', `/containers/${engineId}/json`)
  const port = published?.port ?? (bind === null ? null : near.port)
  const [address] = bind !== null ? [bind] : host.startsWith('unix://') ? machineAddresses() : await addressesOf(hostOf(host))
  return [
    { name: 'neighbour', kind: 'tcp', address: NetworkSettings.Networks[network]?.IPAddress ?? '', port: probePort },
    ...(port === null || address === undefined ? [] : [{ name: 'publishedPort', kind: 'tcp', address, port } as const]),
  ]
}

/** A container without our rules: on the host's network, or on a bridge of Docker with IPv4 and IPv6. */
async function startControl(api: DockerApi, { installation }: Options, spec: ContainerSpec, isOnHost: boolean): Promise<void> {
  const network = isOnHost ? 'host' : await makeControlNetwork(api, spec, installation)
  const body = containerBody(spec, { installation, network, publishAt: null, limitsStorage: false })
  // With remapped users Docker refuses the network of the host.
  const HostConfig = { ...body.HostConfig, ...(isOnHost && { UsernsMode: 'host' }) }
  const query = { name: nameOf({ name: 'probe-control' }) }
  const { Id } = await api.read(Made, 'POST', '/containers/create', { query, body: { ...body, HostConfig } })
  await api.bytes('POST', `/containers/${Id}/start`)
}

/** Has a random unique local IPv6 range (RFC 4193) where the host has IPv6. */
async function makeControlNetwork(api: DockerApi, spec: ContainerSpec, installation: string): Promise<string> {
  const Name = nameOf({ name: 'probe-control' })
  const [high, middle, low] = (randomBytes(6).toString('hex').match(/..../g) ?? []) as [string, string, string]
  const Subnet = `fd${high.slice(2)}:${middle}:${low}::/64`
  const body = { Name, Driver: 'bridge', CheckDuplicate: true, Labels: labelsOf(spec, installation) }
  const both = { ...body, EnableIPv6: true, IPAM: { Config: [{ Subnet }] } }
  await api.read(Made, 'POST', '/networks/create', { body: both }).catch((error) => {
    if (!(error instanceof DockerRefusal)) throw error
    return api.read(Made, 'POST', '/networks/create', { body })
  })
  return Name
}

/** Waits for the end of the output. @throws EngineError failed if it does not come */
async function readOutcomesOf(
  api: DockerApi,
  { installation }: Options,
  id: string,
  targets: readonly Target[],
): Promise<Outcome[]> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const outcomes = readOutcomes(await readLogs(api, installation, id, 100), targets)
    if (outcomes) return outcomes
    await sleep(attemptInterval)
  }
  throw new EngineError('failed', 'The isolation probe did not finish')
}

/** The image of the program, made at its first use. @throws EngineError image without the program */
async function loadProgram(api: DockerApi): Promise<string> {
  const content = await readFile(program).catch(() => {
    throw new EngineError(
      'image',
      'The program of the isolation probe is missing. `npm start` builds it where gcc is installed; otherwise VEXIL_PROBE_IMAGE names an image.',
    )
  })
  const [repo, tag] = ['vexil-probe', createHash('sha256').update(content).digest('hex').slice(0, 12)]
  const isHere = await api.bytes('GET', `/images/${repo}:${tag}/json`).then(
    () => true,
    (error) => {
      if (error instanceof DockerRefusal && error.status === 404) return false
      throw error
    },
  )
  const query = { fromSrc: '-', repo, tag, changes: 'ENTRYPOINT ["/probe"]' }
  if (!isHere) await api.bytes('POST', '/images/create', { query, body: tarOf('probe', content) })
  return `${repo}:${tag}`
}

async function removeAll(api: DockerApi, installation: string): Promise<void> {
  const found = await findOurs(api, installation)
  await Promise.all(found.map(({ id }) => removeContainer(api, installation, id)))
}

const hostOf = (host: string) => new URL(host).hostname.replace(/^\[|\]$/g, '')
