import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { startSession } from '../accounts/sessions.ts'
import { cookieName } from '../http/session-cookie.ts'
import { streamSubmissions } from './stream-submissions.ts'
import { listSubmissions } from './submissions.queries.ts'

const many = 30_500
let platform: TestPlatform
let monitor: Caller
let account: string
let game: number
let empty: number

beforeAll(async () => {
  platform = await startTestPlatform()
  await anAccount(platform.db, { role: 'Admin' })
  account = await anAccount(platform.db, { role: 'Monitor' })
  monitor = await platform.as(account)
  ;[game, empty] = [await aGame(platform.db), await aGame(platform.db)]
  await fill(game, many)
  await fill(await aGame(platform.db), 7)
})
afterAll(() => platform.stop())

/** Many submissions at the same instant, so that the number decides their order; every third one is right. */
async function fill(gameId: number, count: number): Promise<void> {
  const challenge = await aChallenge(platform.db, gameId, { title: 'Rope "and" knots' })
  const team = await aTeam(platform.db, { name: 'Crew \u2028 ünïcode' })
  const participation = await aParticipation(platform.db, gameId, team)
  await sql`
    insert into submissions (game_id, participation_id, challenge_id, account_id, answer, status, arrived_at)
    select ${gameId}, ${participation}, ${challenge}, ${team.captain}, 'answer ' || n, case n % 3 when 0 then 'Accepted' else 'WrongAnswer' end,
      now() - make_interval(secs => n / 400)
    from generate_series(1, ${count}) n`.execute(platform.db)
  await sql`analyze submissions`.execute(platform.db)
}

const url = (query: string, of = game) => `/api/game/${of}/submissions?${query}`

test('every submission is sent once, in the order and form of the pages', async () => {
  const all = await monitor.get(url('count=0'))
  expect(all.status).toBe(200)
  expect(all.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(all.headers['cache-control']).toBe('no-store')
  expect(all.body).toHaveLength(many)
  expect(new Set(all.body.map(({ answer }: { answer: string }) => answer)).size).toBe(many)
  const paged: unknown[] = []
  for (let skip = 0; skip < many; skip += 10_000) paged.push(...(await monitor.get(url(`count=10000&skip=${skip}`))).body)
  expect(all.body).toEqual(paged)
  expect((await monitor.get(url('count=-7&skip=5'))).body).toHaveLength(many)
})

test('the bytes equal those of a page, for none and for few, and a result can be selected', async () => {
  const text = async (query: string, of?: number) =>
    (
      await platform.app.inject({
        url: url(query, of),
        headers: { cookie: `${cookieName}=${await startSession(platform.db, account)}` },
      })
    ).payload
  expect(await text('count=0', empty)).toBe('[]')
  const few = await platform.db.selectFrom('submissions').select('gameId').where('gameId', '<>', game).executeTakeFirstOrThrow()
  expect(await text('count=0', few.gameId)).toBe(await text('count=100', few.gameId))
  const right = (await monitor.get(url('count=0&type=Accepted'))).body
  expect(right).toHaveLength(Math.floor(many / 3))
  expect(right.every(({ status }: { status: string }) => status === 'Accepted')).toBe(true)
})

/** The most processor time (ms) that this thread took between two turns of the loop while `work` ran; other programs do not count. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [over, longest] = [false, 0]
  const semaphore = (async () => {
    for (let last = process.threadCpuUsage(); !over; last = process.threadCpuUsage()) {
      await new Promise((turn) => setImmediate(turn))
      const { user, system } = process.threadCpuUsage()
      longest = Math.max(longest, (user + system - last.user - last.system) / 1000)
    }
  })()
  await work()
  over = true
  await semaphore
  return longest
}

test('other requests are served during the stream, without long delays', async () => {
  const longest: number[] = []
  // The best of three: a garbage collection may disturb one.
  for (let attempt = 0; attempt < 3; attempt++) {
    let bytes = 0
    const read = async () => {
      for await (const piece of await streamSubmissions(platform.db, game)) bytes += (piece as Buffer).length
    }
    longest.push(await longestTurn(read))
    expect(bytes).toBeGreaterThan(many * 100)
  }
  // The same measurement for all rows at once.
  const atOnce = await longestTurn(async () => JSON.stringify(await listSubmissions(platform.db, game, { count: many, skip: 0 })))
  expect(Math.min(...longest)).toBeLessThan(atOnce / 2)
})

test('a reader that pauses pauses the stream, and one that disconnects ends it', async () => {
  const connections = vi.spyOn(platform.database.pool, 'connect')
  // The platform keeps polling, about four times a second; pages of 1000 rows would be many more.
  const pages = many / 1000
  const resting = async () => {
    const before = connections.mock.calls.length
    await new Promise((later) => setTimeout(later, 300))
    return connections.mock.calls.length - before
  }
  const begun = async () => {
    const stream = await streamSubmissions(platform.db, game)
    stream.read(1)
    await vi.waitFor(async () => expect(await resting()).toBeLessThan(6))
    return stream
  }
  const stream = await begun()
  const before = connections.mock.calls.length
  for await (const piece of stream) void piece
  expect(connections.mock.calls.length - before).toBeGreaterThan(pages / 2)
  const left = await begun()
  left.destroy()
  expect(await resting()).toBeLessThan(6)
  connections.mockRestore()
})

test('an error before the first byte is a regular error', async () => {
  await sql`alter table submissions rename column answer to answer_away`.execute(platform.db)
  try {
    expect(await monitor.get(url('count=0'))).toMatchObject({ status: 500, body: { code: 'server.unknown' } })
  } finally {
    await sql`alter table submissions rename column answer_away to answer`.execute(platform.db)
  }
  expect((await monitor.get(url('count=0', 999_999))).status).toBe(404)
})
