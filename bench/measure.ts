/**
 * npm run bench -- [--teams N,N] [--seconds S] [--only NAME,NAME] [--rounds N] [--database URL]: Vexil at the opening minute of an event. For
 * each number of teams a fresh, seeded platform is asked, on the embedded database or on one that is made at the server of URL and dropped
 * again; beside it in the same run a bare Node server and pgbench. A row during which others used more than 0.3 cores is marked with `busy`
 * and does not count. Latencies of rows with a rate count from the instant at which a request was due. Several rounds end with their medians.
 * Afterwards the boards are compared with those of a second node that draws them from nothing, and the answers with what is stored; a
 * difference is an error.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import pg from 'pg'
import { type Database, type DatabaseSource, openDatabase } from '../apps/server/src/db/database.ts'
import { startEmbedded } from '../apps/server/src/db/embedded.ts'
import { migrate } from '../apps/server/src/db/migrate.ts'
import { freePort, type Platform, startPlatform } from '../e2e/platform.ts'
import { listen } from './listen.ts'
import { type LoadResult, load, request } from './load.ts'
import { probe } from './probe.ts'
import { type Seeded, seed } from './seed.ts'

const { values: options } = parseArgs({
  options: {
    teams: { type: 'string', default: '2000,10000' },
    seconds: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '1' },
    database: { type: 'string', default: '' },
  },
})
const seconds = Number(options.seconds)
const challenges = 50
/** As many as an event of that size had: 121,599 at 10,000 teams. */
const solvesOf = (teams: number) => Math.round(teams * 12.16)
const othersMost = 0.3

interface Row {
  readonly name: string
  readonly result: LoadResult
  /** CPU time of platform and database for each answer, microseconds. */
  readonly platform: number
  readonly database: number
  /** Cores that others used meanwhile. */
  readonly others: number
  /** The worst answer of a cheap call meanwhile, ms. */
  readonly stall: number
}

/** CPU seconds that a process and all below it have used, by number of process. Linux only. */
function cpuOf(pids: readonly number[]): number {
  let ticks = 0
  for (const pid of pids) {
    const fields = readStat(pid)
    if (fields) ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks / 100
}
function readStat(pid: number | string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')
  } catch {
    return undefined
  }
}
/** A process and all that it started. */
function familyOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(readStat(name)?.[1])] as const)
  const family = [pid]
  for (const member of family) family.push(...parents.filter(([, parent]) => parent === member).map(([child]) => child))
  return family
}
/** CPU seconds of the whole machine. */
function cpuOfAll(): number {
  const [, user, nice, system, , , irq, soft] = (readFileSync('/proc/stat', 'latin1').split('\n')[0] as string)
    .split(/ +/)
    .map(Number)
  return (Number(user) + Number(nice) + Number(system) + Number(irq) + Number(soft)) / 100
}

/** Every figure of every round by its name, for the medians. */
const figures = new Map<string, number[]>()
function note(name: string, figure: number): void {
  figures.set(name, [...(figures.get(name) ?? []), figure])
}

interface Scene {
  readonly platform: Platform
  readonly port: number
  /** Process of the database server; null when it is not ours. */
  readonly database: number | null
  readonly seeded: Seeded
  /** Right answers, each once in a run. */
  readonly right: () => Buffer
}

/** Answers of submissions that came, and how many may have been stored without one. */
let acknowledged = 0
let cutOff = 0
/** As `load`; what it stores is counted. */
async function store(how: Parameters<typeof load>[0]): Promise<LoadResult> {
  const result = await load(how)
  acknowledged += result.statuses.get(200) ?? 0
  cutOff += how.connections
  return result
}

async function measure(scene: Scene, name: string, how: Omit<Parameters<typeof load>[0], 'port' | 'seconds'>): Promise<Row> {
  const ask = name.startsWith('submissions') ? store : load
  await ask({ ...how, port: scene.port, seconds: Math.min(3, seconds) })
  const ours = () => cpuOf(familyOf(scene.platform.process.pid as number))
  const theirs = () => (scene.database === null ? Number.NaN : cpuOf(familyOf(scene.database)))
  const before = { all: cpuOfAll(), ours: ours(), theirs: theirs(), self: process.cpuUsage(), at: performance.now() }
  const probing = probe({ port: scene.port, seconds })
  const result = await ask({ ...how, port: scene.port, seconds })
  const { worst: stall } = await probing
  const used = { ours: ours() - before.ours, theirs: theirs() - before.theirs }
  const self = process.cpuUsage(before.self)
  const known = used.ours + (used.theirs || 0) + (self.user + self.system) / 1e6
  const others = (cpuOfAll() - before.all - known) / ((performance.now() - before.at) / 1000)
  const answers = result.perSecond * seconds
  return { name, result, platform: (used.ours / answers) * 1e6, database: (used.theirs / answers) * 1e6, others, stall }
}

/** Wrong answers and right ones, a third of them: each team in its turn, on a challenge that it has not solved. */
function submissions({ seeded }: Scene): () => Buffer {
  const open = seeded.actors.map(({ solved }) => {
    const done = new Set(solved)
    return seeded.challenges.filter(({ id }) => !done.has(id))
  })
  let turn = 0
  return () => {
    const at = turn++ % seeded.actors.length
    const { headers } = seeded.actors[at] as Seeded['actors'][number]
    const left = open[at] as { id: number; flag: string }[]
    const right = turn % 10 < 3 && left.length > 0
    const { id, flag } = right
      ? (left.pop() as { id: number; flag: string })
      : (seeded.challenges[turn % challenges] as { id: number; flag: string })
    const body = JSON.stringify({ flag: right ? flag : `flag{wrong_${turn}}` })
    return request('POST', `/api/game/${seeded.game}/challenges/${id}`, { cookie: headers.cookie }, body)
  }
}
function gets({ seeded }: Scene, path: string, headers: Readonly<Record<string, string>> = {}): () => Buffer {
  const requests = seeded.actors.slice(0, 2000).map((actor) => request('GET', path, { cookie: actor.headers.cookie, ...headers }))
  let turn = 0
  return () => requests[turn++ % requests.length] as Buffer
}

const encoding = { 'accept-encoding': 'gzip, br' }
const rows: Readonly<Record<string, (scene: Scene) => Omit<Parameters<typeof load>[0], 'port' | 'seconds'>>> = {
  'submissions on 32 connections': (scene) => ({ connections: 32, next: submissions(scene) }),
  'submissions on 128 connections': (scene) => ({ connections: 128, next: submissions(scene) }),
  'submissions at 2500/s': (scene) => ({ connections: 256, next: submissions(scene), rate: 2500 }),
  'challenge list and details': (scene) => ({
    connections: 32,
    next: gets(scene, `/api/game/${scene.seeded.game}/details`, encoding),
  }),
  'whole board as wire': (scene) => ({
    connections: 32,
    next: gets(scene, `/api/game/${scene.seeded.game}/scoreboard`, encoding),
  }),
  'whole board as feed': (scene) => ({
    connections: 32,
    next: gets(scene, `/api/game/${scene.seeded.game}/scoreboard/feed`, encoding),
  }),
}

/** Right answers only, each by a team that has not solved the challenge. */
function rightAnswers(seeded: Seeded): () => Buffer {
  const left = seeded.actors.flatMap(({ headers, solved }) => {
    const done = new Set(solved)
    return seeded.challenges.filter(({ id }) => !done.has(id)).map(({ id, flag }) => ({ cookie: headers.cookie, id, flag }))
  })
  // A step that shares no factor with the number visits each once, and neighbours in turn are of different teams.
  let step = Math.floor(left.length * 0.618)
  while (gcd(step, left.length) !== 1) step++
  let at = 0
  return () => {
    at = (at + step) % left.length
    const { cookie, id, flag } = left[at] as (typeof left)[number]
    return request('POST', `/api/game/${seeded.game}/challenges/${id}`, { cookie }, JSON.stringify({ flag }))
  }
}
const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))

const percentile = (sorted: readonly number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN

/** Headers of an answer whose body was received and thrown away. */
function openOnce(port: number, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  get({ port, path, headers: encoding, agent: false }, (response) => {
    response.resume().once('end', () => resolve(`etag: ${response.headers.etag}`))
  }).once('error', reject)
  return promise
}

/** A hundred viewers open the board within five seconds, feed and tail, while 100 solves a second come. */
async function viewers(scene: Scene): Promise<void> {
  const path = `/api/game/${scene.seeded.game}/scoreboard/feed`
  const solving = store({ port: scene.port, connections: 64, seconds: 6, rate: 100, next: scene.right })
  const probing = probe({ port: scene.port, seconds: 6 })
  await sleep(500)
  const times = await Promise.all(
    Array.from({ length: 100 }, async (_, viewer) => {
      await sleep(viewer * 50)
      const begun = performance.now()
      // The tag says where the feed ends; reading five megabytes of JSON would measure the reader.
      const base = await openOnce(scene.port, path)
      const cut = /etag: "\d+\.(\d+)/i.exec(base)?.[1]
      await openOnce(scene.port, `${path}?after=${cut}`)
      return performance.now() - begun
    }),
  )
  times.sort((a, b) => a - b)
  const { perSecond, p99, worst } = await solving
  note(`${scene.seeded.actors.length} teams, 100 viewers: p50 ms`, percentile(times, 0.5))
  note(`${scene.seeded.actors.length} teams, 100 viewers: p99 ms`, percentile(times, 0.99))
  const shown = [percentile(times, 0.5), percentile(times, 0.99), p99, worst, (await probing).worst].map((ms) => ms.toFixed(0))
  console.log(
    `\n100 viewers open the board (feed and tail) while ${perSecond.toFixed(0)} solves/s come: p50 ${shown[0]} ms, p99 ${shown[1]} ms; the submissions meanwhile: p99 ${shown[2]} ms, worst ${shown[3]} ms; a cheap call: worst ${shown[4]} ms.`,
  )
}

/** From the instant a solve was due to be sent until each listener heard of it. Solves are numbered in the order in which they are sent, or nearly so. */
async function listeners(scene: Scene, count: number, rate: number): Promise<void> {
  const { seeded, port, platform } = scene
  const url = `${platform.url}/api/game/${seeded.game}/scoreboard/feed`
  const base = (await (await fetch(url)).json()) as { head: number }
  const { to: before } = (await (await fetch(`${url}?after=${base.head}`)).json()) as { to: number }
  const heard: { to: number; at: number }[] = []
  const open = await listen({ port, game: seeded.game, listeners: count }, (message) => heard.push(message))
  await sleep(1000)
  const used = () => cpuOf(familyOf(platform.process.pid as number))
  const [begun, cpu] = [performance.now(), used()]
  const { p99, statuses } = await store({ port, connections: 32, seconds, rate, next: scene.right })
  const platformCores = (used() - cpu) / ((performance.now() - begun) / 1000)
  await sleep(2000)
  open.close()
  const sent = [...statuses.values()].reduce((sum, number) => sum + number, 0)
  const delays = heard
    .filter(({ to }) => to > before && to <= before + sent)
    .map(({ to, at }) => at - (begun + ((to - before - 1) * 1000) / rate))
    .sort((a, b) => a - b)
  note(`${seeded.actors.length} teams, ${count} listeners: p99 ms`, percentile(delays, 0.99))
  note(`${seeded.actors.length} teams, ${count} listeners: cores`, platformCores)
  console.log(
    `\n${count} listeners, ${rate} solves/s for ${seconds} s: a message reaches them after p50 ${percentile(delays, 0.5).toFixed(0)} ms, p99 ${percentile(delays, 0.99).toFixed(0)} ms (${delays.length} messages heard); submissions p99 ${p99.toFixed(0)} ms; the platform used ${platformCores.toFixed(2)} cores.`,
  )
}

const memoryOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

function print(teams: number, row: Row, bare: number): void {
  const { perSecond, p50, p99, worst, statuses } = row.result
  const faults = [...statuses].filter(([status]) => status !== 200).map(([status, number]) => `${number} x ${status}`)
  const figures = [
    perSecond.toFixed(0),
    (perSecond / bare).toFixed(3),
    p50.toFixed(1),
    p99.toFixed(1),
    worst.toFixed(0),
    row.platform.toFixed(0),
    row.database.toFixed(0),
    row.stall.toFixed(0),
  ]
  note(`${teams} teams, ${row.name}: per s`, perSecond)
  note(`${teams} teams, ${row.name}: p99 ms`, p99)
  note(`${teams} teams, ${row.name}: worst cheap call ms`, row.stall)
  const busy = row.others > othersMost ? `busy: others used ${row.others.toFixed(1)} cores` : ''
  console.log(`| ${row.name} | ${figures.join(' | ')} | ${[...faults, busy].filter(Boolean).join(', ')} |`)
}

/** Answers a second of a Node server that does nothing but answer. */
async function bareNode(): Promise<LoadResult> {
  const port = await freePort()
  const code = `require('node:http').createServer((q, r) => { q.resume(); q.on('end', () => r.end('{"id":1}')) }).listen(${port}, '127.0.0.1', () => process.send('on'))`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  await once(child, 'message')
  const next = () => request('POST', '/', {}, '{"flag":"flag{wrong}"}')
  await load({ port, connections: 32, seconds: 2, next })
  const result = await load({ port, connections: 32, seconds: Math.min(5, seconds), next })
  child.kill()
  return result
}

/** Transactions a second that write one row each, with 32 connections. */
function pgbench(url: string): string {
  const binary = '/usr/lib/postgresql/15/bin/pgbench'
  if (!existsSync(binary)) return 'pgbench is not installed'
  const run = (...args: string[]) => spawnSync(binary, [...args, url], { encoding: 'utf8' })
  const made = run('-i', '-q', '-s', '4')
  if (made.status !== 0) return `pgbench: ${made.stderr.trim().split('\n').at(-1)}`
  const { stdout } = run('-n', '-N', '-c', '32', '-j', '1', '-M', 'prepared', '-T', String(Math.min(5, seconds)))
  return /tps = (\d+)/.exec(stdout)?.[1] ?? stdout
}

/** Where the platform that is measured has its database. */
interface Place {
  readonly url: string
  readonly source: DatabaseSource
  readonly server: number | null
  close(): Promise<void>
}

async function embeddedPlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-bench-'))
  const embedded = await startEmbedded({ dataDir: folder, note: console.error })
  const { host, user, database: name } = embedded.connection
  return {
    url: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`,
    source: embedded.connection,
    server: Number(readFileSync(join(embedded.location, 'pg18', 'postmaster.pid'), 'utf8').split('\n')[0]),
    async close() {
      await embedded.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A database of its own at the server of this address, dropped at the end. */
async function outsidePlace(server: string): Promise<Place> {
  const name = `vexil_bench_${randomBytes(4).toString('hex')}`
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  await run(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const close = () => run(`drop database ${name} with (force)`)
  return { url: url.href, source: { url: url.href }, server: null, close }
}

/** Waits until nothing is behind, then asks both nodes for every form of the board, and the database for every answer. */
async function verify({ platform, seeded }: Scene, url: string, database: Database, before: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from submissions`.execute(database.db)
  const stored = (rows[0]?.count ?? 0) - before
  const other = await startPlatform({ env: environment(url) })
  try {
    // Whoever asks first for a base that was cut meanwhile gets the one before, while it is made.
    await openOnce(Number(new URL(platform.url).port), `/api/game/${seeded.game}/scoreboard/feed`)
    await sleep(2000)
    const forms = ['scoreboard', 'scoreboard/feed', 'scoreboard/feed?after=0']
    // The tail of the second node begins where its base ends.
    const base = (await (await fetch(`${other.url}/api/game/${seeded.game}/scoreboard/feed`)).json()) as { head: number }
    forms.push(`scoreboard/feed?after=${base.head}`)
    let different = 0
    for (const form of forms) {
      const [one, two] = await Promise.all(
        [platform, other].map(async ({ url }) =>
          Buffer.from(await (await fetch(`${url}/api/game/${seeded.game}/${form}`)).arrayBuffer()),
        ),
      )
      if (one?.equals(two as Buffer)) continue
      different++
      console.log(`DIFFERENT: ${form}: ${one?.length} and ${two?.length} bytes`)
    }
    const lost = stored < acknowledged || stored > acknowledged + cutOff
    console.log(
      `\n${forms.length - different} of ${forms.length} forms of the board are those of a second node that drew them from nothing. ${acknowledged} answers came, ${stored} are stored (up to ${cutOff} were cut off by the generator)${lost ? ': WRONG' : ''}.`,
    )
    if (different > 0 || lost) process.exitCode = 1
  } finally {
    await other.stop()
  }
}

const environment = (url: string) => ({
  DATABASE_URL: url,
  DISABLE_RATE_LIMIT: 'true',
  SECRET_KEY: 'a secret key for measurements only',
})

async function bench(teams: number, bare: number): Promise<void> {
  const place = await (options.database ? outsidePlace(options.database) : embeddedPlace())
  const { url } = place
  const database = await openDatabase({ source: place.source, poolSize: 2 })
  let platform: Platform | undefined
  try {
    await migrate(database)
    const seeded = await seed(database.db, { teams, challenges, solves: solvesOf(teams) })
    const { rows: counted } = await sql<{ count: number }>`select count(*)::int as count from submissions`.execute(database.db)
    acknowledged = 0
    cutOff = 0
    const begun = performance.now()
    platform = await startPlatform({ env: environment(url) })
    const answered = performance.now() - begun
    const scene: Scene = {
      platform,
      port: Number(new URL(platform.url).port),
      database: place.server,
      seeded,
      right: rightAnswers(seeded),
    }
    const first = seeded.actors[0] as Seeded['actors'][number]
    const board = await fetch(`${platform.url}/api/game/${seeded.game}/scoreboard`, { headers: first.headers })
    if (!board.ok) throw new Error(`The board answered ${board.status}: ${await board.text()}`)
    await board.arrayBuffer()
    const drawn = performance.now() - begun
    console.log(
      `\n## ${teams} teams, ${challenges} challenges, ${solvesOf(teams)} solves; first answer after ${(answered / 1000).toFixed(2)} s, board after ${(drawn / 1000).toFixed(2)} s\n`,
    )
    console.log(
      '| | per s | of bare Node | p50 ms | p99 | worst | CPU us, platform | database | a cheap call meanwhile: worst ms | |\n|---|---|---|---|---|---|---|---|---|---|',
    )
    const wanted = options.only.split(',').filter(Boolean)
    for (const [row, how] of Object.entries(rows))
      if (wanted.length === 0 || wanted.some((part) => row.includes(part)))
        print(teams, await measure(scene, row, how(scene)), bare)
    const asked = (name: string) => wanted.length === 0 || wanted.some((part) => name.includes(part))
    if (asked('viewers')) await viewers(scene)
    if (asked('listeners'))
      for (const [count, rate] of [
        [1000, 100],
        [10_000, 50],
      ] as const)
        await listeners(scene, count, rate)
    await sleep(2000)
    const memory = memoryOf(platform.process.pid as number)
    note(`${teams} teams: first answer s`, answered / 1000)
    note(`${teams} teams: board s`, drawn / 1000)
    note(`${teams} teams: memory MB`, memory)
    console.log(`\nMemory after it: ${memory.toFixed(0)} MB. pgbench: ${pgbench(url)} transactions/s.`)
    await verify(scene, url, database, counted[0]?.count ?? 0)
  } finally {
    await platform?.stop()
    await database.close()
    await place.close()
  }
}

const rounds = Number(options.rounds)
for (let round = 1; round <= rounds; round++) {
  const bare = await bareNode()
  note('bare Node: per s', bare.perSecond)
  console.log(`Bare Node, 32 connections: ${bare.perSecond.toFixed(0)} answers/s, p99 ${bare.p99.toFixed(1)} ms.`)
  for (const teams of options.teams.split(',')) await bench(Number(teams), bare.perSecond)
}
if (rounds > 1) {
  console.log(`\n## Medians of ${rounds} rounds\n`)
  for (const [name, all] of figures) {
    const sorted = [...all].sort((a, b) => a - b)
    const text = (figure: number) => figure.toFixed(figure < 10 ? 2 : 0)
    console.log(`${name}: ${text(percentile(sorted, 0.5))} (${all.map(text).join(', ')})`)
  }
}
