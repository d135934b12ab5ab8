import { expect, test } from 'vitest'
import { openTeamRowCache } from './team-row-cache.ts'

test('a row is cached for its version and its participation', () => {
  const rows = openTeamRowCache(100)
  rows.keep(1, '5.2.0', '{"rank":1}')
  rows.keep(2, '5.2.0', '{"rank":9}')
  expect(rows.find(1, '5.2.0')).toBe('{"rank":1}')
  expect(rows.find(2, '5.2.0')).toBe('{"rank":9}')
  expect(rows.find(3, '5.2.0')).toBeUndefined()
  expect(rows.find(1, '5.3.0')).toBeUndefined()
  rows.keep(1, '5.3.0', '{"rank":2}')
  expect([rows.find(1, '5.3.0'), rows.find(1, '5.2.0')]).toEqual(['{"rank":2}', undefined])
})

test('the oldest rows are removed first, and no more than necessary', () => {
  const rows = openTeamRowCache(30)
  const known = () => [1, 2, 3, 4].filter((id) => rows.find(id, 'v') !== undefined)
  for (const id of [1, 2, 3]) rows.keep(id, 'v', 'x'.repeat(10))
  expect(known()).toEqual([1, 2, 3])
  rows.keep(4, 'v', 'x')
  expect(known()).toEqual([2, 3, 4])
  // When it is kept again, it counts once and is the newest.
  rows.keep(2, 'v', 'x'.repeat(9))
  rows.keep(1, 'v', 'x'.repeat(10))
  expect(known()).toEqual([1, 2, 3, 4])
  rows.keep(1, 'v', 'x'.repeat(11))
  expect(known()).toEqual([1, 2, 4])
})

test('a row larger than the total limit is not cached', () => {
  const rows = openTeamRowCache(5)
  rows.keep(1, 'v', 'x'.repeat(6))
  expect(rows.find(1, 'v')).toBeUndefined()
  rows.keep(2, 'v', 'x'.repeat(5))
  expect(rows.find(2, 'v')).toBe('xxxxx')
})
