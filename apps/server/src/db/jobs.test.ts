/** What follows the end of the worker library after a long outage; everything else is tested on a real database in jobs.db.test.ts. */
import { EventEmitter } from 'node:events'
import { type Runner, run } from 'graphile-worker'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openJobs } from './jobs.ts'

vi.mock('graphile-worker', async (original) => ({ ...(await original<object>()), run: vi.fn() }))

interface Started {
  readonly stop: ReturnType<typeof vi.fn>
  readonly events: EventEmitter
  fail(error: Error): void
}
let started: Started[]
const errors: unknown[] = []
const pool = { query: vi.fn(async () => ({ rows: [] })), end: vi.fn(async () => undefined) }

beforeEach(() => {
  vi.useFakeTimers()
  started = []
  errors.length = 0
  pool.query.mockClear()
  pool.end.mockClear()
  vi.mocked(run).mockReset()
  vi.mocked(run).mockImplementation(async () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const stop = vi.fn(async () => resolve())
    const events = new EventEmitter()
    started.push({ stop, events, fail: reject })
    return { promise, stop, events } as unknown as Runner
  })
})
afterEach(() => void vi.useRealTimers())

async function open() {
  const jobs = openJobs({ reservedPool: () => pool } as never, (error) => errors.push(error))
  await jobs.start({ 'send-mail': async () => undefined })
  return jobs
}

test('after its end it starts again in five seconds, and after a failed start five seconds later; each reason is reported', async () => {
  const jobs = await open()
  expect(pool.query).toHaveBeenCalledTimes(1)
  started[0]?.fail(new Error('lost'))
  vi.mocked(run).mockRejectedValueOnce(new Error('unreachable'))
  await vi.advanceTimersByTimeAsync(4_999)
  expect([run, pool.query].map((call) => vi.mocked(call).mock.calls.length)).toEqual([1, 1])
  await vi.advanceTimersByTimeAsync(1)
  expect(run).toHaveBeenCalledTimes(2)
  expect(errors.map(String)).toEqual(['Error: lost', 'Error: unreachable'])
  await vi.advanceTimersByTimeAsync(4_999)
  expect(run).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(1)
  expect([run, pool.query].map((call) => vi.mocked(call).mock.calls.length)).toEqual([3, 3])
  // Once a minute it releases the jobs of killed nodes.
  pool.query.mockRejectedValueOnce(new Error('away'))
  await vi.advanceTimersByTimeAsync(50_000)
  expect([pool.query.mock.calls.length, errors.map(String).at(-1)]).toEqual([4, 'Error: away'])
  await jobs.close()
  expect([started.map(({ stop }) => stop.mock.calls.length), pool.end.mock.calls.length]).toEqual([[0, 1], 1])
})

test('it starts five seconds after a first start that failed, although later calls are ignored', async () => {
  pool.query.mockRejectedValueOnce(new Error('unreachable'))
  const jobs = await open()
  await jobs.start({ 'send-mail': async () => undefined })
  await vi.advanceTimersByTimeAsync(4_999)
  expect([started.length, errors.map(String)]).toEqual([0, ['Error: unreachable']])
  await vi.advanceTimersByTimeAsync(1)
  expect(started).toHaveLength(1)
  await jobs.close()
})

test('it starts again when its first look for jobs fails, and continues when a later one fails', async () => {
  const jobs = await open()
  started[0]?.events.emit('worker:getJob:error', {})
  await vi.advanceTimersByTimeAsync(5_000)
  expect(started.map(({ stop }) => stop.mock.calls.length)).toEqual([1, 0])
  for (const looked of ['worker:getJob:empty', 'job:start']) {
    const runner = started.at(-1)
    runner?.events.emit(looked, {})
    runner?.events.emit('worker:getJob:error', {})
    await vi.advanceTimersByTimeAsync(60_000)
    expect(runner?.stop).not.toHaveBeenCalled()
    runner?.fail(new Error('lost'))
    await vi.advanceTimersByTimeAsync(5_000)
  }
  expect(run).toHaveBeenCalledTimes(4)
  await jobs.close()
})

test('it stops what has started after it was closed', async () => {
  const connected = Promise.withResolvers<void>()
  const start = vi.mocked(run).getMockImplementation() as typeof run
  vi.mocked(run).mockImplementationOnce((...asked) => connected.promise.then(() => start(...asked)))
  const jobs = openJobs({ reservedPool: () => pool } as never, (error) => errors.push(error))
  const starting = jobs.start({ 'send-mail': async () => undefined })
  await vi.advanceTimersByTimeAsync(0)
  await jobs.close()
  connected.resolve()
  await starting
  expect(started.map(({ stop }) => stop.mock.calls.length)).toEqual([1])
})

test('it does not start again after it was closed, whether it ended before or after', async () => {
  const before = await open()
  started[0]?.fail(new Error('lost'))
  await vi.advanceTimersByTimeAsync(1_000)
  await before.close()
  const after = await open()
  await after.close()
  started[1]?.fail(new Error('stopped'))
  await after.start({ 'send-mail': async () => undefined })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(run).toHaveBeenCalledTimes(2)
  expect(vi.getTimerCount()).toBe(0)
})
