import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { answerCacheKey, forgetAnswers, keepAnswers, packAnswers, unpackAnswers } from './answer-cache.ts'
import { keys } from './query-keys.ts'

const stored = new Map<string, string>()
beforeEach(() => {
  stored.clear()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  })
})
afterEach(() => void vi.unstubAllGlobals())

/** Letters that do not compress. */
const noise = (length: number) => {
  let text = ''
  for (let state = length; text.length < length; state = (state * 1_103_515_245 + 12_345) % 2_147_483_648)
    text += state.toString(36)
  return text
}

function visit(version = 'v1') {
  const queries = new QueryClient()
  onTestFinished(keepAnswers(queries, version))
  return queries
}
const fetched = (queries: QueryClient, key: readonly unknown[], data: unknown) =>
  queries.fetchQuery({ queryKey: key, queryFn: async () => data })

test('NAV-3 P9.14 a visit starts with the public answers of the last one, from one compressed entry without personal data', async () => {
  const first = visit()
  await fetched(first, keys.posts.list, [{ id: 'a', title: 'News '.repeat(500) }])
  await fetched(first, keys.games.list, [{ id: 1 }])
  await fetched(first, keys.posts.one('aaaaaaaa'), { id: 'aaaaaaaa', content: 'text' })
  await fetched(first, keys.profile, { userName: 'ann' })
  await fetched(first, keys.game(1).play, { teamToken: 'secret' })
  await fetched(first, keys.admin.users(), ['others'])
  await vi.waitFor(() => expect(stored.has(answerCacheKey)).toBe(true), 20_000)
  expect([...stored.keys()]).toEqual(['vexil_cache'])
  expect(() => JSON.parse(stored.get(answerCacheKey) ?? '')).toThrow()
  expect(stored.get(answerCacheKey)?.length).toBeLessThan(1000)
  const kept = await unpackAnswers(stored.get(answerCacheKey) ?? '', 'v1')
  expect(kept.map(({ key }) => key).sort()).toEqual([keys.games.list, keys.posts.list, keys.posts.one('aaaaaaaa')])

  const second = visit()
  await vi.waitFor(() => expect(second.getQueryData(keys.games.list)).toEqual([{ id: 1 }]), 20_000)
  expect(second.getQueryData(keys.profile)).toBeUndefined()
  expect(second.getQueryState(keys.games.list)?.dataUpdatedAt).toBeLessThanOrEqual(Date.now())

  forgetAnswers()
  expect(stored.size).toBe(0)
})

test('a screen requests a cached answer again, even a recent one', async () => {
  stored.set(answerCacheKey, await packAnswers([{ key: keys.games.list, at: Date.now(), data: ['kept'] }], 'v1'))
  const queries = visit()
  await vi.waitFor(() => expect(queries.getQueryData(keys.games.list)).toEqual(['kept']), 20_000)
  const seen: unknown[] = []
  const observer = new QueryObserver(queries, {
    queryKey: keys.games.list,
    queryFn: async () => ['answered'],
    staleTime: Number.POSITIVE_INFINITY,
  })
  onTestFinished(observer.subscribe(({ data }) => void seen.push(data)))
  await vi.waitFor(() => expect(seen.at(-1)).toEqual(['answered']), 20_000)
  expect(seen[0]).toEqual(['kept'])
})

test('a screen that waits for its answer shows the kept one meanwhile, and requests it once', async () => {
  stored.set(answerCacheKey, await packAnswers([{ key: keys.games.list, at: Date.now(), data: ['kept'] }], 'v1'))
  const queries = visit()
  const ask = vi.fn(() => new Promise<string[]>(() => {}))
  const observer = new QueryObserver(queries, { queryKey: keys.games.list, queryFn: ask })
  onTestFinished(observer.subscribe(() => {}))
  await vi.waitFor(() => expect(queries.getQueryData(keys.games.list)).toEqual(['kept']), 20_000)
  expect(ask).toHaveBeenCalledOnce()
})

test('several answers are stored together a second later, where the browser can; a page that stopped stores none', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const queries = new QueryClient()
  const stop = keepAnswers(queries, 'v1')
  const writes = vi.spyOn(localStorage, 'setItem')
  // Sign-out has removed the answers meanwhile: there is nothing to store.
  await fetched(queries, keys.games.list, [1])
  queries.clear()
  await vi.advanceTimersByTimeAsync(1000)
  await fetched(queries, keys.games.list, [1])
  await vi.advanceTimersByTimeAsync(1000)
  await vi.waitFor(async () => expect(await unpackAnswers(stored.get(answerCacheKey) ?? '', 'v1')).toHaveLength(1))
  expect(writes).toHaveBeenCalledOnce()
  stored.clear()
  for (const key of [keys.games.list, keys.posts.list]) await fetched(queries, key, [1])
  expect(vi.getTimerCount()).toBe(1)
  vi.stubGlobal('CompressionStream', undefined)
  await vi.advanceTimersByTimeAsync(1000)
  expect([stored.size, vi.getTimerCount()]).toEqual([0, 0])
  await fetched(queries, keys.posts.latest, [1])
  stop()
  await fetched(queries, keys.posts.one('aaaaaaaa'), { id: 'aaaaaaaa' })
  expect(vi.getTimerCount()).toBe(0)
})

test('an entry does not replace newer data', async () => {
  const old = [keys.games.list, keys.posts.list].map((key, place) => ({ key, at: 5 - place, data: ['old'] }))
  stored.set(answerCacheKey, await packAnswers(old, 'v1'))
  const queries = visit()
  queries.setQueryData(keys.games.list, ['new'])
  // The last answer of the entry has been restored.
  await vi.waitFor(() => expect(queries.getQueryData(keys.posts.list)).toEqual(['old']), 20_000)
  expect(queries.getQueryData(keys.games.list)).toEqual(['new'])
})

test('an answer that a device with a wrong clock stored counts as received now', async () => {
  const at = Date.now() + 3_600_000
  stored.set(answerCacheKey, await packAnswers([{ key: keys.games.list, at, data: ['kept'] }], 'v1'))
  const queries = visit()
  await vi.waitFor(() => expect(queries.getQueryData(keys.games.list)).toEqual(['kept']), 20_000)
  expect(queries.getQueryState(keys.games.list)?.dataUpdatedAt).toBeLessThanOrEqual(Date.now())
})

test('P9.14 the entry has at most a million characters; the oldest answers go first', async () => {
  const answers = [3, 1, 2].map((at) => ({ key: keys.posts.one(`post000${at}`), at, data: noise(500_000) }))
  const packed = await packAnswers(answers, 'v1')
  expect(packed.length).toBeLessThanOrEqual(1_000_000)
  expect((await unpackAnswers(packed, 'v1')).map(({ at }) => at)).toEqual([3, 2])
})

test('P9.14 an entry that is broken, of another version or with private answers is removed', async () => {
  const good = await packAnswers([{ key: keys.games.list, at: 5, data: [1] }], 'v1')
  expect(await unpackAnswers(good, 'v1')).toHaveLength(1)
  expect(await unpackAnswers(good, 'v2')).toEqual([])
  expect(await unpackAnswers(good.slice(0, 20), 'v1')).toEqual([])
  expect(await unpackAnswers('no base64 §', 'v1')).toEqual([])
  expect(await unpackAnswers(await packAnswers([{ key: keys.profile, at: 5, data: 1 }], 'v1'), 'v1')).toEqual([])
  for (const bad of [good.slice(0, 20), '§', 'AAAA']) {
    stored.set(answerCacheKey, bad)
    visit()
    await vi.waitFor(() => expect(stored.size).toBe(0), 20_000)
  }
})
