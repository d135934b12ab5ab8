import type { StartRow } from '@vexil/contract/scoreboard'
import { type BoardRow, drawBoard, rowsOf } from '@vexil/core/scoreboard'
import { submissionTypes } from '@vexil/core/vocabulary'
import { expect, test } from 'vitest'
import type { KeptBoard } from './kept-board.ts'
import { startRowView, startView } from './start.view.ts'

const game = { id: 7, title: 'g', startsAt: 1000, endsAt: 1_000_000, bloodBonus: 52_459_530 }
const challenge = { id: 1, title: 'c', category: 'Misc', values: [500, 500, 480], bloodBonus: 5 } as const
const teams = Array.from({ length: 130 }, (_, i) => {
  return { id: 1000 - i, participationId: i + 1, name: `t${i}`, bio: null, avatar: null, division: i === 129 ? 'last' : null }
})
const solve = (number: number) => {
  return { number, participationId: number, challengeId: 1, userName: 'u', arrivedAt: 2000 + number, shownAt: 2001 + number }
}
const board = drawBoard({ ...game, challenges: [challenge], teams, solves: [solve(1), solve(2), solve(130)] })
const log = { gameId: 7, epoch: 3, head: 130, roster: 5, changedAt: 77 }
const kept = { game, board, challenges: new Map([[1, challenge]]), log } as unknown as KeptBoard

const shown = (row: StartRow | null) =>
  row && {
    ...row,
    solves: row.solves.map(([number, challengeId, points, type, userName, arrivedAt, time]) => {
      return { number, challengeId, points, type: submissionTypes[type], userName, arrivedAt, time }
    }),
  }
const drawn = ({ lastAt: _, solves, ...row }: BoardRow) => ({
  ...row,
  solves: solves.map(({ number, challengeId, points, type, userName, arrivedAt, time }) => {
    return { number, challengeId, points, type, userName, arrivedAt, time }
  }),
})

test('the start of a board has its first hundred rows, the total number of teams and the points of the challenges', () => {
  const { rows, ...start } = startView(kept)
  expect(rows.map(shown)).toEqual(rowsOf(board).slice(0, 100).map(drawn))
  expect(start).toEqual({
    ...{ epoch: 3, head: 130, roster: 5, startsAt: 1000, endsAt: 1_000_000, changedAt: 77, bloodBonus: game.bloodBonus },
    divisions: ['last'],
    teamCount: 130,
    challenges: [{ id: 1, title: 'c', category: 'Misc', bloodBonus: 5, value: 480, solved: 3 }],
  })
})

test('a row is found by team id at any place, not by participation id, and not for a team of another game', () => {
  const last = rowsOf(board).at(-1) as BoardRow
  expect(shown(startRowView(kept, last.team.id).row)).toEqual(drawn(last))
  expect(startRowView(kept, 130)).toEqual({ row: null })
  expect(startRowView(kept, 1001)).toEqual({ row: null })
})
