/** Every statement that locks, with the test that fails without it. Tested here: those that no call of call-effects.table.ts takes. */
import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openVisits } from '../src/accounts/visits.ts'
import { migrate } from '../src/db/migrate.ts'
import { setAllEnding } from '../src/instances/instances.queries.ts'
import { claimAwaited } from '../src/instances/ready-watch.queries.ts'
import { enterTunnel } from '../src/instances/tunnels.queries.ts'
import { makeWelcomePost } from '../src/site/posts.queries.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam, at } from './builders/game.ts'
import { aScene, type Scene } from './builders/scene.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'

const inCalls = 'call-effects.table.ts'
/** Files below src with the tests of their locks, in the order of the locks. */
const locks: Readonly<Record<string, readonly string[]>> = {
  'accounts/accounts.queries.ts': [inCalls],
  'accounts/mails/mails.queries.ts': [inCalls],
  'accounts/registrations.queries.ts': [inCalls],
  'accounts/setup-token.ts': ['src/accounts/setup.db.test.ts: waits for another node that is creating an administrator'],
  'accounts/sign-in-buckets.queries.ts': [
    'src/accounts/common-sign-in-limits.db.test.ts: rows that a sign-in has locked are left for the next clean-up',
  ],
  'accounts/users.queries.ts': [inCalls, inCalls, inCalls],
  'accounts/visits.ts': ['here'],
  'challenges/challenges.queries.ts': [inCalls, inCalls],
  'challenges/open-challenge.ts': ['here', 'here', 'here'],
  'db/in-use.ts': ['src/cli/backup.db.test.ts: a restore beside a running platform, or with another key, is refused'],
  'db/lock-logs.ts': [inCalls],
  'db/migrate.ts': ['here'],
  'db/migrations/0004_games.sql': ['here', 'here', 'here', 'here'],
  'db/migrations/0007_record_attempts.sql': ['here'],
  'db/migrations/0010_join_game.sql': ['here', 'here', 'here'],
  'db/migrations/0025_solve_logs.sql': ['here'],
  'files/file-leases.ts': [inCalls],
  'files/files.queries.ts': [inCalls, inCalls],
  'games/change-poster.ts': [inCalls],
  'games/edit-notice.ts': [inCalls],
  'instances/destroy-instance.ts': [inCalls],
  'instances/extend-instance.ts': [inCalls],
  'instances/image-pulls.queries.ts': [
    'src/instances/image-pulls.db.test.ts: at the same instant each image is taken by one node, and at most three run',
  ],
  'instances/instances.queries.ts': ['here'],
  'instances/ready-watch.queries.ts': ['here'],
  'instances/solver-checks.queries.ts': [
    'src/instances/solver-checks.db.test.ts: at the same instant two nodes add one check, each is run by one, and at most two run',
  ],
  'instances/start-instance.ts': [inCalls, inCalls],
  'instances/tunnels.queries.ts': [
    'here',
    'src/instances/rows.db.test.ts: expired leases that another node renews at this moment are left',
  ],
  'site/change-logo.ts': [inCalls],
  'site/edit-posts.ts': [inCalls],
  'site/posts.queries.ts': ['here'],
  'site/services.ts': [
    'src/site/services.db.test.ts: two changes at the same instant never combine one server with the password of the other',
  ],
  'teams/teams.queries.ts': [inCalls],
  'writeups/writeups.queries.ts': [inCalls],
}

test('every statement that locks has a test', () => {
  const src = join(import.meta.dirname, '../src')
  const locking =
    /\.for(NoKey|Key)?(Update|Share)\(|\bfor (no key update|update|key share|share)\b|pg_(try_)?advisory_(xact_)?lock\(/g
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
let pidOfOther: number
beforeAll(async () => {
  platform = await startTestPlatform()
  scene = await aScene(platform)
  other = new pg.Client(platform.database.url)
  await other.connect()
  pidOfOther = (await other.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid
})
afterAll(async () => {
  await other.end()
  await platform.stop()
})

/** Statements that wait for a lock of the other session. */
async function waiting(): Promise<string[]> {
  const { rows } = await sql<{ query: string }>`
    select query from pg_stat_activity where ${pidOfOther} = any (pg_blocking_pids(pid))`.execute(platform.db)
  return rows.map(({ query }) => query)
}

interface Held {
  /** Runs while the statement waits. */
  readonly meanwhile?: () => Promise<unknown>
  /** How the other session ends. */
  readonly ends?: 'rollback' | 'commit'
}

/** Another session locks with `hold`: `work` must wait for it with an explicit lock, and succeed when the lock is free. */
async function mustWait(
  hold: string,
  work: () => Promise<unknown>,
  statement: RegExp,
  { meanwhile, ends = 'rollback' }: Held = {},
): Promise<void> {
  await other.query('begin')
  await other.query(hold)
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  try {
    await vi.waitFor(async () => {
      const found = await waiting()
      if (isOver) return
      if (found.length === 0) throw new Error('It has not come to its lock')
      expect(found).toEqual([expect.stringMatching(statement)])
    })
    expect(isOver, 'it did not wait').toBe(false)
    await meanwhile?.()
  } finally {
    await other.query(ends)
    await working
  }
}

test('the welcome post is created by one node at a time', () =>
  mustWait('select from installation for update', () => makeWelcomePost(platform.db), /from installation for update/))

test('visits lock their accounts in a fixed order', () =>
  mustWait(
    `select from accounts where id = '${scene.account.other}' for update`,
    async () => {
      const visits = openVisits(platform.db, () => {})
      visits.seen(scene.account.other, '10.0.0.7')
      await visits.close()
    },
    /order by id for no key update/,
  ))

test('opening a challenge locks its row, then that of the team', async () => {
  const challenge = await aChallenge(platform.db, scene.game, { type: 'DynamicContainer', flagTemplate: 'flag{[GUID]}' })
  const caller = await scene.as('accepted')
  const open = async () => expect((await caller.get(`/api/game/${scene.game}/challenges/${challenge}`)).status).toBe(200)
  await mustWait(`select from challenges where id = ${challenge} for update`, open, /from "challenges" .*for key share/)
  await platform.db.deleteFrom('teamFlags').where('challengeId', '=', challenge).execute()
  await mustWait(
    `select from participations where id = ${scene.participation} for no key update`,
    open,
    /from "participations" .*for update/,
  )
})

test('a file being assigned to another team is skipped', async () => {
  const flags = Array.from({ length: 100 }, (_, i) => `flag{${i}}`)
  const challenge = await aChallenge(platform.db, scene.game, { type: 'DynamicAttachment', flags })
  const caller = await scene.as('accepted')
  await other.query('begin')
  const { rows: held } = await other.query(
    `select id from flags where challenge_id = ${challenge} order by id limit 99 for update`,
  )
  expect(held).toHaveLength(99)
  const opened = caller.get(`/api/game/${scene.game}/challenges/${challenge}`)
  let isOver = false
  void opened.finally(() => {
    isOver = true
  })
  try {
    await vi.waitFor(async () => expect(isOver || (await waiting()).length > 0).toBe(true))
    expect(await waiting()).toEqual([])
  } finally {
    await other.query('rollback')
  }
  expect((await opened).status).toBe(200)
  const taken = await platform.db
    .selectFrom('flags')
    .select('flag')
    .where('challengeId', '=', challenge)
    .where('takenAt', 'is not', null)
    .execute()
  expect(taken).toEqual([{ flag: 'flag{99}' }])
})

test.each<[name: string, statement: (first: number, second: number, team: number) => string]>([
  ['raise_epoch', (first, second) => `select raise_epoch(array[${second}, ${first}])`],
  ['raise_roster', (first, second) => `select raise_roster(array[${second}, ${first}])`],
  ['the deletion of a team', (_first, _second, team) => `delete from teams where id = ${team}`],
])('%s locks the logs of several games in order of id', async (_name, statement) => {
  const [first, second] = [await aGame(platform.db), await aGame(platform.db)]
  const team = await aTeam(platform.db)
  for (const game of [second, first]) await aParticipation(platform.db, game, team, { status: 'Pending' })
  // Now the first one comes later in the table.
  await sql`update solve_logs set changed_at = changed_at where game_id = ${first}`.execute(platform.db)
  const session = new pg.Client(platform.database.url)
  await session.connect()
  try {
    // Forces the plan that reads the table from its beginning.
    for (const plan of ['nestloop', 'mergejoin', 'indexscan', 'bitmapscan']) await session.query(`set enable_${plan} = off`)
    await mustWait(
      `select from solve_logs where game_id = ${first} for no key update`,
      () => session.query(statement(first, second, team.id)),
      /raise_|delete from teams/,
      {
        meanwhile: () => sql`select from solve_logs where game_id = ${second} for no key update nowait`.execute(platform.db),
      },
    )
  } finally {
    await session.end()
  }
})

test('leaving a game waits for its log, then for the participation', async () => {
  const game = await aGame(platform.db)
  const [captain, one, two] = [await anAccount(platform.db), await anAccount(platform.db), await anAccount(platform.db)]
  const team = await aTeam(platform.db, { captain, members: [one, two] })
  const participation = await aParticipation(platform.db, game, team, { status: 'Pending' })
  const leave = (accountId: string) => () => platform.db.deleteFrom('registrations').where('accountId', '=', accountId).execute()
  const statement = /delete from "registrations"/
  await mustWait(`select from solve_logs where game_id = ${game} for no key update`, leave(one), statement)
  await mustWait(`select from participations where id = ${participation} for key share`, leave(two), statement)
})

test.each([
  ['challenges', { title: 'Late' }],
  ['notices', { content: 'Late' }],
])('%s of a game that is deleted at this moment are not created, and the game is not found', async (what, body) => {
  const game = await aGame(platform.db)
  const admin = await scene.as('admin')
  const create = async () => {
    const { status, error } = await admin.post(`/api/edit/games/${game}/${what}`, body)
    expect([status, error.code]).toEqual([404, 'game.not_found'])
  }
  await mustWait(`delete from games where id = ${game}`, create, /insert into/, { ends: 'commit' })
})

test('solve numbers are assigned under the lock of the game’s log', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const team = await aTeam(platform.db)
  await aParticipation(platform.db, game, team)
  const caller = await platform.as(team.captain)
  const submit = async () =>
    expect((await caller.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })).status).toBe(200)
  // Solves that another node stores in the meantime take the previous numbers.
  await mustWait(`update solve_logs set head = head + 10 where game_id = ${game}`, submit, /record_attempts/, { ends: 'commit' })
  const solves = await platform.db.selectFrom('solves').select('number').where('gameId', '=', game).execute()
  expect(solves.map(({ number }) => Number(number))).toEqual([11])
})

test('a join waits for the log of the game, for the team and for the membership, and sees the state after the wait', async () => {
  const game = await aGame(platform.db)
  const mates = [await anAccount(platform.db), await anAccount(platform.db), await anAccount(platform.db)] as const
  const team = await aTeam(platform.db, { members: [...mates] })
  const join = (account: string, code?: string) => async () => {
    const { status, error } = await (await platform.as(account)).post(`/api/game/${game}`, { teamId: team.id })
    expect([status, error.code]).toEqual(code ? [400, code] : [200, undefined])
  }
  const statement = /select join_game/
  await mustWait(`select from solve_logs where game_id = ${game} for no key update`, join(mates[0]), statement)
  await mustWait(`select from teams where id = ${team.id} for update`, join(mates[1]), statement)
  await mustWait(
    `delete from team_members where team_id = ${team.id} and account_id = '${mates[2]}'`,
    join(mates[2], 'team.not_member'),
    statement,
    { ends: 'commit' },
  )
})

/** The row of a running container. */
async function aRunningRow(subnetIndex: number): Promise<string> {
  const id = randomUUID()
  await platform.db
    .insertInto('containers')
    .values({
      id,
      challengeId: scene.containerChallenge,
      participationId: null,
      state: 'Running',
      subnetIndex,
      image: 'image',
      leaseUntil: at('1h'),
      startedAt: at('-1h'),
      stopsAt: at('1h'),
      host: '127.0.0.1',
      port: 1337,
      proxied: true,
    })
    .execute()
  return id
}

test('connections of a container are counted under the lock of its row', async () => {
  const id = await aRunningRow(0)
  await mustWait(
    `select from containers where id = '${id}' for update`,
    () => enterTunnel(platform.db, randomUUID(), id, { test: true, name: null }),
    /for no key update of k/,
  )
  await platform.db.deleteFrom('containers').where('id', '=', id).execute()
})

test('the rows of containers whose services are awaited are locked in the order of their ids', async () => {
  const id = await aRunningRow(2)
  await platform.db
    .updateTable('containers')
    .set({ readyUntil: at('1h') })
    .where('id', '=', id)
    .execute()
  await mustWait(
    `select from containers where id = '${id}' for update`,
    () => claimAwaited(platform.db, { id, node: randomUUID(), leaseMs: 1_000 }),
    /order by k.id for no key update/,
  )
  await platform.db.deleteFrom('containers').where('id', '=', id).execute()
})

test('the rows of containers that ended with their engine are locked together', async () => {
  const id = await aRunningRow(1)
  await mustWait(
    `select from containers where id = '${id}' for update`,
    () => setAllEnding(platform.db, [id], 'engine'),
    /order by id for no key update/,
  )
})

test('one node migrates at a time', async () => {
  const other = await platform.database.pool.connect()
  await other.query('begin; select pg_advisory_xact_lock(4917203)')
  let done = false
  const migrating = migrate(platform.database).then(() => {
    done = true
  })
  const asks = sql`select from pg_stat_activity where query like 'select pg_try_advisory_lock%' and datname = current_database()`
  await expect.poll(async () => (await asks.execute(platform.db)).rows.length).toBe(1)
  await new Promise((later) => setTimeout(later, 300))
  expect(done).toBe(false)
  await other.query('commit')
  other.release()
  await migrating
})
