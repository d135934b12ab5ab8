/** A separate database for a test file. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../src/db/database.ts'

/** A migrated, otherwise empty database. */
export interface TestDatabase extends Database {
  /** For code that opens the database: `openDatabase`, or a platform started with DATABASE_URL. */
  readonly url: string
  /** Closes the pool and removes the database. */
  drop(): Promise<void>
}

/** Clones the template: `const database = await freshDatabase()`, and `afterAll(() => database.drop())`. */
export async function freshDatabase({ poolSize = 20 }: { poolSize?: number } = {}): Promise<TestDatabase> {
  const { url: server, prefix } = inject('testServer')
  const name = `${prefix}${randomBytes(5).toString('hex')}`
  await onServer(server, `create database "${name}" template "${prefix}template"`)
  const url = server.replace('{database}', name)
  const database = await openDatabase({ source: { url }, poolSize })
  return {
    ...database,
    url,
    drop: async () => {
      await database.close()
      await onServer(server, `drop database if exists "${name}" with (force)`)
    },
  }
}

/** A database without tables. */
export async function emptyDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const { url: server, prefix } = inject('testServer')
  const name = `${prefix}${randomBytes(5).toString('hex')}`
  await onServer(server, `create database "${name}" encoding 'UTF8' template template0`)
  return {
    url: server.replace('{database}', name),
    drop: () => onServer(server, `drop database if exists "${name}" with (force)`),
  }
}

async function onServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client(server.replace('{database}', 'postgres'))
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
