/** The isolation probe on a fake engine; isolation.db.test.ts runs it on a real one. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type FakeContainer, type FakeDocker, openFakeDocker } from '../../../../test/docker-api.ts'
import type { Manner } from '../../../../test/engine-door.ts'
import { EngineError } from '../engine.ts'
import { openDockerApi } from './docker-api.ts'
import { tryDockerIsolation } from './docker-isolation.ts'

vi.mock('node:timers/promises', () => ({ setTimeout: async () => undefined }))
const mocks = vi.hoisted(() => ({ readFile: vi.fn(), close: vi.fn() }))
vi.mock('node:fs/promises', async (original) => ({ ...(await original<object>()), readFile: mocks.readFile }))
const eth0 = ['127.0.0.1', '192.0.2.7', 'fe80::7', '2001:db8::7'].map((address) => ({
  address,
  internal: address === '127.0.0.1',
}))
const docker0 = [{ address: '172.17.0.1', internal: false }]
vi.mock('node:os', async (original) => ({ ...(await original<object>()), networkInterfaces: () => ({ eth0, docker0 }) }))
vi.mock('../isolation-places.ts', async (original) => ({
  ...(await original<object>()),
  listenOnMachine: async () => ({ port: 4711, close: mocks.close }),
}))

let docker: FakeDocker
const installation = randomUUID()
const plan = { image: null, port: 8080, database: { host: '127.0.0.2', port: 5432 } }
beforeEach(async () => {
  docker = await openFakeDocker()
  docker.prints = printed({})
  mocks.readFile.mockResolvedValue(Buffer.from('a program'))
})
afterEach(async () => {
  await docker.close()
  vi.clearAllMocks()
})

const isControl = ({ network }: FakeContainer) => network === 'host' || network.startsWith('probe-control')
const isOpen = ({ network }: FakeContainer) => network.startsWith('vx-') && !network.startsWith('vx-i')
const wordsOf = ({ Env }: FakeContainer) =>
  (Env.find((one) => one.startsWith('VEXIL_PROBE='))?.slice('VEXIL_PROBE='.length) ?? '').split(' ').filter(Boolean)

/** Our containers reach only what `reached` names; the controls reach everything but what `missed` names. */
const printed =
  ({ reached = '', missed = 'nothing' }: { reached?: string; missed?: string }) =>
  (container: FakeContainer) => {
    const isOurs = !isControl(container)
    const lines = wordsOf(container).map((word, number) => {
      const hit = isOurs ? word === reached && isOpen(container) : word !== missed
      return `${number} ${hit ? 'reached' : 'refused'} ${word.split(',')[1]}`
    })
    return `${lines.join('\n')}\ndone\n`
  }

async function probe({
  published = false,
  bind = null as string | null,
  host = docker.door.address,
  image = null as string | null,
} = {}) {
  const api = openDockerApi({ host: docker.door.address, certs: null })
  const options = { host, installation, published, bind, subnets: '100.64.0.0/24' }
  try {
    return await tryDockerIsolation(api, options, { ...plan, image })
  } finally {
    api.close()
  }
}
const callsOf = (start: string) => docker.door.asked.filter((call) => call.startsWith(start))
const left = () => [docker.containers.size, docker.networks.size]

test('behind the proxy: host, gateway, link, platform, database, metadata and neighbour, for both networks; name servers for Isolated', async () => {
  const attempts = await probe()
  const titles = ['host', 'host', 'gateway', 'linkLocal', 'platform', 'platform', 'database', ...Array(3).fill('metadata')]
  expect(attempts.filter(({ network }) => network === 'Open').map(({ target }) => target)).toEqual([...titles, 'neighbour'])
  expect(attempts.filter(({ network }) => network === 'Isolated').map(({ target }) => target)).toEqual([
    ...titles,
    'resolver',
    'neighbour',
  ])
  expect(new Set(attempts.map(({ result }) => result))).toEqual(new Set(['refused']))
  expect(attempts[0]).toEqual({ network: 'Open', target: 'host', address: '192.0.2.7', port: 4711, result: 'refused' })
  expect(attempts[1]).toMatchObject({ target: 'host', address: '2001:db8::7' })
  expect(attempts.find(({ target }) => target === 'database')).toMatchObject({ address: '127.0.0.2', port: 5432 })
  expect(attempts.find(({ target }) => target === 'neighbour')).toMatchObject({ address: '100.64.0.2', port: 7000 })
  expect(mocks.close).toHaveBeenCalledOnce()
})

test('a target that the control misses is untried, and one that is reached is so for its network alone', async () => {
  docker.prints = printed({ missed: 'tcp,gateway,4711', reached: 'tcp,192.0.2.7,8080' })
  const of = (await probe()).map(({ network, target, address, result }) => `${network} ${target} ${address} ${result}`)
  expect(of).toContain('Open gateway gateway untried')
  expect(of).toContain('Open platform 192.0.2.7 reached')
  expect(of).toContain('Isolated platform 192.0.2.7 refused')
})

test('the neighbour’s address is controlled from the network of the host, everything else from a network of Docker', async () => {
  docker.prints = (container) => (container.network === 'host' ? 'done' : printed({})(container))
  const untried = (await probe()).filter(({ result }) => result === 'untried').map(({ target }) => target)
  expect(untried).toEqual(['neighbour', 'neighbour'])
})

test('published ports: that of the neighbour is a target at an address of the host, or at the address it is bound to', async () => {
  const portOf = async (options: Parameters<typeof probe>[0]) =>
    (await probe(options)).filter(({ target }) => target === 'publishedPort').map(({ address, port }) => `${address}:${port}`)
  expect(await portOf({ published: true })).toEqual(['192.0.2.7:32768', '192.0.2.7:32768'])
  expect(await portOf({ bind: '10.0.0.5' })).toEqual(['10.0.0.5:32768', '10.0.0.5:32768'])
  expect(await portOf({})).toEqual([])
  // An engine whose host has no known address.
  expect(await portOf({ published: true, host: 'tcp://nowhere.invalid:2376' })).toEqual([])
})

test('an engine on another host: its own port takes the place of a port of this machine', async () => {
  const targets = (await probe({ host: 'tcp://127.0.0.3:2376', bind: '10.0.0.5' })).map(({ target }) => target)
  expect(targets).not.toContain('host')
  expect(targets).not.toContain('gateway')
  expect(targets.filter((target) => target === 'engine')).toHaveLength(2)
  expect(mocks.close).not.toHaveBeenCalled()
  const far = (await probe({ host: 'tcp://[::1]:2376', bind: '10.0.0.5' })).filter(({ target }) => target === 'engine')
  expect(far.map(({ address, port }) => [address, port])).toEqual(Array(2).fill(['::1', 2376]))
})

test('nothing is left, and leftovers of an interrupted run are removed; containers of teams stay', async () => {
  const labels = (of: string) => ({ 'vexil.installation': of, 'vexil.container': randomUUID() })
  docker.networks.set('left', { Id: 'left', Name: 'left', Labels: labels(`${installation}.probe`) })
  docker.networks.set('team', { Id: 'team', Name: 'team', Labels: labels(installation) })
  await probe({ published: true })
  expect([left(), [...docker.networks.keys()]]).toEqual([[0, 1], ['team']])
})

test('the program becomes an image once; an image that is named is used instead', async () => {
  await probe()
  await probe()
  const [made, ...more] = callsOf('POST /v1.41/images/create')
  expect([made, more]).toEqual([expect.stringMatching(/repo=vexil-probe&tag=[0-9a-f]{12}&changes=ENTRYPOINT/), []])
  docker.images.add('registry.example/probe:1')
  mocks.readFile.mockRejectedValue(new Error('ENOENT'))
  await probe({ image: 'registry.example/probe:1' })
  expect(callsOf('POST /v1.41/images/create')).toHaveLength(1)
})

test('without the program it says what to do, and starts nothing', async () => {
  mocks.readFile.mockRejectedValue(new Error('ENOENT'))
  await expect(probe()).rejects.toMatchObject({ problem: 'image', message: expect.stringContaining('VEXIL_PROBE_IMAGE') })
  expect(callsOf('POST')).toEqual([])
})

test('a probe without a last line fails, and all is removed', async () => {
  docker.prints = () => '0 refused 192.0.2.7\n'
  await expect(probe()).rejects.toEqual(new EngineError('failed', 'The isolation probe did not finish'))
  expect([left(), mocks.close.mock.calls.length]).toEqual([[0, 0], 1])
})

test('a host without IPv6: the control gets a network without it; another fault of the engine is one', async () => {
  const bodies: boolean[] = []
  docker.refuseNetwork = ({ EnableIPv6 }) => {
    bodies.push(EnableIPv6 === true)
    return EnableIPv6 === true ? 'could not enable IPv6' : null
  }
  expect(await probe()).not.toEqual([])
  expect(bodies.filter(Boolean)).toHaveLength(1)
  docker.refuseNetwork = () => 'pool overlaps with other one on this address space'
  await expect(probe()).rejects.toMatchObject({ problem: 'subnet' })
  expect(left()).toEqual([0, 0])
})

test('controls accept no connections, and that on the network of the host keeps its users', async () => {
  const seen: FakeContainer[] = []
  docker.prints = (container) => {
    seen.push(container)
    return printed({})(container)
  }
  await probe()
  const port = (one: FakeContainer) => one.Env.find((text) => text.startsWith('VEXIL_PROBE_PORT='))
  for (const one of seen) expect(port(one)).toBe(`VEXIL_PROBE_PORT=${isControl(one) ? 0 : 7000}`)
  expect(
    seen
      .filter(isControl)
      .map(({ UsernsMode }) => UsernsMode ?? 'none')
      .sort(),
  ).toEqual(['host', 'none'])
})

const nameOf = (call: string) =>
  call
    .replace(/\?.*/, '')
    .replace('/v1.41', '')
    .replace(/[0-9a-f]{64}|vexil-probe:[0-9a-f]+/, '*')
const wordOf = (error: unknown) => (error instanceof EngineError ? error.problem : String(error))

test.each<[string, Manner, string]>([
  ['is refused', { status: 500, text: '{"message":"refused"}' }, 'failed'],
  ['is cut off', 'reset', 'unreachable'],
])('a request that %s: the run fails, its port is closed, and the next run leaves nothing', async (_, manner, problem) => {
  await probe()
  const requests = [...new Set(docker.door.asked.map(nameOf))]
  expect(requests).toHaveLength(13)
  const found: Record<string, string> = {}
  for (const request of requests) {
    docker.images.clear()
    mocks.close.mockClear()
    docker.door.meet('fault', manner, (call) => nameOf(call) === request)
    found[request] = await probe().then(() => 'ok', wordOf)
    docker.door.meet('fault', null)
    // The requests for the image, and for leftovers of an interrupted run, come before the listener is opened.
    const isBefore = /^GET \/(version|images|networks|containers\/json)|images/.test(request)
    expect(mocks.close.mock.calls.length, request).toBe(isBefore ? 0 : 1)
    expect((await probe()).length).toBeGreaterThan(0)
    expect(left(), request).toEqual([0, 0])
  }
  const different = { 'GET /version': 'unreachable', 'POST /containers/*/stop': problem === 'failed' ? 'ok' : 'unreachable' }
  expect(found).toEqual({ ...Object.fromEntries(requests.map((request) => [request, problem])), ...different })
})
