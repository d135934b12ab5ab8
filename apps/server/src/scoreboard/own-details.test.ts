/** Own rows of players while the board changes. The board is a real one in memory; the thread is replaced. */
import {
  addSolves,
  type Board,
  type BoardFacts,
  type BoardTeam,
  drawBoard,
  patchTeam,
  renameSolvers,
  rowOf,
} from '@vexil/core/scoreboard'
import { scoreTable } from '@vexil/core/scoring'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import type { BoardClient } from './board-client.ts'
import { openRequestHandlers, versionOf } from './board-requests.ts'
import { joinPlain } from './gzip-concat.ts'
import type { KeptBoard } from './kept-board.ts'
import { openDetails } from './own-details.ts'
import { itemView } from './scoreboard.view.ts'

const curve = { originalScore: 1000, minScoreRate: 0.1, difficulty: 2 }
const team = (id: number, more: Partial<BoardTeam> = {}): BoardTeam => {
  return { id: id + 500, participationId: id, name: `t${id}`, bio: null, avatar: null, division: null, ...more }
}
const facts: BoardFacts = {
  startsAt: 0,
  endsAt: 1e6,
  bloodBonus: 52_459_530,
  challenges: [1, 2, 3].map((id) => ({
    id,
    title: `c${id}`,
    category: 'Misc',
    values: scoreTable(curve, 80),
    bloodBonus: null,
  })),
  // Not in the order of their numbers.
  teams: [team(30, { division: 'x' }), team(10), team(20, { division: 'x' })],
  solves: [],
}
const solve = (number: number, participationId: number, challengeId = 1) => {
  return { number, participationId, challengeId, userName: `u${participationId}`, arrivedAt: number, shownAt: number }
}

let kept: KeptBoard
let drawings = 0
let requests: { participationId: number; cached: string | null }[]
let hold: Promise<void> | null
let detailsOf: ReturnType<typeof openDetails>
function draw(board: Board, drawing: string): void {
  const log = { gameId: 7, epoch: 1, head: 0, roster: 0, changedAt: 0 }
  kept = { ...kept, game: { id: 7, title: 'g', ...facts }, challenges: new Map(), board, drawing, log } as KeptBoard
}
const move = (by: { epoch?: number; head?: number; roster?: number }) => {
  const { log } = kept
  const { epoch = 0, head = 0, roster = 0 } = by
  kept.log = { ...log, epoch: log.epoch + epoch, head: log.head + head, roster: log.roster + roster }
}
const add = (...solves: ReturnType<typeof solve>[]) => {
  addSolves(kept.board, solves)
  move({ head: solves.length })
}
function begin() {
  draw(drawBoard(facts), `${++drawings}`)
  ;[requests, hold] = [[], null]
  const get = async (gameId: number) => (gameId === 7 ? kept : null)
  const handlers = openRequestHandlers({ get, refresh: async () => undefined }, async () => new Map())
  const request = async (_what: string, one: never) => {
    requests.push(one)
    const answer = await handlers.details(one)
    await hold
    // A copy, as in a message to another thread.
    return structuredClone(answer)
  }
  detailsOf = openDetails(request as unknown as BoardClient['request'])
}
beforeEach(begin)

const details = async (participationId: number, version = versionOf(kept.log)) => {
  const found = await detailsOf({ gameId: 7, participationId, version })
  return found && { row: found.row && JSON.parse(found.row), version: found.shared.version, shared: found.shared }
}
const standing = async (participationId: number) => {
  const { row } = (await details(participationId)) as { row: { rank: number; organizationRank: number; score: number } }
  return [row.rank, row.organizationRank, row.score]
}
const rowNow = (participationId: number) => {
  const row = rowOf(kept.board, participationId)
  return row ? JSON.parse(JSON.stringify(itemView(row))) : null
}

test('another team’s solve updates the own rank, also in the division, without a new request for the own row', async () => {
  add(solve(1, 20))
  expect([await standing(10), await standing(20), await standing(30)]).toEqual([
    [2, null, 0],
    [1, 1, 1050],
    [3, 2, 0],
  ])
  add(solve(2, 30, 2), solve(3, 30, 3))
  requests.length = 0
  expect([await standing(10), await standing(20)]).toEqual([
    [3, null, 0],
    [2, 2, 1050],
  ])
  expect(requests).toHaveLength(1)
  expect(await details(20)).toMatchObject({ row: rowNow(20), version: versionOf(kept.log) })
})

test('a solve that lowers the points of an own solve updates the own row', async () => {
  add(solve(1, 20))
  expect(await standing(20)).toEqual([1, 1, 1050])
  add(solve(2, 10))
  expect((await details(20))?.row).toEqual(rowNow(20))
  expect(rowNow(20).score).toBeLessThan(1050)
})

test('a row of the previous board is not used for a redrawn board', async () => {
  add(solve(1, 20))
  await details(20)
  draw(drawBoard({ ...facts, solves: [solve(1, 20, 2)] }), `${++drawings}`)
  move({ epoch: 1 })
  // The neighbour requests it first, so that the own row is searched among the known ones.
  await details(10)
  expect((await details(20))?.row.solvedChallenges).toMatchObject([{ id: 2 }])
})

test('concurrent requests at a new version call the thread once, and again for another version', async () => {
  await Promise.all([10, 20, 30].map((id) => details(id)))
  const turn = () => new Promise((done) => setImmediate(done))
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  requests.length = 0
  const before = versionOf(kept.log)
  add(solve(1, 20))
  hold = first.promise
  const early = [10, 30, 30, 10].map((id) => details(id))
  await turn()
  expect(requests).toEqual([{ gameId: 7, participationId: 10, cached: before }])
  add(solve(2, 30))
  hold = second.promise
  const late = [details(10)]
  await turn()
  expect(requests).toHaveLength(2)
  first.resolve()
  hold = null
  for (const one of await Promise.all(early)) expect(one?.row.rank).toBe(one?.row.name === 't10' ? 2 : 3)
  requests.length = 0
  late.push(details(10))
  await turn()
  second.resolve()
  for (const one of await Promise.all(late)) expect(one).toMatchObject({ version: versionOf(kept.log), row: { rank: 3 } })
  expect(requests).toEqual([])
})

test('a row that arrives with a newer board is shown as in that board', async () => {
  const before = versionOf(kept.log)
  await details(10)
  add(solve(1, 30))
  expect(await details(20, before)).toMatchObject({ version: versionOf(kept.log), row: rowNow(20) })
  expect(rowNow(20).rank).toBe(3)
})

test('after a failed request the next one is sent', async () => {
  hold = Promise.reject(new Error('the thread ended'))
  await expect(details(10)).rejects.toThrow('the thread ended')
  hold = null
  expect(await standing(10)).toEqual([1, null, 0])
})

test('an unlisted team has no row, a missing game no details', async () => {
  await details(10)
  requests.length = 0
  for (const unlisted of [0, 5, 15, 99]) expect(await details(unlisted)).toMatchObject({ row: null })
  expect(requests).toEqual([])
  expect(await detailsOf({ gameId: 8, participationId: 10, version: '' })).toBeNull()
  patchTeam(kept.board, team(15))
  move({ roster: 1 })
  expect(await standing(15)).toEqual([2, null, 0])
})

test('the boards of the 64 games that were requested last are kept', async () => {
  const handlers = openRequestHandlers({ get: async () => kept, refresh: async () => undefined }, async () => new Map())
  const games: number[] = []
  const request = async (_what: string, one: { gameId: number }) => {
    games.push(one.gameId)
    return handlers.details(one as never)
  }
  const read = openDetails(request as unknown as BoardClient['request'])
  const readAll = async (ids: readonly number[]) => {
    for (const gameId of ids) await read({ gameId, participationId: 10, version: versionOf(kept.log) })
  }
  const ids = Array.from({ length: 65 }, (_, i) => i + 1)
  await readAll(ids)
  expect(games).toEqual(ids)
  games.length = 0
  await readAll([65, 2, 1])
  expect(games).toEqual([1])
  games.length = 0
  // The board of game 3 is the oldest until it is read again at the new version.
  move({ roster: 1 })
  await readAll([3, 2, 3])
  expect(games).toEqual([3, 2])
})

test('after any change of the board every caller gets the current row and the current game', async () => {
  const step = fc.record({
    kind: fc.constantFrom('solve', 'solve', 'solve', 'team', 'rename', 'redraw'),
    team: fc.constantFrom(10, 20, 30, 40),
    challenge: fc.constantFrom(1, 2, 3),
    division: fc.constantFrom(null, 'x'),
    readers: fc.subarray([10, 20, 30, 40, 50]),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      begin()
      let number = 0
      for (const { kind, team: id, challenge, division, readers } of steps) {
        if (kind === 'solve') add(solve(++number, id, challenge))
        else if (kind === 'redraw') {
          const teams = [...kept.board.rows.values()].map((row) => row.team)
          const { log } = kept
          draw(drawBoard({ ...facts, teams, solves: [] }), `${++drawings}`)
          kept.log = log
          move({ epoch: 1 })
        } else {
          if (kind === 'team') patchTeam(kept.board, team(id, { division }))
          else renameSolvers(kept.board, new Map([[`u${id}`, null]]))
          move({ roster: 1 })
        }
        for (const reader of readers) {
          const found = await details(reader)
          expect(found?.row).toEqual(rowNow(reader))
          const { challenges } = JSON.parse(joinPlain(found!.shared, '"own":0}').toString())
          expect(challenges.Misc.map((column: { solved: number }) => column.solved)).toEqual(
            [...kept.board.columns.values()].map(({ entries }) => entries.length),
          )
        }
      }
    }),
    { numRuns: 60 },
  )
})
