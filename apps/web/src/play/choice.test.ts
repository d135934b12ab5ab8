import { expect, test } from 'vitest'
import { type Choice, choose } from './choice.ts'
import type { Shown } from './shown.ts'

const card = (id: number, part: Partial<Shown>): Shown => ({
  id,
  title: `Card ${id}`,
  category: 'Web',
  score: 100,
  solved: 0,
  bloods: [],
  isSolved: false,
  practised: false,
  ownPlace: null,
  own: null,
  fresh: false,
  ...part,
})
const cards = [
  card(1, { title: 'Buoy', score: 50, solved: 9, enabledAt: '2026-11-21T10:00:00Z', isSolved: true }),
  card(2, { title: 'Sextant', category: 'Crypto', score: 300, solved: 2, enabledAt: '2026-11-21T12:00:00Z' }),
  card(3, { title: 'Old Buoy', score: 200, solved: 4, enabledAt: '2026-11-21T11:00:00Z' }),
]
const nothing = () => {}
const plain: Choice = {
  category: null,
  sort: 'category',
  search: '',
  hideSolved: false,
  setSort: nothing,
  setSearch: nothing,
  setHideSolved: nothing,
}
const chosen = (part: Partial<Choice>, opened?: number) => choose(cards, { ...plain, ...part }, opened).map(({ id }) => id)

test('category, search and solved select the cards, and the cards are in the chosen order', () => {
  expect(chosen({})).toEqual([1, 2, 3])
  expect(chosen({ category: 'Crypto' })).toEqual([2])
  expect(chosen({ search: ' bUOY ' })).toEqual([1, 3])
  expect(chosen({ hideSolved: true })).toEqual([2, 3])
  expect(chosen({ sort: 'points' })).toEqual([2, 3, 1])
  expect(chosen({ sort: 'solves' })).toEqual([1, 3, 2])
  expect(chosen({ sort: 'newest' })).toEqual([2, 3, 1])
})

test('an open card stays between its neighbours when it is solved', () => {
  expect(chosen({ hideSolved: true }, 1)).toEqual([1, 2, 3])
  expect(chosen({ category: 'Crypto' }, 3)).toEqual([2, 3])
})
