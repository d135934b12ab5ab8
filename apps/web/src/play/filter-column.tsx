import { IconLayoutGrid } from '@tabler/icons-react'
import { type ChallengeCategory, challengeCategories } from '@vexil/core/vocabulary'
import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { withParts } from '../shell/paths.ts'
import { moveFocus } from '../ui/base/move-focus.ts'
import { Pennant } from '../ui/base/pennant.tsx'
import { CategorySign } from '../ui/game/category-sign.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './play.module.css'
import type { Shown } from './shown.ts'

interface Props {
  readonly cards: readonly Shown[]
  /** Null: all. */
  readonly selected: ChallengeCategory | null
  /** The categories are in a column. */
  readonly wide: boolean
}

/** Tabs of the categories: one stop of Tab, arrow keys move, Enter or Space chooses. */
export function FilterColumn({ cards, selected, wide }: Props) {
  const { t } = useTranslation()
  const [query, setQuery] = useSearchParams()
  const present = challengeCategories
    .map((category) => [category, cards.filter((card) => card.category === category)] as const)
    .filter(([, of]) => of.length > 0)
  const choose = (category: ChallengeCategory | null) => setQuery((old) => withParts(old, { category }), { replace: true })
  // An unavailable challenge is removed from the address first.
  const unknown = query.has('category') && selected === null && !query.has('c')
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each category
  useEffect(() => {
    if (unknown) choose(null)
  }, [unknown])
  const list = useRef<HTMLDivElement>(null)
  const focused = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tab with the focus may have been removed
  useEffect(() => {
    if (!focused.current || document.activeElement !== document.body) return
    list.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus({ preventScroll: true })
  }, [present.length])
  const entry = (category: ChallengeCategory | null, of: readonly Shown[]) => {
    const solved = of.filter(({ isSolved }) => isSolved).length
    const done = category !== null && solved === of.length
    return (
      <button
        key={category ?? 'all'}
        type="button"
        role="tab"
        aria-controls="cards"
        className={done ? `${c.filter} ${c.filterDone}` : c.filter}
        aria-selected={selected === category}
        tabIndex={selected === category ? 0 : -1}
        onClick={() => choose(category)}
      >
        {category ? <CategorySign category={category} labelled={false} /> : <IconLayoutGrid size={20} stroke={1.6} />}
        <span className={c.filterName}>{category ?? t('play.all')}</span>
        <span className={c.filterCount}>
          {done && <Pennant size={10} />}
          {solved}/{of.length}
        </span>
      </button>
    )
  }
  return (
    <div
      ref={list}
      className={c.filters}
      role="tablist"
      aria-orientation={wide ? 'vertical' : 'horizontal'}
      aria-label={t('play.categories')}
      onKeyDown={moveFocus}
      onFocus={() => {
        focused.current = true
      }}
      onBlur={() => {
        focused.current = false
      }}
    >
      {entry(null, cards)}
      {present.map(([category, of]) => entry(category, of))}
    </div>
  )
}
