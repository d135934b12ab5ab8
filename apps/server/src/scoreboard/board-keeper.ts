/**
 * The boards of requested games, kept in memory and extended by their logs. A hint makes the log above the own number
 * be read; a moved epoch draws anew; a moved roster patches rows. A poll of the versions catches every hint that was lost.
 */
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
import type { Db } from '../db/transaction.ts'
import { every } from '../every.ts'
import {
  type BoardGame,
  type FactChallenge,
  findLogs,
  findSolvesAbove,
  type LoggedSolve,
  type LogState,
  type Roster,
  readFacts,
  readRoster,
} from './board-facts.queries.ts'

/** A board with what it was drawn from. */
export interface KeptBoard {
  readonly game: BoardGame
  readonly challenges: ReadonlyMap<number, FactChallenge>
  readonly board: Board
  /** Unique for each time that it was drawn from nothing: versions of its rows begin anew then. */
  readonly drawing: string
  /** By challenge: the scores at 0, 1, 2 … solves that the board reads, as many as its teams may need. */
  readonly values: ReadonlyMap<number, number[]>
  /** By participation: the team as the board shows it. */
  readonly teams: Map<number, BoardTeam>
  /** By account: the name under which its solves are shown. */
  readonly solvers: Map<string, string>
  /** The version that the board shows. */
  log: LogState
}

export type Change =
  | ({ readonly kind: 'solves' } & BoardSolves)
  | { readonly kind: 'drawn'; readonly log: LogState }
  | {
      readonly kind: 'roster'
      /** The roster before. */
      readonly from: number
      readonly log: LogState
      /** New and changed rows only. */
      readonly teams: readonly BoardTeam[]
      /** Shown names to new names, null for an account that was deleted. */
      readonly solvers: ReadonlyMap<string, string | null>
    }

export interface BoardKeeper {
  /** The board as of the last hint or poll; drawn at the first request. Null when there is no such game. */
  get(gameId: number): Promise<KeptBoard | null>
  /** Reads what is new of a game whose board is kept. */
  refresh(gameId: number): Promise<void>
  /** Draws from nothing. */
  redraw(gameId: number): Promise<void>
  close(): void
}

const pollMs = 250
/** While hints come, which gather solves for up to 300 ms, the poll does not read between them: each reading becomes a message to all listeners. */
const pollRestMs = 500
/** A board that was not requested for this time is dropped. */
const forgetMs = 30 * 60_000
/** Names alone are read so often at the most: one person who changes them in a loop costs everybody little. Solves never wait for it. */
const rosterEveryMs = 1000
/** Further solves a table of values reaches beyond the teams there are. */
const reserve = 64

interface Slot {
  kept: KeptBoard | null
  /** The work under way; readers wait for it, and readers that come meanwhile are served by one more round. */
  running: Promise<void> | null
  again: boolean
  askedAt: number
  /** When the last hint came. */
  hintedAt: number
  /** When the roster was read last. */
  namedAt: number
}

function knowSolvers(kept: KeptBoard, solves: readonly LoggedSolve[]): void {
  for (const { accountId, userName } of solves) if (accountId !== null && userName !== null) kept.solvers.set(accountId, userName)
}

/** A solve as listeners get it. */
export function solveColumns({ challenges }: Pick<KeptBoard, 'challenges'>, { solve, place }: CountedSolve): SolveColumns {
  const { number, participationId, challengeId, userName, arrivedAt, shownAt } = solve
  const curve = challenges.get(challengeId)?.curve
  return [number, participationId, challengeId, userName, arrivedAt, shownAt, curve ? scoreOf(curve, place) : 0]
}

/** A board reads its tables where they are, so they are made longer in place. */
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

/**
 * `changed` hears of every change of a kept board, in order, with the board as it is then; `dropped` of a game whose board is kept no
 * more. `listened` names the games with listeners on this node: their boards are kept as if they were requested, since a listener
 * asks once and then waits.
 */
export function openBoardKeeper(
  db: Db,
  changed: (kept: KeptBoard, change: Change) => void,
  report: (error: unknown) => void,
  listened: () => readonly number[],
  dropped: (gameId: number) => void = () => undefined,
): BoardKeeper {
  const slots = new Map<number, Slot>()
  function forget(gameId: number): void {
    slots.delete(gameId)
    dropped(gameId)
  }

  async function draw(gameId: number, slot: Slot): Promise<void> {
    const facts = await readFacts(db, gameId)
    if (!facts) {
      slot.kept = null
      forget(gameId)
      return
    }
    const { game, challenges, teams, solves, log } = facts
    const values = new Map(challenges.map(({ id, curve }) => [id, scoreTable(curve, teams.length + reserve)]))
    const board = drawBoard({
      ...game,
      challenges: challenges.map(({ curve: _, ...challenge }) => ({ ...challenge, values: values.get(challenge.id) ?? [] })),
      teams,
      solves,
    })
    const first = slot.kept === null
    slot.kept = {
      game,
      challenges: new Map(challenges.map((challenge) => [challenge.id, challenge])),
      board,
      drawing: randomUUID(),
      values,
      teams: new Map(teams.map((team) => [team.participationId, team])),
      solvers: new Map(),
      log,
    }
    knowSolvers(slot.kept, solves)
    if (!first) changed(slot.kept, { kind: 'drawn', log })
  }

  async function carryOn(gameId: number, slot: Slot): Promise<void> {
    const { kept } = slot
    if (!kept) return draw(gameId, slot)
    const found = await findSolvesAbove(db, gameId, kept.log.head)
    if (!found || found.log.epoch !== kept.log.epoch || found.log.head < kept.log.head) return draw(gameId, slot)
    if (found.log.roster === kept.log.roster) return append(kept, found.log, found.solves)
    const rests = performance.now() - slot.namedAt < rosterEveryMs
    // The next poll comes again.
    if (rests && found.solves.length === 0) return
    slot.namedAt = performance.now()
    const roster = await readRoster(db, gameId, kept.log.head)
    if (!roster || roster.log.epoch !== kept.log.epoch || roster.log.head < kept.log.head) return draw(gameId, slot)
    // Rows first: a solve of a team that is not on the board yet would be lost.
    patchNames(kept, roster)
    append(kept, roster.log, roster.solves)
  }

  function patchNames(kept: KeptBoard, { log, teams: listed, solvers: named }: Roster): void {
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
    changed(kept, { kind: 'roster', from, log: kept.log, teams, solvers })
  }

  function append(kept: KeptBoard, log: LogState, solves: readonly LoggedSolve[]): void {
    if (log.head === kept.log.head) return
    knowSolvers(kept, solves)
    const drawn = addSolves(kept.board, solves).map((counted) => solveColumns(kept, counted))
    const from = kept.log.head
    kept.log = log
    changed(kept, { kind: 'solves', gameId: kept.game.id, epoch: log.epoch, from, to: log.head, solves: drawn })
  }

  function run(gameId: number, slot: Slot, work: (gameId: number, slot: Slot) => Promise<void>): Promise<void> {
    if (slot.running) {
      slot.again = true
      return slot.running
    }
    const running = (async () => {
      await work(gameId, slot)
      while (slot.again) {
        slot.again = false
        await carryOn(gameId, slot)
      }
    })().finally(() => {
      slot.running = null
    })
    slot.running = running
    return running
  }

  /** The slot of a game, at a request for it. */
  function slotOf(gameId: number): Slot {
    let slot = slots.get(gameId)
    if (!slot) {
      const never = Number.NEGATIVE_INFINITY
      slot = { kept: null, running: null, again: false, askedAt: 0, hintedAt: never, namedAt: never }
      slots.set(gameId, slot)
    }
    slot.askedAt = performance.now()
    return slot
  }

  async function get(gameId: number): Promise<KeptBoard | null> {
    const slot = slotOf(gameId)
    if (slot.running) await slot.running
    if (!slot.kept) await run(gameId, slot, draw)
    return slot.kept
  }

  const poll = async () => {
    for (const gameId of listened()) {
      if (slots.has(gameId)) slotOf(gameId)
      else await get(gameId)
    }
    const now = performance.now()
    for (const [gameId, slot] of slots) if (now - slot.askedAt > forgetMs) forget(gameId)
    if (slots.size === 0) return
    const known = new Set<number>()
    for (const log of await findLogs(db, [...slots.keys()])) {
      known.add(log.gameId)
      const slot = slots.get(log.gameId)
      const kept = slot?.kept
      if (!slot || !kept || slot.running || now - slot.hintedAt < pollRestMs) continue
      const { epoch, head, roster } = kept.log
      if (epoch !== log.epoch || head !== log.head || roster !== log.roster) await run(log.gameId, slot, carryOn)
    }
    for (const gameId of slots.keys()) if (!known.has(gameId) && !slots.get(gameId)?.running) forget(gameId)
  }
  const timer = every(pollMs, poll, report)

  return {
    get,
    async refresh(gameId) {
      const slot = slots.get(gameId)
      if (!slot) return
      slot.hintedAt = performance.now()
      await run(gameId, slot, carryOn)
    },
    async redraw(gameId) {
      const slot = slots.get(gameId)
      if (slot) await run(gameId, slot, draw)
    },
    close: () => void timer.close(),
  }
}
