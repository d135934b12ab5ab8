import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'

let platform: TestPlatform
let monitor: Caller
let admin: Caller
let game: number
const start = new Date(Math.floor(Date.now() / 1000) * 1000 - 3_600_000)
const after = (minutes: number) => new Date(start.getTime() + minutes * 60_000)

beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  game = await aStarted()
  await fill(
    game,
    [0, 4.99, 5, 12, 12.5, 31],
    ['Accepted', 'WrongAnswer', 'WrongAnswer', 'CheatDetected', 'Accepted', 'Accepted'],
  )
  // Another team with its own submissions.
  await fill(await aStarted(), [1, 2, 3], ['Accepted', 'Accepted', 'WrongAnswer'])
})
afterAll(() => platform.stop())

async function aStarted(): Promise<number> {
  const id = await aGame(platform.db)
  await platform.db.updateTable('games').set({ startsAt: start }).where('id', '=', id).execute()
  return id
}

async function fill(gameId: number, minutes: readonly number[], status: readonly string[]): Promise<void> {
  const challengeId = await aChallenge(platform.db, gameId)
  const team = await aTeam(platform.db)
  const participationId = await aParticipation(platform.db, gameId, team)
  for (const [index, at] of minutes.entries()) {
    const row = {
      gameId,
      participationId,
      challengeId,
      accountId: team.captain,
      answer: `at ${at}`,
      status: status[index] as string,
    }
    await platform.db
      .insertInto('submissions')
      .values({ ...row, arrivedAt: after(at) })
      .execute()
  }
}

test('MON-4 right and wrong submissions are counted per five minutes since the start, without empty intervals', async () => {
  const { status, body } = await monitor.get(`/api/game/${game}/activity`)
  expect(status).toBe(200)
  const bins = body.map(({ from, right, wrong }: { from: string; right: number; wrong: number }) => [
    (Date.parse(from) - start.getTime()) / 60_000,
    right,
    wrong,
  ])
  expect(bins).toEqual([
    [0, 1, 1],
    [5, 0, 1],
    [10, 1, 1],
    [30, 1, 0],
  ])
})

test('MON-4 of a long game the newest 10,000 intervals are counted, oldest first', async () => {
  const long = await aGame(platform.db)
  await fill(long, [0], ['Accepted'])
  await sql`update games set starts_at = starts_at - interval '50 days' where id = ${long}`.execute(platform.db)
  const { startsAt } = await platform.db.selectFrom('games').select('startsAt').where('id', '=', long).executeTakeFirstOrThrow()
  await sql`insert into submissions (game_id, participation_id, challenge_id, account_id, answer, status, arrived_at)
    select game_id, participation_id, challenge_id, account_id, answer, status, ${startsAt}::timestamptz + n * interval '5 minutes'
    from submissions, generate_series(0, 10000) n where game_id = ${long}`.execute(platform.db)
  await platform.db.deleteFrom('submissions').where('gameId', '=', long).where('arrivedAt', '=', after(0)).execute()
  const { body } = await monitor.get(`/api/game/${long}/activity`)
  const minutes = body.map(({ from }: { from: string }) => (Date.parse(from) - startsAt.getTime()) / 60_000)
  expect([minutes.length, minutes[0], minutes.at(-1)]).toEqual([10_000, 5, 50_000])
})

test('MON-4 submissions and events are filtered by time: the start is included, the end is not', async () => {
  const span = `from=${after(5).toISOString()}&before=${after(12.5).toISOString()}`
  const answers = async (query: string) =>
    (await monitor.get(`/api/game/${game}/submissions?${query}`)).body.map(({ answer }: { answer: string }) => answer)
  expect(await answers(span)).toEqual(['at 12', 'at 5'])
  expect(await answers(`count=0&${span}`)).toEqual(['at 12', 'at 5'])
  expect(await answers(`type=CheatDetected&${span}`)).toEqual(['at 12'])
  expect(await answers(`from=${after(12.5).toISOString()}`)).toEqual(['at 31', 'at 12.5'])
  expect(await answers(`before=${after(4.99).toISOString()}`)).toEqual(['at 0'])
  const events = (await monitor.get(`/api/game/${game}/events?${span}`)).body
  expect(events.map(({ values }: { values: string[] }) => values[1])).toEqual(['at 12', 'at 5'])
  expect((await monitor.get(`/api/game/${game}/events?from=yesterday`)).status).toBe(400)
})

test('READY-1 the list of challenges has the number of flags and files and the image of each', async () => {
  const other = await aGame(platform.db)
  const made = async (type: string) =>
    (await admin.post(`/api/edit/games/${other}/challenges`, { title: type, category: 'Misc', type })).body.id as number
  const simple = await made('StaticAttachment')
  const dynamic = await made('DynamicAttachment')
  const container = await made('DynamicContainer')
  await admin.post(`/api/edit/games/${other}/challenges/${simple}/flags`, [{ flag: 'flag{a}' }, { flag: 'flag{b}' }])
  const remote = { flag: 'flag{c}', attachmentType: 'Remote', remoteUrl: 'https://example.org/c.zip' }
  await admin.post(`/api/edit/games/${other}/challenges/${dynamic}/flags`, [remote])
  await admin.put(`/api/edit/games/${other}/challenges/${container}`, { containerImage: 'tide:1' })
  const { body } = await admin.get(`/api/edit/games/${other}/challenges`)
  expect(
    body.map(({ id, flagCount, fileCount, containerImage }: Record<string, unknown>) => [
      id,
      flagCount,
      fileCount,
      containerImage,
    ]),
  ).toEqual([
    [simple, 2, 0, null],
    [dynamic, 1, 1, null],
    [container, 0, 0, 'tide:1'],
  ])
})

test('READY-1 administrators see the free space for database and files', async () => {
  const { body } = await admin.get('/api/admin/disk')
  expect(body.free).toBeGreaterThan(0)
  expect(body.total).toBeGreaterThan(body.free)
  // Without what is reserved for root; other processes also write.
  const { bavail, bsize } = await statfs(platform.dataDir)
  expect(Math.abs(body.free - bavail * bsize)).toBeLessThan(body.total / 50)
  expect((await monitor.get('/api/admin/disk')).status).toBe(403)
})
