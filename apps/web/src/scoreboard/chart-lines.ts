import { timeLineTeams } from '@vexil/core/limits'
import type { BoardRow } from '@vexil/core/scoreboard'
import type { BoardState } from '../api/board.ts'
import { formatTime } from '../ui/time/time.ts'

export interface Line {
  readonly id: number
  readonly name: string
  readonly own: boolean
  readonly points: readonly (readonly [number, number])[]
}

/** Distinguish lines in addition to the colour. */
const marks = ['●', '■', '▲', '◆', '○', '□', '▼', '◇', '▽', '△']

/** Step lines of the first ten, the own team and one chosen team, from 0 at the start to now. */
export function linesOf(
  { rows, startsAt }: Pick<BoardState, 'rows' | 'startsAt'>,
  division: string | null,
  own: BoardRow | null,
  added: number | null,
  until: number,
): Line[] {
  const line = (row: Pick<BoardRow, 'team' | 'solves'>): Line => {
    let sum = 0
    const points: [number, number][] = [[startsAt, 0]]
    for (const solve of row.solves) {
      sum += solve.points
      points.push([solve.time, sum])
    }
    points.push([until, sum])
    return { id: row.team.id, name: row.team.name, own: row.team.id === own?.team.id, points }
  }
  const ranked = division === null ? rows : rows.filter(({ team }) => team.division === division)
  const chosen = added === null ? undefined : rows.find(({ team }) => team.id === added)
  const drawn = new Set(ranked.slice(0, timeLineTeams))
  if (own) drawn.add(own)
  if (chosen) drawn.add(chosen)
  return [...drawn].sort((a, b) => a.rank - b.rank).map(line)
}

export function sameLines(one: readonly Line[], other: readonly Line[]): boolean {
  const same = (a: Line, b: Line) =>
    a.id === b.id &&
    a.name === b.name &&
    a.own === b.own &&
    a.points.length === b.points.length &&
    a.points.every(([at, points], index) => at === b.points[index]?.[0] && points === b.points[index]?.[1])
  return one.length === other.length && one.every((line, index) => same(line, other[index] as Line))
}

/** Least span of the chart, ms. */
const leastSpan = 10 * 60_000

/** End of the time axis: early in a game near now, since most of it would be empty. */
export function axisEnd(
  { startsAt, endsAt }: Pick<BoardState, 'startsAt' | 'endsAt'>,
  { running, until, whole }: { readonly running: boolean; readonly until: number; readonly whole: boolean },
): number {
  if (whole || !running || until >= (startsAt + endsAt) / 2) return endsAt
  return Math.min(endsAt, Math.max(until, startsAt + leastSpan))
}

export const frame = { height: 196, top: 8, bottom: 24, left: 52, right: 196, names: 180, gap: 14.5 }

/** Below this width of the chart the names are under it. */
export const narrowest = 600

const plot = frame.height - frame.top - frame.bottom
/** Pixels from the top, of a height from 0 to 1. */
export const fromTop = (height: number) => frame.top + plot * (1 - height)

/** Positions of names for line ends at these heights (0 to 1), moved where they would overlap or leave the chart. */
export function placeNames(heights: readonly number[]): number[] {
  const order = heights.map((height, line) => ({ line, y: fromTop(height) })).sort((a, b) => a.y - b.y)
  const last = frame.top + plot - 4
  const gap = Math.min(frame.gap, plot / Math.max(1, order.length))
  let least = frame.top
  for (const one of order) {
    one.y = Math.max(one.y, least)
    least = one.y + gap
  }
  let most = last
  for (const one of order.toReversed()) {
    one.y = Math.min(one.y, most)
    most = one.y - gap
  }
  const places: number[] = []
  for (const { line, y } of order) places[line] = y
  return places
}

export const colourOf = ({ own }: Line, index: number) => (own ? '--accent-text' : `--c-${(index % 10) + 1}`)
export const markOf = ({ own }: Line, index: number) => (own ? '▶' : marks[index % marks.length])

/** Up to six days the clock, with the weekday at midnight and at both ends; in longer games the day. */
export function axisTime(at: number, { startsAt, endsAt }: Pick<BoardState, 'startsAt' | 'endsAt'>, language: string): string {
  if (endsAt - startsAt > 6 * 86_400_000) return formatTime(at, 'day', language)
  const date = new Date(at)
  const midnight = date.getHours() === 0 && date.getMinutes() === 0
  return formatTime(at, midnight || at === startsAt || at === endsAt ? 'weekClock' : 'clock', language)
}
