/** Heartbeats, with a clock that the tests move. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { beat, beats, watchBeats } from './heartbeat.mjs'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a heartbeat is sent at once and each second, and keeps no process alive', () => {
  const say = vi.fn()
  const timer = vi.spyOn(globalThis, 'setInterval')
  beat(say)
  expect(say).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(3000)
  expect(say).toHaveBeenCalledTimes(4)
  expect((timer.mock.results.at(0) as { value: NodeJS.Timeout }).value.hasRef()).toBe(false)
})

test('a process is dead, once, ten seconds after its last heartbeat, and not before', () => {
  expect(beats).toEqual({ every: 1000, deadAfter: 10_000, firstWithin: 60_000, lateBy: 2000 })
  const dead = vi.fn()
  const { received } = watchBeats(dead)
  for (let i = 0; i < 30; i++) {
    vi.advanceTimersByTime(1000)
    received()
  }
  vi.advanceTimersByTime(9999)
  expect(dead).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(dead).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(60_000)
  expect([dead.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
})

test('a start can take a minute until its first heartbeat', () => {
  const dead = vi.fn()
  watchBeats(dead)
  vi.advanceTimersByTime(59_999)
  expect(dead).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(dead).toHaveBeenCalledTimes(1)
})

test('a monitor that is itself late by more than two seconds skips that round, and checks in the next', () => {
  const dead = vi.fn()
  let now = 0
  const { received } = watchBeats(dead, beats, () => now)
  received()
  const roundAt = (at: number) => {
    now = at
    vi.advanceTimersByTime(1000)
    return dead.mock.calls.length
  }
  // The process was suspended for eleven seconds; messages that arrived during this time are read after the timers run.
  expect(roundAt(12_000)).toBe(0)
  received()
  expect(roundAt(13_000)).toBe(0)
  // A round that is two seconds late makes a decision; a later one does not.
  expect(roundAt(25_001)).toBe(0)
  expect(roundAt(28_002)).toBe(0)
  expect(roundAt(31_002)).toBe(1)
})

test('a process that is no longer watched is never dead', () => {
  const dead = vi.fn()
  watchBeats(dead).stop()
  vi.advanceTimersByTime(120_000)
  expect([dead.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0])
})
