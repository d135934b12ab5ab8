import { timeLineTeams } from '@vexil/core/limits'
import type { BoardRow } from '@vexil/core/scoreboard'
import type { BoardState } from '../api/board.ts'
import { formatTime } from '../ui/time/time.ts'

export interface Line {
  readonly id: number
  readonly name: string
  readonly own: boolean
  /** One of the first three, the own team or the chosen one; the others are drawn thin and pale. */
  readonly strong: boolean
  readonly points: readonly (readonly [number, number])[]
}

/** Distinguish lines in addition to the colour: paths in a square of ten units, since fonts may lack such characters. */
const marks = [
  'M5 1a4 4 0 1 0 0 8a4 4 0 1 0 0-8z',
  'M1.5 1.5h7v7h-7z',
  'M5 1 9.3 8.5H.7z',
  'M5 .5 9.5 5 5 9.5.5 5z',
  'M5 1a4 4 0 1 0 0 8a4 4 0 1 0 0-8zM5 2.6a2.4 2.4 0 1 1 0 4.8a2.4 2.4 0 1 1 0-4.8z',
  'M1.5 1.5h7v7h-7zM3 3v4h4V3z',
  'M5 9 .7 1.5h8.6z',
  'M5 .5 9.5 5 5 9.5.5 5zM5 2.9 2.9 5 5 7.1 7.1 5z',
  'M1.5 4h7v2h-7z',
  'M4 1.5h2v7H4z',
]
const ownMark = 'M1.5 .8 9.3 5 1.5 9.2z'

const strongLines = 3

/** Step lines of the first ten, the own team and one chosen team, from 0 at the start to now. */
export function linesOf(
  { rows, startsAt }: Pick<BoardState, 'rows' | 'startsAt'>,
  division: string | null,
  own: BoardRow | null,
  added: number | null,
  until: number,
): Line[] {
  const line = (row: Pick<BoardRow, 'team' | 'solves'>, place: number): Line => {
    let sum = 0
    const points: [number, number][] = [[startsAt, 0]]
    for (const solve of row.solves) {
      sum += solve.points
      points.push([solve.time, sum])
    }
    points.push([until, sum])
    const { id, name } = row.team
    const isOwn = id === own?.team.id
    return { id, name, own: isOwn, strong: place < strongLines || isOwn || id === added, points }
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
    a.strong === b.strong &&
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

export const frame = { top: 8, bottom: 24, left: 52, right: 196, names: 180, gap: 14.5 }
/** Pixels, above the table and in a dialog. */
export const chartHeight = { board: 138, dialog: 260 }

/** Below this width of the chart the names are under it. */
export const narrowest = 600

const plotOf = (chart: number) => chart - frame.top - frame.bottom
/** Pixels from the top, of a height from 0 to 1 in a chart of `chart` pixels. */
export const fromTop = (height: number, chart: number) => frame.top + plotOf(chart) * (1 - height)

/** Indexes of the lines that have a name next to them: as many as fit, the strong ones first. */
export function namedLines(lines: readonly Pick<Line, 'strong'>[], chart: number): number[] {
  const room = Math.floor(plotOf(chart) / frame.gap)
  const order = [...lines.keys()].sort((a, b) => Number(lines[b]?.strong) - Number(lines[a]?.strong))
  return order.slice(0, room).sort((a, b) => a - b)
}

/** Positions of names for line ends at these heights (0 to 1), moved where they would overlap or leave the chart, which has room for all of them. */
export function placeNames(heights: readonly number[], chart: number): number[] {
  const plot = plotOf(chart)
  const order = heights.map((height, line) => ({ line, y: fromTop(height, chart) })).sort((a, b) => a.y - b.y)
  const last = frame.top + plot - 4
  let least = frame.top
  for (const one of order) {
    one.y = Math.max(one.y, least)
    least = one.y + frame.gap
  }
  let most = last
  for (const one of order.toReversed()) {
    one.y = Math.min(one.y, most)
    most = one.y - frame.gap
  }
  const places: number[] = []
  for (const { line, y } of order) places[line] = y
  return places
}

export const colourOf = ({ own }: Line, index: number) => (own ? '--accent-text' : `--c-${(index % 10) + 1}`)
export const markOf = ({ own }: Line, index: number): string => (own ? ownMark : (marks[index % marks.length] as string))

/** Top of the axis of points: at most five round steps, the last one at or above the highest line. */
export function axisTop(lines: readonly Pick<Line, 'points'>[]): number {
  const most = Math.max(100, ...lines.map(({ points }) => points.at(-1)?.[1] ?? 0))
  const power = 10 ** Math.floor(Math.log10(most / 5))
  const step = power * ([1, 2, 2.5, 5].find((factor) => factor * power * 5 >= most) ?? 10)
  return Math.ceil(most / step) * step
}

/** Up to six days the clock, with the weekday at midnight and at both ends; in longer games the day. */
export function axisTime(at: number, { startsAt, endsAt }: Pick<BoardState, 'startsAt' | 'endsAt'>, language: string): string {
  if (endsAt - startsAt > 6 * 86_400_000) return formatTime(at, 'day', language)
  const date = new Date(at)
  const midnight = date.getHours() === 0 && date.getMinutes() === 0
  return formatTime(at, midnight || at === startsAt || at === endsAt ? 'weekClock' : 'clock', language)
}
