/** Keeps boards in memory. A hint causes the new log to be read; a new epoch rebuilds the board; a new roster patches rows. Polling the versions replaces lost hints. */
import type { Db } from '../db/transaction.ts'
import { every } from '../every.ts'
import { findLogs, findSolvesAbove, type LogState, readFacts, readRoster } from './board-facts.queries.ts'
import { clock } from './clock.ts'
import { appendSolves, type Change, drawKept, type KeptBoard, patchNames } from './kept-board.ts'

export interface BoardKeeper {
  /** The board as of the last hint or poll; built on the first request. null if the game does not exist. */
  get(gameId: number): Promise<KeptBoard | null>
  refresh(gameId: number): Promise<void>
  /** Keeps the boards of these games and drops those that are no longer in the list. */
  keep(games: readonly number[]): void
  close(): void
}

interface BoardKeeperOptions {
  readonly db: Db
  /** Called for every change of a kept board, in order, with the board after it. */
  readonly changed: (kept: KeptBoard, change: Change) => void
  readonly removed: (gameId: number) => void
  readonly onError: (error: unknown) => void
  /** A whole board was read and drawn; milliseconds. */
  readonly drew?: (ms: number) => void
  /** The kept boards were compared with the database: their number, and the time from which all of them are (`clock`). */
  readonly checked?: (boards: number, at: number) => void
}

const pollMs = 250
/** The poll pauses while hints arrive, which combine solves for up to 300 ms, because each read sends a message to all listeners. */
const pollRestMs = 500
/** Minimum interval of reading names without solves, so that repeated renames cost little. Solves are never delayed. */
const rosterEveryMs = 1000

interface Slot {
  readonly gameId: number
  kept: KeptBoard | null
  /** The running update; readers wait for it, and later readers for one more round. */
  running: Promise<void> | null
  again: boolean
  /** When the last read or poll began after which it was current (`clock`). */
  currentAt: number
  hintedAt: number
  namedAt: number
}

const isOther = (log: LogState, kept: KeptBoard): boolean => log.epoch !== kept.log.epoch || log.head < kept.log.head

type Reading = Pick<BoardKeeperOptions, 'db' | 'changed' | 'drew'>

async function draw({ db, changed, drew }: Reading, slot: Slot): Promise<void> {
  const startedAt = performance.now()
  const facts = await readFacts(db, slot.gameId)
  const isFirst = slot.kept === null
  slot.kept = facts && drawKept(facts)
  drew?.(performance.now() - startedAt)
  if (slot.kept && !isFirst) changed(slot.kept, { kind: 'drawn', log: slot.kept.log })
}

async function readOn(reading: Reading, slot: Slot): Promise<void> {
  const { db, changed } = reading
  const { kept, gameId } = slot
  if (!kept) return draw(reading, slot)
  const report = (change: Change | null) => {
    if (change) changed(kept, change)
  }
  const found = await findSolvesAbove(db, gameId, kept.log.head)
  if (!found || isOther(found.log, kept)) return draw(reading, slot)
  if (found.log.roster === kept.log.roster) return report(appendSolves(kept, found.log, found.solves))
  const rests = performance.now() - slot.namedAt < rosterEveryMs
  if (rests && found.solves.length === 0) return
  slot.namedAt = performance.now()
  const roster = await readRoster(db, gameId, kept.log.head)
  if (!roster || isOther(roster.log, kept)) return draw(reading, slot)
  // Rows first: a solve of an unknown team would be lost.
  report(patchNames(kept, roster))
  report(appendSolves(kept, roster.log, roster.solves))
}

export function openBoardKeeper({ db, changed, removed, onError, drew, checked }: BoardKeeperOptions): BoardKeeper {
  const slots = new Map<number, Slot>()
  let listed = new Set<number>()
  const reading: Reading = {
    db,
    ...(drew && { drew }),
    changed: (kept, change) => {
      // Do not announce a board that was dropped during the read.
      if (slots.get(kept.game.id)?.kept === kept) changed(kept, change)
    },
  }

  function remove(slot: Slot): void {
    if (slots.get(slot.gameId) !== slot) return
    slots.delete(slot.gameId)
    removed(slot.gameId)
  }

  function run(slot: Slot, work: typeof draw): Promise<void> {
    if (slot.running) {
      slot.again = true
      return slot.running
    }
    const read = async (how: typeof draw) => {
      const startedAt = clock()
      await how(reading, slot)
      slot.currentAt = startedAt
    }
    slot.running = (async () => {
      await read(work)
      while (slot.again) {
        slot.again = false
        await read(readOn)
      }
      if (!slot.kept) remove(slot)
    })().finally(() => {
      slot.running = null
      // After a failed first read: a listed board is read again by the next poll.
      if (!slot.kept && slots.get(slot.gameId) === slot) slots.delete(slot.gameId)
    })
    return slot.running
  }

  async function get(gameId: number): Promise<KeptBoard | null> {
    const never = Number.NEGATIVE_INFINITY
    const slot = slots.get(gameId) ?? {
      gameId,
      kept: null,
      running: null,
      again: false,
      currentAt: never,
      hintedAt: never,
      namedAt: never,
    }
    slots.set(gameId, slot)
    if (slot.running) await slot.running
    if (!slot.kept) await run(slot, draw)
    return slot.kept
  }

  async function poll(): Promise<void> {
    const startedAt = clock()
    const failures: unknown[] = []
    // One that cannot be read must not keep the others from being checked.
    for (const gameId of listed) if (!slots.has(gameId)) await get(gameId).catch((error) => failures.push(error))
    await check(startedAt)
    if (failures.length > 0) throw failures[0]
  }

  /** Compares the kept boards with the database. */
  async function check(startedAt: number): Promise<void> {
    if (slots.size === 0) return checked?.(0, startedAt)
    const now = performance.now()
    const known = new Set<number>()
    let current = startedAt
    // A board that is first drawn while the logs are read is not in the answer.
    const listedSlots = [...slots.values()]
    for (const log of await findLogs(
      db,
      listedSlots.map(({ gameId }) => gameId),
    )) {
      known.add(log.gameId)
      const slot = slots.get(log.gameId)
      const kept = slot?.kept
      if (!slot || !kept) continue
      if (slot.running || now - slot.hintedAt < pollRestMs) {
        // Its running read may end later than this check.
        current = Math.min(current, slot.currentAt)
        continue
      }
      const { epoch, head, roster } = kept.log
      if (epoch !== log.epoch || head !== log.head || roster !== log.roster) await run(slot, readOn)
      else slot.currentAt = startedAt
    }
    for (const slot of listedSlots) if (!known.has(slot.gameId) && !slot.running) remove(slot)
    checked?.(slots.size, current)
  }
  // Four failures a second would fill the log.
  const timer = every(pollMs, poll, onError, { firstOnly: true })

  return {
    get,
    async refresh(gameId) {
      const slot = slots.get(gameId)
      if (!slot) return
      slot.hintedAt = performance.now()
      await run(slot, readOn)
    },
    keep(games) {
      const before = listed
      listed = new Set(games)
      for (const gameId of before) if (!listed.has(gameId)) slots.delete(gameId)
    },
    close: () => void timer.close(),
  }
}
