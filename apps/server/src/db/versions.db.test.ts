// Alone: it breaks connections, and counts what its own polls report.
import { randomBytes } from 'node:crypto'
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { freshDatabase } from '../../test/database.ts'
import type { DB } from './schema.ts'
import { watchVersions } from './versions.ts'

const database = await freshDatabase()
const { db } = database
afterAll(() => database.drop())

test('after its sessions end it reconnects: changes in the meantime are detected, and the error is reported once', async () => {
  const faults: unknown[] = []
  const watched = database.reservedPool({ size: 1, name: 'watched' })
  // Its statements use a separate pool, so that the sessions of this test survive.
  const own = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: watched }),
    plugins: [new CamelCasePlugin()],
  })
  const versions = await watchVersions(own, (error) => faults.push(error))
  const told = { security: 0, settings: 0 }
  versions.onSecurity(() => told.security++)
  versions.onSettings(() => told.settings++)
  const account = await anAccount(db)
  await sql`create function refuse() returns boolean language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid()); return true; end $$`.execute(
    db,
  )
  await sql`alter table versions rename to versions_away`.execute(db)
  await sql`create view versions as select security, sessions, settings from versions_away where refuse()`.execute(db)
  await vi.waitFor(() => expect(versions.answers()).toBe(false), 30_000)
  await new Promise((later) => setTimeout(later, 700))
  expect(faults).toHaveLength(1)
  await sql`drop view versions`.execute(db)
  await sql`alter table versions_away rename to versions`.execute(db)
  await db.updateTable('accounts').set({ role: 'Banned' }).where('id', '=', account).execute()
  await vi.waitFor(() => expect([versions.answers(), told]).toEqual([true, { security: 1, settings: 0 }]), 30_000)
  expect(Math.abs(versions.now() - Date.now())).toBeLessThan(2000)
  versions.close()
  await own.destroy()
})

test('ended sessions are reported by hash, other changes of rights for all sessions; a poll is valid for a second from its start', async () => {
  const versions = await watchVersions(db, (error) => {
    throw error
  })
  const told: (readonly string[] | null | 'security')[] = []
  versions.onEnded((hashes) => told.push(hashes))
  versions.onSecurity(() => told.push('security'))
  const [one, two] = [await anAccount(db), await anAccount(db)]
  const hashOf = async (accountId: string) => {
    const tokenHash = randomBytes(32)
    await db
      .insertInto('sessions')
      .values({ tokenHash, accountId, expiresAt: new Date(Date.now() + 3_600_000) })
      .execute()
    return tokenHash.toString('hex')
  }
  const [first, second, third] = [await hashOf(one), await hashOf(one), await hashOf(two)]
  const before = versions.seen()
  await db.deleteFrom('sessions').where('accountId', '=', one).execute()
  expect(versions.isFresh()).toBe(true)
  versions.invalidate()
  expect(versions.isFresh()).toBe(false)
  await versions.poll()
  expect(versions.isFresh()).toBe(true)
  expect(told.map((said) => (Array.isArray(said) ? [...said].sort() : said))).toEqual([[first, second].sort(), 'security'])
  expect(versions.seen()).toEqual({ security: before.security, sessions: before.sessions + 1 })
  await versions.poll()
  expect(told).toHaveLength(2)
  told.length = 0
  await db.updateTable('accounts').set({ userName: 'Renamed' }).where('id', '=', two).execute()
  await versions.poll()
  expect(told).toEqual([null, 'security'])
  told.length = 0
  // Nothing ended: a statement that deletes no session says nothing.
  await db.deleteFrom('sessions').where('accountId', '=', one).execute()
  await versions.poll()
  expect(told).toEqual([])
  await db.deleteFrom('accounts').where('id', '=', two).execute()
  await versions.poll()
  expect(told.at(-1)).toBe('security')
  expect(told[0] === null || told[0]?.includes(third)).toBe(true)
  versions.close()
  await new Promise((later) => setTimeout(later, 1100))
  expect(versions.isFresh()).toBe(false)
})
