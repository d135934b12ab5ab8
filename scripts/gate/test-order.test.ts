import { expect, test } from 'vitest'
import { spread } from './test-order.ts'

test('slow files are at equal distances, the first one first, and none is in the last quarter', () => {
  expect(spread(['A', 'B'], ['a', 'b', 'c', 'd', 'e'])).toEqual(['A', 'a', 'b', 'B', 'c', 'd', 'e'])
  const many = Array.from({ length: 40 }, (_, i) => String(i))
  const order = spread(['A', 'B', 'C', 'D', 'E'], many)
  expect(['A', 'B', 'C', 'D', 'E'].map((slow) => order.indexOf(slow))).toEqual([0, 7, 14, 21, 28])
  expect(order.filter((one) => many.includes(one))).toEqual(many)
  expect(spread([], ['a', 'b'])).toEqual(['a', 'b'])
  expect(spread(['A', 'B'], [])).toEqual(['A', 'B'])
})
