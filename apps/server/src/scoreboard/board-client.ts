/** The boards for requests: caches small states, and requests the rest from the thread (board-channel.ts). Keeps boards with listeners, and those used within half an hour. */
import type { DatabaseSource } from '../db/client-settings.ts'
import { every } from '../every.ts'
import { type BoardChannel, openBoardChannel } from './board-channel.ts'
import type { BoardState } from './board-requests.ts'
import { clock } from './clock.ts'
import type { Change } from './kept-board.ts'

export interface BoardClient extends Pick<BoardChannel, 'request' | 'start' | 'close' | 'age'> {
  /**
   * As of the last hint or poll, at most a second old; null if the game does not exist. In memory after the first request.
   * @throws an error of the connection when the state is older and the database does not answer
   */
  state(gameId: number): Promise<BoardState | null>
  /** A solve may have changed this board. Returns at once. */
  hint(gameId: number): void
  /** An edit changed this board: later requests get the state after it. */
  moved(gameId: number): void
}

interface BoardClientOptions {
  readonly source: DatabaseSource
  readonly changed: (state: BoardState, change: Change) => void
  readonly listened: () => readonly number[]
  readonly onError: (error: unknown) => void
}

const listEveryMs = 250
/** A board without requests and listeners for this time is dropped. */
const forgetMs = 30 * 60_000

/** An older state is compared with the database before it is used, as after a stop of this process. */
const usableMs = 1000

interface Known {
  readonly state: BoardState
  /** When it was requested (`clock`). */
  readonly at: number
}

function openReads(channel: BoardChannel, states: Map<number, Known>, onError: (error: unknown) => void) {
  const reading = new Map<number, Promise<void>>()
  async function readState(gameId: number): Promise<void> {
    const at = clock()
    const state = await channel.request('fresh', { gameId })
    // The thread reports a deleted game before it answers.
    if (state) states.set(gameId, { state, at })
  }
  function read(gameId: number): Promise<void> {
    const running = readState(gameId).finally(() => {
      if (reading.get(gameId) === running) reading.delete(gameId)
    })
    reading.set(gameId, running)
    return running
  }
  return {
    /** After an edit: later requests wait for this. */
    begin(gameId: number): void {
      if (states.has(gameId)) read(gameId).catch(onError)
    },
    /** Waits until the known state is one after the last edit and not too old. */
    async confirm(gameId: number): Promise<void> {
      await reading.get(gameId)?.catch(() => undefined)
      const known = states.get(gameId)
      if (known && clock() - Math.max(known.at, channel.checkedAt()) > usableMs) await (reading.get(gameId) ?? read(gameId))
    },
  }
}

export function openBoardClient({ source, changed, listened, onError }: BoardClientOptions): BoardClient {
  const states = new Map<number, Known>()
  /** By game: the time of the last request or of the last check that found listeners. */
  const usedAt = new Map<number, number>()
  /** Games whose states were lost with a thread and must be announced again. */
  const lost = new Set<number>()
  let listed = ''

  const channel = openBoardChannel({
    source,
    received(message) {
      if (message.kind === 'removed') return forget(message.gameId)
      // The state of a forgotten game would never be updated again.
      if (usedAt.has(message.state.game.id))
        states.set(message.state.game.id, { state: message.state, at: Number.NEGATIVE_INFINITY })
      changed(message.state, message.change)
    },
    ended() {
      listed = ''
      for (const gameId of states.keys()) lost.add(gameId)
      states.clear()
    },
    onError,
  })

  const reads = openReads(channel, states, onError)

  async function load(gameId: number): Promise<BoardState | null> {
    const at = clock()
    const state = await channel.request('state', { gameId })
    if (!state) return null
    states.set(gameId, { state, at })
    const { epoch, head, roster } = state
    if (lost.delete(gameId)) changed(state, { kind: 'drawn', log: { gameId, epoch, head, roster, changedAt: 0 } })
    return state
  }

  function forget(gameId: number): void {
    usedAt.delete(gameId)
    states.delete(gameId)
    lost.delete(gameId)
  }

  function list(): void {
    if (channel.isPaused()) return
    const now = performance.now()
    for (const gameId of listened()) usedAt.set(gameId, now)
    for (const [gameId, at] of usedAt) if (now - at > forgetMs) forget(gameId)
    const games = [...usedAt.keys()].sort((a, b) => a - b)
    if (games.join() !== listed) {
      listed = games.join()
      channel.send({ kind: 'keep', games })
    }
    for (const gameId of lost) if (usedAt.has(gameId)) load(gameId).catch(onError)
  }
  const timer = every(listEveryMs, list, onError)

  return {
    async state(gameId) {
      usedAt.set(gameId, performance.now())
      await reads.confirm(gameId)
      const known = states.get(gameId)?.state ?? (await load(gameId))
      if (!known) usedAt.delete(gameId)
      return known
    },
    request: channel.request,
    hint(gameId) {
      if (channel.isRunning()) channel.send({ kind: 'hint', gameId })
    },
    moved: reads.begin,
    start: channel.start,
    age: channel.age,
    close() {
      void timer.close()
      return channel.close()
    },
  }
}
