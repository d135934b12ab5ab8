/**
 * The boards as requests see them: small states, kept here, and everything else by asking the thread that keeps them (board-thread.ts). The
 * thread is started when a board is first needed, and started again when it ends.
 */
import { Worker } from 'node:worker_threads'
import { RuleError } from '@vexil/core/rules'
import { coalesce } from '../coalesce.ts'
import type { DatabaseSource } from '../db/database.ts'
import { every } from '../every.ts'
import type { Asks, BoardState } from './board-asks.ts'
import type { Change } from './board-keeper.ts'
import type { FromThread, ToThread } from './board-thread.ts'

export interface BoardClient {
  /** As of the last hint or poll; null when there is no such game. Costs nothing except for the first request. */
  state(gameId: number): Promise<BoardState | null>
  /** @throws `server.unavailable` when the thread ended meanwhile */
  ask<W extends keyof Asks>(what: W, ask: Asks[W]['ask']): Promise<Asks[W]['answer'] | null>
  /** A solve may have changed this board. Not awaited. */
  hint(gameId: number): void
  /** An edit changed this board: requests from now on get the state after it. */
  moved(gameId: number): void
  /** Starts the thread before the first request. */
  start(): void
  close(): Promise<void>
}

interface BoardClientOptions {
  readonly source: DatabaseSource
  /** Hears of every change of a board that is kept, in order. */
  readonly changed: (state: BoardState, change: Change) => void
  /** Games with listeners on this node. */
  readonly listened: () => readonly number[]
  readonly report: (error: unknown) => void
}

interface Waiting {
  resolve(value: never): void
  reject(error: unknown): void
}

/** How often the thread receives the list of games with listeners or requests. */
const listEveryMs = 250
/** A board that was not requested for this time is dropped. */
const forgetMs = 30 * 60_000
/** A thread that does not end in time is terminated. */
const closeWithinMs = 2000
/** After a thread ended by a fault the next one is started this much later. */
const pauseMs = 1000

export function openBoardClient({ source, changed, listened, report }: BoardClientOptions): BoardClient {
  let worker: Worker | null = null
  let closing = false
  let pausedUntil = 0
  let lastId = 0
  const waiting = new Map<number, Waiting>()
  const states = new Map<number, BoardState>()
  /** By game: the time of the last request. */
  const askedAt = new Map<number, number>()
  /** By game: the reading after its last edit, while it lasts. */
  const moving = new Map<number, Promise<void>>()
  /** Games whose states were lost with a thread: listeners hear of them again. */
  const lost = new Set<number>()
  let listed = ''

  function thread(): Worker {
    if (worker) return worker
    const started = new Worker(new URL('./board-thread.ts', import.meta.url), { workerData: { source } })
    started.unref()
    started.on('message', (messages: FromThread[]) => messages.forEach(hear))
    started.on('error', report)
    started.once('exit', () => ended(started))
    worker = started
    return started
  }

  function ended(which: Worker): void {
    if (worker !== which) return
    worker = null
    listed = ''
    pausedUntil = performance.now() + pauseMs
    for (const gameId of states.keys()) lost.add(gameId)
    states.clear()
    for (const { reject } of waiting.values()) reject(new RuleError('server.unavailable', { retryAfter: 1 }))
    waiting.clear()
  }

  function hear(message: FromThread): void {
    switch (message.kind) {
      case 'changed':
        states.set(message.state.game.id, message.state)
        changed(message.state, message.change)
        break
      case 'dropped':
        askedAt.delete(message.gameId)
        states.delete(message.gameId)
        break
      case 'failed': {
        const error = Object.assign(new Error(message.message), { code: message.code })
        if (message.id === null) report(error)
        else waiting.get(message.id)?.reject(error)
        waiting.delete(message.id ?? 0)
        break
      }
      case 'answer':
        waiting.get(message.id)?.resolve(message.value as never)
        waiting.delete(message.id)
    }
  }

  const say = coalesce<ToThread>((messages) => {
    // What was said to a thread that ended meanwhile is refused already.
    if (performance.now() >= pausedUntil) thread().postMessage(messages)
  })

  function ask<W extends keyof Asks>(what: W, asked: Asks[W]['ask']): Promise<Asks[W]['answer'] | null> {
    if (closing || performance.now() < pausedUntil) return Promise.reject(new RuleError('server.unavailable', { retryAfter: 1 }))
    const id = ++lastId
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      say({ kind: 'ask', id, what, ask: asked } as ToThread)
    })
  }

  function readEdit(gameId: number): void {
    if (!states.has(gameId)) return
    const reading = ask('fresh', { gameId })
      .then((state) => {
        if (state) states.set(gameId, state)
        else states.delete(gameId)
      }, report)
      .finally(() => {
        if (moving.get(gameId) === reading) moving.delete(gameId)
      })
    moving.set(gameId, reading)
  }

  async function load(gameId: number): Promise<BoardState | null> {
    const state = await ask('state', { gameId })
    if (!state) return null
    states.set(gameId, state)
    if (lost.delete(gameId)) {
      const { epoch, head, roster } = state
      changed(state, { kind: 'drawn', log: { gameId, epoch, head, roster, changedAt: 0 } })
    }
    return state
  }

  /** Which boards are to be kept: the thread forgets the others in time. */
  function list(): void {
    const now = performance.now()
    if (now < pausedUntil) return
    for (const [gameId, at] of askedAt) if (now - at > forgetMs) forget(gameId)
    const games = [...new Set([...listened(), ...askedAt.keys()])].sort((a, b) => a - b)
    if (games.join() !== listed) {
      listed = games.join()
      say({ kind: 'listened', games })
    }
    for (const gameId of lost) if (games.includes(gameId)) load(gameId).catch(report)
  }
  function forget(gameId: number): void {
    askedAt.delete(gameId)
    states.delete(gameId)
    lost.delete(gameId)
  }
  const timer = every(listEveryMs, list, report)

  return {
    async state(gameId) {
      askedAt.set(gameId, performance.now())
      await moving.get(gameId)
      const known = states.get(gameId) ?? (await load(gameId))
      if (!known) askedAt.delete(gameId)
      return known
    },
    ask,
    hint(gameId) {
      if (worker && !closing) say({ kind: 'hint', gameId })
    },
    moved: readEdit,
    start: () => void thread(),
    async close() {
      void timer.close()
      closing = true
      const last = worker
      if (!last) return
      const over = new Promise((done) => last.once('exit', done))
      const late = setTimeout(() => void last.terminate(), closeWithinMs)
      say({ kind: 'close' })
      await over
      clearTimeout(late)
    },
  }
}
