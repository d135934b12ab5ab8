import type { BoardSolves } from '@vexil/contract/live'
import { expect, test } from 'vitest'
import type { Facts } from '../../apps/server/src/scoreboard/board-facts.queries.ts'
import { appendSolves, drawKept } from '../../apps/server/src/scoreboard/kept-board.ts'
import { scoreboardView } from '../../apps/server/src/scoreboard/scoreboard.view.ts'
import { wrongBoards, wrongSolves } from './board-check.ts'

const curve = { originalScore: 500, minScoreRate: 0.25, difficulty: 3 }
const team = (participationId: number) => ({
  id: participationId + 100,
  participationId,
  name: `Team ${participationId}`,
  bio: null,
  avatar: null,
  division: null,
})
const solve = (number: number, participationId: number, challengeId: number) => ({
  ...{ number, participationId, challengeId, userName: 'ada', accountId: 'a' },
  ...{ arrivedAt: 1000 + number, shownAt: 1000 + number },
})
const facts = {
  log: { gameId: 1, epoch: 4, head: 3, roster: 1, changedAt: 1003 },
  game: { id: 1, title: 'Game', startsAt: 0, endsAt: 10_000, bloodBonus: 0 },
  challenges: [7, 8].map((id) => ({
    ...{ id, title: 'C', category: 'Web', type: 'StaticAttachment' },
    bloodBonus: null,
    curve,
    enabledAt: 0,
  })),
  teams: [team(1), team(2), team(3)],
  solves: [solve(1, 1, 7), solve(2, 2, 7), solve(3, 2, 8)],
} as unknown as Facts

const until = (head: number) => ({ ...facts, log: { ...facts.log, head }, solves: facts.solves.slice(0, head) })
const board = (head: number) => JSON.parse(JSON.stringify(scoreboardView(drawKept(until(head)))))
function message(from: number, to: number): BoardSolves {
  const change = appendSolves(drawKept(until(from)), { ...facts.log, head: to }, facts.solves.slice(from, to))
  if (change?.kind !== 'solves') throw new Error('no solves')
  const { kind: _, ...solves } = change
  return solves
}

test('boards and messages of every place in the log are right', () => {
  expect(wrongBoards(facts, [0, 1, 2, 3].map(board))).toEqual([])
  expect(wrongSolves(facts, [message(0, 1), message(0, 3), message(1, 2), message(2, 3)])).toEqual([])
})

test('a board with other points, ranks or solves, or with more solves than the log, is wrong', () => {
  const changed = (change: (one: ReturnType<typeof board>) => void) => {
    const one = board(3)
    change(one)
    return wrongBoards(facts, [one]).length
  }
  expect(changed(({ items }) => items[0].score++)).toBe(1)
  expect(changed(({ items }) => (items[1].rank = 1))).toBe(1)
  expect(changed(({ items }) => items[0].solvedChallenges.reverse())).toBe(1)
  expect(changed(({ items }) => items[1].solvedCount++)).toBe(1)
  expect(wrongBoards(until(2), [board(3)])).toHaveLength(1)
})

test('a message with another solve, score, number or epoch, or beyond the log, is wrong', () => {
  const right = message(1, 3)
  const [first, second] = right.solves as [BoardSolves['solves'][0], BoardSolves['solves'][0]]
  const wrong: BoardSolves[] = [
    { ...right, solves: [first] },
    { ...right, solves: [second, first] },
    { ...right, from: 0 },
    { ...right, epoch: 5 },
    { ...right, solves: [[...first.slice(0, 6), 1] as unknown as typeof first, second] },
  ]
  expect(wrongSolves(facts, wrong)).toHaveLength(wrong.length)
  expect(wrongSolves(until(2), [right])).toHaveLength(1)
})
