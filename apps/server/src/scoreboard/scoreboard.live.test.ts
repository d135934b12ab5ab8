/** Messages about the board that listeners of a game receive, and when. The board itself and the hub are fakes. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Live } from '../http/live.ts'
import { openInProcessBus } from '../ports/bus/in-process.ts'
import type { BoardState } from './board-requests.ts'
import type { Change } from './kept-board.ts'
import { liveBoards } from './scoreboard.live.ts'

const kept = vi.hoisted(() => ({
  changed: (_state: BoardState, _change: Change): void => undefined,
  listened: (): readonly number[] => [],
  source: {},
  hinted: [] as number[],
  moved: [] as number[],
}))
vi.mock('./board-client.ts', () => ({
  openBoardClient: ({ source, changed, listened }: Pick<typeof kept, 'source' | 'changed' | 'listened'>) => {
    Object.assign(kept, { source, changed, listened })
    return { hint: (gameId: number) => void kept.hinted.push(gameId), moved: (gameId: number) => void kept.moved.push(gameId) }
  },
}))

const startsAt = 1000
let sent: unknown[]
let now: number
let listeners: number
let bus: ReturnType<typeof openInProcessBus>
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  ;[sent, now, listeners] = [[], startsAt, 3]
  ;[kept.hinted, kept.moved] = [[], []]
  const live = {
    send: (to: unknown, target: string, argument: unknown) => void sent.push([to, target, argument]),
    count: (to: { hub: string; game: number }) => (to.hub === '/hub/user' && [1, 2, 7].includes(to.game) ? listeners : 0),
    gamesOf: (hub: string) => (hub === '/hub/user' ? [7, 8] : []),
  } as unknown as Live
  bus = openInProcessBus(() => undefined)
  const database = { source: { url: 'postgres://here' } }
  liveBoards({ database: database as never, bus, versions: { now: () => now } as never, onError: () => undefined }, live)
})
afterEach(() => void vi.useRealTimers())

const change = (what: object, gameId = 7) => kept.changed({ game: { id: gameId, startsAt } } as BoardState, what as Change)
const solve = (number: number, participation = 5) => [number, participation, 1, 'anna', 0, 0, 500]
const solves = (from: number, to: number, participation = 5, gameId = 7) =>
  change({ kind: 'solves', gameId, epoch: 2, from, to, solves: [solve(to, participation)] }, gameId)
const team = (participationId: number, name: string) => ({ participationId, name })
const log = (roster: number) => ({ gameId: 7, epoch: 2, head: 9, roster })
const names = (from: number, to: number, teams: object[], renamed: [string, string | null][] = []) =>
  change({ kind: 'roster', from, log: log(to), teams, solvers: new Map(renamed) })
const of = (gameId: number) => ({ hub: '/hub/user', game: gameId })
const taken = () => sent.splice(0)

test('solves are sent at once, as they are read', () => {
  solves(0, 1)
  change({ kind: 'solves', gameId: 7, epoch: 2, from: 1, to: 3, solves: [solve(2), solve(3)] })
  expect(taken()).toEqual([
    [of(7), 'VexilSolves', { gameId: 7, epoch: 2, from: 0, to: 1, solves: [solve(1)] }],
    [of(7), 'VexilSolves', { gameId: 7, epoch: 2, from: 1, to: 3, solves: [solve(2), solve(3)] }],
  ])
  vi.advanceTimersByTime(500)
  expect(taken()).toEqual([])
})

test('names are sent at once, then once a second: the last row of each team, and every step', () => {
  names(1, 2, [team(5, 'a')], [['anna', 'anne']])
  expect(taken()).toEqual([
    [
      of(7),
      'VexilRoster',
      { gameId: 7, epoch: 2, roster: 2, teams: [team(5, 'a')], steps: [{ from: 1, solvers: [['anna', 'anne']] }] },
    ],
  ])
  names(2, 3, [team(5, 'b'), team(6, 'x')])
  names(3, 4, [team(5, 'c')], [['anne', null]])
  vi.advanceTimersByTime(999)
  expect(taken()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(taken()).toEqual([
    [
      of(7),
      'VexilRoster',
      {
        gameId: 7,
        epoch: 2,
        roster: 4,
        teams: [team(5, 'c'), team(6, 'x')],
        steps: [
          { from: 2, solvers: [] },
          { from: 3, solvers: [['anne', null]] },
        ],
      },
    ],
  ])
})

test('a solve of a team with a pending row is sent after it, others do not wait', () => {
  names(1, 2, [team(5, 'a')])
  solves(0, 1)
  taken()
  vi.advanceTimersByTime(200)
  names(2, 3, [team(6, 'new'), team(8, 'new too')])
  names(3, 4, [team(9, 'another')])
  solves(1, 2)
  expect(taken().map((one) => (one as string[])[1])).toEqual(['VexilSolves'])
  vi.advanceTimersByTime(200)
  change({ kind: 'solves', epoch: 2, from: 2, to: 4, solves: [solve(3, 6), solve(4, 5)] })
  expect(taken().map((one) => (one as string[])[1])).toEqual(['VexilRoster', 'VexilSolves'])
  // What was sent early is not sent again.
  vi.advanceTimersByTime(5000)
  expect(taken()).toEqual([])
})

test('a redrawn board replaces pending changes; listeners reload spread over at most five seconds, by their number', () => {
  names(1, 2, [team(5, 'a')])
  solves(0, 1)
  taken()
  names(2, 3, [team(9, 'b')])
  change({ kind: 'drawn', log: log(3) })
  expect(taken()).toEqual([[of(7), 'VexilBoard', { gameId: 7, epoch: 2, head: 9, roster: 3, withinMs: 15 }]])
  vi.advanceTimersByTime(5000)
  expect(taken()).toEqual([])
  for (const [count, withinMs] of [
    [1000, 5000],
    [1001, 5000],
    [0, 0],
  ] as const) {
    listeners = count
    change({ kind: 'drawn', log: log(3) })
    expect(taken()).toMatchObject([[of(7), 'VexilBoard', { withinMs }]])
  }
})

test('nothing is sent before the start of the game, and games do not wait for each other', () => {
  now = startsAt - 1
  solves(0, 1)
  change({ kind: 'drawn', log: log(3) })
  vi.advanceTimersByTime(5000)
  expect(taken()).toEqual([])
  now = startsAt
  solves(1, 2)
  solves(0, 1, 5, 8)
  expect(taken()).toEqual([
    [of(7), 'VexilSolves', { gameId: 7, epoch: 2, from: 1, to: 2, solves: [solve(2)] }],
    [of(8), 'VexilSolves', { gameId: 8, epoch: 2, from: 0, to: 1, solves: [solve(1)] }],
  ])
})

test('a board is read again after each relevant event, but not after an answer without a new solve', async () => {
  bus.publish('submission.judged', { gameId: 1, submissionId: 1, solve: 4 })
  bus.publish('submission.judged', { gameId: 2, submissionId: 2, solve: null })
  bus.publish('game.changed', { gameId: 3 })
  bus.publish('challenge.changed', { gameId: 4, challengeId: 1 })
  bus.publish('participation.changed', { gameId: 5, participationId: 1 })
  bus.publish('notice.added', { gameId: 6, noticeId: 1 })
  await expect.poll(() => [kept.hinted, kept.moved]).toEqual([[1], [3, 4, 5]])
  expect(kept.listened()).toEqual([7, 8])
  expect(kept.source).toEqual({ url: 'postgres://here' })
})

const solved = async (gameId: number) => {
  bus.publish('submission.judged', { gameId, submissionId: 1, solve: 4 })
  await new Promise((received) => setImmediate(received))
}

test('a solve triggers a read at once, later ones within 100 ms are read together, separately for each game', async () => {
  for (let i = 0; i < 5; i++) await solved(1)
  await solved(2)
  expect(kept.hinted).toEqual([1, 2])
  vi.advanceTimersByTime(99)
  await solved(1)
  expect(kept.hinted).toEqual([1, 2])
  vi.advanceTimersByTime(1)
  expect(kept.hinted).toEqual([1, 2, 1])
  vi.advanceTimersByTime(500)
  expect(kept.hinted).toEqual([1, 2, 1])
  await solved(1)
  expect(kept.hinted).toEqual([1, 2, 1, 1])
})

test.each([
  [4000, 100],
  [8000, 200],
  [12_000, 300],
  [50_000, 300],
])('for %i listeners of a game solves are batched for %i ms', async (count, ms) => {
  listeners = count
  await solved(1)
  await solved(1)
  vi.advanceTimersByTime(ms - 1)
  expect(kept.hinted).toEqual([1])
  vi.advanceTimersByTime(1)
  expect(kept.hinted).toEqual([1, 1])
})
