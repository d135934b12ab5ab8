// Alone: it breaks connections, and counts what its own polls report.
import { randomBytes } from 'node:crypto'
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
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
  const calls = { security: 0, settings: 0 }
  versions.onSecurity(() => calls.security++)
  versions.onSettings(async () => void calls.settings++)
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
  await vi.waitFor(() => expect([versions.answers(), calls]).toEqual([true, { security: 1, settings: 0 }]), 30_000)
  expect(Math.abs(versions.now() - Date.now())).toBeLessThan(2000)
  versions.close()
  await own.destroy()
})

test('ended sessions are reported by hash, other changes of rights for all sessions; a poll is valid for a second from its start', async () => {
  const versions = await watchVersions(db, (error) => {
    throw error
  })
  const received: (readonly string[] | null | 'security')[] = []
  versions.onEnded((hashes) => received.push(hashes))
  versions.onSecurity(() => received.push('security'))
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
  await vi.waitFor(() => expect(versions.isFresh()).toBe(true))
  versions.invalidate()
  expect(versions.isFresh()).toBe(false)
  await versions.poll()
  expect(versions.isFresh()).toBe(true)
  expect(received.map((message) => (Array.isArray(message) ? [...message].sort() : message))).toEqual([
    [first, second].sort(),
    'security',
  ])
  expect(versions.seen()).toEqual({ security: before.security, sessions: before.sessions + 1 })
  await versions.poll()
  expect(received).toHaveLength(2)
  received.length = 0
  await db.updateTable('accounts').set({ userName: 'Renamed' }).where('id', '=', two).execute()
  await versions.poll()
  expect(received).toEqual([null, 'security'])
  received.length = 0
  // No session has ended: a statement that deletes no session reports nothing.
  await db.deleteFrom('sessions').where('accountId', '=', one).execute()
  await versions.poll()
  expect(received).toEqual([])
  const fourth = await hashOf(two)
  await db.deleteFrom('sessions').where('tokenHash', '=', Buffer.from(fourth, 'hex')).execute()
  await versions.poll()
  // Only those that ended since the last poll.
  expect(received).toEqual([[fourth], 'security'])
  received.length = 0
  await db.deleteFrom('accounts').where('id', '=', two).execute()
  await versions.poll()
  expect(received.at(-1)).toBe('security')
  expect(received[0] === null || received[0]?.includes(third)).toBe(true)
  versions.close()
  await new Promise((later) => setTimeout(later, 1100))
  expect(versions.isFresh()).toBe(false)
})

/** On separate connections. */
async function watched() {
  const pool = database.reservedPool({ size: 4, name: 'watched' })
  const own = new Kysely<DB>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] })
  const [faults, stops]: [unknown[], number[]] = [[], []]
  const versions = await watchVersions(
    own,
    (error) => faults.push(error),
    (ms) => stops.push(ms),
  )
  return { own, versions, faults, stops }
}
const refused = expect.objectContaining({ code: 'server.unavailable', data: { retryAfter: 1 } })
/** Blocks this thread, as if the process were stopped. */
const stopFor = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('after a stop callers wait for one poll that began later; it is reported once, unless it was shorter than two seconds', async () => {
  const { own, versions, faults, stops } = await watched()
  let reads = 0
  let title = 'old'
  let release = () => {}
  versions.onSettings(async () => {
    reads++
    await new Promise<void>((resolve) => (release = resolve))
    title = 'new'
  })
  expect(versions.catchUp()).toBeNull()
  await sql`update versions set settings = settings + 1`.execute(db)
  stopFor(1200)
  const waits = [versions.catchUp(), versions.catchUp()]
  expect([waits[0] instanceof Promise, waits[1]]).toEqual([true, waits[0]])
  await vi.waitFor(() => expect(reads).toBe(1))
  expect(title).toBe('old')
  release()
  await Promise.all(waits)
  await vi.waitFor(() => expect(versions.catchUp()).toBeNull())
  expect([title, reads]).toEqual(['new', 1])
  // On a busy machine another stop may have been long enough for a report.
  expect(stops.filter((ms) => ms < 2000)).toEqual([])
  const reported = stops.length
  stopFor(2100)
  await Promise.all([versions.catchUp(), versions.catchUp()])
  expect([stops.length, reads, faults]).toEqual([reported + 1, 1, []])
  expect(stops.at(-1)).toBeGreaterThanOrEqual(2000)
  expect(Math.abs(versions.now() - Date.now())).toBeLessThan(500)
  versions.close()
  await own.destroy()
})

test('callers are refused when the database does not answer within three seconds, then at once, until a poll is answered', async () => {
  const { own, versions, faults } = await watched()
  await db.transaction().execute(async (tx) => {
    await sql`lock table versions`.execute(tx)
    await vi.waitFor(() => expect(versions.isFresh()).toBe(false), 5000)
    const outcome: unknown[] = []
    const waits = versions.catchUp()?.catch((error) => outcome.push(error))
    await Promise.resolve()
    expect(outcome).toEqual([])
    await waits
    expect(outcome).toEqual([refused])
    void versions.catchUp()?.catch((error) => outcome.push(error))
    await new Promise(setImmediate)
    expect(outcome).toEqual([refused, refused])
  })
  await vi.waitFor(() => expect(versions.isFresh()).toBe(true), 5000)
  expect(versions.catchUp()).toBeNull()
  expect(faults).toEqual([])
  versions.close()
  await own.destroy()
})

test('settings that cannot be read make the poll fail, and are read again', async () => {
  const { own, versions, faults } = await watched()
  let fails = true
  let reads = 0
  versions.onSettings(async () => {
    if (fails) throw new Error('no settings')
    reads++
  })
  await sql`update versions set settings = settings + 1`.execute(db)
  await vi.waitFor(() => expect([versions.answers(), faults]).toEqual([false, [new Error('no settings')]]))
  await vi.waitFor(() => expect(versions.isFresh()).toBe(false), 5000)
  await expect(versions.catchUp()).rejects.toEqual(refused)
  fails = false
  await vi.waitFor(() => expect([versions.answers(), reads]).toEqual([true, 1]))
  versions.close()
  await own.destroy()
})

/** Versions whose polls are those of the test and of the clock, with answers by the test. */
async function answered() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const queries: PromiseWithResolvers<object>[] = []
  const query = () => {
    queries.push(Promise.withResolvers())
    return queries.at(-1)!.promise
  }
  const client = { query, release: () => undefined }
  const pool = { connect: async () => client, end: async () => undefined, options: {} }
  const own = new Kysely<DB>({ dialect: new PostgresDialect({ pool: pool as never }), plugins: [new CamelCasePlugin()] })
  /** The next queries that were not answered yet. */
  const queryCount = async (count: number) => {
    while (queries.length < count) await new Promise(setImmediate)
    return queries.splice(0, count)
  }
  const row = (security: number, sessions: number, now = 0) => ({
    command: 'SELECT',
    rows: [{ security, sessions, settings: 1, now, ended: ['aa'] }],
  })
  const [faults, stops]: [unknown[], number[]] = [[], []]
  const opening = watchVersions(
    own,
    (error) => faults.push(error),
    (ms) => stops.push(ms),
  )
  for (const { resolve } of await queryCount(1)) resolve(row(5, 5))
  return { versions: await opening, queryCount, row, faults, stops }
}

test('lower counters, as after a fail-over, change the rights of all sessions; an answer that a later one overtook changes none', async () => {
  const { versions, queryCount, row } = await answered()
  const received: (readonly string[] | null)[] = []
  versions.onEnded((hashes) => received.push(hashes))
  const turns = [versions.poll(), versions.poll()]
  const [first, second] = await queryCount(2)
  second?.resolve(row(5, 4))
  await turns[1]
  expect([received, versions.seen()]).toEqual([[null], { security: 5, sessions: 4 }])
  first?.resolve(row(6, 6))
  await turns[0]
  expect([received, versions.seen()]).toEqual([[null], { security: 5, sessions: 4 }])
  for (const [security, sessions, hashes] of [
    [4, 4, null],
    [4, 5, ['aa']],
  ] as const) {
    received.length = 0
    const poll = versions.poll()
    for (const { resolve } of await queryCount(1)) resolve(row(security, sessions))
    await poll
    expect([received, versions.seen()]).toEqual([[hashes], { security, sessions }])
  }
  // After a pause of more than five seconds, rows of ended sessions may have been deleted.
  let at = Math.ceil(performance.now())
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => at)
  onTestFinished(() => void clock.mockRestore())
  for (const [ms, hashes] of [
    [0, []],
    [5000, []],
    [5001, [null]],
  ] as const) {
    received.length = 0
    at += ms
    const poll = versions.poll()
    for (const { resolve } of await queryCount(1)) resolve(row(4, 5))
    await poll
    expect(received).toEqual(hashes)
  }
  await versions.close()
  vi.useRealTimers()
})

test('the time of the database is that in the middle of an answer; one that took a second does not change the clock', async () => {
  const { versions, queryCount, row } = await answered()
  let at = Math.ceil(performance.now())
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => at)
  onTestFinished(() => void clock.mockRestore())
  const nowAfter = async (ms: number, now: number) => {
    const poll = versions.poll()
    const [query] = await queryCount(1)
    at += ms
    query?.resolve(row(5, 5, now))
    await poll
    return versions.now()
  }
  expect(await nowAfter(998, 50_000)).toBe(50_499)
  expect(await nowAfter(1000, 90_000)).toBe(51_499)
  await versions.close()
  vi.useRealTimers()
})

test('a caller is refused when the polls fail while it waits; a poll that is not answered is no stop, and is awaited at the end', async () => {
  const { versions, queryCount, row, faults, stops } = await answered()
  // A whole number: differences of others are not exact.
  let at = Math.ceil(performance.now())
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => at)
  onTestFinished(() => void clock.mockRestore())
  at += 1000
  const refusal = versions.catchUp()?.catch((error: unknown) => error)
  for (let poll = 0; poll < 2; poll++) for (const { reject } of await queryCount(1)) reject(new Error('unreachable'))
  expect(await refusal).toEqual(refused)
  vi.advanceTimersByTime(250)
  for (const ms of [1999, 2000]) {
    at += ms
    vi.advanceTimersByTime(250)
  }
  expect([stops, faults]).toEqual([[2000], []])
  for (const { resolve } of await queryCount(1)) resolve(row(5, 5))
  await new Promise(setImmediate)
  at += 2000
  const caughtUp = versions.catchUp()
  let isClosed = false
  const closing = versions.close().then(() => {
    isClosed = true
  })
  const [last] = await queryCount(1)
  await new Promise(setImmediate)
  expect(isClosed).toBe(false)
  last?.resolve(row(5, 5))
  await Promise.all([caughtUp, closing])
  vi.useRealTimers()
})
