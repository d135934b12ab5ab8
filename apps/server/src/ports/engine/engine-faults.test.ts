/**
 * Every call of both drivers: each of its requests is answered in every bad manner, and the outcome is compared with the table. The engines are
 * fakes; pauses and deadlines use a fake clock.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FakeDocker, openFakeDocker } from '../../../test/docker-api.ts'
import { aContainer, anAdditional } from '../../../test/engine.suite.ts'
import type { HttpDoor, Manner } from '../../../test/engine-door.ts'
import { faultsTable, type MannerName, manners } from '../../../test/engine-faults.table.ts'
import { type FakeCluster, openFakeCluster, type Thing } from '../../../test/kubernetes-api.ts'
import { type DockerOptions, openDocker } from './docker/docker.ts'
import { type Engine, EngineError } from './engine.ts'
import { type KubernetesOptions, openKubernetes } from './kubernetes/kubernetes.ts'
import { noEngine } from './none.ts'

// A short pause is over at once and moves the clock; a long one waits for the clock.
vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number, value: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      if (ms < 5_000) {
        setImmediate(resolve, value)
        return void vi.advanceTimersByTime(ms)
      }
      const timer = setTimeout(resolve, ms, value)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    }),
}))
const firewall = vi.hoisted(() => ({ ensureFirewall: vi.fn(async () => 'in place') }))
vi.mock('./docker/firewall.ts', () => firewall)

const installation = '0b5c4cf4-57a1-4a9c-a7ff-b2b0d1b7a5e1'
const spec = aContainer({ id: 'c5a0e4a2-8d0a-4f9e-9a55-0f1d2c3b4a59', image: 'team/echo:1' })
const neighbour = aContainer({ image: spec.image })
const fetched = 'team/far:1'
const elsewhere = 'create, image elsewhere'
const ofEnded = 'inspect, ended'
const several = 'create, two containers'
const second = anAdditional({ name: 'db', image: spec.image })

/** The only call whose rows have this request, which other calls make in the same way; null: each call that makes it. */
const onlyOf = (request: string): string | null =>
  request === 'GET /version' || request.endsWith(' of the trial') || /^DELETE .images/.test(request) ? 'create' : null

const calls: Record<string, (engine: Engine, place: Place) => Promise<unknown>> = {
  create: (engine) => engine.create(spec),
  [elsewhere]: (engine) => engine.create({ ...spec, image: fetched }),
  [several]: (engine) => engine.create({ ...spec, additional: [second] }),
  list: (engine) => engine.list(),
  inspect: (engine) => engine.inspect(spec.id),
  [ofEnded]: (engine) => engine.inspect(spec.id),
  logs: (engine) => engine.logs(spec.id, 5),
  destroy: (engine) => engine.destroy(spec.id),
  destroyOne: (engine, place) => engine.destroyOne(spec.id, place.engineId()),
  pull: (engine) => engine.pull(fetched),
  findImage: (engine) => engine.findImage(fetched),
  ping: (engine) => engine.ping(),
  // Nothing listens at port 9: the requests to the engine are what counts.
  listens: (engine, place) =>
    engine.listens({ engineId: place.engineId(), host: '127.0.0.1', port: 9, published: null, namedPorts: [] }, ''),
  probe: (engine) => engine.probe(),
}
const isCreate = (call: string) => call.startsWith('create')

/** A fake engine with a container of this installation and one of another. */
interface Place {
  readonly door: HttpDoor
  /** Restores everything, with or without our container. */
  reset(there: boolean): void
  /** Our container exits. */
  end(): void
  open(onError: (error: unknown) => void, installation?: string): Promise<Engine>
  /** The engine's name for our container. */
  engineId(): string
  /** How many objects carry the id, or pull an image. */
  left(): number
  /** Everything that belongs to the other installation. */
  others(): unknown
  close(): Promise<void>
}

/** Copies the maps; the returned function restores them, with or without the entries for which `isOurs` is true. */
function keep<T>(maps: readonly Map<string, T>[], isOurs: (one: T) => boolean) {
  const kept = maps.map((map) => structuredClone([...map]))
  return (there: boolean) =>
    maps.forEach((map, at) => {
      map.clear()
      for (const [name, one] of structuredClone(kept[at]!)) if (there || !isOurs(one)) map.set(name, one)
    })
}

const optionsOf = ({ door }: FakeDocker): DockerOptions => ({
  ...{ host: door.address, certs: null, installation, published: false, bind: '127.0.0.1', registry: null },
  ...{ subnets: '100.64.0.0/16', deny: [], onError: () => undefined },
})
const clusterOptionsOf = ({ config }: FakeCluster): KubernetesOptions => ({
  ...{ config, namespace: 'vexil-challenges', installation, published: true, registry: null },
  ...{ deny: ['127.77.0.0/16'], pods: [], dns: [], requests: 0.1, onError: () => undefined },
})

async function aDocker(): Promise<Place> {
  const fake = await openFakeDocker()
  fake.images.add(spec.image)
  const maps = [fake.containers, fake.networks] as Map<string, { Labels: Record<string, string> }>[]
  const isOurs = ({ Labels }: { Labels: Record<string, string> }) => Labels['vexil.container'] === spec.id
  const all = () => maps.flatMap((map) => [...map.values()])
  const open: Place['open'] = (onError, by = installation) => openDocker({ ...optionsOf(fake), installation: by, onError })
  await build(open)
  const restore = keep(maps, isOurs)
  return {
    door: fake.door,
    open,
    reset: (there) => {
      restore(there)
      fake.images.delete(fetched)
    },
    end: () => {
      for (const container of [...fake.containers.values()].filter(isOurs))
        Object.assign(container, { State: 'exited', ExitCode: 3 })
    },
    engineId: () => [...fake.containers.values()].find(isOurs)?.Id ?? '',
    left: () => all().filter(isOurs).length,
    others: () => all().filter((one) => !isOurs(one)),
    close: () => fake.close(),
  }
}

async function aCluster(): Promise<Place> {
  const fake = await openFakeCluster()
  const maps = ['pods', 'secrets', 'services', 'daemonsets', 'networkpolicies', 'events'].map((kind) => fake.things[kind]!)
  type Thing = { metadata: { labels?: Record<string, string> } }
  const isOurs = ({ metadata: { labels = {} } }: Thing) =>
    labels['vexil.container'] === spec.id || labels['vexil.pull'] !== undefined
  const all = () => maps.slice(0, 4).flatMap((map) => [...map.values()])
  const open: Place['open'] = (onError, by = installation) =>
    openKubernetes({ ...clusterOptionsOf(fake), installation: by, onError })
  await build(open)
  const restore = keep(maps, isOurs)
  return {
    door: fake.door,
    open,
    reset: restore,
    end: () => {
      const terminated = { reason: 'Error', exitCode: 3 }
      for (const pod of [...fake.things.pods!.values()].filter(isOurs))
        pod.status = { phase: 'Failed', containerStatuses: [{ name: 'challenge', state: { terminated } }] }
    },
    engineId: () => [...fake.things.pods!.values()].find(isOurs)?.metadata.name ?? '',
    left: () => all().filter(isOurs).length,
    others: () => all().filter((one) => !isOurs(one)),
    close: () => fake.close(),
  }
}

async function build(open: Place['open']): Promise<void> {
  for (const [container, by] of [
    [spec, installation],
    [neighbour, installation],
    [{ ...neighbour, id: 'f7a9d6d3-2f0a-4a2e-8f6e-1b1f7a3c9d10' }, 'another'],
  ] as const)
    await (await open(() => undefined, by)).create(container)
}

/** Without versions, namespaces and names that change each time. */
const nameOf = (call: string): string =>
  call
    .replace(/\?(name=vexil-storage|fromSrc=).*/, ' of the trial')
    .replace(/\?name=chal-7-additional.*/, ' beside')
    .replace(/\?.*/, '')
    .replace(/\/v1\.\d+\//, '/')
    .replace(/\/api.*\/namespaces\/vexil-challenges/, '')
    .replace(/[0-9a-f]{64}|chal-7-[a-z0-9]{12}|pull-[0-9a-f]{20}(-node-1)?|vexil-storage-test[^/]*/, '*')

/** A value that does not change from run to run. */
const masked = (value: unknown): string =>
  JSON.stringify(value ?? null)
    .replaceAll(/[0-9a-f]{64}|(chal-7)-[a-z0-9]{12}/g, '*')
    .replaceAll(/127\.77\.\d+\.\d+|"(port|free)":\d{5,}/g, '*')

const flush = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
}

const refused = 'refused by the test'
const mannerOf = (name: MannerName): Manner => {
  if (/^\d+$/.test(name)) return { status: Number(name), text: JSON.stringify({ message: refused }) }
  const answers: Partial<Record<MannerName, string>> = { text: 'It works!', shape: '{"message":"hello"}', empty: '' }
  const text = answers[name]
  if (text !== undefined) return { status: 200, text }
  return name === 'late' ? 'held' : (name as Manner)
}
const deadlineOf = (request: string, call: string) => {
  if (call === 'ping' || request === 'GET /pods/*/log') return 3_000
  return request === 'POST /images/create' ? 600_000 : 30_000
}

/** After these manners the same engine is used again. */
const comesBack: readonly string[] = ['held', 'shape', 'unreachable']

interface Base {
  readonly value: string
  readonly left: number
  /** Requests by name, in the order of their first occurrence, and how often. */
  readonly callCounts: ReadonlyMap<string, number>
}

/** Restores the state that a call expects. */
function arrange(place: Place, call: string): void {
  place.reset(!isCreate(call))
  if (call === ofEnded) place.end()
}

async function baseOf(place: Place, call: string): Promise<Base> {
  arrange(place, call)
  const engine = await place.open(() => undefined)
  place.door.asked.length = 0
  const value = masked(await calls[call]!(engine, place))
  const callCounts = new Map<string, number>()
  for (const one of place.door.asked.map(nameOf)) callCounts.set(one, (callCounts.get(one) ?? 0) + 1)
  return { value, left: place.left(), callCounts }
}

/** The outcome of one call when one of its requests is answered in this manner; `engine-faults.table.ts` explains the words. */
async function outcomeOf(place: Place, call: string, request: string, name: MannerName, base: Base): Promise<string> {
  const { door } = place
  arrange(place, call)
  const before = place.others()
  const reported: unknown[] = []
  const engine = await place.open((error) => reported.push(error))
  door.asked.length = 0
  const fits = (name: string) => nameOf(name) === request
  door.meet('fault', mannerOf(name), fits)

  let early = false
  let word: string | null = null
  const check = (error: unknown): string => {
    if (!(error instanceof EngineError)) return `${(error as Error).name}`
    expect(error.message).toMatch(/\w{5}/)
    expect(error.message).not.toContain(spec.environment.FLAG)
    if (error.problem === 'unreachable')
      expect(error.message).toMatch(/^(Docker|Kubernetes) does not answer at (unix|http):\/\/.+: .+/)
    if (['400', '409', '500', '503'].includes(name)) expect(error.message).toContain(refused)
    return error.problem
  }
  const wordOf = (value: unknown) => {
    if (masked(value) === base.value) return 'ok'
    // The image is still being pulled after 25 s.
    if (value === 'registry') return 'registry'
    if (masked(value).includes('"isolation":"Not proven')) return 'unproven'
    if (value === null) return 'none'
    if (value === false) return 'no'
    return value === '' ? 'empty' : typeof value === 'string' ? 'other' : 'wrong'
  }
  const work = calls[call]!(engine, place).then(wordOf, check)
  const done = work.then((outcome) => {
    word = outcome
  })
  if (name === 'held' || name === 'late')
    for (;;) {
      await Promise.race([door.untilHeld(), done])
      if (word !== null && vi.getTimerCount() === 0) break
      const deadline = deadlineOf(request, call)
      vi.advanceTimersByTime(deadline - 1)
      await flush()
      early ||= word !== null
      if (name === 'late') door.release()
      else vi.advanceTimersByTime(1)
      await flush()
      if (name === 'held') door.release()
    }
  await done
  await door.untilIdle()
  await flush()
  expect(vi.getTimerCount(), 'a timer is left').toBe(0)
  expect(place.others(), 'a neighbour was touched').toEqual(before)
  const times = door.asked.filter(fits).length
  const mayStay = isCreate(call) ? word === 'ok' : !call.startsWith('destroy')
  const isLeft = place.left() > (mayStay ? base.left : 0)
  const notes = [
    early ? '<' : '',
    times === base.callCounts.get(request) ? '' : `*${times}`,
    isLeft ? '+' : '',
    reported.length > 0 ? '!'.repeat(reported.length) : '',
  ]

  // The engine is back: leftovers are destroyed, as the platform does, and the same object works as before.
  door.meet('fault', null)
  if (comesBack.includes(name)) {
    await engine.destroy(spec.id)
    arrange(place, call)
    // Some results are cached for 5 s.
    vi.advanceTimersByTime(5_001)
    expect(masked(await calls[call]!(engine, place)), 'it is not used again').toBe(base.value)
  }
  await engine.close()
  await door.untilIdle()
  return word + notes.join('')
}

describe.each([
  ['Docker', aDocker, faultsTable.Docker],
  ['Kubernetes', aCluster, faultsTable.Kubernetes],
] as const)('%s', (kind, openPlace, table) => {
  let place: Place
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    place = await openPlace()
  })
  afterAll(async () => {
    await place.close()
    vi.useRealTimers()
  })

  test.each(Object.keys(table))('%s', async (call) => {
    place.door.meet('fault', null)
    const base = await baseOf(place, call)
    const rows: Record<string, string> = {}
    for (const request of base.callCounts.keys()) {
      if (kind === 'Docker' && (onlyOf(request) ?? call) !== call) continue
      // The differences from `create` begin with the image.
      if (call === elsewhere && !request.includes('/images')) continue
      if (call === several && !request.endsWith(' beside')) continue
      if (call === ofEnded && table.inspect?.[request]) continue
      const words: string[] = []
      for (const manner of manners) words.push(await outcomeOf(place, call, request, manner, base))
      rows[request] = words.join(' ')
    }
    expect(rows).toEqual(table[call])
  })
})

test('every call of an engine is in the table', () => {
  // The isolation probe makes several requests at once: its own tests have its faults.
  const { kind: _kind, reaches: _reaches, close: _close, tryIsolation: _several, ...more } = noEngine
  const { readyPollInterval: _pause, dialsPublished: _dials, ...asked } = more
  for (const table of Object.values(faultsTable)) expect(Object.keys(table)).toEqual(expect.arrayContaining(Object.keys(asked)))
})

describe('other faults', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  const open: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close()
    vi.useRealTimers()
  })
  const a = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const opened = await opening
    open.push(opened)
    return opened
  }
  const opened = (place: Place) => place.open(() => undefined)

  test.each([
    ['Docker', aDocker],
    ['Kubernetes', aCluster],
  ] as const)('a driver for %s that closes does not wait for pending calls', async (kind, openPlace) => {
    const place = await a(openPlace())
    for (const [call, ask] of Object.entries(calls)) {
      const rows = faultsTable[kind][call]
      if (rows && Object.keys(rows).length === 0) continue
      place.reset(!isCreate(call))
      const engine = await opened(place)
      place.door.meet('fault', 'held', () => true)
      const failure = expect(ask(engine, place), call).rejects.toMatchObject({ name: 'EngineError', problem: 'unreachable' })
      await place.door.untilHeld()
      await engine.close()
      await failure
      await place.door.untilIdle()
      place.door.release()
      place.door.meet('fault', null)
      await flush()
      expect(vi.getTimerCount(), call).toBe(0)
    }
  })

  test.each([1, 2])('a start on Docker is refused by its check, also after it waited in the queue: call %i', async (refuses) => {
    const fake = await a(openFakeDocker())
    fake.images.add(spec.image)
    let calls = 0
    const check = () => {
      if (++calls === refuses) throw new EngineError('unreachable', 'it is known to be unreachable')
    }
    const engine = await openDocker({ ...optionsOf(fake), check })
    await expect(engine.create(spec)).rejects.toThrow('it is known to be unreachable')
    expect([calls, fake.networks.size, fake.door.asked.length > 0]).toEqual([refuses, 0, refuses === 2])
  })

  test('a start on Kubernetes is refused by its check', async () => {
    const fake = await a(openFakeCluster())
    const check = () => {
      throw new EngineError('unreachable', 'it is known to be unreachable')
    }
    const engine = await openKubernetes({ ...clusterOptionsOf(fake), check })
    await expect(engine.create(spec)).rejects.toThrow('it is known to be unreachable')
    expect(fake.door.asked).toEqual([])
  })

  test.each([
    ['Docker', aDocker],
    ['Kubernetes', aCluster],
  ] as const)('%s: a truncated response is an error', async (_kind, openPlace) => {
    const place = await a(openPlace())
    place.reset(true)
    const engine = await opened(place)
    place.door.meet('fault', 'short', (call) => nameOf(call).startsWith('GET /'))
    await expect(engine.list()).rejects.toMatchObject({ name: 'EngineError', problem: 'unreachable' })
  })

  test.each([
    ['Docker', aDocker, 'POST /containers/create', [400, 503]],
    ['Kubernetes', aCluster, 'POST /secrets', [422, 500]],
  ] as const)('an error of %s that quotes the flag is redacted', async (_kind, openPlace, request, statuses) => {
    const place = await a(openPlace())
    for (const status of statuses) {
      place.reset(false)
      const text = JSON.stringify({ message: `it refuses ${spec.environment.FLAG}` })
      place.door.meet('fault', { status, text }, (call) => nameOf(call) === request)
      await expect((await opened(place)).create(spec)).rejects.toThrow('it refuses ***')
    }
  })

  test.each(manners)('the platform starts next to a Docker engine with this fault: %s', async (name) => {
    const fake = await a(openFakeDocker())
    fake.door.meet('fault', mannerOf(name), (call) => nameOf(call) === 'GET /networks')
    const opening = openDocker({ ...optionsOf(fake), bind: null })
    if (name === 'held' || name === 'late') {
      await fake.door.untilHeld()
      if (name === 'held') vi.advanceTimersByTime(30_000)
      else fake.door.release()
    }
    const engine = await opening
    fake.door.meet('fault', null)
    expect(await engine.list()).toEqual([])
    await fake.door.untilIdle()
    await flush()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('after an upgrade of Docker to only newer API versions one of these is used', async () => {
    const fake = await a(openFakeDocker())
    const engine = await openDocker(optionsOf(fake))
    await engine.list()
    fake.version = '1.44'
    fake.door.asked.length = 0
    expect(await engine.list()).toEqual([])
    expect(fake.door.asked.map((call) => call.replace(/\?.*/, ''))).toEqual([
      'GET /v1.41/networks',
      'GET /version',
      'GET /v1.44/networks',
      'GET /v1.44/containers/json',
    ])
    // A refusal of another kind changes nothing.
    fake.door.asked.length = 0
    fake.door.meet('fault', { status: 400, text: 'bad parameter' }, (call) => call.includes('/networks'))
    await expect(engine.list()).rejects.toMatchObject({ problem: 'failed', message: 'bad parameter' })
    expect(fake.door.asked).toHaveLength(1)
  })

  test.each([
    ['running', 0, false, 'running', null],
    ['paused', 0, false, 'running', null],
    ['restarting', 0, false, 'running', null],
    ['created', 0, false, 'ended', 'exit code 0'],
    ['exited', 3, false, 'ended', 'exit code 3'],
    ['exited', 137, true, 'ended', 'more memory than its limit'],
    ['removing', 0, false, 'ended', 'exit code 0'],
    ['dead', 137, false, 'ended', 'exit code 137'],
  ] as const)('a container on Docker that is %s (%i, %s) after its start', async (State, ExitCode, OOMKilled, state, reason) => {
    const fake = await a(openFakeDocker())
    fake.images.add(spec.image)
    fake.starts = { State, ExitCode, OOMKilled }
    const engine = await openDocker(optionsOf(fake))
    if (reason === null) {
      const startTime = performance.now()
      const engineId = expect.stringMatching(/^[0-9a-f]{64}$/)
      expect(await engine.create(spec)).toEqual({ engineId, host: '127.0.0.1', port: 32_768, published: null, namedPorts: [] })
      // Long enough for an image that cannot run to exit.
      expect(performance.now() - startTime).toBe(400)
    } else {
      const message = `The container exited immediately (${reason.startsWith('more') ? `it needed ${reason}` : reason}): starting\nready`
      await expect(engine.create(spec)).rejects.toMatchObject({ problem: 'failed', message })
      expect([fake.containers.size, fake.networks.size]).toEqual([0, 0])
      // The reason of the end is known without its lines.
      fake.door.meet('fault', { status: 409, text: 'dead or marked for removal' }, (call) => call.includes('/logs'))
      await expect(engine.create(spec)).rejects.toThrow(message.replace(/: starting\n.*/, ''))
      fake.door.meet('fault', { status: 500, text: 'no driver' }, (call) => call.includes('/logs'))
      await expect(engine.create(spec)).rejects.toThrow(message.replace(/: starting\n.*/, ''))
      fake.door.meet('fault', null)
      fake.starts = { State: 'running', ExitCode: 0, OOMKilled: false }
      await engine.create(spec)
      Object.assign([...fake.containers.values()][0]!, { State, ExitCode, OOMKilled })
    }
    const [engineId] = fake.containers.keys()
    expect(await engine.list()).toEqual([{ id: spec.id, engineId, state, overStorage: false }])
    const inspected = (end: object | null) => ({ id: spec.id, engineId, state, overStorage: false, end })
    const end = { reason: OOMKilled ? 'memory' : 'exit', container: null, exitCode: ExitCode, message: '' }
    expect(await engine.inspect(spec.id)).toEqual(inspected(state === 'ended' ? end : null))
    if (state === 'ended') {
      // It ended when the engine started, or before.
      fake.startedAt = [...fake.containers.values()][0]!.FinishedAt
      expect(await engine.inspect(spec.id)).toEqual(inspected({ ...end, reason: 'engine' }))
      fake.startedAt = null
      expect(await engine.inspect(spec.id)).toEqual(inspected(end))
    }
    await engine.destroy(spec.id)
    expect([fake.containers.size, fake.networks.size]).toEqual([0, 0])
  })

  test.each([
    ['listens', { hasReadyCheck: true }, 0],
    ['listens, and a second port does not', { hasReadyCheck: true, namedPorts: [{ name: 'sql', port: 9 }] }, 400],
    ['listens, beside an additional container', { hasReadyCheck: true, additional: [second] }, 400],
    ['is not to be asked', { hasReadyCheck: false }, 400],
    ['is reached through docker-proxy', { hasReadyCheck: true, far: true }, 400],
  ] as const)('a start on Docker ends early only when its service %s', async (_, more, waits) => {
    const { far = false, ...wanted } = { far: false, ...more }
    const fake = await a(openFakeDocker())
    fake.images.add(spec.image)
    fake.address = '127.0.0.1'
    const server = createServer((socket) => socket.on('error', () => undefined).end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const engine = await openDocker({ ...optionsOf(fake), subnets: '127.0.0.0/16', bind: far ? '192.0.2.1' : null })
    const startTime = performance.now()
    await engine.create({ ...spec, port, ...wanted })
    expect(performance.now() - startTime).toBe(waits)
    server.close()
  })

  test('a removal that Docker refuses at first is retried with longer pauses', async () => {
    const place = await a(aDocker())
    place.reset(true)
    const engine = await opened(place)
    let refusals = 0
    place.door.meet(
      'fault',
      { status: 409, text: 'removal is in progress' },
      (call) => call.startsWith('DELETE') && refusals++ < 3,
    )
    const startTime = performance.now()
    await engine.destroy(spec.id)
    expect([place.left(), refusals, performance.now() - startTime]).toEqual([0, 5, 200 + 200 + 400])
  })

  test.each([
    ['Docker', aDocker, 'DELETE /containers/*', 9_000],
    ['Kubernetes', aCluster, 'DELETE /pods/*', 5_600],
  ] as const)(
    'a resource on %s that remains after its removal is checked with longer pauses',
    async (_kind, openPlace, call, pauses) => {
      const place = await a(openPlace())
      place.reset(true)
      const engine = await opened(place)
      place.door.meet('fault', { status: 404, text: 'not found' }, (asked) => nameOf(asked) === call)
      const startTime = performance.now()
      await expect(engine.destroy(spec.id)).rejects.toMatchObject({ problem: 'failed' })
      expect(performance.now() - startTime).toBe(pauses)
    },
  )

  test.each([
    ['Docker', aDocker, 'POST /containers/create', 'GET /containers/json'],
    ['Kubernetes', aCluster, 'POST /pods', 'GET /secrets'],
  ] as const)(
    'the reason of a failed start on %s is reported even when the cleanup fails',
    async (_kind, openPlace, made, listed) => {
      const place = await a(openPlace())
      place.reset(false)
      const engine = await opened(place)
      place.door.meet('first', { status: 400, text: 'no room' }, (call) => nameOf(call) === made)
      place.door.meet('then', { status: 503, text: 'unreachable' }, (call) => nameOf(call) === listed)
      await expect(engine.create(spec)).rejects.toMatchObject({ problem: 'failed', message: 'no room' })
      expect(place.left()).toBe(1)
    },
  )

  test('the firewall rules of the Docker host are checked before starts and sweeps, and a degradation is reported once', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(0)
    const fake = await a(openFakeDocker())
    const reported: unknown[] = []
    const engine = await openDocker({ ...optionsOf(fake), deny: ['10.0.0.0/8'], onError: (error) => reported.push(error) })
    const looks = () => firewall.ensureFirewall.mock.calls.splice(0)
    looks()
    await engine.list()
    await engine.list()
    expect(looks()).toEqual([[['10.0.0.0/8']]])
    firewall.ensureFirewall.mockResolvedValue('a chain is missing')
    for (const word of ['list', 'list', 'probe'] as const) {
      vi.advanceTimersByTime(5_001)
      await engine[word]()
    }
    expect(looks()).toHaveLength(3)
    expect(reported).toEqual([new Error('Containers on Docker may not be isolated. Not proven: a chain is missing')])
    firewall.ensureFirewall.mockResolvedValue('in place')
    vi.advanceTimersByTime(5_001)
    await engine.list()
    firewall.ensureFirewall.mockResolvedValueOnce('a chain is missing')
    vi.advanceTimersByTime(5_001)
    await engine.list()
    expect(reported).toHaveLength(2)
    vi.restoreAllMocks()
  })

  test('cluster policies that cannot be read are reported once, and again after a success', async () => {
    const fake = await a(openFakeCluster())
    const reported: unknown[] = []
    const engine = await openKubernetes({ ...clusterOptionsOf(fake), onError: (error) => reported.push(error) })
    const look = async (status: number | null, times: number) => {
      fake.refuse('GET /apis/networking.k8s.io', status)
      for (let i = 0; i < times; i++) {
        vi.advanceTimersByTime(5_001)
        await engine.list()
      }
      return reported.length
    }
    expect([await look(403, 3), await look(null, 2), await look(403, 2)]).toEqual([1, 1, 2])
  })

  test('an image that a node pulls is polled with pauses', async () => {
    const fake = await a(openFakeCluster())
    const engine = await openKubernetes(clusterOptionsOf(fake))
    let looks = 0
    fake.door.meet('count', 'held', (call) => {
      if (/GET .*\/daemonsets\/pull-/.test(call) && ++looks === 3) fake.arrive()
      return false
    })
    const startTime = performance.now()
    await engine.pull('team/slow:1')
    expect(looks).toBeGreaterThan(2)
    expect(performance.now() - startTime).toBe(300 * (looks - 1))
  })

  test('a patient start on Kubernetes looks at its pull once a second for ten minutes, and has its whole time again when it ends', async () => {
    const fake = await a(openFakeCluster())
    const engine = await openKubernetes(clusterOptionsOf(fake))
    /** The outcome, and after how many seconds. The pull ends at `pulled`, and the pod runs three seconds later. From 10 s on, `missed` answers to `of` are missing, and the first of them stops a start that `stops`. */
    const started = async (waitsForImages: boolean, pulled: number, { missed = 0, of = '/pods/', stops = false } = {}) => {
      const startTime = performance.now()
      const steps: [number, (pod: Thing) => void][] = [
        [0, (pod) => fake.tell(pod, 'Normal', 'Pulling', 'Pulling image', 'challenge')],
        [pulled, (pod) => fake.tell(pod, 'Normal', 'Pulled', 'Successfully pulled image', 'challenge')],
        [
          pulled + 3_000,
          (pod) => {
            const containerStatuses = [{ name: 'challenge', state: { running: {} } }]
            pod.status = { phase: 'Running', podIP: '127.77.0.1', containerStatuses }
          },
        ],
      ]
      fake.door.meet('steps', 'held', (call) => {
        const pod = [...fake.things.pods!.values()][0]
        while (call.startsWith('GET') && pod && performance.now() - startTime >= (steps[0]?.[0] ?? Infinity))
          steps.shift()![1](pod)
        return false
      })
      const stopping = new AbortController()
      fake.door.meet('missed', { status: 503, text: 'busy' }, (call) => {
        const isMissed = call.startsWith('GET') && call.includes(of) && performance.now() - startTime > 10_000 && missed-- > 0
        if (isMissed && stops) stopping.abort(new EngineError('stopped', 'enough'))
        return isMissed
      })
      const watch = { signal: stopping.signal, seen: () => undefined, waitsForImages }
      const outcome = await engine.create({ ...spec, image: 'team/silent:1' }, watch).then(
        () => 'started',
        (error: EngineError) => error.problem,
      )
      await engine.destroy(spec.id)
      return [outcome, Math.floor((performance.now() - startTime) / 1000)]
    }
    expect(await started(true, 24_500)).toEqual(['started', 28])
    expect(await started(false, 24_500)).toEqual(['busy', 25])
    expect(await started(true, 24_500, { missed: 3 })).toEqual(['started', 28])
    expect(await started(true, 24_500, { missed: 4 })).toEqual(['unreachable', 14])
    expect(await started(false, 24_500, { missed: 1 })).toEqual(['unreachable', 10])
    expect(await started(true, 24_500, { missed: 3, of: '/events' })).toEqual(['started', 28])
    expect(await started(true, 24_500, { missed: 4, stops: true })).toEqual(['stopped', 12])
    fake.calls.length = 0
    expect(await started(true, 700_000)).toEqual(['pulling', 601])
    // Once a second, after the first one.
    expect(fake.calls.filter((call) => /^GET .*\/pods\//.test(call)).length).toBeLessThan(610)
  })

  test('a node that has not begun to pull within two minutes lacks the image, and one that pulls has ten', async () => {
    const fake = await a(openFakeCluster())
    const engine = await openKubernetes(clusterOptionsOf(fake))
    const withRegistry = await openKubernetes({
      ...clusterOptionsOf(fake),
      registry: { name: 'registry.example.org', user: 'me', password: 'secret' },
    })
    const failure = async (image: string, from = engine) => {
      const startTime = performance.now()
      const { message } = (await from.pull(image).catch((error: EngineError) => error as EngineError)) as EngineError
      return [message, Math.round((performance.now() - startTime) / 1000)]
    }
    expect(await failure('team/silent:1')).toEqual(['node-1: The node has not begun to pull it', 120])
    expect(await failure('team/slow:1')).toEqual(['node-1: Not pulled (after 10 minutes)', 600])
    const untried = 'node-1: The image team/untried:1 cannot be pulled: 401 Unauthorized'
    expect(await failure('team/untried:1', withRegistry)).toEqual([untried, 120])
    fake.nodes = ['full']
    expect(await failure('team/echo:1')).toEqual(['full: The node has no room: 0/1 nodes are available', 120])
    expect(fake.things.daemonsets!.size).toBe(0)
  })

  test('volumes that Docker measures for another caller are requested again; without a result the size is unknown', async () => {
    const fake = await a(openFakeDocker())
    fake.images.add(spec.image)
    const engine = await openDocker(optionsOf(fake))
    await engine.create(spec)
    fake.volumes.set('v', 2 ** 40)
    ;[...fake.containers.values()][0]!.Mounts.push({ Type: 'volume', Name: 'v' })
    let asked = 0
    const isBusy = (until: number) => (call: string) => call.includes('/system/df') && ++asked <= until
    const busy = { status: 409, text: 'a disk usage operation is already running' }
    for (const [until, overStorage, times] of [
      [2, true, 3],
      [99, false, 20],
    ] as const) {
      asked = 0
      const startTime = performance.now()
      fake.door.meet('fault', busy, isBusy(until))
      const [engineId] = fake.containers.keys()
      expect(await engine.list()).toEqual([{ id: spec.id, engineId, state: 'running', overStorage }])
      expect([asked, performance.now() - startTime]).toEqual([times, 200 * Math.min(until, times)])
    }
  })

  test('a secret that cannot be deleted does not keep its pod running', async () => {
    const fake = await a(openFakeCluster())
    const engine = await openKubernetes(clusterOptionsOf(fake))
    await engine.create(spec)
    fake.refuse('DELETE /api/v1/namespaces/vexil-challenges/secrets', 403, 'secrets is forbidden')
    await expect(engine.destroy(spec.id)).rejects.toMatchObject({ problem: 'failed', message: 'secrets is forbidden' })
    expect([fake.things.pods!.size, fake.things.services!.size, fake.things.secrets!.size]).toEqual([0, 0, 1])
  })

  test.each([
    ['Error', 3, 'exit code 3'],
    ['OOMKilled', 137, 'it needed more memory than its limit'],
  ])('a pod that ended (%s) reports the reason, with or without its last log lines', async (reason, exitCode, why) => {
    const fake = await a(openFakeCluster())
    const engine = await openKubernetes(clusterOptionsOf(fake))
    fake.ends({ reason, exitCode })
    await expect(engine.create(spec)).rejects.toThrow(`The container exited immediately (${why}): starting\nready`)
    fake.door.meet('fault', { status: 500, text: 'the node does not answer' }, (call) => call.includes('/log?'))
    const error = await engine.create(spec).catch((failure) => failure)
    expect(error).toMatchObject({ problem: 'failed', message: `The container exited immediately (${why})` })
    expect(fake.things.pods!.size + fake.things.secrets!.size).toBe(0)
  })

  test('a cluster is called over TLS, also for longer than the connection timeout', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vexil-tls-'))
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem']
    execFileSync('openssl', ['req', '-x509', ...key, '-out', 'cert.pem', '-subj', '/CN=tests'], { cwd: folder, stdio: 'ignore' })
    const [tlsKey, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(folder, name)))
    rmSync(folder, { recursive: true })
    const fake = await a(openFakeCluster({ key: tlsKey!, cert: cert! }))
    const engine = await openKubernetes(clusterOptionsOf(fake))
    fake.door.meet('fault', 'held', (call) => call.includes('/secrets'))
    const inspected = engine.inspect(spec.id)
    await fake.door.untilHeld()
    vi.advanceTimersByTime(29_999)
    fake.door.release()
    expect(await inspected).toBeNull()
    await fake.door.untilIdle()
    expect(vi.getTimerCount()).toBe(0)
  })
})
