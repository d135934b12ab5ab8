import type { BoardRow } from '@vexil/core/scoreboard'
import { expect, test } from 'vitest'
import { latestSolves } from './latest-solves.ts'

const row = (id: number, times: readonly number[]) =>
  ({
    team: { id, name: `T${id}` },
    solves: times.map((time, i) => ({ challengeId: i, time, type: 'Normal' })),
  }) as unknown as BoardRow
const shown = (rows: readonly BoardRow[], most: number) => latestSolves(rows, most).map(({ team, time }) => [team.id, time])

test('the newest solves of all teams come first, at most as many as asked', () => {
  const rows = [row(1, [10, 40, 70]), row(2, []), row(3, [20, 50]), row(4, [30, 60])]
  expect(shown(rows, 4)).toEqual([
    [1, 70],
    [4, 60],
    [3, 50],
    [1, 40],
  ])
  expect(shown(rows, 10)).toHaveLength(7)
  expect(shown([], 3)).toEqual([])
})

test('of solves at the same time the better team comes first', () => {
  expect(shown([row(1, [10]), row(2, [10]), row(3, [10])], 2)).toEqual([
    [1, 10],
    [2, 10],
  ])
})
