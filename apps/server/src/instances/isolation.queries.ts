import type { IsolationAttempt } from '@vexil/contract/instances'
import { sql } from 'kysely'
import type { Db } from '../db/transaction.ts'

/** Milliseconds after which a run that has not ended belongs to a node that has. */
const runLease = 60_000

export interface ProbeRow {
  readonly isRunning: boolean
  readonly finishedAt: Date | null
  readonly problem: string | null
  readonly attempts: readonly IsolationAttempt[]
}

export async function findProbe(db: Db): Promise<ProbeRow | null> {
  const { rows } = await sql<ProbeRow>`
    select running_until is not null and running_until > clock_timestamp() as is_running, finished_at, problem, attempts
    from isolation_probes`.execute(db)
  return rows[0] ?? null
}

/** Returns false when a run is under way, or has ended less than `pause` milliseconds ago. One of several callers gets true. */
export async function beginProbe(db: Db, pause: number): Promise<boolean> {
  const { rows } = await sql`
    insert into isolation_probes as p (running_until) values (clock_timestamp() + make_interval(secs => ${runLease / 1000}))
    on conflict (id) do update set running_until = excluded.running_until
    where (p.running_until is null or p.running_until <= clock_timestamp())
      and (p.finished_at is null or p.finished_at <= clock_timestamp() - make_interval(secs => ${pause / 1000}))
    returning 1`.execute(db)
  return rows.length > 0
}

export async function finishProbe(db: Db, { problem, attempts }: Pick<ProbeRow, 'problem' | 'attempts'>): Promise<void> {
  await sql`
    update isolation_probes
    set running_until = null, finished_at = clock_timestamp(), problem = ${problem}, attempts = ${JSON.stringify(attempts)}::jsonb`.execute(
    db,
  )
}
