import type { BoardRoster, BoardSolves } from '@vexil/contract/live'
import { expect, test } from 'vitest'
import type { Facts } from '../../apps/server/src/scoreboard/board-facts.queries.ts'
import { feedView, tailView } from '../../apps/server/src/scoreboard/feed.view.ts'
import { appendSolves, drawKept } from '../../apps/server/src/scoreboard/kept-board.ts'
import { scoreboardView } from '../../apps/server/src/scoreboard/scoreboard.view.ts'
import { wrongBoards, wrongChanges, wrongFeeds, wrongRosters, wrongSolves } from './board-check.ts'

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

/** A log that extends beyond the first cut of the feed, at 512. */
const long = {
  ...facts,
  log: { ...facts.log, head: 600 },
  teams: Array.from({ length: 600 }, (_, place) => team(place + 1)),
  solves: Array.from({ length: 600 }, (_, place) => solve(place + 1, place + 1, 7 + (place % 2))),
}
const base = () => structuredClone(feedView(drawKept(long)))

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

test('a feed and its tail of every place in the log are right, also before other teams joined', () => {
  const early = { ...facts, log: { ...facts.log, roster: 0 }, teams: facts.teams.slice(0, 2) }
  const tails = [0, 1, 2, 3].map((head) => tailView(drawKept(until(head)), 0))
  expect(wrongFeeds(long, [base(), tailView(drawKept(long), 512)])).toEqual([])
  expect(wrongFeeds(facts, [...tails, feedView(drawKept(early)), tailView(drawKept(early), 0)])).toEqual([])
})

test('a feed with another solve, value, time, team or challenge, or beyond the log, is wrong', () => {
  const changed = (change: (one: ReturnType<typeof base>) => void) => {
    const one = base()
    change(one)
    return wrongFeeds(long, [one]).length
  }
  expect(changed(({ solves }) => solves.team.reverse())).toBe(1)
  expect(changed(({ solves }) => solves.after[3]!++)).toBe(1)
  expect(changed(({ solves }) => solves.raised[3]!++)).toBe(1)
  expect(changed(({ challenges }) => challenges.values[0]![2]!++)).toBe(1)
  expect(changed(({ challenges }) => challenges.title.fill('Other'))).toBe(1)
  expect(changed(({ teams }) => (teams.name[5] = 'Other'))).toBe(1)
  expect(changed((one) => one.epoch++)).toBe(1)
  expect(changed((one) => (one.roster = 2))).toBe(1)
  expect(wrongFeeds(facts, [base()])).toHaveLength(1)
})

test('a tail with another solve or beyond the log is wrong, and one with a team that its feed lacks', () => {
  const tail = tailView(drawKept(facts), 0)
  expect(wrongFeeds(facts, [{ ...tail, solves: tail.solves.slice(1) }])).toHaveLength(1)
  expect(wrongFeeds(until(2), [tail])).toHaveLength(1)
  const lacking = feedView(drawKept({ ...until(0), teams: facts.teams.slice(1) }))
  expect(wrongFeeds(facts, [lacking, tail])).toHaveLength(1)
  expect(wrongFeeds(facts, [lacking, { ...tail, roster: 0 }])).toHaveLength(0)
})

test('an announced board of another epoch, or beyond the log or its roster, is wrong', () => {
  const right = { gameId: 1, epoch: 4, head: 3, roster: 1, withinMs: 0 }
  expect(wrongChanges(facts, [right, { ...right, head: 1, roster: 0 }])).toEqual([])
  expect(
    wrongChanges(facts, [
      { ...right, epoch: 3 },
      { ...right, head: 4 },
      { ...right, roster: 2 },
    ]),
  ).toHaveLength(3)
})

test('a roster with a team or a name that is not stored is wrong', () => {
  const right: BoardRoster = { gameId: 1, epoch: 4, roster: 1, steps: [{ from: 0, solvers: [['old', 'ada']] }], teams: [team(2)] }
  const wrong: BoardRoster[] = [
    { ...right, epoch: 5 },
    { ...right, roster: 2 },
    { ...right, steps: [{ from: 0, solvers: [['old', 'eve']] }] },
    { ...right, teams: [{ ...team(2), name: 'Other' }] },
    { ...right, teams: [team(4)] },
  ]
  expect(wrongRosters(facts, [right])).toEqual([])
  expect(wrongRosters(facts, wrong)).toHaveLength(wrong.length)
})
