import { expect, test } from 'vitest'
import { feed, minute } from '../../test/in-game.tsx'
import { applyRoster, applySolves, type BoardState, openFeed } from '../api/board.ts'
import { momentText, openReplay, readMomentText, shownBy, stepOf } from './replay.ts'

const solves = [
  [1, 0, 10],
  [2, 0, 12],
  [2, 1, 12],
  [0, 0, 30],
  [1, 1, 45],
] as const
const startsAt = Date.now() - 60 * minute
const whole = feed(solves, { startsAt, changedAt: startsAt + 45 * minute })
const at = (minutes: number) => startsAt + minutes * minute
/** The visible part of a board. */
const seen = ({ rows, columns, changedAt }: BoardState) => ({
  rows: rows.map(({ team, rank, points, solves }) => [
    team.name,
    rank,
    points,
    solves.map(({ challengeId, points, type }) => [challengeId, points, type]),
  ]),
  columns: columns.map(({ id, value, solved, bloods }) => [id, value, solved, bloods.map(({ team }) => team.name)]),
  changedAt,
})
/** The board of a game after its first `count` solves. */
const drawn = (count: number) => {
  const head = solves.slice(0, count)
  return seen({
    ...openFeed(feed(head, { startsAt })),
    changedAt: at(head.at(-1)?.[2] ?? 0),
  })
}

test('the board at a moment is the past one: scores, ranks, marks and its last change, forwards and backwards', () => {
  const state = openFeed(whole)
  const newest = seen(state)
  const replay = openReplay()
  for (const [minutes, count] of [
    [60, 5],
    [11, 1],
    [12, 3],
    [29.9, 3],
    [45, 5],
    [30, 4],
    [0, 0],
    [10, 1],
  ] as const)
    expect([minutes, seen(replay(state, at(minutes)))]).toEqual([minutes, drawn(count)])
  // The live board is unchanged.
  expect(seen(state)).toEqual(newest)
})

test('only the newest board marks recent moves', () => {
  const message = { gameId: 3, epoch: 1, from: 5, to: 6, solves: [[6, 13, 9, 'bob', at(50), at(50), 480]] } as const
  const state = applySolves(openFeed(whole), message as never, Date.now()) as BoardState
  expect(state.recent.size).toBe(1)
  const then = openReplay()(state, at(60))
  expect([then.recent.size, then.moves.size]).toEqual([0, 0])
  expect(seen(then)).toEqual(seen(state))
})

test('a solve that arrives during a replay appears from its own moment on', () => {
  const replay = openReplay()
  const first = openFeed(whole)
  replay(first, at(46))
  const message = { gameId: 3, epoch: 1, from: 5, to: 6, solves: [[6, 13, 9, 'bob', at(50), at(50), 480]] } as const
  const state = applySolves(first, message as never, Date.now()) as BoardState
  expect(seen(replay(state, at(49)))).toEqual(drawn(5))
  expect(seen(replay(state, at(50)))).toEqual(seen(state))
})

test('after a new name or a change of points, the replay shows the new board', () => {
  const replay = openReplay()
  const state = openFeed(whole)
  replay(state, at(20))
  const danes = state.rows.find(({ team }) => team.name === 'Danes')?.team
  const renamed = applyRoster(state, {
    gameId: 3,
    epoch: 1,
    roster: 2,
    teams: [{ ...danes, name: 'Vikings' }],
    steps: [{ from: 1, solvers: [] }],
  } as never) as BoardState
  expect(replay(renamed, at(20)).rows.map(({ team }) => team.name)).toEqual(['Blue', 'Red', 'Vikings'])
  const other = openFeed({ ...feed([[0, 2, 5]], { startsAt }), epoch: 2 })
  expect(replay(other, at(20)).rows.map(({ team, points }) => [team.name, points])).toEqual([
    ['Danes', 480],
    ['Red', 0],
    ['Blue', 0],
  ])
})

test('a solve belongs to its moment; several solves may share one', () => {
  const log = [10, 20, 20, 30].map((shownAt) => ({ shownAt })) as never
  expect([9, 10, 19, 20, 29, 30, 31].map((moment) => shownBy(log, moment))).toEqual([0, 1, 1, 3, 3, 4, 4])
  expect(shownBy([], 5)).toBe(0)
})

test('an arrow key moves by a second in half an hour, a minute in a day, half an hour in a month', () => {
  const hour = 60 * minute
  expect([0, 25 * minute, 26 * minute, 24 * hour, 48 * hour, 100 * hour, 30 * 24 * hour, 365 * 24 * hour].map(stepOf)).toEqual([
    1000,
    1000,
    5000,
    minute,
    2 * minute,
    5 * minute,
    30 * minute,
    hour,
  ])
})

test('a moment in an address is a second of the game and includes that whole second', () => {
  const game = { startsAt: Date.UTC(2026, 0, 1, 10, 0, 0, 500), endsAt: Date.UTC(2026, 0, 1, 12, 0, 0, 250) }
  const read = (text: string | null) => readMomentText(text, game)
  expect(momentText(game.startsAt + 1700)).toBe('2026-01-01T10:00:02Z')
  expect(read('2026-01-01T10:30:00Z')).toBe(Date.UTC(2026, 0, 1, 10, 30, 0, 999))
  expect(read(momentText(game.startsAt))).toBe(Date.UTC(2026, 0, 1, 10, 0, 0, 999))
  expect(read(momentText(game.endsAt))).toBe(game.endsAt)
  for (const none of [
    null,
    '',
    '1767261600000',
    '2026-01-01',
    '2026-01-01T09:59:59Z',
    '2026-01-01T12:00:01Z',
    '2026-13-01T10:00:00Z',
    '2026-01-01T11:00:00+00:00',
    ' 2026-01-01T11:00:00Z',
    '2026-01-01T11:00:00Z (UTC)',
  ])
    expect([none, read(none)]).toEqual([none, null])
  const exact = { startsAt: Date.UTC(2026, 0, 1, 10), endsAt: Date.UTC(2026, 0, 1, 12) }
  expect(readMomentText('2026-01-01T12:00:00Z', exact)).toBe(exact.endsAt)
  expect(readMomentText('2026-01-01T09:59:59Z', exact)).toBeNull()
})
