import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { freshDatabase } from '../../test/database.ts'
import { StartError } from '../start-error.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate, pendingMigrations, untilMigrated } from './migrate.ts'
import { inTransaction } from './transaction.ts'

/** Milliseconds of pauses that are skipped, while `replaced` is a list. */
const pauses = vi.hoisted(() => ({ replaced: null as number[] | null }))
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>()
  return {
    ...real,
    setTimeout: async (ms: number, ...more: [unknown?, object?]) =>
      pauses.replaced ? void pauses.replaced.push(ms) : real.setTimeout(ms, ...more),
  }
})

const database = await freshDatabase()
const { db, pool } = database
const folder = mkdtempSync(join(tmpdir(), 'vexil-migrations-'))

afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})

test('a bigint is a number, a timestamp a Date, and columns are camelCase', async () => {
  const { rows } = await sql`select 5::bigint as some_number, array[6::bigint, null] as some_numbers, now() as made_at`.execute(
    db,
  )
  expect(rows[0]).toEqual({ someNumber: 5, someNumbers: [6, null], madeAt: expect.any(Date) })
})

test('the keys inside a JSON column stay as stored', async () => {
  const { rows } = await sql`select '{"snake_key": {"inner_key": 1}}'::jsonb as some_json`.execute(db)
  expect(rows[0]).toEqual({ someJson: { snake_key: { inner_key: 1 } } })
})

test('connections of the pool have timeouts', async () => {
  const { rows } = await pool.query(
    `select current_setting('statement_timeout') s, current_setting('lock_timeout') l, current_setting('idle_in_transaction_session_timeout') i`,
  )
  expect(rows[0]).toEqual({ s: '30s', l: '10s', i: '10s' })
})

test('a closed database has no connections, whether the query builder has used them or not', async () => {
  for (const ask of [(of: Database) => of.pool.query('select 1'), (of: Database) => sql`select 1`.execute(of.db)]) {
    const other = await openDatabase({ source: database.source, poolSize: 1 })
    await ask(other)
    await other.close()
    expect([other.pool.ended, other.pool.totalCount]).toEqual([true, 0])
  }
})

test('two deadlocked transactions both succeed, one of them at the second attempt', async () => {
  await pool.query('create table crossing (id int primary key, n int not null)')
  await pool.query('insert into crossing values (1, 0), (2, 0)')
  let tries = 0
  const cross = (first: number, second: number) =>
    inTransaction(db, async (tx) => {
      tries++
      await sql`update crossing set n = n + 1 where id = ${first}`.execute(tx)
      await sql`select pg_sleep(0.2)`.execute(tx)
      await sql`update crossing set n = n + 1 where id = ${second}`.execute(tx)
    })
  await Promise.all([cross(1, 2), cross(2, 1)])
  expect(tries).toBeGreaterThan(2)
  expect((await pool.query('select n from crossing')).rows).toEqual([{ n: 2 }, { n: 2 }])
})

test('a single statement in a deadlock with a transaction succeeds at the second attempt', async () => {
  await pool.query('create table crossed (id int primary key, n int not null)')
  await pool.query('insert into crossed values (1, 0), (2, 0)')
  const [other, gate] = [await pool.connect(), await pool.connect()]
  const waiting = async () =>
    (await pool.query(`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)).rowCount
  await gate.query('select pg_advisory_lock(1)')
  await other.query('begin')
  // Only the single statement detects the deadlock.
  await other.query(`set local deadlock_timeout = '1min'`)
  await other.query('update crossed set n = n + 1 where id = 1')
  const alone = sql`
    with second as (update crossed set n = n + 1 where id = 2 returning id),
      gate as materialized (select pg_advisory_xact_lock(1) from second)
    update crossed set n = n + 1 where id = 1 and exists (select from gate)`.execute(db)
  await expect.poll(waiting).toBe(1)
  const crossing = other.query('update crossed set n = n + 1 where id = 2')
  await expect.poll(waiting).toBe(2)
  await gate.query('select pg_advisory_unlock(1)')
  await crossing
  await other.query('commit')
  for (const one of [other, gate]) one.release()
  expect((await alone).numAffectedRows).toBe(1n)
  expect((await pool.query('select n from crossed order by id')).rows).toEqual([{ n: 2 }, { n: 2 }])
})

test('inside a transaction no single statement is retried, only the whole', async () => {
  let statements = 0
  const failing = inTransaction(db, async (tx) => {
    statements++
    await sql`do $$ begin raise exception 'given up' using errcode = '40001'; end $$`.execute(tx)
  })
  await expect(failing).rejects.toMatchObject({ code: '40001' })
  expect(statements).toBe(4)
})

test('migrations are applied once, in order, by one node; before, an empty database stays empty', async () => {
  writeFileSync(join(folder, '9001_first.sql'), 'create table firsts (id int primary key);')
  writeFileSync(join(folder, '9002_second.sql'), 'alter table firsts add n int; insert into firsts values (1, 2);')
  await pool.query('drop table migrations')
  const other = await pool.connect()
  await other.query('begin; select pg_advisory_xact_lock(4917203)')
  const nodes = Promise.all([migrate(database, folder), migrate(database, folder)])
  const asking = `select from pg_stat_activity where query like 'select pg_try_advisory_lock%' and datname = current_database()`
  await expect.poll(async () => (await pool.query(asking)).rows.length).toBe(2)
  expect((await pool.query(`select to_regclass('migrations') as found`)).rows).toEqual([{ found: null }])
  await other.query('commit')
  other.release()
  expect((await nodes).map((names) => names.length).sort()).toEqual([0, 2])
  await pool.query('alter table migrations add works_with int')
  expect((await pool.query('select * from firsts')).rows).toEqual([{ id: 1, n: 2 }])
})

test('a failed migration leaves nothing behind', async () => {
  writeFileSync(join(folder, '9003_broken.sql'), 'create table halves (id int); select 1 / 0;')
  await expect(migrate(database, folder)).rejects.toThrow('9003_broken')
  expect((await pool.query(`select to_regclass('halves') as found`)).rows).toEqual([{ found: null }])
  rmSync(join(folder, '9003_broken.sql'))
})

test('a migration that waits too long for a lock is tried ten times, after longer and longer pauses', async () => {
  const file = join(folder, '9003_waits.sql')
  await pool.query('create sequence tries')
  const attempts = (needed: number) => {
    writeFileSync(file, `do $$ begin if nextval('tries') < ${needed} then raise sqlstate '55P03'; end if; end $$;`)
    return migrate(database, folder)
  }
  pauses.replaced = []
  try {
    await expect(attempts(11)).rejects.toThrow('9003_waits')
    expect(pauses.replaced).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => attempt * 200))
    expect(await attempts(20)).toEqual(['9003_waits'])
  } finally {
    pauses.replaced = null
    rmSync(file)
    await pool.query(`drop sequence tries; delete from migrations where name = '9003_waits'`)
  }
})

test('an applied migration whose file has changed is refused with a message, and nothing is applied', async () => {
  const file = join(folder, '9002_second.sql')
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, `${before}\n`)
  writeFileSync(join(folder, '9004_next.sql'), "create table nexts as select current_setting('lock_timeout') as waits;")
  await expect(migrate(database, folder)).rejects.toThrow('The migration 9002_second was changed after it was applied')
  await expect(migrate(database, folder)).rejects.toBeInstanceOf(StartError)
  expect((await pool.query(`select to_regclass('nexts') as found`)).rows).toEqual([{ found: null }])
  writeFileSync(file, before)
  expect(await migrate(database, folder)).toEqual(['9004_next'])
  // Requests queue behind a migration that waits for a table.
  expect((await pool.query('select * from nexts')).rows).toEqual([{ waits: '3s' }])
})

test('rows that are deleted with another row are found by an index', async () => {
  const { rows } = await pool.query<{ name: string }>(`
    select conrelid::regclass || '.' || attname as name from pg_constraint
    join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and confdeltype = 'c' and connamespace = 'public'::regnamespace
      and not exists (select from pg_index where indrelid = conrelid and indkey[0] = any (conkey))`)
  // Submissions of another team's flag are few.
  expect(rows).toEqual([{ name: 'cheats.participation_id' }])
})

test('the migrations are numbered without gaps', () => {
  const numbers = readdirSync(join(import.meta.dirname, 'migrations')).map((name) => Number(name.slice(0, 4)))
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
})

test('a newer schema is accepted when each unknown migration works with the last known one, and nothing is changed', async () => {
  const newer = (name: string, worksWith: number | null) =>
    pool.query(`insert into migrations (name, hash, works_with) values ($1, '', $2)`, [name, worksWith])
  await newer('9005_later', 9004)
  await newer('9006_later', 9001)
  expect(await migrate(database, folder)).toEqual([])
  expect(await pendingMigrations(db, folder)).toEqual([])
  for (const worksWith of [9005, null]) {
    await newer('9007_later', worksWith)
    for (const refused of [() => migrate(database, folder), () => pendingMigrations(db, folder)])
      await expect(refused()).rejects.toThrow(/newer release \(migration 9007_later\)/)
    await pool.query(`delete from migrations where name = '9007_later'`)
  }
  await pool.query(`delete from migrations where name > '9005'`)
})

test('an index is created without blocking writes, once by two nodes, and again after an interrupted attempt', async () => {
  const file = '-- works-with: 9003\n-- no-transaction\ncreate unique index concurrently if not exists firsts_n on firsts (n);\n'
  writeFileSync(join(folder, '9005_index.sql'), file)
  await pool.query('insert into firsts values (2, 2)')
  await expect(migrate(database, folder)).rejects.toThrow(/firsts_n/)
  const isValid = async () =>
    (await pool.query(`select indisvalid from pg_index where indexrelid = to_regclass('firsts_n')`)).rows[0]?.indisvalid
  expect(await isValid()).toBe(false)
  await pool.query('update firsts set n = 3 where id = 2')
  const writing = await pool.connect()
  await writing.query('begin; update firsts set n = 4 where id = 2')
  const nodes = [migrate(database, folder), migrate(database, folder)]
  const waits = `select from pg_stat_activity
    where query ~ '^(drop|--[^;]*create unique) index concurrently' and wait_event_type = 'Lock' and datname = current_database()`
  await expect.poll(async () => (await pool.query(waits)).rowCount).toBe(1)
  // A writer that comes later does not wait for the index.
  await pool.query('update firsts set n = 5 where id = 1')
  await writing.query('commit')
  writing.release()
  expect((await Promise.all(nodes)).map((names) => names.length).sort()).toEqual([0, 1])
  expect(await isValid()).toBe(true)
  const { rows } = await pool.query(`select name, works_with from migrations where name like '900_%' order by name`)
  expect(rows.slice(-2)).toEqual([
    { name: '9004_next', works_with: null },
    { name: '9005_index', works_with: 9003 },
  ])
})

test('an index of a file with more statements, or without its own name, is not created', async () => {
  for (const statements of [
    'create index concurrently if not exists a on firsts (n); select 1;',
    'create index on firsts (n);',
  ]) {
    writeFileSync(join(folder, '9006_odd.sql'), `-- no-transaction\n${statements}\n`)
    await expect(migrate(database, folder)).rejects.toThrow(/9006_odd.sql needs a transaction/)
  }
  rmSync(join(folder, '9006_odd.sql'))
})

test('a node that must not upgrade waits until another has done it, says so once and changes nothing', async () => {
  writeFileSync(join(folder, '9006_waited.sql'), 'create table waited (id int);')
  const messages: (readonly string[])[] = []
  let done = false
  const waiting = untilMigrated(
    db,
    (pending) => void messages.push(pending),
    () => false,
    folder,
  ).then(() => {
    done = true
  })
  await expect.poll(() => messages).toEqual([['9006_waited']])
  // It polls twice a second; without a pause it would poll hundreds of times.
  const asks = vi.spyOn(db, 'getExecutor')
  await new Promise((later) => setTimeout(later, 100))
  expect(asks.mock.calls.length).toBeLessThan(20)
  asks.mockRestore()
  expect((await pool.query(`select to_regclass('waited') as found`)).rows).toEqual([{ found: null }])
  // A node that is stopping does not wait.
  await untilMigrated(
    db,
    (pending) => void messages.push(pending),
    () => true,
    folder,
  )
  expect(done).toBe(false)
  await migrate(database, folder)
  await waiting
  expect(messages).toHaveLength(1)
})

test('a database of a newer release is refused with a message', async () => {
  await pool.query(`insert into migrations (name, hash) values ('9999_later', '')`)
  await expect(migrate(database, folder)).rejects.toThrow(/newer release \(migration 9999_later\)/)
})
