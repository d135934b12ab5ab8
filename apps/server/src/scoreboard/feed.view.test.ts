/** The feed as a stable base and a tail: together they are the board, with the same bytes on every node. */
import { addSolves, type Board, type BoardSolve, type BoardTeam, columnsOf, drawBoard, rowsOf } from '@vexil/core/scoreboard'
import { scoreTable } from '@vexil/core/scoring'
import { challengeCategories } from '@vexil/core/vocabulary'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { baseVersion, feedView, isEarlierBase, tailFrom, tailView } from './feed.view.ts'
import type { KeptBoard } from './kept-board.ts'

const curve = { originalScore: 1000, minScoreRate: 0.1, difficulty: 7 }
const challenges = [1, 2, 3, 4].map((id) => ({
  id,
  title: `c${id}`,
  category: challengeCategories[id % 2] as (typeof challengeCategories)[number],
  type: 'StaticAttachment' as const,
  bloodBonus: id === 2 ? 104_919_065 : null,
  curve,
  enabledAt: null,
}))
const teamsOf = (count: number): BoardTeam[] =>
  Array.from({ length: count }, (_, i) => ({
    id: 500 - i,
    participationId: i + 1,
    name: `t${i}`,
    bio: i % 2 ? 'bio' : null,
    avatar: null,
    division: [null, 'A', 'B'][i % 3] as string | null,
  }))
const game = { id: 7, title: 'g', startsAt: 1000, endsAt: 1_000_000, bloodBonus: 52_459_530 }

/** A board of this log, as a node keeps it: drawn up to `drawn`, and extended from there. */
function keptBoard(teams: readonly BoardTeam[], solves: readonly BoardSolve[], drawn: number): KeptBoard {
  const values = new Map(challenges.map(({ id }) => [id, scoreTable(curve, teams.length)]))
  const facts = challenges.map((challenge) => ({ ...challenge, values: values.get(challenge.id) ?? [] }))
  const board = drawBoard({ ...game, challenges: facts, teams, solves: solves.slice(0, drawn) })
  addSolves(board, solves.slice(drawn))
  const log = { gameId: 7, epoch: 3, roster: 5, head: solves.at(-1)?.number ?? 0, changedAt: 77 }
  return {
    game,
    challenges: new Map(challenges.map((one) => [one.id, one])),
    board,
    drawing: 'd',
    values,
    teams: new Map(),
    solvers: new Map(),
    log,
  }
}

/** A log with gaps, which solves of unlisted teams and late solves cause; pairs may occur twice. */
const log = fc
  .record({
    teams: fc.integer({ min: 1, max: 60 }),
    // Many logs cross a cut, some end at it.
    first: fc.oneof(fc.integer({ min: 0, max: 1200 }), fc.integer({ min: 490, max: 512 }), fc.integer({ min: 1000, max: 1024 })),
    steps: fc.array(
      fc.record({
        gap: fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 40 })),
        team: fc.nat(65),
        challenge: fc.nat(4),
        after: fc.nat(9000),
        raised: fc.nat(5),
      }),
      { maxLength: 120 },
    ),
  })
  .map(({ teams, first, steps }) => {
    let [number, time] = [first, game.startsAt]
    const solves = steps.map(({ gap, team, challenge, after, raised }): BoardSolve => {
      number += gap
      time += after
      return {
        number,
        participationId: team + 1,
        challengeId: challenge + 1,
        userName: team % 7 === 0 ? null : `u${team % 5}`,
        arrivedAt: time - raised,
        shownAt: time,
      }
    })
    return { teams: teamsOf(teams), solves }
  })

/** The board that a client builds from base and tail, without knowing how they were made. */
function read(kept: KeptBoard, after: number) {
  const feed = feedView(kept)
  const tail = tailView(kept, after)
  for (const place of feed.challenges.id.keys()) {
    const solved = feed.solves.challenge.filter((challenge) => challenge === place).length
    expect(feed.challenges.values[place]).toEqual(scoreTable(curve, solved + 1))
  }
  let shownAt = feed.startsAt
  const board = drawBoard({
    startsAt: feed.startsAt,
    endsAt: feed.endsAt,
    bloodBonus: feed.bloodBonus,
    challenges: feed.challenges.id.map((id, i) => ({
      id,
      title: feed.challenges.title[i] as string,
      category: challengeCategories[feed.challenges.category[i] as number] as (typeof challengeCategories)[number],
      bloodBonus: feed.challenges.bloodBonus[i] as number | null,
      values: feed.challenges.values[i] as number[],
    })),
    teams: feed.teams.id.map((id, i) => ({
      id,
      participationId: feed.teams.participationId[i] as number,
      name: feed.teams.name[i] as string,
      bio: feed.teams.bio[i] as string | null,
      avatar: feed.teams.avatar[i] as string | null,
      division: feed.divisions[feed.teams.division[i] as number] ?? null,
    })),
    solves: feed.solves.number.map((number, i) => {
      shownAt += feed.solves.after[i] as number
      return {
        number,
        participationId: feed.teams.participationId[feed.solves.team[i] as number] as number,
        challengeId: feed.challenges.id[feed.solves.challenge[i] as number] as number,
        userName: feed.users[feed.solves.user[i] as number] as string | null,
        shownAt,
        arrivedAt: shownAt - (feed.solves.raised[i] as number),
      }
    }),
  })
  const rows = tail.solves
    .filter(([number]) => number > feed.head)
    .map(([number, participationId, challengeId, userName, arrivedAt, shown, value]) => {
      return { number, participationId, challengeId, userName, arrivedAt, shownAt: shown, value }
    })
  addSolves(board, rows)
  return { feed, tail, board }
}

/** Everything that a board shows. */
const seen = (board: Board) => [
  rowsOf(board).map(({ solves, ...row }) => [
    row,
    solves.map(({ number, challengeId, points, type, userName, time, arrivedAt }) => {
      return [number, challengeId, points, type, userName, time, arrivedAt]
    }),
  ]),
  columnsOf(board),
]

test('base and tail together equal a newly drawn board', () => {
  fc.assert(
    fc.property(log, fc.nat(120), ({ teams, solves }, drawn) => {
      const kept = keptBoard(teams, solves, drawn)
      const { feed, tail, board } = read(kept, feedView(kept).head)
      expect(seen(board)).toEqual(seen(kept.board))
      expect([feed.head % 512, tail.from, tail.to]).toEqual([0, feed.head, kept.log.head])
      expect(feed.solves.number.every((number) => number <= feed.head)).toBe(true)
    }),
  )
})

test('the base has the same bytes regardless of later solves and of how the node built its board', () => {
  fc.assert(
    fc.property(log, fc.nat(120), fc.nat(120), ({ teams, solves }, drawn, shorter) => {
      const whole = keptBoard(teams, solves, solves.length)
      const carried = keptBoard(teams, solves, drawn)
      expect(JSON.stringify(feedView(carried))).toBe(JSON.stringify(feedView(whole)))
      expect(JSON.stringify(tailView(carried, 0))).toBe(JSON.stringify(tailView(whole, 0)))
      const before = keptBoard(teams, solves.slice(0, shorter), 0)
      const sameCut = Math.floor(before.log.head / 512) === Math.floor(whole.log.head / 512)
      expect(baseVersion(before.log) === baseVersion(whole.log)).toBe(sameCut)
      if (sameCut) expect(JSON.stringify(feedView(before))).toBe(JSON.stringify(feedView(whole)))
    }),
  )
})

test('only bases of the same epoch and roster replace each other', () => {
  expect(isEarlierBase('3.512.5', '3.1024.5')).toBe(true)
  expect(['4.512.5', '3.512.6', '35.512.5', '3.512.55'].map((other) => isEarlierBase('3.512.5', other))).toEqual(
    Array(4).fill(false),
  )
})

test('a client with an earlier base gets the missing solves, one more than eight cuts behind is sent back to the feed', () => {
  const solves = Array.from({ length: 60 }, (_, i) => ({
    number: (i + 1) * 100,
    participationId: i + 1,
    challengeId: 1,
    userName: null,
    arrivedAt: 2000 + i,
    shownAt: 2000 + i,
  }))
  const kept = keptBoard(teamsOf(60), solves, 60)
  const numbers = (after: number) => tailView(kept, after).solves.map(([number]) => number)
  // 6000 is above the cut at 5632; eight cuts below that is 1536.
  expect(feedView(kept).head).toBe(5632)
  expect([tailFrom(6000, 5632), tailFrom(6000, 5700), tailFrom(6000, 5631)]).toEqual([5632, 5632, 5120])
  expect([tailFrom(6000, 1536), tailFrom(6000, 1535), tailFrom(6000, 0), tailFrom(6000, -7)]).toEqual([1536, 1536, 1536, 1536])
  expect([tailFrom(6000, 9999), tailFrom(100, -7), tailFrom(100, 0)]).toEqual([5632, 0, 0])
  expect(numbers(5632)).toEqual([5700, 5800, 5900, 6000])
  expect(numbers(5200)).toEqual([5200, 5300, 5400, 5500, 5600, 5700, 5800, 5900, 6000])
  expect(numbers(0)[0]).toBe(1600)
  expect(tailView(kept, 5632).solves.at(-1)).toEqual([6000, 60, 1, null, 2059, 2059, scoreTable(curve, 60)[60] ?? 100])
  expect(tailView(kept, 0)).toMatchObject({ gameId: 7, epoch: 3, roster: 5, from: 1536, to: 6000 })
  expect([baseVersion(kept.log), feedView(kept).changedAt]).toEqual(['3.5632.5', 2055])
})
