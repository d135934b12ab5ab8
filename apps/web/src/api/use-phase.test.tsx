// @vitest-environment jsdom
// In a separate file: another file must not have set the clock of the platform.
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { recordServerTime } from './clock.ts'
import { usePhase } from './use-phase.ts'

const now = Date.parse('2026-05-01T10:00:00Z')

beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
})
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms))

test('LIVE-6 a game opens only when it has surely started on the server, and does not close again with a more precise clock', () => {
  // The server is 200 ms behind the device: it answers at 09:59:59.800, and its header contains 09:59:59.
  recordServerTime(new Date(now - 1000).toUTCString(), now, now)
  const game = { start: new Date(now + 1000).toISOString(), end: new Date(now + 60_000).toISOString() }
  const place = document.createElement('div')
  const Word = () => usePhase(game)
  const root = createRoot(place)
  act(() => root.render(<Word />))
  pass(1999)
  expect(place.textContent).toBe('before')
  pass(6)
  expect(place.textContent).toBe('running')
  // 10:00:01.850 on the server.
  recordServerTime(new Date(now + 1000).toUTCString(), Date.now() - 20, Date.now())
  act(() => root.render(<Word />))
  expect(place.textContent).toBe('running')
  act(() => root.unmount())
  expect(vi.getTimerCount()).toBe(0)
})
