import type { BoardRow } from '@vexil/core/scoreboard'
import { expect, test } from 'vitest'
import { courseOf, mostSolves } from './team-course.ts'

/** Solves as [number in the log, points]; each is a second after the one before. */
const row = (id: number, ...solves: readonly (readonly [number, number])[]) =>
  ({
    team: { participationId: id },
    solves: solves.map(([number, points]) => ({ number, points, time: number * 1000 })),
  }) as never as BoardRow
const said = (rows: BoardRow[], own: BoardRow) => courseOf(rows, own).map(({ at, points, rank }) => [at / 1000, points, rank])

test('SD-4 a team falls when another passes it and rises with its own solves; with equal points the earlier one is ahead', () => {
  const own = row(1, [2, 100], [6, 150])
  const rows = [own, row(2, [1, 100], [7, 149]), row(3, [3, 100], [5, 10]), row(4, [4, 50], [8, 300]), row(5)]
  expect(said(rows, own)).toEqual([
    // Behind the team that reached as many points earlier; one that reaches them later changes nothing.
    [2, 100, 2],
    [5, 100, 3],
    [6, 250, 1],
    [8, 250, 2],
  ])
  const late = row(3, [3, 100], [5, 10])
  expect(said([...rows.slice(0, 2), late, ...rows.slice(3)], late)[0]).toEqual([3, 100, 3])
  expect(courseOf(rows, row(5))).toEqual([])
})

test('SD-4 in a board of very many solves only the points are computed', () => {
  const own = row(1, [1, 5], [3, 7])
  const other = row(2, ...Array.from({ length: mostSolves - 2 }, (_, at) => [at + 4, 1] as const))
  expect(courseOf([own, other], own).at(-1)?.rank).toBe(2)
  expect(said([own, row(3, [2, 9]), other], own)).toEqual([
    [1, 5, null],
    [3, 12, null],
  ])
})
