/**
 * Judged answers on their way into the database: per game one queue, one batch in flight. When a batch returns, what has gathered
 * goes next, so many answers share one round trip and one commit. No timer: the first arrival goes out at once.
 */

import { submitQueue } from '@vexil/core/limits'
import { SubmitBusy } from '@vexil/core/rules'
import type { AnswerResult } from '@vexil/core/vocabulary'
import { RequestLost } from './request-lost.ts'

/** An answer with its verdict. `arrived` by this process's monotonic clock (ms); `epoch` of the facts the verdict rests on. */
export interface Judged {
  readonly gameId: number
  readonly participationId: number
  readonly challengeId: number
  readonly accountId: string
  readonly answer: string
  readonly verdict: AnswerResult
  readonly epoch: number
  readonly arrived: number
}

export interface Recorded {
  /** `ok`, or why nothing was written: the caller looks at the facts again. */
  readonly outcome: 'ok' | 'stale' | 'gone' | 'banned' | 'missing' | 'not_accepted'
  readonly submission: number
  readonly verdict: AnswerResult
  /** Number in the solve log, for a first right answer. */
  readonly solve: number | null
  readonly rank: number | null
  readonly notice: number | null
}

export interface Attempts {
  record(judged: Judged): Promise<Recorded>
  close(): Promise<void>
}

/** The part of a connection that is used. */
export interface Connection {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>
  query(text: string): Promise<unknown>
  on(event: 'error' | 'end', heard: () => void): unknown
  end(): Promise<void>
}

interface Waiting {
  readonly judged: Judged
  readonly done: (recorded: Recorded) => void
  readonly fail: (error: unknown) => void
}

/** Batches of different games that may be in flight at once. */
const connectionsMost = 4
/**
 * The database says that nothing was written: deadlock, serialisation, lock or statement time-out, or a parent (23503) that was deleted
 * between the check and the insert. These may be sent again as they are; the second time the check sees who is gone.
 */
const rolledBack = new Set(['40P01', '40001', '55P03', '57014', '23503'])
const again = 3

const statement = {
  name: 'record_attempts',
  text: `select place, outcome, submission, verdict, solve, rank, notice
    from record_attempts($1::int, $2::bigint[], $3::int[], $4::int[], $5::uuid[], $6::text[], $7::text[], $8::float8[])`,
}

const codeOf = (error: unknown) => String((error as { code?: unknown }).code ?? '')
/** Errors of the data itself: one rotten row must not fail its neighbours. */
const isData = (code: string) => code.startsWith('22') || code.startsWith('23')

/** `connect` gives a connection beside the pool; up to four are kept. */
export function openAttempts(connect: () => Promise<Connection>): Attempts {
  const queues = new Map<number, Waiting[]>()
  const busy = new Set<number>()
  const idle: Connection[] = []
  const turns: (() => void)[] = []
  let open = 0
  let closed = false

  async function borrow(): Promise<Connection> {
    for (;;) {
      const free = idle.pop()
      if (free) return free
      if (open < connectionsMost) {
        open++
        try {
          return await prepared()
        } catch (error) {
          open--
          throw error
        }
      }
      await new Promise<void>((turn) => turns.push(turn))
    }
  }

  async function prepared(): Promise<Connection> {
    const connection = await connect()
    const gone = () => {
      const at = idle.indexOf(connection)
      if (at >= 0) {
        idle.splice(at, 1)
        open--
      }
    }
    connection.on('error', gone)
    connection.on('end', gone)
    // An announced solve must not vanish, whatever the server's default is.
    await connection.query('set synchronous_commit = on')
    return connection
  }

  function giveBack(connection: Connection, broken: boolean): void {
    if (broken) {
      open--
      connection.end().catch(() => {})
    } else idle.push(connection)
    turns.shift()?.()
  }

  async function send(gameId: number, batch: readonly Waiting[]): Promise<Recorded[]> {
    const column = <T>(take: (judged: Judged) => T) => batch.map(({ judged }) => take(judged))
    const connection = await borrow()
    let broken = true
    try {
      const sent = performance.now()
      const { rows } = await connection.query({
        ...statement,
        values: [
          gameId,
          column((one) => one.epoch),
          column((one) => one.participationId),
          column((one) => one.challengeId),
          column((one) => one.accountId),
          column((one) => one.answer),
          column((one) => one.verdict),
          column((one) => Math.max(0, sent - one.arrived) / 1000),
        ],
      })
      broken = false
      return rows as Recorded[]
    } catch (error) {
      broken = codeOf(error).length !== 5
      throw error
    } finally {
      giveBack(connection, broken)
    }
  }

  /** Sends a batch; what the database refused as a whole is sent row by row, so that only the guilty row fails. */
  async function deliver(gameId: number, batch: readonly Waiting[], left = again): Promise<void> {
    try {
      const recorded = await send(gameId, batch)
      for (const [place, one] of batch.entries()) one.done(recorded[place] as Recorded)
    } catch (error) {
      const code = codeOf(error)
      if (rolledBack.has(code) && left > 0) return deliver(gameId, batch, left - 1)
      if (isData(code) && batch.length > 1) {
        for (const one of batch) await deliver(gameId, [one], left)
        return
      }
      // With the connection gone nobody knows whether it was written: the player repeats, and a repeated right answer changes nothing.
      const told = rolledBack.has(code) ? new SubmitBusy({ retryAfter: 1 }) : isData(code) ? error : new RequestLost(error)
      for (const one of batch) one.fail(told)
    }
  }

  async function drain(gameId: number): Promise<void> {
    const queue = queues.get(gameId) as Waiting[]
    while (queue.length > 0) await deliver(gameId, queue.splice(0, submitQueue.batchMax))
    busy.delete(gameId)
    queues.delete(gameId)
  }

  return {
    record(judged) {
      return new Promise((done, fail) => {
        const queue = queues.get(judged.gameId) ?? []
        if (closed || queue.length >= submitQueue.waitingMax) {
          fail(new SubmitBusy({ retryAfter: 1 }))
          return
        }
        queues.set(judged.gameId, queue)
        queue.push({ judged, done, fail })
        if (busy.has(judged.gameId)) return
        busy.add(judged.gameId)
        setImmediate(() => void drain(judged.gameId))
      })
    },
    async close() {
      closed = true
      while (busy.size > 0) await new Promise((later) => setTimeout(later, 10))
      await Promise.all(idle.splice(0).map((connection) => connection.end()))
    },
  }
}
