// @vitest-environment jsdom
// In a separate file: another file must not have set the clock of the platform.
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { usePast } from './use-past.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-05-01T10:00:00Z'), toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
})
afterEach(() => void vi.useRealTimers())

/** Renders a component that waits for the moment. */
function show(moment: string): HTMLElement {
  const place = document.createElement('div')
  const Word = () => (usePast(moment) ? 'past' : 'to come')
  act(() => createRoot(place).render(<Word />))
  return place
}
const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms))

test('a moment is past from the millisecond after it, with one timer before and none after', () => {
  const place = show('2026-05-01T10:00:10Z')
  expect([place.textContent, vi.getTimerCount()]).toEqual(['to come', 1])
  pass(10_000)
  expect(place.textContent).toBe('to come')
  pass(1)
  expect([place.textContent, vi.getTimerCount()]).toEqual(['past', 0])
})

test('an invalid moment is past and starts no timer', () => {
  const place = show(String(null))
  expect([place.textContent, vi.getTimerCount()]).toEqual(['past', 0])
})

test('a moment that passes while the device sleeps is past within a minute after it', () => {
  const place = show('2026-08-01T10:00:00Z')
  pass(3 * 60_000)
  expect([place.textContent, vi.getTimerCount()]).toEqual(['to come', 1])
  // Timers stand still while a device sleeps; the clock does not.
  vi.setSystemTime(Date.parse('2026-08-01T10:00:01Z'))
  pass(60_000)
  expect([place.textContent, vi.getTimerCount()]).toEqual(['past', 0])
})
