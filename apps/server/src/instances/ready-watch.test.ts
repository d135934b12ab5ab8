/** When an awaited service is checked, and what ends the watch. What is stored is in ready.db.test.ts. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EngineError } from '../ports/engine/engine.ts'
import { openReadyWatch, type ReadyWatch } from './ready-watch.ts'

const queries = vi.hoisted(() => ({ claimAwaited: vi.fn(), renewAwaited: vi.fn(), setReady: vi.fn(), markSilent: vi.fn() }))
vi.mock('./ready-watch.queries.ts', () => queries)
vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number, _: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise<void>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const timer = setTimeout(resolve, ms)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    }),
}))

const awaited = { id: 'c', gameId: 1, challengeId: 2, participationId: 3, title: 'Task', exposePort: 9000, readyText: '' }
const place = {
  engineId: 'e',
  host: 'h',
  port: 7000,
  publishedHost: null,
  publishedPort: 30_000,
  namedPorts: [{ name: 'sql', port: 1, publishedPort: 2 }],
}
const listens = vi.fn()
const [publish, write, onError] = [vi.fn(), vi.fn(), vi.fn()]
let watch: ReadyWatch
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  vi.resetAllMocks()
  queries.claimAwaited.mockResolvedValue([{ ...awaited, ...place, readyTimeout: 120, msLeft: 120_000 }])
  queries.renewAwaited.mockResolvedValue(true)
  queries.setReady.mockResolvedValue(true)
  queries.markSilent.mockResolvedValue(true)
  listens.mockResolvedValue(false)
  const engine = { listens, readyPollInterval: 1_000 }
  const deps = {
    db: 'db',
    bus: { publish },
    log: { write },
    engine,
    config: { containerEntry: 'play.example.org' },
    node: 'n',
    onError,
  }
  watch = openReadyWatch(deps as unknown as Parameters<typeof openReadyWatch>[0])
})
afterEach(async () => {
  await watch.close()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('a service is asked at the pause of the engine, and every five seconds once it is late', async () => {
  await watch.takeOver()
  await pass(5_000)
  expect(listens).toHaveBeenCalledTimes(6)
  expect(listens).toHaveBeenLastCalledWith(
    { engineId: 'e', host: 'h', port: 7000, published: { host: 'play.example.org', port: 30_000 }, namedPorts: place.namedPorts },
    '',
  )
  expect(publish).not.toHaveBeenCalled()
  await pass(115_000)
  expect([publish.mock.calls.length, write.mock.calls.length]).toEqual([1, 1])
  listens.mockClear()
  await pass(20_000)
  expect(listens).toHaveBeenCalledTimes(4)
  listens.mockResolvedValue(true)
  await pass(5_000)
  expect(publish.mock.calls[1]).toEqual(['instance.changed', { gameId: 1, challengeId: 2, participationId: 3 }])
  listens.mockClear()
  await pass(20_000)
  expect([listens.mock.calls.length, write.mock.calls.length]).toEqual([0, 1])
})

test('the lease is renewed every ten seconds, and the watch ends with the container', async () => {
  await watch.takeOver()
  await pass(9_999)
  expect(queries.renewAwaited).not.toHaveBeenCalled()
  await pass(1)
  await pass(9_999)
  expect(queries.renewAwaited.mock.calls).toEqual([['db', 'c', 30_000]])
  queries.renewAwaited.mockResolvedValue(false)
  await pass(1)
  listens.mockClear()
  await pass(10_000)
  expect(listens).not.toHaveBeenCalled()
})

test('a container is watched once, and by a start for as long as it may wait', async () => {
  await watch.takeOver()
  const answers = [watch.until('c', 25_000), watch.until('c', 200_000), watch.until('c', -1), watch.until('c', 120_000)]
  await pass(0)
  expect(await answers[2]).toBe('waiting')
  expect(listens).toHaveBeenCalledTimes(1)
  await pass(25_000)
  expect(await answers[0]).toBe('waiting')
  await pass(95_000)
  expect([await answers[1], await answers[3]]).toEqual(['late', 'late'])
  queries.claimAwaited.mockResolvedValue([])
  expect(await watch.until('c', 25_000)).toBe('ready')
})

test('a second node that answers first is not announced again', async () => {
  queries.setReady.mockResolvedValue(false)
  listens.mockResolvedValue(true)
  await watch.takeOver()
  await pass(1_000)
  expect([listens.mock.calls.length, publish.mock.calls.length]).toEqual([1, 0])
})

test('a challenge that is marked already is announced to the team, and not logged', async () => {
  queries.markSilent.mockResolvedValue(false)
  await watch.takeOver()
  await pass(120_000)
  expect([publish.mock.calls.length, write.mock.calls.length]).toEqual([1, 0])
})

test('an engine that is unreachable is asked further and makes nothing late; another fault is reported and ends the watch', async () => {
  listens.mockRejectedValue(new EngineError('unreachable', 'no socket'))
  await watch.takeOver()
  await pass(130_000)
  expect([publish.mock.calls.length, onError.mock.calls.length]).toEqual([0, 0])
  listens.mockRejectedValue(new Error('a fault'))
  await pass(1_000)
  expect(onError.mock.calls).toEqual([[new Error('a fault')]])
  listens.mockClear()
  await pass(60_000)
  expect(listens).not.toHaveBeenCalled()
  // The sweep of this or another node takes it over.
  listens.mockResolvedValue(true)
  await watch.takeOver()
  await pass(0)
  expect(publish).toHaveBeenCalledTimes(1)
})

test('a platform that stops waits for the open question and asks no more', async () => {
  const answer = Promise.withResolvers<boolean>()
  listens.mockReturnValueOnce(answer.promise)
  await watch.takeOver()
  const closed = vi.fn()
  const closing = watch.close().then(closed)
  await pass(0)
  expect(closed).not.toHaveBeenCalled()
  answer.resolve(false)
  await closing
  expect(listens).toHaveBeenCalledTimes(1)
})
