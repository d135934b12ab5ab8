const hour = 3_600_000
const steps = [1, 2, 4, 6, 12, 24, 48, 72, 168].map((count) => count * hour)
/** Labels between the ends of a scale. */
const mostLabels = 5
/** Share of the scale that a label at an end needs, with half of the next one: 100 of 600 px. */
const edge = 0.17

export interface Tick {
  readonly at: number
  /** 0 to 1. */
  readonly share: number
  readonly labelled: boolean
}

/** Full local hours between two times, ms: at most 48, of which at most five have a label. */
export function hourTicks(from: number, to: number): Tick[] {
  const span = to - from
  const major = steps.find((step) => span / step <= mostLabels + 1) ?? Math.ceil(span / hour / 24 / mostLabels) * 24 * hour
  const minor = [1, 2, 4, 6].map((parts) => major / parts).findLast((step) => step % hour === 0 && span / step <= 48) ?? major
  const zone = new Date(from).getTimezoneOffset() * 60_000
  const ticks: Tick[] = []
  for (let at = Math.ceil((from - zone) / minor) * minor + zone; at <= to; at += minor) {
    const share = (at - from) / span
    ticks.push({ at, share, labelled: (at - zone) % major === 0 && share > edge && share < 1 - edge })
  }
  return ticks
}
