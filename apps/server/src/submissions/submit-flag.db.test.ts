import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { aChallenge, aFile, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { withoutIndexes } from '../../test/without-indexes.ts'
import { hashToken, startSession } from '../accounts/sessions.ts'
import { attemptsPool, type Judged, openAttempts, type Recorded } from './attempts.ts'
import { openRecentVerdicts } from './recent-verdicts.ts'
import { openSubmissionContextCache } from './submission-context-cache.ts'
import {
  findSubmissionContext,
  listCheats,
  listCheatsOf,
  listSubmissionsBelow,
  listSubmissionsById,
} from './submissions.queries.ts'
import { submitFlag } from './submit-flag.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
  await anAccount(platform.db, { role: 'Admin' })
  // So that no team has the number of a participation.
  await sql`select setval(pg_get_serial_sequence('participations', 'id'), 5000)`.execute(platform.db)
})
afterAll(() => platform.stop())

const mustBeSignedIn = async () => undefined
/** The hexadecimal hash of a new session of an account. */
const sessionOf = async (account: string) => hashToken(await startSession(platform.db, account)).toString('hex')

async function aPlayer(gameId: number, options: Parameters<typeof aParticipation>[3] = {}) {
  const team = await aTeam(platform.db)
  const participation = await aParticipation(platform.db, gameId, team, options)
  return { ...team, participation, call: await platform.as(team.captain) }
}

test('P7.73 P7.74 P4.18 P1.7 a right flag is Accepted and a wrong one WrongAnswer at the first request', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const { call } = await aPlayer(game)
  const right = await call.post(`/api/Game/${game}/Challenges/${challenge}/`, { FLAG: '  flag{right} ' })
  expect(right.status).toBe(200)
  expect(Number.isInteger(right.body)).toBe(true)
  expect((await call.get(`/api/game/${game}/challenges/${challenge}/status/${right.body}`)).body).toBe('Accepted')
  const wrong = await call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'FLAG{right}' })
  expect((await call.get(`/api/game/${game}/challenges/${challenge}/status/${wrong.body}`)).body).toBe('WrongAnswer')
})

test('P4.18 the flag of another challenge is wrong, in this game and in another, regardless of its type', async () => {
  const [game, beside] = [await aGame(platform.db), await aGame(platform.db)]
  const one = await aChallenge(platform.db, game, { flags: ['flag{one}'] })
  const two = await aChallenge(platform.db, game, { flags: ['flag{two}', 'flag{too}'] })
  await aChallenge(platform.db, beside, { flags: ['flag{beside}'] })
  const [first, second] = [
    await aChallenge(platform.db, game, { type: 'DynamicContainer', flags: [] }),
    await aChallenge(platform.db, game, { type: 'DynamicContainer', flags: [] }),
  ]
  const player = await aPlayer(game)
  for (const [challengeId, flag] of [
    [first, 'flag{first}'],
    [second, 'flag{second}'],
  ] as const)
    await platform.db.insertInto('teamFlags').values({ participationId: player.participation, challengeId, flag }).execute()
  const result = async (challenge: number, flag: string) => {
    const { body } = await player.call.post(`/api/game/${game}/challenges/${challenge}`, { flag })
    return (await player.call.get(`/api/game/${game}/challenges/${challenge}/status/${body}`)).body
  }
  const isWrong = async (challenge: number, flags: readonly string[]) => {
    for (const flag of flags) expect([flag, await result(challenge, flag)]).toEqual([flag, 'WrongAnswer'])
  }
  await isWrong(one, ['flag{two}', 'flag{beside}', 'flag{first}'])
  await isWrong(first, ['flag{second}', 'flag{one}'])
  // More than 200 flags are not read with the challenge. Created last: the flags of all challenges together are fewer until then.
  const many = Array.from({ length: 201 }, (_, i) => `flag{many ${i}}`)
  const large = await aChallenge(platform.db, game, { flags: many })
  await isWrong(large, ['flag{one}', 'flag{many 201}'])
  const full = await aChallenge(platform.db, game, { flags: many.slice(1) })
  const read = (challengeId: number) =>
    findSubmissionContext(platform.db, { gameId: game, challengeId, actor: { id: player.captain } }, 'flag{one}')
  expect([(await read(full)).flags?.length, (await read(large)).flags]).toEqual([200, null])
  for (const [challenge, flag] of [
    [one, 'flag{one}'],
    [two, 'flag{too}'],
    [first, 'flag{first}'],
    [second, 'flag{second}'],
    [large, 'flag{many 200}'],
  ] as const)
    expect([flag, await result(challenge, flag)]).toEqual([flag, 'Accepted'])
})

test('P7.74 the status is found only under its own game and challenge', async () => {
  const [game, beside] = [await aGame(platform.db), await aGame(platform.db)]
  const [challenge, neighbour] = [await aChallenge(platform.db, game), await aChallenge(platform.db, game)]
  const { call } = await aPlayer(game)
  const { body: sid } = await call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'x' })
  const ask = async (of: number, cid: number, id: number) =>
    (await call.get(`/api/game/${of}/challenges/${cid}/status/${id}`)).status
  expect(await ask(game, challenge, sid)).toBe(200)
  expect(await Promise.all([ask(beside, challenge, sid), ask(game, neighbour, sid), ask(game, challenge, sid + 1)])).toEqual([
    404, 404, 404,
  ])
})

test('P7.74 a verdict is served from memory for half a second, and read from the database a second later', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const { call } = await aPlayer(game)
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  const { body: sid } = await call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'x' })
  const path = `/api/game/${game}/challenges/${challenge}/status/${sid}`
  // A verdict never changes; this change shows where the answer comes from.
  await platform.db.updateTable('submissions').set({ status: 'NotFound' }).where('id', '=', sid).execute()
  now += 499
  expect((await call.get(path)).body).toBe('WrongAnswer')
  now += 502
  expect((await call.get(path)).body).toBe('NotFound')
  expect((await call.get(`/api/game/${game}/challenges/${challenge}/status/${sid + 1}`)).status).toBe(404)
})

test('P7.74 a team member cannot read the status', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const mate = await anAccount(platform.db)
  const team = await aTeam(platform.db, { members: [mate] })
  await aParticipation(platform.db, game, team)
  const sent = await (await platform.as(team.captain)).post(`/api/game/${game}/challenges/${challenge}`, { flag: 'x' })
  const statusAnswer = await (await platform.as(mate)).get(`/api/game/${game}/challenges/${challenge}/status/${sent.body}`)
  expect(statusAnswer).toMatchObject({ status: 404, body: { code: 'submission.not_found', status: 404 } })
})

test('FLAGF-2 a team sees its own answers to a challenge, each once, newest first, a detected cheat as a wrong one; other teams do not', async () => {
  const game = await aGame(platform.db)
  const [challenge, neighbour] = [await aChallenge(platform.db, game), await aChallenge(platform.db, game)]
  const mate = await anAccount(platform.db)
  const own = await aTeam(platform.db, { members: [mate] })
  await aParticipation(platform.db, game, own)
  const team = { ...own, call: await platform.as(own.captain) }
  const other = await aPlayer(game)
  const tries = (call: typeof team.call, of = challenge) => call.get(`/api/game/${game}/challenges/${of}/tries`)
  const send = async (call: typeof team.call, flag: string, to = challenge) =>
    expect((await call.post(`/api/game/${game}/challenges/${to}`, { flag })).status).toBe(200)
  expect((await tries(team.call)).body).toEqual([])
  await send(team.call, 'first')
  await send(await platform.as(mate), 'second')
  await send(team.call, 'elsewhere', neighbour)
  await send(other.call, 'theirs')
  await send(team.call, 'first')
  await send(team.call, 'flag{right}')
  await platform.db.updateTable('submissions').set({ status: 'CheatDetected' }).where('answer', '=', 'second').execute()
  const { userName } = await platform.db
    .selectFrom('accounts')
    .select('userName')
    .where('id', '=', mate)
    .executeTakeFirstOrThrow()
  expect((await tries(team.call)).body).toMatchObject([
    { answer: 'flag{right}', status: 'Accepted' },
    { answer: 'first', status: 'WrongAnswer' },
    { answer: 'second', status: 'WrongAnswer', user: userName },
  ])
  expect((await tries(await platform.as(mate))).body).toHaveLength(3)
  expect((await tries(team.call, neighbour)).body).toMatchObject([{ answer: 'elsewhere' }])
  expect((await tries(other.call)).body).toMatchObject([{ answer: 'theirs' }])
  const tied = await aChallenge(platform.db, game)
  await sql`insert into submissions (game_id, participation_id, challenge_id, account_id, answer, status, arrived_at)
    select game_id, participation_id, ${tied}, account_id, given.answer, status, arrived_at
    from submissions, unnest(array['a', 'b', 'c']) given (answer) where submissions.answer = 'theirs'`.execute(platform.db)
  // Stored after a later answer.
  await sql`insert into submissions (game_id, participation_id, challenge_id, account_id, answer, status, arrived_at)
    select game_id, participation_id, ${tied}, account_id, 'c', status, arrived_at - interval '1 hour'
    from submissions where answer = 'theirs'`.execute(platform.db)
  expect((await tries(other.call, tied)).body.map(({ answer }: { answer: string }) => answer)).toEqual(['c', 'b', 'a'])
  const guessed = await aChallenge(platform.db, game)
  await sql`insert into submissions (game_id, participation_id, challenge_id, account_id, answer, status, arrived_at)
    select game_id, participation_id, ${guessed}, account_id, n, status, arrived_at + make_interval(secs => n)
    from submissions, generate_series(1, 501) n where answer = 'theirs'`.execute(platform.db)
  const most = (await tries(other.call, guessed)).body
  expect([most.length, most[0].answer, most.at(-1).answer]).toEqual([500, '501', '2'])
})

test('P7.73 P5.4 P8.14 an empty flag is refused', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const { call } = await aPlayer(game)
  for (const flag of ['', '   ']) {
    const sent = await call.post(`/api/game/${game}/challenges/${challenge}`, { flag })
    expect(sent).toMatchObject({ status: 400, body: { title: 'The flag cannot be empty', status: 400, code: 'flag.empty' } })
  }
  expect((await call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'x'.repeat(128) })).status).toBe(400)
  expect((await call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 5 })).status).toBe(400)
  expect((await call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'a\0b' })).status).toBe(400)
})

const gate = [
  ['P8.7 P4.11 a game that has not started refuses with 400/400', { starts: '1h', ends: '2h' }, {}, 400, 400, 'game.not_started'],
  [
    'P8.8 P4.12 an ended game without practice mode refuses with 400/10002',
    { starts: '-2h', ends: '-1h', practiceMode: false },
    {},
    400,
    10002,
    'game.ended',
  ],
  ['a pending team cannot submit', {}, { status: 'Pending' }, 400, 400, 'participation.not_accepted'],
  ['a rejected team cannot submit', {}, { status: 'Rejected' }, 400, 400, 'participation.not_accepted'],
  ['P4.3 P8.9 a suspended team cannot submit', {}, { status: 'Suspended' }, 400, 400, 'participation.suspended'],
] as const
test.each(gate)('%s', async (_name, times, participation, http, status, code) => {
  const game = await aGame(platform.db, times)
  const challenge = await aChallenge(platform.db, game)
  const { call } = await aPlayer(game, participation)
  expect(await call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'x' })).toMatchObject({
    status: http,
    body: { status, code },
  })
})

test('a disabled or unknown challenge returns 404', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { enabled: false })
  const { call } = await aPlayer(game)
  for (const id of [challenge, 0, -1, 999_999]) {
    expect(await call.post(`/api/game/${game}/challenges/${id}`, { flag: 'x' })).toMatchObject({
      status: 404,
      body: { code: 'challenge.not_found' },
    })
  }
})

test('an unknown game returns 404, also to a team of another game', async () => {
  const { call } = await aPlayer(await aGame(platform.db))
  expect(await call.post('/api/game/999999/challenges/1', { flag: 'x' })).toMatchObject({
    status: 404,
    body: { code: 'game.not_found' },
  })
})

test('P4.20 a right answer after the end is Accepted and does not change the board', async () => {
  const game = await aGame(platform.db, { starts: '-2h', ends: '-1h' })
  const challenge = await aChallenge(platform.db, game)
  const { call } = await aPlayer(game, { madeAt: '-90m' })
  const before = await platform.anyone.get(`/api/game/${game}/scoreboard`)
  const sent = await call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  expect((await call.get(`/api/game/${game}/challenges/${challenge}/status/${sent.body}`)).body).toBe('Accepted')
  await platform.app.inject('/healthz')
  const after = await platform.anyone.get(`/api/game/${game}/scoreboard`)
  expect({ ...after.body, updateTimeUtc: 0 }).toEqual({ ...before.body, updateTimeUtc: 0 })
  expect(await platform.db.selectFrom('notices').selectAll().where('gameId', '=', game).execute()).toEqual([])
  const details = await call.get(`/api/game/${game}/details`)
  expect(details.body.practiceSolves).toEqual([challenge])
})

test('P3.60 P7.85 another team’s flag is CheatDetected for monitors and WrongAnswer for the player', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { type: 'DynamicContainer', flags: [] })
  const [owner, thief] = [await aPlayer(game), await aPlayer(game)]
  await platform.db
    .insertInto('teamFlags')
    .values({ participationId: owner.participation, challengeId: challenge, flag: 'flag{owned}' })
    .execute()
  const sent = await thief.call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{owned}' })
  expect((await thief.call.get(`/api/game/${game}/challenges/${challenge}/status/${sent.body}`)).body).toBe('WrongAnswer')
  const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  const cheats = await monitor.get(`/api/game/${game}/cheatinfo`)
  expect(cheats.body).toMatchObject([
    {
      ownedTeam: { id: owner.participation, team: { id: owner.id } },
      submitTeam: { id: thief.participation },
      submission: { status: 'CheatDetected', answer: 'flag{owned}' },
    },
  ])
  expect((await monitor.get(`/api/game/${game}/submissions?type=cheatdetected`)).body).toHaveLength(1)
  // Newest first.
  const again = await aPlayer(game)
  await again.call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{owned}' })
  const both = (await monitor.get(`/api/game/${game}/cheatinfo`)).body as { submitTeam: { id: number } }[]
  expect(both.map(({ submitTeam }) => submitTeam.id)).toEqual([again.participation, thief.participation])
})

test('P7.85 P3.60 a detected cheat has both teams with image, status and division; those of other games are not listed', async () => {
  const [game, beside] = [await aGame(platform.db), await aGame(platform.db)]
  const avatarOf = async (player: { id: number }) => {
    const avatarHash = await aFile(platform.db)
    await platform.db.updateTable('teams').set({ avatarHash }).where('id', '=', player.id).execute()
    return `/assets/${avatarHash}/avatar`
  }
  const named = ({ id }: { id: number }) =>
    platform.db.selectFrom('teams').select('name').where('id', '=', id).executeTakeFirstOrThrow()
  let owner = await aPlayer(game, { division: 'North' })
  let thief = await aPlayer(game, { division: 'South' })
  const scene = { owner, thief }
  for (const one of [game, beside]) {
    const challenge = await aChallenge(platform.db, one, { title: `Copied in ${one}`, type: 'DynamicContainer', flags: [] })
    if (one === beside) [owner, thief] = [await aPlayer(beside), await aPlayer(beside)]
    await platform.db
      .insertInto('teamFlags')
      .values({ participationId: owner.participation, challengeId: challenge, flag: 'flag{owned}' })
      .execute()
    expect((await thief.call.post(`/api/game/${one}/challenges/${challenge}`, { flag: 'flag{owned}' })).status).toBe(200)
  }
  const pictures = [await avatarOf(scene.owner), await avatarOf(scene.thief)]
  await platform.db
    .updateTable('participations')
    .set({ status: 'Suspended' })
    .where('id', '=', scene.thief.participation)
    .execute()
  const { userName } = await platform.db
    .selectFrom('accounts')
    .select('userName')
    .where('id', '=', scene.thief.captain)
    .executeTakeFirstOrThrow()
  const names = [(await named(scene.owner)).name, (await named(scene.thief)).name]
  const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  const { body } = await monitor.get(`/api/game/${game}/cheatinfo`)
  const submission = {
    answer: 'flag{owned}',
    status: 'CheatDetected',
    time: expect.any(String),
    user: userName,
    team: names[1],
    challenge: `Copied in ${game}`,
  }
  expect(body).toEqual([
    {
      ownedTeam: {
        id: scene.owner.participation,
        team: { id: scene.owner.id, name: names[0], avatar: pictures[0] },
        status: 'Accepted',
        organization: 'North',
      },
      submitTeam: {
        id: scene.thief.participation,
        team: { id: scene.thief.id, name: names[1], avatar: pictures[1] },
        status: 'Suspended',
        organization: 'South',
      },
      submission,
    },
  ])
  const { id, arrivedAt } = await platform.db
    .selectFrom('submissions')
    .select(['id', 'arrivedAt'])
    .where('gameId', '=', game)
    .executeTakeFirstOrThrow()
  for (const list of [listSubmissionsById, listCheatsOf])
    expect((await list(platform.db, [id])).map((row) => row.id)).toEqual([id])
  expect(Date.parse(body[0].submission.time)).toBe(arrivedAt.getTime())
  expect((await monitor.get(`/api/game/${game}/submissions`)).body).toEqual([{ ...submission, time: body[0].submission.time }])
})

test('P7.85 detected cheats are listed newest first, and the newest 10,000', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const [owner, thief] = [await aPlayer(game), await aPlayer(game)]
  await sql`insert into submissions (game_id, participation_id, challenge_id, account_id, answer, status, arrived_at)
    select ${game}, ${thief.participation}, ${challenge}, ${thief.captain}, n, 'CheatDetected', clock_timestamp()
    from generate_series(1, 10001) n`.execute(platform.db)
  // Two at each instant; the first submissions are detected last.
  await sql`insert into cheats (submission_id, game_id, participation_id, source_id, detected_at)
    select id, game_id, participation_id, ${owner.participation}, ${new Date()}::timestamptz - answer::int / 2 * interval '1 second'
    from submissions where game_id = ${game}`.execute(platform.db)
  const cheats = await withoutIndexes(platform.db, (tx) => listCheats(tx, game))
  const all = Array.from({ length: 10_001 }, (_, i) => i + 1)
  const newest = all.sort((one, two) => Math.floor(one / 2) - Math.floor(two / 2) || two - one).slice(0, 10_000)
  expect(cheats.map(({ answer }) => Number(answer))).toEqual(newest)
})

test('P7.80 concurrent answers are sorted by number; the default count is 100, and the list starts at the first', async () => {
  const game = await aGame(platform.db)
  const challengeId = await aChallenge(platform.db, game)
  const { participation: participationId, captain: accountId } = await aPlayer(game)
  const common = { gameId: game, participationId, challengeId, accountId, status: 'WrongAnswer', arrivedAt: new Date() }
  await platform.db
    .insertInto('submissions')
    .values(Array.from({ length: 102 }, (_, i) => ({ ...common, answer: String(i) })))
    .execute()
  const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  const answers = async (query = '') =>
    ((await monitor.get(`/api/game/${game}/submissions${query}`)).body as { answer: string }[]).map(({ answer }) =>
      Number(answer),
    )
  const all = Array.from({ length: 102 }, (_, i) => 101 - i)
  expect(await answers()).toEqual(all.slice(0, 100))
  expect(await answers('?count=2&skip=-5')).toEqual([101, 100])
  expect(await answers('?count=5&skip=100')).toEqual([1, 0])
  expect(await answers('?count=0&skip=7')).toEqual(all)
  const page = { below: undefined, count: 102 }
  const rows = await withoutIndexes(platform.db, (tx) => listSubmissionsBelow(tx, game, page))
  expect(rows.map(({ answer }) => Number(answer))).toEqual(all)
})

test('the log has wrong answers in full, and the first four characters of right ones, also of another team’s', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { title: 'Locks', type: 'DynamicContainer', flags: [] })
  const [owner, thief] = [await aPlayer(game), await aPlayer(game)]
  for (const [{ id }, name] of [
    [owner, 'Owners'],
    [thief, 'Thieves'],
  ] as const)
    await platform.db.updateTable('teams').set({ name }).where('id', '=', id).execute()
  for (const [player, flag] of [
    [owner, 'flag{the-owned-one}'],
    [thief, '🏴🏴🏴🏴{other}'],
  ] as const)
    await platform.db
      .insertInto('teamFlags')
      .values({ participationId: player.participation, challengeId: challenge, flag })
      .execute()
  const path = `/api/game/${game}/challenges/${challenge}`
  await platform.deps.log.flush()
  const { id: from } = await platform.db.selectFrom('logs').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
  await owner.call.post(path, { flag: 'flag{a guess}' })
  await thief.call.post(path, { flag: 'flag{the-owned-one}' })
  await owner.call.post(path, { flag: 'flag{the-owned-one}' })
  await thief.call.post(path, { flag: '🏴🏴🏴🏴{other}' })
  await platform.deps.log.flush()
  const entries = await platform.db
    .selectFrom('logs')
    .innerJoin('accounts', 'accounts.userName', 'logs.name')
    .select(['accounts.id', 'logs.status', 'logs.ip', 'logs.message'])
    .where('logs.id', '>', from)
    .orderBy('logs.id')
    .execute()
  expect(entries.map(({ id, status, ip, message }) => [id, ip, status, message])).toEqual([
    [owner.captain, '127.0.0.1', 'Failed', 'Wrong answer of Owners on Locks: flag{a guess}'],
    [thief.captain, '127.0.0.1', 'Failed', 'Wrong answer of Thieves on Locks: flag…'],
    [thief.captain, '127.0.0.1', 'Success', 'Flag of Owners submitted by Thieves on Locks: flag…'],
    [owner.captain, '127.0.0.1', 'Success', 'Correct answer of Owners on Locks: flag…'],
    [thief.captain, '127.0.0.1', 'Success', 'Correct answer of Thieves on Locks: 🏴🏴🏴🏴…'],
  ])
  // The list of submissions is where monitors read them.
  const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  const list = (await monitor.get(`/api/game/${game}/submissions?count=0`)).body
  expect(list.map((row: { answer: string }) => row.answer)).toContain('flag{the-owned-one}')
})

test('P3.60 P7.80 P6.10 monitors list submissions newest first, players cannot', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const { call } = await aPlayer(game)
  for (const flag of ['one', 'two', 'flag{right}']) await call.post(`/api/game/${game}/challenges/${challenge}`, { flag })
  const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  const list = await monitor.get(`/api/game/${game}/submissions?count=0`)
  expect(list.body.map((row: { answer: string }) => row.answer)).toEqual(['flag{right}', 'two', 'one'])
  expect((await monitor.get(`/api/game/${game}/submissions?count=1&skip=1`)).body).toMatchObject([{ answer: 'two' }])
  expect((await monitor.get(`/api/game/${game}/submissions?type=2`)).body).toHaveLength(2)
  const { participationId, accountId } = await platform.db
    .selectFrom('submissions')
    .select(['participationId', 'accountId'])
    .where('gameId', '=', game)
    .executeTakeFirstOrThrow()
  const row = { gameId: game, challengeId: challenge, participationId, accountId, arrivedAt: new Date() }
  for (const status of ['CheatDetected', 'NotFound'] as const)
    await platform.db
      .insertInto('submissions')
      .values({ ...row, status, answer: status })
      .execute()
  for (const [type, answers] of [
    ['Accepted', ['flag{right}']],
    ['WrongAnswer', ['two', 'one']],
    // No submission is stored before it is judged.
    ['FlagSubmitted', []],
    ['CheatDetected', ['CheatDetected']],
    ['NotFound', ['NotFound']],
  ] as const) {
    const { body } = await monitor.get(`/api/game/${game}/submissions?count=0&type=${type}`)
    expect(body.map(({ answer }: { answer: string }) => answer)).toEqual(answers)
  }
  expect((await call.get(`/api/game/${game}/submissions`)).status).toBe(403)
  expect((await platform.anyone.get(`/api/game/${game}/submissions`)).status).toBe(401)
})

test('an answer that arrives before the end is accepted and counts, however long it waits for judging; a later one is refused', async () => {
  const game = await aGame(platform.db, { starts: '-1h', ends: '1h', practiceMode: false })
  const challenge = await aChallenge(platform.db, game)
  const { captain } = await aPlayer(game)
  const late = await aPlayer(game)
  await platform.db
    .updateTable('games')
    .set({ endsAt: new Date(Date.now() - 30_000) })
    .where('id', '=', game)
    .execute()
  const attempts = openAttempts(platform.database.reservedPool(attemptsPool))
  const facts = openSubmissionContextCache()
  const send = async (account: string, arrived: number) =>
    submitFlag(
      { ...platform.deps, attempts, facts, verdicts: openRecentVerdicts(), mustBeSignedIn },
      {
        gameId: game,
        challengeId: challenge,
        flag: 'flag{right}',
        actor: { id: account, userName: 'x' },
        ip: '',
        session: await sessionOf(account),
        arrived,
      },
    )
  await send(captain, performance.now() - 60_000)
  // The facts of the first player are cached.
  for (const account of [late.captain, captain])
    await expect(send(account, performance.now() - 500)).rejects.toMatchObject({ code: 'game.ended' })
  await attempts.close()
  const solves = await platform.db.selectFrom('solves').selectAll().where('gameId', '=', game).execute()
  const { endsAt } = await platform.db.selectFrom('games').select('endsAt').where('id', '=', game).executeTakeFirstOrThrow()
  expect(solves).toHaveLength(1)
  expect(solves[0]?.arrivedAt.getTime()).toBeLessThan(endsAt.getTime())
})

test('a repeated right answer is right again, for the same player and for a team member, and changes nothing', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const mate = await anAccount(platform.db)
  const team = await aTeam(platform.db, { members: [mate] })
  await aParticipation(platform.db, game, team)
  const [captain, other] = [await platform.as(team.captain), await platform.as(mate)]
  const solves = () => platform.db.selectFrom('solves').selectAll().where('gameId', '=', game).execute()
  const bloods = () => platform.db.selectFrom('notices').select('type').where('gameId', '=', game).execute()
  const send = async (who: typeof captain) => {
    const { status, body } = await who.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
    expect(status).toBe(200)
    return (await who.get(`/api/game/${game}/challenges/${challenge}/status/${body}`)).body
  }
  expect(await send(captain)).toBe('Accepted')
  const first = await solves()
  expect([await send(captain), await send(other)]).toEqual(['Accepted', 'Accepted'])
  expect(first).toHaveLength(1)
  expect(await solves()).toEqual(first)
  expect(await bloods()).toEqual([{ type: 'FirstBlood' }])
})

test('the detail of a challenge shows its current points, to teams with and without a solve; another challenge is unchanged', async () => {
  const game = await aGame(platform.db)
  const curve = { originalScore: 1000, minScoreRate: 0.25, difficulty: 5 }
  const [challenge, neighbour] = [await aChallenge(platform.db, game, curve), await aChallenge(platform.db, game, curve)]
  const players = [await aPlayer(game), await aPlayer(game), await aPlayer(game)]
  const worth = (of: number) =>
    Promise.all(players.map(async ({ call }) => (await call.get(`/api/game/${game}/challenges/${of}`)).body.score))
  expect(await worth(challenge)).toEqual([1000, 1000, 1000])
  for (const { call } of players.slice(0, 2))
    await call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  await vi.waitFor(async () => expect(await worth(challenge)).toEqual([864, 864, 864]), 5000)
  expect(await worth(neighbour)).toEqual([1000, 1000, 1000])
})

/** Records judged answers, and returns these outcomes instead of the database. */
function recording(...outcomes: Recorded['outcome'][]) {
  const judged: Judged[] = []
  const record = async (one: Judged): Promise<Recorded> => {
    judged.push(one)
    return {
      outcome: outcomes[judged.length - 1] ?? 'stale',
      submission: 7,
      verdict: one.verdict,
      solve: null,
      rank: null,
      notice: null,
      team: 'x',
    }
  }
  return { judged, attempts: { record, close: async () => undefined } }
}

test('when the data changes an answer is judged again; when it changes a second time the player is asked to repeat', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const { captain, participation } = await aPlayer(game)
  const facts = openSubmissionContextCache()
  const send = (attempts: ReturnType<typeof recording>['attempts'], other: Partial<Parameters<typeof submitFlag>[0]> = {}) =>
    submitFlag(
      { ...platform.deps, attempts, facts, verdicts: openRecentVerdicts(), mustBeSignedIn, ...other },
      {
        gameId: game,
        challengeId: challenge,
        flag: ' flag{right} ',
        actor: { id: captain, userName: 'x' },
        ip: '',
        session: 'aa',
        arrived: performance.now(),
      },
    )
  const once = recording('stale', 'ok')
  const recordOnce = once.attempts.record
  once.attempts.record = async (one) => {
    if (once.judged.length === 0)
      await platform.db.updateTable('flags').set({ flag: 'flag{new}' }).where('challengeId', '=', challenge).execute()
    return recordOnce(one)
  }
  expect(await send(once.attempts)).toBe(7)
  expect(once.judged).toMatchObject([
    {
      gameId: game,
      challengeId: challenge,
      participationId: participation,
      accountId: captain,
      answer: 'flag{right}',
      verdict: 'Accepted',
    },
    { answer: 'flag{right}', verdict: 'WrongAnswer' },
  ])
  expect(once.judged[1]?.epoch).not.toBe(once.judged[0]?.epoch)
  const twice = recording('stale', 'stale', 'gone', 'ok')
  await expect(send(twice.attempts)).rejects.toMatchObject({ code: 'submission.busy', data: { retryAfter: 1 } })
  // Once with the cached facts, which are dropped, and then as often as without them.
  expect(twice.judged).toHaveLength(3)
  expect(twice.judged.map(({ verdict }) => verdict)).toEqual(Array(3).fill('WrongAnswer'))
  // A sender who was banned or signed out gets that refusal instead.
  const refusal = new Error('refused')
  const results = (['banned', 'signed_out', 'not_accepted'] as const).map((outcome) =>
    send(recording(outcome, 'ok').attempts, { mustBeSignedIn: () => Promise.reject(refusal) }).catch((error: unknown) => error),
  )
  expect(await Promise.all(results)).toEqual([refusal, refusal, 7])
  // The flag of another team that is stored counts, also when the owner cannot be read for the log.
  const [copied, reported] = [recording('ok').attempts, vi.fn()]
  const record = async (one: Judged): Promise<Recorded> => ({ ...(await copied.record(one)), verdict: 'CheatDetected' })
  const db = platform.db.withSchema('missing')
  expect(await send({ ...copied, record }, { db, onError: reported })).toBe(7)
  expect(reported.mock.calls).toMatchObject([[{ code: '42P01' }]])
})

test('each judged answer is published with game and number, a first right one with its position in the log and its notice', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const { call } = await aPlayer(game)
  const received: unknown[] = []
  const stop = [
    platform.deps.bus.subscribe('submission.judged', (event) => received.push(event)),
    platform.deps.bus.subscribe('notice.added', (event) => received.push(event)),
  ]
  const sent: number[] = []
  for (const flag of ['wrong', 'flag{right}', 'flag{right}'])
    sent.push((await call.post(`/api/game/${game}/challenges/${challenge}`, { flag })).body)
  const notice = await platform.db.selectFrom('notices').select('id').where('gameId', '=', game).executeTakeFirstOrThrow()
  await expect
    .poll(() => received)
    .toEqual([
      { gameId: game, submissionId: sent[0], solve: null },
      { gameId: game, submissionId: sent[1], solve: 1 },
      { gameId: game, noticeId: notice.id },
      { gameId: game, submissionId: sent[2], solve: null },
    ])
  for (const end of stop) end()
})

test('a flag counts only for its own challenge and team, and monitors read every field of an answer', async () => {
  const game = await aGame(platform.db)
  const [first, second] = [
    await aChallenge(platform.db, game, { title: 'First', flags: ['flag{1}'] }),
    await aChallenge(platform.db, game, { title: 'Second', flags: ['flag{2}', 'flag{two}'] }),
  ]
  const own = await aChallenge(platform.db, game, { type: 'DynamicContainer', flags: ['flag{listed}'] })
  // Too many to be read all at once.
  const many = await aChallenge(platform.db, game, { flags: Array.from({ length: 201 }, (_, i) => `flag{many ${i}}`) })
  const player = await aPlayer(game)
  await platform.db
    .insertInto('teamFlags')
    .values({ participationId: player.participation, challengeId: own, flag: 'flag{own}' })
    .execute()
  const verdicts: string[] = []
  for (const [challenge, flag] of [
    [first, 'flag{2}'],
    [second, 'flag{two}'],
    [own, 'flag{listed}'],
    [own, 'flag{own}'],
    [many, 'flag{1}'],
    [many, 'flag{many 200}'],
  ] as const) {
    const path = `/api/game/${game}/challenges/${challenge}`
    const { body } = await player.call.post(path, { flag })
    verdicts.push((await player.call.get(`${path}/status/${body}`)).body)
    for (const other of [first, second, own, many].filter((id) => id !== challenge))
      expect((await player.call.get(`/api/game/${game}/challenges/${other}/status/${body}`)).status).toBe(404)
  }
  expect(verdicts).toEqual(['WrongAnswer', 'Accepted', 'WrongAnswer', 'Accepted', 'WrongAnswer', 'Accepted'])
  const place = { gameId: game, actor: { id: player.captain } }
  const listed = (challengeId: number) => findSubmissionContext(platform.db, { ...place, challengeId }, '').then((it) => it.flags)
  expect([await listed(first), await listed(own), await listed(many)]).toEqual([['flag{1}'], null, null])
  const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  const { team, user } = await platform.db
    .selectFrom('teams')
    .innerJoin('accounts', 'accounts.id', 'teams.captainId')
    .select(['teams.name as team', 'accounts.userName as user'])
    .where('teams.id', '=', player.id)
    .executeTakeFirstOrThrow()
  const list = (await monitor.get(`/api/game/${game}/submissions?count=0`)).body
  expect(list.at(-1)).toEqual({
    answer: 'flag{2}',
    status: 'WrongAnswer',
    time: expect.stringMatching(/^2\d{3}-.*\+00:00$/),
    user,
    team,
    challenge: 'First',
  })
})

test('before the start monitors see nothing of a game, an unknown id is refused, and from the start on everything is shown', async () => {
  const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  const [future, running] = [await aGame(platform.db, { starts: '1h', ends: '2h' }), await aGame(platform.db)]
  for (const what of ['submissions', 'submissions?count=0', 'cheatinfo', 'submissionsheet']) {
    expect(await monitor.get(`/api/game/${future}/${what}`), what).toMatchObject({
      status: 400,
      error: { code: 'game.not_started' },
    })
    expect((await monitor.get(`/api/game/${running}/${what}`)).status, what).toBe(200)
    expect((await monitor.get(`/api/game/999999/${what}`)).error.code, what).toMatch(/^game\.(not_found|unknown)$/)
  }
})
