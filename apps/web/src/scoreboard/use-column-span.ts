import { type RefObject, useEffect, useState } from 'react'
import type { Span } from './board-row.tsx'

/** Columns are rendered in groups, so that scrolling sideways rarely renders. */
const group = 4
/** A board with fewer columns is rendered whole. */
const whole = 48

/** The visible columns out of `count`, which share the width between `before` pixels at the left edge and `after` at the right one. */
export function useColumnSpan(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  { before, after }: { readonly before: number; readonly after: number },
): Span {
  const [span, setSpan] = useState<Span>({ from: 0, to: Math.min(count, whole) })
  useEffect(() => {
    const element = scroller.current
    if (!element || count <= whole) return setSpan({ from: 0, to: count })
    const measure = () => {
      const width = Math.max(1, (element.scrollWidth - before - after) / count)
      const first = Math.floor(element.scrollLeft / width / group - 1) * group
      const last = Math.ceil((element.scrollLeft + element.clientWidth - before) / width / group + 1) * group
      const [from, to] = [Math.max(0, first), Math.min(count, last)]
      setSpan((old) => (old.from === from && old.to === to ? old : { from, to }))
    }
    measure()
    const watcher = new ResizeObserver(measure)
    watcher.observe(element)
    // Runs before the scroll listener of the list: after its render, reading sizes would force a layout.
    const early = { passive: true, capture: true }
    element.addEventListener('scroll', measure, early)
    return () => {
      watcher.disconnect()
      element.removeEventListener('scroll', measure, early)
    }
  }, [scroller, count, before, after])
  return span
}
