/** When a kept board is drawn, extended, patched and dropped. The facts are in memory; the clock is fake. */

import { rowsOf } from '@vexil/core/scoreboard'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Facts, LoggedSolve } from './board-facts.queries.ts'
import { type BoardKeeper, openBoardKeeper } from './board-keeper.ts'
import { clock } from './clock.ts'
import type { Change, KeptBoard } from './kept-board.ts'

const calls = vi.hoisted(() => ({
  facts: new Map<number, Facts & { names: Map<string, string> }>(),
  /** The queries and their games, in order. */
  queries: [] as string[],
  fails: false,
  /** The game whose facts cannot be read. */
  broken: 0,
  /** The facts are answered after this has resolved. */
  held: null as Promise<void> | null,
  /** The logs are answered after this has resolved. */
  heldLogs: null as Promise<void> | null,
}))
vi.mock('./board-facts.queries.ts', () => {
  const note = (query: string, game: number | readonly number[]) => {
    if (calls.fails) throw new Error('the database is unreachable')
    if (query === 'facts' && game === calls.broken) throw new Error(`game ${game} cannot be read`)
    calls.queries.push(`${query} ${game}`)
  }
  const above = (game: number, head: number) => {
    const found = calls.facts.get(game)
    return found ? { ...found, solves: found.solves.filter(({ number }) => number > head) } : null
  }
  return {
    readFacts: async (_db: unknown, game: number) => {
      note('facts', game)
      const found = calls.facts.get(game) ?? null
      await calls.held
      return found
    },
    findSolvesAbove: async (_db: unknown, game: number, head: number) => {
      note('solves', game)
      return above(game, head)
    },
    readRoster: async (_db: unknown, game: number, head: number) => {
      note('roster', game)
      const found = above(game, head)
      return found && { ...found, solvers: found.names }
    },
    findLogs: async (_db: unknown, games: readonly number[]) => {
      note('logs', games)
      await calls.heldLogs
      return games.flatMap((game) => calls.facts.get(game)?.log ?? [])
    },
  }
})

const endsAt = 1_000_000
const team = (id: number, more: object = {}) => ({
  id,
  participationId: id,
  name: `t${id}`,
  bio: null,
  avatar: null,
  division: null,
  ...more,
})
const solve = (number: number, participationId: number, more: Partial<LoggedSolve> = {}): LoggedSolve => ({
  number,
  participationId,
  challengeId: 1,
  accountId: `a${participationId}`,
  userName: `u${participationId}`,
  arrivedAt: number,
  shownAt: number,
  ...more,
})
/** Two teams; the first has solved the only challenge. */
const scene = (id: number): Facts & { names: Map<string, string> } => ({
  log: { gameId: id, epoch: 1, head: 1, roster: 1, changedAt: 0 },
  game: { id, title: `g${id}`, startsAt: 0, endsAt, bloodBonus: 0 },
  challenges: [
    {
      id: 1,
      title: 'c',
      category: 'Misc',
      type: 'StaticAttachment',
      bloodBonus: null,
      curve: { originalScore: 1000, minScoreRate: 0.25, difficulty: 5 },
      enabledAt: 0,
    },
  ],
  teams: [team(1), team(2)],
  solves: [solve(1, 1)],
  names: new Map([['a1', 'u1']]),
})
const move = (game: number, log: Partial<Facts['log']>, more: Partial<ReturnType<typeof scene>> = {}) => {
  const old = calls.facts.get(game) as ReturnType<typeof scene>
  calls.facts.set(game, { ...old, ...more, log: { ...old.log, ...log } })
}
const queries = () => calls.queries.splice(0)

let boards: BoardKeeper
let changes: [number, Change][]
let removed: number[]
let reported: unknown[]
let drawn: number[]
let checked: number[]
let checkedFrom: number
beforeEach(() => {
  calls.broken = 0
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  Object.assign(calls, { queries: [], fails: false, held: null, heldLogs: null })
  calls.facts = new Map([7, 8].map((id) => [id, scene(id)]))
  ;[changes, removed, reported, drawn, checked] = [[], [], [], [], []]
  boards = openBoardKeeper({
    db: {} as never,
    changed: ({ game }, change) => changes.push([game.id, change]),
    removed: (gameId) => removed.push(gameId),
    onError: (error) => reported.push(error),
    drew: (ms) => drawn.push(ms),
    checked: (count, begun) => {
      checked.push(count)
      checkedFrom = begun
    },
  })
})
afterEach(() => {
  boards.close()
  vi.useRealTimers()
})
const turn = () => new Promise((done) => setImmediate(done))
/** Moves the clock; the poll checks the logs four times a second. */
const pass = async (ms: number) => {
  for (let left = ms; left > 0; left -= 250) {
    vi.advanceTimersByTime(Math.min(250, left))
    await turn()
    await turn()
  }
}
const standings = (kept: KeptBoard | null) =>
  kept && rowsOf(kept.board).map(({ team: { id }, rank, points, solves }) => [id, rank, points, solves.length])

test('a board is drawn once, for the first request; later and concurrent requests get the same', async () => {
  const [one, same] = await Promise.all([boards.get(7), boards.get(7)])
  expect(standings(one)).toEqual([
    [1, 1, 1000, 1],
    [2, 2, 0, 0],
  ])
  expect([same, await boards.get(7)]).toEqual([one, one])
  expect(queries()).toEqual(['facts 7'])
  expect([one?.log, [...(one?.solvers ?? [])], one?.challenges.get(1)?.title]).toEqual([scene(7).log, [['a1', 'u1']], 'c'])
  expect(one?.teams.get(2)?.name).toBe('t2')
  // The first board is not announced as a change.
  expect(changes).toEqual([])
})

test('each drawing is timed; each poll reports how many boards are current, unless it fails', async () => {
  await pass(250)
  expect([drawn, checked]).toEqual([[], [0]])
  await Promise.all([boards.get(7), boards.get(8)])
  expect(drawn).toEqual([expect.any(Number), expect.any(Number)])
  await pass(250)
  expect(checked).toEqual([0, 2])
  calls.fails = true
  await pass(500)
  expect(checked).toEqual([0, 2])
  calls.fails = false
  const before = clock()
  vi.advanceTimersByTime(250)
  const startedAt = clock()
  await pass(1)
  expect(checked).toEqual([0, 2, 2])
  // The time of the query, not of its answer.
  expect([checkedFrom >= before, checkedFrom <= startedAt]).toEqual([true, true])
})

test('a missing game has no board, and is queried each time', async () => {
  expect([await boards.get(9), await boards.get(9)]).toEqual([null, null])
  expect(queries()).toEqual(['facts 9', 'facts 9'])
  await pass(500)
  expect(queries()).toEqual([])
})

test('a game that is made while it was not found yet has a board, when something says so', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  calls.held = promise
  const found = boards.get(9)
  await turn()
  // A poll meanwhile does not find it either, and leaves it to the running read.
  await pass(250)
  calls.facts.set(9, scene(9))
  const read = boards.refresh(9)
  resolve()
  await read
  expect([await found, queries()]).toEqual([await boards.get(9), ['facts 9', 'logs 9', 'facts 9']])
  expect([standings(await found)?.length, queries(), removed]).toEqual([2, [], []])
})

test('a board that is drawn during a poll stays', async () => {
  await boards.get(7)
  const { promise, resolve } = Promise.withResolvers<void>()
  calls.heldLogs = promise
  await pass(250)
  const kept = await boards.get(8)
  resolve()
  await turn()
  expect([removed, queries()]).toEqual([[], ['facts 7', 'logs 7', 'facts 8']])
  expect([await boards.get(8), queries()]).toEqual([kept, []])
})

test('a board without requests is not read, regardless of hints', async () => {
  await boards.refresh(7)
  await pass(1000)
  expect([queries(), changes]).toEqual([[], []])
})

test('a hint reads the solves after the last known one; the change has from, to, solver, time and the new score', async () => {
  const kept = await boards.get(7)
  queries()
  move(7, { head: 3 }, { solves: [solve(1, 1), solve(2, 2, { accountId: null, userName: null }), solve(3, 9)] })
  await boards.refresh(7)
  expect(queries()).toEqual(['solves 7'])
  // The third solve is of a team that the board does not list.
  expect(changes).toEqual([[7, { kind: 'solves', gameId: 7, epoch: 1, from: 1, to: 3, solves: [[2, 2, 1, null, 2, 2, 864]] }]])
  expect([kept?.log.head, standings(kept)]).toEqual([
    3,
    [
      [1, 1, 864, 1],
      [2, 2, 864, 1],
    ],
  ])
  expect([...(kept?.solvers.keys() ?? [])]).toEqual(['a1', 'a9'])
  await boards.refresh(7)
  expect(changes).toHaveLength(1)
})

test('a known solve is not reported twice, and a late solve is not reported', async () => {
  await boards.get(7)
  move(7, { head: 3 }, { solves: [solve(1, 1), solve(2, 1), solve(3, 2, { arrivedAt: endsAt })] })
  await boards.refresh(7)
  expect(changes).toMatchObject([[7, { from: 1, to: 3, solves: [] }]])
})

test.each([
  ['a new epoch', { epoch: 2, head: 2 }],
  ['a log with a lower head', { head: 0 }],
])('%s redraws the board and reports it', async (_name, log) => {
  const before = await boards.get(7)
  queries()
  move(7, log, { solves: [] })
  await boards.refresh(7)
  expect(queries()).toEqual(['solves 7', 'facts 7'])
  const kept = await boards.get(7)
  expect([kept === before, standings(kept)?.map(([, , points]) => points)]).toEqual([false, [0, 0]])
  expect(changes).toEqual([[7, { kind: 'drawn', log: { ...scene(7).log, ...log } }]])
})

test('a changed roster patches the rows with visible differences, and the names of solvers', async () => {
  const kept = await boards.get(7)
  await pass(1000)
  const named = { name: 'n' }
  const differing = [
    named,
    { ...named, bio: 'b' },
    { ...named, bio: 'b', avatar: '/a' },
    { ...named, bio: 'b', avatar: '/a', division: 'd' },
  ]
  let roster = 1
  for (const more of differing) {
    changes.length = 0
    queries()
    move(7, { roster: ++roster }, { teams: [team(1), team(2, more), team(3)] })
    await boards.refresh(7)
    expect(queries()).toEqual(['solves 7', 'roster 7'])
    const teams = roster === 2 ? [team(2, more), team(3)] : [team(2, more)]
    expect(changes).toEqual([
      [7, { kind: 'roster', from: roster - 1, log: { ...scene(7).log, roster }, teams, solvers: new Map() }],
    ])
    expect(kept?.teams.get(2)).toEqual(team(2, more))
    expect(rowsOf((kept as KeptBoard).board).find(({ team: { id } }) => id === 2)?.team).toEqual(team(2, more))
    await pass(1000)
  }
  expect(rowsOf((kept as KeptBoard).board).map(({ team: { id } }) => id)).toEqual([1, 2, 3])
})

test('a renamed or deleted solver is updated on the board and for the next change', async () => {
  const kept = await boards.get(7)
  const shown = () => rowsOf((kept as KeptBoard).board)[0]?.solves[0]?.userName
  move(7, { roster: 2 }, { names: new Map([['a1', 'new']]) })
  await boards.refresh(7)
  expect([shown(), changes.at(-1)?.[1]]).toMatchObject(['new', { kind: 'roster', solvers: new Map([['u1', 'new']]) }])
  await pass(1000)
  move(7, { roster: 3 }, { names: new Map() })
  await boards.refresh(7)
  expect([shown(), changes.at(-1)?.[1]]).toMatchObject([null, { solvers: new Map([['new', null]]) }])
  await pass(1000)
  move(7, { roster: 4 })
  await boards.refresh(7)
  expect(changes.at(-1)?.[1]).toMatchObject({ solvers: new Map(), teams: [] })
})

test('names are read once a second; a solve does not wait for that, and is reported after the row of its team', async () => {
  await boards.get(7)
  move(7, { roster: 2 }, { teams: [team(1), team(2, { name: 'n' })] })
  await boards.refresh(7)
  queries()
  changes.length = 0
  move(7, { roster: 3 }, { teams: [team(1), team(2), team(3)] })
  vi.advanceTimersByTime(999)
  await turn()
  await turn()
  queries()
  await boards.refresh(7)
  expect([queries(), changes]).toEqual([['solves 7'], []])
  move(7, { head: 2 }, { solves: [solve(1, 1), solve(2, 3)] })
  await boards.refresh(7)
  expect(queries()).toEqual(['solves 7', 'roster 7'])
  expect(changes).toMatchObject([
    [7, { kind: 'roster', from: 2, log: { head: 1, roster: 3 } }],
    [7, { kind: 'solves', from: 1, to: 2, solves: [[2, 3, 1, 'u3', 2, 2, 864]] }],
  ])
  move(7, { roster: 4 }, { teams: [team(1), team(2), team(3, { name: 'x' })] })
  await pass(1250)
  expect(changes.at(-1)).toMatchObject([7, { kind: 'roster', from: 3, log: { head: 2, roster: 4 } }])
})

test.each([
  ['no such game', (game: number) => void calls.facts.delete(game)],
  ['a new epoch', (game: number) => move(game, { epoch: 5 })],
  ['a log with a lower head', (game: number) => move(game, { head: 0 })],
])('when the roster is read and there is %s, the board is redrawn', async (_name, act) => {
  await boards.get(7)
  queries()
  move(7, { roster: 2 })
  const push = calls.queries.push
  // The game changes between the two queries.
  calls.queries.push = (...texts: string[]) => {
    if (texts[0]?.startsWith('roster')) act(7)
    return push.apply(calls.queries, texts)
  }
  await boards.refresh(7)
  calls.queries.push = push
  expect(queries()).toEqual(['solves 7', 'roster 7', 'facts 7'])
})

test('a poll four times a second finds changes without a hint, only for kept games', async () => {
  await boards.get(7)
  await boards.get(8)
  queries()
  await pass(250)
  expect(queries()).toEqual(['logs 7,8'])
  for (const [log, kind] of [
    [{ head: 2 }, 'solves'],
    [{ roster: 2 }, 'roster'],
    [{ epoch: 2 }, 'drawn'],
  ] as const) {
    move(8, log, { solves: [solve(1, 1), solve(2, 2)] })
    await pass(249)
    expect(changes).toEqual([])
    await pass(1)
    expect(changes).toMatchObject([[8, { kind }]])
    changes.length = 0
  }
})

test('while hints arrive no poll reads in between; a change missed by the last one is found half a second later', async () => {
  await boards.get(7)
  await boards.get(8)
  await boards.refresh(7)
  for (const game of [7, 8]) move(game, { head: 2 }, { solves: [solve(1, 1), solve(2, 2)] })
  await pass(499)
  expect(changes.map(([game]) => game)).toEqual([8])
  await pass(251)
  expect(changes.map(([game]) => game)).toEqual([8, 7])
})

test('a board that a poll leaves to a hint is as current as before it, and after its end as this read', async () => {
  await boards.get(7)
  await boards.get(8)
  const drawn = clock()
  await pass(500)
  const polled = clock()
  const { promise, resolve } = Promise.withResolvers<void>()
  calls.held = promise
  move(7, { epoch: 2 })
  const reading = boards.refresh(7)
  await pass(1000)
  expect(checkedFrom).toBeGreaterThan(drawn)
  expect(checkedFrom).toBeLessThan(polled)
  // Another board was read later; the earliest time counts.
  await boards.refresh(8)
  await pass(250)
  expect(checkedFrom).toBeLessThan(polled)
  await pass(250)
  resolve()
  await reading
  const hinted = clock()
  await boards.refresh(7)
  const read = clock()
  await pass(250)
  expect(checkedFrom).toBeGreaterThan(hinted)
  expect(checkedFrom).toBeLessThan(read)
  await pass(500)
  expect(checkedFrom).toBeGreaterThan(read)
})

test('a listed board is drawn without a request; one that leaves the list is dropped, one never listed is kept', async () => {
  boards.keep([8])
  await boards.get(7)
  await pass(250)
  expect(queries()).toEqual(['facts 7', 'facts 8', 'logs 7,8'])
  boards.keep([])
  await pass(250)
  expect([queries(), removed]).toEqual([['logs 7'], []])
  boards.keep([7])
  await pass(250)
  boards.keep([8])
  await pass(250)
  expect(queries()).toEqual(['logs 7', 'facts 8', 'logs 8'])
  await boards.get(7)
  expect(queries()).toEqual(['facts 7'])
})

test('a board dropped during a read is not published', async () => {
  boards.keep([7])
  await boards.get(7)
  const { promise, resolve } = Promise.withResolvers<void>()
  calls.held = promise
  move(7, { epoch: 2 })
  const reading = boards.refresh(7)
  await turn()
  boards.keep([])
  resolve()
  await reading
  expect(changes).toEqual([])
})

test('a deleted game is removed, and other games are kept', async () => {
  await boards.get(7)
  await boards.get(8)
  calls.facts.delete(7)
  await pass(500)
  queries()
  await pass(250)
  expect([queries(), removed]).toEqual([['logs 8'], [7]])
  expect(await boards.get(7)).toBeNull()
})

test('hints that arrive during a refresh cause one further refresh in total', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  calls.held = promise
  const first = boards.get(7)
  await turn()
  const waiting = [boards.refresh(7), boards.refresh(7), boards.refresh(7)]
  const reader = boards.get(7)
  await pass(250)
  resolve()
  await Promise.all([first, ...waiting])
  expect(await reader).toBe(await first)
  expect(queries()).toEqual(['facts 7', 'logs 7', 'solves 7'])
})

test('a listed board that cannot be read is tried at each poll and reported once, and the others are checked', async () => {
  await boards.get(7)
  calls.broken = 8
  boards.keep([7, 8])
  queries()
  await pass(500)
  expect([queries(), checked.at(-1)]).toEqual([['logs 7', 'logs 7'], 1])
  expect(reported).toEqual([new Error('game 8 cannot be read')])
  calls.broken = 0
  await pass(250)
  expect([queries(), checked.at(-1), reported.length]).toEqual([['facts 8', 'logs 7,8'], 2, 1])
})

test('while the database is unavailable the poll reports it once and continues, and it reports the next failure after a success', async () => {
  await boards.get(7)
  calls.fails = true
  await expect(boards.get(9)).rejects.toThrow('unreachable')
  boards.keep([8])
  await pass(500)
  expect(reported).toEqual([new Error('the database is unreachable')])
  calls.fails = false
  calls.facts.set(9, scene(9))
  queries()
  await pass(250)
  // A listed board that could not be read is drawn now; the other one with the next request.
  expect([queries(), checked.at(-1), reported.length]).toEqual([['facts 8', 'logs 7,8'], 2, 1])
  calls.fails = true
  await pass(500)
  expect(reported).toHaveLength(2)
  boards.close()
  await pass(1000)
  expect(queries()).toEqual([])
})
