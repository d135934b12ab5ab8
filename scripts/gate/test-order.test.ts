import { expect, test } from 'vitest'
import { spread } from './test-order.ts'

test('slow files are at equal distances, the first one first', () => {
  expect(spread(['A', 'B'], ['a', 'b', 'c', 'd', 'e'])).toEqual(['A', 'a', 'b', 'c', 'B', 'd', 'e'])
  expect(spread([], ['a', 'b'])).toEqual(['a', 'b'])
  expect(spread(['A', 'B'], [])).toEqual(['A', 'B'])
})
