import { sql } from 'kysely'
import type { Db } from '../db/transaction.ts'

export async function gameRuns(db: Db): Promise<boolean> {
  const { rows } =
    await sql`select from games where starts_at <= clock_timestamp() and ends_at > clock_timestamp() limit 1`.execute(db)
  return rows.length > 0
}

/** Whether the last backup was made a day ago, less half an hour for the time that it took: turns are hourly. */
export async function isDayOver(db: Db): Promise<boolean> {
  const { rows } = await sql`select from backups where made_at > clock_timestamp() - interval '23 hours 30 minutes'`.execute(db)
  return rows.length === 0
}

/** Records the end of a backup. `problem`: why it failed, null when it did not. */
export async function recordBackup(db: Db, problem: string | null): Promise<void> {
  await sql`
    insert into backups (tried_at, made_at, problem)
    values (clock_timestamp(), case when ${problem}::text is null then clock_timestamp() end, ${problem})
    on conflict (id) do update
      set tried_at = excluded.tried_at, made_at = coalesce(excluded.made_at, backups.made_at), problem = excluded.problem`.execute(
    db,
  )
}
