/** How the platform runs the isolation probe, keeps its result and reports it, on an engine in memory. */
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { anAccount, at } from '../../test/builders/game.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { EngineError } from '../ports/engine/engine.ts'
import type { Attempt } from '../ports/engine/isolation-probe.ts'
import { tryIsolation, tryIsolationAgain } from './try-isolation.ts'

const engine = openMemoryEngine()
let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform({ VEXIL_PROBE_IMAGE: 'registry.example/probe:1' }, engine)
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
})
afterAll(() => platform.stop())
beforeEach(async () => {
  await platform.deps.log.flush()
  await platform.db.deleteFrom('isolationProbes').execute()
  await platform.db.deleteFrom('logs').execute()
})
afterEach(() => vi.restoreAllMocks())

const call = '/api/admin/engine/isolation'
const attempt = (result: Attempt['result'], more: Partial<Attempt> = {}): Attempt => ({
  ...{ network: 'Open', target: 'host', address: '192.0.2.7', port: 8080, result },
  ...more,
})
const finds = (...attempts: Attempt[]) => vi.spyOn(engine, 'tryIsolation').mockResolvedValue(attempts)
const logged = async () => {
  await platform.deps.log.flush()
  const rows = await platform.db.selectFrom('logs').selectAll().where('name', '=', 'System').orderBy('id').execute()
  return rows.map(({ level, status, message }) => `${level} ${status} ${message}`)
}
const shift = (times: { finishedAt?: Date; runningUntil?: Date }) =>
  platform.db.updateTable('isolationProbes').set(times).execute()

test('it was never tried; a run keeps what it found, in the order of the engine, until the next one', async () => {
  expect((await admin.get(call)).body).toEqual({ state: 'never', finishedAt: null, problem: null, attempts: [] })
  const attempts = [attempt('refused'), attempt('untried', { network: 'Isolated', target: 'resolver', address: '-', port: 53 })]
  const tried = finds(...attempts)
  await tryIsolation(platform.deps)
  const { port } = platform.deps.config
  expect(tried).toHaveBeenCalledWith({ image: 'registry.example/probe:1', port, database: null })
  expect((await admin.get(call)).body).toEqual({
    ...{ state: 'done', problem: null, attempts },
    finishedAt: expect.stringMatching(/^\d{4}-.+\+00:00$/),
  })
  finds(attempt('reached'))
  await tryIsolation(platform.deps)
  expect((await admin.get(call)).body).toMatchObject({ state: 'done', attempts: [attempt('reached')] })
})

test('an external database is among what is tried, with its port', async () => {
  const tried = finds()
  const of = async (databaseUrl: string) => {
    await tryIsolation({ ...platform.deps, config: { ...platform.deps.config, databaseUrl } })
    return tried.mock.lastCall?.[0].database
  }
  expect(await of('postgres://vexil:secret@[2001:db8::5]:6543/vexil')).toEqual({ host: '2001:db8::5', port: 6543 })
  expect(await of('postgres://vexil@db.example/vexil')).toEqual({ host: 'db.example', port: 5432 })
  expect(await of('postgres:///vexil?host=/run/postgresql')).toBeNull()
})

test('what was reached is logged each time, other results when they change', async () => {
  finds(attempt('refused'), attempt('untried'))
  await tryIsolation(platform.deps)
  await tryIsolation(platform.deps)
  expect(await logged()).toEqual(['Information Success Isolation probe: 1 targets refused, 1 not tried'])
  finds(attempt('refused'), attempt('reached', { target: 'platform', network: 'Isolated' }))
  await tryIsolation(platform.deps)
  await tryIsolation(platform.deps)
  const warning = 'Warning Failed Isolation probe: containers reach what they must not: Isolated: platform 192.0.2.7 port 8080'
  expect((await logged()).slice(1)).toEqual([warning, warning])
})

test('why nothing was tried is kept and logged once; a fault of the platform is not hidden in it', async () => {
  vi.spyOn(engine, 'tryIsolation').mockRejectedValue(new EngineError('image', 'The program is missing'))
  await tryIsolation(platform.deps)
  await tryIsolation(platform.deps)
  expect((await admin.get(call)).body).toMatchObject({ state: 'done', problem: 'The program is missing', attempts: [] })
  expect(await logged()).toEqual(['Warning Failed Isolation was not tried. The program is missing'])
  vi.spyOn(engine, 'tryIsolation').mockRejectedValue(new TypeError('a fault'))
  await expect(tryIsolation(platform.deps)).rejects.toThrow('a fault')
  // An administrator who began the run gets the state; the fault is printed.
  await shift({ runningUntil: at('-1s') })
  const printed = vi.spyOn(platform.app.log, 'error').mockReturnValue()
  expect((await admin.post(call)).status).toBe(200)
  expect(printed.mock.calls).toEqual([[{ err: new TypeError('a fault') }, 'fault']])
})

test('a run that takes longer than 20 seconds counts as not tried', async () => {
  vi.spyOn(engine, 'tryIsolation').mockImplementation(() => new Promise(() => undefined))
  const late = vi.spyOn(globalThis, 'setTimeout')
  const running = tryIsolation(platform.deps)
  const [work, , ...args] = await vi.waitFor(() => {
    const found = late.mock.calls.find(([, ms]) => ms === 20_000)
    expect(found).toBeDefined()
    return found!
  })
  expect((await admin.get(call)).body).toMatchObject({ state: 'running', finishedAt: null })
  ;(work as (...args: unknown[]) => void)(...args)
  await running
  expect((await admin.get(call)).body).toMatchObject({ state: 'done', problem: 'The probe did not end within 20 s.' })
})

test('of several nodes and administrators at the same instant one runs it, and all are answered', async () => {
  let end: (attempts: Attempt[]) => void = () => undefined
  const tried = vi.spyOn(engine, 'tryIsolation').mockImplementation(() => new Promise((resolve) => (end = resolve)))
  const posts = [admin.post(call), admin.post(call)]
  let returned = 0
  const nodes = [1, 2].map(() => tryIsolation(platform.deps).then(() => returned++))
  for (const { status, body } of await Promise.all(posts)) expect([status, body.state]).toEqual([200, 'running'])
  // The run has not ended: every node returns except the one that may run it, which is none if an administrator began it.
  await platform.deps.log.flush()
  const begun = await platform.db.selectFrom('logs').select('id').where('message', '=', 'Isolation probe started').execute()
  await expect.poll(() => returned).toBe(begun.length === 1 ? 2 : 1)
  end([attempt('refused')])
  await Promise.all(nodes)
  await expect.poll(async () => (await admin.get(call)).body.state).toBe('done')
  expect(tried).toHaveBeenCalledTimes(1)
})

test('a run of a node that has ended is replaced after a minute', async () => {
  const leases: unknown[] = []
  const tried = vi.spyOn(engine, 'tryIsolation').mockImplementation(async () => {
    const { rows } = await sql`
      select running_until - clock_timestamp() between interval '30 s' and interval '60 s' as is_minute from isolation_probes`.execute(
      platform.db,
    )
    leases.push(...rows)
    return [attempt('refused')]
  })
  await tryIsolation(platform.deps)
  expect(leases).toEqual([{ isMinute: true }])
  await shift({ runningUntil: at('59s') })
  await tryIsolation(platform.deps)
  expect([tried.mock.calls.length, (await admin.get(call)).body.state]).toEqual([1, 'running'])
  await shift({ runningUntil: at('-1s') })
  expect((await admin.get(call)).body.state).toBe('done')
  await tryIsolation(platform.deps)
  expect(tried).toHaveBeenCalledTimes(2)
})

test('the hourly run is left out within half an hour of another; an administrator’s is not', async () => {
  const tried = finds(attempt('refused'))
  await tryIsolationAgain(platform.deps)
  await tryIsolationAgain(platform.deps)
  expect(tried).toHaveBeenCalledTimes(1)
  await admin.post(call)
  expect(tried).toHaveBeenCalledTimes(2)
  await shift({ finishedAt: at('-31m') })
  await tryIsolationAgain(platform.deps)
  expect(tried).toHaveBeenCalledTimes(3)
})

test('the sweep of every hour runs it; without the setting only an administrator does', async () => {
  const names = async (env: Record<string, string>) => {
    const other = await startTestPlatform(env, openMemoryEngine())
    const due = await other.sweeps.run()
    await other.stop()
    return due
  }
  expect(await names({})).toContain('isolation')
  expect(await names({ VEXIL_ISOLATION_PROBE: 'false' })).not.toContain('isolation')
})

test('without an engine there is nothing to try', async () => {
  const without = await startTestPlatform({})
  const other = await without.as(await anAccount(without.db, { role: 'Admin' }))
  expect((await other.get(call)).body.state).toBe('none')
  expect(await other.post(call)).toMatchObject({ status: 400, error: { code: 'container.unavailable' } })
  await without.stop()
})
