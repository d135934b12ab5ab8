/** Periodic clean-up. A row stores when each task is due, so the first of several nodes runs it. */
import { sql } from 'kysely'
import type { Db } from './db/transaction.ts'
import { every } from './every.ts'

export interface Sweep {
  readonly name: string
  readonly everyMinutes: number
  /** Must be idempotent, also concurrently: a node may take longer than the interval. Long work stops at the signal. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

export interface Sweeps {
  /** Runs due tasks and returns their names. */
  run(): Promise<string[]>
  close(): Promise<void>
}

const everyMs = 60_000

export function openSweeps(db: Db, sweeps: readonly Sweep[], onError: (error: unknown) => void): Sweeps {
  const closing = new AbortController()
  const { signal } = closing

  // A time further ahead than the interval is from before the clock was set back or the interval was lowered. The minute is for a statement that waited
  // while another node took the task.
  async function takeDue(): Promise<string[]> {
    const { rows } = await sql<{ name: string }>`
      insert into sweeps (name, due_at)
      select name, clock_timestamp() + make_interval(mins => minutes)
      from unnest(${sweeps.map(({ name }) => name)}::text[], ${sweeps.map((one) => one.everyMinutes)}::int[]) as s (name, minutes)
      order by name
      on conflict (name) do update set due_at = excluded.due_at
        where sweeps.due_at <= clock_timestamp() or sweeps.due_at > excluded.due_at + interval '1 minute'
      returning name`.execute(db)
    return rows.map(({ name }) => name)
  }

  async function run(): Promise<string[]> {
    const due = await takeDue()
    for (const sweep of sweeps) {
      if (due.includes(sweep.name) && !signal.aborted) await sweep.run(signal).catch(onError)
    }
    return due
  }

  const timer = every(everyMs, run, onError)

  return {
    run,
    async close() {
      closing.abort()
      await timer.close()
    },
  }
}
