/**
 * Requests of every kind against a real process: none may be a fault. VEXIL_FUZZ sets their number (`npm run fuzz`: 50,000, with the
 * clock and the memory of the process); VEXIL_SEED repeats a run.
 */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
const slowestMs = 2_000
const growthKb = 30 * 1024

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
    },
  })
})
afterAll(async () => {
  await platform.stop()
  await database.drop()
})

const agent = new Agent({ keepAlive: true, maxSockets: atOnce })

/** Sends it as it is, without any tidying of the path. Status 0: the connection was closed instead of an answer. */
function send(
  { method, path, headers, body }: FuzzRequest,
  cookie: string | null,
): Promise<{ status: number; text: string; ms: number }> {
  const { hostname, port } = new URL(platform.url)
  const begun = performance.now()
  return new Promise((resolve) => {
    const done = (status: number, text: string) => resolve({ status, text, ms: performance.now() - begun })
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
    sent.on('error', () => done(0, ''))
    sent.end(body ?? undefined)
  })
}

/** Resident memory of the platform's process, in KB. */
const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${platform.process.pid}/status`, 'utf8'))?.[1])

/** The same after 20 s without a request: the process that parses large bodies has ended, and V8 has collected what is not needed. */
async function memoryAtRest(): Promise<number> {
  await new Promise((later) => setTimeout(later, 20_000))
  return memory()
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

test(`${total} requests over all calls find no fault`, async () => {
  const statuses = new Map<number, number>()
  const faults: string[] = []
  let slowest = { ms: 0, call: '' }
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
        if (ms > slowest.ms) slowest = { ms, call: `${one.method} ${one.path.slice(0, 200)}` }
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
    if (long && sent >= 10_000 && early === 0) early = await memoryAtRest()
  }
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  const late = long ? await memoryAtRest() : memory()
  console.log(`seed ${seed}, ${sent} requests: ${counts.join(', ')}`)
  console.log(`slowest ${Math.round(slowest.ms)} ms (${slowest.call}); resident ${early} KB at 10,000, ${late} KB at the end`)
  expect(faults.slice(0, 20)).toEqual([])
  expect((await fetch(`${platform.url}/healthz`)).status).toBe(200)
  expect(platform.process.exitCode).toBeNull()
  if (!long) return
  expect(slowest.ms, slowest.call).toBeLessThan(slowestMs)
  expect(late - early).toBeLessThan(growthKb)
}, 3_600_000)
