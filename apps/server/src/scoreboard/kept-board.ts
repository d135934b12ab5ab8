import { randomUUID } from 'node:crypto'
import type { BoardSolves, SolveColumns } from '@vexil/contract/live'
import {
  addSolves,
  type Board,
  type BoardTeam,
  type CountedSolve,
  drawBoard,
  patchTeam,
  renameSolvers,
} from '@vexil/core/scoreboard'
import { scoreOf, scoreTable } from '@vexil/core/scoring'
import type { BoardGame, FactChallenge, Facts, LoggedSolve, LogState, Roster } from './board-facts.queries.ts'

export interface KeptBoard {
  readonly game: BoardGame
  readonly challenges: ReadonlyMap<number, FactChallenge>
  readonly board: Board
  /** Unique for each rebuild, after which the versions of rows start again. */
  readonly drawing: string
  /** By challenge: scores at 0, 1, 2 … solves, as many as its teams may need. */
  readonly values: ReadonlyMap<number, number[]>
  readonly teams: Map<number, BoardTeam>
  /** By account: the name of its solves on the board. */
  readonly solvers: Map<string, string>
  log: LogState
}

export type Change =
  | ({ readonly kind: 'solves' } & BoardSolves)
  | { readonly kind: 'drawn'; readonly log: LogState }
  | {
      readonly kind: 'roster'
      readonly from: number
      readonly log: LogState
      readonly teams: readonly BoardTeam[]
      /** Old names to new names, null for a deleted account. */
      readonly solvers: ReadonlyMap<string, string | null>
    }

/** Entries of a table of values beyond the number of teams. */
const reserve = 64

function addSolverNames(kept: KeptBoard, solves: readonly LoggedSolve[]): void {
  for (const { accountId, userName } of solves) if (accountId !== null && userName !== null) kept.solvers.set(accountId, userName)
}

export function solveColumns({ challenges }: Pick<KeptBoard, 'challenges'>, { solve, place }: CountedSolve): SolveColumns {
  const { number, participationId, challengeId, userName, arrivedAt, shownAt } = solve
  const curve = challenges.get(challengeId)?.curve
  return [number, participationId, challengeId, userName, arrivedAt, shownAt, curve ? scoreOf(curve, place) : 0]
}

/** The board refers to these arrays, so they are extended in place. */
function extendValues({ challenges, values, teams }: KeptBoard): void {
  for (const [id, { curve }] of challenges) {
    const known = values.get(id)
    known?.push(...scoreTable(curve, teams.size + reserve).slice(known.length))
  }
}

const isSameTeam = (shown: BoardTeam | undefined, team: BoardTeam): boolean =>
  shown !== undefined &&
  shown.name === team.name &&
  shown.bio === team.bio &&
  shown.avatar === team.avatar &&
  shown.division === team.division

export function drawKept({ game, challenges, teams, solves, log }: Facts): KeptBoard {
  const values = new Map(challenges.map(({ id, curve }) => [id, scoreTable(curve, teams.length + reserve)]))
  const board = drawBoard({
    ...game,
    challenges: challenges.map(({ curve: _, ...challenge }) => ({ ...challenge, values: values.get(challenge.id) ?? [] })),
    teams,
    solves,
  })
  const kept: KeptBoard = {
    game,
    challenges: new Map(challenges.map((challenge) => [challenge.id, challenge])),
    board,
    drawing: randomUUID(),
    values,
    teams: new Map(teams.map((team) => [team.participationId, team])),
    solvers: new Map(),
    log,
  }
  addSolverNames(kept, solves)
  return kept
}

/** Applies the rows and names of a roster without new solves. */
export function patchNames(kept: KeptBoard, { log, teams: listed, solvers: named }: Roster): Change {
  const teams = listed.filter((team) => !isSameTeam(kept.teams.get(team.participationId), team))
  for (const team of teams) {
    kept.teams.set(team.participationId, team)
    patchTeam(kept.board, team)
  }
  if (teams.length > 0) extendValues(kept)
  const solvers = new Map<string, string | null>()
  for (const [account, shown] of kept.solvers) {
    const name = named.get(account)
    if (name !== shown) solvers.set(shown, name ?? null)
    if (name === undefined) kept.solvers.delete(account)
    else kept.solvers.set(account, name)
  }
  if (solvers.size > 0) renameSolvers(kept.board, solvers)
  const from = kept.log.roster
  kept.log = { ...log, head: kept.log.head }
  return { kind: 'roster', from, log: kept.log, teams, solvers }
}

/** Adds the solves up to this log; null if the board contains them already. */
export function appendSolves(kept: KeptBoard, log: LogState, solves: readonly LoggedSolve[]): Change | null {
  if (log.head === kept.log.head) return null
  addSolverNames(kept, solves)
  const drawn = addSolves(kept.board, solves).map((counted) => solveColumns(kept, counted))
  const from = kept.log.head
  kept.log = log
  return { kind: 'solves', gameId: kept.game.id, epoch: log.epoch, from, to: log.head, solves: drawn }
}
