/** How a start on a fake Docker reports its progress, and how it is stopped. */
import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { dockerOptions } from '../../../../test/docker.ts'
import { type FakeDocker, openFakeDocker } from '../../../../test/docker-api.ts'
import { aContainer, anAdditional } from '../../../../test/engine.suite.ts'
import type { CreateWatch, Engine } from '../engine.ts'
import { openDocker } from './docker.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function anEngine(): Promise<{ docker: FakeDocker; engine: Engine }> {
  const docker = await openFakeDocker()
  docker.images.add('team/web:1')
  const engine = await openDocker(dockerOptions({ host: docker.door.address, published: true, bind: null }))
  open.push(docker, engine)
  return { docker, engine }
}

function aWatch(waitsForImages = true) {
  const seen: [string, number | null][] = []
  const stopping = new AbortController()
  const watch: CreateWatch = { waitsForImages, signal: stopping.signal, seen: (...one) => void seen.push(one) }
  return { watch, seen, stop: () => stopping.abort(new Error('enough')) }
}
const creations = ({ door }: FakeDocker) => door.asked.filter((call) => call.includes('/networks/create'))

test('the percentage is the average of the images that are pulled; then it waits for its turn and is created', async () => {
  const { docker, engine } = await anEngine()
  const half = [{ status: 'Downloading', id: 'a', progressDetail: { current: 50, total: 100 } }]
  docker.pullLines = (image) => (image === 'team/db:1' ? half : [{ status: 'Pull complete', id: 'a' }])
  const { watch, seen } = aWatch()
  const additional = [anAdditional({ name: 'db', image: 'team/db:1' }), anAdditional({ name: 'cache', image: 'team/cache:1' })]
  await engine.create(aContainer({ image: 'team/web:1', additional }), watch)
  expect(seen[0]).toEqual(['pulling', null])
  // Of 35 and 99.
  expect(seen.filter(([phase]) => phase === 'pulling').at(-1)).toEqual(['pulling', 67])
  expect(seen.slice(-2)).toEqual([
    ['queued', null],
    ['creating', null],
  ])
})

test('an image that is there is not pulled', async () => {
  const { engine } = await anEngine()
  const { watch, seen } = aWatch()
  await engine.create(aContainer({ image: 'team/web:1' }), watch)
  expect(seen.map(([phase]) => phase)).toEqual(['queued', 'creating'])
  // The signal may outlast the start.
  expect(getEventListeners(watch.signal, 'abort')).toEqual([])
})

test('address and ports that Docker reports only after a moment are awaited; a container without them has failed', async () => {
  const { docker } = await anEngine()
  const of = async (published: boolean) => {
    const engine = await openDocker(dockerOptions({ host: docker.door.address, published, bind: null }))
    open.push(engine)
    return engine
  }
  const [publishing, near] = [await of(true), await of(false)]
  docker.hidesPlace = 3
  const { published } = await publishing.create(aContainer({ image: 'team/web:1', subnetIndex: 1, hasReadyCheck: true }))
  expect([published?.port, docker.hidesPlace]).toEqual([docker.hostPort, 0])
  docker.hidesPlace = 3
  expect((await near.create(aContainer({ image: 'team/web:1', subnetIndex: 2 }))).host).toBe(docker.address)
  const before = docker.containers.size
  docker.hidesPlace = Number.POSITIVE_INFINITY
  const failed = [publishing, near].map((engine, at) => engine.create(aContainer({ image: 'team/web:1', subnetIndex: 3 + at })))
  expect(await Promise.allSettled(failed)).toMatchObject([
    { reason: { problem: 'failed', message: expect.stringMatching(/^Docker published no port for port \d+ of the container$/) } },
    { reason: { problem: 'failed', message: 'Docker reported no address of the container' } },
  ])
  expect(docker.containers.size).toBe(before)
})

test('one that is stopped while its image is pulled ends at once; the pull continues for its neighbour', async () => {
  const { docker, engine } = await anEngine()
  docker.door.meet('pull', 'held', (call) => call.includes('fromImage'))
  const [mine, other] = [aWatch(), aWatch()]
  const stopped = engine.create(aContainer({ image: 'team/big:1' }), mine.watch)
  const started = engine.create(aContainer({ image: 'team/big:1', subnetIndex: 1 }), other.watch)
  await vi.waitFor(() => expect([mine.seen, other.seen].map((seen) => seen.at(-1)?.[0])).toEqual(['pulling', 'pulling']))
  await docker.door.untilHeld()
  mine.stop()
  await expect(stopped).rejects.toThrow('enough')
  expect(creations(docker)).toEqual([])
  docker.door.release()
  await started
  expect(creations(docker)).toHaveLength(1)
  expect((await engine.list()).length).toBe(1)
})

test('one that is stopped in the queue creates nothing, and those behind it move up', async () => {
  const { docker, engine } = await anEngine()
  // The first start checks once what the driver can limit.
  await engine.create(aContainer({ image: 'team/web:1', subnetIndex: 90 }))
  const before = creations(docker).length
  docker.door.meet('POST /v1.41/networks/create', 'held')
  const all = Array.from({ length: 8 }, (_, subnetIndex) => ({
    ...aWatch(),
    spec: aContainer({ image: 'team/web:1', subnetIndex }),
  }))
  const starts = all.map(({ spec, watch }) => engine.create(spec, watch))
  const phases = () => all.map(({ seen }) => seen.at(-1)?.[0])
  const [creating, queued] = [Array(6).fill('creating'), Array(2).fill('queued')]
  await vi.waitFor(() => expect(phases().sort()).toEqual([...creating, ...queued]))
  const waiting = all.filter(({ seen }) => seen.at(-1)?.[0] === 'queued')
  waiting[0]!.stop()
  const outcomes = Promise.allSettled(starts)
  // A start that was stopped while queued is not created when its turn comes.
  docker.door.meet('POST /v1.41/networks/create', null)
  docker.door.release()
  expect((await outcomes).map(({ status }) => status).sort()).toEqual([...Array(7).fill('fulfilled'), 'rejected'])
  expect(waiting.map(({ seen }) => seen.at(-1)?.[0])).toEqual(['queued', 'creating'])
  expect(creations(docker).length - before).toBe(7)
})

test.each(['destroy', 'destroyOne'] as const)('at most six calls of %s run at a time', async (call) => {
  const { docker, engine } = await anEngine()
  const removals = (number: number) => Array.from({ length: number }, (_, i) => engine[call](`${i}`, 'one'))
  await Promise.all(removals(1))
  const lists = () => docker.door.asked.filter((asked) => asked.includes('/containers/json')).length
  const before = lists()
  docker.door.meet('lists', 'held', (asked) => asked.includes('/containers/json'))
  const all = removals(8)
  await vi.waitFor(() => expect(lists() - before).toBe(6))
  await sleep(50)
  expect(lists() - before).toBe(6)
  docker.door.meet('lists', null)
  docker.door.release()
  await Promise.all(all)
  expect(lists() - before).toBeGreaterThanOrEqual(8)
})

test('network and container are created at the same time; where one fails, the other is awaited and removed', async () => {
  const { docker, engine } = await anEngine()
  const neighbour = await engine.create(aContainer({ image: 'team/web:1', subnetIndex: 90 }))
  const callCount = (text: string) => docker.door.asked.filter((call) => call.startsWith(text)).length
  const [networks, containers] = [callCount('POST /v1.41/networks/create'), callCount('POST /v1.41/containers/create')]
  docker.door.meet('network', 'held', (call) => call.includes('/networks/create'))
  docker.door.meet('container', 'held', (call) => call.includes('/containers/create'))
  const started = engine.create(aContainer({ image: 'team/web:1', subnetIndex: 1 }))
  await vi.waitFor(() =>
    expect([callCount('POST /v1.41/networks/create'), callCount('POST /v1.41/containers/create')]).toEqual([
      networks + 1,
      containers + 1,
    ]),
  )
  docker.door.release()
  await started
  docker.door.meet('network', { status: 500, text: '{"message":"no space for a network"}' }, (call) =>
    call.includes('/networks/create'),
  )
  const before = [docker.containers.size, docker.networks.size, callCount('DELETE')]
  const failed = engine.create(aContainer({ image: 'team/web:1', subnetIndex: 2 }))
  failed.catch(() => undefined)
  await docker.door.untilHeld()
  // A removal that did not wait would be sent within this time.
  await sleep(50)
  expect(callCount('DELETE')).toBe(before[2])
  docker.door.release()
  await expect(failed).rejects.toThrow('no space for a network')
  expect([docker.containers.size, docker.networks.size]).toEqual(before.slice(0, 2))
  expect((await engine.list()).map(({ engineId }) => engineId)).toContain(neighbour.engineId)
})

test.each([
  'invalid pool request: Pool overlaps with other one on this address space',
  'cannot program address 100.64.0.1/29: Overlapping IPv4 networks',
])('a network that is in use on the engine is refused as such: %s', async (message) => {
  const { docker, engine } = await anEngine()
  docker.refuseNetwork = () => message
  const refused = { problem: 'subnet', message: `The network number 0 is already in use: ${message}` }
  await expect(engine.create(aContainer({ image: 'team/web:1', subnetIndex: 0 }))).rejects.toMatchObject(refused)
  expect([docker.containers.size, docker.networks.size]).toEqual([0, 0])
})
