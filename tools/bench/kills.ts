/**
 * npm run bench -- --kills N: the platform is killed N times in the middle of submissions, every second time together with its database;
 * afterwards every acknowledged answer must be stored once, as it was sent, and the board must be right.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../apps/server/src/db/database.ts'
import { type Platform, startPlatform } from '../../e2e/platform.ts'
import { mixedAnswers, type Sent } from './answers.ts'
import { environment, type MeasuredDatabase } from './databases.ts'
import { load } from './load.ts'
import type { Seeded } from './seed.ts'
import { countStored, verify } from './verify.ts'

const connections = 128
/** The platform is killed at a random time after the first second. */
const seconds = 3

export async function killAgain(measured: MeasuredDatabase, database: Database, seeded: Seeded, times: number): Promise<void> {
  const before = await countStored(database)
  const answers = mixedAnswers(seeded)
  /** Acknowledged answers by the number of the submission. */
  const taken = new Map<number, Sent>()
  let platform = await startPlatform({ env: environment(measured.url) })
  try {
    for (let kill = 1; kill <= times; kill++) {
      const known = taken.size
      const loading = load({
        port: Number(new URL(platform.url).port),
        connections,
        seconds,
        next: answers.next,
        answered(sent, status, body) {
          if (status === 200) taken.set(Number(body), answers.sentAs(sent))
          return undefined
        },
      })
      await sleep(1000 + Math.random() * (seconds - 1.2) * 1000)
      const server = kill % 2 === 0 ? measured.server() : null
      if (server !== null) process.kill(server, 'SIGKILL')
      await platform.kill9()
      await loading
      const name = server === null ? 'platform' : 'platform and database'
      console.log(`kill ${kill}, of ${name}: ${taken.size - known} answers were taken before it`)
      platform = await startAgain(measured)
    }
    await compare(database, taken)
    await verify(
      { platform, seeded, stored: { acknowledged: taken.size, cutOff: times * connections } },
      measured.url,
      database,
      before,
    )
  } finally {
    await platform.stop()
  }
}

/** Retries: a database that was killed needs time to start. */
async function startAgain({ url }: MeasuredDatabase): Promise<Platform> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startPlatform({ env: environment(url) })
    } catch (error) {
      if (attempt === 20) throw error
      await sleep(500)
    }
  }
}

interface Stored {
  readonly id: number
  readonly participation: number
  readonly challenge: number
  readonly answer: string
  readonly status: string
}

/** Compares every acknowledged answer with the stored one, and checks the numbers of the solves. */
async function compare({ db }: Database, taken: ReadonlyMap<number, Sent>): Promise<void> {
  const { rows } = await sql<Stored>`
    select id, participation_id as participation, challenge_id as challenge, answer, status from submissions
    where id = any (${[...taken.keys()]}::int[])`.execute(db)
  const stored = new Map(rows.map((row) => [row.id, row]))
  let wrong = 0
  for (const [id, { participation, challenge, flag }] of taken) {
    const row = stored.get(id)
    const verdict = flag.startsWith('flag{wrong_') ? 'WrongAnswer' : 'Accepted'
    const same =
      row?.participation === participation && row.challenge === challenge && row.answer === flag && row.status === verdict
    if (!same) wrong++
  }
  const first = [...taken.keys()].reduce((least, id) => Math.min(least, id))
  // No answer of this run is sent twice.
  const { rows: twice } = await sql`
    select from submissions where id >= ${first}
    group by participation_id, challenge_id, answer having count(*) > 1`.execute(db)
  const { rows: gaps } = await sql`select from solves group by game_id having count(*) <> max(number)`.execute(db)
  console.log(
    `\n${taken.size} answers were taken; lost or stored otherwise: ${wrong}; stored twice: ${twice.length}; logs with gaps: ${gaps.length}.`,
  )
  if (wrong + twice.length + gaps.length > 0) process.exitCode = 1
}
