/** Last visits: collected in memory and written in batches, since one commit per player would be too expensive. */
import { sessionLimits } from '@vexil/core/limits'
import { sql } from 'kysely'
import { pgArrayLiteral } from '../db/pg-array-literal.ts'
import { type Db, inTransaction } from '../db/transaction.ts'

export interface Visits {
  seen(accountId: string, ip: string): void
  close(): Promise<void>
}

interface Visit {
  ip: string
  at: number
  /** The timer turn that writes the visit. */
  readonly due: number
}

/** Turns per interval. Each writes the visits first seen one interval ago, since ten thousand at once would block other writes. */
const turnsPerInterval = 20
const atOnce = 500

export function openVisits(db: Db, onError: (error: unknown) => void): Visits {
  const gathered = new Map<string, Visit>()
  let turn = 0
  let writing: Promise<void> = Promise.resolve()

  function takeDue(until: number): [string, Visit][] {
    const taken: [string, Visit][] = []
    for (const [id, visit] of gathered) {
      if (visit.due > until || taken.length === atOnce) break
      taken.push([id, visit])
      gathered.delete(id)
    }
    return taken
  }

  async function write(until: number): Promise<void> {
    for (let visits = takeDue(until); visits.length > 0; visits = takeDue(until)) {
      const ids = visits.map(([id]) => id)
      await inTransaction(db, async (tx) => {
        // A crash may lose a visit; waiting for the disk would cost more.
        await sql`set local synchronous_commit = off`.execute(tx)
        // Locks accounts in one order, since two nodes may write the same ones.
        await sql`
          with found as (select id from accounts where id = any (${pgArrayLiteral(ids)}::uuid[]) order by id for no key update)
          update accounts a set last_visit_at = to_timestamp(v.at / 1000), last_ip = v.ip
          from found, unnest(${pgArrayLiteral(ids)}::uuid[], ${visits.map(([, { ip }]) => ip)}::text[], ${pgArrayLiteral(visits.map(([, { at }]) => at))}::float8[]) as v (id, ip, at)
          where a.id = found.id and v.id = found.id and a.last_visit_at < to_timestamp(v.at / 1000)`.execute(tx)
      })
    }
  }

  function writeNext(until: number): Promise<void> {
    writing = writing.then(() => write(until)).catch(onError)
    return writing
  }
  const timer = setInterval(() => void writeNext(++turn), sessionLimits.lastVisitInterval / turnsPerInterval)
  timer.unref()

  return {
    seen(accountId, ip) {
      const known = gathered.get(accountId)
      if (known) {
        known.ip = ip
        known.at = Date.now()
      } else gathered.set(accountId, { ip, at: Date.now(), due: turn + turnsPerInterval })
    },
    async close() {
      clearInterval(timer)
      await writeNext(Number.POSITIVE_INFINITY)
    },
  }
}
