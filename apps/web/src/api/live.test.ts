import { expect, test } from 'vitest'
import { jitter, waitBefore } from './live.ts'

test('LIVE-2 the wait before each new try grows to half a minute and is randomized', () => {
  expect([0, 1, 2, 3, 9].map((attempt) => waitBefore(attempt, 0))).toEqual([0, 1500, 7500, 22_500, 22_500])
  expect(waitBefore(3, 1)).toBe(38_000)
})

test('LIVE-4 refetches are spread over three seconds', () => {
  expect(jitter(0)).toBe(0)
  expect(jitter(1)).toBe(3000)
})
