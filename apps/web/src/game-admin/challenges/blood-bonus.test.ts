import { defaultBloodBonus } from '@vexil/core/limits'
import { expect, test } from 'vitest'
import { packPercents, percentsOf } from './blood-bonus.ts'

test('CL-3 the default is 5, 3 and 1 percent, and is packed and unpacked without a change', () => {
  expect(percentsOf(defaultBloodBonus)).toEqual([5, 3, 1])
  expect(packPercents([5, 3, 1])).toBe(defaultBloodBonus)
})

test('CL-3 one decimal, from 0 to 100', () => {
  expect(percentsOf(packPercents([100, 0, 0.1]) ?? 0)).toEqual([100, 0, 0.1])
  expect(packPercents([100.1, 0, 0])).toBeUndefined()
  expect(packPercents(['', 0, 0])).toBeUndefined()
  expect(packPercents([-1, 0, 0])).toBeUndefined()
})
