/**
 * npm run tool -- zip-writeups: the archive of 200 writeups of 5 MB each, read fast and by a reader that pauses, grows the resident
 * memory of the server by at most 64 MB. Prints figures; exit code 1 if it grows more. Reads memory from /proc: Linux only.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSession } from '../../apps/server/src/accounts/sessions.ts'
import { openDatabase } from '../../apps/server/src/db/database.ts'
import { startEmbedded } from '../../apps/server/src/db/embedded.ts'
import { cookieName } from '../../apps/server/src/http/session-cookie.ts'
import { openLocalStorage } from '../../apps/server/src/ports/storage/local.ts'
import { aGame, anAccount, aParticipation, aTeam } from '../../apps/server/test/builders/game.ts'
import { startPlatform } from '../../e2e/platform.ts'

const writeups = 200
const bytesEach = 5_000_000
const allowed = 64 * 1024 * 1024
const mb = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`

const folder = mkdtempSync(join(tmpdir(), 'vexil-bench-'))
const embedded = await startEmbedded({ dataDir: folder, printLine: console.error, durable: false })
const { host, user, database: name } = embedded.connection
const platform = await startPlatform({
  env: { DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`, DISABLE_RATE_LIMIT: 'true' },
})
const database = await openDatabase({ source: embedded.connection, poolSize: 2 })
try {
  const { game, cookie } = await handIn()
  const ask = () => fetch(`${platform.url}/api/admin/writeups/${game}/all`, { headers: { cookie } })
  await sleep(1000)
  const before = resident()
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, resident())
  }, 10)
  for (const [reader, pause] of [
    ['fast', 0],
    ['slow', 3000],
  ] as const) {
    const startedAt = performance.now()
    const { size, files } = await read(await ask(), pause)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(`${reader} reader: ${files} files, ${mb(size)} in ${seconds} s; peak so far ${mb(peak)}`)
    if (files !== writeups || size < writeups * bytesEach) throw new Error('The archive is not whole.')
  }
  clearInterval(watch)
  const more = peak - before
  console.log(`resident before ${mb(before)}, peak ${mb(peak)}: ${mb(more)} more, ${mb(allowed)} allowed`)
  if (more > allowed) process.exitCode = 1
} finally {
  await database.close()
  await platform.stop()
  await embedded.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Writes files and rows without the server, so that its memory stays as it is after the start. */
async function handIn(): Promise<{ game: number; cookie: string }> {
  const { db } = database
  const storage = await openLocalStorage(platform.dataDir)
  const game = await aGame(db, { title: 'Bench', writeupRequired: true })
  const admin = await anAccount(db, { role: 'Admin' })
  for (let i = 0; i < writeups; i++) {
    const { hash, size } = await storage.put(Buffer.concat([Buffer.from('%PDF-'), randomBytes(bytesEach - 5)]), bytesEach)
    const team = await aTeam(db)
    const participationId = await aParticipation(db, game, team)
    await db.insertInto('files').values({ hash, name: 'x.pdf', type: 'application/pdf', size }).execute()
    const fileName = `Writeup-${game}-${team.id}-20260101-00.00.00Z.pdf`
    await db.insertInto('writeups').values({ participationId, fileHash: hash, fileName }).execute()
  }
  return { game, cookie: `${cookieName}=${await startSession(db, admin)}` }
}

/** Reads an archive to its end, with a pause near its beginning, and keeps only the last bytes, which contain the number of files. */
async function read(answer: Response, pause: number): Promise<{ size: number; files: number }> {
  if (!answer.ok || !answer.body) throw new Error(`Status ${answer.status}`)
  let size = 0
  let end = Buffer.alloc(0)
  let waits = pause
  for await (const chunk of answer.body) {
    size += chunk.length
    end = Buffer.concat([end, chunk]).subarray(-22)
    if (waits > 0 && size > bytesEach) {
      await sleep(waits)
      waits = 0
    }
  }
  return { size, files: end.readUInt16LE(10) }
}

function resident(): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${platform.process.pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
