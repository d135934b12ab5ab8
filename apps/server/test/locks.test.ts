/** Every statement that locks, with the test that notices when it is dropped. Here: those that no call of call-effects.table.ts takes. */
import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openVisits } from '../src/accounts/visits.ts'
import { migrate } from '../src/db/migrate.ts'
import { enterTunnel } from '../src/instances/tunnels.queries.ts'
import { makeWelcomePost } from '../src/site/posts.queries.ts'
import { aChallenge, at } from './builders/game.ts'
import { aScene, type Scene } from './builders/scene.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'

const inCalls = 'call-effects.table.ts'
const race = (title: string) => `test/concurrency.test.ts: ${title}`
/** Files below src with the tests of their locks, in the order of the locks. */
const locks: Readonly<Record<string, readonly string[]>> = {
  'accounts/accounts.queries.ts': [inCalls],
  'accounts/mails/mails.queries.ts': [inCalls],
  'accounts/registrations.queries.ts': [inCalls],
  'accounts/setup-token.ts': ['src/accounts/setup.db.test.ts: waits for another node that is making an administrator'],
  'accounts/users.queries.ts': [inCalls, inCalls, inCalls],
  'accounts/visits.ts': ['here'],
  'challenges/challenges.queries.ts': [inCalls, inCalls],
  'challenges/open-challenge.ts': ['here', 'here', race('P5.20 30 teams open a challenge of 30 files')],
  'db/lock-logs.ts': [inCalls],
  'db/migrate.ts': ['here'],
  'db/migrations/0004_games.sql': [
    race('P4.3 a team is suspended while it solves'),
    race('P4.3 a team is suspended while it solves'),
    race('the last two members leave'),
    race('the last two members leave'),
  ],
  'db/migrations/0007_record_attempts.sql': [race('P3.58 50 teams send the right flag at once')],
  'db/migrations/0010_join_game.sql': [
    race('P5.24 20 members join one game'),
    race('P5.24 20 members join one game'),
    race('P5.24 20 members join one game'),
  ],
  'files/file-leases.ts': [inCalls],
  'files/files.queries.ts': [inCalls, inCalls],
  'games/change-poster.ts': [inCalls],
  'games/edit-notice.ts': [inCalls],
  'instances/destroy-instance.ts': [inCalls],
  'instances/extend-instance.ts': [inCalls],
  'instances/start-instance.ts': [inCalls, inCalls],
  'instances/tunnels.queries.ts': ['here'],
  'site/change-logo.ts': [inCalls],
  'site/edit-posts.ts': [inCalls],
  'site/posts.queries.ts': ['here'],
  'teams/teams.queries.ts': [inCalls],
  'writeups/writeups.queries.ts': [inCalls],
}

test('every statement that locks has a test', () => {
  const src = join(import.meta.dirname, '../src')
  const locking = /\.for(NoKey|Key)?(Update|Share)\(|\bfor (no key update|update|key share|share)\b|pg_advisory_(xact_)?lock\(/g
  const found = globSync('**/*.{ts,sql}', { cwd: src })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => [file, readFileSync(join(src, file), 'utf8').match(locking)?.length ?? 0] as const)
    .filter(([, count]) => count > 0)
  const named = Object.entries(locks).map(([file, tests]) => [file, tests.length])
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(named))
  for (const [, file = '', title = ''] of Object.values(locks)
    .flat()
    .filter((proof) => proof.includes(': '))
    .map((proof) => proof.split(/^(.+?): /)))
    expect(readFileSync(join(src, '..', file), 'utf8')).toContain(title)
})

let platform: TestPlatform
let scene: Scene
let other: pg.Client
beforeAll(async () => {
  platform = await startTestPlatform()
  scene = await aScene(platform)
  other = new pg.Client(platform.database.url)
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await platform.stop()
})

/** Another session holds what `hold` locks: `work` waits for it with a statement that locks on purpose, and ends well when it is free. */
async function mustWait(hold: string, work: () => Promise<unknown>, statement: RegExp): Promise<void> {
  const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
  await other.query('begin')
  await other.query(hold)
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  try {
    await vi.waitFor(async () => {
      const waiting = await sql<{ query: string }>`
        select query from pg_stat_activity where ${rows[0]?.pid} = any (pg_blocking_pids(pid))`.execute(platform.db)
      if (!isOver && waiting.rows.length === 0) throw new Error('It has not come to its lock')
      expect(waiting.rows.map(({ query }) => query)).toEqual([expect.stringMatching(statement)])
    })
  } finally {
    await other.query('rollback')
    await working
  }
}

test('the welcome post is made by one node at a time', () =>
  mustWait('select from installation for update', () => makeWelcomePost(platform.db), /from installation for update/))

test('visits lock their accounts in one order', () =>
  mustWait(
    `select from accounts where id = '${scene.account.other}' for update`,
    async () => {
      const visits = openVisits(platform.db, () => {})
      visits.seen(scene.account.other, '10.0.0.7')
      await visits.close()
    },
    /order by id for no key update/,
  ))

test('a challenge is opened under its own row, then under that of the team', async () => {
  const challenge = await aChallenge(platform.db, scene.game, { type: 'DynamicContainer', flagTemplate: 'flag{[GUID]}' })
  const caller = await scene.as('accepted')
  const open = async () => expect((await caller.get(`/api/game/${scene.game}/challenges/${challenge}`)).status).toBe(200)
  await mustWait(`select from challenges where id = ${challenge} for update`, open, /from "challenges" .*for key share/)
  await platform.db.deleteFrom('holdings').where('challengeId', '=', challenge).execute()
  await mustWait(
    `select from participations where id = ${scene.participation} for no key update`,
    open,
    /from "participations" .*for update/,
  )
})

test('connections of a container are counted under its row', async () => {
  const id = randomUUID()
  await platform.db
    .insertInto('containers')
    .values({
      id,
      challengeId: scene.containerChallenge,
      participationId: scene.participation,
      state: 'Running',
      lane: 0,
      image: 'image',
      leaseUntil: at('1h'),
      startedAt: at('-1h'),
      stopsAt: at('1h'),
      host: '127.0.0.1',
      port: 1337,
      proxied: true,
    })
    .execute()
  await mustWait(
    `select from containers where id = '${id}' for update`,
    () => enterTunnel(platform.db, randomUUID(), id, { test: false }),
    /for no key update of k/,
  )
})

test('one node migrates at a time', () =>
  mustWait('select pg_advisory_xact_lock(4917203)', () => migrate(platform.database), /pg_advisory_lock/))
