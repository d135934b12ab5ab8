import { describe, expect, test, vi } from 'vitest'
import { anyOf } from '../http/network.ts'
import { openSignInLimits } from './sign-in-limits.ts'

function limitsAt(halls: readonly string[] = []) {
  let at = 0
  const limits = openSignInLimits(false, { isHall: anyOf(halls), now: () => at })
  const guess = (account: string, network = '10.0.0.1', device: string | null = null) => ({ account, network, device })
  /** How many wrong guesses pass until one is refused, and the refusal. */
  const wrong = (...whose: Parameters<typeof guess>) => {
    for (let n = 0; n < 1000; n++) {
      try {
        limits.reserve(guess(...whose))
      } catch (error) {
        expect(error).toMatchObject({ code: 'request.too_many' })
        return { passed: n, seconds: (error as { data: { retryAfter: number } }).data.retryAfter }
      }
    }
    throw new Error('nothing was refused')
  }
  const passes = (...whose: Parameters<typeof guess>) => {
    try {
      limits.mustHaveRoom(guess(...whose))
      return true
    } catch {
      return false
    }
  }
  return {
    limits,
    guess,
    wrong,
    passes,
    pass: (seconds: number) => {
      at += seconds * 1000
    },
  }
}

describe('wrong guesses', () => {
  test('for one account from one address: ten, then one every six seconds', () => {
    const { wrong, passes, pass } = limitsAt()
    expect(wrong('ann')).toEqual({ passed: 10, seconds: 6 })
    pass(5)
    expect(passes('ann')).toBe(false)
    pass(1.01)
    expect(wrong('ann')).toEqual({ passed: 1, seconds: 6 })
    pass(600)
    expect(wrong('ann').passed).toBe(10)
  })

  test('are never more than ten, also after one and a pause of less than the minute after which full buckets are removed', () => {
    const { limits, guess, wrong, pass } = limitsAt()
    limits.reserve(guess('ann'))
    pass(59)
    expect(wrong('ann').passed).toBe(10)
  })

  test('do not count for another account or another address', () => {
    const { wrong, passes } = limitsAt()
    wrong('ann')
    expect([passes('ann'), passes('ben'), passes('ann', '10.0.0.2')]).toEqual([false, true, true])
  })

  test('from one address over all accounts: 500, then one every 0.12 seconds; another address is not limited', () => {
    const { wrong, limits, guess, passes, pass } = limitsAt()
    for (let i = 0; i < 500; i++) limits.reserve(guess(`name ${i}`))
    expect(wrong('ann')).toEqual({ passed: 0, seconds: 1 })
    expect([passes('ben'), passes('ann', '10.0.0.2')]).toEqual([false, true])
    pass(0.12)
    expect(wrong('ann').passed).toBe(1)
  })

  test('from an event site count for each account and address, never for the address', () => {
    const { wrong, limits, guess, passes } = limitsAt(['10.7.0.0/16', '2001:db8:7::/48'])
    for (const network of ['10.7.3.1', '2001:db8:7:9::/64']) {
      for (let i = 0; i < 600; i++) limits.reserve(guess(`name ${i}`, network))
      expect([passes('ann', network), wrong('ann', network)]).toEqual([true, { passed: 10, seconds: 6 }])
    }
    for (const network of ['10.8.0.1', '2001:db8:8:9::/64', 'no address']) {
      for (let i = 0; i < 500; i++) limits.reserve(guess(`name ${i}`, network))
      expect(passes('ann', network)).toBe(false)
    }
  })

  test('for one account from everywhere refuse no login, but are reported', () => {
    const { limits, guess, passes, pass } = limitsAt()
    for (let i = 0; i < 50; i++) {
      expect(limits.isUnderAttack('ann')).toBe(false)
      limits.reserve(guess('ann', `10.1.0.${i}`))
    }
    expect([limits.isUnderAttack('ann'), limits.isUnderAttack('ben')]).toEqual([true, false])
    for (let i = 0; i < 500; i++) limits.reserve(guess('ann', `10.2.0.${i}`))
    expect(passes('ann', '10.3.0.1')).toBe(true)
    // Guesses made while the limit was full are not carried over.
    pass(1.2)
    expect(limits.isUnderAttack('ann')).toBe(false)
  })
})

describe('a known device', () => {
  test('has a separate bucket that neither its address nor its account can empty', () => {
    const { limits, guess, wrong, passes } = limitsAt()
    wrong('ann')
    for (let i = 0; i < 490; i++) limits.reserve(guess(`name ${i}`))
    expect([passes('ben'), passes('ann', '10.0.0.1', 'laptop')]).toEqual([false, true])
    expect(wrong('ann', '10.0.0.1', 'laptop')).toEqual({ passed: 10, seconds: 6 })
    expect([passes('ann', '10.9.9.9', 'laptop'), passes('ann', '10.0.0.1', 'phone')]).toEqual([false, true])
  })

  test('does not empty the bucket of its address', () => {
    const { wrong, passes } = limitsAt()
    wrong('ann', '10.0.0.1', 'laptop')
    expect(passes('ann')).toBe(true)
  })
})

test('a right password returns what was reserved, once for each bucket', () => {
  const { limits, guess, wrong } = limitsAt()
  for (let i = 0; i < 1000; i++) {
    limits.reserve(guess('ann'))
    limits.refund(guess('ann'))
  }
  expect(limits.isUnderAttack('ann')).toBe(false)
  limits.reserve(guess('ann'))
  expect(wrong('ann').passed).toBe(9)
  limits.refund(guess('ann'))
  expect(wrong('ann').passed).toBe(1)
})

test('checking for capacity consumes nothing', () => {
  const { passes, wrong } = limitsAt()
  for (let i = 0; i < 50; i++) expect(passes('ann')).toBe(true)
  expect(wrong('ann').passed).toBe(10)
})

test('when disabled nothing is counted', () => {
  const limits = openSignInLimits(true)
  for (let i = 0; i < 500; i++) limits.reserve({ account: 'ann', network: 'x', device: null })
  limits.refund({ account: 'ann', network: 'x', device: null })
  limits.mustHaveRoom({ account: 'ann', network: 'x', device: null })
  expect(limits.isUnderAttack('ann')).toBe(false)
})

test('full buckets are removed once a minute, and no others', () => {
  const { limits, guess, wrong, passes, pass } = limitsAt()
  const forget = vi.spyOn(Map.prototype, 'delete')
  const forgotten = () => forget.mock.calls.splice(0).map(([key]) => key)
  try {
    limits.reserve(guess('ann', '10.0.0.9'))
    pass(59)
    wrong('ben')
    pass(0.999)
    expect([passes('cem'), forgotten()]).toEqual([true, []])
    pass(0.001)
    expect([passes('cem'), forgotten().sort()]).toEqual([true, ['login ann from 10.0.0.9', 'loginFrom 10.0.0.9', 'loginTo ann']])
    expect(passes('ben')).toBe(false)
    pass(59.999)
    expect([passes('ben'), forgotten()]).toEqual([true, []])
    pass(0.001)
    expect([passes('ben'), forgotten().sort()]).toEqual([true, ['login ben from 10.0.0.1', 'loginFrom 10.0.0.1', 'loginTo ben']])
  } finally {
    forget.mockRestore()
  }
})
