/**
 * npm run tool -- delete-challenge: deletes a challenge with 100,000 answers while 200 right answers a second are sent to others. Prints how
 * long the slowest of these took before and during the deletion.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase } from '../../apps/server/src/db/database.ts'
import { migrate } from '../../apps/server/src/db/migrate.ts'
import { startPlatform } from '../../e2e/platform.ts'
import { rightAnswers } from './answers.ts'
import { embeddedDatabase, environment } from './databases.ts'
import { load } from './load.ts'
import { seed } from './seed.ts'

const measured = await embeddedDatabase()
const database = await openDatabase({ source: measured.source, poolSize: 2 })
try {
  await migrate(database)
  const seeded = await seed(database.db, { teams: 2_000, challenges: 20, solves: 10_000 })
  const doomed = seeded.challenges[0]?.id as number
  await sql`
    insert into submissions (game_id, participation_id, challenge_id, account_id, answer, status, arrived_at)
    select r.game_id, r.participation_id, ${doomed}, r.account_id, 'flag{wrong_' || n || '}', 'WrongAnswer', now()
    from registrations r cross join generate_series(1, 50) n`.execute(database.db)
  const platform = await startPlatform({ env: environment(measured.url) })
  try {
    const body = JSON.stringify({ userName: 'Admin', password: platform.adminPassword })
    const headers = { 'content-type': 'application/json' }
    const signedIn = await fetch(`${platform.url}/api/account/login`, { method: 'POST', headers, body })
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] as string
    const challenges = seeded.challenges.filter(({ id }) => id !== doomed)
    const { next } = rightAnswers({ ...seeded, challenges })
    const answers = { port: Number(new URL(platform.url).port), connections: 64, rate: 200, next }
    await load({ ...answers, seconds: 5 })
    const alone = await load({ ...answers, seconds: 5 })
    const loading = load({ ...answers, seconds: 8 })
    await sleep(1000)
    const startedAt = performance.now()
    const deleted = await fetch(`${platform.url}/api/edit/games/${seeded.game}/challenges/${doomed}`, {
      method: 'DELETE',
      headers: { cookie },
    })
    const took = performance.now() - startedAt
    const meanwhile = await loading
    console.log(`Deleting took ${took.toFixed(0)} ms and answered ${deleted.status}.`)
    for (const [when, { p99, worst, statuses }] of [
      ['Before', alone],
      ['Meanwhile', meanwhile],
    ] as const)
      console.log(
        `${when}: answers p99 ${p99.toFixed(0)} ms, worst ${worst.toFixed(0)} ms; ${[...statuses].map(([status, count]) => `${count} x ${status}`).join(', ')}.`,
      )
    if (!deleted.ok) process.exitCode = 1
  } finally {
    await platform.stop()
  }
} finally {
  await database.close()
  await measured.close()
}
