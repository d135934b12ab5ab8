/** The isolation probe on a fake cluster; isolation.cluster.test.ts runs it on a real one. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Manner } from '../../../../test/engine-door.ts'
import { type FakeCluster, openFakeCluster } from '../../../../test/kubernetes-api.ts'
import type { Attempt } from '../isolation-probe.ts'
import { openAccess } from './kubernetes-access.ts'
import { openKubernetesApi } from './kubernetes-api.ts'
import { tryKubernetesIsolation } from './kubernetes-isolation.ts'

/** `real`: milliseconds that a pause takes; `ended`: those of the pauses that have ended, as the platform asked for them. */
const pauses = vi.hoisted(() => ({ real: 1, ended: [] as number[] }))
vi.mock('node:timers/promises', async (original) => {
  const { setTimeout } = await original<typeof import('node:timers/promises')>()
  const pause = async (ms: number) => {
    await setTimeout(pauses.real)
    pauses.ended.push(ms)
  }
  return { setTimeout: pause }
})

const eth0 = [
  { address: '192.0.2.7', internal: false },
  { address: '10.0.0.7', internal: false },
]
vi.mock('node:os', async (original) => ({ ...(await original<object>()), networkInterfaces: () => ({ eth0 }) }))
const places = vi.hoisted(() => ({ reached: new Set<string>() }))
vi.mock('../isolation-places.ts', async (original) => ({
  ...(await original<object>()),
  tryFromHere: async (targets: readonly { name: string }[], addresses: readonly string[]) =>
    targets.map(({ name }, at) => ({
      address: addresses[at],
      result: places.reached.has(`${name} ${addresses[at]}`) ? 'reached' : 'untried',
    })),
}))

let cluster: FakeCluster
const installation = randomUUID()
const plan = { image: 'registry.example/probe:1', port: 8080, database: null }
beforeEach(async () => {
  cluster = await openFakeCluster()
  cluster.prints = refusing()
  places.reached.clear()
  pauses.real = 1
})
afterEach(async () => {
  await cluster.close()
  vi.unstubAllEnvs()
})

/** Everything but `reached` is refused; `resolver` is found at 192.0.2.53. */
const refusing =
  (reached = '') =>
  ({ VEXIL_PROBE = '' }: Readonly<Record<string, string>>) => {
    const words = VEXIL_PROBE.split(' ').filter(Boolean)
    const lines = words.map((word, number) => {
      const address = word.startsWith('link') ? 'fe80::1%eth0' : (word.split(',')[1] as string).replace('resolver', '192.0.2.53')
      return `${number} ${word === reached ? 'reached' : 'refused'} ${address}`
    })
    return `${lines.join('\n')}\ndone\n`
  }

async function probe({
  published = false,
  ownNamespace = null as string | null,
  image = plan.image as string | null,
  deny = ['10.0.0.0/8', '127.77.0.0/16'],
} = {}) {
  const access = openAccess(cluster.config)
  const api = openKubernetesApi(access, 'vexil-challenges')
  const options = {
    installation,
    dns: [],
    requests: 0.1,
    registrySecret: null,
    published,
    deny,
    pods: [],
    timeoutMs: 5_000,
    settle: 1,
  }
  try {
    return await tryKubernetesIsolation(api, options, { target: access.target, ownNamespace }, { ...plan, image })
  } finally {
    api.close()
  }
}
const ofOpen = (attempts: readonly Attempt[]) => attempts.filter(({ network }) => network === 'Open')
const left = () => ['pods', 'secrets', 'services'].map((kind) => cluster.things[kind]!.size)

test('API server, platform, metadata, neighbour, kubelet and link for both networks; name servers for Isolated', async () => {
  const attempts = await probe()
  const names = new Set(ofOpen(attempts).map(({ target }) => target))
  expect(names).toEqual(new Set(['apiServer', 'platform', 'metadata', 'neighbour', 'kubelet', 'linkLocal']))
  expect(attempts.filter(({ target }) => target === 'resolver').map(({ network }) => network)).toEqual(['Isolated'])
  const { port } = new URL(cluster.door.address)
  expect(attempts).toContainEqual(expect.objectContaining({ target: 'apiServer', address: '127.0.0.1', port: Number(port) }))
  expect(attempts).toContainEqual(expect.objectContaining({ target: 'kubelet', address: '127.0.0.1', port: 10_250 }))
  expect(attempts).toContainEqual(expect.objectContaining({ target: 'linkLocal', address: 'fe80::1%eth0', port: 10_250 }))
  expect(attempts.find(({ target }) => target === 'neighbour')).toMatchObject({
    address: expect.stringMatching(/^127\.77\./),
    port: 7000,
  })
})

test('kubelet and API server are tried two seconds after the start at link-local addresses, for which a pod of the probe may ping', async () => {
  const bodies: string[] = []
  const networks = new Map<string, string | undefined>()
  const waits = new Set<string | undefined>()
  cluster.prints = (environment) => {
    waits.add(environment.VEXIL_PROBE_WAIT)
    for (const { metadata, spec } of cluster.things.pods!.values()) {
      bodies.push(JSON.stringify(spec.securityContext))
      networks.set(metadata.name, metadata.labels?.['vexil.network'])
    }
    return refusing()(environment)
  }
  const ports = ofOpen(await probe()).flatMap(({ target, port }) => (target === 'linkLocal' ? [port] : []))
  expect(ports).toEqual([10_250, Number(new URL(cluster.door.address).port)])
  expect([...waits]).toEqual(['2'])
  // Isolated containers are tried in a pod of their network; the neighbour is an open one.
  expect([...networks.values()].toSorted()).toEqual(['Isolated', 'Open', 'Open'])
  expect(new Set(bodies)).toEqual(
    new Set([JSON.stringify({ sysctls: [{ name: 'net.ipv4.ping_group_range', value: '0 2147483647' }] })]),
  )
})

test('a public address of the platform is a target of Isolated containers only', async () => {
  const of = async (deny: string[]) =>
    (await probe({ deny }))
      .filter(({ target, address }) => target === 'platform' && address === '192.0.2.7')
      .map(({ network }) => network)
  expect(await of(['127.77.0.0/16'])).toEqual(['Isolated'])
  expect(await of(['127.77.0.0/16', '192.0.2.0/24'])).toEqual(['Open', 'Isolated'])
})

test('a published port of the neighbour is a target at its node, and the probes themselves publish none', async () => {
  const attempts = await probe({ published: true })
  expect(ofOpen(attempts).find(({ target }) => target === 'publishedPort')).toMatchObject({ address: '127.0.0.1', port: 30_001 })
  expect(cluster.calls.filter((call) => call.startsWith('POST') && call.endsWith('/services'))).toHaveLength(1)
})

test('refused counts only where the platform itself reaches the address that the pod found', async () => {
  places.reached.add('kubelet 127.0.0.1').add('resolver 192.0.2.53')
  const results = Object.fromEntries((await probe()).map(({ network, target, result }) => [`${network} ${target}`, result]))
  expect(results).toMatchObject({
    'Open kubelet': 'refused',
    'Isolated kubelet': 'refused',
    'Isolated resolver': 'refused',
    'Open neighbour': 'untried',
    'Open linkLocal': 'untried',
  })
})

test('without enforcement what was reached is reached, whatever the platform reaches', async () => {
  cluster.prints = refusing('link,10250')
  expect((await probe()).filter(({ result }) => result === 'reached').map(({ target }) => target)).toEqual([
    ...Array(2).fill('linkLocal'),
  ])
})

test('in a cluster: the service of the API server and the name servers of the cluster are targets, too', async () => {
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.96.0.1').stubEnv('KUBERNETES_SERVICE_PORT', '443')
  const inside = ofOpen(await probe({ ownNamespace: 'vexil' }))
  expect(inside).toContainEqual(expect.objectContaining({ target: 'apiServer', address: '10.96.0.1', port: 443 }))
  expect(inside.map(({ target }) => target)).toContain('clusterDns')
  const outside = ofOpen(await probe())
  expect(outside.filter(({ target, address }) => target === 'clusterDns' || address === '10.96.0.1')).toEqual([])
})

test('nothing is left, and leftovers of an interrupted run are removed; pods of teams stay', async () => {
  const thing = (name: string, of: string) => ({
    metadata: { name, labels: { 'vexil.installation': of, 'vexil.container': randomUUID() } },
    spec: {},
  })
  cluster.things.pods!.set('left', { ...thing('left', `${installation}.probe`), status: {} })
  cluster.things.pods!.set('team', { ...thing('team', installation), status: {} })
  await probe({ published: true })
  expect([left(), [...cluster.things.pods!.keys()]]).toEqual([[1, 0, 0], ['team']])
})

test('without an image it says what to set, and starts nothing', async () => {
  await expect(probe({ image: null })).rejects.toMatchObject({
    problem: 'image',
    message: expect.stringContaining('VEXIL_PROBE_IMAGE'),
  })
  expect(cluster.calls).toEqual([])
})

test('the output of a probe is read after each pause, until its last line after ten seconds', async () => {
  pauses.real = 10
  let reads = 0
  const ahead: number[] = []
  cluster.prints = (environment) => {
    if (reads++ === 0) pauses.ended.length = 0
    ahead.push(reads - pauses.ended.length)
    // Of both probes.
    const waited = pauses.ended.reduce((sum, ms) => sum + ms, 0)
    return waited < 20_000 ? '0 refused 127.0.0.1\n' : refusing()(environment)
  }
  expect(await probe()).not.toEqual([])
  expect(Math.max(...ahead)).toBeLessThanOrEqual(2)
})

test('a probe without a last line fails, and all is removed', async () => {
  cluster.prints = () => '0 refused 127.0.0.1\n'
  await expect(probe()).rejects.toMatchObject({ problem: 'failed', message: 'The isolation probe did not finish' })
  expect(left()).toEqual([0, 0, 0])
})

const nameOf = (call: string) =>
  call
    .replace(/\?.*/, '')
    .replace(/\/api.*\/vexil-challenges/, '')
    .replace(/probe-[a-z0-9]{12}/, '*')

test.each<[string, Manner, string]>([
  ['is refused', { status: 400, text: '{"message":"refused"}' }, 'failed'],
  ['is cut off', 'reset', 'unreachable'],
])('a request that %s: the run fails, and the next run leaves nothing', async (_, manner, problem) => {
  await probe({ published: true })
  const requests = [...new Set(cluster.door.asked.map(nameOf))]
  expect(requests).toHaveLength(11)
  const found: Record<string, string> = {}
  for (const request of requests) {
    cluster.door.meet('fault', manner, (call) => nameOf(call) === request)
    found[request] = await probe({ published: true }).then(
      () => 'ok',
      ({ problem }) => problem,
    )
    cluster.door.meet('fault', null)
    expect((await probe()).length).toBeGreaterThan(0)
    expect(left(), request).toEqual([0, 0, 0])
  }
  expect(found).toEqual(Object.fromEntries(requests.map((request) => [request, problem])))
})
