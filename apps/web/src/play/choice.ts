/** Filter and order of the cards. Category and order are in the address. */
import { useLocalStorage } from '@mantine/hooks'
import type { ChallengeCategory } from '@vexil/core/vocabulary'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { withParts } from '../shell/paths.ts'
import type { Shown } from './shown.ts'

export const sorts = ['category', 'points', 'solves', 'newest'] as const
export type Sort = (typeof sorts)[number]

const order: Record<Sort, (a: Shown, b: Shown) => number> = {
  category: () => 0,
  points: (a, b) => b.score - a.score,
  solves: (a, b) => b.solved - a.solved,
  newest: (a, b) => Date.parse(b.enabledAt ?? '') - Date.parse(a.enabledAt ?? ''),
}

export interface Choice {
  readonly category: ChallengeCategory | null
  readonly sort: Sort
  readonly search: string
  readonly hideSolved: boolean
  readonly setSort: (sort: Sort) => void
  readonly setSearch: (text: string) => void
  readonly setHideSolved: (hide: boolean) => void
}

export function useChoice(cards: readonly Shown[]): Choice {
  const [query, setQuery] = useSearchParams()
  const [search, setSearch] = useState('')
  const [hideSolved, setHideSolved] = useLocalStorage({ key: 'hideSolved', defaultValue: false, getInitialValueInEffect: false })
  const [category, sortParameter] = [query.get('category'), query.get('sort')]
  const setSort = (sort: Sort) =>
    setQuery((old) => withParts(old, { sort: sort === 'category' ? null : sort }), { replace: true })
  return {
    // The last challenge of a category may have been disabled or moved.
    category: cards.find((card) => card.category === category)?.category ?? null,
    sort: sorts.find((name) => name === sortParameter) ?? 'category',
    search,
    hideSolved,
    setSort,
    setSearch,
    setHideSolved,
  }
}

/** The visible cards; the open one stays visible when it is solved. */
export function choose(cards: readonly Shown[], choice: Choice, opened?: number): Shown[] {
  const wanted = choice.search.trim().toLowerCase()
  return cards
    .filter(
      (card) =>
        card.id === opened ||
        ((choice.category === null || card.category === choice.category) &&
          (!choice.hideSolved || !card.isSolved) &&
          card.title.toLowerCase().includes(wanted)),
    )
    .toSorted(order[choice.sort])
}
