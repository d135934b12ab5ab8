/** Last visits: gathered in memory and written many in a statement, because one commit per player would cost thousands of commits. */
import { sessionLimits } from '@vexil/core/limits'
import { sql } from 'kysely'
import { pgArrayLiteral } from '../db/pg-array-literal.ts'
import { type Db, inTransaction } from '../db/transaction.ts'

export interface Visits {
  /** Returns at once. */
  seen(accountId: string, ip: string): void
  /** Writes what was gathered. */
  close(): Promise<void>
}

interface Visit {
  ip: string
  /** Milliseconds. */
  at: number
  /** Written at this turn of the timer. */
  readonly due: number
}

/** The interval has so many turns, each of which writes what was first seen one interval ago: ten thousand at once would hold up everybody. */
const semaphore = 20
const atOnce = 500

export function openVisits(db: Db, onError: (error: unknown) => void): Visits {
  /** By account, in the order in which they were first seen. */
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
        // Losing it in a crash costs one visit; waiting for the disk would cost everybody.
        await sql`set local synchronous_commit = off`.execute(tx)
        // Two nodes that write of the same accounts lock them in one order.
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
  const timer = setInterval(() => void writeNext(++turn), sessionLimits.lastVisitInterval / semaphore)
  timer.unref()

  return {
    seen(accountId, ip) {
      const known = gathered.get(accountId)
      if (known) {
        known.ip = ip
        known.at = Date.now()
      } else gathered.set(accountId, { ip, at: Date.now(), due: turn + semaphore })
    },
    async close() {
      clearInterval(timer)
      await writeNext(Number.POSITIVE_INFINITY)
    },
  }
}
