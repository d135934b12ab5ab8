import { sql } from 'kysely'
import type { Db } from '../db/transaction.ts'

/** Whether a backup is due: at each call while a game runs, otherwise a day after the last. */
export async function isDue(db: Db): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select exists (select from games where starts_at <= clock_timestamp() and ends_at > clock_timestamp())
      or not exists (select from backups where made_at > clock_timestamp() - interval '23 hours 30 minutes') as due`.execute(db)
  return rows[0]?.due ?? true
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
