import { sql } from 'kysely'
import type { Db } from '../src/db/transaction.ts'

/** Columns that every call may change in addition to the log: last visits. (The times of the sweeps change without a call.) */
const without: Record<string, string> = {
  accounts: " - 'last_visit_at' - 'last_ip'",
  sessions: " - 'expires_at'",
}

/** One line for each table: the number of rows and a checksum of their content. If it is equal before and after, nothing changed. */
export async function checksum(db: Db): Promise<readonly string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('logs', 'sweeps') order by 1`.execute(
    db,
  )
  const parts = tables.map(
    ({ name }) =>
      sql`select ${name}::text || ' ' || count(*) || ' ' || coalesce(sum(hashtextextended((to_jsonb(t)${sql.raw(without[name] ?? '')})::text, 0)), 0) as line
        from ${sql.id(name)} t`,
  )
  const { rows } = await sql<{ line: string }>`${sql.join(parts, sql` union all `)}`.execute(db)
  // A parallel plan returns them in any order.
  return rows.map(({ line }) => line).sort()
}

/** Removes the rows of earlier scenes: the cost of a checksum grows with all rows. */
export async function emptyTables(db: Db): Promise<void> {
  // Not files: released files are removed later, and a checksum would show that.
  for (const table of ['games', 'teams', 'posts', 'accounts'] as const) await db.deleteFrom(table).execute()
}
