import { expect, test } from 'vitest'
import { faults, orderOf } from './rounds.ts'

const names = (seed: string, round: number) => orderOf(seed, round).map(({ name }) => name)

test('the order of the faults depends on seed and round only, and has each once', () => {
  expect(names('a', 0)).toEqual(names('a', 0))
  expect(names('a', 0)).not.toEqual(names('a', 1))
  expect(names('a', 0)).not.toEqual(names('b', 0))
  expect(new Set(names('a', 0)).size).toBe(faults.length)
})
