/**
 * npm run bench -- [--teams N,N] [--seconds S] [--only NAME,NAME]: Vexil at the opening minute of an event. For each number of teams and each database (the
 * embedded one, and PostgreSQL of Debian where it is installed) a fresh, seeded platform is asked; beside it in the same run a bare
 * Node server that answers as many bytes, and pgbench. A row during which others used more than 0.3 cores is marked with `busy` and
 * does not count. Latencies of rows with a rate count from the instant at which a request was due.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '../apps/server/src/db/database.ts'
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

interface Scene {
  readonly platform: Platform
  readonly port: number
  readonly database: number
  readonly seeded: Seeded
  /** Right answers, each once in a run. */
  readonly right: () => Buffer
}

async function measure(scene: Scene, name: string, how: Omit<Parameters<typeof load>[0], 'port' | 'seconds'>): Promise<Row> {
  await load({ ...how, port: scene.port, seconds: Math.min(3, seconds) })
  const ours = () => cpuOf(familyOf(scene.platform.process.pid as number))
  const theirs = () => cpuOf(familyOf(scene.database))
  const before = { all: cpuOfAll(), ours: ours(), theirs: theirs(), self: process.cpuUsage(), at: performance.now() }
  const probing = probe({ port: scene.port, seconds })
  const result = await load({ ...how, port: scene.port, seconds })
  const { worst: stall } = await probing
  const used = { ours: ours() - before.ours, theirs: theirs() - before.theirs }
  const self = process.cpuUsage(before.self)
  const known = used.ours + used.theirs + (self.user + self.system) / 1e6
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
  const solving = load({ port: scene.port, connections: 64, seconds: 6, rate: 100, next: scene.right })
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
  const { p99, statuses } = await load({ port, connections: 32, seconds, rate, next: scene.right })
  const platformCores = (used() - cpu) / ((performance.now() - begun) / 1000)
  await sleep(2000)
  open.close()
  const sent = [...statuses.values()].reduce((sum, number) => sum + number, 0)
  const delays = heard
    .filter(({ to }) => to > before && to <= before + sent)
    .map(({ to, at }) => at - (begun + ((to - before - 1) * 1000) / rate))
    .sort((a, b) => a - b)
  console.log(
    `\n${count} listeners, ${rate} solves/s for ${seconds} s: a message reaches them after p50 ${percentile(delays, 0.5).toFixed(0)} ms, p99 ${percentile(delays, 0.99).toFixed(0)} ms (${delays.length} messages heard); submissions p99 ${p99.toFixed(0)} ms; the platform used ${platformCores.toFixed(2)} cores.`,
  )
}

const memoryOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

function print(row: Row): void {
  const { perSecond, p50, p99, worst, statuses } = row.result
  const faults = [...statuses].filter(([status]) => status !== 200).map(([status, number]) => `${number} x ${status}`)
  const figures = [
    perSecond.toFixed(0),
    p50.toFixed(1),
    p99.toFixed(1),
    worst.toFixed(0),
    row.platform.toFixed(0),
    row.database.toFixed(0),
    row.stall.toFixed(0),
  ]
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

async function bench(teams: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-bench-'))
  const embedded = await startEmbedded({ dataDir: folder, note: console.error })
  const { host, user, database: name } = embedded.connection
  const url = `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`
  const database = await openDatabase({ source: embedded.connection, poolSize: 2 })
  let platform: Platform | undefined
  try {
    await migrate(database)
    const seeded = await seed(database.db, { teams, challenges, solves: solvesOf(teams) })
    const postmaster = Number(readFileSync(join(embedded.location, 'pg18', 'postmaster.pid'), 'utf8').split('\n')[0])
    const begun = performance.now()
    platform = await startPlatform({
      env: { DATABASE_URL: url, DISABLE_RATE_LIMIT: 'true', SECRET_KEY: 'a secret key for measurements only' },
    })
    const answered = performance.now() - begun
    const scene: Scene = {
      platform,
      port: Number(new URL(platform.url).port),
      database: postmaster,
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
      '| | per s | p50 ms | p99 | worst | CPU us, platform | database | a cheap call meanwhile: worst ms | |\n|---|---|---|---|---|---|---|---|---|',
    )
    const wanted = options.only.split(',').filter(Boolean)
    for (const [row, how] of Object.entries(rows))
      if (wanted.length === 0 || wanted.some((part) => row.includes(part))) print(await measure(scene, row, how(scene)))
    const asked = (name: string) => wanted.length === 0 || wanted.some((part) => name.includes(part))
    if (asked('viewers')) await viewers(scene)
    if (asked('listeners'))
      for (const [count, rate] of [
        [1000, 100],
        [10_000, 50],
      ] as const)
        await listeners(scene, count, rate)
    await sleep(2000)
    console.log(
      `\nMemory after it: ${memoryOf(platform.process.pid as number).toFixed(0)} MB. pgbench: ${pgbench(url)} transactions/s.`,
    )
  } finally {
    await platform?.stop()
    await database.close()
    await embedded.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const bare = await bareNode()
console.log(`Bare Node, 32 connections: ${bare.perSecond.toFixed(0)} answers/s, p99 ${bare.p99.toFixed(1)} ms.`)
for (const teams of options.teams.split(',')) await bench(Number(teams))
