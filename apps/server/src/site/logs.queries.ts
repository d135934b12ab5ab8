import type { LogLevel } from '@vexil/core/vocabulary'
import { type Selectable, sql } from 'kysely'
import type { DB } from '../db/schema.ts'
import type { Db } from '../db/transaction.ts'

interface Filter {
  readonly level?: LogLevel | undefined
  /** Text in message, name, address or request id, ignoring case; blank: no filter. */
  readonly hint?: string | undefined
}

export async function listLogs(db: Db, { level, hint = '' }: Filter, { count, skip }: { count: number; skip: number }) {
  const pattern = `%${hint.trim().replace(/[\\%_]/g, '\\$&')}%`
  return db
    .selectFrom('logs')
    .selectAll()
    .$if(level !== undefined, (query) => query.where('level', '=', level as LogLevel))
    .$if(hint.trim() !== '', (query) =>
      query.where((or) => or.or((['message', 'name', 'ip', 'requestId'] as const).map((column) => or(column, 'ilike', pattern)))),
    )
    .orderBy('id', 'desc')
    .limit(count)
    .offset(skip)
    .execute()
}

/** The entries of ranges that do not overlap, by id; both ends included. */
export async function listLogsOf(db: Db, ranges: readonly { readonly from: number; readonly to: number }[]) {
  const { rows } = await sql<Selectable<DB['logs']>>`
    select logs.* from unnest(${ranges.map(({ from }) => from)}::int[], ${ranges.map(({ to }) => to)}::int[]) as asked (first, last)
    join logs on id between first and last order by id`.execute(db)
  return rows
}

const routesMost = 50

/** Calls that failed unexpectedly in the last hour, most failures first. */
export async function listFaultedRoutes(
  db: Db,
): Promise<{ readonly route: string; readonly count: number; readonly lastAt: Date }[]> {
  const { rows } = await sql<{ route: string; count: number; lastAt: Date }>`
    select route, count(*)::int as count, max(time) as last_at from logs
    where route is not null and time > clock_timestamp() - interval '1 hour'
    group by route order by count desc, route limit ${routesMost}`.execute(db)
  return rows
}

const atOnce = 10_000

/** Deletes entries older than this many days, in batches, so that locks are short. */
export async function forgetLogs(db: Db, days: number): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from logs where id in (
        select id from logs where time < clock_timestamp() - make_interval(days => ${days}) order by time limit ${atOnce}
      )`.execute(db)
    if ((numAffectedRows ?? 0n) < atOnce) return
  }
}
