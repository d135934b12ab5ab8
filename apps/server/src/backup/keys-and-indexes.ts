/** Foreign keys and secondary indexes, which make a load of many rows four times as long. */
import type pg from 'pg'

interface Statements {
  readonly drop: string
  readonly create: string
}

const foreignKeys = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
  from pg_constraint where connamespace = current_schema()::regnamespace and contype = 'f' order by conname`

/** Without those of primary and unique keys. */
const indexes = `
  select format('drop index %s', i.indexrelid::regclass) as drop, pg_get_indexdef(i.indexrelid) as create
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = current_schema()::regnamespace
    and not exists (select from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u', 'x')) order by c.relname`

/** Drops them, in the transaction of the caller, and returns what creates them again; creating a foreign key checks all rows. */
export async function dropKeysAndIndexes(client: pg.Client): Promise<() => Promise<void>> {
  const keys = (await client.query<Statements>(foreignKeys)).rows
  const others = (await client.query<Statements>(indexes)).rows
  for (const { drop } of [...keys, ...others]) await client.query(drop)
  return async () => {
    for (const { create } of [...others, ...keys]) await client.query(create)
  }
}
