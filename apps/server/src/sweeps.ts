/** What is tidied up now and then. A row says when each is due again, so whichever of several nodes comes first does it. */
import { sql } from 'kysely'
import type { Db } from './db/transaction.ts'
import { every } from './every.ts'

export interface Sweep {
  readonly name: string
  readonly everyMinutes: number
  /** Must do no harm when done twice, also at the same time: a node may be slower than the pause. What takes long ends with the signal. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

export interface Sweeps {
  /** Does what is due. Returns the names of what was done. */
  run(): Promise<string[]>
  /** Waits for what runs. */
  close(): Promise<void>
}

const everyMs = 60_000

export function openSweeps(db: Db, sweeps: readonly Sweep[], onError: (error: unknown) => void): Sweeps {
  const closing = new AbortController()
  const { signal } = closing

  async function takeDue(): Promise<string[]> {
    const { rows } = await sql<{ name: string }>`
      insert into sweeps (name, due_at)
      select name, clock_timestamp() + make_interval(mins => minutes)
      from unnest(${sweeps.map(({ name }) => name)}::text[], ${sweeps.map((one) => one.everyMinutes)}::int[]) as s (name, minutes)
      order by name
      on conflict (name) do update set due_at = excluded.due_at where sweeps.due_at <= clock_timestamp()
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
