import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { isRefusal, type RefusalLine, watchRefusals } from './database-refusals.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('one watch', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await freshDatabase()
  })
  afterAll(() => database.drop())

  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    )
  const raised = (state: string) =>
    failureOf(sql.raw(`do $$ begin raise exception 'refused' using errcode = '${state}'; end $$`).execute(database.db))

  test('a statement timeout is a refusal that reports the statement, without its values', async () => {
    const slow = database.db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = 20`.execute(tx)
      await sql`select pg_sleep(20), ${'a secret'}::text`.execute(tx)
    })
    const error = await failureOf(slow)
    const lines: RefusalLine[] = []
    expect(watchRefusals(database.db, (line) => lines.push(line)).record(error)).toBe(true)
    expect(lines).toEqual([
      { state: '57014', reason: expect.stringContaining('timeout'), refused: 1, statement: expect.any(String), err: error },
    ])
    expect(lines[0]?.statement).toContain('pg_sleep(20)')
    expect(lines[0]?.statement).not.toContain('a secret')
  })

  test('a lock timeout is a refusal; a constraint violation is not', async () => {
    const [holds, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holder = database.db.transaction().execute(async (tx) => {
      await sql`lock table teams in access exclusive mode`.execute(tx)
      holds.resolve()
      await release.promise
    })
    await holds.promise
    const waiter = database.db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = 20`.execute(tx)
      await sql`select count(*) from teams`.execute(tx)
    })
    expect(isRefusal(await failureOf(waiter))).toBe(true)
    release.resolve()
    await holder
    for (const state of ['23505', '23503', '22P02', '40001', '54000']) expect(isRefusal(await raised(state))).toBe(false)
  })

  test.each([
    ['53000', true],
    ['53100', false],
    ['53200', false],
    ['25006', false],
    ['53300', true],
    ['53400', true],
    ['57014', true],
    ['55P03', true],
  ])('%s is a refusal, after which the database accepts writes: %s', async (state, isWritable) => {
    const lines: RefusalLine[] = []
    const watch = watchRefusals(database.db, (line) => lines.push(line))
    expect(watch.isWritable()).toBe(true)
    expect(watch.record(await raised(state))).toBe(true)
    expect([watch.isWritable(), lines.length]).toEqual([isWritable, 1])
    watch.close()
    expect(watch.record(await raised('23505'))).toBe(false)
    expect([watch.isWritable(), lines.length]).toEqual([true, 1])
  })

  test('the log has one line a minute for each state, with the number of refusals since the previous line', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const lines: RefusalLine[] = []
    const watch = watchRefusals(database.db, (line) => lines.push(line))
    const full = await raised('53100')
    const locked = await raised('55P03')
    for (let i = 0; i < 3; i++) expect(watch.record(full)).toBe(true)
    watch.record(locked)
    vi.advanceTimersByTime(59_999)
    watch.record(full)
    expect(lines.map(({ state, refused }) => [state, refused])).toEqual([
      ['53100', 1],
      ['55P03', 1],
    ])
    vi.advanceTimersByTime(1)
    watch.record(full)
    expect(lines.at(-1)).toEqual({ state: '53100', reason: 'refused', refused: 4 })
    watch.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('it is writable after the first probe, one each second, that neither is refused nor loses its connection', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const failure = (code: string) => Object.assign(new Error('failed'), { code })
    // The last one: the role may not create temporary tables.
    const failures = ['53100', '25006', '57P01', 'ECONNREFUSED', '42501']
    let probes = 0
    const db = { transaction: () => ({ execute: () => Promise.reject(failure(failures[probes++] ?? '')) }) }
    const watch = watchRefusals(db as never, () => undefined)
    watch.record(failure('53100'))
    for (const [probe, code] of failures.entries()) {
      vi.advanceTimersByTime(999)
      expect([code, probes, watch.isWritable()]).toEqual([code, probe, false])
      vi.advanceTimersByTime(1)
      await new Promise(setImmediate)
      expect([code, probes, watch.isWritable()]).toEqual([code, probe + 1, code === '42501'])
    }
    vi.advanceTimersByTime(2000)
    expect(probes).toBe(failures.length)
  })
})

describe('a platform', () => {
  let platform: TestPlatform
  let player: Caller
  beforeAll(async () => {
    platform = await startTestPlatform()
    await platform.app.listen({ port: 0, host: '127.0.0.1' })
    await anAccount(platform.db, { role: 'Admin' })
    player = await platform.as(await anAccount(platform.db))
  })
  afterAll(() => platform.stop())

  /** From now on the database refuses new tables and new rows of teams, as with a full disk. */
  const fillDisk = async () => {
    await sql`create function refuse_row() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`.execute(
      platform.db,
    )
    await sql`create trigger refuse_rows before insert on teams for each row execute function refuse_row()`.execute(platform.db)
    await sql`create function refuse_table() returns event_trigger language plpgsql as
      $$ begin raise exception 'could not create file: No space left on device' using errcode = '53100'; end $$`.execute(
      platform.db,
    )
    await sql`create event trigger refuse_tables on ddl_command_start when tag in ('CREATE TABLE', 'CREATE TABLE AS')
      execute function refuse_table()`.execute(platform.db)
  }
  const emptyDisk = async () => {
    await sql`drop event trigger refuse_tables`.execute(platform.db)
    await sql`drop trigger refuse_rows on teams`.execute(platform.db)
  }
  const health = async () => [
    (await platform.anyone.get('/healthz')).status,
    (await platform.anyone.get('/healthz/ready')).status,
  ]

  test.each(['53200', '53400', '57014', '55P03', '25006'])(
    'a call whose statement is refused with %s returns 503 with the time to retry',
    async (state) => {
      const logged = vi.spyOn(platform.app.log, 'error').mockImplementation(() => {})
      await sql`create function refuse_row() returns trigger language plpgsql as
        ${sql.lit(`begin raise exception 'refused' using errcode = '${state}'; end`)}`.execute(platform.db)
      await sql`create trigger refuse_rows before insert on teams for each row execute function refuse_row()`.execute(platform.db)
      const { status, error, headers } = await player.post('/api/team', { name: 'Crew' })
      expect([status, error.code, error.data, headers['retry-after']]).toEqual([
        503,
        'server.unavailable',
        { retryAfter: 1 },
        '1',
      ])
      expect(logged.mock.calls).toMatchObject([[{ state, refused: 1 }, 'the database refused a statement']])
      expect((await health())[0]).toBe(200)
      await sql`drop trigger refuse_rows on teams`.execute(platform.db)
      await sql`drop function refuse_row`.execute(platform.db)
      await vi.waitFor(async () => expect(await health()).toEqual([200, 200]), { timeout: 20_000, interval: 100 })
    },
  )

  test('with a full disk it returns 503 with one log line, is live but not ready, and is ready when space is available again', async () => {
    const logged = vi.spyOn(platform.app.log, 'error').mockImplementation(() => {})
    expect(await health()).toEqual([200, 200])
    await fillDisk()
    for (let i = 0; i < 5; i++) {
      const { status, error, headers } = await player.post('/api/team', { name: `Crew ${i}` })
      expect([status, error.code, headers['retry-after']]).toEqual([503, 'server.unavailable', '1'])
    }
    expect(await health()).toEqual([200, 503])
    expect(logged.mock.calls).toEqual([
      [{ state: '53100', reason: expect.stringContaining('No space left'), refused: 1 }, 'the database refused a statement'],
    ])
    // Several probes later it is still not ready, although no request came in between.
    await new Promise((later) => setTimeout(later, 2_500))
    expect(await health()).toEqual([200, 503])
    await emptyDisk()
    await vi.waitFor(async () => expect(await health()).toEqual([200, 200]), { timeout: 20_000, interval: 100 })
    expect((await player.post('/api/team', { name: 'Crew' })).status).toBe(200)
    // A remaining table would make the probes of the next outage fail, which counts as writable.
    const probes = sql<{ n: number }>`select count(*)::int as n from pg_class where relname = 'vexil_probe'`
    expect((await probes.execute(platform.db)).rows).toEqual([{ n: 0 }])
  })
})
