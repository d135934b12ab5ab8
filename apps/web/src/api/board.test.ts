import type { Feed } from '@vexil/contract/scoreboard'
import { expect, test } from 'vitest'
import { addTail, applyRoster, applySolves, isBehind, latest, openFeed } from './board.ts'

const feed: Feed = {
  gameId: 1,
  epoch: 4,
  head: 1,
  roster: 0,
  startsAt: 1_000,
  endsAt: 100_000,
  changedAt: 2_000,
  bloodBonus: 52459530,
  divisions: ['A'],
  challenges: { id: [7], title: ['c'], category: [3], bloodBonus: [null], values: [[1000, 1000, 864]] },
  teams: {
    id: [11, 12],
    participationId: [1, 2],
    name: ['one', 'two'],
    bio: [null, null],
    avatar: [null, null],
    division: [0, -1],
  },
  users: ['ann'],
  solves: { number: [1], team: [0], challenge: [0], user: [0], after: [500], raised: [0] },
}
const second = { gameId: 1, epoch: 4, from: 1, to: 2, solves: [[2, 2, 7, 'bob', 3_000, 3_000, 864]] } as const

test('LIVE-4 a solve message updates the board in place', () => {
  const state = applySolves(openFeed(feed), second, 0)
  expect(state?.head).toBe(2)
  expect(state!.rows.map(({ team, points }) => [team.name, points])).toEqual([
    ['one', 907],
    ['two', 890],
  ])
})

test('a solve marks its row, and those whose rank it changes, for fifteen seconds; each solve starts the mark again', () => {
  const values = [1000, 1000, 864]
  const challenges = {
    id: [7, 8, 9],
    title: ['c', 'd', 'e'],
    category: [3, 3, 3],
    bloodBonus: [null, null, null],
    values: [values, values, values],
  }
  const state = applySolves(openFeed({ ...feed, challenges }), second, 1000)!
  expect([...state.recent]).toEqual([[2, { challengeId: 7, at: 1000, again: false }]])
  expect(state.moves.size).toBe(0)
  const third = { ...second, from: 2, to: 3, solves: [[3, 2, 8, 'bob', 4_000, 4_000, 1000]] } as const
  const overtaken = applySolves(state, third, 15_999)!
  expect(overtaken.rows.map(({ team }) => team.name)).toEqual(['two', 'one'])
  expect([...overtaken.recent]).toEqual([[2, { challengeId: 8, at: 15_999, again: true }]])
  expect([...overtaken.moves].toSorted(([a], [b]) => a - b)).toEqual([
    [1, { places: -1, at: 15_999 }],
    [2, { places: 1, at: 15_999 }],
  ])
  const fourth = { ...second, from: 3, to: 4, solves: [[4, 1, 8, 'ann', 5_000, 5_000, 864]] } as const
  expect([...applySolves(overtaken, fourth, 30_998)!.recent.keys()].toSorted()).toEqual([1, 2])
  const faded = applySolves(overtaken, fourth, 30_999)!
  expect([...faded.recent.keys()]).toEqual([1])
  expect(faded.recent.get(1)?.again).toBe(false)
  expect([...faded.moves.values()].every(({ at }) => at === 30_999)).toBe(true)
  // A solve of the leader moves no row.
  const lead = { ...second, from: 3, to: 4, solves: [[4, 2, 9, 'bob', 5_000, 5_000, 1000]] } as const
  expect(applySolves(overtaken, lead, 30_998)!.moves).toEqual(overtaken.moves)
  expect(applySolves(overtaken, lead, 30_999)!.moves.size).toBe(0)
})

test('the tail of a feed updates the board without marks, as messages would; it may start before the end of the feed', () => {
  const [first] = openFeed(feed).engine.columns.values()
  expect(first?.entries).toHaveLength(1)
  const earlier = [1, 2, 7, 'not again', 2_000, 2_000, 1000] as [number, number, number, string, number, number, number]
  const tail = { ...second, roster: 0, from: 0, solves: [earlier, ...second.solves.map((row) => [...row] as typeof earlier)] }
  const state = addTail(openFeed(feed), tail)!
  expect(state.rows).toEqual(applySolves(openFeed(feed), second, 0)!.rows)
  expect([state.head, state.changedAt, state.recent.size, state.moves.size]).toEqual([2, 3_000, 0, 0])
  // Something else has changed after that solve.
  expect(addTail(openFeed({ ...feed, changedAt: 9_000 }), tail)?.changedAt).toBe(9_000)
})

test('a tail of another feed is refused: another roster, another epoch, or one that begins later', () => {
  const tail = { ...second, roster: 0, solves: [] }
  for (const other of [{ roster: 1 }, { epoch: 5 }, { from: 2 }])
    expect(addTail(openFeed(feed), { ...tail, ...other })).toBeNull()
  const empty = openFeed(feed)
  expect(addTail(empty, { ...tail, from: 1, to: 1 })).toBe(empty)
})

test('LIVE-3 a repeated message changes nothing', () => {
  const state = applySolves(openFeed(feed), second, 0)!
  expect(applySolves(state, second, 0)).toBe(state)
})

test('a gap or another epoch requests the feed again', () => {
  expect(applySolves(openFeed(feed), { ...second, from: 5, to: 6 }, 0)).toBeNull()
  expect(applySolves(openFeed(feed), { ...second, epoch: 5 }, 0)).toBeNull()
})

test('a newly accepted team gets a row', () => {
  const state = applyRoster(openFeed(feed), {
    gameId: 1,
    epoch: 4,
    roster: 1,
    steps: [{ from: 0, solvers: [] }],
    teams: [{ id: 13, participationId: 3, name: 'three', bio: null, avatar: null, division: 'B' }],
  })
  expect(state!.rows).toHaveLength(3)
  expect(state?.divisions).toEqual(['A', 'B'])
})

const named = (state: ReturnType<typeof openFeed> | null) =>
  state?.rows.flatMap(({ solves }) => solves.map(({ userName }) => userName))

test('solvers get their new names step by step from the known roster; two may have exchanged names', () => {
  const state = applySolves(openFeed(feed), second, 0)!
  const [one, two] = named(state) as [string, string]
  const roster = { gameId: 1, epoch: state.epoch, teams: [] }
  const exchange = { from: 0, solvers: [[one, two] as const, [two, one] as const] }
  const deletion = { from: 1, solvers: [[two, null] as const] }
  const exchanged = applyRoster(state, { ...roster, roster: 1, steps: [exchange] })
  expect(named(exchanged)).toEqual([two, one])
  const deleted = applyRoster(exchanged!, { ...roster, roster: 2, steps: [exchange, deletion] })
  expect(named(deleted)).toEqual([null, one])
  expect(deleted?.roster).toBe(2)
  // Applying the exchange a second time would undo it.
  expect(applyRoster(deleted!, { ...roster, roster: 2, steps: [exchange, deletion] })).toBe(deleted)
})

test('missed names, or names of another epoch, request the feed again', () => {
  const state = openFeed(feed)
  const roster = { gameId: 1, epoch: state.epoch, roster: 9, teams: [], steps: [{ from: 8, solvers: [] }] }
  expect(applyRoster(state, roster)).toBeNull()
  expect(applyRoster(state, { ...roster, epoch: 5, steps: [{ from: 0, solvers: [] }] })).toBeNull()
})

test('the numbers of another board do not continue those before it', () => {
  const state = { epoch: 4, head: 1, roster: 0 }
  expect(isBehind(state, latest({ epoch: 3, head: 5, roster: 2 }, state))).toBe(false)
})

test.each([
  ['more solves', { epoch: 3, head: 6 }],
  ['other names', { epoch: 3, roster: 3 }],
  ['another board', { epoch: 4 }],
])('a feed is behind after a message of %s, also if an older message follows', (_, message) => {
  const state = { epoch: 3, head: 5, roster: 2 }
  expect(isBehind(state, latest(state, message))).toBe(true)
  for (const old of [
    { epoch: 3, head: 5 },
    { epoch: 3, roster: 2 },
    { epoch: 2, head: 9, roster: 9 },
  ]) {
    expect(isBehind(state, latest(state, old))).toBe(false)
    expect(isBehind(state, latest(latest(state, message), old))).toBe(true)
  }
})
