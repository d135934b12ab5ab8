import type { LogMessage } from '@vexil/contract/live'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anAccount, at } from '../../test/builders/game.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { withoutIndexes } from '../../test/without-indexes.ts'
import { forgetLogs, listFaultedRoutes, listLogsOf } from './logs.queries.ts'

let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Root' }))
  await platform.db
    .insertInto('logs')
    .values([
      ...Array.from({ length: 160 }, (_, i) => ({
        level: 'Information',
        status: 'Success',
        name: 'System',
        message: `entry ${i}`,
      })),
      { level: 'Warning', status: 'Failed', name: 'someone', ip: '10.0.0.1', message: 'careful' },
      { level: 'Error', status: 'Failed', name: 'System', message: 'broken' },
      { level: 'Fatal', status: '', name: 'System', message: 'over' },
    ])
    .execute()
})
afterAll(() => platform.stop())

const list = async (query = '') => (await admin.get(`/api/admin/logs${query}`)).body as LogMessage[]
const messages = async (query = '') => (await list(query)).map(({ msg }) => msg)

test('P7.33 entries are a plain array, newest first, 50 by default', async () => {
  const all = await list()
  expect(all).toHaveLength(50)
  expect(all.slice(0, 3).map(({ msg }) => msg)).toEqual(['over', 'broken', 'careful'])
  expect(all[2]).toEqual({
    time: expect.stringMatching(/^\d{4}-.*\+00:00$/),
    name: 'someone',
    level: 'Warning',
    ip: '10.0.0.1',
    msg: 'careful',
    status: 'Failed',
    requestId: null,
  })
  expect(await messages('?level=All&count=2&skip=1')).toEqual(['broken', 'careful'])
  expect(await list('?count=1000')).toHaveLength(163)
  expect(await list('?skip=1000')).toEqual([])
  expect((await admin.get('/api/admin/logs?count=-1')).status).toBe(400)
})

test.each([
  ['Warning', ['careful']],
  ['Error', ['broken']],
  ['Fatal', ['over']],
])('P7.33 level %s returns only that level', async (level, expected) => {
  expect(await messages(`?level=${level}`)).toEqual(expected)
})

test('P7.33 Information returns only that level, and an unknown level is refused', async () => {
  expect((await list('?level=Information&count=100')).every(({ level }) => level === 'Information')).toBe(true)
  expect((await admin.get('/api/admin/logs?level=Loud')).status).toBe(400)
})

test('P7.33 LG-4 a search matches message, name and address in any case, within the level; wildcards are matched literally', async () => {
  await platform.db
    .insertInto('logs')
    .values([
      { level: 'Warning', name: 'careFul', message: 'a 50% share' },
      { level: 'Warning', name: 'other', message: 'a 50_ share' },
      { level: 'Warning', name: 'other', message: 'a 50\\ share' },
    ])
    .execute()
  expect(await messages('?hint=CAREFUL')).toEqual(['a 50% share', 'careful'])
  expect(await messages('?hint=10.0.0.1')).toEqual(['careful'])
  expect(await messages('?hint=50%25')).toEqual(['a 50% share'])
  expect(await messages('?hint=50_')).toEqual(['a 50_ share'])
  expect(await messages('?hint=50%5C')).toEqual(['a 50\\ share'])
  expect(await messages('?hint=careful&level=Error')).toEqual([])
  expect(await messages('?hint=careful&count=1&skip=1')).toEqual(['careful'])
  expect(await list('?hint=%20&count=5')).toHaveLength(5)
  expect((await admin.get(`/api/admin/logs?hint=${'x'.repeat(257)}`)).status).toBe(400)
  await platform.db.deleteFrom('logs').where('message', 'like', 'a 50%').execute()
})

test('entries of ranges are in the order of their ids, without those before, between and after them', async () => {
  const texts = ['before', 'first', 'second', 'between', 'third', 'after']
  const ids = await platform.db
    .insertInto('logs')
    .values(texts.map((message) => ({ level: 'Fatal', status: '', name: 'System', message })))
    .returning('id')
    .execute()
    .then((rows) => rows.map(({ id }) => id) as [number, number, number, number, number, number])
  // The database then stores it behind the others.
  await platform.db.updateTable('logs').set({ status: 'Success' }).where('id', '=', ids[1]).execute()
  const ranges = [
    { from: ids[4], to: ids[4] },
    { from: ids[1], to: ids[2] },
  ]
  const entries = await withoutIndexes(platform.db, (tx) => listLogsOf(tx, ranges))
  expect(entries.map(({ message }) => message)).toEqual(['first', 'second', 'third'])
  await platform.db.deleteFrom('logs').where('id', 'in', ids).execute()
})

test('P7.33 entries older than the retention are deleted, newer ones stay', async () => {
  await platform.db
    .insertInto('logs')
    .values([
      { level: 'Error', name: 'System', message: 'too old', time: at('-2162h') },
      { level: 'Error', name: 'System', message: 'old enough', time: at('-2158h') },
    ])
    .execute()
  // More than one statement deletes.
  await sql`insert into logs (level, name, message, time)
    select 'Error', 'System', 'too old', now() - interval '91 days' from generate_series(1, 10001)`.execute(platform.db)
  // Ninety days are 2160 hours.
  await forgetLogs(platform.db, 90)
  expect(await messages('?level=Error')).toEqual(['old enough', 'broken'])
})

test('an entry has the id of the request that wrote it, and is found by it; a fault also has its route', async () => {
  const stored = async () => {
    await platform.deps.log.flush()
    return platform.db.selectFrom('logs').selectAll().where('time', '>', at('-1m')).where('requestId', 'is not', null).execute()
  }
  await Promise.all(['first', 'second'].map((id) => admin.delete('/api/admin/config/logo', { 'x-request-id': id })))
  platform.deps.log.write({ status: 'Success', name: 'System', message: 'in the background' })
  await sql`alter table posts rename to posts_away`.execute(platform.db)
  const answer = await admin.get('/api/posts', { 'x-request-id': 'third' })
  await sql`alter table posts_away rename to posts`.execute(platform.db)
  expect(answer.error).toMatchObject({ code: 'server.unknown', requestId: 'third' })
  expect((await stored()).map(({ requestId, route }) => [requestId, route]).sort()).toEqual([
    ['first', null],
    ['second', null],
    ['third', 'GET /api/posts'],
  ])
  const [found, ...others] = await list('?level=All&hint=THIRD')
  expect(found).toMatchObject({ requestId: 'third', level: 'Error', status: 'Failed', name: 'System' })
  expect(others).toEqual([])
})

test('the health report is in the language of the caller, and counts the errors of the last hour by route, most first, of 50 routes at most', async () => {
  await platform.db.deleteFrom('logs').where('route', 'is not', null).execute()
  const fault = { level: 'Error', name: 'System', message: 'failed' }
  const newest = at('-8m')
  const rows = [
    { route: 'GET /api/a', time: at('-61m') },
    { route: 'GET /api/b', time: at('-59m') },
    { route: 'GET /api/c', time: at('-9m') },
    { route: 'GET /api/c', time: newest },
    { route: null, time: at('-1m') },
  ]
  await platform.db
    .insertInto('logs')
    .values(rows.map((row) => ({ ...fault, ...row })))
    .execute()
  const { status, body } = await admin.get('/api/admin/health', { 'accept-language': 'ja-JP' })
  expect(status).toBe(200)
  expect(body.faults).toEqual([
    { route: 'GET /api/c', count: 2, lastAt: expect.stringMatching(/\+00:00$/) },
    { route: 'GET /api/b', count: 1, lastAt: expect.any(String) },
  ])
  expect(new Date(body.faults[0].lastAt)).toEqual(newest)
  const check = (name: string) => body.checks.find((one: { name: string }) => one.name === name)
  expect(check('faults')).toEqual({
    name: 'faults',
    level: 'warning',
    text: '過去 1 時間の予期しないエラー：3',
    fix: 'プラットフォームのログを見てください',
  })
  expect(check('database').text).toMatch(/^PostgreSQL \d+.*、ロケール .*、接続 \d+\/\d+$/)
  expect(Date.now() - Date.parse(body.checkedAt)).toBeLessThan(60_000)
  await platform.db
    .insertInto('logs')
    .values(Array.from({ length: 51 }, (_, i) => ({ ...fault, route: `GET /api/d/${i}` })))
    .execute()
  const routes = (await listFaultedRoutes(platform.db)).map(({ route }) => route)
  expect([routes.length, routes]).toEqual([50, ['GET /api/c', ...routes.slice(1).sort()]])
})
