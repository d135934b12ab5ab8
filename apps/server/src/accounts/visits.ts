/** Last visits: gathered in memory and written in one statement, since thousands of players would else be thousands of commits of nothing. */
import { sessionLimits } from '@vexil/core/limits'
import { sql } from 'kysely'
import { type Db, inTransaction } from '../db/transaction.ts'

export interface Visits {
  /** Returns at once. */
  seen(accountId: string, ip: string): void
  /** Writes what was gathered. */
  flush(): Promise<void>
  close(): Promise<void>
}

export function openVisits(db: Db, report: (error: unknown) => void): Visits {
  let gathered = new Map<string, { ip: string; at: Date }>()

  async function flush(): Promise<void> {
    if (gathered.size === 0) return
    const visits = [...gathered].sort(([a], [b]) => (a < b ? -1 : 1))
    gathered = new Map()
    await inTransaction(db, async (tx) => {
      // Losing it in a crash costs one visit; waiting for the disk would cost everybody.
      await sql`set local synchronous_commit = off`.execute(tx)
      await sql`
        update accounts a set last_visit_at = v.at, last_ip = v.ip
        from unnest(${visits.map(([id]) => id)}::uuid[], ${visits.map(([, { ip }]) => ip)}::text[],
          ${visits.map(([, { at }]) => at)}::timestamptz[]) as v (id, ip, at)
        where a.id = v.id and a.last_visit_at < v.at`.execute(tx)
    })
  }

  const timer = setInterval(() => void flush().catch(report), sessionLimits.lastVisitInterval)
  timer.unref()
  return {
    seen: (accountId, ip) => void gathered.set(accountId, { ip, at: new Date() }),
    flush,
    async close() {
      clearInterval(timer)
      await flush().catch(report)
    },
  }
}
