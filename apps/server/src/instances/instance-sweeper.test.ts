/** When containers are checked without a request, and what a stopping platform waits for. What a check does is in sweep.db.test.ts. */
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openInProcessBus } from '../ports/bus/in-process.ts'
import type { Engine } from '../ports/engine/engine.ts'
import { type Instances, startInstanceSweeper } from './instance-sweeper.ts'

const work = vi.hoisted(() => ({ sweepContainers: vi.fn(), endSolved: vi.fn(), endDueContainers: vi.fn() }))
vi.mock('./sweep-containers.ts', () => work)

const onError = vi.fn()
const takeOver = vi.fn()
const bus = openInProcessBus(onError)
let kept: Instances
const keep = (kind: Engine['kind'] = 'Memory') => {
  const settings = { get: () => ({ 'ContainerPolicy:DestroyOnSolve': true }) }
  kept = startInstanceSweeper({ bus, onError, engine: { kind }, settings, readyWatch: { takeOver } } as unknown as Parameters<
    typeof startInstanceSweeper
  >[0])
}
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  vi.resetAllMocks()
  for (const one of Object.values(work)) one.mockResolvedValue(undefined)
})
afterEach(async () => {
  await kept.close()
  await bus.close()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})
const solve = async (submissionId: number) => {
  const judged = { gameId: 1, submissionId, solve: 1 }
  bus.publish('submission.judged', judged as unknown as Parameters<typeof bus.publish<'submission.judged'>>[1])
  await turn()
}

test('rows and engine are compared every 20 seconds, also after a failure; not without an engine', async () => {
  keep()
  const after = async (ms: number) => {
    vi.advanceTimersByTime(ms)
    await turn()
    return work.sweepContainers.mock.calls.length
  }
  expect(await after(19_999)).toBe(0)
  work.sweepContainers.mockRejectedValueOnce(new Error('no connection'))
  expect(await after(1)).toBe(1)
  expect(onError.mock.calls).toEqual([[new Error('no connection')]])
  expect([await after(19_999), await after(1)]).toEqual([1, 2])
  await kept.close()
  expect(await after(60_000)).toBe(2)
  keep('None')
  expect(await after(60_000)).toBe(2)
})

test('an instance due to end after its solve is left to the next start when the platform stops first', async () => {
  keep()
  await solve(7)
  vi.advanceTimersByTime(4_999)
  await turn()
  expect(work.endSolved).not.toHaveBeenCalled()
  await solve(8)
  vi.advanceTimersByTime(1)
  await turn()
  expect(work.endSolved.mock.calls.map(([, id]) => id)).toEqual([7])
  expect(vi.getTimerCount()).toBe(2)
  const clear = vi.spyOn(globalThis, 'clearTimeout')
  try {
    await kept.close()
    // Nothing is kept of the first one.
    expect([clear.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
  } finally {
    clear.mockRestore()
  }
})

test('changes in a row cause one comparison, and a change during it causes another', async () => {
  keep()
  const change = async () => {
    bus.publish('game.changed', { gameId: 1 })
    await turn()
  }
  const compared = (times: number) => vi.waitFor(() => expect(work.sweepContainers).toHaveBeenCalledTimes(times), 5_000)
  const first = Promise.withResolvers<void>()
  work.sweepContainers.mockReturnValueOnce(first.promise)
  for (let i = 0; i < 3; i++) await change()
  await compared(1)
  await change()
  first.resolve()
  await compared(2)
  await kept.close()
  expect(work.sweepContainers).toHaveBeenCalledTimes(2)
})

test('a platform that stops waits for the running comparison', async () => {
  keep()
  const answer = Promise.withResolvers<void>()
  work.sweepContainers.mockReturnValueOnce(answer.promise)
  void kept.sweep()
  const ended = vi.fn()
  const closing = kept.close().then(ended)
  for (let i = 0; i < 3; i++) await turn()
  expect(ended).not.toHaveBeenCalled()
  answer.resolve()
  await closing
  expect(ended).toHaveBeenCalled()
})
