import { noticeTypes } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam, at } from '../../test/builders/game.ts'
import { listenAt } from '../../test/hub.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { findNotice } from './games.queries.ts'

let platform: TestPlatform
let admin: Caller
let monitor: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Organiser' }))
  monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
})
afterAll(() => platform.stop())

interface Notice {
  id: number
  time: string
  type: string
  values: string[]
}
const editing = (game: number, notice: number | '' = '') => `/api/edit/games/${game}/notices/${notice}`.replace(/\/$/, '')
const publicly = async (game: number, query = ''): Promise<Notice[]> =>
  (await platform.anyone.get(`/api/game/${game}/notices${query}`)).body

test('P7.60 P3.36 GN-2 a published notice is returned and pushed; a blank one is refused', async () => {
  const game = await aGame(platform.db)
  const listener = await listenAt(platform, `/hub/user?game=${game}`)
  const made = await admin.post(editing(game), { content: '# Hello' })
  expect(made).toMatchObject({ status: 200, body: { type: 'Normal', values: ['# Hello'] } })
  expect((await listener.until('ReceivedGameNotice')).argument).toEqual(made.body)
  for (const content of ['', ' ', null, undefined])
    expect(await admin.post(editing(game), { content })).toMatchObject({ status: 400, error: { code: 'notice.empty' } })
  expect((await admin.post(editing(999_999), { content: 'x' })).error.code).toBe('game.not_found')
  expect(await publicly(game)).toEqual([made.body])
  listener.close()
})

test('P7.61 P7.62 P7.59 normal notices are listed newest first, changed with a new time and without a push, and deleted', async () => {
  const game = await aGame(platform.db)
  const [first, second] = [
    (await admin.post(editing(game), { content: 'one' })).body as Notice,
    (await admin.post(editing(game), { content: 'two' })).body as Notice,
  ]
  const listed = async () => ((await admin.get(editing(game))).body as Notice[]).map(({ values }) => values[0])
  expect(await listed()).toEqual(['two', 'one'])
  const listener = await listenAt(platform, `/hub/user?game=${game}`)
  await new Promise((later) => setTimeout(later, 5))
  const changed = (await admin.put(editing(game, first.id), { content: 'one again' })).body as Notice
  expect([changed.id, changed.values]).toEqual([first.id, ['one again']])
  expect(Date.parse(changed.time)).toBeGreaterThan(Date.parse(second.time))
  expect(await listed()).toEqual(['one again', 'two'])
  expect((await publicly(game)).map(({ values }) => values[0])).toEqual(['one again', 'two'])
  expect(await admin.delete(editing(game, second.id))).toMatchObject({ status: 200, body: '' })
  expect(await listed()).toEqual(['one again'])
  await platform.deps.log.flush()
  const entries = await platform.db.selectFrom('logs').selectAll().where('message', 'like', '% notice #%').orderBy('id').execute()
  const of = ({ id }: Notice) => entries.filter(({ message }) => message.includes(`#${id} `))
  expect(of(first).map(({ name, status, message }) => [name, status, message.split(' ')[0]])).toEqual([
    ['Organiser', 'Success', 'Published'],
    ['Organiser', 'Success', 'Changed'],
  ])
  expect(of(second).map(({ message }) => message.split(' ')[0])).toEqual(['Published', 'Deleted'])
  await listener.until('VexilGame', ({ what }) => what === 'notices')
  await new Promise((later) => setTimeout(later, 50))
  expect(listener.received.filter(({ target }) => target === 'ReceivedGameNotice')).toEqual([])
  listener.close()

  const other = await aGame(platform.db)
  for (const [of, id] of [
    [game, second.id],
    [other, first.id],
    [game, 999_999],
  ] as const) {
    expect(await admin.put(editing(of, id), { content: 'x' })).toMatchObject({ status: 404, error: { code: 'notice.not_found' } })
    expect(await admin.delete(editing(of, id))).toMatchObject({ status: 404, error: { code: 'notice.not_found' } })
  }
  expect((await admin.get(editing(999_999))).error.code).toBe('game.not_found')
})

test('P7.83 P7.61 P7.62 P3.36 P3.55 each type is created by its cause, with its values; only normal ones can be edited', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { title: 'Door', enabled: false })
  await admin.put(`/api/edit/games/${game}/challenges/${challenge}`, { isEnabled: true })
  await admin.put(`/api/edit/games/${game}/challenges/${challenge}`, { hints: ['look'] })
  await admin.post(editing(game), { content: 'first' })
  for (const name of ['One', 'Two', 'Three', 'Four']) {
    const team = await aTeam(platform.db, { name })
    await aParticipation(platform.db, game, team)
    await (await platform.as(team.captain)).post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  }
  await admin.post(editing(game), { content: 'second' })
  const list = await publicly(game)
  expect(list.map(({ type, values }) => [type, ...values])).toEqual([
    ['Normal', 'second'],
    ['Normal', 'first'],
    ['ThirdBlood', 'Three', 'Door'],
    ['SecondBlood', 'Two', 'Door'],
    ['FirstBlood', 'One', 'Door'],
    ['NewHint', 'Door'],
    ['NewChallenge', 'Door'],
  ])
  expect(new Set(list.map(({ type }) => type))).toEqual(new Set(noticeTypes))
  expect(await publicly(game, '?count=2&skip=1')).toEqual(list.slice(1, 3))
  expect(await publicly(game, '?count=0')).toEqual([])
  expect((await platform.anyone.get(`/api/game/${game}/notices?count=-1`)).status).toBe(400)
  const blood = list.find(({ type }) => type === 'FirstBlood')?.id as number
  expect(await admin.put(editing(game, blood), { content: 'x' })).toMatchObject({
    status: 400,
    error: { code: 'notice.automatic' },
  })
  expect(await admin.delete(editing(game, blood))).toMatchObject({ status: 400, error: { code: 'notice.automatic' } })
  expect(((await admin.get(editing(game))).body as Notice[]).map(({ type }) => type)).toEqual(['Normal', 'Normal'])
})

test('P7.83 P7.59 P7.82 concurrent notices are sorted by id, newest first; lists have 100 rows, on request up to 10,000', async () => {
  const game = await aGame(platform.db)
  const createdAt = at('-1m')
  const one = (text: string) => ({ gameId: game, type: 'Normal', values: [text], createdAt })
  await platform.db
    .insertInto('notices')
    .values([one('a'), one('b'), one('c')])
    .execute()
  const texts = (list: Notice[]) => list.map(({ values }) => values[0])
  expect(texts(await publicly(game))).toEqual(['c', 'b', 'a'])
  expect(texts((await admin.get(editing(game))).body)).toEqual(['c', 'b', 'a'])
  await sql`insert into notices (game_id, type, "values", created_at)
    select ${game}, 'Normal', array[n::text], ${createdAt}::timestamptz - make_interval(secs => n) from generate_series(1, 10000) n`.execute(
    platform.db,
  )
  const most = texts((await admin.get(editing(game))).body)
  expect([most.length, most.at(-1)]).toEqual([10_000, '9997'])
  const page = texts(await publicly(game))
  expect([page.length, page.at(-1)]).toEqual([100, '97'])
  expect((await platform.anyone.get(`/api/game/${game}/notices?count=10001`)).body).toHaveLength(10_000)
  await sql`insert into game_events (game_id, type, "values") select ${game}, 'Normal', '{}' from generate_series(1, 101)`.execute(
    platform.db,
  )
  expect((await monitor.get(`/api/game/${game}/events`)).body).toHaveLength(100)
  expect((await monitor.get(`/api/game/${game}/events?count=10001`)).body).toHaveLength(101)
})

test('P7.83 before the start the list is closed, but notices can be published', async () => {
  const game = await aGame(platform.db, { starts: '1h', ends: '2h' })
  await admin.post(editing(game), { content: 'soon' })
  for (const call of [platform.anyone, admin])
    expect(await call.get(`/api/game/${game}/notices`)).toMatchObject({
      status: 400,
      error: { code: 'game.not_started', status: 400 },
    })
  expect((await platform.anyone.get('/api/game/999999/notices')).error.code).toBe('game.not_found')
  const [{ id }] = (await admin.get(editing(game))).body as [Notice]
  // Other notices are pushed only after the start.
  const isStarted = async () => (await findNotice(platform.db, game, id))?.started
  expect(await isStarted()).toBe(false)
  await platform.db
    .updateTable('games')
    .set({ startsAt: at('-1s') })
    .where('id', '=', game)
    .execute()
  expect(await isStarted()).toBe(true)
})

test('a notice keeps the names of its time', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { title: 'Door' })
  const team = await aTeam(platform.db, { name: 'Before' })
  await aParticipation(platform.db, game, team)
  await (await platform.as(team.captain)).post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  await platform.db.updateTable('teams').set({ name: 'After' }).where('id', '=', team.id).execute()
  await admin.put(`/api/edit/games/${game}/challenges/${challenge}`, { title: 'Gate' })
  expect((await publicly(game))[0]?.values).toEqual(['Before', 'Door'])
})

test('P3.59 P7.82 monitors see events newest first: a detected cheat is two of them, and containers can be excluded', async () => {
  const game = await aGame(platform.db)
  const plain = await aChallenge(platform.db, game, { title: 'Plain' })
  const own = await aChallenge(platform.db, game, { title: 'Own', type: 'DynamicContainer', flags: [] })
  const [owner, thief] = [await aTeam(platform.db, { name: 'Owner' }), await aTeam(platform.db, { name: 'Thief' })]
  const [owning, taking] = [await aParticipation(platform.db, game, owner), await aParticipation(platform.db, game, thief)]
  const beside = await aGame(platform.db)
  await platform.db
    .insertInto('gameEvents')
    .values({ gameId: beside, accountId: thief.captain, type: 'ContainerStart', values: ['0', 'Beside'] })
    .execute()
  await platform.db.insertInto('teamFlags').values({ participationId: owning, challengeId: own, flag: 'flag{owned}' }).execute()
  const container = { gameId: game, participationId: taking, accountId: thief.captain }
  await platform.db
    .insertInto('gameEvents')
    .values({ ...container, createdAt: at('-1m'), type: 'ContainerStart', values: [String(own), 'Own'] })
    .execute()
  const call = await platform.as(thief.captain)
  await call.post(`/api/game/${game}/challenges/${plain}`, { flag: 'flag{right}' })
  await call.post(`/api/game/${game}/challenges/${own}`, { flag: 'flag{owned}' })
  await platform.db
    .insertInto('gameEvents')
    .values({ ...container, createdAt: at('1m'), type: 'ContainerDestroy', values: [String(own), 'Own'] })
    .execute()

  const events = async (query = '') =>
    (await monitor.get(`/api/game/${game}/events${query}`)).body as {
      type: string
      values: string[]
      team: string
      user: string
    }[]
  const rows = (list: { type: string; values: string[] }[]) => list.map(({ type, values }) => [type, ...values])
  const flags = [
    ['CheatDetected', 'Own', 'Thief', 'Owner'],
    ['FlagSubmit', 'WrongAnswer', 'flag{owned}', 'Own', String(own)],
    ['FlagSubmit', 'Accepted', 'flag{right}', 'Plain', String(plain)],
  ]
  expect(rows(await events())).toEqual([
    ['ContainerDestroy', String(own), 'Own'],
    ...flags,
    ['ContainerStart', String(own), 'Own'],
  ])
  expect(rows(await events('?hideContainer=true'))).toEqual(flags)
  expect(rows(await events('?hideContainer=true&count=1&skip=1'))).toEqual([flags[1]])
  const { userName: user } = await platform.db
    .selectFrom('accounts')
    .select('userName')
    .where('id', '=', thief.captain)
    .executeTakeFirstOrThrow()
  for (const event of await events()) expect(event).toMatchObject({ team: 'Thief', user })
  // No act writes a normal event, but a stored one is shown.
  const normal = { ...container, createdAt: at('-2m'), type: 'Normal', values: ['as stored'] }
  await platform.db.insertInto('gameEvents').values(normal).execute()
  expect(rows(await events('?hideContainer=true'))).toEqual([...flags, ['Normal', 'as stored']])
  await platform.db.deleteFrom('gameEvents').where('gameId', '=', game).where('type', '=', 'Normal').execute()
  const [newest, , , , oldest] = (await events()) as unknown as Notice[]
  for (const [event, when] of [
    [newest, at('1m')],
    [oldest, at('-1m')],
  ] as const)
    expect(Math.abs(Date.parse(event?.time ?? '') - when.getTime())).toBeLessThan(30_000)
  expect(rows(await (await monitor.get(`/api/game/${beside}/events`)).body)).toEqual([['ContainerStart', '0', 'Beside']])
  expect((await monitor.get('/api/game/999999/events')).error.code).toBe('game.not_found')
  expect((await call.get(`/api/game/${game}/events`)).status).toBe(403)
})

/** A game in which only one thing happened several times: twice at the same time, then with an earlier time. */
async function aRow(kind: 'event' | 'wrong' | 'copied') {
  const gameId = await aGame(platform.db)
  const challengeId = await aChallenge(platform.db, gameId)
  const sourceId = await aParticipation(platform.db, gameId, await aTeam(platform.db))
  const participationId = await aParticipation(platform.db, gameId, await aTeam(platform.db))
  const of = { gameId, participationId }
  const [last, together, first] = [at('-1m'), at('-2m'), at('-3m')]
  for (const [text, time] of [
    ['a', together],
    ['b', together],
    ['c', first],
  ] as const)
    if (kind === 'event') {
      await platform.db
        .insertInto('gameEvents')
        .values({ ...of, type: 'Normal', values: [text, text], createdAt: time })
        .execute()
    } else {
      const status = kind === 'copied' ? 'CheatDetected' : 'WrongAnswer'
      const { id: submissionId } = await platform.db
        .insertInto('submissions')
        .values({ ...of, challengeId, answer: text, status, arrivedAt: time })
        .returning('id')
        .executeTakeFirstOrThrow()
      if (kind === 'wrong') continue
      // The earliest answer was judged last.
      await platform.db
        .insertInto('cheats')
        .values({ ...of, submissionId, sourceId, detectedAt: time === first ? last : time })
        .execute()
    }
  return gameId
}

test.each([
  ['event', ['b', 'a', 'c']],
  ['wrong', ['b', 'a', 'c']],
  ['copied', ['CheatDetected', 'b', 'CheatDetected', 'a', 'CheatDetected', 'c']],
] as const)(
  'P3.59 P7.82 the list of events of kind %s is newest first, and its pages are the same list',
  async (kind, expected) => {
    const game = await aRow(kind)
    // With statistics the database sorts these few rows instead of reading indexes, which have them in this order.
    await sql`analyze submissions, cheats, game_events`.execute(platform.db)
    const read = async (query = '') => (await monitor.get(`/api/game/${game}/events${query}`)).body as Notice[]
    const all = await read()
    expect(all.map(({ type, values }) => (type === 'CheatDetected' ? type : values[1]))).toEqual(expected)
    const pages = []
    for (let skip = 0; skip < all.length; skip++) pages.push(...(await read(`?count=1&skip=${skip}`)))
    expect(pages).toEqual(all)
  },
)
