/**
 * Setup of the integration tests: one temporary cluster, with one migrated template that each test file clones.
 * VEXIL_TEST_DATABASE_URL names an external server instead (its user must be allowed to create databases).
 */
import { rmSync } from 'node:fs'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { makeDatabaseFolder } from '../../../scripts/test-folder.mjs'
import { openDatabase } from '../src/db/database.ts'
import { startEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server of the tests; `{database}` is replaced by the name of a database in it. */
    testServer: { url: string; prefix: string }
  }
}

/** Vitest calls it once, and calls the returned function at the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer()
  // Each project of a run has a separate template; on an external server they exist at the same time.
  const prefix = `vexil_test_${process.pid}_${project.name}_`
  const template = `${prefix}template`
  const onServer = async (work: (client: pg.Client) => Promise<void>, name = 'postgres') => {
    const client = new pg.Client(server.url.replace('{database}', name))
    await client.connect()
    await work(client).finally(() => client.end())
  }
  const dropAll = async (client: pg.Client) => {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database where starts_with(datname, $1)', [
      prefix,
    ])
    for (const { datname } of rows) await client.query(`drop database "${datname}" with (force)`)
  }
  try {
    await onServer(
      async (client) => void (await client.query(`create database "${template}" encoding 'UTF8' template template0`)),
    )
    const database = await openDatabase({ source: { url: server.url.replace('{database}', template) }, poolSize: 1 })
    await migrate(database)
    await database.close()
    await onServer(setSequencesApart, template)
  } catch (error) {
    await server.stop()
    throw error
  }
  project.provide('testServer', { url: server.url, prefix })
  return async () => {
    await onServer(dropAll)
    await server.stop()
  }
}

/** The ids of each table start at a different thousand, so that a test detects the id of a team in place of the id of a participation. */
async function setSequencesApart(client: pg.Client): Promise<void> {
  await client.query(`select setval(format('%I.%I', schemaname, sequencename)::regclass, 1000 * row_number() over (order by sequencename))
    from pg_sequences`)
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const outside = process.env.VEXIL_TEST_DATABASE_URL
  if (outside) {
    const url = new URL(outside)
    url.pathname = '/DATABASE'
    return { url: url.href.replace('/DATABASE', '/{database}'), stop: async () => undefined }
  }
  const folder = makeDatabaseFolder('tests')
  const embedded = await startEmbedded({ dataDir: folder, printLine: () => undefined, durable: false })
  const { host, user } = embedded.connection
  return {
    url: `postgres://${user}@localhost/{database}?host=${encodeURIComponent(host)}`,
    stop: async () => {
      await embedded.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
