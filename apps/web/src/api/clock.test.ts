import { expect, test } from 'vitest'
import { narrow, provenDeviation } from './clock.ts'

test('LIVE-5 each answer narrows the estimate of the server clock', () => {
  const first = narrow(undefined, 100_000, 40_000, 40_100)
  expect(first).toEqual({ low: 59_900, high: 61_000 })
  const second = narrow(first, 101_000, 40_700, 40_720)
  expect(second).toEqual({ low: 60_280, high: 61_000 })
  // An answer that took long says less, and changes nothing.
  expect(narrow(second, 102_000, 40_900, 44_000)).toEqual(second)
})

test('LIVE-5 a change of the device clock is noticed at the next answer', () => {
  const before = narrow(undefined, 100_000, 40_000, 40_010)
  const after = narrow(before, 102_000, 7_242_000, 7_242_010)
  expect(after.high).toBeLessThan(-7_100_000)
})

test('CLOCK-1 a clock counts as wrong only when it is certainly off by more than five seconds', () => {
  // The header has whole seconds: between 4.5 and 5.5 s the result is uncertain.
  expect(provenDeviation({ low: -5500, high: -4500 })).toBe(0)
  expect(provenDeviation({ low: -1000, high: 1000 })).toBe(0)
  expect(provenDeviation({ low: -7_200_500, high: -7_199_500 })).toBe(7_200_000)
  expect(provenDeviation({ low: 5001, high: 6001 })).toBe(-5501)
})
