import type { Reply } from '@vexil/contract/endpoint'
import type { activity } from '@vexil/contract/submissions'

export interface Bar {
  /** Milliseconds; the end is the start of the next bar. */
  readonly from: number
  readonly before: number
  readonly right: number
  readonly wrong: number
}

const five = 300_000
/** More bars are too thin for a pointer. */
const most = 144

/** All bars from the start to `until`, of five minutes or the multiple that keeps their number in bounds. */
export function barsOf(
  rows: Reply<typeof activity>,
  start: number,
  until: number,
): { readonly step: number; readonly bars: Bar[] } {
  const last = rows.length > 0 ? Date.parse(rows.at(-1)?.from ?? '') + five : start
  const end = Math.max(until, last, start + five)
  const step = five * Math.max(1, Math.ceil((end - start) / five / most))
  const bars = Array.from({ length: Math.ceil((end - start) / step) }, (_, index) => ({
    from: start + index * step,
    before: start + (index + 1) * step,
    right: 0,
    wrong: 0,
  }))
  for (const { from, right, wrong } of rows) {
    // If the start was moved later, some entries are before it.
    const bar = bars[Math.max(0, Math.floor((Date.parse(from) - start) / step))]
    if (!bar) continue
    bar.right += right
    bar.wrong += wrong
  }
  return { step, bars }
}
