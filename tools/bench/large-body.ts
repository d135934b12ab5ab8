/**
 * npm run tool -- large-body: while an administrator sends a list of 20,000 flags and a batch of 1,000 users of 30 MB each, `/healthz`
 * answers within 40 ms. It is requested every 5 ms from a separate thread. Prints figures; exit code 1 if an answer takes longer.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { startSession } from '../../apps/server/src/accounts/sessions.ts'
import { openDatabase } from '../../apps/server/src/db/database.ts'
import { startEmbedded } from '../../apps/server/src/db/embedded.ts'
import { cookieName } from '../../apps/server/src/http/session-cookie.ts'
import { aChallenge, aGame, anAccount } from '../../apps/server/test/builders/game.ts'
import { startPlatform } from '../../e2e/platform.ts'

const allowedMs = 40
const bodyBytes = 29_900_000
const ms = (value: number | undefined) => `${(value ?? 0).toFixed(1)} ms`

if (isMainThread) await measure()
else ask(workerData as string)

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-bench-'))
  const embedded = await startEmbedded({ dataDir: folder, printLine: console.error, durable: false })
  const { host, user, database: name } = embedded.connection
  const platform = await startPlatform({
    env: { DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`, DISABLE_RATE_LIMIT: 'true' },
  })
  const database = await openDatabase({ source: embedded.connection, poolSize: 2 })
  try {
    const game = await aGame(database.db)
    const challenge = await aChallenge(database.db, game)
    const cookie = `${cookieName}=${await startSession(database.db, await anAccount(database.db, { role: 'Admin' }))}`
    const headers = { cookie, 'content-type': 'application/json' }
    await timed('nothing', async () => void (await sleep(3000)))
    for (const [what, path, rows, row] of [
      ['flags with links', `/api/edit/games/${game}/challenges/${challenge}/flags`, 20_000, flagWithLink],
      ['flags with unknown fields', `/api/edit/games/${game}/challenges/${challenge}/flags`, 20_000, padded(flagOf)],
      ['users', '/api/admin/users', 1000, padded(userOf)],
    ] as const) {
      const room = Math.floor(bodyBytes / rows)
      const body = Buffer.from(JSON.stringify(Array.from({ length: rows }, (_, i) => row(i, room))))
      await timed(`${what}, ${(body.length / 1e6).toFixed(1)} MB`, async () => {
        const answer = await fetch(`${platform.url}${path}`, { method: 'POST', headers, body })
        if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
      })
    }
  } finally {
    await database.close()
    await platform.stop()
    await embedded.stop()
    rmSync(folder, { recursive: true, force: true })
  }

  async function timed(what: string, work: () => Promise<void>): Promise<void> {
    const asking = new Worker(new URL(import.meta.url), { workerData: platform.url })
    const waits: number[] = []
    asking.on('message', (wait: number) => waits.push(wait))
    await sleep(500)
    const startedAt = performance.now()
    await work()
    const took = performance.now() - startedAt
    await asking.terminate()
    waits.sort((a, b) => a - b)
    const slowest = waits.at(-1) ?? 0
    console.log(
      `${what}: ${ms(took)}; ${waits.length} answers of /healthz, p99 ${ms(waits[Math.floor(waits.length * 0.99)])}, slowest ${ms(slowest)}, above ${allowedMs} ms: ${waits.filter((wait) => wait > allowedMs).length}`,
    )
    if (slowest > allowedMs) process.exitCode = 1
  }
}

function flagOf(i: number): object {
  return { flag: `flag{${i}-${Math.random()}}` }
}
function flagWithLink(i: number, room: number): object {
  return { ...flagOf(i), attachmentType: 'Remote', remoteUrl: `https://example.org/${'x'.repeat(room - 140)}` }
}
function userOf(i: number): object {
  return { userName: `user${i}`, password: `password${i}`, email: `user${i}@example.org` }
}
function padded(row: (i: number) => object) {
  return (i: number, room: number) => ({ ...row(i), other: 'x'.repeat(room - 120) })
}

/** Requests `/healthz` with a pause of 5 ms until the thread is terminated. */
async function ask(url: string): Promise<void> {
  for (;;) {
    const startedAt = performance.now()
    await new Promise<void>((resolve, reject) => {
      const sent = request(`${url}/healthz`, (answer) => answer.resume().on('end', resolve))
      sent.on('error', reject)
      sent.end()
    })
    parentPort?.postMessage(performance.now() - startedAt)
    await sleep(5)
  }
}
