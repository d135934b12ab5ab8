/** `npm run seed` writes only into the intended database. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { freePort } from '../../../e2e/platform.ts'
import { mustBeMeant } from '../../../tools/bench/seed.ts'
import { databaseLocation, databaseOwner } from '../src/db/embedded-place.ts'
import { lockFolder } from '../src/db/folder-lock.ts'
import type { Db } from '../src/db/transaction.ts'
import { anAccount } from './builders/game.ts'
import { freshDatabase, type TestDatabase } from './database.ts'

let database: TestDatabase
afterEach(() => database.drop())

/** With one connection, so that nothing else uses the database. */
const alone = async () => {
  database = await freshDatabase({ poolSize: 1 })
  return database.db
}
const nameOf = async (db: Db) => {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  return rows[0]!.name
}

test('an empty unused database is accepted; one with accounts only when its name is repeated', async () => {
  const db = await alone()
  await mustBeMeant(db, undefined)
  await anAccount(db)
  const name = await nameOf(db)
  await expect(mustBeMeant(db, undefined)).rejects.toThrow(
    `The database ${name} has 1 accounts. To seed it anyway, add --into ${name}.`,
  )
  await expect(mustBeMeant(db, 'another')).rejects.toThrow(`--into names another, but the database is ${name}.`)
  await mustBeMeant(db, name)
})

test('a database with another connected program is refused', async () => {
  const db = await alone()
  const other = await database.reservedClient()
  try {
    await expect(mustBeMeant(db, undefined)).rejects.toThrow('is in use by 1 other connections')
  } finally {
    await other.end()
  }
})

test('a database without all tables of this release is refused and stays unchanged', async () => {
  const db = await alone()
  const refused = 'Start the platform on it once, then seed it.'
  const applied = async () => (await sql<{ name: string }>`select name from migrations order by name`.execute(db)).rows
  const all = await applied()
  await sql`delete from migrations where name = ${all.at(-1)!.name}`.execute(db)
  await expect(mustBeMeant(db, undefined)).rejects.toThrow(refused)
  expect(await applied()).toEqual(all.slice(0, -1))
  await sql`drop table migrations`.execute(db)
  await expect(mustBeMeant(db, await nameOf(db))).rejects.toThrow(refused)
})

async function command(env: Record<string, string>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../tools/bench/seed.ts'), '--teams', '3'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk))
  const [code] = await once(child, 'close')
  return [code, output]
}

test('the command ends with a message and code 2, and writes nothing', async () => {
  const db = await alone()
  await anAccount(db)
  expect(await command({ DATABASE_URL: database.url as string })).toEqual([2, expect.stringContaining('To seed it anyway')])
  expect(await db.selectFrom('games').select('id').execute()).toEqual([])
})

test('the command also fails when a platform uses the database of the folder, and when an external one is unavailable', async () => {
  await alone()
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil-seed-'))
  // Like a running platform.
  const location = await databaseLocation(dataDir, databaseOwner())
  const lock = lockFolder(location, 'database.lock')
  if ('heldBy' in lock) throw new Error('the folder is new')
  try {
    expect(await command({ DATA_DIR: dataDir })).toEqual([2, expect.stringMatching(/^The database in \S+ is in use by another/)])
  } finally {
    lock.release()
    for (const folder of [location, dataDir]) rmSync(folder, { recursive: true, force: true })
  }
  const outside = `postgres://me@127.0.0.1:${await freePort()}/ctf`
  expect(await command({ DATABASE_URL: outside })).toEqual([
    2,
    expect.stringMatching(/^The database at 127\.0\.0\.1:\d+\/ctf .*\n$/),
  ])
})
