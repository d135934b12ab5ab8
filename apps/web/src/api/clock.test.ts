import { expect, test } from 'vitest'
import { narrow } from './clock.ts'

test('LIVE-5 each answer narrows what is known of the server clock', () => {
  const first = narrow(undefined, 100_000, 40_000, 40_100)
  expect(first).toEqual({ low: 59_900, high: 61_000 })
  const second = narrow(first, 101_000, 40_700, 40_720)
  expect(second).toEqual({ low: 60_280, high: 61_000 })
})

test('LIVE-5 a device clock that was set is noticed at the next answer', () => {
  const before = narrow(undefined, 100_000, 40_000, 40_010)
  const after = narrow(before, 102_000, 7_242_000, 7_242_010)
  expect(after.high).toBeLessThan(-7_100_000)
})
