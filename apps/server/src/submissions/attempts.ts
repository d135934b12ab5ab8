/** Writes judged answers in batches: per game one queue and one batch in flight. Answers that arrive meanwhile form the next batch, so many share one commit. The first is sent at once. */

import { submitQueue } from '@vexil/core/limits'
import { SubmitBusy } from '@vexil/core/rules'
import type { AnswerResult } from '@vexil/core/vocabulary'
import { isConnectionLost } from '../db/connections.ts'
import { pgArrayLiteral } from '../db/pg-array-literal.ts'
import { countOne, counts, observe } from '../metrics/counts.ts'
import { inDatabase, runForNone } from '../request-trace.ts'
import { codeOf } from '../start-error.ts'
import { RequestLost } from './request-lost.ts'

/** An answer with its verdict. `arrived` by this process's monotonic clock (ms); `epoch` of the facts that the verdict is based on. */
export interface Judged {
  readonly gameId: number
  readonly participationId: number
  readonly challengeId: number
  readonly accountId: string
  /** Hexadecimal hash of the sender's session. */
  readonly session: string
  readonly answer: string
  readonly verdict: AnswerResult
  readonly epoch: number
  readonly arrived: number
}

export interface Recorded {
  /** `ok`, or why nothing was written: the caller reads the facts again. */
  readonly outcome: 'ok' | 'stale' | 'gone' | 'banned' | 'signed_out' | 'missing' | 'not_accepted'
  readonly submission: number
  readonly verdict: AnswerResult
  /** Number in the solve log, for a first correct answer. */
  readonly solve: number | null
  readonly rank: number | null
  readonly notice: number | null
  readonly team: string
}

export interface Attempts {
  record(judged: Judged): Promise<Recorded>
  close(): Promise<void>
}

export interface AttemptsPool {
  connect(): Promise<{
    query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>
    release(broken?: boolean): void
  }>
  end(): Promise<void>
}

interface Waiting {
  readonly judged: Judged
  readonly done: (recorded: Recorded) => void
  readonly fail: (error: unknown) => void
}

/** A pool for answers, separate from that of the requests. Commits are synchronous whatever the server's default, so that an announced solve is not lost. */
export const attemptsPool = {
  size: 4,
  name: 'vexil answers',
  // A generic plan, because a batch of another size would be planned again each time.
  first: 'set synchronous_commit = on; set plan_cache_mode = force_generic_plan',
}

/** Nothing was written and a retry is safe: deadlock, serialisation failure, lock time-out, or a parent row (23503) deleted between check and insert. */
const rolledBack = new Set(['40P01', '40001', '55P03', '23503'])
/** The schema changed: the connection's prepared statement is outdated, nothing was written, and a retry uses another connection. */
const outdatedPlan = '0A000'
/** Nothing was written, but an immediate retry could block the queue for another statement timeout. */
const tookTooLong = '57014'
const retries = 3

const statement = {
  name: 'record_attempts',
  text: `select place, outcome, submission, verdict, solve, rank, notice, team
    from record_attempts($1::int, $2::bigint[], $3::int[], $4::int[], $5::uuid[], $6::text[], $7::text[], $8::float8[], $9::text[])`,
}

/** Errors of the data: one bad row must not fail the others of its batch. */
const isData = (code: string) => code.startsWith('22') || code.startsWith('23')
const isRefused = (code: string) => rolledBack.has(code) || isData(code) || code === tookTooLong

async function send(pool: AttemptsPool, gameId: number, batch: readonly Waiting[]): Promise<Recorded[]> {
  const plain = (take: (judged: Judged) => number | string) => pgArrayLiteral(batch.map(({ judged }) => take(judged)))
  const connection = await pool.connect()
  let broken = false
  try {
    // Starts after the wait for a connection, which is not a delay of the sender.
    const sent = performance.now()
    const { rows } = await connection.query({
      ...statement,
      values: [
        gameId,
        plain((one) => one.epoch),
        plain((one) => one.participationId),
        plain((one) => one.challengeId),
        plain((one) => one.accountId),
        batch.map(({ judged }) => judged.answer),
        plain((one) => one.verdict),
        plain((one) => Math.max(0, sent - one.arrived) / 1000),
        plain((one) => one.session),
      ],
    })
    observe(counts.batchSizes, batch.length)
    observe(counts.batchWrites, (performance.now() - sent) / 1000)
    return rows as Recorded[]
  } catch (error) {
    broken = !isRefused(codeOf(error))
    throw error
  } finally {
    connection.release(broken)
  }
}

/** Batches of different games are in flight concurrently, one per connection. `close` ends the pool. */
export function openAttempts(pool: AttemptsPool): Attempts {
  const queues = new Map<number, Waiting[]>()
  const draining = new Set<Promise<void>>()
  let closed = false

  /** Sends a batch; if the database refuses it, sends the rows one by one, so that only the bad row fails. Never rejects. */
  async function deliver(gameId: number, batch: readonly Waiting[], left = retries): Promise<void> {
    try {
      const recorded = await send(pool, gameId, batch)
      for (const [place, one] of batch.entries()) {
        const { outcome, verdict } = recorded[place] as Recorded
        if (outcome === 'ok') countOne(counts.submissions, verdict)
        one.done(recorded[place] as Recorded)
      }
    } catch (error) {
      const code = codeOf(error)
      if ((rolledBack.has(code) || code === outdatedPlan) && left > 0) return deliver(gameId, batch, left - 1)
      if (isData(code) && batch.length > 1) {
        for (const one of batch) await deliver(gameId, [one], left)
        return
      }
      for (const one of batch) one.fail(toPlayer(error))
    }
  }

  async function drain(gameId: number, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) await deliver(gameId, queue.splice(0, submitQueue.batchMax))
    queues.delete(gameId)
  }

  function start(gameId: number, queue: Waiting[]): void {
    queues.set(gameId, queue)
    // After the current turn, so that its answers share a batch.
    const drained = runForNone(() => new Promise<void>((turn) => setImmediate(turn)).then(() => drain(gameId, queue)))
    draining.add(drained)
    void drained.finally(() => draining.delete(drained))
  }

  return {
    record(judged) {
      return inDatabase(
        () =>
          new Promise((done, fail) => {
            const queue = queues.get(judged.gameId) ?? []
            if (closed || queue.length >= submitQueue.waitingMax) {
              fail(new SubmitBusy({ retryAfter: 1 }))
              return
            }
            queue.push({ judged, done, fail })
            if (!queues.has(judged.gameId)) start(judged.gameId, queue)
          }),
      )
    },
    async close() {
      closed = true
      await Promise.all(draining)
      await pool.end()
    },
  }
}

/** After a lost connection the outcome is unknown: the player repeats the answer, and a repeated correct answer has no effect. */
function toPlayer(error: unknown): unknown {
  const code = codeOf(error)
  if (rolledBack.has(code) || code === tookTooLong) return new SubmitBusy({ retryAfter: 1 })
  return isConnectionLost(error) ? new RequestLost(error) : error
}
