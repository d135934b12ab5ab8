/** The isolation probe on Kubernetes: two pods like those of challenges and a neighbour. The control is the platform itself. */
import { randomUUID } from 'node:crypto'
import { getServers } from 'node:dns'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerNetwork } from '@vexil/core/vocabulary'
import { type ContainerSpec, EngineError } from '../engine.ts'
import { addressesOf, commonTargets, type ProbePlan, tryFromHere } from '../isolation-places.ts'
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
import type { Access } from './kubernetes-access.ts'
import type { KubernetesApi } from './kubernetes-api.ts'
import { createPod } from './kubernetes-create.ts'
import { findOurs, readLogs, removePod } from './kubernetes-found.ts'
import { isDenied } from './kubernetes-policies.ts'

type Options = Parameters<typeof createPod>[1]
type Place = Pick<Access, 'target' | 'ownNamespace'>

const kubeletPort = 10_250
/** Seconds before a pod tries anything, since network plugins may need a moment after its start. */
const wait = 2
/** How often the output of a probe is read, and the milliseconds between two reads: a probe takes about six seconds. */
const attempts = 30
const attemptInterval = 400

/** Removes its pods afterwards, and those that an interrupted run left. @throws EngineError */
export async function tryKubernetesIsolation(
  api: KubernetesApi,
  options: Options,
  place: Place,
  plan: ProbePlan,
): Promise<Attempt[]> {
  if (plan.image === null)
    throw new EngineError('image', 'VEXIL_PROBE_IMAGE is not set. It names the image of the isolation probe.')
  // A separate installation, whose pods the sweep neither sees nor removes.
  const own = { ...options, installation: `${options.installation}.probe`, mayPing: true }
  try {
    return await tryAll(api, own, place, { ...plan, image: plan.image })
  } finally {
    await removeAll(api, own.installation)
  }
}

async function tryAll(
  api: KubernetesApi,
  options: Options,
  place: Place,
  plan: ProbePlan & { readonly image: string },
): Promise<Attempt[]> {
  const specFor = (targets: readonly Target[], network: ContainerNetwork): ContainerSpec => ({
    ...{
      id: randomUUID(),
      name: 'probe',
      labels: {},
      image: plan.image,
      environment: probeEnvironment(targets, { port: probePort, wait }),
    },
    ...{
      port: probePort,
      cpuCount: 5,
      memoryLimit: 64,
      storageLimit: 128,
      isolated: network === 'Isolated',
      strict: false,
      runtime: '',
      subnetIndex: 0,
      hasReadyCheck: false,
      namedPorts: [],
      additional: [],
    },
  })
  const { engineId, host, published } = await createPod(api, options, specFor([], 'Open'))
  const node = (await api.find('pods', engineId))?.status.hostIP
  const targets: Target[] = [
    ...(await clusterTargets(place)),
    // A public address of the platform is open to everyone.
    ...(await commonTargets(plan)).map((one): Target => (isPublic(one, options) ? { ...one, network: 'Isolated' } : one)),
    { name: 'neighbour', kind: 'tcp', address: host, port: probePort },
    ...(node ? nodeTargets(node, published?.port ?? null) : []),
    { name: 'linkLocal', kind: 'link', address: '', port: kubeletPort },
    { name: 'linkLocal', kind: 'link', address: '', port: Number(place.target.port) },
  ]
  const ours = async (of: ContainerNetwork) => {
    const tried = targetsOf(targets, of)
    const spec = specFor(tried, of)
    await createPod(api, { ...options, published: false }, spec)
    return { of, tried, outcomes: await readOutcomesOf(api, options, spec.id, tried) }
  }
  const both = await Promise.all([ours('Open'), ours('Isolated')])
  const control = ({ tried, outcomes }: (typeof both)[number]) =>
    tryFromHere(
      tried,
      outcomes.map(({ address }) => address),
    )
  const controlled = await Promise.all(both.map(control))
  return both.flatMap(({ of, tried, outcomes }, at) => judge(of, tried, outcomes, controlled[at] as Outcome[]))
}

const isPublic = ({ name, address }: Target, options: Options) => name === 'platform' && !isDenied(address, options)

/** The API server by its address and by its service, and the cluster's name servers, which the platform's pod uses. */
async function clusterTargets({ target, ownNamespace }: Place): Promise<Target[]> {
  const { KUBERNETES_SERVICE_HOST: service, KUBERNETES_SERVICE_PORT: servicePort } = process.env
  const api = (address: string, port: number): Target => ({ name: 'apiServer', kind: 'tcp', address, port })
  const addresses = await addressesOf(String(target.host))
  const isInCluster = ownNamespace !== null
  return [
    ...addresses.map((address) => api(address, Number(target.port))),
    ...(isInCluster && service && !addresses.includes(service) ? [api(service, Number(servicePort))] : []),
    ...(isInCluster ? getServers().filter((server) => isIP(server)) : []).map(
      (address): Target => ({ name: 'clusterDns', kind: 'dns', address, port: 53 }),
    ),
  ]
}

function nodeTargets(address: string, nodePort: number | null): Target[] {
  return [
    { name: 'kubelet', kind: 'tcp', address, port: kubeletPort },
    ...(nodePort === null ? [] : [{ name: 'publishedPort', kind: 'tcp', address, port: nodePort } as const]),
  ]
}

/** Waits for the end of the output. @throws EngineError failed if it does not come */
async function readOutcomesOf(
  api: KubernetesApi,
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

async function removeAll(api: KubernetesApi, installation: string): Promise<void> {
  const found = await findOurs(api, installation)
  await Promise.all(found.map(({ id }) => removePod(api, installation, id)))
}
