/** Jobs: what is done later, written in the transaction of its cause and done by one node (decision 0006). */
import type { Language } from '@vexil/core/vocabulary'
import { type JobHelpers, Logger, type Runner, run } from 'graphile-worker'
import { sql } from 'kysely'
import type pg from 'pg'
import { every } from '../every.ts'
import type { Database } from './database.ts'
import type { Tx } from './transaction.ts'

/** Every kind of job, and what its row says. Never a secret: everyone with access to the database can read rows. */
export interface JobPayloads {
  'recover-account': { readonly email: string; readonly ip: string; readonly language: Language }
  'send-mail': { readonly mail: number }
}
export type JobName = keyof JobPayloads

/** What a node can do. A job that throws is tried again, later each time, unless it was the `last` attempt; done twice it must do no harm. */
export type Tasks = { readonly [Name in JobName]?: (payload: JobPayloads[Name], last: boolean) => Promise<void> }

export interface Jobs {
  /** Begins to work. Without tasks nothing is opened; jobs that no node can do wait. */
  start(tasks: Tasks): Promise<void>
  /** Takes no more and waits for what runs, at most 3 seconds; what is not done by then is done later. */
  close(): Promise<void>
}

export const silent = new Logger(() => () => undefined)

/** Two jobs at a time, and one connection that listens. */
const atATime = 2
const connections = atATime + 1
/** No job takes longer: a lock that is older belongs to a node that has ended. */
const longest = '5 minutes'
const everyMs = 60_000

/**
 * Writes a job. It begins after the commit, and not at all after a rollback. `attempts` in all, the pauses between them
 * grow: 3 s, 7 s, 20 s, 1 min, 2.5 min, 7 min, 18 min, 50 min, and so on.
 */
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
  let runner: Runner | null = null
  let timer: { close(): Promise<void> } | null = null
  let restart: NodeJS.Timeout | undefined

  /** A node that was killed could not give its jobs back; the library itself would wait for four hours. */
  async function takeBack(): Promise<void> {
    await pool?.query(
      `select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
       from graphile_worker.jobs where locked_at < now() - interval '${longest}' having count(*) > 0`,
    )
  }

  async function begin(tasks: Tasks, pgPool: pg.Pool): Promise<void> {
    await takeBack()
    const working = await run({
      pgPool,
      logger: silent,
      concurrency: atATime,
      pollInterval: 2_000,
      noHandleSignals: true,
      // Without a delay (0 is one) the library does not wait for the end of a job to be written when it stops.
      preset: { worker: { gracefulShutdownAbortTimeout: 3_000, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      crontab: '',
      taskList: Object.fromEntries(
        Object.entries(tasks as Record<string, (payload: unknown, last: boolean) => Promise<void>>).map(([name, task]) => [
          name,
          // Who stops waits 3 seconds; what then still runs counts as failed and is done again.
          (payload: unknown, { job, abortPromise }: JobHelpers) =>
            Promise.race([task(payload, job.attempts >= job.max_attempts), abortPromise]),
        ]),
      ),
    })
    runner = working
    // It ends when the database was away for long.
    void working.promise.catch(onError).then(() => {
      if (pool && runner === working) restart = setTimeout(() => void again(), 5_000).unref()
    })
    const again = () =>
      begin(tasks, pgPool).catch((error: unknown) => {
        onError(error)
        if (pool) restart = setTimeout(() => void again(), 5_000).unref()
      })
  }

  return {
    async start(tasks) {
      if (Object.keys(tasks).length === 0) return
      pool = database.reservedPool({ size: connections, name: 'vexil jobs', idleInTransactionMs: 10_000 })
      await begin(tasks, pool)
      timer = every(everyMs, takeBack, onError)
    },
    async close() {
      void timer?.close()
      clearTimeout(restart)
      const [working, connected] = [runner, pool]
      runner = pool = null
      await working?.stop().catch(() => undefined)
      await connected?.end()
    },
  }
}
