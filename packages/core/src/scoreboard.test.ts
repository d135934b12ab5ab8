import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addSolves,
  type Board,
  type BoardChallenge,
  type BoardFacts,
  type BoardRow,
  type BoardSolve,
  type BoardTeam,
  columnsOf,
  drawBoard,
  emptied,
  patchTeam,
  renameSolvers,
  rowOf,
  rowsOf,
  scoreNow,
  solvesAbove,
  standingsOf,
  timeLinesOf,
} from './scoreboard.ts'
import { pointsOf, scoreTable, unpackBloodBonus } from './scoring.ts'

/** One more solve; the board is the same. */
function addSolve(board: Board, one: BoardSolve): Board {
  addSolves(board, [one])
  return board
}

const at = (clock: string) => Date.parse(`2026-05-01T${clock}Z`)

const challenge = (id: number, of: Partial<BoardChallenge> = {}): BoardChallenge => ({
  id,
  title: `challenge ${id}`,
  category: 'Misc',
  values: [100],
  bloodBonus: null,
  ...of,
})

const team = (id: number, of: Partial<BoardTeam> = {}): BoardTeam => ({
  id,
  participationId: id + 100,
  name: `T${id}`,
  bio: null,
  avatar: null,
  division: null,
  ...of,
})

const solve = (number: number, teamId: number, challengeId: number, time: number, of: Partial<BoardSolve> = {}): BoardSolve => ({
  number,
  participationId: teamId + 100,
  challengeId,
  userName: `player of T${teamId}`,
  arrivedAt: time,
  shownAt: time,
  ...of,
})

/** Everything that a reader of the board can see. */
const seen = (board: Board) =>
  structuredClone({
    rows: rowsOf(board).map((row) => ({ ...row, solves: row.solves.map(seenEntry) })),
    columns: columnsOf(board),
    timeLines: timeLinesOf(board),
  })
const seenEntry = ({
  number,
  challengeId,
  points,
  type,
  userName,
  time,
}: ReturnType<typeof rowsOf>[number]['solves'][number]) => ({ number, challengeId, points, type, userName, time })

const standing = (board: Board) => rowsOf(board).map((row) => [row.team.name, row.points])

const game: BoardFacts = {
  startsAt: at('09:00:00'),
  endsAt: at('18:00:00'),
  bloodBonus: 52459530,
  challenges: [
    challenge(1, { title: 'A', values: scoreTable({ originalScore: 1000, minScoreRate: 0.25, difficulty: 5 }, 4) }),
    challenge(2, { title: 'B', values: scoreTable({ originalScore: 500, minScoreRate: 0.1, difficulty: 10 }, 4) }),
  ],
  teams: [team(1), team(2), team(3), team(4)],
  solves: [
    solve(1, 4, 2, at('09:30:00')),
    solve(2, 1, 1, at('10:00:00')),
    solve(3, 2, 1, at('10:05:00')),
    solve(4, 3, 1, at('10:10:00')),
    solve(5, 4, 1, at('11:00:00')),
    solve(6, 1, 2, at('12:00:00')),
  ],
}

describe('the example game', () => {
  test('P9.7 P3.58 the first three solvers get their share of the current points, the fourth the plain score', () => {
    const board = drawBoard(game)
    expect(standing(board)).toEqual([
      ['T1', 1165],
      ['T4', 1141],
      ['T2', 681],
      ['T3', 668],
    ])
    expect(rowOf(board, 101)!.solves.map(({ points, type }) => [points, type])).toEqual([
      [694, 'FirstBlood'],
      [471, 'SecondBlood'],
    ])
    expect(rowOf(board, 104)!.solves.map(({ points, type }) => [points, type])).toEqual([
      [480, 'FirstBlood'],
      [661, 'Normal'],
    ])
    expect(columnsOf(board).map(({ value, solved }) => [value, solved])).toEqual([
      [661, 4],
      [457, 2],
    ])
    expect(columnsOf(board)[0]!.bloods.map(({ team: { name }, time }) => [name, time])).toEqual([
      ['T1', at('10:00:00')],
      ['T2', at('10:05:00')],
      ['T3', at('10:10:00')],
    ])
  })

  test('the time line of a team has the running sums of current points', () => {
    const line = timeLinesOf(drawBoard(game)).get('all')!
    expect(line.map((one) => one.team.name)).toEqual(['T1', 'T4', 'T2', 'T3'])
    expect(line[1]!.items).toEqual([
      { time: at('09:30:00'), points: 480 },
      { time: at('11:00:00'), points: 1141 },
    ])
  })

  test('P4.3 P3.27 a suspended team leaves the board and its bloods move to other teams; accepted again, everything is restored', () => {
    const without = drawBoard({ ...game, teams: game.teams.filter(({ id }) => id !== 1) })
    expect(standing(without)).toEqual([
      ['T4', 1285],
      ['T2', 790],
      ['T3', 775],
    ])
    expect(rowOf(without, 104)!.solves.map(({ points, type }) => [points, type])).toEqual([
      [525, 'FirstBlood'],
      [760, 'ThirdBlood'],
    ])
    expect(columnsOf(without).map(({ value, solved }) => [value, solved])).toEqual([
      [752, 3],
      [500, 1],
    ])
    expect(rowOf(without, 101)).toBeUndefined()
    expect(seen(drawBoard(game))).toEqual(seen(drawBoard({ ...game, teams: [...game.teams].reverse() })))
  })
})

describe('ranks', () => {
  const even = { ...game, bloodBonus: 0, challenges: [challenge(1, { values: [681] })] }

  test('P9.12 with equal points the team whose last solve came a millisecond earlier is ahead', () => {
    const late = at('10:05:00.120')
    expect(
      standing(drawBoard({ ...even, teams: [team(1), team(2)], solves: [solve(1, 1, 1, late), solve(2, 2, 1, late - 1)] })),
    ).toEqual([
      ['T2', 681],
      ['T1', 681],
    ])
  })

  test('P9.12 at the same millisecond the order of the solve log decides', () => {
    const time = at('10:05:00')
    const board = drawBoard({ ...even, teams: [team(1), team(2)], solves: [solve(1, 2, 1, time), solve(2, 1, 1, time)] })
    expect(standing(board).map(([name]) => name)).toEqual(['T2', 'T1'])
  })

  test('P9.12 arrival decides a tie, even where the shown time was raised to that of an earlier solve', () => {
    const time = at('10:05:00')
    const raised = solve(2, 1, 1, time - 3, { shownAt: time })
    const board = drawBoard({ ...even, teams: [team(1), team(2)], solves: [solve(1, 2, 1, time), raised] })
    expect(standing(board).map(([name]) => name)).toEqual(['T1', 'T2'])
    expect(rowOf(board, 101)!.lastAt).toBe(time)
  })

  test('P9.12 teams without a solve are ordered by their number, before teams whose solves are worth zero points', () => {
    const facts = { ...even, challenges: [challenge(1, { values: [0] })], teams: [team(3), team(1), team(2)] }
    const board = drawBoard({ ...facts, solves: [solve(1, 1, 1, at('10:00:00'))] })
    expect(rowsOf(board).map((row) => [row.team.id, row.rank, row.lastAt])).toEqual([
      [2, 1, null],
      [3, 2, null],
      [1, 3, at('10:00:00')],
    ])
  })

  test('P3.12 each division has its own ranks and time line', () => {
    const teams = [team(1, { division: 'x' }), team(2, { division: 'y' }), team(3, { division: 'x' }), team(4)]
    const board = drawBoard({ ...game, teams })
    expect(rowsOf(board).map((row) => [row.team.name, row.rank, row.divisionRank])).toEqual([
      ['T1', 1, 1],
      ['T4', 2, null],
      ['T2', 3, 1],
      ['T3', 4, 2],
    ])
    expect([...timeLinesOf(board)].map(([key, lines]) => [key, lines.map((line) => line.team.name)])).toEqual([
      ['all', ['T1', 'T4', 'T2', 'T3']],
      ['x', ['T1', 'T3']],
      ['y', ['T2']],
    ])
  })

  test('P3.12 time lines end at the tenth team, and a division called "all" does not change the overall one', () => {
    const teams = Array.from({ length: 25 }, (_, i) => team(i + 1, { division: i < 12 ? 'all' : 'z' }))
    const lines = timeLinesOf(drawBoard({ ...game, teams, solves: [] }))
    expect([...lines].map(([key, { length }]) => [key, length])).toEqual([
      ['all', 10],
      ['z', 10],
    ])
    expect(lines.get('z')![0]!.team.id).toBe(13)
  })
})

describe('what counts', () => {
  test('P4.20 a solve that arrived at the end or later is not on the board, and counts if the end is moved', () => {
    const solves = [solve(1, 1, 1, game.endsAt - 1), solve(2, 2, 1, game.endsAt), solve(3, 3, 1, game.endsAt + 1000)]
    expect(columnsOf(drawBoard({ ...game, solves }))[0]!.solved).toBe(1)
    expect(columnsOf(drawBoard({ ...game, solves, endsAt: game.endsAt + 1 }))[0]!.solved).toBe(2)
    const board = drawBoard({ ...game, solves: [] })
    const before = seen(board)
    expect(seen(addSolve(board, solves[2]!))).toEqual(before)
  })

  test('P4.13 a disabled challenge takes its points off the board; enabled again, it restores them', () => {
    const board = drawBoard({ ...game, challenges: game.challenges.slice(1) })
    expect(standing(board)).toEqual([
      ['T4', 480],
      ['T1', 471],
      ['T2', 0],
      ['T3', 0],
    ])
  })

  test('P3.52 challenges are ordered by category, then title, then number', () => {
    const challenges = [
      challenge(1, { category: 'OSINT' }),
      challenge(5, { category: 'Misc', title: 'b' }),
      challenge(3, { category: 'Web', title: 'z' }),
      challenge(4, { category: 'Misc', title: 'a' }),
      challenge(2, { category: 'Misc', title: 'b' }),
    ]
    expect(columnsOf(drawBoard({ ...game, challenges })).map(({ id }) => id)).toEqual([4, 2, 5, 3, 1])
  })

  test('P3.26 the bonus of a challenge applies to that challenge only; 0 removes the points and keeps the marks', () => {
    const [a, b] = game.challenges as [BoardChallenge, BoardChallenge]
    const board = drawBoard({ ...game, challenges: [{ ...a, bloodBonus: 0 }, b] })
    expect(rowOf(board, 101)!.solves.map(({ points, type }) => [points, type])).toEqual([
      [661, 'FirstBlood'],
      [471, 'SecondBlood'],
    ])
  })

  test('a new name changes one row, and a newly accepted team gets a row without points', () => {
    const board = drawBoard(game)
    patchTeam(board, team(2, { name: 'renamed' }))
    patchTeam(board, team(9))
    expect(standing(board)).toEqual([
      ['T1', 1165],
      ['T4', 1141],
      ['renamed', 681],
      ['T3', 668],
      ['T9', 0],
    ])
    expect(columnsOf(board)[0]!.bloods[1]!.team.name).toBe('renamed')
    addSolve(board, solve(7, 9, 2, at('13:00:00')))
    expect(rowOf(board, 109)!.solves[0]!.type).toBe('ThirdBlood')
  })

  test('SB-23 unchanged rows are the same objects at the next reading; earlier readings do not change', () => {
    const board = drawBoard({ ...game, teams: [...game.teams, team(9)] })
    const before = rowsOf(board)
    const old = (id: number) => before.find((row) => row.team.id === id)
    const shown = before.map((row) => [row.team.id, row.rank, row.points, row.solves.length])
    addSolve(board, solve(7, 3, 2, at('13:00:00')))
    // T3 overtakes T2: its own row is new, T2 has another place with the same solves, T4 and T1 have other points, T9 is unchanged.
    expect(rowsOf(board).map((row) => row.team.id)).toEqual([1, 4, 3, 2, 9])
    expect(rowOf(board, 109)).toBe(old(9))
    expect(rowOf(board, 102)).not.toBe(old(2))
    expect(rowOf(board, 102)!.solves).toBe(old(2)!.solves)
    expect(rowOf(board, 104)!.points).toBeLessThan(old(4)!.points)
    expect(rowOf(board, 103)!.solves).toHaveLength(2)
    expect(before.map((row) => [row.team.id, row.rank, row.points, row.solves.length])).toEqual(shown)
    const after = rowsOf(board)
    expect(rowsOf(board)).toBe(after)
    patchTeam(board, team(9, { name: 'renamed' }))
    expect(rowOf(board, 109)!.team.name).toBe('renamed')
    expect(rowOf(board, 101)).toBe(after[0])
    renameSolvers(board, new Map([['player of T2', 'somebody']]))
    expect(rowOf(board, 102)!.solves).not.toBe(old(2)!.solves)
    expect(rowOf(board, 101)).toBe(after[0])
  })

  test('solvers are renamed: exchanged, deleted, and all others unchanged', () => {
    const names = ['anna', 'bert', 'cleo', 'anna', null]
    const solves = names.map((userName, i) => ({ ...solve(i + 1, i < 4 ? i + 1 : 1, i < 4 ? 1 : 2, at('12:00:00')), userName }))
    const board = drawBoard({ ...game, solves })
    const before = rowsOf(board)
    renameSolvers(
      board,
      new Map([
        ['anna', 'bert'],
        ['bert', 'anna'],
        ['cleo', null],
      ]),
    )
    const shown = [101, 102, 103, 104].map((participation) => rowOf(board, participation)!.solves.map(({ userName }) => userName))
    expect(shown).toEqual([['bert', null], ['anna'], [null], ['bert']])
    // A page redraws a row that is another object.
    for (const row of rowsOf(board)) expect(before.includes(row)).toBe(row.solves.length === 0)
  })

  test('a solve worth zero points is in the row of its team at the next reading', () => {
    const worthless = { ...game, challenges: [challenge(1, { values: [0] })], solves: [] }
    const first = [1, 2, 3].map((number) => solve(number, number, 1, at('12:00:00')))
    const board = drawBoard({ ...worthless, solves: first })
    rowsOf(board)
    addSolve(board, solve(4, 4, 1, at('12:30:00')))
    expect(rowOf(board, 104)).toMatchObject({ points: 0, solves: [{ number: 4, points: 0, type: 'Normal' }] })
  })
})

// ---- laws

const curve = fc.record({
  originalScore: fc.integer({ min: 0, max: 2000 }),
  minScoreRate: fc.double({ min: 0, max: 1, noNaN: true }),
  difficulty: fc.double({ min: 0.1, max: 20, noNaN: true }),
})

/** A game with up to 8 teams and 5 challenges; some solves arrive too late, are repeated, or belong to no listed team. */
const facts: fc.Arbitrary<BoardFacts> = fc
  .record({
    curves: fc.array(fc.tuple(curve, fc.constantFrom(null, 0, 104919065)), { minLength: 1, maxLength: 5 }),
    divisions: fc.array(fc.constantFrom(null, 'x', 'y'), { minLength: 1, maxLength: 8 }),
    pairs: fc.array(fc.tuple(fc.nat(9), fc.nat(5), fc.nat(40)), { maxLength: 40 }),
    bloodBonus: fc.constantFrom(0, 52459530, 1049601000),
    endsAt: fc.integer({ min: 20, max: 45 }),
  })
  .map(({ curves, divisions, pairs, bloodBonus, endsAt }) => {
    let shownAt = 0
    const solves = pairs.map(([t, c, arrivedAt], i) => {
      shownAt = Math.max(shownAt, arrivedAt)
      return solve(i + 1, t, c, arrivedAt, { shownAt })
    })
    const challenges = curves.map(([of, own], i) =>
      challenge(i, { values: scoreTable(of, divisions.length), bloodBonus: own, category: i % 2 ? 'Web' : 'Pwn' }),
    )
    return { startsAt: 0, endsAt, bloodBonus, challenges, teams: divisions.map((division, i) => team(i, { division })), solves }
  })

/** The same with the values taken out of the tables and carried by the solves, as a server sends them. */
function carried(given: BoardFacts): BoardFacts {
  const board = drawBoard({ ...given, solves: [] })
  const solves = given.solves.map((one) => {
    addSolve(board, one)
    const value = columnsOf(board).find(({ id }) => id === one.challengeId)?.value
    return value === undefined ? one : { ...one, value }
  })
  return { ...given, challenges: given.challenges.map((one) => ({ ...one, values: one.values.slice(0, 2) })), solves }
}

type Shown = ReturnType<typeof naive>[number]
const shownOf = (row: BoardRow | undefined): Shown | undefined =>
  row && {
    participationId: row.team.participationId,
    division: row.team.division,
    rank: row.rank,
    divisionRank: row.divisionRank,
    points: row.points,
    solves: row.solves.map(({ number, points, type, userName }) => [number, points, type, userName]),
  }

/** Solves of listed teams in time, the first of each pair. */
function counted({ teams, challenges, solves, endsAt }: BoardFacts): BoardSolve[] {
  const listed = new Set(teams.map(({ participationId }) => participationId))
  const ids = new Set(challenges.map(({ id }) => id))
  const pairs = new Set<string>()
  return solves.filter(({ participationId, challengeId, arrivedAt }) => {
    const pair = `${participationId}.${challengeId}`
    if (!listed.has(participationId) || !ids.has(challengeId) || arrivedAt >= endsAt || pairs.has(pair)) return false
    pairs.add(pair)
    return true
  })
}

const naiveValue = ({ id, values }: BoardChallenge, solves: readonly BoardSolve[]): number => {
  const solved = solves.filter(({ challengeId }) => challengeId === id).length
  return values[Math.min(solved, values.length - 1)] as number
}

/** The board of solves that count, with each figure computed from all of them. */
function naive({ teams, challenges, solves, bloodBonus }: BoardFacts) {
  const rows = teams.map((of) => {
    const own = solves.filter(({ participationId }) => participationId === of.participationId)
    const entries = own.map(({ number, challengeId, userName }) => {
      const column = challenges.find(({ id }) => id === challengeId) as BoardChallenge
      const place = solves.filter((other) => other.challengeId === challengeId && other.number < number).length
      const { first, second, third } = unpackBloodBonus(column.bloodBonus ?? bloodBonus)
      const points = pointsOf(naiveValue(column, solves), [first, second, third][place] ?? 0)
      return [number, points, ['FirstBlood', 'SecondBlood', 'ThirdBlood'][place] ?? 'Normal', userName] as const
    })
    const points = entries.reduce((sum, [, points]) => sum + points, 0)
    return { of, entries, points, last: Math.max(...own.map(({ arrivedAt }) => arrivedAt)), at: own.at(-1)?.number ?? 0 }
  })
  rows.sort((a, b) => b.points - a.points || (a.last === b.last ? 0 : a.last - b.last) || a.at - b.at || a.of.id - b.of.id)
  return rows.map(({ of, entries, points }, index) => ({
    participationId: of.participationId,
    division: of.division,
    rank: index + 1,
    divisionRank: of.division && rows.slice(0, index + 1).filter((row) => row.of.division === of.division).length,
    points,
    solves: entries,
  }))
}

describe('invariants of the board', () => {
  const withSeed = fc.tuple(facts, fc.array(fc.nat(), { minLength: 40, maxLength: 40 }))
  const shuffled = <T>(items: readonly T[], keys: readonly number[]): T[] =>
    items
      .map((item, i) => [keys[i % keys.length]!, item] as const)
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item)

  test('any sequence of added solves gives the board computed from all of them', () => {
    fc.assert(
      fc.property(withSeed, fc.nat(40), ([whole, keys], split) => {
        const expected = seen(drawBoard(whole))
        const board = drawBoard({ ...whole, solves: whole.solves.slice(0, split) })
        for (const one of whole.solves.slice(split)) addSolve(board, one)
        expect(seen(board)).toEqual(expected)
        const anyOrder = drawBoard({ ...whole, solves: [] })
        for (const one of shuffled(whole.solves, keys)) seen(addSolve(anyOrder, one))
        expect(seen(anyOrder)).toEqual(expected)
      }),
    )
  })

  test('solves added together give the same board as solves added one by one, and are returned with their place in their challenge', () => {
    fc.assert(
      fc.property(facts, fc.nat(40), (whole, split) => {
        const [together, single] = [0, 1].map(() => drawBoard({ ...whole, solves: whole.solves.slice(0, split) })) as [
          Board,
          Board,
        ]
        const solved = () => new Map(columnsOf(single).map((column) => [column.id, column.solved]))
        const expected = whole.solves.slice(split).flatMap((one) => {
          const before = solved().get(one.challengeId)
          addSolve(single, one)
          const after = solved().get(one.challengeId)
          return after === before ? [] : [{ solve: one, place: after }]
        })
        expect(addSolves(together, whole.solves.slice(split))).toEqual(expected)
        expect(seen(together)).toEqual(seen(single))
        expect(addSolves(together, whole.solves)).toEqual([])
      }),
    )
  })

  test('the solves above a number are the counted entries of the log above it', () => {
    fc.assert(
      fc.property(facts, fc.nat(40), (whole, number) => {
        const board = drawBoard({ ...whole, solves: [] })
        const counted = addSolves(board, whole.solves).filter(({ solve }) => solve.number > number)
        const plain = ({ solve, place }: (typeof counted)[number]) => {
          const { participationId, challengeId, userName, arrivedAt, shownAt } = solve
          return [solve.number, participationId, challengeId, userName, arrivedAt, shownAt, place]
        }
        expect(solvesAbove(board, number).map(plain)).toEqual(counted.map(plain))
      }),
    )
  })

  test('an empty board with the solves up to a moment equals the board of that moment, from either source of values', () => {
    fc.assert(
      fc.property(facts, fc.nat(45), fc.boolean(), (whole, moment, sent) => {
        const given = sent ? carried(whole) : whole
        const board = drawBoard(given)
        const before = seen(board)
        const then = emptied(board)
        expect(rowsOf(then).map(({ points, solves }) => [points, solves.length])).toEqual(whole.teams.map(() => [0, 0]))
        const shown = solvesAbove(board, 0).flatMap(({ solve }) => (solve.shownAt <= moment ? [solve] : []))
        addSolves(then, shown)
        expect(seen(then)).toEqual(seen(drawBoard({ ...whole, solves: whole.solves.filter(({ shownAt }) => shownAt <= moment) })))
        expect(seen(board)).toEqual(before)
      }),
    )
  })

  test('values sent with the solves give the same board as values from a table', () => {
    fc.assert(
      fc.property(facts, (whole) => {
        const sent = carried(whole)
        const expected = seen(drawBoard(whole))
        expect(seen(drawBoard(sent))).toEqual(expected)
        const board = drawBoard({ ...sent, solves: [] })
        for (const one of sent.solves) addSolve(board, one)
        expect(seen(board)).toEqual(expected)
      }),
    )
  })

  test('P3.12 P9.12 after any readings, solves, accepted teams and moved divisions, the place of each team equals its computed place', () => {
    const readings = ['none', 'row', 'standings', 'rows', 'columns', 'score'] as const
    const steps = fc.array(
      fc.record({
        kind: fc.constantFrom('solve', 'solve', 'solve', 'team', 'team', 'rename'),
        team: fc.nat(9),
        division: fc.constantFrom(null, 'x', 'y'),
        reading: fc.constantFrom(...readings),
      }),
      { maxLength: 50 },
    )
    fc.assert(
      fc.property(facts, steps, (whole, history) => {
        const board = drawBoard({ ...whole, solves: [] })
        const teams = new Map(whole.teams.map((one) => [one.participationId, one]))
        const coming = [...whole.solves]
        let known: BoardSolve[] = []
        for (const { kind, team: id, division, reading } of history) {
          if (kind === 'solve') {
            const next = coming.splice(0, 1)
            addSolves(board, next)
            known = counted({ ...whole, teams: [...teams.values()], solves: [...known, ...next] })
          } else if (kind === 'team') {
            teams.set(id + 100, team(id, { division }))
            patchTeam(board, team(id, { division }))
          } else {
            const name = `player of T${id}`
            renameSolvers(board, new Map([[name, null]]))
            known = known.map((one) => (one.userName === name ? { ...one, userName: null } : one))
          }
          const right = naive({ ...whole, teams: [...teams.values()], solves: known })
          const own = right.find(({ participationId }) => participationId === id + 100)
          if (reading === 'row') expect(shownOf(rowOf(board, id + 100))).toEqual(own)
          if (reading === 'rows') expect(rowsOf(board).map(shownOf)).toEqual(right)
          if (reading === 'score') expect(scoreNow(board, 0)).toBe(whole.challenges[0] && naiveValue(whole.challenges[0], known))
          if (reading === 'columns') {
            const values = whole.challenges.map((one) => [one.id, naiveValue(one, known)] as const)
            expect(new Map(columnsOf(board).map((column) => [column.id, column.value]))).toEqual(new Map(values))
          }
          if (reading === 'standings') {
            const { participation, rank, divisionRank } = standingsOf(board)
            const places = Array.from(participation, (of, i) => [of, rank[i], divisionRank[i] || null])
            const expected = right.map((row) => [row.participationId, row.rank, row.divisionRank])
            expect(places).toEqual(expected.sort(([a], [b]) => (a as number) - (b as number)))
          }
        }
        expect(rowOf(board, -1)).toBeUndefined()
      }),
    )
  })

  test('the version of a row changes with all that it shows except its ranks, and not otherwise', () => {
    fc.assert(
      fc.property(facts, (whole) => {
        const board = drawBoard({ ...whole, solves: [] })
        const look = () => {
          const { participation, version } = standingsOf(board)
          return Array.from(participation, (id, i) => {
            const { rank: _, divisionRank: __, ...shown } = shownOf(rowOf(board, id)) as Shown
            return { id, version: version[i] as number, shown: JSON.stringify(shown) }
          })
        }
        let before = look()
        for (const one of whole.solves) {
          const own = addSolves(board, [one]).map(({ solve }) => solve.participationId)
          const after = look()
          for (const [i, { id, version, shown }] of after.entries()) {
            const old = before[i] as (typeof before)[number]
            expect(version === old.version).toBe(shown === old.shown && !own.includes(id))
          }
          before = after
        }
      }),
    )
  })

  test('adding a solve twice changes nothing', () => {
    fc.assert(
      fc.property(facts, (whole) => {
        const board = drawBoard(whole)
        for (const one of whole.solves) addSolve(board, one)
        expect(seen(board)).toEqual(seen(drawBoard(whole)))
      }),
    )
  })

  test('the order of the given facts does not matter', () => {
    fc.assert(
      fc.property(withSeed, ([whole, keys]) => {
        const mixed = {
          ...whole,
          solves: shuffled(whole.solves, keys),
          teams: shuffled(whole.teams, keys),
          challenges: shuffled(whole.challenges, keys),
        }
        expect(seen(drawBoard(mixed))).toEqual(seen(drawBoard(whole)))
      }),
    )
  })

  test('a team has the sum of its solves, ranks have no gaps, and each board is ordered', () => {
    fc.assert(
      fc.property(facts, (whole) => {
        const rows = rowsOf(drawBoard(whole))
        expect(rows.length).toBe(whole.teams.length)
        for (const [i, row] of rows.entries()) {
          expect(row.points).toBe(row.solves.reduce((sum, { points }) => sum + points, 0))
          expect(row.rank).toBe(i + 1)
          if (i > 0) expect(row.points).toBeLessThanOrEqual(rows[i - 1]!.points)
        }
      }),
    )
  })

  test('P3.27 a further solve never raises the value of a challenge', () => {
    fc.assert(
      fc.property(facts, (whole) => {
        const board = drawBoard({ ...whole, solves: [] })
        for (const one of whole.solves) {
          const before = columnsOf(board)
          const after = columnsOf(addSolve(board, one))
          for (const [i, column] of after.entries()) expect(column.value).toBeLessThanOrEqual(before[i]!.value)
        }
      }),
    )
  })

  test('without bonuses, a team that solved all that another team solved never has fewer points', () => {
    fc.assert(
      fc.property(facts, (whole) => {
        const plain = { ...whole, bloodBonus: 0, challenges: whole.challenges.map((one) => ({ ...one, bloodBonus: 0 })) }
        const rows = rowsOf(drawBoard(plain)).map((row) => ({ ...row, ids: new Set(row.solves.map((one) => one.challengeId)) }))
        for (const a of rows)
          for (const b of rows) if ([...b.ids].every((id) => a.ids.has(id))) expect(a.points).toBeGreaterThanOrEqual(b.points)
      }),
    )
  })
})

test('a board of ten thousand teams with 120,000 solves is computed', () => {
  const teams = Array.from({ length: 10_000 }, (_, i) => team(i))
  const challenges = Array.from({ length: 100 }, (_, i) => challenge(i, { values: [500, 500, 480, 470] }))
  const solves = Array.from({ length: 120_000 }, (_, i) => solve(i + 1, i % 10_000, Math.floor(i / 10_000) * 8, i))
  const board = drawBoard({ ...game, startsAt: 0, endsAt: 1e9, teams, challenges, solves })
  expect(rowsOf(board)).toHaveLength(10_000)
})

describe('boundaries', () => {
  const plain: BoardFacts = {
    ...game,
    bloodBonus: 0,
    challenges: [challenge(1, { values: [100, 100, 50] }), challenge(2, { values: [30, 30] })],
    solves: [],
  }
  const [nine, ten, eleven] = [at('09:30:00'), at('10:00:00'), at('11:00:00')]

  test('the current score of a challenge is its value without bonus, and undefined for an unknown one', () => {
    const board = drawBoard({ ...plain, solves: [solve(1, 1, 1, nine), solve(2, 2, 1, ten)] })
    expect([scoreNow(board, 1), scoreNow(board, 2), scoreNow(board, 9)]).toEqual([50, 30, undefined])
  })

  test('facts in any order: the earlier solve in the log of the same team and challenge stays, with its points, time and name', () => {
    const solves = [
      solve(4, 1, 1, eleven, { userName: 'late' }),
      solve(3, 1, 2, ten),
      solve(2, 2, 1, ten),
      solve(1, 1, 1, nine, { userName: 'early' }),
    ]
    const right = drawBoard({ ...plain, solves: [...solves].reverse() })
    expect(rowOf(right, 101)).toMatchObject({
      points: 80,
      lastAt: ten,
      solves: [{ number: 1, userName: 'early' }, { number: 3 }],
    })
    expect(seen(drawBoard({ ...plain, solves }))).toEqual(seen(right))
    const added = drawBoard(plain)
    for (const one of solves) addSolve(added, one)
    expect(seen(added)).toEqual(seen(right))
    expect(standing(added)).toEqual([
      ['T1', 80],
      ['T2', 50],
      ['T3', 0],
      ['T4', 0],
    ])
  })

  test('the solves above a number are in the order of the log, whatever their challenge', () => {
    const board = drawBoard({ ...plain, solves: [solve(1, 1, 2, nine), solve(2, 2, 1, ten), solve(3, 1, 1, eleven)] })
    const above = (number: number) => solvesAbove(board, number).map((one) => one.solve.number)
    expect([above(0), above(1), above(3)]).toEqual([[1, 2, 3], [2, 3], []])
  })

  test('a replaced solve loses its points, and its arrival, which decides ties', () => {
    const board = drawBoard({ ...plain, challenges: [challenge(1), challenge(2)] })
    addSolve(board, solve(5, 1, 1, eleven))
    addSolve(board, solve(3, 2, 1, ten))
    expect(standing(board).map(([name]) => name)).toEqual(['T2', 'T1', 'T3', 'T4'])
    addSolve(board, solve(2, 1, 1, nine))
    expect(standing(board)).toEqual([
      ['T1', 100],
      ['T2', 100],
      ['T3', 0],
      ['T4', 0],
    ])
    addSolve(board, solve(6, 1, 2, eleven))
    addSolve(board, solve(1, 1, 2, nine))
    addSolve(board, solve(7, 2, 2, ten))
    expect(standing(board).map(([name]) => name)).toEqual(['T1', 'T2', 'T3', 'T4'])
  })

  test('after a solve is replaced the last remaining arrival decides ties', () => {
    const board = drawBoard({ ...plain, challenges: [challenge(1), challenge(2)] })
    addSolve(board, solve(4, 1, 2, ten))
    addSolve(board, solve(5, 1, 1, eleven))
    for (const [number, id] of [
      [6, 1],
      [7, 2],
    ] as const)
      addSolve(board, solve(number, 2, id, at('09:45:00')))
    addSolve(board, solve(2, 1, 1, nine))
    expect(standing(board).slice(0, 2)).toEqual([
      ['T2', 200],
      ['T1', 200],
    ])
  })

  test('remaining ties are ordered by the log, in any order of teams and solves', () => {
    const teams = [team(1), team(2)]
    for (const first of [1, 2])
      for (const given of [teams, [...teams].reverse()]) {
        const solves = [solve(1, first, 1, nine), solve(2, 3 - first, 1, nine)]
        const board = drawBoard({ ...plain, challenges: [challenge(1)], teams: given, solves })
        expect(rowsOf(board).map((row) => row.team.id)).toEqual([first, 3 - first])
      }
  })

  test('challenges of one category are ordered by title, in any input order', () => {
    const two = [challenge(1, { title: 'b' }), challenge(2, { title: 'a' })]
    for (const challenges of [two, [...two].reverse()])
      expect(columnsOf(drawBoard({ ...plain, challenges })).map(({ title }) => title)).toEqual(['a', 'b'])
  })

  test('beyond the table the value of the last solve with a value counts; values within the table are ignored', () => {
    const short = { ...plain, challenges: [challenge(1, { values: [100, 90] })] }
    const valued = (value: number | undefined, n: number) => solve(n, n, 1, nine + n, value === undefined ? {} : { value })
    const worth = (...values: (number | undefined)[]) =>
      scoreNow(drawBoard({ ...short, solves: values.map((value, i) => valued(value, i + 1)) }), 1)
    expect([worth(), worth(7), worth(7, 80), worth(7, undefined), worth(7, 80, undefined)]).toEqual([100, 90, 80, 90, 80])
    const none = { ...plain, challenges: [challenge(1, { values: [] })] }
    expect(scoreNow(drawBoard(none), 1)).toBe(0)
    expect(scoreNow(drawBoard({ ...none, solves: [valued(60, 1)] }), 1)).toBe(60)
  })

  test('teams without a solve are ordered by their number', () => {
    const board = drawBoard({ ...plain, teams: [team(3), team(1), team(2)] })
    expect(standing(board).map(([name]) => name)).toEqual(['T1', 'T2', 'T3'])
  })

  test('challenges with the same title are ordered by their number, in any input order', () => {
    const twins = [1, 2, 3].map((id) => challenge(id, { title: 'same' }))
    for (const challenges of [twins, [...twins].reverse()])
      expect(columnsOf(drawBoard({ ...plain, challenges })).map(({ id }) => id)).toEqual([1, 2, 3])
  })

  test('a solver without a name stays unnamed after any renaming', () => {
    const board = drawBoard({
      ...plain,
      solves: [solve(1, 1, 1, nine, { userName: null }), solve(2, 2, 1, ten, { userName: 'null' })],
    })
    renameSolvers(board, new Map([['null', 'New']]))
    expect([rowOf(board, 101)!.solves[0]!.userName, rowOf(board, 102)!.solves[0]!.userName]).toEqual([null, 'New'])
  })
})
