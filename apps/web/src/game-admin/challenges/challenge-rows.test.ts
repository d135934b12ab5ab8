import type { ChallengeRow } from '@vexil/contract/challenges'
import { expect, test } from 'vitest'
import { groupRows, keepRows, neighbours } from './challenge-rows.ts'

const row = (id: number, title: string, category: ChallengeRow['category'], type: ChallengeRow['type'] = 'StaticAttachment') =>
  ({
    id,
    title,
    category,
    type,
    isEnabled: true,
    score: 1,
    minScore: 1,
    originalScore: 1,
    acceptedCount: 3,
    flagCount: 1,
    fileCount: 0,
    containerImage: null,
    silentSince: null,
    checkFailsSince: null,
  }) satisfies ChallengeRow
const rows = [row(1, 'Wake', 'Web'), row(2, 'Anchor', 'Web', 'DynamicContainer'), row(3, 'Zephyr', 'Misc')]

test('CL-5 search, category and type narrow the list together', () => {
  const all = { text: '', category: null, type: null }
  expect(keepRows(rows, { ...all, text: 'AN' }).map(({ id }) => id)).toEqual([2])
  expect(keepRows(rows, { ...all, category: 'Web', type: 'StaticAttachment' }).map(({ id }) => id)).toEqual([1])
})

test('CL-5 order is category, then title, then id', () => {
  expect(groupRows(rows).map(([category, some]) => [category, some.map(({ id }) => id)])).toEqual([
    ['Misc', [3]],
    ['Web', [2, 1]],
  ])
  const alike = [row(5, 'Wake', 'Web'), row(4, 'Wake', 'Web')]
  expect(groupRows(alike).map(([, some]) => some.map(({ id }) => id))).toEqual([[4, 5]])
})

test('previous and next follow the order of the list', () => {
  expect(neighbours(rows, 2)).toEqual({ before: rows[2], after: rows[0] })
  expect(neighbours(rows, 3).before).toBeUndefined()
  expect(neighbours(rows, 9)).toEqual({})
})
