import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { batched } from './batched.ts'
import type { Db } from './transaction.ts'

const [db, other] = [{}, {}] as [Db, Db]

/** Returns the key and the number of the read; `asked` holds the keys of each read. */
function counting(failing: (keys: readonly string[]) => boolean = () => false) {
  const batches: (readonly string[])[] = []
  const find = batched<string, string>(async (_, keys) => {
    const reading = batches.push(keys)
    await turn()
    if (failing(keys)) throw new Error(`reading ${reading}`)
    return keys.map((key) => `${key} of ${reading}`)
  })
  return { batches, find }
}

test('keys requested in one turn are read together, in the order of the requests', async () => {
  const { batches, find } = counting()
  expect(await Promise.all(['a', 'b', 'a'].map((key) => find(db, key)))).toEqual(['a of 1', 'b of 1', 'a of 1'])
  expect(batches).toEqual([['a', 'b', 'a']])
})

test('a read that has started does not answer later requests', async () => {
  const { batches, find } = counting()
  const first = find(db, 'a')
  while (batches.length === 0) await turn()
  expect(await Promise.all([first, find(db, 'a')])).toEqual(['a of 1', 'a of 2'])
})

test('nothing is cached: the same key is read again', async () => {
  const { find } = counting()
  expect(await find(db, 'a')).toBe('a of 1')
  expect(await find(db, 'a')).toBe('a of 2')
})

test('databases and transactions are not batched together', async () => {
  const { batches, find } = counting()
  await Promise.all([find(db, 'a'), find(other, 'b'), find(db, 'c')])
  expect(batches).toEqual([['a', 'c'], ['b']])
})

test('one read has at most 256 keys', async () => {
  const { batches, find } = counting()
  const keys = Array.from({ length: 300 }, (_, i) => `${i}`)
  expect(await Promise.all(keys.map((key) => find(db, key)))).toHaveLength(300)
  expect(batches.map(({ length }) => length)).toEqual([256, 44])
})

test('a failed read fails only for its own requests', async () => {
  const { find } = counting((keys) => keys.includes('bad'))
  const results = await Promise.allSettled([find(db, 'a'), find(db, 'bad')])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await find(db, 'a')).toBe('a of 2')
})
