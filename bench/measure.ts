/**
 * npm run bench -- [--teams N,N] [--seconds S] [--only NAME,NAME]: Vexil at the opening minute of an event. For each number of teams and each database (the
 * embedded one, and PostgreSQL of Debian where it is installed) a fresh, seeded platform is asked; beside it in the same run a bare
 * Node server that answers as many bytes, and pgbench. A row during which others used more than 0.3 cores is marked with `busy` and
 * does not count. Latencies of rows with a rate count from the instant at which a request was due.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '../apps/server/src/db/database.ts'
import { startEmbedded } from '../apps/server/src/db/embedded.ts'
import { migrate } from '../apps/server/src/db/migrate.ts'
import { freePort, type Platform, startPlatform } from '../e2e/platform.ts'
import { type LoadResult, load, request } from './load.ts'
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
}

async function measure(scene: Scene, name: string, how: Omit<Parameters<typeof load>[0], 'port' | 'seconds'>): Promise<Row> {
  await load({ ...how, port: scene.port, seconds: Math.min(3, seconds) })
  const ours = () => cpuOf(familyOf(scene.platform.process.pid as number))
  const theirs = () => cpuOf(familyOf(scene.database))
  const before = { all: cpuOfAll(), ours: ours(), theirs: theirs(), self: process.cpuUsage(), at: performance.now() }
  const result = await load({ ...how, port: scene.port, seconds })
  const used = { ours: ours() - before.ours, theirs: theirs() - before.theirs }
  const self = process.cpuUsage(before.self)
  const known = used.ours + used.theirs + (self.user + self.system) / 1e6
  const others = (cpuOfAll() - before.all - known) / ((performance.now() - before.at) / 1000)
  const answers = result.perSecond * seconds
  return { name, result, platform: (used.ours / answers) * 1e6, database: (used.theirs / answers) * 1e6, others }
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
    const scene: Scene = { platform, port: Number(new URL(platform.url).port), database: postmaster, seeded }
    const first = seeded.actors[0] as Seeded['actors'][number]
    const board = await fetch(`${platform.url}/api/game/${seeded.game}/scoreboard`, { headers: first.headers })
    if (!board.ok) throw new Error(`The board answered ${board.status}: ${await board.text()}`)
    await board.arrayBuffer()
    const drawn = performance.now() - begun
    console.log(
      `\n## ${teams} teams, ${challenges} challenges, ${solvesOf(teams)} solves; first answer after ${(answered / 1000).toFixed(2)} s, board after ${(drawn / 1000).toFixed(2)} s\n`,
    )
    console.log('| | per s | p50 ms | p99 | worst | CPU us, platform | database | |\n|---|---|---|---|---|---|---|---|')
    const wanted = options.only.split(',').filter(Boolean)
    for (const [row, how] of Object.entries(rows))
      if (wanted.length === 0 || wanted.some((part) => row.includes(part))) print(await measure(scene, row, how(scene)))
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
