import { verify } from '@node-rs/argon2'
import { passwordHints } from '@vexil/core/accounts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aSolve, aTeam, at } from '../../test/builders/game.ts'
import { listenAt } from '../../test/hub.ts'
import { mustNotWait } from '../../test/must-not-wait.ts'
import { type Answer, type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { inTransaction } from '../db/transaction.ts'
import { cookieName } from '../http/session-cookie.ts'
import { hashPassword, hashQueue } from './passwords.ts'
import { startSession } from './sessions.ts'
import { findUser, listUsers, lockWithAdmins, searchUsers } from './users.queries.ts'

let platform: TestPlatform
let adminId: string
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  adminId = await anAccount(platform.db, { role: 'Admin', userName: 'Root' })
  admin = await platform.as(adminId)
})
afterAll(() => platform.stop())

const unknownId = '00000000-0000-7000-8000-000000000000'
const row = (id: string) => platform.db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
const byName = (userName: string) =>
  platform.db.selectFrom('accounts').selectAll().where('userName', '=', userName).executeTakeFirst()
const accounts = () => platform.db.selectFrom('accounts').selectAll().orderBy('id').execute()
const url = (id: string) => `/api/admin/users/${id}`
const login = (userName: string, password: string) => platform.anyone.post('/api/account/login', { userName, password })
const logged = async () => {
  await platform.deps.log.flush()
  return platform.db.selectFrom('logs').selectAll().orderBy('id').execute()
}
const entry = async (message: string) => (await logged()).find((line) => line.message.includes(message))
const refused = ({ status, error }: Answer) => [status, error.status, error.code]
/** Waits until a transaction waits for another one. */
const oneWaits = () =>
  vi.waitFor(async () => {
    const { rows } =
      await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(platform.db)
    expect(rows).toHaveLength(1)
  }, 5000)
/** Runs `work` while another transaction holds the row of a neighbour, which it must not wait for. */
const besideLocked = async <T>(work: () => Promise<T>) =>
  mustNotWait(platform, `select from accounts where id = '${await anAccount(platform.db)}' for update`, work)
let count = 0
const someone = (more: object = {}) => {
  const userName = `New${++count}`
  return { userName, password: 'aaaaaa', email: `${userName}@example.org`, ...more }
}

describe('the list', () => {
  test('P7.18 P3.6 P3.49 has every account by age, in pages, with role, visits and activation; total counts all', async () => {
    const id = 'ffffffff-ffff-7fff-bfff-ffffffffffff'
    await anAccount(platform.db, {
      id,
      userName: 'Last',
      email: 'last@example.org',
      role: 'Monitor',
      active: false,
      realName: 'Real',
      studentNumber: 'S-1',
      phone: '+1 23',
      bio: 'Bio',
      lastVisitAt: at('-1h'),
      lastIp: '10.0.0.9',
    })
    // Not in the order of insertion.
    await anAccount(platform.db, { id: 'eeeeeeee-eeee-7eee-beee-eeeeeeeeeeee' })
    const total = (await accounts()).length
    const all = await admin.get('/api/admin/users')
    expect([all.status, all.body.length, all.body.total]).toEqual([200, total, total])
    const ids = all.body.data.map((user: { id: string }) => user.id)
    expect(ids).toEqual([...ids].sort())
    expect(all.body.data.at(-1)).toEqual({
      id,
      userName: 'Last',
      realName: 'Real',
      stdNumber: 'S-1',
      phone: '+1 23',
      bio: 'Bio',
      registerTimeUtc: expect.stringMatching(/^\d{4}-.*\+00:00$/),
      lastVisitedUtc: expect.stringMatching(/^\d{4}-.*\+00:00$/),
      ip: '10.0.0.9',
      email: 'last@example.org',
      avatar: null,
      role: 'Monitor',
      emailConfirmed: false,
    })
    const page = await admin.get(`/api/admin/users?count=1&skip=${total - 1}`)
    expect(page.body).toEqual({ data: [all.body.data.at(-1)], length: 1, total })
    expect((await admin.get('/api/admin/users?skip=99999')).body).toEqual({ data: [], length: 0, total })
    expect((await admin.get('/api/admin/users?count=-1')).status).toBe(400)
    const more: string[] = []
    while (total + more.length < 101) more.push(await anAccount(platform.db))
    const hundred = (await admin.get('/api/admin/users')).body
    expect([hundred.data.length, hundred.length, hundred.total]).toEqual([100, 100, 101])
    await platform.db.deleteFrom('accounts').where('id', 'in', more).execute()
  })

  test('P7.18 P7.21 US-7 filters by role and activation, also in a search; total counts the matches', async () => {
    const mark = 'filtered.example'
    const make = (userName: string, role: 'User' | 'Banned' | 'Monitor', active: boolean) =>
      anAccount(platform.db, { userName, email: `${userName}@${mark}`, role, active })
    await make('FilterOne', 'Monitor', true)
    await make('FilterTwo', 'Monitor', false)
    await make('FilterThree', 'Banned', true)
    const names = async (query: string) => {
      const { data, total } = (await admin.post(`/api/admin/users/search?hint=${mark}${query}`)).body
      return [data.map((user: { userName: string }) => user.userName).sort(), total]
    }
    expect(await names('&role=Monitor')).toEqual([['FilterOne', 'FilterTwo'], 2])
    expect(await names('&role=Monitor&active=false')).toEqual([['FilterTwo'], 1])
    expect(await names('&active=true')).toEqual([['FilterOne', 'FilterThree'], 2])
    expect(await names('&active=true&count=1')).toEqual([[expect.any(String)], 2])
    const listed = (await admin.get('/api/admin/users?role=Monitor&active=true&count=1000')).body
    const fits = (await accounts()).filter(({ role, active }) => role === 'Monitor' && active)
    expect(listed.data.map((user: { id: string }) => user.id)).toEqual(fits.map(({ id }) => id))
    expect(listed.total).toBe(fits.length)
    expect((await admin.get('/api/admin/users?role=King')).status).toBe(400)
  })

  test('P7.18 an account without visits shows the Unix epoch and no address', async () => {
    const id = await anAccount(platform.db)
    const found = (await admin.get('/api/admin/users')).body.data.find((user: { id: string }) => user.id === id)
    expect(found).toMatchObject({ lastVisitedUtc: '1970-01-01T00:00:00+00:00', ip: '0.0.0.0', phone: null })
  })

  test('P3.5 P7.18 a login counts as a visit, shown with its time and address', async () => {
    const userName = 'Visitor'
    await anAccount(platform.db, { userName, passwordHash: await hashPassword('aaaaaa', 'test') })
    const before = Date.now() - 5000
    await login(userName, 'aaaaaa')
    const { body } = await admin.post(`/api/admin/users/search?hint=${userName}`)
    expect(body.data[0].ip).toBe('127.0.0.1')
    expect(Date.parse(body.data[0].lastVisitedUtc)).toBeGreaterThan(before)
  })

  test('P7.23 a search covers name, address, numbers, id and real name, regardless of case', async () => {
    const id = await anAccount(platform.db, {
      userName: 'Zanzibar',
      email: 'harbour@quay.example',
      phone: '555 0199',
      studentNumber: 'ST-777',
      realName: 'Åsa Öberg',
    })
    for (const hint of ['zANZ', 'QUAY.ex', '555 01', 'st-777', 'åsa', id.slice(9, 23).toUpperCase()]) {
      const { status, body } = await admin.post(`/api/admin/users/search?hint=${encodeURIComponent(hint)}`)
      expect([status, body.total, body.data[0]?.id], hint).toEqual([200, 1, id])
    }
  })

  test('P7.23 wildcards are matched literally; the default count is 30, and total counts every match', async () => {
    await anAccount(platform.db, { userName: '100%_a\\b' })
    const search = async (hint: string, more = '') =>
      (await admin.post(`/api/admin/users/search?hint=${encodeURIComponent(hint)}${more}`)).body
    expect((await search('%')).total).toBe(1)
    expect((await search('0%_a\\')).total).toBe(1)
    expect((await search('_')).total).toBe(1)
    for (let i = 0; i < 31; i++) await anAccount(platform.db, { realName: 'Herring' })
    expect(await search('herring')).toMatchObject({ length: 30, total: 31 })
    expect(await search('herring', '&count=5&skip=30')).toMatchObject({ length: 1, total: 31 })
  })

  test.each(['', '?hint=', '?hint=%20%20'])('P7.23 without a text (%s) the search returns nothing', async (query) => {
    expect(refused(await admin.post(`/api/admin/users/search${query}`))).toEqual([400, 400, 'search.hint_missing'])
  })

  test('P7.19 an account is returned as its profile; an unknown or invalid id returns 404', async () => {
    const id = await anAccount(platform.db, { userName: 'Single', email: 'single@example.org', studentNumber: '7' })
    expect((await admin.get(url(id.toUpperCase()))).body).toEqual({
      userId: id,
      userName: 'Single',
      email: 'single@example.org',
      bio: '',
      phone: null,
      realName: '',
      stdNumber: '7',
      avatar: null,
      role: 'User',
    })
    expect(refused(await admin.get(url(unknownId)))).toEqual([404, 404, 'user.not_found'])
    for (const method of ['get', 'delete'] as const) expect((await admin[method](url('7'))).status).toBe(404)
    expect((await admin.put(url('7'), {})).status).toBe(404)
  })
})

describe('adding many', () => {
  const add = (rows: unknown) => admin.post('/api/admin/users', rows)

  test('P1.14 P7.17 P6.5 new accounts are active players who can sign in, in the order of their rows', async () => {
    const first = someone({ realName: 'A', stdNumber: 'B', phone: '12' })
    const rows = [first, someone(), someone(), someone()]
    expect(await besideLocked(() => add(rows))).toMatchObject({ status: 200, body: '' })
    expect(await byName(first.userName)).toMatchObject({
      role: 'User',
      active: true,
      realName: 'A',
      studentNumber: 'B',
      phone: '12',
      email: first.email,
    })
    expect(await byName(rows[1]!.userName)).toMatchObject({ realName: '', studentNumber: '', phone: null })
    expect((await accounts()).map((one) => one.userName).filter((name) => rows.some((one) => one.userName === name))).toEqual(
      rows.map((one) => one.userName),
    )
    expect((await login(first.userName, 'aaaaaa')).status).toBe(200)
    expect(await entry('Users added: 4, updated: 0, teams created: 0')).toMatchObject({ name: 'Root', status: 'Success' })
  })

  test('P6.5 the accounts of a batch sort before accounts created later', async () => {
    const rows = [someone(), someone(), someone()]
    const now = Date.now()
    vi.setSystemTime(now)
    try {
      expect((await add(rows)).status).toBe(200)
    } finally {
      vi.useRealTimers()
    }
    const ids = await Promise.all(rows.map(async ({ userName }) => (await byName(userName))!.id))
    // The first 48 bits of an id are its time.
    expect(ids.map((id) => now - Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))).toEqual([3, 2, 1])
  })

  test('P6.5 each password is hashed once, at most eight at a time', async () => {
    const run = hashQueue.run
    const counts = { now: 0, most: 0, all: 0 }
    const spy = vi.spyOn(hashQueue, 'run').mockImplementation(async (caller, work) => {
      counts.all++
      counts.most = Math.max(counts.most, ++counts.now)
      return run(caller, work).finally(() => counts.now--)
    })
    expect((await add(Array.from({ length: 17 }, () => someone()))).status).toBe(200)
    spy.mockRestore()
    expect(counts).toEqual({ now: 0, most: 8, all: 17 })
  })

  test('P6.5 P5.8 rows with the same team name share a new team, the first row is its captain, new or not', async () => {
    const known = someone()
    const oldId = await anAccount(platform.db, { userName: known.userName, email: known.email })
    const rows = [
      { ...known, teamName: ' Gulls ' },
      someone({ teamName: 'Gulls' }),
      someone({ teamName: 'Terns' }),
      someone({ teamName: ' ' }),
    ]
    expect((await add(rows)).status).toBe(200)
    const teams = await platform.db
      .selectFrom('teams')
      .selectAll()
      .where('name', 'in', ['Gulls', 'Terns'])
      .orderBy('name')
      .execute()
    expect(teams.map((team) => team.captainId)).toEqual([oldId, (await byName(rows[2]!.userName))?.id])
    const { body } = await admin.get(`/api/team/${teams[0]!.id}`)
    expect(body.members.map((one: { userName: string; captain: boolean }) => [one.userName, one.captain]).sort()).toEqual(
      [
        [rows[0]!.userName, true],
        [rows[1]!.userName, false],
      ].sort(),
    )
  })

  test('P6.5 new teams are published by id, and rights are invalidated only where an account is updated', async () => {
    const received: unknown[] = []
    const stop = [
      platform.deps.bus.subscribe('team.changed', ({ teamId }) => received.push(teamId)),
      platform.deps.bus.subscribe('security.changed', () => received.push('security')),
    ]
    const numberOf = async (name: string) =>
      (await platform.db.selectFrom('teams').select('id').where('name', '=', name).executeTakeFirstOrThrow()).id
    const one = someone({ teamName: 'Auks' })
    expect((await add([one, someone({ teamName: 'Loons' }), someone({ teamName: 'Auks' })])).status).toBe(200)
    const teams = [await numberOf('Auks'), await numberOf('Loons')]
    await expect.poll(() => received).toEqual(teams)
    expect((await add([{ ...one, teamName: null }])).status).toBe(200)
    await expect.poll(() => received).toEqual([...teams, 'security'])
    for (const end of stop) end()
  })

  test('P6.5 an account with the same name or address is updated instead, and its sessions end', async () => {
    const hash = await hashPassword('old password', 'test')
    const named = someone({ email: 'fresh@example.org', realName: 'New Name' })
    const id = await anAccount(platform.db, {
      userName: named.userName.toUpperCase(),
      passwordHash: hash,
      role: 'Monitor',
      realName: 'Old',
      phone: '1',
      studentNumber: 'kept',
    })
    const session = await platform.as(id)
    const addressed = someone({ phone: '', stdNumber: 'S-9' })
    const other = await anAccount(platform.db, { email: addressed.email.toUpperCase(), phone: '9', active: false })
    expect((await add([named, addressed])).status).toBe(200)
    expect(await row(id)).toMatchObject({
      userName: named.userName,
      email: 'fresh@example.org',
      realName: 'New Name',
      studentNumber: 'kept',
      phone: '1',
      role: 'Monitor',
    })
    expect(await row(other)).toMatchObject({ userName: addressed.userName, phone: null, studentNumber: 'S-9', active: false })
    expect(await verify((await row(id))!.passwordHash, 'aaaaaa')).toBe(true)
    expect((await session.get('/api/account/profile')).status).toBe(401)
  })

  test('P6.5 an administrator is never changed by a batch, which is refused before a password is hashed', async () => {
    const good = someone()
    const hashed = vi.spyOn(hashQueue, 'run')
    const { status, error } = await add([good, someone({ userName: 'root' })])
    expect(hashed).not.toHaveBeenCalled()
    hashed.mockRestore()
    expect([status, error.code, error.title]).toEqual([
      400,
      'user.batch_row_refused',
      'Row 2 (root): Administrators cannot be changed this way',
    ])
    expect(await byName(good.userName)).toBeUndefined()
    expect((await row(adminId))?.userName).toBe('Root')
  })

  test('P6.5 an account that concurrently becomes an administrator is not changed', async () => {
    const known = someone()
    const id = await anAccount(platform.db, { userName: known.userName, email: known.email })
    const { adding } = await inTransaction(platform.db, async (tx) => {
      await tx.updateTable('accounts').set({ role: 'Admin' }).where('id', '=', id).execute()
      const adding = add([known])
      await oneWaits()
      return { adding }
    })
    const { error } = await adding
    expect([error.code, error.data]).toMatchObject(['user.batch_row_refused', { row: 1 }])
    expect(await row(id)).toMatchObject({ passwordHash: 'none', role: 'Admin' })
    await admin.delete(url(id))
  })

  test('P6.5 P5.8 a second own team is refused with the row, and nothing is stored', async () => {
    const owner = someone({ teamName: 'Second' })
    await aTeam(platform.db, { captain: await anAccount(platform.db, { userName: owner.userName, email: owner.email }) })
    const good = someone({ teamName: 'First' })
    const { status, error } = await admin.post('/api/admin/users', [good, owner], { 'accept-language': 'zh-CN' })
    expect([status, error.status, error.code, error.data]).toMatchObject([
      400,
      400,
      'user.batch_row_refused',
      { row: 2, name: owner.userName },
    ])
    expect(error.title).toMatch(/\p{Script=Han}/u)
    expect(await byName(good.userName)).toBeUndefined()
    // As a member of another account's team it is allowed.
    expect((await add([good, { ...owner, teamName: 'First' }])).status).toBe(200)
  })

  test.each([
    [
      'the same name twice',
      () => {
        const one = someone()
        return [one, { ...someone(), userName: one.userName.toUpperCase() }]
      },
      'This username',
    ],
    [
      'the same address twice',
      () => {
        const one = someone()
        return [one, { ...someone(), email: one.email.toUpperCase() }]
      },
      'address',
    ],
  ])('P6.5 %s is refused with the row', async (_, rows, text) => {
    const before = await accounts()
    const { error } = await add(rows())
    expect([error.code, error.data]).toMatchObject(['user.batch_row_refused', { row: 2 }])
    expect(error.title).toContain(text)
    expect(await accounts()).toEqual(before)
  })

  test('P6.5 rows that match two accounts are refused', async () => {
    const [one, two] = [someone(), someone()]
    for (const { userName, email } of [one, two]) await anAccount(platform.db, { userName, email })
    const crossed = await add([{ ...one, email: two.email }])
    expect([crossed.error.code, crossed.error.data]).toMatchObject(['user.batch_row_refused', { row: 1 }])
    const same = await add([
      { ...someone(), email: one.email },
      { ...someone(), userName: one.userName },
    ])
    expect([same.error.code, same.error.data]).toMatchObject(['user.batch_row_refused', { row: 2 }])
    const reversed = await add([
      { ...someone(), userName: one.userName },
      { ...someone(), email: one.email },
    ])
    expect([reversed.error.code, reversed.error.data]).toMatchObject(['user.batch_row_refused', { row: 2 }])
    expect((await byName(one.userName))?.email).toBe(one.email)
  })

  test.each([
    [{ password: '12345' }, 'account.password_too_short'],
    [{ password: '      ' }, 'account.password_too_short'],
    [{ userName: 'ab' }, 'account.name_invalid'],
    [{ userName: 'a'.repeat(16) }, 'account.name_invalid'],
    [{ email: 'nowhere' }, 'account.email_invalid'],
    [{ phone: 'call me' }, 'account.phone_invalid'],
    [{ realName: 'a'.repeat(129) }, 'request.invalid'],
    [{ stdNumber: 'a'.repeat(65) }, 'request.invalid'],
    [{ teamName: 'a'.repeat(21) }, 'request.invalid'],
  ])('P5.1 P7.17 a row with %j refuses the whole batch', async (wrong, code) => {
    const good = someone()
    expect(refused(await add([good, someone(wrong)]))).toEqual([400, 400, code])
    expect(await byName(good.userName)).toBeUndefined()
  })

  test('P7.17 the body must be a list of at most a thousand', async () => {
    const rows = (length: number) => Array.from({ length }, (_, i) => someone(i === 0 ? { userName: 'Root' } : {}))
    expect(refused(await add(rows(1001)))).toEqual([400, 400, 'request.invalid'])
    // A thousand rows are checked; the first one names an administrator.
    expect(refused(await add(rows(1000)))).toEqual([400, 400, 'user.batch_row_refused'])
    expect((await add(someone())).status).toBe(400)
    expect((await add([])).status).toBe(200)
  })

  test('P6.5 the same rows sent five times concurrently create the accounts once, and no second team', async () => {
    const rows = [someone({ teamName: 'Skuas' }), someone({ teamName: 'Skuas' })]
    const answers = await Promise.all(Array.from({ length: 5 }, () => add(rows)))
    for (const { status } of answers) expect([200, 400]).toContain(status)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect(await platform.db.selectFrom('teams').selectAll().where('name', '=', 'Skuas').execute()).toHaveLength(1)
    expect((await accounts()).filter((one) => rows.some(({ userName }) => one.userName === userName))).toHaveLength(2)
  })
})

describe('changing one', () => {
  test('P1.14 P7.20 P6.3 given fields change, absent and null keep the value, blank clears it', async () => {
    const id = await anAccount(platform.db, { phone: '12', bio: 'old', realName: 'Old', studentNumber: 'S' })
    const before = await row(id)
    const changes = { bio: '', phone: '', realName: 'New', stdNumber: null, role: null }
    const changed = await besideLocked(() => admin.put(url(id.toUpperCase()), changes))
    expect(changed).toMatchObject({ status: 200, body: '' })
    expect(await row(id)).toEqual({ ...before, bio: '', phone: null, realName: 'New' })
    const changedLines = async () =>
      (await logged()).map(({ message }) => message).filter((message) => message.startsWith(`Changed user ${before!.userName}`))
    expect(await changedLines()).toEqual([`Changed user ${before!.userName}: bio, phone, realName`])
    // An update that changes nothing is not logged.
    expect((await admin.put(url(id), changes)).status).toBe(200)
    expect(await changedLines()).toHaveLength(1)
    // Only a new name may not look like that of an administrator; the letters o are Cyrillic.
    const alike = await anAccount(platform.db, { userName: 'R\u043e\u043et' })
    expect((await admin.put(url(alike), { bio: 'words' })).status).toBe(200)
    expect(refused(await admin.put(url(id), { userName: 'R\u043eot' }))).toEqual([400, 400, 'account.name_taken'])
  })

  test('P7.20 P6.3 P3.6 a new role takes effect at once, also on live connections', async () => {
    const id = await anAccount(platform.db)
    const caller = await platform.as(id)
    expect((await caller.get('/api/admin/users')).status).toBe(403)
    await admin.put(url(id), { role: 'admin' })
    expect((await caller.get('/api/admin/users')).status).toBe(200)
    await listenAt(platform, '/hub/admin', { cookie: `${cookieName}=${await startSession(platform.db, id)}` })
    await vi.waitFor(() => expect(platform.live.count({ hub: '/hub/admin' })).toBe(1), 5000)
    await admin.put(url(id), { role: 1 })
    expect((await caller.get('/api/admin/users')).status).toBe(403)
    await vi.waitFor(() => expect(platform.live.count({ hub: '/hub/admin' })).toBe(0), { timeout: 3000 })
    expect((await entry('role User => Admin'))?.name).toBe('Root')
  })

  test('P6.2 P7.20 P6.1 P6.3 role Banned bans every session at once, and its end ends them and the links of mails', async () => {
    const id = await anAccount(platform.db)
    const callers = [await platform.as(id), await platform.as(id)]
    const answers = () => Promise.all(callers.map(async (caller) => (await caller.get('/api/account/profile')).status))
    await admin.put(url(id), { role: 'Banned' })
    expect(await answers()).toEqual([403, 403])
    const link = { hash: Buffer.from(id), accountId: id, purpose: 'EmailChanging', email: 'x@example.org', expiresAt: at('1h') }
    await platform.db.insertInto('mailTokens').values(link).execute()
    await admin.put(url(id), { bio: 'changed' })
    expect(await answers()).toEqual([403, 403])
    await admin.put(url(id), { role: 'User' })
    expect(await answers()).toEqual([401, 401])
    expect(await platform.db.selectFrom('mailTokens').selectAll().where('accountId', '=', id).execute()).toEqual([])
    await admin.put(url(id), { role: 'Monitor' })
    expect((await (await platform.as(id)).get('/api/account/profile')).status).toBe(200)
  })

  test('P7.20 P3.4 activation permits sign-in, and removing it ends the sessions', async () => {
    const id = await anAccount(platform.db, {
      userName: 'Sleeper',
      active: false,
      passwordHash: await hashPassword('aaaaaa', 'test'),
    })
    expect((await login('Sleeper', 'aaaaaa')).error.code).toBe('account.not_active')
    await admin.put(url(id), { emailConfirmed: true })
    expect((await login('Sleeper', 'aaaaaa')).status).toBe(200)
    const caller = await platform.as(id)
    await admin.put(url(id), { emailConfirmed: false })
    expect((await caller.get('/api/account/profile')).status).toBe(401)
  })

  test('P7.20 a new address is unconfirmed unless the call confirms it, and ends sessions and links', async () => {
    const [id, neighbour] = [await anAccount(platform.db), await anAccount(platform.db)]
    const caller = await platform.as(id)
    const link = { purpose: 'Reset', email: 'x@example.org', expiresAt: at('1h') }
    await platform.db
      .insertInto('mailTokens')
      .values([id, neighbour].map((accountId) => ({ ...link, hash: Buffer.from(accountId), accountId })))
      .execute()
    await admin.put(url(id), { email: 'moved@example.org' })
    expect(await row(id)).toMatchObject({ email: 'moved@example.org', active: false })
    expect((await caller.get('/api/account/profile')).status).toBe(401)
    const left = await platform.db.selectFrom('mailTokens').select('accountId').execute()
    expect(left).toEqual([{ accountId: neighbour }])
    await admin.put(url(id), { email: 'again@example.org', emailConfirmed: true })
    expect((await row(id))?.active).toBe(true)
  })

  test('P7.20 a new name ends the sessions; an administrator who changes their own name stays signed in', async () => {
    const id = await anAccount(platform.db)
    const caller = await platform.as(id)
    await admin.put(url(id), { userName: 'Renamed' })
    expect((await caller.get('/api/account/profile')).status).toBe(401)
    const second = await anAccount(platform.db, { role: 'Admin' })
    const [here, elsewhere] = [await platform.as(second), await platform.as(second)]
    expect((await here.put(url(second), { userName: 'Captain' })).status).toBe(200)
    expect((await here.get('/api/account/profile')).body.userName).toBe('Captain')
    expect((await elsewhere.get('/api/account/profile')).status).toBe(401)
    await admin.delete(url(second))
  })

  test.each([
    [{ userName: 'ROOT' }, 400, 'account.name_taken'],
    [{ email: 'TAKEN@example.org' }, 400, 'account.email_taken'],
    [{ userName: 'ab' }, 400, 'account.name_invalid'],
    [{ userName: '    ' }, 400, 'account.name_invalid'],
    [{ email: 'nowhere' }, 400, 'account.email_invalid'],
    [{ phone: 'call me' }, 400, 'account.phone_invalid'],
    [{ bio: 'a'.repeat(129) }, 400, 'request.invalid'],
    [{ role: 'Emperor' }, 400, 'request.invalid'],
  ])('P7.20 %j refuses the whole update', async (wrong, status, code) => {
    if (!(await platform.db.selectFrom('accounts').select('id').where('email', '=', 'taken@example.org').executeTakeFirst()))
      await anAccount(platform.db, { email: 'taken@example.org' })
    const id = await anAccount(platform.db)
    const before = await row(id)
    expect(refused(await admin.put(url(id), { realName: 'changed', ...wrong }))).toEqual([status, status, code])
    expect(await row(id)).toEqual(before)
  })

  test('P7.20 an unknown account returns 404', async () => {
    expect(refused(await admin.put(url(unknownId), { bio: '' }))).toEqual([404, 404, 'user.not_found'])
  })

  test.each([{ role: 'User' }, { role: 'Banned' }, { emailConfirmed: false }, { email: 'elsewhere@example.org' }])(
    'P6.3 the last administrator cannot be removed: %j is refused',
    async (change) => {
      const asleep = await anAccount(platform.db, { role: 'Admin', active: false })
      const before = await row(adminId)
      expect(refused(await admin.put(url(adminId), change))).toEqual([400, 400, 'user.last_admin'])
      expect(await row(adminId)).toMatchObject({ role: 'Admin', active: true, email: before!.email })
      await admin.delete(url(asleep))
    },
  )

  test('P6.3 of two administrators who concurrently demote or delete each other one remains', async () => {
    await platform.db.updateTable('accounts').set({ active: false }).where('id', '=', adminId).execute()
    for (let round = 0; round < 6; round++) {
      const [one, two] = [await anAccount(platform.db, { role: 'Admin' }), await anAccount(platform.db, { role: 'Admin' })]
      const [first, second] = [await platform.as(one), await platform.as(two)]
      const answers = await Promise.all(
        round % 2
          ? [first.delete(url(two)), second.delete(url(one))]
          : [first.put(url(two), { role: 'User' }), second.put(url(one), { role: 'User' })],
      )
      const left = (await accounts()).filter(({ role, active }) => role === 'Admin' && active)
      expect(left).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      await platform.db.updateTable('accounts').set({ role: 'User' }).where('id', '=', left[0]!.id).execute()
    }
    await platform.db.updateTable('accounts').set({ active: true }).where('id', '=', adminId).execute()
  })
})

describe('a new password', () => {
  test('P7.22 P6.6 is random with every character class, shown once, not stored, and ends all sessions', async () => {
    const id = await anAccount(platform.db, { userName: 'Forgetful' })
    const caller = await platform.as(id)
    const { status, body, headers } = await admin.delete(`${url(id)}/password`)
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body).toMatch(/^[A-Za-z0-9!@#$%^&*()\-_=+]{16}$/)
    expect(Object.values(passwordHints(body))).toEqual([true, true, true, true, true])
    expect((await caller.get('/api/account/profile')).status).toBe(401)
    expect((await login('Forgetful', body)).status).toBe(200)
    expect((await entry('Reset the password of Forgetful'))?.name).toBe('Root')
    expect((await logged()).some(({ message }) => message.includes(body))).toBe(false)
    expect((await admin.delete(`${url(id)}/password`)).body).not.toBe(body)
  })

  test('P7.22 an unknown account returns 404 without hashing, and so does one deleted during hashing', async () => {
    const run = vi.spyOn(hashQueue, 'run')
    expect(refused(await admin.delete(`${url(unknownId)}/password`))).toEqual([404, 404, 'user.not_found'])
    expect(run).not.toHaveBeenCalled()
    const id = await anAccount(platform.db, { userName: 'Leaving' })
    run.mockImplementationOnce(async () => {
      await platform.db.deleteFrom('accounts').where('id', '=', id).execute()
      return 'hash' as never
    })
    expect(refused(await admin.delete(`${url(id)}/password`))).toEqual([404, 404, 'user.not_found'])
    run.mockRestore()
    expect(await entry('Reset the password of Leaving')).toBeUndefined()
  })
})

describe('deleting one', () => {
  test('P1.14 P7.21 P6.4 memberships, registrations and sessions are deleted; submissions, solves, events and posts stay without author', async () => {
    const { db } = platform
    const id = await anAccount(db, { userName: 'Gone' })
    const team = await aTeam(db, { members: [id] })
    const gameId = await aGame(db)
    const challenge = await aChallenge(db, gameId)
    const participation = await aParticipation(db, gameId, team)
    await aSolve(db, { gameId, participation, challenge, account: id, arrived: at('-5m') })
    await db
      .insertInto('gameEvents')
      .values({ gameId, participationId: participation, accountId: id, type: 'Normal', values: ['x'] })
      .execute()
    await db.insertInto('posts').values({ id: 'deadbeef', title: 'Kept', authorId: id }).execute()
    const caller = await platform.as(id)
    let received = 0
    const stop = platform.deps.bus.subscribe('security.changed', () => void received++)
    expect(await besideLocked(() => admin.delete(url(id)))).toMatchObject({ status: 200, body: '' })
    await expect.poll(() => received).toBe(1)
    stop()
    expect(await row(id)).toBeUndefined()
    expect((await caller.get('/api/account/profile')).status).toBe(401)
    const authors = async (table: 'submissions' | 'solves' | 'gameEvents') =>
      (await db.selectFrom(table).select('accountId').where('gameId', '=', gameId).execute()).map(({ accountId }) => accountId)
    for (const table of ['submissions', 'solves', 'gameEvents'] as const) expect(await authors(table)).toEqual([null])
    expect((await platform.anyone.get('/api/posts/deadbeef')).body).toMatchObject({ title: 'Kept', authorName: null })
    expect((await platform.anyone.get(`/api/team/${team.id}`)).body.members).toHaveLength(1)
    expect(await db.selectFrom('registrations').select('accountId').where('gameId', '=', gameId).execute()).toEqual([
      { accountId: team.captain },
    ])
    expect((await entry('Deleted user Gone'))?.name).toBe('Root')
  })

  test('P7.21 P4.10 deleting the last registered member deletes a participation without submissions', async () => {
    const { db } = platform
    const id = await anAccount(db)
    const team = await aTeam(db, { members: [id] })
    const participation = await aParticipation(db, await aGame(db), { id: team.id, members: [id] }, { status: 'Pending' })
    await admin.delete(url(id))
    expect(await db.selectFrom('participations').select('id').where('id', '=', participation).execute()).toEqual([])
  })

  test('P7.21 its image is deleted as well', async () => {
    const { aPng } = await import('../../test/builders/images.ts')
    const id = await anAccount(platform.db)
    const path = (
      await (
        await platform.as(id)
      ).upload('PUT', '/api/account/avatar', 'file', [{ name: 'a.png', bytes: await aPng({ width: 33, height: 21 }) }])
    ).body
    expect((await platform.anyone.get(path)).status).toBe(200)
    await admin.delete(url(id))
    expect((await platform.anyone.get(path)).status).toBe(404)
  })

  test('P6.4 P7.21 the own account, an unknown account and a captain cannot be deleted', async () => {
    const { captain } = await aTeam(platform.db)
    expect(refused(await admin.delete(url(adminId.toUpperCase())))).toEqual([400, 400, 'user.own_account'])
    expect(refused(await admin.delete(url(unknownId)))).toEqual([404, 404, 'user.not_found'])
    expect(refused(await admin.delete(url(captain)))).toEqual([400, 400, 'user.is_captain'])
    expect(await row(captain)).toBeDefined()
  })

  test('P7.21 an account that concurrently becomes a captain is not deleted', async () => {
    const id = await anAccount(platform.db)
    const { deleting } = await inTransaction(platform.db, async (tx) => {
      await aTeam(tx, { captain: id })
      const deleting = admin.delete(url(id))
      await oneWaits()
      return { deleting }
    })
    expect(refused(await deleting)).toEqual([400, 400, 'user.is_captain'])
    expect(await row(id)).toBeDefined()
  })

  test('P7.21 an account deleted while it creates a team leaves either both or neither', async () => {
    for (let round = 0; round < 6; round++) {
      const id = await anAccount(platform.db)
      const caller = await platform.as(id)
      const [made, deleted] = await Promise.all([caller.post('/api/team', { name: 'Quick' }), admin.delete(url(id))])
      expect([made.status, deleted.status].sort()).not.toContain(500)
      const teams = await platform.db.selectFrom('teams').select('id').where('captainId', '=', id).execute()
      expect([(await row(id)) !== undefined, teams.length]).toEqual(deleted.status === 200 ? [false, 0] : [true, 1])
    }
  })
})

test('queries for accounts exclude the password hash', async () => {
  const { db } = platform
  const id = await anAccount(db, { role: 'Admin' })
  const page = { count: 100, skip: 0 }
  const locked = await db.transaction().execute((tx) => lockWithAdmins(tx, id))
  const rows = [
    await findUser(db, id),
    locked.account,
    ...locked.others,
    ...(await listUsers(db, page)).rows,
    ...(await searchUsers(db, id, page)).rows,
  ]
  expect(rows.filter((row) => row?.id === id).length).toBeGreaterThanOrEqual(3)
  for (const row of rows) expect(row).not.toHaveProperty('passwordHash')
})
