/** Every described call: bound once, and refused to everybody below its role. The table is written by hand from the specification. */
import { endpoints } from '@vexil/contract/endpoint'
import { type Role, roles } from '@vexil/core/vocabulary'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bound } from '../src/http/route.ts'
import { anAccount } from './builders/game.ts'
import { type Caller, startTestPlatform, type TestPlatform } from './platform.ts'

type Least = 'anyone' | Exclude<Role, 'Banned'>

/** Least caller of each call, as api-*.md of the interface says. */
const least: Record<string, Least> = {
  'POST /api/account/register': 'anyone',
  'POST /api/account/login': 'anyone',
  'POST /api/account/logout': 'anyone',
  'GET /api/account/profile': 'User',
  'PUT /api/account/update': 'User',
  'PUT /api/account/changepassword': 'User',
  'PUT /api/account/avatar': 'User',
  'GET /api/account/games': 'User',
  'POST /api/account/recovery': 'anyone',
  'POST /api/account/passwordreset': 'anyone',
  'POST /api/account/verify': 'anyone',
  'PUT /api/account/changeemail': 'User',
  'POST /api/account/mailchangeconfirm': 'User',
  'GET /api/team/:id': 'anyone',
  'GET /api/team': 'User',
  'POST /api/team': 'User',
  'PUT /api/team/:id': 'User',
  'PUT /api/team/:id/transfer': 'User',
  'GET /api/team/:id/invite': 'User',
  'PUT /api/team/:id/invite': 'User',
  'POST /api/team/accept': 'User',
  'POST /api/team/:id/leave': 'User',
  'POST /api/team/:id/kick/:userId': 'User',
  'DELETE /api/team/:id': 'User',
  'PUT /api/team/:id/avatar': 'User',
  'POST /api/team/verify': 'anyone',
  'POST /api/assets': 'Admin',
  'DELETE /api/assets/:hash': 'Admin',
  'GET /assets/:hash/:name': 'anyone',
  'GET /api/config': 'anyone',
  'GET /api/captcha': 'anyone',
  'GET /api/posts': 'anyone',
  'GET /api/posts/latest': 'anyone',
  'GET /api/posts/:id': 'anyone',
  'POST /api/setup': 'anyone',
  'GET /api/game': 'anyone',
  'GET /api/game/:id': 'anyone',
  'POST /api/game/:id': 'User',
  'DELETE /api/game/:id': 'User',
  'GET /api/game/:id/notices': 'anyone',
  'GET /api/edit/games': 'Admin',
  'POST /api/edit/games': 'Admin',
  'GET /api/edit/games/:id': 'Admin',
  'PUT /api/edit/games/:id': 'Admin',
  'DELETE /api/edit/games/:id': 'Admin',
  'PUT /api/edit/games/:id/poster': 'Admin',
  'GET /api/edit/games/:id/notices': 'Admin',
  'POST /api/edit/games/:id/notices': 'Admin',
  'PUT /api/edit/games/:id/notices/:nid': 'Admin',
  'DELETE /api/edit/games/:id/notices/:nid': 'Admin',
  'GET /api/game/:id/participations': 'Admin',
  'PUT /api/admin/participation/:id/:status': 'Admin',
  'GET /api/game/:id/events': 'Monitor',
  'GET /api/edit/games/:id/challenges': 'Admin',
  'POST /api/edit/games/:id/challenges': 'Admin',
  'GET /api/edit/games/:id/challenges/:cid': 'Admin',
  'PUT /api/edit/games/:id/challenges/:cid': 'Admin',
  'DELETE /api/edit/games/:id/challenges/:cid': 'Admin',
  'POST /api/edit/games/:id/challenges/:cid/attachment': 'Admin',
  'POST /api/edit/games/:id/challenges/:cid/flags': 'Admin',
  'DELETE /api/edit/games/:id/challenges/:cid/flags/:fid': 'Admin',
  'POST /api/edit/games/:id/challenges/updateaccepted': 'Admin',
  'POST /api/edit/games/:id/challenges/:cid/container': 'Admin',
  'DELETE /api/edit/games/:id/challenges/:cid/container': 'Admin',
  'POST /api/game/:id/container/:cid': 'User',
  'POST /api/game/:id/container/:cid/extend': 'User',
  'DELETE /api/game/:id/container/:cid': 'User',
  'POST /api/game/:id/challenges/:cid': 'User',
  'GET /api/game/:id/challenges/:cid/status/:sid': 'User',
  'GET /api/game/:id/submissions': 'Monitor',
  'GET /api/game/:id/cheatinfo': 'Monitor',
  'GET /api/game/:id/scoreboard': 'anyone',
  'GET /api/game/:id/scoreboard/feed': 'anyone',
  'GET /api/game/:id/details': 'User',
  'GET /api/game/:id/challenges/:cid': 'User',
}

let platform: TestPlatform
const callers = new Map<Role | 'anyone', Caller>()
beforeAll(async () => {
  platform = await startTestPlatform()
  for (const role of roles) callers.set(role, await platform.as(await anAccount(platform.db, { role })))
  callers.set('anyone', platform.anyone)
})
afterAll(() => platform.stop())

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

test('every described call stands in the table, and is bound exactly once', () => {
  expect(endpoints.map(nameOf).sort()).toEqual(Object.keys(least).sort())
  expect(bound.map(nameOf).sort()).toEqual(Object.keys(least).sort())
})

const address = (path: string) =>
  path
    .replace(':userId', '00000000-0000-7000-8000-000000000000')
    .replace(':hash', 'a'.repeat(64))
    .replace(':status', 'Accepted')
    .replace(':name', 'x')
    .replace(/:\w+/g, '1')

describe.each(Object.entries(least).filter(([, role]) => role !== 'anyone'))('%s', (call, role) => {
  const [method = '', path = ''] = call.split(' ')
  const ask = (who: Role | 'anyone') => {
    const caller = callers.get(who) as Caller
    const url = address(path)
    if (method === 'GET') return caller.get(url)
    if (method === 'DELETE') return caller.delete(url)
    return method === 'PUT' ? caller.put(url, {}) : caller.post(url, {})
  }

  test('asks visitors to log in', async () => {
    expect(await ask('anyone')).toMatchObject({ status: 401, body: { status: 401, code: 'auth.required' } })
  })

  test.each(roles.slice(0, roles.indexOf(role as Role)))('is refused to %s', async (lower) => {
    expect(await ask(lower)).toMatchObject({ status: 403, body: { status: 403, code: 'auth.forbidden' } })
  })

  test(`is open to ${role}`, async () => {
    expect([401, 403]).not.toContain((await ask(role as Role)).body?.code === 'auth.forbidden' ? 403 : 200)
  })
})
