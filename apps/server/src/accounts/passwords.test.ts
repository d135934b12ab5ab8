import { hashing } from '@vexil/core/limits'
import { RuleError } from '@vexil/core/rules'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkPassword, hashPassword, hashQueue } from './passwords.ts'
import type { Guess, SignInLimits } from './sign-in-limits.ts'

const compared = vi.hoisted((): string[] => [])
vi.mock('@node-rs/argon2', async (original) => {
  const real = await original<typeof import('@node-rs/argon2')>()
  return {
    ...real,
    verify: (hash: string, password: string) => {
      compared.push(hash)
      return real.verify(hash, password)
    },
  }
})

afterEach(() => {
  vi.doUnmock('node:os')
  vi.doUnmock('./hash-queue.ts')
  vi.restoreAllMocks()
})

const guess: Guess = { account: 'ann', network: '192.0.2.1', device: null }
const refund = vi.fn<SignInLimits['refund']>()
const limits = {
  mustHaveRoom: vi.fn<SignInLimits['mustHaveRoom']>(),
  reserve: vi.fn<SignInLimits['reserve']>(),
  refund,
  isUnderAttack: vi.fn<SignInLimits['isUnderAttack']>(() => false),
}
let stored: string
beforeEach(async () => {
  vi.clearAllMocks()
  stored ??= await hashPassword('aaaaaa', 'test')
})
const check = (hash: string | null, password = 'aaaaaa', by = guess) => checkPassword(limits, by, hash, password)

test('the right password returns its guess, a wrong one does not and counts against its address', async () => {
  const failed = vi.spyOn(hashQueue, 'failed')
  expect(await check(stored)).toBe(true)
  expect([refund.mock.calls.length, failed.mock.calls]).toEqual([1, []])
  expect(await check(stored, 'aaaaab')).toBe(false)
  expect(refund).toHaveBeenCalledOnce()
  expect(failed.mock.calls).toEqual([['192.0.2.1', hashing.failureWeight]])
  limits.isUnderAttack.mockReturnValueOnce(true)
  await check(stored, 'aaaaab', { ...guess, device: 'browser' })
  expect(failed.mock.calls.at(-1)).toEqual(['browser', hashing.attackedWeight])
  expect(limits.isUnderAttack.mock.calls).toEqual([['ann'], ['ann']])
})

test.each([null, 'none', ''])('no account or an invalid hash (%s) takes as long as a wrong password', async (hash) => {
  const run = vi.spyOn(hashQueue, 'run')
  expect(await check(hash)).toBe(false)
  expect(run).toHaveBeenCalledOnce()
  expect(compared.at(-1)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(limits.reserve).toHaveBeenCalledWith(guess)
  expect(refund).not.toHaveBeenCalled()
})

test('a right password keeps its place in the queue until its guess is returned', async () => {
  const returned = Promise.withResolvers<void>()
  refund.mockReturnValue(returned.promise)
  try {
    // More than run at once.
    const checks = Array.from({ length: hashing.atOnceMost + 1 }, () => check(stored))
    const running = () => checks.length - hashQueue.length
    await expect.poll(() => [refund.mock.calls.length > 0, refund.mock.calls.length === running()]).toEqual([true, true])
    expect(running()).toBeLessThan(checks.length)
    expect(await Promise.race([...checks, 'waits'])).toBe('waits')
    returned.resolve()
    expect(await Promise.all(checks)).toEqual(checks.map(() => true))
    expect(refund).toHaveBeenCalledTimes(checks.length)
  } finally {
    returned.resolve()
    refund.mockReset()
  }
})

test('an unreadable hash is an error that costs no guess', async () => {
  await expect(check('$argon2id$broken')).rejects.toThrow()
  expect(refund).toHaveBeenCalledOnce()
})

test('a caller without guesses does not enter the queue', async () => {
  const run = vi.spyOn(hashQueue, 'run')
  limits.mustHaveRoom.mockImplementationOnce(() => {
    throw new RuleError('request.too_many', { retryAfter: 5 })
  })
  await expect(check(stored)).rejects.toMatchObject({ code: 'request.too_many' })
  expect(run).not.toHaveBeenCalled()
})

test('limits counted by another process are awaited', async () => {
  const failed = vi.spyOn(hashQueue, 'failed')
  const refusal = () => Promise.reject(new RuleError('request.too_many', { retryAfter: 5 }))
  limits.mustHaveRoom.mockImplementationOnce(refusal)
  await expect(check(stored)).rejects.toMatchObject({ code: 'request.too_many' })
  const before = compared.length
  limits.reserve.mockImplementationOnce(refusal)
  await expect(check(stored)).rejects.toMatchObject({ code: 'request.too_many' })
  expect([compared.length, refund.mock.calls.length]).toEqual([before, 0])
  limits.isUnderAttack.mockResolvedValueOnce(false)
  expect(await check(stored, 'aaaaab')).toBe(false)
  expect(failed.mock.calls).toEqual([['192.0.2.1', hashing.failureWeight]])
})

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [64, hashing.atOnceMost],
])('with %i processors %i hashes run at a time', async (processors, atOnce) => {
  const openHashQueue = vi.fn()
  vi.resetModules()
  vi.doMock('node:os', () => ({ availableParallelism: () => processors }))
  vi.doMock('./hash-queue.ts', () => ({ openHashQueue }))
  await import('./passwords.ts')
  expect(openHashQueue.mock.calls).toEqual([[atOnce, hashing.waitingMost]])
})
