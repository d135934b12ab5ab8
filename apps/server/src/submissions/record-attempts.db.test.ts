/** The SQL function that stores answers, called directly: it trusts nothing that was read before. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import { hashToken, startSession } from '../accounts/sessions.ts'
import { type Db, inTransaction, type Tx } from '../db/transaction.ts'
import { attemptsPool } from './attempts.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

interface Row {
  outcome: string
  submission: number | null
  solve: number | null
  rank: number | null
  notice: number | null
}

async function aScene(options: Parameters<typeof aParticipation>[3] = {}) {
  const { db } = database
  const game = await aGame(db)
  const challenge = await aChallenge(db, game)
  const team = await aTeam(db)
  const participation = await aParticipation(db, game, team, options)
  const { epoch } = await db.selectFrom('solveLogs').select('epoch').where('gameId', '=', game).executeTakeFirstOrThrow()
  return { game, challenge, team, participation, epoch }
}

interface Sent {
  readonly participation: number
  readonly challenge: number
  readonly user: string
  readonly epoch: number
  readonly verdict?: string
  readonly waited?: number
  /** Null: no session is required. */
  readonly session?: string | null
}

async function record(game: number, sent: readonly Sent[], db: Db | Tx = database.db): Promise<Row[]> {
  const { rows } = await sql<Row>`select outcome, submission, solve, rank, notice from record_attempts(${game},
    ${sent.map(({ epoch }) => epoch)}::bigint[], ${sent.map(({ participation }) => participation)}::int[],
    ${sent.map(({ challenge }) => challenge)}::int[], ${sent.map(({ user }) => user)}::uuid[], ${sent.map(() => 'x')}::text[],
    ${sent.map(({ verdict = 'Accepted' }) => verdict)}::text[], ${sent.map(({ waited = 0 }) => waited)}::float8[],
    ${sent.map(({ session = null }) => session)}::text[])`.execute(db)
  return rows
}

const one = async (scene: Awaited<ReturnType<typeof aScene>>, change: Partial<Sent> = {}) =>
  (
    await record(scene.game, [
      { participation: scene.participation, challenge: scene.challenge, user: scene.team.captain, epoch: scene.epoch, ...change },
    ])
  )[0] as Row

test('the first right answer gets the next number and a blood', async () => {
  expect(await one(await aScene())).toMatchObject({ outcome: 'ok', solve: 1, rank: 1 })
})

test('an answer that arrives while another is stored waits for it, and gets the next number', async () => {
  const { game, challenge, team, participation } = await aScene()
  const other = await aTeam(database.db)
  const second = await aParticipation(database.db, game, other)
  const { epoch } = await database.db.selectFrom('solveLogs').select('epoch').where('gameId', '=', game).executeTakeFirstOrThrow()
  let later: Promise<Row[]> | undefined
  const first = await inTransaction(database.db, async (tx) => {
    const rows = await record(game, [{ participation, challenge, user: team.captain, epoch }], tx)
    later = record(game, [{ participation: second, challenge, user: other.captain, epoch }])
    later.catch(() => undefined)
    // Long enough for it to read what it should have waited for.
    await sleep(200)
    return rows
  })
  expect([...first, ...((await later) ?? [])]).toMatchObject([
    { outcome: 'ok', solve: 1, rank: 1 },
    { outcome: 'ok', solve: 2, rank: 2 },
  ])
})

test.each(['Accepted', 'WrongAnswer'])('a verdict (%s) of another epoch is not stored', async (verdict) => {
  const scene = await aScene()
  expect(await one(scene, { epoch: scene.epoch - 1, verdict })).toEqual({
    outcome: 'stale',
    submission: null,
    solve: null,
    rank: null,
    notice: null,
  })
})

test('answers to a disabled challenge, for another game, or of a deleted participation are not stored', async () => {
  const scene = await aScene()
  const disabled = await aChallenge(database.db, scene.game, { enabled: false })
  const elsewhere = await aScene()
  expect((await one(scene, { challenge: disabled })).outcome).toBe('gone')
  expect((await one(scene, { challenge: elsewhere.challenge })).outcome).toBe('gone')
  expect((await one(scene, { participation: elsewhere.participation })).outcome).toBe('gone')
  expect(await record(999_999, [{ ...scene, user: scene.team.captain }])).toMatchObject([{ outcome: 'gone' }])
})

test('answers of a banned user, a non-member and an unaccepted team are not stored', async () => {
  const scene = await aScene()
  await database.db.updateTable('accounts').set({ role: 'Banned' }).where('id', '=', scene.team.captain).execute()
  expect((await one(scene)).outcome).toBe('banned')
  const other = await aScene()
  expect((await one(other, { user: await anAccount(database.db) })).outcome).toBe('missing')
  expect((await one(await aScene({ status: 'Suspended' }))).outcome).toBe('not_accepted')
})

test('the invalid rows of a batch are refused one by one and the others are stored', async () => {
  const scene = await aScene()
  const good = { participation: scene.participation, challenge: scene.challenge, user: scene.team.captain, epoch: scene.epoch }
  const rows = await record(scene.game, [
    { ...good, epoch: 0 },
    good,
    { ...good, challenge: 0 },
    good,
    { ...good, verdict: 'WrongAnswer' },
  ])
  expect(rows.map(({ outcome, solve }) => [outcome, solve])).toEqual([
    ['stale', null],
    ['ok', 1],
    ['gone', null],
    ['ok', null],
    ['ok', null],
  ])
})

test('an answer counts by its arrival, and times never decrease along the log', async () => {
  const scene = await aScene()
  const second = await aTeam(database.db)
  const participation = await aParticipation(database.db, scene.game, second)
  const { epoch } = await database.db
    .selectFrom('solveLogs')
    .select('epoch')
    .where('gameId', '=', scene.game)
    .executeTakeFirstOrThrow()
  await one({ ...scene, epoch })
  // It waited for a second, so it arrived before the one that was stored first.
  await record(scene.game, [{ participation, challenge: scene.challenge, user: second.captain, epoch, waited: 1 }])
  const solves = await database.db
    .selectFrom('solves')
    .select(['number', 'arrivedAt', 'shownAt'])
    .where('gameId', '=', scene.game)
    .orderBy('number')
    .execute()
  const [first, late] = solves
  expect(late?.arrivedAt.getTime()).toBeLessThan(first?.arrivedAt.getTime() ?? 0)
  expect(late?.shownAt.getTime()).toBe(first?.shownAt.getTime())
})

/** Another session locks the log of a game for this time, as an edit would. Returns when it holds the lock. */
async function holdLog(gameId: number, ms: number): Promise<{ released: Promise<unknown> }> {
  const client = await database.pool.connect()
  await client.query('begin')
  await client.query('select from solve_logs where game_id = $1 for update', [gameId])
  const released = sleep(ms)
    .then(() => client.query('commit'))
    .finally(() => client.release())
  return { released }
}

/** Sets the end of a game to this many milliseconds from now. */
async function endIn(game: number, ms: number): Promise<number> {
  await sql`update games set ends_at = clock_timestamp() + make_interval(secs => ${ms / 1000}) where id = ${game}`.execute(
    database.db,
  )
  return (await database.db.selectFrom('solveLogs').select('epoch').where('gameId', '=', game).executeTakeFirstOrThrow()).epoch
}

async function solveOf(game: number) {
  const solve = await database.db
    .selectFrom('solves as s')
    .innerJoin('games as g', 'g.id', 's.gameId')
    .select(['s.arrivedAt', 's.shownAt', 'g.endsAt'])
    .where('s.gameId', '=', game)
    .executeTakeFirstOrThrow()
  return { ...solve, left: solve.endsAt.getTime() - solve.arrivedAt.getTime() }
}

test('an answer sent in time stays in time when the log is locked past the end of the game, and gets its blood', async () => {
  const scene = await aScene()
  const epoch = await endIn(scene.game, 2_000)
  const { released } = await holdLog(scene.game, 2_300)
  const answer = await one(scene, { epoch })
  await released
  const solve = await solveOf(scene.game)
  expect(solve.left).toBeGreaterThan(0)
  expect(solve.shownAt).toEqual(solve.arrivedAt)
  expect(answer).toMatchObject({ outcome: 'ok', solve: 1, rank: 1, notice: expect.any(Number) })
})

test('an answer that arrives after the end is late, and one that has waited since before the end is not', async () => {
  const scene = await aScene()
  const epoch = await endIn(scene.game, -500)
  expect(await one(scene, { epoch })).toMatchObject({ outcome: 'ok', solve: 1, rank: null, notice: null })
  expect((await solveOf(scene.game)).left).toBeLessThan(-400)
  const other = await aScene()
  const ended = await endIn(other.game, -60_000)
  expect(await one(other, { epoch: ended, waited: 90 })).toMatchObject({ outcome: 'ok', solve: 1, rank: 1 })
  expect((await solveOf(other.game)).left).toBeGreaterThan(10_000)
})

test('two challenges with the same title in one batch, and two teams with the same name, each get a notice', async () => {
  const scene = await aScene()
  const { db } = database
  const { title } = await db.selectFrom('challenges').select('title').where('id', '=', scene.challenge).executeTakeFirstOrThrow()
  const twin = await aChallenge(db, scene.game, { title })
  const { name } = await db.selectFrom('teams').select('name').where('id', '=', scene.team.id).executeTakeFirstOrThrow()
  const namesake = await aTeam(db)
  await db.updateTable('teams').set({ name }).where('id', '=', namesake.id).execute()
  const second = await aParticipation(db, scene.game, namesake)
  const epoch = await endIn(scene.game, 60_000)
  const good = { participation: scene.participation, user: scene.team.captain, epoch }
  const rows = await record(scene.game, [
    { ...good, challenge: scene.challenge },
    { ...good, challenge: twin },
    { participation: second, user: namesake.captain, epoch, challenge: twin },
  ])
  expect(rows.map(({ rank }) => rank)).toEqual([1, 1, 2])
  expect(new Set(rows.map(({ notice }) => notice)).size).toBe(3)
  const notices = await db
    .selectFrom('notices')
    .select(['id', 'type', 'values'])
    .where('gameId', '=', scene.game)
    .orderBy('id')
    .execute()
  expect(notices).toEqual(
    rows.map(({ notice, rank }) => ({ id: notice, type: rank === 1 ? 'FirstBlood' : 'SecondBlood', values: [name, title] })),
  )
})

test('connections for answers wait for the disk before they confirm, regardless of the database default', async () => {
  const { rows } = await database.pool.query('select current_database() as name')
  await database.pool.query(`alter database "${rows[0].name}" set synchronous_commit = off`)
  const pool = database.reservedPool(attemptsPool)
  expect((await pool.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'on' }])
  expect((await pool.query('show idle_in_transaction_session_timeout')).rows[0].idle_in_transaction_session_timeout).toBe('2s')
  await pool.end()
  await database.pool.query(`alter database "${rows[0].name}" reset synchronous_commit`)
})

test('a repeated right answer of a team is right again without a second solve; another challenge has its own solve', async () => {
  const scene = await aScene()
  const mate = await anAccount(database.db)
  const { team, game, participation, challenge } = scene
  await database.db.insertInto('teamMembers').values({ teamId: team.id, accountId: mate }).execute()
  await database.db
    .insertInto('registrations')
    .values({ participationId: participation, accountId: mate, teamId: team.id, gameId: game })
    .execute()
  await one(scene)
  expect(await one(scene, { user: mate })).toEqual({
    outcome: 'ok',
    submission: expect.any(Number),
    solve: null,
    rank: null,
    notice: null,
  })
  const stored = await database.db
    .selectFrom('submissions')
    .select(['accountId', 'status', 'challengeId'])
    .where('gameId', '=', game)
    .orderBy('id')
    .execute()
  expect(stored).toEqual([team.captain, mate].map((accountId) => ({ accountId, status: 'Accepted', challengeId: challenge })))
  const other = await aChallenge(database.db, game)
  const epoch = await endIn(game, 60_000)
  expect(await one(scene, { challenge: other, epoch })).toMatchObject({ outcome: 'ok', solve: 2, rank: 1 })
})

test('the first three get a blood and a notice, the fourth neither; a team suspended or joined after the end is not counted', async () => {
  const { db } = database
  const scene = await aScene()
  const teams: { user: string; participation: number }[] = []
  for (let i = 0; i < 6; i++) {
    const team = await aTeam(db)
    teams.push({ user: team.captain, participation: await aParticipation(db, scene.game, team) })
  }
  const challenge = scene.challenge
  const send = async (...which: number[]) => {
    const { epoch } = await db.selectFrom('solveLogs').select('epoch').where('gameId', '=', scene.game).executeTakeFirstOrThrow()
    const rows = await record(
      scene.game,
      which.map((i) => ({ ...teams[i]!, challenge, epoch })),
    )
    return rows.map(({ rank, notice }) => [rank, notice !== null])
  }
  const set = (i: number, values: object) =>
    db.updateTable('participations').set(values).where('id', '=', teams[i]!.participation).execute()
  expect(await send(0, 1)).toEqual([
    [1, true],
    [2, true],
  ])
  await set(0, { status: 'Suspended' })
  expect(await send(2)).toEqual([[2, true]])
  await set(1, { createdAt: new Date(Date.now() + 2 * 3_600_000) })
  expect(await send(3, 4)).toEqual([
    [2, true],
    [3, true],
  ])
  expect(await send(5)).toEqual([[null, false]])
})

test('a wrong answer that equals another team’s flag for the challenge is recorded with its source; the own flag and another challenge’s are not', async () => {
  const { db } = database
  const scene = await aScene()
  const victim = await aParticipation(db, scene.game, await aTeam(db))
  const elsewhere = await aChallenge(db, scene.game, { enabled: false })
  // The new flag has raised the epoch.
  const epoch = await endIn(scene.game, 60_000)
  const hold = (participationId: number, challengeId: number) =>
    db.insertInto('teamFlags').values({ participationId, challengeId, flag: 'x' }).execute()
  const status = async (verdict = 'WrongAnswer') => {
    const { submission } = await one(scene, { verdict, epoch })
    return db
      .selectFrom('submissions as s')
      .leftJoin('cheats as c', 'c.submissionId', 's.id')
      .select(['s.status', 'c.sourceId', 'c.participationId', 'c.gameId'])
      .where('s.id', '=', submission ?? 0)
      .executeTakeFirstOrThrow()
  }
  const clean = { status: 'WrongAnswer', sourceId: null, participationId: null, gameId: null }
  await hold(scene.participation, scene.challenge)
  expect(await status()).toEqual(clean)
  await hold(victim, elsewhere)
  expect(await status()).toEqual(clean)
  await hold(victim, scene.challenge)
  expect(await status()).toEqual({
    status: 'CheatDetected',
    sourceId: victim,
    participationId: scene.participation,
    gameId: scene.game,
  })
  expect(await status('Accepted')).toEqual({ ...clean, status: 'Accepted' })
  // If several teams have the flag, the one that joined first is the source; also after the end, when the game continues for practice.
  await hold(await aParticipation(db, scene.game, await aTeam(db)), scene.challenge)
  await endIn(scene.game, -1000)
  const { epoch: later } = await db
    .selectFrom('solveLogs')
    .select('epoch')
    .where('gameId', '=', scene.game)
    .executeTakeFirstOrThrow()
  const { submission } = await one(scene, { verdict: 'WrongAnswer', epoch: later })
  const cheat = await db
    .selectFrom('cheats')
    .select('sourceId')
    .where('submissionId', '=', submission ?? 0)
    .execute()
  expect(cheat).toEqual([{ sourceId: victim }])
})

test('an answer that arrives after the end takes no blood from one that has waited since before the end', async () => {
  const scene = await aScene()
  const other = await aTeam(database.db)
  const participation = await aParticipation(database.db, scene.game, other)
  const epoch = await endIn(scene.game, -60_000)
  expect(await one(scene, { epoch })).toMatchObject({ solve: 1, rank: null })
  expect(await one(scene, { participation, user: other.captain, epoch, waited: 90 })).toMatchObject({ solve: 2, rank: 1 })
})

test('an answer that has waited since before the end takes the place of a later one of its team, and gets its blood', async () => {
  const { db } = database
  const scene = await aScene()
  const mate = await anAccount(db)
  const team = await aTeam(db, { members: [mate] })
  const participation = await aParticipation(db, scene.game, team)
  const second = await aChallenge(db, scene.game)
  const epoch = await endIn(scene.game, -60_000)
  const late = { participation, challenge: scene.challenge, user: team.captain, epoch }
  expect(await one(scene, late)).toMatchObject({ solve: 1, rank: null })
  expect(await one(scene, late)).toMatchObject({ solve: null })
  const inTime = await one(scene, { ...late, user: mate, waited: 90 })
  expect(inTime).toMatchObject({ outcome: 'ok', solve: 2, rank: 1, notice: expect.any(Number) })
  for (const waited of [0, 90]) expect(await one(scene, { ...late, waited })).toMatchObject({ solve: null, rank: null })
  const solves = await db.selectFrom('solves').selectAll().where('gameId', '=', scene.game).execute()
  const submission = await db.selectFrom('submissions').selectAll().where('id', '=', inTime.submission).executeTakeFirstOrThrow()
  const { arrivedAt } = submission
  expect(solves).toEqual([expect.objectContaining({ number: 2, submissionId: submission.id, accountId: mate, arrivedAt })])
  expect((await solveOf(scene.game)).left).toBeGreaterThan(10_000)

  const both = { ...late, challenge: second }
  expect(await record(scene.game, [both, { ...both, waited: 90 }])).toMatchObject([{ solve: null }, { solve: 3, rank: 1 }])
})

test('with an ended, expired or another account’s session nothing is stored, and the other answers of the batch are', async () => {
  const { db } = database
  const scene = await aScene()
  const hashOf = async (account: string) => hashToken(await startSession(db, account)).toString('hex')
  const [good, ended, over] = [
    await hashOf(scene.team.captain),
    await hashOf(scene.team.captain),
    await hashOf(scene.team.captain),
  ]
  await db.deleteFrom('sessions').where('tokenHash', '=', Buffer.from(ended, 'hex')).execute()
  const past = { expiresAt: new Date(Date.now() - 1000) }
  await db.updateTable('sessions').set(past).where('tokenHash', '=', Buffer.from(over, 'hex')).execute()
  const other = await hashOf(await anAccount(db))
  const { participation, challenge, team, epoch } = scene
  const sent = [ended, over, other, good].map((session) => ({
    participation,
    challenge,
    user: team.captain,
    epoch,
    session,
    verdict: 'WrongAnswer',
  }))
  expect((await record(scene.game, sent)).map(({ outcome }) => outcome)).toEqual(['signed_out', 'signed_out', 'signed_out', 'ok'])
  expect(await db.selectFrom('submissions').select('id').where('gameId', '=', scene.game).execute()).toHaveLength(1)
})
