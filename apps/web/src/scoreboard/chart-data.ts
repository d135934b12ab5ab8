import type { Line } from './chart-lines.ts'

/** All moments, and each line's points at each of them; null before its start and after its end. */
export function columnsOf(lines: readonly Line[]): [number[], ...(number | null)[][]] {
  const times = [...new Set(lines.flatMap(({ points }) => points.map(([at]) => at)))].sort((a, b) => a - b)
  const columns = lines.map(({ points }) => {
    let next = 0
    let sum: number | null = null
    const end = points.at(-1)?.[0] ?? 0
    return times.map((at) => {
      while (next < points.length && (points[next]?.[0] ?? 0) <= at) sum = points[next++]?.[1] ?? null
      return at > end ? null : sum
    })
  })
  return [times, ...columns]
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const steps = [1, 2, 5, 10, 15, 30].map((count) => count * minute)
steps.push(...[1, 2, 3, 6, 12].map((count) => count * hour), ...[1, 2, 7, 14, 28].map((count) => count * day))

/** Round local times between `from` and `to`, ms, at least `least` pixels apart; `from` itself is the first. */
export function timeTicks(from: number, to: number, width: number, least: number): number[] {
  const each = ((to - from) / Math.max(1, width)) * least
  const step = steps.find((one) => one >= each) ?? Math.ceil(each / day) * day
  const zone = new Date(from).getTimezoneOffset() * minute
  const ticks = [from]
  for (let at = Math.ceil((from - zone) / step) * step + zone; at <= to; at += step) {
    if (at - from > each) ticks.push(at)
  }
  return ticks
}
