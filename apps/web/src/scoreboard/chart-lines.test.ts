import { drawBoard, rowsOf } from '@vexil/core/scoreboard'
import { expect, test } from 'vitest'
import { formatTime } from '../ui/time/time.ts'
import {
  axisEnd,
  axisTime,
  axisTop,
  chartHeight,
  frame,
  fromTop,
  linesOf,
  namedLines,
  placeNames,
  sameLines,
} from './chart-lines.ts'

const { dialog: height, board } = chartHeight
const bottom = height - frame.bottom

test('names are placed at their lines where there is room', () => {
  expect(placeNames([0.9, 0.5], height)).toEqual([fromTop(0.9, height), fromTop(0.5, height)])
})

test('names that would overlap are moved apart, in the order of their lines and inside the chart', () => {
  for (const heights of [Array(11).fill(0.5), Array(11).fill(0), Array(11).fill(1), [0, 1, 0.02, 0.99, 0.5, 0.5]]) {
    const places = placeNames(heights, height)
    const order = heights.map((_: number, line: number) => line).sort((a: number, b: number) => heights[b] - heights[a])
    const sorted = order.map((line: number) => places[line]!)
    for (const [at, y] of sorted.entries()) {
      if (at > 0) expect(y - sorted[at - 1]!).toBeGreaterThan(12)
      expect(y).toBeGreaterThanOrEqual(frame.top)
      expect(y).toBeLessThanOrEqual(bottom)
    }
  }
})

test('a line begins at 0, rises with each solve and ends now; the own team and a chosen one are shown beside the first ten', () => {
  const ids = Array.from({ length: 15 }, (_, i) => i + 1)
  const team = (id: number) => ({ id, participationId: id, name: `T${id}`, bio: null, avatar: null, division: null })
  const solve = (number: number, challengeId: number) => ({
    number,
    participationId: number > 15 ? 1 : number,
    challengeId,
    userName: null,
    arrivedAt: number * 10,
    shownAt: number * 10,
  })
  const challenge = (id: number) => ({ id, title: 'C', category: 'Web' as const, values: [100, 100], bloodBonus: 0 })
  const board = drawBoard({
    startsAt: 0,
    endsAt: 1000,
    bloodBonus: 0,
    challenges: [challenge(1), challenge(2)],
    teams: ids.map(team),
    solves: [...ids.map((id) => solve(id, 1)), solve(16, 2)],
  })
  const own = rowsOf(board).find((row) => row.team.id === 13) ?? null
  const lines = linesOf({ rows: rowsOf(board), startsAt: 0 }, null, own, 15, 500)
  expect(lines.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 15])
  expect(lines.filter((line) => line.own).map(({ id }) => id)).toEqual([13])
  expect(lines.filter((line) => line.strong).map(({ id }) => id)).toEqual([1, 2, 3, 13, 15])
  expect(lines[0]?.points).toEqual([
    [0, 0],
    [10, 100],
    [160, 200],
    [500, 200],
  ])
})

test('a low chart names as many lines as it has room for, the strong ones first, in the order of the lines', () => {
  const lines = Array.from({ length: 12 }, (_, at) => ({ strong: at < 3 || at > 9 }))
  const room = Math.floor((board - frame.top - frame.bottom) / frame.gap)
  expect(room).toBe(7)
  expect(namedLines(lines, board)).toEqual([0, 1, 2, 3, 4, 10, 11])
  expect(namedLines(lines, height)).toHaveLength(12)
  expect(namedLines([], board)).toEqual([])
})

test.each([
  [0, 100],
  [100, 100],
  [101, 125],
  [400, 400],
  [401, 500],
  [500, 500],
  [999, 1000],
  [1350, 1500],
  [4001, 5000],
  [8000, 8000],
  [8001, 10_000],
  [10_001, 12_500],
  [39_000, 40_000],
])('the axis of points for at most %i points ends at %i', (most, top) => {
  const line = (points: number) => ({ points: [[0, 0] as const, [1, points / 2] as const, [2, points] as const] })
  expect(axisTop([line(most), line(0)])).toBe(top)
  expect(axisTop([])).toBe(100)
})

test('SB-22 until half time the axis ends now; later, or on request, it ends with the game', () => {
  const game = { startsAt: 0, endsAt: 48 * hour }
  expect(axisEnd(game, { running: true, until: 2 * hour, whole: false })).toBe(2 * hour)
  expect(axisEnd(game, { running: true, until: 2 * hour, whole: true })).toBe(48 * hour)
  expect(axisEnd(game, { running: true, until: 24 * hour, whole: false })).toBe(48 * hour)
  expect(axisEnd(game, { running: false, until: 2 * hour, whole: false })).toBe(48 * hour)
  // Even in the first minutes the axis has a minimum length.
  expect(axisEnd(game, { running: true, until: 1000, whole: false })).toBe(10 * 60_000)
})
const hour = 3_600_000

test('SB-23 lines count as equal while nothing in them changed', () => {
  const line = {
    id: 1,
    name: 'A',
    own: false,
    strong: false,
    points: [
      [0, 0],
      [5, 100],
    ] as const,
  }
  expect(
    sameLines(
      [line],
      [
        {
          ...line,
          points: [
            [0, 0],
            [5, 100],
          ],
        },
      ],
    ),
  ).toBe(true)
  for (const other of [
    { id: 2 },
    { name: 'B' },
    { own: true },
    { strong: true },
    ...[[[5, 101]], [[6, 100]], [], [...line.points.slice(1), [6, 100]]].map((rest) => ({ points: [[0, 0], ...rest] as never })),
  ])
    expect(sameLines([line], [{ ...line, ...other }])).toBe(false)
  expect(sameLines([line], [line, line])).toBe(false)
})

test('the axis has the clock, with the weekday at midnight and at both ends; in games of more than six days the day', () => {
  const at = (hours: number, minutes = 0) => new Date(2026, 0, 5, hours, minutes).getTime()
  const game = { startsAt: at(9, 30), endsAt: at(9, 30) + 6 * 24 * hour }
  const styles = { clock: [12, 24.5, 25], weekClock: [24, 48, 9.5, 9.5 + 6 * 24] }
  for (const [style, hours] of Object.entries(styles))
    for (const one of hours)
      expect([one, axisTime(at(0, one * 60), game, 'ja_JP')]).toEqual([
        one,
        formatTime(at(0, one * 60), style as 'clock', 'ja_JP'),
      ])
  expect(axisTime(at(24), { ...game, endsAt: game.endsAt + 1 }, 'ja_JP')).toBe(formatTime(at(24), 'day', 'ja_JP'))
})
