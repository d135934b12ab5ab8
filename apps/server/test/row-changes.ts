/** Which rows of which tables a function inserts, deletes and updates, for all tables. */
import { sql } from 'kysely'
import type { Db } from '../src/db/transaction.ts'

type Row = Readonly<Record<string, unknown>>
/** Rows by table and primary key. */
export type Rows = ReadonlyMap<string, ReadonlyMap<string, Row>>

/** The log is read separately; sweeps are due at their own times. */
const without = ['logs', 'sweeps']
/** Written by the timer of visits, for every account with a session, at any time. */
const ofVisits = ['last_visit_at', 'last_ip']

const primaryKeys = new WeakMap<Db, Promise<ReadonlyMap<string, readonly string[]>>>()

async function readPrimaryKeys(db: Db): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select r.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_index i join pg_class r on r.oid = i.indrelid join pg_attribute a on a.attrelid = r.oid and a.attnum = any (i.indkey)
    where i.indisprimary and r.relnamespace = 'public'::regnamespace and r.relname <> all (${without}::text[])
    group by r.relname`.execute(db)
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}

function keysOf(db: Db) {
  const known = primaryKeys.get(db) ?? readPrimaryKeys(db)
  primaryKeys.set(db, known)
  return known
}

/** All rows of all tables: for databases with some hundred rows. */
export async function readRows(db: Db): Promise<Rows> {
  const keys = await keysOf(db)
  const parts = [...keys.keys()].map((name) => sql`select ${name}::text as name, to_jsonb(t) as row from ${sql.id(name)} t`)
  const { rows } = await sql<{ name: string; row: Row }>`${sql.join(parts, sql` union all `)}`.execute(db)
  const tables = new Map([...keys.keys()].map((name) => [name, new Map<string, Row>()]))
  for (const { name, row } of rows)
    tables.get(name)?.set((keys.get(name) as string[]).map((column) => String(row[column])).join(' '), row)
  return tables
}

export interface Change {
  readonly kind: '+' | '-' | '~'
  readonly table: string
  readonly row: Row
  /** Updated columns; empty for other changes. */
  readonly columns: readonly string[]
}

/** `isVisited`: the timer of visits may have written to this account. */
export function changesBetween(before: Rows, after: Rows, isVisited: (account: string) => boolean): Change[] {
  const updated = (table: string, row: Row, to: Row) =>
    Object.keys(row).filter(
      (column) =>
        JSON.stringify(row[column]) !== JSON.stringify(to[column]) &&
        !(table === 'accounts' && ofVisits.includes(column) && isVisited(String(row.id))),
    )
  return [...after].flatMap(([table, rows]): Change[] => {
    const old = before.get(table) ?? new Map<string, Row>()
    const inserted = [...rows]
      .filter(([key]) => !old.has(key))
      .map(([, row]) => ({ kind: '+' as const, table, row, columns: [] }))
    const deleted = [...old].filter(([key]) => !rows.has(key)).map(([, row]) => ({ kind: '-' as const, table, row, columns: [] }))
    const changed = [...old].flatMap(([key, row]) => {
      const now = rows.get(key)
      const columns = now ? updated(table, row, now) : []
      return now && columns.length > 0 ? [{ kind: '~' as const, table, row: now, columns }] : []
    })
    return [...inserted, ...deleted, ...changed]
  })
}
