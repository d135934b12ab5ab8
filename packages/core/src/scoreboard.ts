/**
 * The board is a pure function of the game's settings, its listed teams and the solve log; `drawBoard` and `addSolves` give the same board.
 * Objects that were read from it do not change, except the points of solves in changed rows; an unchanged row is the same object at the next
 * reading. Scores are passed in, so that a browser's points equal the server's to the last digit.
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
  /** values[n]: score at n solves; beyond the end the last one applies, unless solves have later values. */
  readonly values: readonly number[]
  /** Packed (scoring.ts); null: that of the game. */
  readonly bloodBonus: number | null
}

export type BoardTeam = {
  readonly id: number
  readonly participationId: number
  readonly name: string
  readonly bio: string | null
  readonly avatar: string | null
  readonly division: string | null
}

export type BoardSolve = {
  /** Number in the solve log. */
  readonly number: number
  readonly participationId: number
  readonly challengeId: number
  readonly userName: string | null
  /** Arrival of the submission: decides whether it counts, and ties. */
  readonly arrivedAt: number
  /** Arrival for display, raised where necessary so that times never decrease along the log. */
  readonly shownAt: number
  /** Score of the challenge after this solve; extends `values`. */
  readonly value?: number
}

/** Contains enabled challenges and listed teams only. Other solves, and those that arrived too late, are skipped. */
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
  readonly time: number
  readonly arrivedAt: number
}

export type BoardRow = {
  readonly team: BoardTeam
  /** 1, 2, 3 … without shared ranks. */
  readonly rank: number
  /** Rank within the division; null without one. */
  readonly divisionRank: number | null
  readonly points: number
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
  readonly bloods: readonly BoardBlood[]
}

export type TimeLine = {
  readonly team: BoardTeam
  /** Cumulative sums of current points, one per solve. */
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
  lastArrival: number
  readonly entries: Entry[]
  /** By index of the column: 1 if solved. */
  readonly solved: Uint8Array
  /** Incremented by each change of the row, except of its rank. */
  version: number
  /** The row as last read, and its version. */
  view: BoardRow | undefined
  viewed: number
  /** Ranks as of the last reading; `moved`: they may have changed since. */
  rank: number
  /** 0 without a division. */
  divisionRank: number
  moved: boolean
}

type Column = {
  readonly challenge: BoardChallenge
  readonly index: number
  readonly entries: Entry[]
  /** Whether a solve had a value. */
  carried: boolean
  /** The score with which the points of its entries were computed. */
  value: number
  /** Index of the first changed entry; the length if none changed. */
  changedFrom: number
}

type Cache = {
  rows?: readonly BoardRow[]
  columns?: readonly BoardColumn[]
  timeLines?: ReadonlyMap<string, readonly TimeLine[]>
}

/** Read it with `rowsOf`, `rowOf`, `standingsOf`, `columnsOf` and `timeLinesOf`, which compute the changes since the last reading. */
export type Board = {
  readonly endsAt: number
  readonly bloodBonus: number
  /** By challenge, in the order of the board. */
  readonly columns: ReadonlyMap<number, Column>
  /** By participation. */
  readonly rows: Map<number, Row>
  /** Columns with solves whose points are not computed yet. */
  readonly unvalued: Set<Column>
  /** Rows whose rank may have changed. */
  moved: Row[]
  /** The rows of the last reading, in the rank order of that reading. */
  order: Row[]
  /** By participation id; built on demand. */
  listed: Row[]
  cache: Cache
}

/** Computes the board; the order of the facts does not matter. */
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

/** A counted solve and its position among those of its challenge: 1, 2, 3 … */
export type CountedSolve<S extends BoardSolve = BoardSolve> = { readonly solve: S; readonly place: number }

/** In place; points are computed at the next reading. Known solves have no effect. Returns the new counted solves, with their positions if they are in the order of the log. */
export function addSolves<S extends BoardSolve>(board: Board, solves: readonly S[]): CountedSolve<S>[] {
  const counted: CountedSolve<S>[] = []
  for (const solve of solves) {
    const column = place(board, solve)
    if (column) counted.push({ solve, place: column.entries.length })
  }
  if (counted.length > 0) board.cache = {}
  return counted
}

/** Updates name, picture or division of a team, or adds an accepted team without solves. In place; returns the same board. */
export function patchTeam(board: Board, team: BoardTeam): Board {
  const row = board.rows.get(team.participationId)
  if (row) {
    row.team = team
    touch(board, row)
  } else addRow(board, team)
  board.cache = {}
  return board
}

/** Displayed to new name; null for a deleted account. All at once, because two may have exchanged their names. In place; returns the same board. O(solves). */
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

function touch(board: Board, row: Row): void {
  row.version++
  if (row.moved) return
  row.moved = true
  board.moved.push(row)
}

/** Inserts a solve by its number, without points. Returns its column; undefined if it does not count. */
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

/** The earlier of two solves of one challenge by one team counts. Removes the stored one if it is the later. */
function evictLater(row: Row, column: Column, solve: BoardSolve): boolean {
  const stored = row.entries.find(({ challengeId }) => challengeId === column.challenge.id)!
  if (stored.number <= solve.number) return false
  row.entries.splice(row.entries.indexOf(stored), 1)
  column.entries.splice(column.entries.indexOf(stored), 1)
  row.points -= stored.points
  row.lastArrival = row.entries.reduce((last, { arrivedAt }) => Math.max(last, arrivedAt), Number.NEGATIVE_INFINITY)
  return true
}

/** Inserts in the order of the log and returns the index. New solves are nearly always last. */
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

/** Every solve of a challenge has the current score, also early ones. If the score is unchanged, earlier solves keep their points. */
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

/** From `values`; beyond its end, from the last solve with a value. */
function currentValue({ challenge: { values }, entries, carried }: Column): number {
  if (entries.length < values.length) return values[entries.length]!
  for (let solves = entries.length; carried && solves >= Math.max(values.length, 1); solves--) {
    const value = entries[solves - 1]!.value
    if (value !== undefined) return value
  }
  return values.at(-1) ?? 0
}

// ---- reading

/** Computes points of new solves and sorts the rows. O(rows) after a change, otherwise constant. */
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

/** Merges two sorted lists. The second, nearly always much shorter, is inserted by search. */
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

/** Rows in rank order. Computed on the first reading after a change. */
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

/** The top ten overall under `all`, and of each division under its name. Without start and end points. */
export function timeLinesOf(board: Board): ReadonlyMap<string, readonly TimeLine[]> {
  board.cache.timeLines ??= drawTimeLines(rowsOf(board))
  return board.cache.timeLines
}

/** undefined if the participation is not listed. */
export function rowOf(board: Board, participationId: number): BoardRow | undefined {
  const row = board.rows.get(participationId)
  if (!row) return undefined
  settle(board)
  return viewOf(row)
}

/** The ranks of all teams as columns: row i of each column belongs to the same team. */
export type Standings = {
  readonly participation: Uint32Array<ArrayBuffer>
  /** Version of the row without its ranks: if it is the same on this board, the row is unchanged. */
  readonly version: Uint32Array<ArrayBuffer>
  readonly rank: Uint32Array<ArrayBuffer>
  /** 0 without a division. */
  readonly divisionRank: Uint32Array<ArrayBuffer>
}

/** The columns are copies. O(rows). */
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

/** Current score of a challenge, without bonus; undefined if it is not on the board. */
export function scoreNow(board: Board, challengeId: number): number | undefined {
  const column = board.columns.get(challengeId)
  return column && currentValue(column)
}

/** Counted solves with higher numbers, in the order of the log. O(challenges + result). */
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

/** The board before the first solve. Adding the solves shown up to some time with `addSolves` gives the board of that time, for replays and frozen boards. O(teams). */
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
    // New divisions cannot be called `all`; an old one must not replace the overall line.
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

/** By points, then earlier last arrival, then lower number of that solve. Among equal points teams without solves come first, by id. */
function compareRows(a: Row, b: Row): number {
  if (a.points !== b.points) return b.points - a.points
  if (a.lastArrival !== b.lastArrival) return a.lastArrival - b.lastArrival
  return (a.entries.at(-1)?.number ?? 0) - (b.entries.at(-1)?.number ?? 0) || a.team.id - b.team.id
}

const compareChallenges = (a: BoardChallenge, b: BoardChallenge): number =>
  challengeCategories.indexOf(a.category) - challengeCategories.indexOf(b.category) ||
  compareText(a.title, b.title) ||
  a.id - b.id

/** By code units, which is independent of the locale. */
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
