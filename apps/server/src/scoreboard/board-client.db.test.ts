/** The boards as requests see them: kept by a worker thread, which may end. */
import { Worker } from 'node:worker_threads'
import type { RuleError } from '@vexil/core/rules'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aSolve, aTeam, at } from '../../test/builders/game.ts'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import { counts } from '../metrics/counts.ts'
import { type BoardClient, openBoardClient } from './board-client.ts'
import { type BoardState, versionOf } from './board-requests.ts'
import { baseVersion } from './feed.view.ts'
import type { Change } from './kept-board.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const opened: BoardClient[] = []
const started = vi.spyOn(Worker.prototype, 'postMessage')
/** The threads that received messages, in order. */
const threads = () => [...new Set(started.mock.contexts as Worker[])]
/** The lists of games to keep that a thread received. */
const keptBy = (thread: Worker | undefined): number[][] =>
  started.mock.calls
    .filter((_, call) => started.mock.contexts[call] === thread)
    .flatMap(([messages]) => messages)
    .filter(({ kind }) => kind === 'keep')
    .map(({ games }) => games)
afterEach(async () => {
  vi.useRealTimers()
  for (const boards of opened.splice(0)) await boards.close()
  started.mockClear()
})

function open(listened: readonly number[] = []) {
  const changes: [BoardState, Change][] = []
  const reported: unknown[] = []
  const boards = openBoardClient({
    source: database.source,
    changed: (state, change) => changes.push([state, change]),
    listened: () => listened,
    onError: (error) => reported.push(error),
  })
  opened.push(boards)
  return { boards, changes, reported }
}

/** A game with a challenge of 1000 points that the first of two teams solved. */
async function aScene() {
  const game = await aGame(database.db)
  const challenge = await aChallenge(database.db, game)
  const teams = []
  for (let i = 0; i < 2; i++) {
    const team = await aTeam(database.db, { members: [await anAccount(database.db)] })
    teams.push({ ...team, participation: await aParticipation(database.db, game, team) })
  }
  const [one, two] = teams as [(typeof teams)[0], (typeof teams)[0]]
  const solve = ({ participation, captain }: typeof one) =>
    aSolve(database.db, { gameId: game, participation, challenge, account: captain, arrived: at('-5m') })
  await solve(one)
  return { game, challenge, one, two, solve }
}

test('the state of a game has its version, its teams and the points of its challenges; another game has its own state', async () => {
  const [scene, other] = [await aScene(), await aScene()]
  await other.solve(other.two)
  const { boards } = open()
  const [drawn, begun] = [counts.boardDraws.sum, performance.now()]
  const [state, same, neighbour] = await Promise.all([
    boards.state(scene.game),
    boards.state(scene.game),
    boards.state(other.game),
  ])
  // In seconds.
  const seconds = counts.boardDraws.sum - drawn
  expect([seconds > 0, seconds < (2 * (performance.now() - begun)) / 1000]).toEqual([true, true])
  expect(state).toMatchObject({ game: { id: scene.game }, head: 1, teamCount: 2, scores: new Map([[scene.challenge, 1000]]) })
  expect(same).toEqual(state)
  expect(neighbour).toMatchObject({ game: { id: other.game }, head: 2, scores: new Map([[other.challenge, 864]]) })
  expect(await boards.state(999_999)).toBeNull()
  // Bodies are cached by version; that of the base stays the same until 512 more solves.
  const versions = (['wire', 'base'] as const).map(async (what) => (await boards.request(what, { gameId: other.game }))?.version)
  expect(await Promise.all(versions)).toEqual([versionOf(neighbour!), baseVersion(neighbour!)])
  for (const what of ['wire', 'base', 'state'] as const) expect(await boards.request(what, { gameId: 999_999 })).toBeNull()
})

test('a hint moves the state and reports the change with the resulting state; without a hint a poll finds it', async () => {
  const { game, challenge, two, solve } = await aScene()
  const { boards, changes } = open()
  await boards.state(game)
  await solve(two)
  boards.hint(game)
  await vi.waitFor(async () => expect((await boards.state(game))?.head).toBe(2), { timeout: 3000, interval: 5 })
  expect(changes).toMatchObject([
    [
      { head: 2, scores: new Map([[challenge, 864]]) },
      { kind: 'solves', from: 1, to: 2, solves: [expect.any(Array)] },
    ],
  ])
  const [, change] = changes[0] as [BoardState, Change & { kind: 'solves' }]
  expect(change.solves[0]?.slice(0, 3)).toEqual([2, two.participation, challenge])
  await database.db.updateTable('challenges').set({ originalScore: 10 }).where('id', '=', challenge).execute()
  await vi.waitFor(async () => expect((await boards.state(game))?.scores.get(challenge)).toBe(8), { timeout: 3000, interval: 20 })
  expect(changes.at(-1)?.[1].kind).toBe('drawn')
})

test('after an edit no request returns an earlier state, even concurrently; a solve blocks no request', async () => {
  const { game, challenge } = await aScene()
  const neighbour = await aScene()
  const { boards } = open()
  await boards.state(game)
  await boards.state(neighbour.game)
  for (const originalScore of [10, 20, 30, 40, 50]) {
    await database.db.updateTable('challenges').set({ originalScore }).where('id', '=', challenge).execute()
    boards.moved(game)
    const states = await Promise.all(Array.from({ length: 20 }, () => boards.state(game)))
    const score = originalScore
    expect(new Set(states.map((state) => Math.round((state?.scores.get(challenge) ?? 0) / score)))).toEqual(new Set([1]))
  }
  expect((await boards.state(neighbour.game))?.scores.get(neighbour.challenge)).toBe(1000)
  // There is nothing to read of a game that was never requested.
  boards.moved(999_999)
  started.mockClear()
  boards.hint(game)
  const known = await boards.state(game)
  expect(known?.scores.get(challenge)).toBeDefined()
  expect(started).not.toHaveBeenCalled()
})

test('details have the game’s part once per version, and the row of the requesting team', async () => {
  const { game, one, two, solve } = await aScene()
  const { boards } = open()
  const request = (participationId: number, cached: string | null) =>
    boards.request('details', { gameId: game, participationId, cached })
  const first = await request(one.participation, null)
  expect(JSON.parse(first?.row ?? '')).toMatchObject({ id: one.id, score: 1050 })
  expect(JSON.parse(`${Buffer.from(first?.board?.shared.plain ?? [])}}`)).toMatchObject({ challengeCount: 1 })
  const standings = first?.board?.standings
  expect([[...(standings?.participation ?? [])], [...(standings?.rank ?? [])]]).toEqual([
    [one.participation, two.participation],
    [1, 2],
  ])
  const version = first?.board?.shared.version as string
  const second = await request(two.participation, version)
  expect([JSON.parse(second?.row ?? '').id, second?.board]).toEqual([two.id, null])
  expect((await request(999_999, null))?.row).toBeNull()
  await solve(two)
  boards.hint(game)
  await vi.waitFor(async () => expect((await request(two.participation, version))?.board).not.toBeNull(), 3000)
})

test('a thread that ends rejects pending requests, restarts after a second, and listeners load the board again', async () => {
  const { game } = await aScene()
  const silent = await aScene()
  const { boards, changes } = open([game])
  const before = await boards.state(game)
  await boards.state(silent.game)
  const [thread] = threads()
  await vi.waitFor(() => expect(keptBy(thread).at(-1)).toEqual([game, silent.game]), 3000)
  const waiting = boards.request('wire', { gameId: game })
  const refused = waiting.then(
    () => 'answered',
    (error: RuleError) => error.code,
  )
  vi.useFakeTimers({ toFake: ['performance'] })
  await thread?.terminate()
  expect(await refused).toBe('server.unavailable')
  for (const ms of [0, 999]) {
    vi.advanceTimersByTime(ms)
    await expect(boards.request('wire', { gameId: game })).rejects.toMatchObject({ code: 'server.unavailable' })
  }
  vi.advanceTimersByTime(1)
  // Before `vi.waitFor`, which advances the time.
  await boards.request('wire', { gameId: game })
  await vi.waitFor(() => expect(changes).toHaveLength(2), { timeout: 5000, interval: 20 })
  const { epoch, head, roster } = before as BoardState
  for (const [state, change] of changes) {
    expect(change).toMatchObject({ kind: 'drawn', log: { gameId: state.game.id, epoch, head, roster } })
  }
  expect(new Set(changes.map(([state]) => state.game.id))).toEqual(new Set([game, silent.game]))
  expect(threads()).toHaveLength(2)
  expect(keptBy(threads()[1])).toEqual([[game, silent.game]])
  // Each is announced once, although the list of games is checked four times a second.
  await new Promise((later) => setTimeout(later, 1200))
  expect(changes).toHaveLength(2)
  expect((await boards.request('wire', { gameId: game }))?.version).toBe(`${epoch}.${head}.${roster}`)
})

test('a deleted game is removed', async () => {
  const { game } = await aScene()
  const neighbour = await aScene()
  const { boards } = open()
  await boards.state(game)
  await boards.state(neighbour.game)
  await database.db.deleteFrom('games').where('id', '=', game).execute()
  await vi.waitFor(async () => expect(await boards.state(game)).toBeNull(), { timeout: 3000, interval: 20 })
  // After a reported change it is gone at once, without a poll.
  const edited = await aScene()
  await boards.state(edited.game)
  await database.db.deleteFrom('games').where('id', '=', edited.game).execute()
  boards.moved(edited.game)
  expect(await boards.state(edited.game)).toBeNull()
  expect(await boards.state(neighbour.game)).not.toBeNull()
  // Nothing is kept of a game that does not exist, or is deleted and not requested again.
  const [last, unasked] = [await aScene(), await aScene()]
  await boards.state(unasked.game)
  await boards.state(last.game)
  const kept = () => keptBy(threads()[0]).at(-1)
  await vi.waitFor(() => expect(kept()).toEqual([neighbour.game, last.game, unasked.game]), 3000)
  await database.db.deleteFrom('games').where('id', '=', unasked.game).execute()
  await vi.waitFor(() => expect(kept()).toEqual([neighbour.game, last.game]), 3000)
})

test('a board is dropped half an hour after the last request, unless it has listeners', async () => {
  const [listenedTo, requested] = [await aScene(), await aScene()]
  const { boards, changes } = open([listenedTo.game])
  const kept = () => keptBy(threads()[0])
  vi.useFakeTimers({ toFake: ['performance'] })
  await boards.state(requested.game)
  const both = [listenedTo.game, requested.game]
  await vi.waitFor(() => expect(kept().at(-1)).toEqual(both), 3000)
  const sent = kept()
  vi.advanceTimersByTime(29 * 60_000)
  await new Promise((later) => setTimeout(later, 600))
  // The list is sent when it changes.
  expect(kept()).toEqual(sent)
  vi.advanceTimersByTime(2 * 60_000)
  await vi.waitFor(() => expect(kept()).toEqual([...sent, [listenedTo.game]]), 3000)
  for (const { solve, two } of [requested, listenedTo]) await solve(two)
  await vi.waitFor(() => expect(changes).toHaveLength(1), 3000)
  expect(changes[0]?.[0].game.id).toBe(listenedTo.game)
  // A change of the dropped board that arrives late is no state for later requests: a request draws the board again.
  const late = { game: { id: requested.game }, epoch: 1, head: 1, roster: 1 }
  threads()[0]?.emit('message', [{ kind: 'changed', state: late, change: { kind: 'drawn', log: late } }])
  expect((await boards.state(requested.game))?.head).toBe(2)
})

test('a state that the thread could not compare for a second is read again, once for all requests, each time', async () => {
  const [scene, neighbour] = [await aScene(), await aScene()]
  const { boards, reported } = open()
  await boards.state(scene.game)
  await boards.state(neighbour.game)
  for (const round of [1, 2]) {
    const later: (BoardState | null)[] = []
    let requests: Promise<unknown>[] = []
    await database.db.transaction().execute(async (tx) => {
      await sql`lock table solve_logs`.execute(tx)
      await new Promise((done) => setTimeout(done, 1600))
      started.mockClear()
      requests = Array.from({ length: 20 }, async () => later.push(await boards.state(scene.game)))
      await new Promise((done) => setTimeout(done, 200))
      expect(later).toEqual([])
      await sql`update solve_logs set roster = roster + 1`.execute(tx)
    })
    await Promise.all(requests)
    expect([later.length, new Set(later.map((state) => state?.roster)).size]).toEqual([20, 1])
    const sent = started.mock.calls.flatMap(([messages]) => messages).filter(({ kind }) => kind === 'request')
    expect(sent).toMatchObject([{ what: 'fresh', params: { gameId: scene.game } }])
    const { roster } = await database.db
      .selectFrom('solveLogs')
      .select('roster')
      .where('gameId', '=', scene.game)
      .executeTakeFirstOrThrow()
    expect([round, later[0]?.roster, reported]).toEqual([round, roster, []])
  }
})

test('the age of the boards is known as soon as one is kept', async () => {
  const { game } = await aScene()
  const { boards } = open()
  expect(boards.age()).toBeNull()
  await boards.state(game)
  await vi.waitFor(() => expect(boards.age()).toBeGreaterThanOrEqual(0), 3000)
})

test('no thread starts before the first request or listener; requests after the end are refused', async () => {
  const { game } = await aScene()
  const { boards } = open()
  boards.hint(game)
  await new Promise((later) => setTimeout(later, 300))
  expect(threads()).toEqual([])
  await boards.close()
  await expect(boards.state(game)).rejects.toMatchObject({ code: 'server.unavailable' })
  const listening = open([game])
  await vi.waitFor(() => expect(threads()).toHaveLength(1), 3000)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await listening.boards.close()
  // It ended in time, without being terminated, and no timer waits for it.
  expect([threads()[0]?.threadId, vi.getTimerCount()]).toEqual([-1, 0])
})

test('a thread that does not end within two seconds is terminated', async () => {
  const { game } = await aScene()
  const { boards } = open()
  await boards.state(game)
  const [thread] = threads() as [Worker]
  const terminate = vi.spyOn(thread, 'terminate')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  // The thread does not receive the request to end.
  started.mockImplementation(() => undefined)
  try {
    const closed = boards.close()
    vi.advanceTimersByTime(1999)
    expect(terminate).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(terminate).toHaveBeenCalledOnce()
    await closed
    expect(thread.threadId).toBe(-1)
  } finally {
    started.mockReset()
  }
})

test('a failed statement is returned to the caller with its code, and reported if there is none', async () => {
  const { boards, reported } = open()
  // A request that reads no board, which the poll would read too: its failure could be reported first.
  const sheet = { gameId: 2 ** 40, hasDivisions: false, language: 'en_US', time: new Date() } as const
  await expect(boards.request('sheet', sheet)).rejects.toMatchObject({ code: '22003' })
  expect(reported).toEqual([])
  await boards.state((await aScene()).game)
  await sql`alter table solve_logs rename to logs_away`.execute(database.db)
  await vi.waitFor(() => expect(reported).toMatchObject([{ code: '42P01' }]), 3000)
  await sql`alter table logs_away rename to solve_logs`.execute(database.db)
})
