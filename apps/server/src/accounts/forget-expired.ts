import { sql } from 'kysely'
import type { Db } from '../db/transaction.ts'

const atOnce = 10_000

/** Every node reads these rows within seconds. */
export async function forgetEndedSessions(db: Db): Promise<void> {
  await sql`delete from ended_sessions where ended_at < clock_timestamp() - interval '10 minutes'`.execute(db)
}

/** Deletes the rows of expired sessions. */
export async function forgetSessions(db: Db): Promise<void> {
  for (;;) {
    // Every deletion makes all nodes reload the rights of their listeners, so delete only when there is something to delete.
    const { rows } = await sql<{ hash: Buffer }>`
      select token_hash as hash from sessions where expires_at < clock_timestamp() limit ${atOnce}`.execute(db)
    if (rows.length === 0) return
    await sql`delete from sessions where token_hash = any(${rows.map(({ hash }) => hash)}) and expires_at < clock_timestamp()`.execute(
      db,
    )
  }
}
