import { QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { patchList, refetch } from './live-data.ts'

const add = (name: string) => (list: string[]) => (list.includes(name) ? list : [name, ...list])

/** A list whose answers the test releases, and another list. */
function scene() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const answers: { resolve: (list: string[]) => void; reject: (error: Error) => void }[] = []
  const ask = () => {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>()
    answers.push({ resolve, reject })
    return promise
  }
  queries.setQueryData(['other'], ['x'])
  const fetch = () => queries.fetchQuery({ queryKey: ['log'], queryFn: ask }).catch(() => [])
  const shown = () => queries.getQueryData<string[]>(['log'])
  return { queries, answers, fetch, shown }
}

test('LIVE-2 LIVE-3 LG-1 a live change that arrives during an older request survives the answer to it', async () => {
  const { queries, answers, fetch, shown } = scene()
  queries.setQueryData(['log'], ['a'])
  const reading = fetch()
  patchList(queries, ['log'], add('b'))
  patchList(queries, ['log'], add('c'))
  expect(shown()).toEqual(['c', 'b', 'a'])
  // The answer already includes the first change.
  answers[0]?.resolve(['b', 'a'])
  await reading
  expect(shown()).toEqual(['c', 'b', 'a'])
  expect(queries.getQueryData(['other'])).toEqual(['x'])
})

test('LIVE-2 a live change that arrives before the first answer is included in it', async () => {
  const { queries, answers, fetch, shown } = scene()
  patchList(queries, ['log'], add('early'))
  expect(shown()).toBeUndefined()
  const reading = fetch()
  patchList(queries, ['log'], add('b'))
  expect(shown()).toBeUndefined()
  answers[0]?.resolve(['a'])
  await reading
  expect(shown()).toEqual(['b', 'a'])
})

test('LIVE-2 a failed answer removes nothing, and the next answer is used unchanged', async () => {
  const { queries, answers, fetch, shown } = scene()
  queries.setQueryData(['log'], ['a'])
  const failing = fetch()
  patchList(queries, ['log'], add('b'))
  answers[0]?.reject(new Error('unreachable'))
  await failing
  expect(shown()).toEqual(['b', 'a'])
  const reading = fetch()
  answers[1]?.resolve(['z'])
  await reading
  expect(shown()).toEqual(['z'])
})

test('LIVE-2 a change during the first request is read again after the answer; a loaded list is read again at once', async () => {
  const { queries, answers, fetch, shown } = scene()
  const first = fetch()
  refetch(queries, ['log'])
  expect(answers).toHaveLength(1)
  answers[0]?.resolve(['old'])
  await first
  await vi.waitFor(() => expect(queries.getQueryState(['log'])?.isInvalidated).toBe(true))
  expect(shown()).toEqual(['old'])
  const second = fetch()
  answers[1]?.resolve(['new'])
  await second
  expect(queries.getQueryState(['log'])?.isInvalidated).toBe(false)
  refetch(queries, ['log'])
  await vi.waitFor(() => expect(queries.getQueryState(['log'])?.isInvalidated).toBe(true))
  expect(queries.getQueryState(['other'])?.isInvalidated).toBe(false)
})
