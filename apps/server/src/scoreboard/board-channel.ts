/** The main thread's interface to the thread that keeps the boards (board-thread.ts): start, end, requests and responses. */
import { Worker } from 'node:worker_threads'
import { RuleError } from '@vexil/core/rules'
import { coalesce } from '../coalesce.ts'
import type { DatabaseSource } from '../db/client-settings.ts'
import { counts, observe } from '../metrics/counts.ts'
import type { BoardRequests } from './board-requests.ts'
import type { FromThread, ToThread } from './board-thread.ts'
import { clock } from './clock.ts'

export interface BoardChannel {
  /** Starts the thread if necessary. @throws `server.unavailable` when the thread ends before it responds */
  request<W extends keyof BoardRequests>(what: W, params: BoardRequests[W]['params']): Promise<BoardRequests[W]['answer'] | null>
  /** Sends a message without a response. Starts the thread if necessary. */
  send(message: Exclude<ToThread, { kind: 'request' }>): void
  isRunning(): boolean
  /** A thread has ended with an error, and the next one is not started yet. */
  isPaused(): boolean
  /** Milliseconds since all kept boards were last found current; null: none are kept. */
  age(): number | null
  /** Start (`clock`) of the last comparison of all kept boards with the database. */
  checkedAt(): number
  start(): void
  close(): Promise<void>
}

interface BoardChannelOptions {
  readonly source: DatabaseSource
  readonly received: (message: Extract<FromThread, { kind: 'changed' | 'removed' }>) => void
  readonly ended: () => void
  readonly onError: (error: unknown) => void
}

interface Waiting {
  resolve(value: never): void
  reject(error: unknown): void
}

/** Milliseconds after which a thread that does not end is terminated. */
const closeWithinMs = 2000
/** Milliseconds between an error of a thread and the start of the next one. */
const pauseMs = 1000

const unavailable = () => new RuleError('server.unavailable', { retryAfter: 1 })

export function openBoardChannel({ source, received, ended, onError }: BoardChannelOptions): BoardChannel {
  let worker: Worker | null = null
  let closing = false
  let pausedUntil = 0
  let lastId = 0
  let [checkedAt, kept] = [Number.NEGATIVE_INFINITY, 0]
  const waiting = new Map<number, Waiting>()
  const isPaused = () => performance.now() < pausedUntil

  function thread(): Worker {
    if (worker) return worker
    const started = new Worker(new URL('./board-thread.ts', import.meta.url), { workerData: { source } })
    started.unref()
    started.on('message', (messages: FromThread[]) => messages.forEach(receive))
    started.on('error', onError)
    started.once('exit', () => lose(started))
    worker = started
    return started
  }

  function lose(which: Worker): void {
    if (worker !== which) return
    worker = null
    pausedUntil = performance.now() + pauseMs
    ended()
    for (const { reject } of waiting.values()) reject(unavailable())
    waiting.clear()
  }

  function receive(message: FromThread): void {
    switch (message.kind) {
      case 'failed': {
        const error = Object.assign(new Error(message.message), { code: message.code })
        if (message.id === null) onError(error)
        else waiting.get(message.id)?.reject(error)
        waiting.delete(message.id ?? 0)
        break
      }
      case 'answer':
        waiting.get(message.id)?.resolve(message.value as never)
        waiting.delete(message.id)
        break
      case 'drew':
        observe(counts.boardDraws, message.ms / 1000)
        break
      case 'checked':
        checkedAt = message.startedAt
        kept = message.boards
        break
      default:
        received(message)
    }
  }

  const send = coalesce<ToThread>((messages) => {
    // Requests to a thread that has ended are already rejected.
    if (!isPaused()) thread().postMessage(messages)
  })

  return {
    request(what, params) {
      if (closing || isPaused()) return Promise.reject(unavailable())
      const id = ++lastId
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        send({ kind: 'request', id, what, params } as ToThread)
      })
    },
    send: send,
    isRunning: () => worker !== null && !closing,
    isPaused,
    age: () => (kept === 0 ? null : clock() - checkedAt),
    checkedAt: () => checkedAt,
    start: () => void thread(),
    async close() {
      closing = true
      const last = worker
      if (!last) return
      const over = new Promise((done) => last.once('exit', done))
      const late = setTimeout(() => void last.terminate(), closeWithinMs)
      send({ kind: 'close' })
      await over
      clearTimeout(late)
    },
  }
}
