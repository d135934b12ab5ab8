import { sql } from 'kysely'
import type { Db } from '../db/transaction.ts'

const atOnce = 10_000

/** Sessions whose time is over. They open nothing any more; only their rows go. */
export async function forgetSessions(db: Db): Promise<void> {
  for (;;) {
    // Every deletion makes all nodes ask for everybody's rights again, so none is made in vain.
    const { rows } = await sql<{ hash: Buffer }>`
      select token_hash as hash from sessions where expires_at < clock_timestamp() limit ${atOnce}`.execute(db)
    if (rows.length === 0) return
    await sql`delete from sessions where token_hash = any(${rows.map(({ hash }) => hash)}) and expires_at < clock_timestamp()`.execute(
      db,
    )
  }
}
