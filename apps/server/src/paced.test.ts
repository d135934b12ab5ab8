import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { paced } from './paced.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => vi.useRealTimers())

test('one is sent at once, and those within the interval together at its end', () => {
  const send = vi.fn()
  const timer = vi.spyOn(globalThis, 'setTimeout')
  const { soon } = paced(() => 100, send)
  expect([soon(), soon(), soon()]).toEqual([true, false, false])
  vi.advanceTimersByTime(99)
  expect(send).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1)
  expect(send).toHaveBeenCalledTimes(2)
  expect((timer.mock.results[0] as { value: NodeJS.Timeout }).value.hasRef()).toBe(false)
  // The interval begins again, and has passed exactly at its end.
  vi.advanceTimersByTime(99)
  expect(soon()).toBe(false)
  vi.advanceTimersByTime(1)
  expect(send).toHaveBeenCalledTimes(3)
  vi.advanceTimersByTime(100)
  expect(soon()).toBe(true)
})

test('an immediate one takes the place of the one that waits, and begins the interval again', () => {
  const send = vi.fn()
  const { now, soon } = paced(() => 100, send)
  soon()
  soon()
  vi.advanceTimersByTime(50)
  now()
  expect([send.mock.calls.length, vi.getTimerCount()]).toEqual([2, 0])
  expect(soon()).toBe(false)
  vi.advanceTimersByTime(99)
  expect(send).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(1)
  expect(send).toHaveBeenCalledTimes(3)
})
