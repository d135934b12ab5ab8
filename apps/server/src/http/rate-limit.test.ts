import { rateLimits } from '@vexil/core/limits'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openLimiter } from './rate-limit.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

function aLimiter() {
  let at = 1_000_000
  const limiter = openLimiter(false, () => at)
  const refused = (name: keyof typeof rateLimits, key: string): number | null => {
    try {
      limiter.take(name, key)
      return null
    } catch (error) {
      return (error as { data: { retryAfter: number } }).data.retryAfter
    }
  }
  /** How many pass before the first refusal. */
  const burst = (name: keyof typeof rateLimits, key: string): number => {
    let passed = 0
    while (passed < 1000 && refused(name, key) === null) passed++
    return passed
  }
  const later = async (ms: number) => {
    at += ms
    await vi.advanceTimersByTimeAsync(ms)
  }
  return { limiter, refused, burst, later }
}

test('the figures are those of the interface', () => {
  expect(rateLimits.global).toMatchObject({ permits: 150, window: 60_000, segments: 6, queue: 60 })
  expect(rateLimits.register).toMatchObject({ permits: 20, window: 150_000 })
  expect(rateLimits.container).toMatchObject({ size: 120, refill: 30, every: 10_000 })
  expect(rateLimits.submit).toMatchObject({ size: 100, refill: 50, every: 5_000 })
})

test('Register: 20 in 150 seconds, each key for itself, then all again', async () => {
  const { burst, refused, later } = aLimiter()
  expect(burst('register', 'a')).toBe(20)
  expect(burst('register', 'b')).toBe(20)
  await later(149_000)
  expect(refused('register', 'a')).toBe(1)
  await later(1_000)
  expect(burst('register', 'a')).toBe(20)
})

test.each([
  ['submit', 100, 50, 5_000],
  ['container', 120, 30, 10_000],
  ['login', 10, 5, 30_000],
] as const)('%s: %i at once, %i more every %i ms, never more than the bucket holds', async (name, size, refill, every) => {
  const { burst, later } = aLimiter()
  expect(burst(name, 'a')).toBe(size)
  await later(every - 1)
  expect(burst(name, 'a')).toBe(0)
  await later(1)
  expect(burst(name, 'a')).toBe(refill)
  await later(every * 100)
  expect(burst(name, 'a')).toBe(size)
})

test('global: 150 in a minute, 60 more wait, oldest first, and the next is refused', async () => {
  const { limiter, later } = aLimiter()
  for (let i = 0; i < 150; i++) await limiter.pass('global', 'a')
  const entered: number[] = []
  const waiting = Array.from({ length: 60 }, (_, i) => limiter.pass('global', 'a').then(() => void entered.push(i)))
  await expect(limiter.pass('global', 'a')).rejects.toMatchObject({ code: 'request.too_many', data: { retryAfter: 60 } })
  await limiter.pass('global', 'b')
  await later(30_000)
  expect(entered).toEqual([])
  await later(35_000)
  await Promise.all(waiting)
  expect(entered).toEqual(Array.from({ length: 60 }, (_, i) => i))
})

test('switched off, nothing is counted', async () => {
  const limiter = openLimiter(true)
  for (let i = 0; i < 1000; i++) {
    limiter.take('register', 'a')
    await limiter.pass('global', 'a')
  }
})
