/**
 * Requests of every kind against a real process: none may cause a fault. VEXIL_FUZZ sets their number (`npm run tool -- fuzz`: 50,000, with the clock
 * and the memory of the process); VEXIL_SEED repeats a run.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { downloadBackup } from '@vexil/contract/backup'
import { nameOf } from '@vexil/contract/interface'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Platform, startPlatform } from '../../../e2e/platform.ts'
import { startSession } from '../src/accounts/sessions.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { openLocalStorage } from '../src/ports/storage/local.ts'
import { aScene, people, type Scene } from './builders/scene.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { type FuzzRequest, fuzzRequests } from './fuzz.requests.ts'

const long = process.env.VEXIL_FUZZ !== undefined
const total = Number(process.env.VEXIL_FUZZ ?? 2_000)
const seed = Number(process.env.VEXIL_SEED ?? Math.floor(Math.random() * 2 ** 31))
const perScene = 250
const atOnce = 8
/** The slowest request takes at most this, or on a busy machine this many times the median. */
const slowestMs = 2_000
const slowestOfMedian = 200
/** Reads the data in a process of low priority, which waits for all other work (decision 0050). */
const inBackground = nameOf(downloadBackup)
/**
 * The bytes in use after 10,000 and after all requests may differ by this. Every 250 requests have new games and people, whose boards are kept for
 * half an hour.
 */
const growthBytes = 12e6

const heapReport = join(tmpdir(), `vexil-heap-${process.pid}`)

let database: TestDatabase
let platform: Platform
beforeAll(async () => {
  database = await freshDatabase()
  platform = await startPlatform({
    env: {
      DATABASE_URL: database.url,
      DISABLE_RATE_LIMIT: 'true',
      LOG_LEVEL: 'error',
      SECRET_KEY: 'test secret key of 32 characters',
      ...(long && { NODE_OPTIONS: `--import ${new URL('report-heap.ts', import.meta.url)}`, HEAP_REPORT: heapReport }),
    },
  })
})
afterAll(async () => {
  await platform.stop()
  await database.drop()
  rmSync(heapReport, { force: true })
})

const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
/** Connections that carried a request. */
const used = new WeakSet<Socket>()

/**
 * Sends the request unchanged, without normalizing the path. Status 0: the connection was closed instead of an answer. nginx closes a kept
 * connection without notice when an answer came before the end of the body; as browsers do, the next request is then sent again.
 */
function send(one: FuzzRequest, cookie: string | null): Promise<{ status: number; text: string; ms: number }> {
  const { method, path, headers, body } = one
  const { hostname, port } = new URL(platform.url)
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const done = (status: number, text: string) => resolve({ status, text, ms: performance.now() - startedAt })
    const sent = request(
      {
        agent,
        hostname,
        port,
        method,
        path: path.replace(/[^\x21-\x7e]/g, (sign) => encodeURIComponent(sign)),
        headers: { ...(cookie && { cookie }), ...headers, 'content-length': body?.length ?? 0 },
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.length < 100 && chunks.push(chunk))
        answer.on('end', () => done(answer.statusCode ?? 0, Buffer.concat(chunks).toString().slice(0, 500)))
        answer.on('error', () => done(0, ''))
      },
    )
    let isReused = false
    sent.on('socket', (socket) => {
      isReused = used.has(socket)
      used.add(socket)
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const mayRepeat = process.env.VEXIL_TEST_PROXY === 'nginx' && isReused && error.code === 'ECONNRESET'
      if (mayRepeat) send(one, cookie).then(resolve)
      else done(0, '')
    })
    sent.end(body ?? undefined)
  })
}

/** Bytes that all threads of the platform use after 20 s without a request: by then the process that parses large bodies has ended. */
async function usedAtRest(): Promise<number> {
  await new Promise((later) => setTimeout(later, 20_000))
  rmSync(heapReport, { force: true })
  platform.process.kill('SIGUSR2')
  const lines = () => (existsSync(heapReport) ? readFileSync(heapReport, 'utf8').trim().split('\n') : [])
  // The threads of requests and of boards.
  await vi.waitFor(() => expect(lines()).toHaveLength(2), 10_000)
  return lines().reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)
}

async function freshScene(): Promise<{ scene: Scene; cookies: Map<string, string> }> {
  const storage = await openLocalStorage(platform.dataDir)
  const nobody = null as never
  const scene = await aScene({ db: database.db, deps: { db: database.db, storage }, as: nobody, anyone: nobody })
  const cookies = new Map<string, string>()
  for (const person of people) {
    if (person !== 'anonymous') cookies.set(person, `${cookieName}=${await startSession(database.db, scene.account[person])}`)
  }
  return { scene, cookies }
}

test(`${total} requests over all calls cause no server error`, async () => {
  const statuses = new Map<number, number>()
  const faults: string[] = []
  let slowest = { ms: 0, call: '' }
  const durations: number[] = []
  let sent = 0
  let early = 0
  for (let batch = 0; sent < total; batch++) {
    const { scene, cookies } = await freshScene()
    const requests = await fuzzRequests(scene, Math.min(perScene, total - sent), seed + batch)
    const next = requests.values()
    const worker = async () => {
      for (const one of next) {
        const { status, text, ms } = await send(one, cookies.get(one.who) ?? null)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        durations.push(ms)
        if (ms > slowest.ms && one.call !== inBackground) slowest = { ms, call: `${one.method} ${one.path.slice(0, 200)}` }
        // A body that is too large may be cut off before it was read to its end.
        const cut = status === 0 && (one.body?.length ?? 0) > 100_000
        if ((status >= 500 || status === 0) && !cut) {
          faults.push(
            `${status} ${one.call} by ${one.who}: ${one.path.slice(0, 300)} ${one.body?.toString().slice(0, 500) ?? ''} -> ${text}`,
          )
        }
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    sent += requests.length
    if (long && sent >= 10_000 && early === 0) early = await usedAtRest()
  }
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  const late = long ? await usedAtRest() : 0
  const median = durations.sort((a, b) => a - b)[durations.length >> 1] as number
  console.log(`seed ${seed}, ${sent} requests: ${counts.join(', ')}`)
  console.log(
    `median ${median.toFixed(1)} ms, slowest ${Math.round(slowest.ms)} ms (${slowest.call})${long ? `; in use ${early} bytes at 10,000, ${late} at the end` : ''}`,
  )
  expect(faults.slice(0, 20)).toEqual([])
  expect((await fetch(`${platform.url}/healthz`)).status).toBe(200)
  expect(platform.process.exitCode, platform.output()).toBeNull()
  if (!long) return
  expect(slowest.ms, slowest.call).toBeLessThan(Math.max(slowestMs, median * slowestOfMedian))
  expect(late - early).toBeLessThan(growthBytes)
}, 3_600_000)
