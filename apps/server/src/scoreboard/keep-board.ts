/**
 * The boards of games that somebody asked for, kept in memory and carried on by their logs. A hint makes the log above the own number
 * be read; a moved epoch draws anew; a moved roster patches rows. A poll of the versions catches every hint that was lost.
 */
import type { BoardSolves } from '@vexil/contract/live'
import {
  addSolve,
  type Board,
  type BoardSolve,
  type BoardTeam,
  drawBoard,
  isSolved,
  patchTeam,
  scoreNow,
} from '@vexil/core/scoreboard'
import { scoreTable } from '@vexil/core/scoring'
import type { Db } from '../db/transaction.ts'
import {
  type BoardGame,
  type FactChallenge,
  findLogs,
  findSolvesAbove,
  type LogState,
  listBoardTeams,
  readFacts,
} from './board-facts.queries.ts'

/** A board with what it was drawn from. */
export interface KeptBoard {
  readonly game: BoardGame
  readonly challenges: ReadonlyMap<number, FactChallenge>
  readonly board: Board
  /** The version that the board shows. */
  log: LogState
}

export type Change =
  | ({ readonly kind: 'solves' } & BoardSolves)
  | { readonly kind: 'drawn'; readonly log: LogState }
  | { readonly kind: 'roster'; readonly log: LogState; readonly teams: readonly BoardTeam[] }

export interface Boards {
  /** The board as of the last hint or poll; drawn when nobody asked before. Null when there is no such game. */
  get(gameId: number): Promise<KeptBoard | null>
  /** Reads what is new of a game whose board is kept. */
  refresh(gameId: number): Promise<void>
  /** Draws from nothing. */
  redraw(gameId: number): Promise<void>
  close(): void
}

const pollMs = 250
/** A board that nobody asked for is dropped after this time. */
const forgetMs = 30 * 60_000
/** Further solves a table of values reaches beyond the teams there are. */
const reserve = 64

interface Slot {
  kept: KeptBoard | null
  /** The work under way; readers wait for it, and whoever comes meanwhile is served by one more round. */
  running: Promise<void> | null
  again: boolean
  askedAt: number
}

/**
 * `changed` hears of every change of a kept board, in order, with the board as it is then. `listened` names the games that somebody on
 * this node listens to: their boards are kept as if somebody asked, since a listener asks once and then waits.
 */
export function keepBoards(
  db: Db,
  changed: (kept: KeptBoard, change: Change) => void,
  report: (error: unknown) => void,
  listened: () => readonly number[],
): Boards {
  const slots = new Map<number, Slot>()

  async function draw(gameId: number, slot: Slot): Promise<void> {
    const facts = await readFacts(db, gameId)
    if (!facts) {
      slot.kept = null
      slots.delete(gameId)
      return
    }
    const { game, challenges, teams, solves, log } = facts
    const board = drawBoard({
      ...game,
      challenges: challenges.map(({ curve, ...challenge }) => ({
        ...challenge,
        values: scoreTable(curve, teams.length + reserve),
      })),
      teams,
      solves,
    })
    const first = slot.kept === null
    slot.kept = { game, challenges: new Map(challenges.map((challenge) => [challenge.id, challenge])), board, log }
    if (!first) changed(slot.kept, { kind: 'drawn', log })
  }

  async function carryOn(gameId: number, slot: Slot): Promise<void> {
    const { kept } = slot
    if (!kept) return draw(gameId, slot)
    const found = await findSolvesAbove(db, gameId, kept.log.head)
    if (!found || found.log.epoch !== kept.log.epoch || found.log.head < kept.log.head) return draw(gameId, slot)
    // Rows first: a solve of a team that is not on the board yet would be lost.
    if (found.log.roster !== kept.log.roster) await patchRows(kept, found.log)
    if (found.log.head !== kept.log.head) append(kept, found.log, found.solves)
    kept.log = found.log
  }

  async function patchRows(kept: KeptBoard, log: LogState): Promise<void> {
    const teams = await listBoardTeams(db, kept.game.id)
    for (const team of teams) patchTeam(kept.board, team)
    changed(kept, { kind: 'roster', log, teams })
  }

  function append(kept: KeptBoard, log: LogState, solves: readonly BoardSolve[]): void {
    const drawn: BoardSolves['solves'][number][] = []
    for (const solve of solves) {
      const before = isSolved(kept.board, solve.participationId, solve.challengeId)
      addSolve(kept.board, solve)
      if (before || !isSolved(kept.board, solve.participationId, solve.challengeId)) continue
      const value = scoreNow(kept.board, solve.challengeId) ?? 0
      drawn.push([solve.number, solve.participationId, solve.challengeId, solve.userName, solve.arrivedAt, solve.shownAt, value])
    }
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

  /** The slot of a game, as somebody asks for it now. */
  function slotOf(gameId: number): Slot {
    let slot = slots.get(gameId)
    if (!slot) {
      slot = { kept: null, running: null, again: false, askedAt: 0 }
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
    for (const [gameId, slot] of slots) if (now - slot.askedAt > forgetMs) slots.delete(gameId)
    if (slots.size === 0) return
    const known = new Set<number>()
    for (const log of await findLogs(db, [...slots.keys()])) {
      known.add(log.gameId)
      const slot = slots.get(log.gameId)
      const kept = slot?.kept
      if (!slot || !kept || slot.running) continue
      const { epoch, head, roster } = kept.log
      if (epoch !== log.epoch || head !== log.head || roster !== log.roster) await run(log.gameId, slot, carryOn)
    }
    for (const gameId of slots.keys()) if (!known.has(gameId) && !slots.get(gameId)?.running) slots.delete(gameId)
  }
  let polling = false
  const timer = setInterval(() => {
    if (polling) return
    polling = true
    poll()
      .catch(report)
      .finally(() => {
        polling = false
      })
  }, pollMs)
  timer.unref()

  return {
    get,
    async refresh(gameId) {
      const slot = slots.get(gameId)
      if (slot) await run(gameId, slot, carryOn)
    },
    async redraw(gameId) {
      const slot = slots.get(gameId)
      if (slot) await run(gameId, slot, draw)
    },
    close: () => clearInterval(timer),
  }
}
