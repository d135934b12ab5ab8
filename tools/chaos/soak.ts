/**
 * npm run tool -- soak [--minutes 30] [--rate 200] [--listeners 500] [--plot FILE]: a platform under constant load for a long time: answers at this
 * rate, listeners, and players who register, sign in again, upload pictures, and start and destroy instances (as root on Debian). From minute 10 on
 * memory may rise by less than 2 % in 10 minutes; handles and connections must end within 5 of minute 10, and housekeeping tables must not grow. Exit code 1
 * otherwise, 3 when there were no instances. The plot is an SVG.
 */
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { mixedAnswers } from '../bench/answers.ts'
import { listen } from '../bench/listen.ts'
import { load } from '../bench/load.ts'
import { seed } from '../bench/seed.ts'
import { startPlayers } from './players.ts'
import { openScene, type Scene } from './scene.ts'
import { judge, plot, type Sample } from './soak-figures.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '200' },
    listeners: { type: 'string', default: '500' },
    plot: { type: 'string' },
  },
})
const minutes = Number(values.minutes)
const sampleEvery = 10_000
const playersAt = 4
/** All have registered before minute 10, so a growing game cannot be mistaken for a memory leak afterwards. */
const people = 100

async function sample({ nodes, database }: Scene, begun: number): Promise<Sample> {
  const held = nodes.map((node) => node.held())
  const { rows } = await sql<{ connections: number; housekeeping: number }>`
    select (select count(*)::int from pg_stat_activity where application_name like 'vexil%') as connections,
      ((select count(*) from nodes) + (select count(*) from released_files) + (select count(*) from graphile_worker._private_jobs))::int as housekeeping`.execute(
    database.db,
  )
  const sum = (of: 'memory' | 'handles') => Math.round(held.reduce((all, one) => all + one[of], 0))
  return { minute: (performance.now() - begun) / 60_000, memory: sum('memory'), handles: sum('handles'), ...rows[0]! }
}

const scene = await openScene({ nodes: 1, engine: true })
try {
  const seeded = await seed(scene.database.db, { teams: 1000, challenges: 50, solves: 6000 })
  const port = Number(new URL(scene.played.urls[0] as string).port)
  const heard = await listen({ port, game: seeded.game, listeners: Number(values.listeners) }, () => undefined)
  const players = startPlayers(scene.played, playersAt, 'soak', people)
  const answers = load({
    port,
    connections: 32,
    seconds: minutes * 60,
    rate: Number(values.rate),
    next: mixedAnswers(seeded).next,
  })
  const samples: Sample[] = []
  const startedAt = performance.now()
  for (; performance.now() - startedAt < minutes * 60_000; await sleep(sampleEvery)) {
    const one = await sample(scene, startedAt)
    samples.push(one)
    console.log(JSON.stringify(one))
  }
  const { perSecond, p50, p99, statuses } = await answers
  await players.stop()
  const lost = heard.lost()
  heard.close()
  console.log(
    `${perSecond.toFixed(0)} answers a second, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, by status ${JSON.stringify([...statuses])}; ${scene.played.ledger.accounts.size} players registered, ${scene.played.ledger.instances.size} of them with instances; ${players.visits()} visits`,
  )
  if (values.plot) writeFileSync(values.plot, plot(samples))
  const wrong = judge(samples)
  if (lost > 0) wrong.push(`${lost} listeners were closed`)
  for (const one of wrong) console.error(one)
  if (!scene.engine) console.log('instances: not run')
  process.exitCode = wrong.length > 0 ? 1 : scene.engine ? 0 : 3
} finally {
  await scene.close()
}
