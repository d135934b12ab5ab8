// Alone: the counts are those of its process.
/** Every metric, after an event that it measures; labels, number of series, and the port. */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endpoints } from '@vexil/contract/endpoint'
import { statusOf } from '@vexil/contract/errors'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { hashQueue } from '../src/accounts/passwords.ts'
import { countOne, countRequest, counts } from '../src/metrics/counts.ts'
import { counter, gauge, histogram, type Metric, peak, single } from '../src/metrics/figures.ts'
import { keepCounts } from '../src/metrics/kept-counts.ts'
import { openMetricsPort } from '../src/metrics/metrics-port.ts'
import { databaseDown, readNodeMetrics } from '../src/metrics/node-metrics.ts'
import { openProcessMetrics } from '../src/metrics/process-metrics.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { openMemoryEngine } from './memory-engine.ts'
import { type Caller, startTestPlatform, type TestPlatform } from './platform.ts'

let platform: TestPlatform
let captain: Caller
let game: number
let challenges: { flag: number; container: number }
const teamName = 'Secret Sailors'
beforeAll(async () => {
  platform = await startTestPlatform({ VEXIL_METRICS: '127.0.0.1:9464' }, openMemoryEngine())
  await anAccount(platform.db, { role: 'Admin' })
  game = await aGame(platform.db, { title: 'Hidden Regatta' })
  const team = await aTeam(platform.db, { name: teamName })
  await aParticipation(platform.db, game, team)
  captain = await platform.as(team.captain)
  challenges = {
    flag: await aChallenge(platform.db, game, { title: 'Deep Water' }),
    container: await aChallenge(platform.db, game, { type: 'StaticContainer', containerImage: 'echo:1', exposePort: 80 }),
  }
})
afterAll(() => platform.stop())

const ports: { close(): Promise<void> }[] = []
afterAll(() => Promise.all(ports.map((port) => port.close())))
async function serve(collect: () => Promise<readonly (readonly Metric[])[]>) {
  const faults: unknown[] = []
  const port = await openMetricsPort({ host: '127.0.0.1', port: 0 }, collect, (error) => faults.push(error))
  ports.push(port)
  return { faults, ask: (path = '/metrics', init?: RequestInit) => fetch(`http://127.0.0.1:${port.port}${path}`, init) }
}

const ofPlatform = async () => [platform.metrics?.read() ?? [], await readNodeMetrics(platform.deps)]
let server: Awaited<ReturnType<typeof serve>>
async function scrape(): Promise<string> {
  server ??= await serve(ofPlatform)
  return (await server.ask()).text()
}
/** Value of a series; undefined: there is none. */
const valueIn = (text: string, series: string) => {
  const line = text.split('\n').find((one) => one.startsWith(`vexil_${series} `))
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
}
/** How much a series grows by `act`. */
async function growth(series: string, act: () => Promise<unknown>): Promise<number> {
  const before = valueIn(await scrape(), series) ?? 0
  await act()
  return (valueIn(await scrape(), series) ?? 0) - before
}
/** Checks that a series of seconds grows by `act`, and by no more than it took. */
async function takesSeconds(series: string, act: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now()
  const seconds = await growth(series, act)
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThan((performance.now() - startedAt) / 1000)
}
const submit = (flag: string) => captain.post(`/api/game/${game}/challenges/${challenges.flag}`, { flag })

test('requests are counted by call and class of the status, timed by group, and refusals counted by code', async () => {
  const config = () => platform.anyone.get('/api/config')
  expect(await growth('requests_total{route="GET /api/config",status="2xx"}', config)).toBe(1)
  expect(await growth('request_duration_seconds_count{room="site"}', config)).toBe(1)
  // The sum is that of all calls of the group.
  await platform.anyone.get('/api/posts')
  await takesSeconds('request_duration_seconds_sum{room="site"}', config)
  expect(await growth('request_duration_seconds_bucket{le="+Inf",room="site"}', config)).toBe(1)
  const unknown = () => platform.anyone.post(`/api/${encodeURIComponent(teamName)}`)
  expect(await growth('requests_total{route="other",status="4xx"}', unknown)).toBe(1)
  expect(await growth('refusals_total{code="request.not_found"}', unknown)).toBe(1)
})

test('flags are counted by verdict, once each, with the size and duration of their batch', async () => {
  expect(await growth('submissions_total{verdict="WrongAnswer"}', () => submit('flag{wrong}'))).toBe(1)
  expect(await growth('submissions_total{verdict="Accepted"}', () => submit('flag{right}'))).toBe(1)
  expect(await growth('submission_batch_size_count', () => submit('flag{other}'))).toBe(1)
  // A bound belongs to its bucket.
  expect(await growth('submission_batch_size_bucket{le="1"}', () => submit('flag{single}'))).toBe(1)
  expect(await growth('submission_batch_size_sum', () => submit('flag{again}'))).toBe(1)
  expect(await growth('submission_write_seconds_count', () => submit('flag{more}'))).toBe(1)
  await takesSeconds('submission_write_seconds_sum', () => submit('flag{last}'))
})

test('drawing a board is timed, and its age is known while it is kept', async () => {
  expect(await growth('board_draw_seconds_count', () => platform.anyone.get(`/api/game/${game}/scoreboard`))).toBe(1)
  const age = await vi.waitFor(async () => {
    const known = valueIn(await scrape(), 'board_age_seconds')
    expect(known).toBeDefined()
    return known
  }, 5000)
  expect(age).toBeGreaterThanOrEqual(0)
})

test('starts of instances are timed, and instances counted by state', async () => {
  const start = () => captain.post(`/api/game/${game}/container/${challenges.container}`)
  expect(await growth('instance_start_seconds_count', start)).toBe(1)
  const text = await scrape()
  expect(valueIn(text, 'instances{state="Running"}')).toBe(1)
  expect(valueIn(text, 'instances{state="Ending"}')).toBe(0)
  await platform.db.updateTable('containers').set({ state: 'Ended', endedAt: new Date() }).execute()
  const after = await scrape()
  expect([valueIn(after, 'instances{state="Running"}'), valueIn(after, 'instances{state="Ended"}')]).toEqual([0, undefined])
})

test('connections, the pool, waiting hashes, listeners and the age of boards are those of the moment', async () => {
  const sources = {
    listeners: () => new Map([['/hub/user', 3]]),
    proxyConnections: () => 2,
    hashesWaiting: () => 7,
    pool: { totalCount: 9, idleCount: 4, waitingCount: 6 },
    boardAge: () => 1500,
  }
  const ofSources = openProcessMetrics(sources)
  const text = await (await (await serve(async () => [ofSources.read()])).ask()).text()
  ofSources.close()
  expect(valueIn(text, 'hub_listeners{hub="/hub/user"}')).toBe(3)
  expect(valueIn(text, 'proxy_connections')).toBe(2)
  expect(valueIn(text, 'hashing_waiting')).toBe(7)
  expect(valueIn(text, 'database_connections{state="busy"}')).toBe(5)
  expect(valueIn(text, 'database_connections{state="idle"}')).toBe(4)
  expect(valueIn(text, 'database_waiting')).toBe(6)
  expect(valueIn(text, 'board_age_seconds')).toBe(1.5)
  expect(valueIn(text, 'processes')).toBe(1)
})

test('the platform measures its own pool, hubs, hashes and proxy', async () => {
  const heldClient = await platform.database.pool.connect()
  const waiting = vi.spyOn(hashQueue, 'length', 'get').mockReturnValue(7)
  const text = await scrape()
  waiting.mockRestore()
  heldClient.release()
  expect(valueIn(text, 'database_connections{state="busy"}')).toBeGreaterThanOrEqual(1)
  expect(valueIn(text, 'hashing_waiting')).toBe(7)
  expect(valueIn(text, 'hub_listeners{hub="/hub/site"}')).toBe(0)
  expect(valueIn(text, 'proxy_connections')).toBe(platform.tunnels.count())
})

test('the delay of the event loop is of the time since the last scrape', async () => {
  const longest = async () => valueIn(await scrape(), 'event_loop_delay_seconds{statistic="max"}')
  await longest()
  // The first measurement after a read starts the next interval.
  await sleep(100)
  const until = performance.now() + 300
  while (performance.now() < until);
  await sleep(50)
  const blocked = await longest()
  expect(blocked).toBeGreaterThan(0.2)
  await sleep(50)
  expect(await longest()).not.toBe(blocked)
  expect(valueIn(await scrape(), 'event_loop_delay_seconds{statistic="p99"}')).toBeDefined()
})

test('mails, jobs, waits for locks, free disk, age of the backup and the offset of the clock are read from their places', async () => {
  const { db, pool } = platform.database
  const mail = (state: string) =>
    sql`insert into mails (kind, state, recipient, user_name, language, settled_at)
    values ('Test', ${state}, 'a@example.org', 'a', 'en_US', ${state === 'Waiting' ? null : new Date()})`.execute(db)
  expect(await growth('mails{state="waiting"}', () => mail('Waiting'))).toBe(1)
  const waitingMails = valueIn(await scrape(), 'mails{state="waiting"}')
  expect(await growth('mails{state="failed"}', () => mail('Failed'))).toBe(1)
  expect(await growth('mails{state="failed"}', () => mail('Sent'))).toBe(0)
  expect(valueIn(await scrape(), 'mails{state="waiting"}')).toBe(waitingMails)
  const job = (attempts: number) =>
    sql`select graphile_worker.add_job('nothing', '{}'::json, max_attempts := ${attempts}::smallint)`.execute(db)
  expect(await growth('jobs{state="waiting"}', () => job(5))).toBe(1)
  const failed = () => sql`update graphile_worker._private_jobs set attempts = max_attempts`.execute(db)
  expect(await growth('jobs{state="failed"}', failed)).toBeGreaterThanOrEqual(1)
  // A job that has failed no longer waits.
  expect(valueIn(await scrape(), 'jobs{state="waiting"}')).toBe(0)
  // The last attempt of a job has not failed while it runs.
  const running = () => sql`update graphile_worker._private_jobs set locked_at = now() where attempts = max_attempts`.execute(db)
  expect(await growth('jobs{state="failed"}', running)).toBeLessThanOrEqual(-1)
  const [holder, waiter] = [await pool.connect(), await pool.connect()]
  await holder.query('begin; lock table logs in access exclusive mode')
  // Locks that are held are not counted.
  await holder.query('select pg_advisory_xact_lock(1, n) from generate_series(1, 500) n')
  const waiting = waiter.query('select 1 from logs limit 1')
  await vi.waitFor(async () => expect(valueIn(await scrape(), 'database_lock_waits')).toBeGreaterThanOrEqual(1), 5000)
  expect(valueIn(await scrape(), 'database_lock_waits')).toBeLessThan(500)
  await holder.query('rollback')
  await waiting
  for (const client of [holder, waiter]) client.release()
  const text = await scrape()
  expect(valueIn(text, 'disk_free_bytes{folder="data"}')).toBeGreaterThan(0)
  expect(valueIn(text, 'backup_age_seconds')).toBeUndefined()
  await sql`insert into backups (tried_at, made_at) values (now(), clock_timestamp() - interval '90 seconds')`.execute(db)
  expect(valueIn(await scrape(), 'backup_age_seconds')).toBeGreaterThanOrEqual(90)
  expect(Math.abs(valueIn(text, 'clock_offset_seconds') ?? Number.NaN)).toBeLessThan(60)
  const now = Date.now.bind(Date)
  const behind = vi.spyOn(Date, 'now').mockImplementation(() => now() - 600_000)
  const offset = valueIn(await scrape(), 'clock_offset_seconds') ?? Number.NaN
  behind.mockRestore()
  expect(Math.abs(offset - 600)).toBeLessThan(60)
  expect(valueIn(text, 'database_up')).toBe(1)
})

test('free space is that of each folder which can be read', async () => {
  const config = { ...platform.deps.config, filesDir: '/proc', backupDir: join(tmpdir(), 'vexil-missing') }
  const found = (await readNodeMetrics({ ...platform.deps, config })).find(({ name }) => name === 'vexil_disk_free_bytes')
  // /proc has no free space.
  expect(found?.values).toEqual([
    { labels: { folder: 'data' }, value: expect.any(Number) },
    { labels: { folder: 'files' }, value: 0 },
  ])
  // Space that is reserved for root is not free.
  const { bavail, bfree, bsize } = await statfs(config.dataDir)
  const awayFrom = (blocks: number) => Math.abs(Number(found?.values[0]?.value) - blocks * bsize)
  expect(awayFrom(bavail)).toBeLessThanOrEqual(awayFrom(bfree))
})

test('listeners, slow readers and errors of the engine are counted', async () => {
  counts.slowReaders += 2
  countOne(counts.engineErrors, 'unreachable')
  const text = await scrape()
  expect(valueIn(text, 'hub_slow_readers_total')).toBe(counts.slowReaders)
  expect(valueIn(text, 'engine_errors_total{problem="unreachable"}')).toBe(1)
})

test('no label has a name of a team, a game or a challenge, and all values are words of the code', async () => {
  const text = await scrape()
  for (const name of [teamName, 'Regatta', 'Deep Water', 'flag{']) expect(text.toLowerCase()).not.toContain(name.toLowerCase())
  const known = new Set<string>([
    ...endpoints.map(({ method, path }) => `${method} ${path}`),
    ...Object.keys(statusOf),
    ...['other', 'busy', 'idle', 'waiting', 'failed', 'p99', 'max', '+Inf', 'unreachable', 'Accepted', 'WrongAnswer', 'data'],
    ...['Pending', 'Running', 'Ending', '/hub/user', '/hub/monitor', '/hub/admin', '/hub/site'],
  ])
  const values = [...text.matchAll(/(\w+)="([^"]*)"/g)].filter(([, name]) => name !== 'room')
  expect(values.length).toBeGreaterThan(50)
  for (const [, name, value = ''] of values)
    expect(
      known.has(value) || (name === 'status' && /^\dxx$/.test(value)) || (name === 'le' && !Number.isNaN(Number(value))),
      value,
    ).toBe(true)
})

test('there are fewer than 3,000 series when every call was answered in every way and refused for every reason', async () => {
  for (const endpoint of [...endpoints, null]) for (const status of [200, 302, 404, 500]) countRequest(endpoint, status, 0.01)
  for (const code of Object.keys(statusOf)) countOne(counts.refusals, code)
  const series = (await scrape()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  expect(series.length).toBeLessThan(3000)
  expect(series.every((line) => line.startsWith('vexil_'))).toBe(true)
})

test('every metric of the dashboard and the alerts exists', async () => {
  const text = await scrape()
  const exists = new Set(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((end) => `${name}_${end}`) : [name],
    ),
  )
  for (const file of ['grafana.json', 'alerts.yml']) {
    const used = readFileSync(new URL(`../../../deploy/${file}`, import.meta.url), 'utf8').match(/\bvexil_\w+/g) ?? []
    expect(used.length).toBeGreaterThan(5)
    expect(used.filter((name) => !exists.has(name))).toEqual([])
  }
})

const promtool = '/usr/bin/promtool'
test.runIf(existsSync(promtool))('Prometheus accepts the metrics, the alerts and the expressions of the dashboard', async () => {
  const deploy = (name: string) => fileURLToPath(new URL(`../../../deploy/${name}`, import.meta.url))
  const check = (args: string[], input?: string) => {
    const { status, stdout, stderr } = spawnSync(promtool, ['check', ...args], { input, encoding: 'utf8' })
    expect(status, `${stdout}${stderr}`).toBe(0)
  }
  check(['metrics'], await scrape())
  check(['rules', deploy('alerts.yml')])
  const panels = JSON.parse(readFileSync(deploy('grafana.json'), 'utf8')).panels as { targets: { expr: string }[] }[]
  const rules = panels
    .flatMap(({ targets }) => targets)
    .map(({ expr }, at) => ({ record: `expression:${at}`, expr: expr.replaceAll('$__rate_interval', '5m') }))
  const folder = mkdtempSync(join(tmpdir(), 'vexil-rules-'))
  writeFileSync(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  check(['rules', join(folder, 'rules.yml')])
  rmSync(folder, { recursive: true })
})

test('counters and sums of processes are added up, peaks are not', async () => {
  const processes = [1, 2].map((n) => [gauge('a', 'A', single(n)), peak('b', 'B', single(n)), peak('c', 'C', single(null))])
  const text = await (await (await serve(async () => processes)).ask()).text()
  expect(text).toContain('# HELP vexil_a A\n# TYPE vexil_a gauge\nvexil_a 3\n')
  expect(text).toContain('vexil_b 2\n')
  expect(text).not.toMatch(/^vexil_c/m)
})

test('a counter does not fall when a process does not answer or has ended; a gauge is that of processes that answer', async () => {
  const keep = keepCounts()
  const counts = (n: number) => [
    counter('a', 'A', [[{ kind: 'x' }, n]]),
    histogram('b', 'B', [[{}, { bounds: [1], buckets: [n, n], sum: 3 * n }]]),
    gauge('c', 'C', single(n)),
  ]
  const [one, two, three, four] = [{}, {}, {}, {}]
  const seen = async (...answers: [object, Metric[] | null][]) => {
    const kept = await keep(new Map(answers))
    const text = await (await (await serve(async () => kept)).ask()).text()
    return ['a{kind="x"}', 'b_bucket{le="1"}', 'b_bucket{le="+Inf"}', 'b_sum', 'c'].map((series) => valueIn(text, series))
  }
  expect(await seen([one, counts(10)], [two, counts(1)])).toEqual([11, 11, 22, 33, 11])
  expect(await seen([one, null], [two, counts(2)])).toEqual([12, 12, 24, 36, 2])
  expect(await seen([two, counts(3)], [three, null])).toEqual([13, 13, 26, 39, 3])
  expect(await seen([two, counts(3)], [three, counts(5)])).toEqual([18, 18, 36, 54, 8])
  expect(await seen([four, counts(1)])).toEqual([19, 19, 38, 57, 1])
  expect(await seen([four, counts(2)])).toEqual([20, 20, 40, 60, 2])
})

test('the port answers only GET /metrics; scrapes at the same time share a collection, and a failed one is reported and repeated', async () => {
  let collections = 0
  const { ask, faults } = await serve(async () => {
    collections++
    await sleep(100)
    if (collections === 1) throw new Error('broken')
    return [databaseDown]
  })
  expect((await Promise.all([ask(), ask()])).map(({ status }) => status)).toEqual([500, 500])
  expect([collections, faults]).toEqual([1, [new Error('broken'), new Error('broken')]])
  const answer = await ask()
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(await answer.text()).toContain('vexil_database_up 0')
  for (const path of ['/', '/metrics/', '/api/config', '/metrics?x=1']) expect((await ask(path)).status).toBe(404)
  expect((await ask('/metrics', { method: 'POST' })).status).toBe(404)
})

test('the port closes during a scrape', async () => {
  const collecting = Promise.withResolvers<void>()
  const collect = () => {
    collecting.resolve()
    return new Promise<never>(() => undefined)
  }
  const port = await openMetricsPort({ host: '127.0.0.1', port: 0 }, collect, () => undefined)
  const answer = fetch(`http://127.0.0.1:${port.port}/metrics`).catch((error: unknown) => error)
  await collecting.promise
  await port.close()
  expect(await answer).toBeInstanceOf(Error)
})

test('without VEXIL_METRICS nothing is measured, and the public port never has metrics', async () => {
  const ofPublic = async ({ anyone }: TestPlatform) => String((await anyone.get('/metrics')).body)
  expect(await ofPublic(platform)).not.toContain('vexil_')
  const silent = await startTestPlatform()
  expect(silent.metrics).toBeNull()
  expect(await ofPublic(silent)).not.toContain('vexil_')
  await silent.stop()
})
