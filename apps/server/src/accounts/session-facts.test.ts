import { sessionLimits } from '@vexil/core/limits'
import { expect, test } from 'vitest'
import { openSessionFacts } from './session-facts.ts'
import type { FoundSession } from './sessions.ts'

function scene() {
  const state = { now: 1000, seen: { security: 5, sessions: 7 }, fresh: true }
  let ended: (hashes: readonly string[] | null) => void = () => undefined
  const versions = {
    now: () => state.now,
    seen: () => state.seen,
    isFresh: () => state.fresh,
    onEnded: (hear: typeof ended) => {
      ended = hear
    },
  }
  const facts = openSessionFacts(versions)
  return { facts, state, end: (hashes: readonly string[] | null) => ended(hashes) }
}

const ada = { id: 'a', userName: 'Ada', role: 'User' } as const
const found = (change: Partial<FoundSession> = {}): FoundSession => ({
  actor: ada,
  isOld: false,
  expiresAt: 2000 + sessionLimits.renewBelow,
  version: { security: 5, sessions: 7 },
  ...change,
})

test('an account is cached for its session only, until the session needs renewal', () => {
  const { facts, state } = scene()
  expect(facts.find('aa')).toBeNull()
  facts.keep('aa', found())
  expect([facts.find('aa'), facts.find('ab')]).toEqual([ada, null])
  state.now = 1999
  expect(facts.find('aa')).toEqual(ada)
  state.now = 2000
  expect(facts.find('aa')).toBeNull()
})

test('the cache is not used while the versions are stale', () => {
  const { facts, state } = scene()
  facts.keep('aa', found())
  state.fresh = false
  expect(facts.find('aa')).toBeNull()
  state.fresh = true
  expect(facts.find('aa')).toEqual(ada)
})

test('ended sessions are removed one by one, and all sessions when rights change', () => {
  const { facts, end } = scene()
  for (const hash of ['aa', 'bb', 'cc']) facts.keep(hash, found())
  end(['bb', 'dd'])
  expect(['aa', 'bb', 'cc'].map((hash) => facts.find(hash) !== null)).toEqual([true, false, true])
  end(null)
  expect(['aa', 'cc'].map((hash) => facts.find(hash))).toEqual([null, null])
})

test('data read before a detected change is not cached, nor is a session that needs renewal', () => {
  const { facts } = scene()
  facts.keep('a1', found({ version: { security: 4, sessions: 7 } }))
  facts.keep('a2', found({ version: { security: 5, sessions: 6 } }))
  facts.keep('a3', found({ isOld: true }))
  facts.keep('a4', found({ version: { security: 6, sessions: 8 } }))
  expect(['a1', 'a2', 'a3', 'a4'].map((hash) => facts.find(hash) !== null)).toEqual([false, false, false, true])
})

test('the cache holds at most 50,000 sessions', () => {
  const { facts } = scene()
  for (let at = 1; at <= 50_000; at++) facts.keep(`h${at}`, found())
  // One that is kept already needs no room.
  facts.keep('h50000', found())
  expect(facts.find('h1')).toEqual(ada)
  facts.keep('h50001', found())
  expect([facts.find('h50001'), facts.find('h1')]).toEqual([ada, null])
})
