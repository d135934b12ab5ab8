/** Sessions that the server ends: the process keeps running, the caller gets an error with this cause, and the next call works. */
import type { EventEmitter } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { freshDatabase } from '../../test/database.ts'
import { isConnectionLost, openPool } from './connections.ts'
import { inTransaction } from './transaction.ts'

const database = await freshDatabase({ poolSize: 2 })
const { db, pool } = database
afterAll(() => database.drop())

const killer = await database.reservedClient({ name: 'killer' })
afterAll(() => killer.end())

/** Terminates a session from another one and waits until it has ended. */
async function terminate(pid: number): Promise<void> {
  await killer.query('select pg_terminate_backend($1, 5000)', [pid])
}
const pidOf = async (query: (text: string) => Promise<{ rows: { pid: number }[] }>) =>
  (await query('select pg_backend_pid() as pid')).rows[0]!.pid
const pidIn = async (within: Parameters<Parameters<typeof inTransaction>[1]>[0]) =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(within)).rows[0]!.pid
const endOf = (client: EventEmitter) => new Promise((resolve) => client.once('end', resolve))
const uncaught: unknown[] = []
process.on('uncaughtException', (error) => uncaught.push(error))
/** Waits until messages of the server have arrived; without a listener they would be an uncaught error, which ends a process. */
async function settle() {
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(uncaught).toEqual([])
}

test('sessions are named, so that an operator can tell whose they are', async () => {
  const named = sql<{ name: string }>`select current_setting('application_name') as name`
  expect((await named.execute(db)).rows).toEqual([{ name: 'vexil' }])
  expect((await killer.query(`select current_setting('application_name') as name`)).rows).toEqual([{ name: 'killer' }])
})

test('a session ends in a transaction, between two statements', async () => {
  const work = inTransaction(db, async (tx) => {
    await terminate(await pidIn(tx))
    await settle()
    await sql`select 1`.execute(tx)
  })
  expect(isConnectionLost(await work.catch((error: unknown) => error))).toBe(true)
  await settle()
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('a session ends in a transaction before its commit', async () => {
  const work = inTransaction(db, async (tx) => {
    await terminate(await pidIn(tx))
    await settle()
  })
  expect(isConnectionLost(await work.catch((error: unknown) => error))).toBe(true)
  await settle()
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('a session ends while a statement runs', async () => {
  const client = await pool.connect()
  const pid = await pidOf((text) => client.query(text))
  const asking = client.query('select pg_sleep(20)').catch((error: unknown) => error)
  await terminate(pid)
  expect(isConnectionLost(await asking)).toBe(true)
  client.release(true)
})

test('a session ends while borrowed and idle, and back in the pool', async () => {
  for (const returned of [false, true]) {
    const client = await pool.connect()
    const pid = await pidOf((text) => client.query(text))
    if (returned) client.release()
    await terminate(pid)
    await settle()
    if (!returned) client.release()
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  }
})

test('the session of a reserved client, and of a borrowed client of a reserved pool, ends', async () => {
  const client = await database.reservedClient()
  const ended = endOf(client)
  await terminate(await pidOf((text) => client.query(text)))
  await ended
  const reserved = database.reservedPool({ size: 1, name: 'test' })
  const borrowed = await reserved.connect()
  await terminate(await pidOf((text) => borrowed.query(text)))
  await settle()
  borrowed.release(true)
  expect((await reserved.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await reserved.end()
})

test('a session ends after too long in a transaction', async () => {
  const client = await database.reservedClient({ idleInTransactionMs: 50 })
  const ended = endOf(client)
  await client.query('begin')
  await ended
  expect(isConnectionLost(await client.query('select 1').catch((error: unknown) => error))).toBe(true)
})

test('a connection that refused to write is not used again', async () => {
  const reserved = database.reservedPool({ size: 1, name: 'refused' })
  const client = await reserved.connect()
  const pid = await pidOf((text) => client.query(text))
  await client.query('set default_transaction_read_only = on')
  await expect(client.query('create table refused ()')).rejects.toMatchObject({ code: '25006' })
  // As before, so that a transaction can be rolled back.
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  client.release()
  expect(await pidOf((text) => reserved.query(text))).not.toBe(pid)
  await reserved.end()
})

test('an exhausted pool is reported like an unavailable database', async () => {
  const small = database.reservedPool({ size: 1, name: 'small' })
  const heldClient = await small.connect()
  small.options.connectionTimeoutMillis = 50
  expect(isConnectionLost(await small.connect().catch((error: unknown) => error))).toBe(true)
  heldClient.release()
  await small.end()
})

test('a server that accepts no connections is probed at intervals, not by each request, and used at once when it accepts them again', async () => {
  let attempts = 0
  const server = createServer((socket) => {
    attempts++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  const away = openPool({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, user: 'x', max: 5 })
  const startedAt = performance.now()
  for (let i = 0; i < 3; i++) {
    const all = await Promise.allSettled(Array.from({ length: 40 }, () => away.query('select 1')))
    expect(all.every((one) => one.status === 'rejected' && isConnectionLost(one.reason))).toBe(true)
  }
  // The first five connect at the same time, then none for a tenth of a second.
  const most = 5 * (1 + Math.floor((performance.now() - startedAt) / 100))
  expect(attempts).toBeGreaterThanOrEqual(5)
  expect(attempts).toBeLessThanOrEqual(most)
  const before = attempts
  await new Promise((later) => setTimeout(later, 120))
  await away.query('select 1').catch(() => undefined)
  expect(attempts).toBe(before + 1)
  await away.end()
  server.close()
})

test('the first statements of a reserved pool apply to each of its connections', async () => {
  const reserved = database.reservedPool({ size: 2, name: 'first', first: "set work_mem = '5MB'" })
  const clients = [await reserved.connect(), await reserved.connect()]
  for (const client of clients) {
    expect((await client.query('show work_mem')).rows).toEqual([{ work_mem: '5MB' }])
    client.release()
  }
  await reserved.end()
})

/** Names of the statements that a session has prepared. */
const preparedBy = async (client: { query(text: string): Promise<{ rows: { name: string; text: string }[] }> }) =>
  (await client.query('select name, statement as text from pg_prepared_statements order by prepare_time')).rows

test('a repeated statement is prepared once on each connection, under the same name', async () => {
  const clients = [await pool.connect(), await pool.connect()]
  const names: string[] = []
  for (const client of clients) {
    for (let value = 0; value < 5; value++)
      expect((await client.query('select $1::int + 1000 as sum', [value])).rows).toEqual([{ sum: 1000 + value }])
    const prepared = (await preparedBy(client)).filter(({ text }) => text.includes('+ 1000'))
    expect(prepared).toHaveLength(1)
    names.push(prepared[0]!.name)
    client.release()
  }
  expect(new Set(names).size).toBe(1)
  const other = await pool.connect()
  await other.query('select 1 as one')
  expect((await preparedBy(other)).map(({ text }) => text)).not.toContain('select 1 as one')
  other.release()
})

test('after a schema change a named statement returns the new columns: outside a transaction, and in a retried one', async () => {
  await sql`create table changing (a int); insert into changing values (7)`.execute(db)
  const all = (within: typeof db) => sql`select * from changing where a = ${7}`.execute(within)
  // On every connection of the pool.
  const both = async () => {
    const clients = [await pool.connect(), await pool.connect()]
    for (const client of clients)
      for (let time = 0; time < 4; time++) await client.query('select * from changing where a = $1', [7])
    for (const client of clients) client.release()
  }
  await both()
  await sql`alter table changing add column b int default 8`.execute(db)
  expect((await all(db)).rows).toEqual([{ a: 7, b: 8 }])
  for (let time = 0; time < 4; time++) expect((await all(db)).rows).toEqual([{ a: 7, b: 8 }])
  await both()
  await sql`alter table changing drop column b`.execute(db)
  let runs = 0
  const rows = await inTransaction(db, async (tx) => {
    runs++
    return (await all(tx)).rows
  })
  expect([rows, runs]).toEqual([[{ a: 7 }], 2])
  await sql`drop table changing`.execute(db)
})

test('a new connection after a failure prepares its statements again', async () => {
  const ask = (client: { query(text: string, values: number[]): Promise<{ rows: unknown[] }> }) =>
    client.query('select $1::int + 2000 as sum', [1])
  const client = await pool.connect()
  for (let time = 0; time < 4; time++) await ask(client)
  await terminate(await pidOf((text) => client.query(text)))
  expect(isConnectionLost(await ask(client).catch((error: unknown) => error))).toBe(true)
  client.release(true)
  const next = await pool.connect()
  for (let time = 0; time < 4; time++) expect((await ask(next)).rows).toEqual([{ sum: 2001 }])
  next.release()
})
