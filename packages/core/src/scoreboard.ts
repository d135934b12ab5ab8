/**
 * The board is a pure function of the game's settings, its listed teams and the solve log. `drawBoard` makes it from
 * nothing; `addSolves` carries it on in work that grows with the solvers of their challenges. Both give the same board.
 *
 * A board is changed in place by `addSolves` and `patchTeam`. What is read from it stays as it was, but for the points of solves in rows that
 * changed; a row that did not change is the same object at the next reading, so that it need not be drawn again.
 * Scores come in as values; nothing here computes a curve, so a browser's points equal the server's to the last digit.
 */
import { timeLineTeams } from './limits.ts'
import { countsForScore } from './phases.ts'
import { bloodAt, perMilleAt, pointsOf, unpackBloodBonus } from './scoring.ts'
import { type ChallengeCategory, challengeCategories, type SubmissionType } from './vocabulary.ts'

// ---- facts

export type BoardChallenge = {
  readonly id: number
  readonly title: string
  readonly category: ChallengeCategory
  /** values[n] = score at n solves; beyond the end the last holds, unless solves bring further values. */
  readonly values: readonly number[]
  /** Packed (scoring.ts); null = the game's. */
  readonly bloodBonus: number | null
}

export type BoardTeam = {
  /** team id */
  readonly id: number
  readonly participationId: number
  readonly name: string
  readonly bio: string | null
  readonly avatar: string | null
  readonly division: string | null
}

export type BoardSolve = {
  /** Place in the solve log. */
  readonly number: number
  readonly participationId: number
  readonly challengeId: number
  readonly userName: string | null
  /** When the submission arrived: decides whether it counts, and ties. */
  readonly arrivedAt: number
  /** The same, raised where needed so that times never run backwards along the log. */
  readonly shownAt: number
  /** Score of the challenge after this solve; carries `values` on. */
  readonly value?: number
}

/** Holds enabled challenges and listed teams only. Solves of others, and those that arrived too late, are skipped. */
export type BoardFacts = {
  readonly startsAt: number
  readonly endsAt: number
  /** Packed (scoring.ts). */
  readonly bloodBonus: number
  readonly challenges: readonly BoardChallenge[]
  readonly teams: readonly BoardTeam[]
  readonly solves: readonly BoardSolve[]
}

// ---- what a board shows

export type BoardEntry = {
  readonly number: number
  readonly challengeId: number
  readonly points: number
  readonly type: SubmissionType
  readonly userName: string | null
  /** As shown. */
  readonly time: number
  readonly arrivedAt: number
}

export type BoardRow = {
  readonly team: BoardTeam
  /** 1, 2, 3 … without shared ranks. */
  readonly rank: number
  /** The same within the division; null without one. */
  readonly divisionRank: number | null
  readonly points: number
  /** Time of the last solve; null without any. */
  readonly lastAt: number | null
  /** In the order of the log. */
  readonly solves: readonly BoardEntry[]
}

type BoardBlood = { readonly team: BoardTeam; readonly time: number }

export type BoardColumn = {
  readonly id: number
  readonly title: string
  readonly category: ChallengeCategory
  /** Current score, without bonus. */
  readonly value: number
  readonly solved: number
  /** At most three, in order. */
  readonly bloods: readonly BoardBlood[]
}

export type TimeLine = {
  readonly team: BoardTeam
  /** Running sums of current points, one for each solve. */
  readonly items: readonly { readonly time: number; readonly points: number }[]
}

// ---- the board

type Entry = {
  readonly number: number
  readonly challengeId: number
  points: number
  type: SubmissionType
  userName: string | null
  readonly time: number
  readonly arrivedAt: number
  readonly value: number | undefined
  readonly row: Row
}

type Row = {
  team: BoardTeam
  points: number
  /** Latest arrival of its solves. */
  lastArrival: number
  readonly entries: Entry[]
  /** By index of the column: has a solve. */
  readonly solved: Uint8Array
  /** Raised by each change of what the row shows, its place aside. */
  version: number
  /** As it was read last, and the version that it shows. */
  view: BoardRow | undefined
  viewed: number
  /** Places as of the last reading; `moved` when they may be others since. */
  rank: number
  /** 0 without a division. */
  divisionRank: number
  moved: boolean
}

type Column = {
  readonly challenge: BoardChallenge
  readonly index: number
  readonly entries: Entry[]
  /** Did any of them bring a value? */
  carried: boolean
  /** What its entries were valued with. */
  value: number
  /** The first entry that changed since; beyond the last when none did. */
  changedFrom: number
}

type Cache = {
  rows?: readonly BoardRow[]
  columns?: readonly BoardColumn[]
  timeLines?: ReadonlyMap<string, readonly TimeLine[]>
}

/** Read it with `rowsOf`, `rowOf`, `standingsOf`, `columnsOf` and `timeLinesOf`, which compute what changed since the last reading. */
export type Board = {
  readonly endsAt: number
  readonly bloodBonus: number
  /** By challenge, in the order of the board. */
  readonly columns: ReadonlyMap<number, Column>
  /** By participation. */
  readonly rows: Map<number, Row>
  /** Columns with solves that have no points yet. */
  readonly unvalued: Set<Column>
  /** Rows whose place may have changed. */
  moved: Row[]
  /** All other rows and, from before they moved, those: in rank order as of the last reading. */
  order: Row[]
  /** By participation number, when asked for. */
  listed: Row[]
  cache: Cache
}

/** The board of these facts, in whatever order they are given. */
export function drawBoard(facts: BoardFacts): Board {
  const challenges = [...facts.challenges].sort(compareChallenges)
  const columns = new Map(
    challenges.map((challenge, index): [number, Column] => [
      challenge.id,
      { challenge, index, entries: [], carried: false, value: 0, changedFrom: 0 },
    ]),
  )
  const board: Board = {
    endsAt: facts.endsAt,
    bloodBonus: facts.bloodBonus,
    columns,
    rows: new Map(),
    unvalued: new Set(),
    moved: [],
    order: [],
    listed: [],
    cache: {},
  }
  for (const team of facts.teams) addRow(board, team)
  for (const solve of facts.solves) place(board, solve)
  return board
}

/** A solve that counts, and which one of its challenge it is: 1, 2, 3 … */
export type CountedSolve<S extends BoardSolve = BoardSolve> = { readonly solve: S; readonly place: number }

/**
 * Adds solves of the log, in place; points are computed at the next reading, once for all solves until then. A solve that the board has already
 * changes nothing. Returns those that count and that it did not have, with the place that they have when they come in the order of the log.
 */
export function addSolves<S extends BoardSolve>(board: Board, solves: readonly S[]): CountedSolve<S>[] {
  const counted: CountedSolve<S>[] = []
  for (const solve of solves) {
    const column = place(board, solve)
    if (column) counted.push({ solve, place: column.entries.length })
  }
  if (counted.length > 0) board.cache = {}
  return counted
}

/** New name, picture or division of a team, or a newly accepted team without solves; in place, and returns the same board. */
export function patchTeam(board: Board, team: BoardTeam): Board {
  const row = board.rows.get(team.participationId)
  if (row) {
    row.team = team
    touch(board, row)
  } else addRow(board, team)
  board.cache = {}
  return board
}

/**
 * Solvers under other names, by the name that the board shows; null for an account that was deleted. All at once, so that two may have
 * exchanged their names. In place, and returns the same board. Costs one look at each solve.
 */
export function renameSolvers(board: Board, names: ReadonlyMap<string, string | null>): Board {
  for (const row of board.rows.values()) {
    for (const entry of row.entries) {
      const name = entry.userName === null ? undefined : names.get(entry.userName)
      if (name === undefined) continue
      entry.userName = name
      touch(board, row)
    }
  }
  board.cache = {}
  return board
}

function addRow(board: Board, team: BoardTeam): void {
  const row: Row = {
    team,
    points: 0,
    lastArrival: Number.NEGATIVE_INFINITY,
    entries: [],
    solved: new Uint8Array(board.columns.size),
    version: 0,
    view: undefined,
    viewed: 0,
    rank: 0,
    divisionRank: 0,
    moved: false,
  }
  board.rows.set(team.participationId, row)
  touch(board, row)
}

/** Something in the row changed: it is shown anew, and its place is looked for again. */
function touch(board: Board, row: Row): void {
  row.version++
  if (row.moved) return
  row.moved = true
  board.moved.push(row)
}

/** Puts a solve where the log says, without points. Returns its column; undefined when it does not count. */
function place(board: Board, solve: BoardSolve): Column | undefined {
  const row = board.rows.get(solve.participationId)
  const column = board.columns.get(solve.challengeId)
  if (!row || !column || !countsForScore(board, solve.arrivedAt)) return undefined
  if (row.solved[column.index] && !evictLater(row, column, solve)) return undefined
  row.solved[column.index] = 1
  row.lastArrival = Math.max(row.lastArrival, solve.arrivedAt)
  const entry: Entry = {
    number: solve.number,
    challengeId: solve.challengeId,
    points: 0,
    type: 'Normal',
    userName: solve.userName,
    time: solve.shownAt,
    arrivedAt: solve.arrivedAt,
    value: solve.value,
    row,
  }
  if (solve.value !== undefined) column.carried = true
  touch(board, row)
  insert(row.entries, entry)
  changed(board, column, insert(column.entries, entry))
  return column
}

/** Of two solves for one pair the earlier in the log counts. Removes the stored one if it is the later. */
function evictLater(row: Row, column: Column, solve: BoardSolve): boolean {
  const standing = row.entries.find(({ challengeId }) => challengeId === column.challenge.id)!
  if (standing.number <= solve.number) return false
  row.entries.splice(row.entries.indexOf(standing), 1)
  column.entries.splice(column.entries.indexOf(standing), 1)
  row.points -= standing.points
  row.lastArrival = row.entries.reduce((last, { arrivedAt }) => Math.max(last, arrivedAt), Number.NEGATIVE_INFINITY)
  return true
}

/** Keeps the order of the log. New solves are nearly always last. Returns its index. */
function insert(entries: Entry[], entry: Entry): number {
  let at = entries.length
  while (at > 0 && entries[at - 1]!.number > entry.number) at--
  entries.splice(at, 0, entry)
  return at
}

function changed(board: Board, column: Column, at: number): void {
  column.changedFrom = Math.min(column.changedFrom, at)
  board.unvalued.add(column)
}

/** One score for all: each solve of a challenge has its current value, also the early ones. While that stays, earlier solves keep their points. */
function revalue(board: Board, column: Column): void {
  const { challenge, entries } = column
  const bonus = unpackBloodBonus(challenge.bloodBonus ?? board.bloodBonus)
  const value = currentValue(column)
  for (let at = value === column.value ? column.changedFrom : 0; at < entries.length; at++) {
    const entry = entries[at]!
    const points = pointsOf(value, perMilleAt(bonus, at))
    const type = bloodAt(at)
    if (points === entry.points && type === entry.type) continue
    touch(board, entry.row)
    entry.row.points += points - entry.points
    entry.points = points
    entry.type = type
  }
  column.value = value
  column.changedFrom = entries.length
}

/** From the table; where that ends, from the last solve that brought a value. */
function currentValue({ challenge: { values }, entries, carried }: Column): number {
  if (entries.length < values.length) return values[entries.length]!
  for (let solves = entries.length; carried && solves >= Math.max(values.length, 1); solves--) {
    const value = entries[solves - 1]!.value
    if (value !== undefined) return value
  }
  return values.at(-1) ?? 0
}

// ---- reading

/** Values what is new and brings the rows into order. After a change it costs a look at each row, else nothing. */
function settle(board: Board): void {
  for (const column of board.unvalued) revalue(board, column)
  board.unvalued.clear()
  if (board.moved.length === 0) return
  board.order = merged(
    board.order.filter(({ moved }) => !moved),
    board.moved.sort(compareRows),
  )
  for (const row of board.moved) row.moved = false
  board.moved = []
  const inDivision = new Map<string, number>()
  let rank = 0
  for (const row of board.order) {
    const { division } = row.team
    row.rank = ++rank
    row.divisionRank = division ? (inDivision.get(division) ?? 0) + 1 : 0
    if (division) inDivision.set(division, row.divisionRank)
  }
}

/** Two lists, each in order, as one. Looks for the place of each row of the second, which is nearly always much shorter. */
function merged(one: readonly Row[], other: readonly Row[]): Row[] {
  const all: Row[] = []
  let from = 0
  for (const row of other) {
    let [low, high] = [from, one.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (compareRows(one[middle]!, row) < 0) low = middle + 1
      else high = middle
    }
    while (from < low) all.push(one[from++]!)
    all.push(row)
  }
  while (from < one.length) all.push(one[from++]!)
  return all
}

/** Rows in rank order. Computed at the first reading after a change. */
export function rowsOf(board: Board): readonly BoardRow[] {
  settle(board)
  board.cache.rows ??= board.order.map(viewOf)
  return board.cache.rows
}

/** Challenges by category, title and id. */
export function columnsOf(board: Board): readonly BoardColumn[] {
  board.cache.columns ??= [...board.columns.values()].map((column) => ({
    id: column.challenge.id,
    title: column.challenge.title,
    category: column.challenge.category,
    value: currentValue(column),
    solved: column.entries.length,
    bloods: column.entries.slice(0, 3).map(({ row, time }) => ({ team: row.team, time })),
  }))
  return board.cache.columns
}

/** The top ten overall under `all`, and of each division that occurs under its name. No start and no end point. */
export function timeLinesOf(board: Board): ReadonlyMap<string, readonly TimeLine[]> {
  board.cache.timeLines ??= drawTimeLines(rowsOf(board))
  return board.cache.timeLines
}

/** The row of a participation; undefined when it is not listed. */
export function rowOf(board: Board, participationId: number): BoardRow | undefined {
  const row = board.rows.get(participationId)
  if (!row) return undefined
  settle(board)
  return viewOf(row)
}

/** The rank of each team, as columns: row i of one belongs to row i of the others. */
export type Standings = {
  /** Ascending. */
  readonly participation: Uint32Array<ArrayBuffer>
  /** Of what the team's row shows, its ranks aside: as long as it is the same on this board, so is the row. */
  readonly version: Uint32Array<ArrayBuffer>
  readonly rank: Uint32Array<ArrayBuffer>
  /** 0 without a division. */
  readonly divisionRank: Uint32Array<ArrayBuffer>
}

/** The ranks of all teams. The columns are copies. O(rows). */
export function standingsOf(board: Board): Standings {
  settle(board)
  if (board.listed.length !== board.rows.size)
    board.listed = [...board.rows].sort(([one], [other]) => one - other).map(([, row]) => row)
  const { length } = board.listed
  const column = () => new Uint32Array(length)
  const standings = { participation: column(), version: column(), rank: column(), divisionRank: column() }
  for (const [at, row] of board.listed.entries()) {
    standings.participation[at] = row.team.participationId
    standings.version[at] = row.version
    standings.rank[at] = row.rank
    standings.divisionRank[at] = row.divisionRank
  }
  return standings
}

/** Current score of a challenge, without bonus; undefined when it is not on the board. */
export function scoreNow(board: Board, challengeId: number): number | undefined {
  const column = board.columns.get(challengeId)
  return column && currentValue(column)
}

/** Solves that count with numbers above this one, in the order of the log. Costs a look at each challenge and at what it returns. */
export function solvesAbove(board: Board, above: number): CountedSolve[] {
  const found: CountedSolve[] = []
  for (const { entries } of board.columns.values()) {
    for (let place = entries.length; place > 0 && entries[place - 1]!.number > above; place--) {
      const { number, row, challengeId, userName, arrivedAt, time, value } = entries[place - 1]!
      const { participationId } = row.team
      const solve = {
        number,
        participationId,
        challengeId,
        userName,
        arrivedAt,
        shownAt: time,
        ...(value !== undefined && { value }),
      }
      found.push({ solve, place })
    }
  }
  return found.sort((a, b) => a.solve.number - b.solve.number)
}

/**
 * The same challenges and teams before the first solve. With `addSolves` of the solves above 0 that were shown by a moment it becomes the board
 * as it stood then: a replay and a board that is frozen are that. Costs a row for each team.
 */
export function emptied({ endsAt, bloodBonus, columns, rows }: Board): Board {
  const challenges = [...columns.values()].map(({ challenge }) => challenge)
  const teams = [...rows.values()].map(({ team }) => team)
  return drawBoard({ startsAt: 0, endsAt, bloodBonus, challenges, teams, solves: [] })
}

function viewOf(row: Row): BoardRow {
  const { view, viewed, version, team, rank, points, entries } = row
  const divisionRank = row.divisionRank || null
  const isSame = view !== undefined && viewed === version
  if (isSame && view.rank === rank && view.divisionRank === divisionRank) return view
  const solves = isSame ? view.solves : entries.slice()
  row.viewed = version
  row.view = { team, rank, divisionRank, points, lastAt: entries.at(-1)?.time ?? null, solves }
  return row.view
}

function drawTimeLines(rows: readonly BoardRow[]): Map<string, readonly TimeLine[]> {
  const lines = new Map<string, TimeLine[]>([['all', rows.slice(0, timeLineTeams).map(timeLineOf)]])
  for (const row of rows) {
    const { division } = row.team
    // A division called `all` is refused on editing; an old one must not spoil the overall line.
    if (!division || division === 'all' || (row.divisionRank ?? 0) > timeLineTeams) continue
    const line = lines.get(division)
    if (line) line.push(timeLineOf(row))
    else lines.set(division, [timeLineOf(row)])
  }
  return lines
}

function timeLineOf({ team, solves }: BoardRow): TimeLine {
  let sum = 0
  return {
    team,
    items: solves.map(({ time, points }) => {
      sum += points
      return { time, points: sum }
    }),
  }
}

// ---- orders

/** Points; then who had them first; then the place of that last solve in the log; teams without any come first, by id. */
function compareRows(a: Row, b: Row): number {
  if (a.points !== b.points) return b.points - a.points
  if (a.lastArrival !== b.lastArrival) return a.lastArrival - b.lastArrival
  return (a.entries.at(-1)?.number ?? 0) - (b.entries.at(-1)?.number ?? 0) || a.team.id - b.team.id
}

const compareChallenges = (a: BoardChallenge, b: BoardChallenge): number =>
  challengeCategories.indexOf(a.category) - challengeCategories.indexOf(b.category) ||
  compareText(a.title, b.title) ||
  a.id - b.id

/** By code units: the same order on every machine. */
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
