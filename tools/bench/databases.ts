/** Databases for the platform that is measured, and the environment to start it with. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { DatabaseSource } from '../../apps/server/src/db/client-settings.ts'
import { startEmbedded } from '../../apps/server/src/db/embedded.ts'

/** Environment of a platform on that database. */
export const environment = (url: string) => ({
  DATABASE_URL: url,
  DISABLE_RATE_LIMIT: 'true',
  SECRET_KEY: 'a secret key for measurements only',
})

/** The database of the platform that is measured. */
export interface MeasuredDatabase {
  readonly url: string
  readonly source: DatabaseSource
  /** Current pid of the database server; null if it was not started here. */
  server(): number | null
  close(): Promise<void>
}

export async function embeddedDatabase(): Promise<MeasuredDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-bench-'))
  const embedded = await startEmbedded({ dataDir: folder, printLine: console.error })
  const { host, user, database: name } = embedded.connection
  return {
    url: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`,
    source: embedded.connection,
    server: () => Number(readFileSync(join(embedded.location, 'pg18', 'postmaster.pid'), 'utf8').split('\n')[0]),
    async close() {
      await embedded.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A new database on the server at this address, dropped at the end. */
export async function externalDatabase(server: string): Promise<MeasuredDatabase> {
  const name = `vexil_bench_${randomBytes(4).toString('hex')}`
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  await run(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const close = () => run(`drop database ${name} with (force)`)
  return { url: url.href, source: { url: url.href }, server: () => null, close }
}
