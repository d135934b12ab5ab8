import { sql } from 'kysely'
import type { Db } from '../db/transaction.ts'

const atOnce = 10_000

/** What says which sessions ended is read by every node within seconds. */
export async function forgetEndedSessions(db: Db): Promise<void> {
  await sql`delete from ended_sessions where ended_at < clock_timestamp() - interval '10 minutes'`.execute(db)
}

/** Sessions whose time is over. They open nothing any more; only their rows go. */
export async function forgetSessions(db: Db): Promise<void> {
  for (;;) {
    // Every deletion makes all nodes ask for the rights of who listens again, so none is made in vain.
    const { rows } = await sql<{ hash: Buffer }>`
      select token_hash as hash from sessions where expires_at < clock_timestamp() limit ${atOnce}`.execute(db)
    if (rows.length === 0) return
    await sql`delete from sessions where token_hash = any(${rows.map(({ hash }) => hash)}) and expires_at < clock_timestamp()`.execute(
      db,
    )
  }
}
