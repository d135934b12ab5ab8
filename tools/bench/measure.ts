/**
 * npm run bench -- [--teams N,N] [--seconds S] [--only NAME,NAME] [--rounds N] [--database URL] [--kills N]: Vexil in the opening minute of an event. For
 * each number of teams it measures a fresh, seeded platform, on the embedded database or on one that it creates on the server of URL and drops
 * afterwards, and in the same run a bare Node server, one that stores with the same statement, and pgbench. A row during which other processes used
 * more than 0.3 cores is marked with `busy` and does not count. Latencies of rows with a rate count from the time at which a request was due. Several
 * rounds end with their medians. Afterwards the boards are compared with those of a second node that has no earlier state, and the answers with the
 * stored ones; a difference is an error. With `--kills` nothing is measured: see kills.ts.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Database, openDatabase } from '../../apps/server/src/db/database.ts'
import { migrate } from '../../apps/server/src/db/migrate.ts'
import { freePort, type Platform, startPlatform } from '../../e2e/platform.ts'
import { askVerdict, mixedAnswers, rightAnswers } from './answers.ts'
import { startBareStore } from './bare-store.ts'
import { embeddedDatabase, environment, externalDatabase, type MeasuredDatabase } from './databases.ts'
import { killAgain } from './kills.ts'
import { type LoadOptions, type LoadResult, load, request } from './load.ts'
import { probe } from './probe.ts'
import { type Seeded, seed } from './seed.ts'
import { encoding, figures, percentile, printFigure, store, type Target } from './target.ts'
import { cpuOf, cpuOfAll, familyOf, memoryOf } from './used.ts'
import { countStored, verify } from './verify.ts'
import { listeners, monitorPage, viewers } from './watching.ts'

const { values: options } = parseArgs({
  options: {
    teams: { type: 'string', default: '2000,10000' },
    seconds: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '1' },
    database: { type: 'string', default: '' },
    kills: { type: 'string', default: '0' },
  },
})
const seconds = Number(options.seconds)
const challenges = 50
/** As many solves as an event of that size had: 121,599 with 10,000 teams. */
const solvesOf = (teams: number) => Math.round(teams * 12.16)
const othersMost = 0.3

interface Row {
  readonly name: string
  readonly result: LoadResult
  /** CPU time of platform and database for each answer, microseconds. */
  readonly platform: number
  readonly database: number
  /** Cores that other processes used at the same time. */
  readonly others: number
  /** The slowest answer of a cheap call at the same time, ms. */
  readonly stall: number
}

type How = Omit<LoadOptions, 'port' | 'seconds'>

async function measure(target: Target, { server }: MeasuredDatabase, name: string, how: How): Promise<Row> {
  const ask = (seconds: number) =>
    name.startsWith('submissions') ? store(target, { ...how, seconds }) : load({ ...how, port: target.port, seconds })
  await ask(Math.min(3, seconds))
  const ours = () => cpuOf(familyOf(target.platform.process.pid as number))
  const theirs = () => {
    const pid = server()
    return pid === null ? Number.NaN : cpuOf(familyOf(pid))
  }
  if (solvesMeanwhile(name)) await solve(target, 1)
  const before = { all: cpuOfAll(), ours: ours(), theirs: theirs(), self: process.cpuUsage(), at: performance.now() }
  const probing = probe({ port: target.port, seconds })
  const solving = solvesMeanwhile(name) ? solve(target, seconds) : null
  const result = await ask(seconds)
  await solving
  const { worst: stall } = await probing
  const used = { ours: ours() - before.ours, theirs: theirs() - before.theirs }
  const self = process.cpuUsage(before.self)
  const known = used.ours + (used.theirs || 0) + (self.user + self.system) / 1e6
  const others = (cpuOfAll() - before.all - known) / ((performance.now() - before.at) / 1000)
  const answers = result.perSecond * seconds
  return { name, result, platform: (used.ours / answers) * 1e6, database: (used.theirs / answers) * 1e6, others, stall }
}

const solvesMeanwhile = (name: string) => name.includes('while 100 solves/s come')
const solve = (target: Target, seconds: number) => store(target, { connections: 16, seconds, rate: 100, next: target.right })

function gets({ seeded }: Target, path: string): How {
  const requests = seeded.actors.map(({ headers }) =>
    request('GET', `/api/game/${seeded.game}/${path}`, { ...headers, ...encoding }),
  )
  let turn = 0
  return { connections: 32, next: () => requests[turn++ % requests.length] as Buffer }
}

/** An answer and the first request for its verdict count as one. */
function withVerdict({ seeded }: Target): How {
  const { next, sentAs } = mixedAnswers(seeded)
  const asked = new Set<Buffer>()
  return {
    connections: 128,
    next,
    answered(sent, status, body) {
      if (asked.delete(sent) || status !== 200) return undefined
      const question = askVerdict(seeded, sentAs(sent), body)
      asked.add(question)
      return question
    },
  }
}

const rows: Readonly<Record<string, (target: Target) => How>> = {
  'submissions on 32 connections': ({ seeded }) => ({ connections: 32, next: mixedAnswers(seeded).next }),
  'submissions on 128 connections': ({ seeded }) => ({ connections: 128, next: mixedAnswers(seeded).next }),
  'submissions at 2500/s': ({ seeded }) => ({ connections: 256, next: mixedAnswers(seeded).next, rate: 2500 }),
  'submissions, each with its verdict asked for': withVerdict,
  'challenge list and details': (target) => gets(target, 'details'),
  'details while 100 solves/s come': (target) => gets(target, 'details'),
  'whole board as wire': (target) => gets(target, 'scoreboard'),
  'whole board as feed': (target) => gets(target, 'scoreboard/feed'),
}

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
  printFigure(`${teams} teams, ${row.name}: per s`, perSecond)
  printFigure(`${teams} teams, ${row.name}: p99 ms`, p99)
  printFigure(`${teams} teams, ${row.name}: worst cheap call ms`, row.stall)
  const busy = row.others > othersMost ? `busy: others used ${row.others.toFixed(1)} cores` : ''
  console.log(`| ${row.name} | ${figures.join(' | ')} | ${[...faults, busy].filter(Boolean).join(', ')} |`)
}

/** Answers per second of a Node server that does nothing else. */
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

/** The throughput of the database alone: transactions per second that write one row each, with 32 connections, and their p99 (ms) at 2,500 a second. */
function pgbench(url: string): string {
  const binary = '/usr/lib/postgresql/15/bin/pgbench'
  if (!existsSync(binary)) return 'pgbench is not installed'
  const folder = mkdtempSync(join(tmpdir(), 'vexil-pgbench-'))
  const run = (...args: string[]) => spawnSync(binary, [...args, url], { encoding: 'utf8', cwd: folder })
  const write = ['-n', '-N', '-c', '32', '-j', '1', '-M', 'prepared', '-T', String(Math.min(5, seconds))]
  try {
    const made = run('-i', '-q', '-s', '4')
    if (made.status !== 0) return `pgbench: ${made.stderr.trim().split('\n').at(-1)}`
    const { stdout } = run(...write)
    run(...write, '-R', '2500', '--log', '--log-prefix=at')
    // The third column is the time from the scheduled instant to the end of the transaction, in microseconds.
    const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'latin1').trim().split('\n'))
    const times = lines.map((line) => Number(line.split(' ')[2]) / 1000).sort((a, b) => a - b)
    return `pgbench: ${/tps = (\d+)/.exec(stdout)?.[1] ?? stdout} transactions/s; at 2,500/s p99 ${percentile(times, 0.99).toFixed(1)} ms, worst ${times.at(-1)?.toFixed(1)} ms`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function bench(teams: number, bare: number): Promise<void> {
  const measured = await (options.database ? externalDatabase(options.database) : embeddedDatabase())
  const database = await openDatabase({ source: measured.source, poolSize: 2 })
  try {
    await migrate(database)
    const seeded = await seed(database.db, { teams, challenges, solves: solvesOf(teams) })
    if (options.kills === '0') await askAll(measured, database, seeded, bare)
    else await killAgain(measured, database, seeded, Number(options.kills))
  } finally {
    await database.close()
    await measured.close()
  }
}

async function askAll(measured: MeasuredDatabase, database: Database, seeded: Seeded, bare: number): Promise<void> {
  const teams = seeded.actors.length
  const before = await countStored(database)
  const startedAt = performance.now()
  const platform = await startPlatform({ env: environment(measured.url) })
  try {
    printFigure(`${teams} teams: first answer s`, (performance.now() - startedAt) / 1000)
    await drawn(platform, seeded)
    printFigure(`${teams} teams: board s`, (performance.now() - startedAt) / 1000)
    const [answered, board] = ['first answer', 'board'].map((what) =>
      figures.get(`${teams} teams: ${what} s`)?.at(-1)?.toFixed(2),
    )
    console.log(
      `\n## ${teams} teams, ${challenges} challenges, ${solvesOf(teams)} solves; first answer after ${answered} s, board after ${board} s\n`,
    )
    const target: Target = {
      platform,
      port: Number(new URL(platform.url).port),
      seeded,
      right: rightAnswers(seeded).next,
      stored: { acknowledged: 0, cutOff: 0 },
    }
    await askFor(target, measured, bare)
    await sleep(2000)
    const memory = memoryOf(platform.process.pid as number)
    printFigure(`${teams} teams: memory MB`, memory)
    console.log(`\nMemory after it: ${memory.toFixed(0)} MB. ${pgbench(measured.url)}.`)
    await verify(target, measured.url, database, before)
  } finally {
    await platform.stop()
  }
}

async function drawn({ url }: Platform, { game }: Seeded): Promise<void> {
  const board = await fetch(`${url}/api/game/${game}/scoreboard`)
  if (!board.ok) throw new Error(`The board answered ${board.status}: ${await board.text()}`)
  await board.arrayBuffer()
}

/** Stores such answers with a server that does nothing else, with as many connections as the rows of the platform. */
async function bareStore(target: Target, { source }: MeasuredDatabase): Promise<void> {
  const teams = target.seeded.actors.length
  const server = await startBareStore(source, target.seeded.game)
  try {
    for (const connections of [32, 128]) {
      const how = { connections, next: mixedAnswers(target.seeded).next }
      await store({ ...target, port: server.port }, { ...how, seconds: Math.min(3, seconds) })
      const { perSecond, p99, statuses } = await store({ ...target, port: server.port }, { ...how, seconds })
      const faults = [...statuses].filter(([status]) => status !== 200).map(([status, number]) => `, ${number} x ${status}`)
      printFigure(`${teams} teams, bare server with the same statement on ${connections} connections: per s`, perSecond)
      const platform = figures.get(`${teams} teams, submissions on ${connections} connections: per s`)?.at(-1)
      const ratio = platform === undefined ? '' : `; the platform stores ${(platform / perSecond).toFixed(2)} of it`
      console.log(
        `\nA bare server that stores with the same statement, ${connections} connections: ${perSecond.toFixed(0)} answers/s, p99 ${p99.toFixed(1)} ms${ratio}${faults.join('')}.`,
      )
    }
  } finally {
    server.stop()
  }
}

async function askFor(target: Target, measured: MeasuredDatabase, bare: number): Promise<void> {
  console.log(
    '| | per s | of bare Node | p50 ms | p99 | worst | CPU us, platform | database | a cheap call meanwhile: worst ms | |\n|---|---|---|---|---|---|---|---|---|---|',
  )
  const wanted = options.only.split(',').filter(Boolean)
  const asked = (name: string) => wanted.length === 0 || wanted.some((part) => name.includes(part))
  for (const [row, how] of Object.entries(rows))
    if (asked(row)) print(target.seeded.actors.length, await measure(target, measured, row, how(target)), bare)
  if (asked('submissions on a bare server')) await bareStore(target, measured)
  if (asked('viewers')) await viewers(target)
  if (asked('monitor')) for (const rate of [200, 2000]) await monitorPage(target, { rate, seconds })
  if (!asked('listeners')) return
  for (const [count, rate] of [
    [1000, 100],
    [10_000, 50],
  ] as const)
    await listeners(target, { count, rate, seconds })
}

const rounds = Number(options.rounds)
for (let round = 1; round <= rounds; round++) {
  const bare = await bareNode()
  printFigure('bare Node: per s', bare.perSecond)
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
