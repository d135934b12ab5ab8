import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { freshDatabase } from '../../test/database.ts'
import type { DB } from './schema.ts'
import { watchVersions } from './versions.ts'

const database = await freshDatabase()
const { db } = database
afterAll(() => database.drop())

test('after its sessions were ended it is asked again by itself: changes meanwhile are noticed, and the fault is reported once', async () => {
  const faults: unknown[] = []
  const watched = database.reservedPool({ size: 1, name: 'watched' })
  // Its statements by a pool of their own, so that the sessions of this test live.
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
  await sql`create view versions as select security, settings from versions_away where refuse()`.execute(db)
  await vi.waitFor(() => expect(versions.answers()).toBe(false), 3000)
  await new Promise((later) => setTimeout(later, 700))
  expect(faults).toHaveLength(1)
  await sql`drop view versions`.execute(db)
  await sql`alter table versions_away rename to versions`.execute(db)
  await db.updateTable('accounts').set({ role: 'Banned' }).where('id', '=', account).execute()
  await vi.waitFor(() => expect([versions.answers(), told]).toEqual([true, { security: 1, settings: 0 }]), 3000)
  expect(Math.abs(versions.now() - Date.now())).toBeLessThan(2000)
  versions.close()
  await own.destroy()
})
