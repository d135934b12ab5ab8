/** Background jobs, written in the transaction of their cause and executed by one node (decision 0006). */
import type { Language } from '@vexil/core/vocabulary'
import { type JobHelpers, Logger, type Runner, run } from 'graphile-worker'
import { sql } from 'kysely'
import type pg from 'pg'
import { every } from '../every.ts'
import type { Database } from './database.ts'
import type { Tx } from './transaction.ts'

/** Payloads by kind of job. They must not contain secrets: everyone with access to the database can read them. */
export interface JobPayloads {
  'recover-account': { readonly email: string; readonly ip: string; readonly language: Language }
  'send-mail': { readonly mail: number }
}
export type JobName = keyof JobPayloads

/** The jobs a node can execute. A job that throws is retried with growing delay, except at the `last` attempt; it must be idempotent. */
export type Tasks = { readonly [Name in JobName]?: (payload: JobPayloads[Name], last: boolean) => Promise<void> }

export interface Jobs {
  /** Without tasks no connection is opened; jobs that no node can execute wait. Ignored after the first call with tasks. Reports failures and tries again every 5 seconds. */
  start(tasks: Tasks): Promise<void>
  /** Takes no more jobs and waits at most 3 seconds for running ones; unfinished jobs run again later. */
  close(): Promise<void>
}

export const silent = new Logger(() => () => undefined)

/** Two jobs at a time, and one connection for LISTEN. */
const atATime = 2
const connections = atATime + 1
/** No job takes longer: an older lock belongs to a node that has ended. */
const longest = '5 minutes'
const everyMs = 60_000

/** Runs after the commit. Delays between the `attempts`: 3 s, 7 s, 20 s, 1 min, 2.5 min, 7 min, 18 min, 50 min, and so on. */
export async function addJob<N extends JobName>(
  tx: Tx,
  name: N,
  payload: JobPayloads[N],
  { attempts }: { readonly attempts: number },
): Promise<void> {
  await sql`select graphile_worker.add_job(${name}, ${JSON.stringify(payload)}::json, max_attempts := ${attempts}::smallint)`.execute(
    tx,
  )
}

export function openJobs(database: Pick<Database, 'reservedPool'>, onError: (error: unknown) => void): Jobs {
  let pool: pg.Pool | null = null
  let closed = false
  let runner: Runner | null = null
  let timer: { close(): Promise<void> } | null = null
  let restart: NodeJS.Timeout | undefined

  /** Releases jobs of killed nodes; the library would wait four hours. */
  async function releaseAbandoned(): Promise<void> {
    await pool?.query(
      `select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
       from graphile_worker.jobs where locked_at < now() - interval '${longest}' having count(*) > 0`,
    )
  }

  async function begin(tasks: Tasks, pgPool: pg.Pool): Promise<Runner> {
    await releaseAbandoned()
    const working = await run({
      pgPool,
      logger: silent,
      concurrency: atATime,
      pollInterval: 2_000,
      noHandleSignals: true,
      // 0 counts as a delay: without one, the library stops before finished jobs are written.
      preset: { worker: { gracefulShutdownAbortTimeout: 3_000, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      crontab: '',
      taskList: Object.fromEntries(
        Object.entries(tasks as Record<string, (payload: unknown, last: boolean) => Promise<void>>).map(([name, task]) => [
          name,
          // At shutdown, a job that still runs after 3 seconds counts as failed and runs again.
          (payload: unknown, { job, abortPromise }: JobHelpers) =>
            Promise.race([task(payload, job.attempts >= job.max_attempts), abortPromise]),
        ]),
      ),
    })
    runner = working
    // It was closed while the library connected, and found no runner to stop.
    if (closed) await working.stop().catch(() => undefined)
    // The library keeps a failed look-up of its tasks forever: without a new runner no job would be executed.
    let hasTasks = false
    for (const event of ['worker:getJob:empty', 'job:start'] as const)
      working.events.on(event, () => {
        hasTasks = true
      })
    working.events.on('worker:getJob:error', () => {
      // Not at once: a worker that is stopped while it handles its error prints a trace.
      if (!hasTasks) setImmediate(() => void working.stop().catch(() => undefined))
    })
    return working
  }

  /** Begins again after each failed start and each end: the runner ends after a long outage of the database, and after a failed look-up of its tasks. */
  async function keepRunning(tasks: Tasks, pgPool: pg.Pool): Promise<void> {
    const later = () => {
      if (pool) restart = setTimeout(() => void keepRunning(tasks, pgPool), 5_000).unref()
    }
    try {
      const working = await begin(tasks, pgPool)
      void working.promise.catch(onError).then(later)
    } catch (error) {
      onError(error)
      later()
    }
  }

  return {
    async start(tasks) {
      if (Object.keys(tasks).length === 0 || pool || closed) return
      pool = database.reservedPool({ size: connections, name: 'vexil jobs', idleInTransactionMs: 10_000 })
      timer = every(everyMs, releaseAbandoned, onError)
      await keepRunning(tasks, pool)
    },
    async close() {
      closed = true
      void timer?.close()
      clearTimeout(restart)
      const [working, connected] = [runner, pool]
      runner = pool = null
      await working?.stop().catch(() => undefined)
      await connected?.end()
    },
  }
}
