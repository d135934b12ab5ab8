/** A server whose machine vanishes: connections stay open, and nothing arrives any more. The clock is fake. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { freshDatabase } from '../../test/database.ts'
import { startTestPlatform } from '../../test/platform.ts'
import { type DatabaseSource, reservedSettings } from './client-settings.ts'
import { isConnectionLost, openClient } from './connections.ts'
import { openReader } from './database.ts'

const database = await freshDatabase()
afterAll(() => database.drop())

/** What the server sends, while it is held back. */
let buffered: Buffer[] | null = null
let clients: Socket[] = []
const {
  host,
  port,
  user,
  password,
  database: name,
} = await database.reservedClient().then(async (client) => {
  await client.end()
  return client
})
const line = createServer((near) => {
  clients.push(near)
  const far = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
  near.on('error', () => undefined).on('close', () => far.destroy())
  far.on('error', () => undefined).on('close', () => near.destroy())
  near.pipe(far)
  far.on('data', (bytes) => (buffered ? buffered.push(bytes) : near.write(bytes)))
}).listen(0, '127.0.0.1')
await once(line, 'listening')
afterAll(() => void line.close())
const source = { host: '127.0.0.1', port: (line.address() as AddressInfo).port, user, password, database: name } as DatabaseSource

beforeEach(() => {
  clients = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  buffered = null
  vi.useRealTimers()
})
const turn = () => new Promise(setImmediate)
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn()
}
/** Moves the clock and lets what follows happen. */
async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms)
  for (let i = 0; i < 20; i++) await turn()
}
/** Sends a statement and holds back its answer. Returns it, and the later result or error. */
async function heldAnswerOf(ask: () => Promise<unknown>): Promise<{ bytes: Buffer; value: () => unknown }> {
  const answer: Buffer[] = []
  buffered = answer
  let value: unknown
  ask().then(
    (result) => (value = result),
    (error: unknown) => (value = error),
  )
  await until(() => answer.length > 0)
  return { bytes: Buffer.concat(answer), value: () => value }
}

test('a statement without an answer ends five seconds after its time limit, and the pool connects again', async () => {
  const reader = openReader(source, { size: 1, name: 'vanished', statementMs: 1000 })
  await sql`select 1`.execute(reader.db)
  const { value } = await heldAnswerOf(() => sql`select 1`.execute(reader.db))
  await pass(5999)
  expect(value()).toBeUndefined()
  await pass(1)
  expect(isConnectionLost(value()), String(value())).toBe(true)
  buffered = null
  await sql`select 1`.execute(reader.db)
  expect(clients).toHaveLength(2)
  await reader.close()
})

test('an answer that arrives in parts is awaited while parts arrive, and an idle connection is kept', async () => {
  const client = await openClient(reservedSettings(source, { statementMs: 1000 }))
  const { bytes, value } = await heldAnswerOf(() => client.query("select 'answer' as said"))
  await pass(5999)
  const socket = client.connection.stream as Socket
  const { bytesRead } = socket
  clients[0]!.write(bytes.subarray(0, 9))
  await until(() => socket.bytesRead === bytesRead + 9)
  await pass(1)
  await pass(5999)
  clients[0]!.write(bytes.subarray(9))
  await until(() => value() !== undefined)
  expect(value()).toMatchObject({ rows: [{ said: 'answer' }] })
  buffered = null
  for (let i = 0; i < 3; i++) await pass(60_000)
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await client.end()
})

test('an answer that arrived while the process was stopped is read', async () => {
  const client = await openClient(reservedSettings(source, { statementMs: 1000 }))
  const { bytes, value } = await heldAnswerOf(() => client.query('select 1 as one'))
  clients[0]!.write(bytes)
  await pass(60_000)
  expect(value()).toMatchObject({ rows: [{ one: 1 }] })
  await client.end()
})

test('a client without a time limit waits, whatever the role or the connection string says', async () => {
  const url = new URL(database.url)
  url.searchParams.set('statement_timeout', '1000')
  const limited = await openClient(reservedSettings({ url: url.href }, { statementMs: 0 }))
  expect((await limited.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])
  expect(vi.getTimerCount()).toBe(0)
  await limited.end()
  const client = await openClient(reservedSettings(source, { statementMs: 0 }))
  const { bytes, value } = await heldAnswerOf(() => client.query('select 1 as one'))
  await pass(3_600_000)
  expect(value()).toBeUndefined()
  clients[0]!.write(bytes)
  await until(() => value() !== undefined)
  expect(value()).toMatchObject({ rows: [{ one: 1 }] })
  buffered = null
  await client.end()
})

test('the connections that all requests and the other nodes wait for have a shorter limit than the others', async () => {
  vi.useRealTimers()
  const startup = vi.spyOn(pg.Client.prototype as unknown as { getStartupConf(): Record<string, string> }, 'getStartupConf')
  const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive')
  const platform = await startTestPlatform({ DATABASE_URL: database.url })
  const limits = new Map(startup.mock.results.map(({ value }) => [value.application_name, value.statement_timeout]))
  // A connection without statements notices it too.
  expect(keepAlive.mock.calls.filter(([on, ms]) => on && ms === 5000).length).toBeGreaterThanOrEqual(limits.size)
  vi.restoreAllMocks()
  await platform.stop()
  expect(['vexil', 'vexil versions', 'vexil bus'].map((name) => limits.get(name))).toEqual(['30000', '5000', '5000'])
})
