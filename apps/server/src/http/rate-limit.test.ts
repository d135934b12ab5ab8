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
  /** The number of calls that pass before the first refusal. */
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

test('the limits match the interface', () => {
  expect(rateLimits.global).toMatchObject({ permits: 150, window: 60_000, segments: 6, queue: 60 })
  expect(rateLimits.register).toMatchObject({ permits: 20, window: 150_000 })
  expect(rateLimits.container).toMatchObject({ size: 120, refill: 30, every: 10_000 })
  expect(rateLimits.submit).toMatchObject({ size: 100, refill: 50, every: 5_000 })
})

test('Register: 20 in 150 seconds for each key, then all again', async () => {
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
] as const)('%s: %i at once, %i more every %i ms, never more than the capacity', async (name, size, refill, every) => {
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

test('global: when requests expire in parts, as many waiting ones enter each time', async () => {
  const { limiter, later } = aLimiter()
  const pass = (count: number) => Array.from({ length: count }, () => limiter.pass('global', 'a'))
  await Promise.all(pass(20))
  await later(10_000)
  await Promise.all(pass(130))
  let entered = 0
  for (const waiting of pass(60)) void waiting.then(() => entered++)
  await later(50_001)
  expect(entered).toBe(20)
  await later(9_998)
  expect(entered).toBe(20)
  await later(2)
  expect(entered).toBe(60)
})

test('when disabled nothing is counted', async () => {
  const limiter = openLimiter(true)
  for (let i = 0; i < 1000; i++) {
    limiter.take('register', 'a')
    await limiter.pass('global', 'a')
  }
})

test('global: requests in a sixth of a minute expire a minute later, and the wait time reflects it', async () => {
  const { refused, later } = aLimiter()
  const use = (count: number) =>
    Array.from({ length: count }, () => refused('global', 'a')).filter((wait) => wait !== null).length
  expect(use(100)).toBe(0)
  await later(10_000)
  expect(use(50)).toBe(0)
  expect(refused('global', 'a')).toBe(50)
  await later(49_999)
  expect(refused('global', 'a')).toBe(1)
  await later(1)
  expect(use(101)).toBe(1)
  expect(refused('global', 'a')).toBe(10)
  await later(10_000)
  expect(use(51)).toBe(1)
})

test('the wait time is whole seconds until the next request passes, at least one', async () => {
  const { burst, refused, later } = aLimiter()
  burst('submit', 'a')
  burst('register', 'a')
  expect([refused('submit', 'a'), refused('register', 'a')]).toEqual([5, 150])
  await later(2_900)
  expect([refused('submit', 'a'), refused('register', 'a')]).toEqual([3, 148])
  await later(2_099)
  expect(refused('submit', 'a')).toBe(1)
})

test.each(['global', 'register', 'submit'] as const)('%s: the cleanup once a minute removes only full limits', async (name) => {
  const { burst, refused, later } = aLimiter()
  await later(59_000)
  const most = burst(name, 'a')
  await later(1_500)
  // A call of another caller after the minute drops the limits that are full again.
  refused(name, 'b')
  expect(refused(name, 'a')).not.toBeNull()
  await later(300_000)
  refused(name, 'b')
  expect(burst(name, 'a')).toBe(most)
})

test('a limit without a queue refuses at once; addresses do not wait for each other, and an emptied queue starts again', async () => {
  const { limiter, burst, later } = aLimiter()
  burst('register', 'a')
  await expect(limiter.pass('register', 'a')).rejects.toMatchObject({ code: 'request.too_many', data: { retryAfter: 150 } })
  for (const key of ['a', 'b']) for (let i = 0; i < 150; i++) await limiter.pass('global', key)
  const entered: string[] = []
  const enter = (key: string) => limiter.pass('global', key).then(() => void entered.push(key))
  void enter('a')
  await later(10_000)
  void enter('b')
  void enter('a')
  await later(49_999)
  expect(entered).toEqual([])
  await later(2)
  expect(entered.sort()).toEqual(['a', 'a', 'b'])
  void enter('a')
  await later(0)
  expect(entered).toHaveLength(4)
})

test('a returned request admits the next or the longest waiting one, within the limit', async () => {
  vi.useFakeTimers()
  const limiter = openLimiter(false, () => Date.now())
  const passed: string[] = []
  const come = (name: string, key = 'a') => limiter.pass('global', key).then(() => passed.push(name))
  limiter.refund('global', 'a')
  for (let i = 0; i < 150; i++) await come(`${i}`)
  limiter.refund('global', 'b')
  const [first, second] = [come('first'), come('second')]
  await Promise.resolve()
  expect(passed).toHaveLength(150)
  limiter.refund('global', 'a')
  await first
  expect(passed.slice(150)).toEqual(['first'])
  limiter.refund('global', 'a')
  await second
  limiter.refund('global', 'c')
  for (let i = 0; i < 150; i++) await come(`c${i}`, 'c')
  for (let i = 0; i < 2; i++) limiter.refund('global', 'c')
  await come('again', 'c')
  await come('again', 'c')
  expect(passed).toHaveLength(304)
  void come('late', 'c')
  await come('returned', 'd')
  limiter.refund('global', 'd')
  for (let i = 0; i < 150; i++) void come(`d${i}`, 'd')
  await vi.advanceTimersByTimeAsync(1000)
  expect(passed).toHaveLength(304 + 151)
  vi.useRealTimers()
})

test.each([
  ['global', 150],
  ['register', 20],
  ['submit', 100],
] as const)('%s: a returned request is no longer counted, within the limit', (name, most) => {
  const limiter = openLimiter(false, () => 1000)
  limiter.take(name, 'a')
  for (let i = 0; i < 3; i++) limiter.refund(name, 'a')
  for (let i = 0; i < most; i++) limiter.take(name, 'a')
  expect(() => limiter.take(name, 'a')).toThrow()
  limiter.refund(name, 'a')
  limiter.take(name, 'a')
  expect(() => limiter.take(name, 'a')).toThrow()
  // Of two, only one is returned.
  for (let i = 0; i < 2; i++) limiter.take(name, 'b')
  limiter.refund(name, 'b')
  for (let i = 1; i < most; i++) limiter.take(name, 'b')
  expect(() => limiter.take(name, 'b')).toThrow()
})

test('limits enforced by unique indexes count nothing', () => {
  const { refused } = aLimiter()
  const single = Object.entries(rateLimits).find(([, { kind }]) => kind === 'one at a time')?.[0] as keyof typeof rateLimits
  for (let i = 0; i < 500; i++) expect(refused(single, 'a')).toBeNull()
})

test('once a minute only the counters equal to new ones are removed', async () => {
  const { limiter, burst, later } = aLimiter()
  const forget = vi.spyOn(Map.prototype, 'delete')
  const forgotten = () =>
    forget.mock.calls
      .splice(0)
      .map(([key]) => key)
      // The test runner has maps, too.
      .filter((key) => /^(global|register|submit|team) /.test(String(key)))
      .sort()
  try {
    for (const name of ['global', 'register', 'submit', 'team'] as const) limiter.take(name, 'old')
    await later(60_000)
    for (const name of ['global', 'register', 'submit'] as const) burst(name, 'new')
    expect(forgotten()).toEqual([])
    await later(1)
    limiter.take('submit', 'other')
    // The window of registrations is longer than a minute.
    expect(forgotten()).toEqual(['global old', 'submit old', 'team old'])
    await later(30_000)
    limiter.take('submit', 'other')
    expect(forgotten()).toEqual([])
    await later(60_000)
    limiter.take('submit', 'other')
    expect(forgotten()).toEqual(['global new', 'register old', 'submit new', 'submit other'])
  } finally {
    forget.mockRestore()
  }
})
