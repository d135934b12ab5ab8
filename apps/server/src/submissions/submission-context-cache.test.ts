import { expect, test } from 'vitest'
import { type At, openSubmissionContextCache } from './submission-context-cache.ts'
import type { ReadSubmissionContext, SubmissionContext } from './submissions.queries.ts'

const times = { startsAt: 1, endsAt: 2, practiceMode: false }
const at = (change: Partial<At> & { account?: string } = {}): At => ({
  gameId: 1,
  challengeId: 10,
  actor: { id: change.account ?? 'ada' },
  ...change,
})
const read = (context: Partial<SubmissionContext> = {}, more: Partial<ReadSubmissionContext> = {}): ReadSubmissionContext => ({
  context: {
    game: times,
    status: 'Accepted',
    challenge: { enabled: true },
    participationId: 100,
    challengeTitle: 'Echo',
    epoch: 5,
    key: { kind: 'any of', flags: [] },
    ...context,
  },
  now: 0,
  type: 'StaticAttachment',
  flags: ['flag{a}', 'flag{b}'],
  ...more,
})
const own = (flag: string | null, context: Partial<SubmissionContext> = {}) =>
  read({ key: { kind: 'own', flag }, ...context }, { type: 'DynamicContainer', flags: null })

test('one read permits any answer of the same player to the same challenge, judged by all of its flags', () => {
  const facts = openSubmissionContextCache()
  expect(facts.find(at(), 'flag{a}')).toBeNull()
  facts.keep(at(), read())
  expect(facts.find(at(), 'flag{b}')).toEqual({ ...read().context, key: { kind: 'any of', flags: ['flag{b}'] } })
  expect(facts.find(at(), 'flag{c}')?.key).toEqual({ kind: 'any of', flags: [] })
  for (const other of [at({ gameId: 2 }), at({ challengeId: 11 }), at({ account: 'ben' })])
    expect(facts.find(other, 'flag{a}')).toBeNull()
})

test('data of a player and of a challenge are combined, without data of another game', () => {
  const facts = openSubmissionContextCache()
  facts.keep(at(), read())
  facts.keep(
    at({ account: 'ben', challengeId: 11 }),
    read({ participationId: 200, challengeTitle: 'Fold' }, { flags: ['flag{f}'] }),
  )
  expect(facts.find(at({ account: 'ben' }), 'flag{a}')).toMatchObject({
    participationId: 200,
    challengeTitle: 'Echo',
    key: { flags: ['flag{a}'] },
  })
  expect(facts.find(at({ challengeId: 11 }), 'flag{a}')).toMatchObject({
    participationId: 100,
    challengeTitle: 'Fold',
    key: { flags: [] },
  })
  facts.keep(at({ gameId: 2, account: 'cy' }), read({ participationId: 300 }))
  expect(facts.find(at({ gameId: 2 }), 'flag{a}')).toBeNull()
})

test('a dynamic flag belongs to its team; a team without one is read again', () => {
  const facts = openSubmissionContextCache()
  facts.keep(at(), own('flag{mine}'))
  facts.keep(at({ account: 'ben' }), own(null, { participationId: 200 }))
  expect(facts.find(at(), 'x')?.key).toEqual({ kind: 'own', flag: 'flag{mine}' })
  expect(facts.find(at({ account: 'ben' }), 'x')).toBeNull()
  facts.keep(at({ account: 'ben' }), own('flag{his}', { participationId: 200 }))
  expect(facts.find(at({ account: 'ben' }), 'x')?.key).toEqual({ kind: 'own', flag: 'flag{his}' })
  expect(facts.find(at(), 'x')?.key).toEqual({ kind: 'own', flag: 'flag{mine}' })
  // A teammate plays for the same team.
  facts.keep(at({ account: 'mate', challengeId: 11 }), read())
  expect(facts.find(at({ account: 'mate' }), 'x')?.key).toEqual({ kind: 'own', flag: 'flag{mine}' })
})

test.each([
  ['no game', { game: null }],
  ['no participation', { participationId: null, status: null }],
  ['another status', { status: 'Suspended' }],
  ['no challenge', { challenge: null }],
  ['a disabled challenge', { challenge: { enabled: false } }],
] as const)('a refusal is not cached: %s', (_, context) => {
  const facts = openSubmissionContextCache()
  facts.keep(at(), read(context))
  facts.keep(at({ account: 'ben', challengeId: 11 }), read({ participationId: 200 }))
  for (const account of ['ada', 'ben']) expect(facts.find(at({ account }), 'flag{a}')).toBeNull()
  expect(facts.find(at({ challengeId: 11 }), 'flag{a}')).toBeNull()
})

test('a challenge with too many flags is not cached', () => {
  const facts = openSubmissionContextCache()
  facts.keep(at(), read({}, { flags: null }))
  expect(facts.find(at(), 'flag{a}')).toBeNull()
})

test('a newer epoch removes older data, and older data that arrives late is not cached', () => {
  const facts = openSubmissionContextCache()
  facts.keep(at(), read())
  facts.keep(at({ account: 'ben' }), read({ participationId: 200 }))
  facts.keep(at(), read({ epoch: 6, game: { ...times, endsAt: 3 } }, { flags: ['flag{new}'] }))
  expect(facts.find(at({ account: 'ben' }), 'flag{a}')).toBeNull()
  facts.keep(at({ account: 'ben' }), read({ participationId: 200, epoch: 5 }))
  expect(facts.find(at({ account: 'ben' }), 'flag{a}')).toBeNull()
  expect(facts.find(at(), 'flag{a}')).toMatchObject({ epoch: 6, game: { endsAt: 3 }, key: { flags: [] } })
})

test('invalidated data is removed: the whole game, or player and challenge', () => {
  const facts = openSubmissionContextCache()
  const fill = () => {
    facts.keep(at(), read())
    facts.keep(at({ account: 'ben', challengeId: 11 }), read({ participationId: 200 }))
    facts.keep(at({ gameId: 2 }), read())
  }
  const known = () =>
    [at(), at({ account: 'ben', challengeId: 11 }), at({ gameId: 2 })].map((place) => facts.find(place, 'flag{a}') !== null)
  fill()
  expect(known()).toEqual([true, true, true])
  facts.drop(at(), 'missing')
  expect(known()).toEqual([false, true, true])
  expect(facts.find(at({ account: 'ben' }), 'flag{a}')).toBeNull()
  expect(facts.find(at({ challengeId: 11 }), 'flag{a}')).toBeNull()
  fill()
  facts.drop(at(), 'stale')
  expect(known()).toEqual([false, false, true])
})

test('the cache has limits: 50 games, 50,000 players of a game', () => {
  const facts = openSubmissionContextCache()
  for (let gameId = 1; gameId <= 60; gameId++) facts.keep(at({ gameId }), read())
  expect(
    Array.from({ length: 60 }, (_, i) => facts.find(at({ gameId: i + 1 }), 'x') !== null).filter(Boolean).length,
  ).toBeLessThanOrEqual(50)
  expect(facts.find(at({ gameId: 60 }), 'x')).not.toBeNull()
  const keep = (i: number) => facts.keep(at({ account: `p${i}` }), read({ participationId: i }))
  for (let i = 0; i < 50_000; i++) keep(i)
  // A player who is known needs no room.
  keep(49_999)
  expect(facts.find(at({ account: 'p1' }), 'x')?.participationId).toBe(1)
  keep(50_000)
  expect(facts.find(at({ account: 'p50000' }), 'x')?.participationId).toBe(50_000)
  expect(facts.find(at({ account: 'p1' }), 'x')).toBeNull()
})
