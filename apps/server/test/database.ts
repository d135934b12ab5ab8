/** A separate database for a test file. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../src/db/database.ts'

/** A migrated, otherwise empty database. */
export interface TestDatabase extends Database {
  /** For code that opens the database: `openDatabase`, or a platform started with DATABASE_URL. */
  readonly url: string
  /** Closes the pool; the database is removed later. */
  drop(): Promise<void>
}

/** Clones the template: `const database = await freshDatabase()`, and `afterAll(() => database.drop())`. */
export async function freshDatabase({ poolSize = 20 }: { poolSize?: number } = {}): Promise<TestDatabase> {
  const { url: server, prefix } = inject('testServer')
  const name = `${prefix}${randomBytes(5).toString('hex')}`
  // Copying files takes less time than writing their pages to the log.
  await onServer(server, (client) => client.query(`create database "${name}" template "${prefix}template" strategy file_copy`))
  const url = server.replace('{database}', name)
  const database = await openDatabase({ source: { url }, poolSize })
  return {
    ...database,
    url,
    drop: async () => {
      await database.close()
      await dropLater(server, prefix, name)
    },
  }
}

/** Databases that are no longer used are dropped together: a clone made soon after a drop takes five times as long. */
const mostUnused = 50

async function dropLater(server: string, prefix: string, name: string): Promise<void> {
  await onServer(server, async (client) => {
    await client.query(`comment on database "${name}" is 'unused'`)
    const { rows } = await client.query<{ datname: string }>(
      `select datname from pg_database where starts_with(datname, $1) and shobj_description(oid, 'pg_database') = 'unused'`,
      [prefix],
    )
    if (rows.length < mostUnused) return
    for (const { datname } of rows) await client.query(`drop database if exists "${datname}" with (force)`)
  })
}

/** A database without tables. */
export async function emptyDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const { url: server, prefix } = inject('testServer')
  const name = `${prefix}${randomBytes(5).toString('hex')}`
  await onServer(server, (client) => client.query(`create database "${name}" encoding 'UTF8' template template0`))
  return {
    url: server.replace('{database}', name),
    drop: () => dropLater(server, prefix, name),
  }
}

async function onServer(server: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(server.replace('{database}', 'postgres'))
  await client.connect()
  await work(client).finally(() => client.end())
}
