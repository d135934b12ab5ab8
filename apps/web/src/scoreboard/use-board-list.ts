import { useVirtualizer } from '@tanstack/react-virtual'
import type { BoardRow } from '@vexil/core/scoreboard'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'

interface Shown {
  readonly rows: readonly BoardRow[]
  readonly count: number
  readonly own: BoardRow | null
  readonly division: string | null
}

export function useBoardList({ rows, count, own, division }: Shown, search: string) {
  const [marked, setMarked] = useState<number | null>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase()
    return wanted === '' ? rows : rows.filter(({ team }) => team.name.toLowerCase().includes(wanted))
  }, [rows, search])
  const listed = found === rows ? count : found.length

  const height = useRowHeight()
  const virtual = useVirtualizer({
    count: listed,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    // One for the Tab key; more rows make every jump slower.
    overscan: 1,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height requires a new measurement
  useEffect(() => {
    virtual.measure()
  }, [height])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another division starts at its top
  useEffect(() => {
    // Newer browsers return a promise, which is not a clean-up function of an effect.
    void scroller.current?.scrollTo({ top: 0 })
  }, [division])

  const ownIndex = useMemo(() => {
    if (!own) return -1
    const index = found.indexOf(own)
    // Rows between the first ones and the own one are not loaded yet.
    return index < 0 && listed > found.length ? own.rank - 1 : index
  }, [found, listed, own])
  const [first, last] = visible(scroller.current, virtual.scrollOffset ?? 0, height)
  const pinned = own && ownIndex >= 0 && (ownIndex < first || ownIndex > last) ? own : null
  const goTo = useLatest((index: number) => {
    if (index < 0) return
    virtual.scrollToIndex(index, { align: 'center' })
    const row = index === ownIndex ? own : found[index]
    setMarked(row?.team.participationId ?? null)
  })
  const goToOwn = useLatest(() => goTo(ownIndex))
  const goToRank = useLatest((rank: number) =>
    goTo(
      division === null && found === rows
        ? rank - 1
        : found.findIndex((row) => (division === null ? row.rank : row.divisionRank) === rank),
    ),
  )
  return { scroller, virtual, height, found, ownIndex, pinned, marked, goToOwn, goToRank }
}

/** A stable function that calls the latest `act`, for parts that do not render with each solve. */
function useLatest<Args extends unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  return useCallback((...args: Args) => latest.current(...args), [])
}

function visible(element: HTMLElement | null, offset: number, height: number): [number, number] {
  if (!element) return [0, Number.POSITIVE_INFINITY]
  const head = element.querySelector('thead')?.offsetHeight ?? 0
  return [Math.floor(offset / height), Math.floor((offset + element.clientHeight - head) / height) - 1]
}

/** Rows are higher on phones, lower in low windows and in the compact density. */
function rowHeight(): number {
  if (window.matchMedia('(max-width: 767px)').matches) return window.matchMedia('(max-height: 599px)').matches ? 44 : 56
  return document.documentElement.dataset.density === 'compact' ? 27 : 33
}

function useRowHeight(): number {
  const [height, setHeight] = useState(rowHeight)
  useEffect(() => {
    const measure = () => setHeight(rowHeight())
    const watcher = new MutationObserver(measure)
    watcher.observe(document.documentElement, { attributeFilter: ['data-density'] })
    window.addEventListener('resize', measure)
    return () => {
      watcher.disconnect()
      window.removeEventListener('resize', measure)
    }
  }, [])
  return height
}
