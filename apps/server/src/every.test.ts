import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { every } from './every.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => vi.useRealTimers())

const reported: unknown[] = []
const onError = (error: unknown) => reported.push(error)
const settled = () => new Promise((done) => setImmediate(done))

test('work runs at each interval, first after one interval, and never concurrently', async () => {
  const begun: PromiseWithResolvers<void>[] = []
  const repeated = every(
    100,
    () => {
      const one = Promise.withResolvers<void>()
      begun.push(one)
      return one.promise
    },
    onError,
  )
  vi.advanceTimersByTime(99)
  expect(begun).toHaveLength(0)
  vi.advanceTimersByTime(201)
  expect(begun).toHaveLength(1)
  begun[0]?.resolve()
  await settled()
  vi.advanceTimersByTime(100)
  expect(begun).toHaveLength(2)
  begun[1]?.resolve()
  await repeated.close()
})

test('synchronous work runs at every interval', async () => {
  const work = vi.fn()
  const repeated = every(100, work, onError)
  vi.advanceTimersByTime(300)
  expect(work).toHaveBeenCalledTimes(3)
  await repeated.close()
})

test.each([
  [
    'at once',
    (fails: boolean) => {
      if (fails) throw new Error('unreachable')
    },
  ],
  [
    'later',
    async (fails: boolean) => {
      if (fails) throw new Error('unreachable')
    },
  ],
])(
  'an error that comes %s is reported each time, or only the first in a row, and the next interval runs',
  async (_when, work) => {
    for (const [options, times] of [
      [{}, 4],
      [{ firstOnly: true }, 2],
    ] as const) {
      reported.length = 0
      const turns = [true, true, false, true, true]
      const repeated = every(100, () => work(turns.shift() as boolean), onError, options)
      while (turns.length > 0) {
        vi.advanceTimersByTime(100)
        await settled()
      }
      expect(reported).toEqual(Array(times).fill(new Error('unreachable')))
      await repeated.close()
    }
  },
)

test('closing waits for running work and stops the timer', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const work = vi.fn(() => promise)
  const repeated = every(100, work, onError)
  vi.advanceTimersByTime(100)
  let isClosed = false
  const closing = repeated.close().then(() => {
    isClosed = true
  })
  await settled()
  expect(isClosed).toBe(false)
  resolve()
  await closing
  vi.advanceTimersByTime(1000)
  expect(work).toHaveBeenCalledTimes(1)
})
