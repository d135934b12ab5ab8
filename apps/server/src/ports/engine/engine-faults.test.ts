/** Every call of both drivers, each of its requests met in every bad manner, against the table. The engines are stand-ins; pauses and deadlines are moved by hand. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openFakeDocker } from '../../../test/docker-api.ts'
import type { HttpDoor, Manner } from '../../../test/engine-door.ts'
import { faultsTable, type MannerName, manners } from '../../../test/engine-faults.table.ts'
import { openFakeCluster } from '../../../test/kubernetes-api.ts'
import { openDocker } from './docker.ts'
import { aContainer } from './engine.suite.ts'
import { type Engine, EngineError } from './engine.ts'
import { openKubernetes } from './kubernetes.ts'
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
vi.mock('./firewall.ts', () => ({ ensureFirewall: async () => 'proven' }))

const installation = '0b5c4cf4-57a1-4a9c-a7ff-b2b0d1b7a5e1'
const wanted = aContainer({ id: 'c5a0e4a2-8d0a-4f9e-9a55-0f1d2c3b4a59', image: 'team/echo:1' })
const neighbour = aContainer({ image: wanted.image })
const fetched = 'team/far:1'
const elsewhere = 'create, image elsewhere'

/** The one call whose rows have this request, which others make in the same way; null: each call that makes it. */
const onlyOf = (request: string): string | null =>
  request === 'GET /version' || request.endsWith(' of the trial') || /^DELETE .images/.test(request) ? 'create' : null

const calls: Record<string, (engine: Engine) => Promise<unknown>> = {
  create: (engine) => engine.create(wanted),
  [elsewhere]: (engine) => engine.create({ ...wanted, image: fetched }),
  list: (engine) => engine.list(),
  inspect: (engine) => engine.inspect(wanted.id),
  logs: (engine) => engine.logs(wanted.id, 5),
  destroy: (engine) => engine.destroy(wanted.id),
  pull: (engine) => engine.pull(fetched),
  findImage: (engine) => engine.findImage(fetched),
  probe: (engine) => engine.probe(),
}
const isCreate = (call: string) => call.startsWith('create')

/** An engine of the tests, with a container of ours and one of another installation. */
interface Place {
  readonly door: HttpDoor
  /** Puts everything back, with or without the container of ours. */
  reset(there: boolean): void
  open(report: (error: unknown) => void, installation?: string): Promise<Engine>
  /** How many things carry the id, or fetch an image. */
  left(): number
  /** All that is the neighbour's. */
  others(): unknown
  close(): Promise<void>
}

/** Copies of the maps, without or with what `isOurs` says yes to. */
function keep<T>(maps: readonly Map<string, T>[], isOurs: (one: T) => boolean) {
  const kept = maps.map((map) => structuredClone([...map]))
  return (there: boolean) =>
    maps.forEach((map, at) => {
      map.clear()
      for (const [name, one] of structuredClone(kept[at]!)) if (there || !isOurs(one)) map.set(name, one)
    })
}

async function aDocker(): Promise<Place> {
  const fake = await openFakeDocker()
  fake.images.add(wanted.image)
  const maps = [fake.containers, fake.networks] as Map<string, { Labels: Record<string, string> }>[]
  const isOurs = ({ Labels }: { Labels: Record<string, string> }) => Labels['vexil.container'] === wanted.id
  const all = () => maps.flatMap((map) => [...map.values()])
  const open: Place['open'] = (report, by = installation) =>
    openDocker({
      ...{ host: fake.door.address, certs: null, installation: by, published: false, bind: '127.0.0.1', registry: null, report },
      ...{ subnets: '100.64.0.0/16', deny: [] },
    })
  await build(open)
  const restore = keep(maps, isOurs)
  return {
    door: fake.door,
    open,
    reset: (there) => {
      restore(there)
      fake.images.delete(fetched)
    },
    left: () => all().filter(isOurs).length,
    others: () => all().filter((one) => !isOurs(one)),
    close: () => fake.door.close(),
  }
}

async function aCluster(): Promise<Place> {
  const fake = await openFakeCluster()
  const maps = ['pods', 'secrets', 'services', 'networkpolicies', 'events'].map((kind) => fake.things[kind]!)
  type Thing = { metadata: { labels?: Record<string, string> } }
  const isOurs = ({ metadata: { labels = {} } }: Thing) =>
    labels['vexil.container'] === wanted.id || labels['vexil.pull'] === 'true'
  const all = () => maps.slice(0, 3).flatMap((map) => [...map.values()])
  const open: Place['open'] = (report, by = installation) =>
    openKubernetes({
      ...{ config: fake.config, namespace: 'vexil-challenges', installation: by, published: true, registry: null, report },
      ...{ deny: ['127.77.0.0/16'], pods: [], dns: [] },
    })
  await build(open)
  const restore = keep(maps, isOurs)
  return {
    door: fake.door,
    open,
    reset: restore,
    left: () => all().filter(isOurs).length,
    others: () => all().filter((one) => !isOurs(one)),
    close: () => fake.close(),
  }
}

async function build(open: Place['open']): Promise<void> {
  for (const [container, by] of [
    [wanted, installation],
    [neighbour, installation],
    [{ ...neighbour, id: 'f7a9d6d3-2f0a-4a2e-8f6e-1b1f7a3c9d10' }, 'another'],
  ] as const)
    await (await open(() => undefined, by)).create(container)
}

/** Without versions, namespaces and names that are new each time. */
const nameOf = (call: string): string =>
  call
    .replace(/\?(name=vexil-storage|fromSrc=).*/, ' of the trial')
    .replace(/\?.*/, '')
    .replace(/\/v1\.\d+\//, '/')
    .replace(/\/api.*\/namespaces\/vexil-challenges/, '')
    .replace(/[0-9a-f]{64}|(chal-7|pull)-[a-z0-9]{12}|vexil-storage-test[^/]*/, '*')

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
const deadlineOf = (request: string) => (request === 'POST /images/create' ? 600_000 : 30_000)

/** After these the same engine is asked again. */
const comesBack: readonly string[] = ['held', 'shape', 'away']

interface Base {
  readonly value: string
  readonly left: number
  /** Requests by name, in the order in which they come first, and how often. */
  readonly asked: ReadonlyMap<string, number>
}

async function baseOf(place: Place, call: string): Promise<Base> {
  place.reset(!isCreate(call))
  const engine = await place.open(() => undefined)
  place.door.asked.length = 0
  const value = masked(await calls[call]!(engine))
  const asked = new Map<string, number>()
  for (const one of place.door.asked.map(nameOf)) asked.set(one, (asked.get(one) ?? 0) + 1)
  return { value, left: place.left(), asked }
}

/** What comes of one call when one of its requests is met so; `engine-faults.table.ts` says what the words mean. */
async function outcomeOf(place: Place, call: string, request: string, name: MannerName, base: Base): Promise<string> {
  const { door } = place
  place.reset(!isCreate(call))
  const before = place.others()
  const reported: unknown[] = []
  const engine = await place.open((error) => reported.push(error))
  door.asked.length = 0
  const fits = (asked: string) => nameOf(asked) === request
  door.meet('fault', mannerOf(name), fits)

  let early = false
  let word: string | null = null
  const check = (error: unknown): string => {
    if (!(error instanceof EngineError)) return `${(error as Error).name}`
    expect(error.message).toMatch(/\w{5}/)
    expect(error.message).not.toContain(wanted.environment.FLAG)
    if (error.problem === 'away') expect(error.message).toMatch(/^(Docker|Kubernetes) does not answer at (unix|http):\/\/.+: .+/)
    if (['400', '409', '500', '503'].includes(name)) expect(error.message).toContain(refused)
    return error.problem
  }
  const wordOf = (value: unknown) => {
    if (masked(value) === base.value) return 'ok'
    // Of an image that is on its way after 25 s.
    if (value === 'registry') return 'registry'
    if (masked(value).includes('"isolation":"Not proven')) return 'unproven'
    return value === '' ? 'empty' : typeof value === 'string' ? 'other' : 'wrong'
  }
  const work = calls[call]!(engine).then(wordOf, check)
  const done = work.then((outcome) => {
    word = outcome
  })
  if (name === 'held' || name === 'late')
    for (;;) {
      await Promise.race([door.untilHeld(), done])
      if (word !== null && vi.getTimerCount() === 0) break
      const deadline = deadlineOf(request)
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
  const mayStay = isCreate(call) ? word === 'ok' : call !== 'destroy'
  const isLeft = place.left() > (mayStay ? base.left : 0)
  const notes = [
    early ? '<' : '',
    times === base.asked.get(request) ? '' : `*${times}`,
    isLeft ? '+' : '',
    reported.length > 0 ? '!'.repeat(reported.length) : '',
  ]

  // It is back: what may be left is destroyed, as the platform does, and the same engine does all that it did before.
  door.meet('fault', null)
  if (comesBack.includes(name)) {
    await engine.destroy(wanted.id)
    place.reset(!isCreate(call))
    // What was looked at is believed for 5 s.
    vi.advanceTimersByTime(5_001)
    expect(masked(await calls[call]!(engine)), 'it is not used again').toBe(base.value)
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
    for (const request of base.asked.keys()) {
      if (kind === 'Docker' && (onlyOf(request) ?? call) !== call) continue
      // What differs from `create` begins with the image.
      if (call === elsewhere && !request.includes('/images')) continue
      const words: string[] = []
      for (const manner of manners) words.push(await outcomeOf(place, call, request, manner, base))
      rows[request] = words.join(' ')
    }
    expect(rows).toEqual(table[call])
  })
})

test('every call of an engine is in the table', () => {
  const { kind: _kind, reaches: _reaches, close: _close, ...asked } = noEngine
  for (const table of Object.values(faultsTable)) expect(Object.keys(table)).toEqual(expect.arrayContaining(Object.keys(asked)))
})

/** Both, each with a container of ours and neighbours. */
describe.each([
  ['Docker', aDocker],
  ['Kubernetes', aCluster],
] as const)('%s that is closed', (_kind, openPlace) => {
  test('waits for nothing that is under way', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const place = await openPlace()
    for (const [call, ask] of Object.entries(calls)) {
      place.reset(!isCreate(call))
      const engine = await place.open(() => undefined)
      place.door.meet('fault', 'held', () => true)
      const failure = expect(ask(engine), call).rejects.toMatchObject({ name: 'EngineError', problem: 'away' })
      await place.door.untilHeld()
      await engine.close()
      await failure
      await place.door.untilIdle()
      place.door.release()
      place.door.meet('fault', null)
      await flush()
      expect(vi.getTimerCount(), call).toBe(0)
    }
    await place.close()
    vi.useRealTimers()
  })
})
