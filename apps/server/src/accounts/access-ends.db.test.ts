/** Which changes end which sessions and links: at once, and never those of another account. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { type Answer, type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { inTransaction } from '../db/transaction.ts'
import { storeToken, type TokenPurpose } from './mails/link-tokens.ts'
import { hashPassword, hashQueue } from './passwords.ts'

let platform: TestPlatform
let admin: Caller
let passwordHash: string
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Root' }))
  passwordHash = await hashPassword('aaaaaa', 'test')
})
afterAll(() => platform.stop())

let count = 0
/** An account with two sessions and a link of each kind. */
async function someone() {
  const userName = `Ends${++count}`
  const email = `${userName}@example.org`
  const id = await anAccount(platform.db, {
    userName,
    email,
    passwordHash,
    phone: '1',
    bio: 'b',
    realName: 'r',
    studentNumber: 's',
  })
  await inTransaction(platform.db, async (tx) => {
    for (const purpose of ['Reset', 'ChangeEmail', 'EmailChanging'] as const)
      await storeToken(tx, `${purpose} of ${userName}`, { accountId: id, purpose, email })
  })
  return { id, userName, email, here: await platform.as(id), elsewhere: await platform.as(id) }
}
type Someone = Awaited<ReturnType<typeof someone>>
const isSignedIn = async (caller: Caller) => (await caller.get('/api/account/profile')).status === 200
const linksOf = async ({ id }: Someone) =>
  (await platform.db.selectFrom('mailTokens').select('purpose').where('accountId', '=', id).orderBy('purpose').execute()).map(
    ({ purpose }) => purpose as TokenPurpose,
  )
const all = ['ChangeEmail', 'EmailChanging', 'Reset']
const login = (userName: string, password: string) => platform.anyone.post('/api/account/login', { userName, password })

interface Left {
  /** Whether the session that called, or the first of the account, is still valid. */
  readonly here: boolean
  readonly elsewhere: boolean
  readonly links: readonly string[]
}

const user = ({ id }: Someone) => `/api/admin/users/${id}`
type Change = (me: Someone) => Promise<Answer>
const changes: Record<string, [Change, Left]> = {
  'an administrator sets another address and confirms it': [
    (me) => admin.put(user(me), { email: `set-${me.email}`, emailConfirmed: true }),
    { here: false, elsewhere: false, links: [] },
  ],
  'an administrator sets another address': [
    (me) => admin.put(user(me), { email: `set-${me.email}` }),
    { here: false, elsewhere: false, links: [] },
  ],
  'an administrator sets the same address': [
    (me) => admin.put(user(me), { email: me.email }),
    { here: true, elsewhere: true, links: all },
  ],
  'an administrator sets another name': [
    (me) => admin.put(user(me), { userName: `${me.userName}x` }),
    { here: false, elsewhere: false, links: [] },
  ],
  'an administrator sets the same name': [
    (me) => admin.put(user(me), { userName: ` ${me.userName} ` }),
    { here: true, elsewhere: true, links: all },
  ],
  'an administrator removes the activation': [
    (me) => admin.put(user(me), { emailConfirmed: false }),
    { here: false, elsewhere: false, links: [] },
  ],
  'an administrator confirms a confirmed address': [
    (me) => admin.put(user(me), { emailConfirmed: true }),
    { here: true, elsewhere: true, links: all },
  ],
  // Sessions stay and get the new rights; all earlier links but `EmailChanging` become invalid.
  'an administrator sets another role': [
    (me) => admin.put(user(me), { role: 'Monitor' }),
    { here: true, elsewhere: true, links: ['EmailChanging'] },
  ],
  'an administrator changes other fields': [
    (me) => admin.put(user(me), { bio: 'x', phone: '2', realName: 'x', stdNumber: 'x' }),
    { here: true, elsewhere: true, links: all },
  ],
  'an administrator sets a new password': [
    (me) => admin.delete(`${user(me)}/password`),
    { here: false, elsewhere: false, links: [] },
  ],
  'a batch updates the account': [
    ({ userName, email }) => admin.post('/api/admin/users', [{ userName, email, password: 'bbbbbb' }]),
    { here: false, elsewhere: false, links: [] },
  ],
  'the owner changes the name': [
    ({ here, userName }) => here.put('/api/account/update', { userName: `${userName}x` }),
    { here: true, elsewhere: false, links: ['EmailChanging'] },
  ],
  'the owner sends the same name': [
    ({ here, userName }) => here.put('/api/account/update', { userName }),
    { here: true, elsewhere: true, links: all },
  ],
  'the owner changes other fields': [
    ({ here }) => here.put('/api/account/update', { bio: 'x', phone: '2', realName: 'x', stdNumber: 'x' }),
    { here: true, elsewhere: true, links: all },
  ],
  // The caller's session continues under a new cookie.
  'the owner changes the password': [
    ({ here }) => here.put('/api/account/changepassword', { old: 'aaaaaa', new: 'bbbbbb' }),
    { here: false, elsewhere: false, links: ['EmailChanging'] },
  ],
  'the owner confirms another address': [
    ({ here, email, userName }) =>
      here.post('/api/account/mailchangeconfirm', { email: btoa(email), token: btoa(`ChangeEmail of ${userName}`) }),
    // The address is the same here, so no trigger deletes the other links.
    { here: true, elsewhere: false, links: ['EmailChanging', 'Reset'] },
  ],
  'the owner cancels a change of the address': [
    ({ email, userName }) =>
      platform.anyone.post('/api/account/mailchangecancel', { email: btoa(email), token: btoa(`EmailChanging of ${userName}`) }),
    { here: false, elsewhere: false, links: [] },
  ],
  'the owner sets a new password by mail': [
    ({ email, userName }) =>
      platform.anyone.post('/api/account/passwordreset', {
        email: btoa(email),
        rToken: btoa(`Reset of ${userName}`),
        password: 'bbbbbb',
      }),
    { here: false, elsewhere: false, links: ['EmailChanging'] },
  ],
  'the owner signs out here': [({ here }) => here.post('/api/account/logout'), { here: false, elsewhere: true, links: all }],
  'the owner signs in elsewhere': [({ userName }) => login(userName, 'aaaaaa'), { here: true, elsewhere: true, links: all }],
  'a password is guessed': [({ userName }) => login(userName, 'wrong!'), { here: true, elsewhere: true, links: all }],
}

/** By case: the name and the message of the log entry (`NAME`: the account; null: no entry), and how often all nodes read rights again. */
const traces: Record<string, [readonly [string, string] | null, number]> = {
  'an administrator sets another address and confirms it': [
    ['Root', 'Changed user NAME: email NAME@example.org => set-NAME@example.org'],
    1,
  ],
  'an administrator sets another address': [
    ['Root', 'Changed user NAME: email NAME@example.org => set-NAME@example.org, active true => false'],
    1,
  ],
  'an administrator sets another name': [['Root', 'Changed user NAME: userName NAME => NAMEx'], 1],
  'an administrator sets the same name': [null, 1],
  'an administrator removes the activation': [['Root', 'Changed user NAME: active true => false'], 1],
  'an administrator sets another role': [['Root', 'Changed user NAME: role User => Monitor'], 1],
  'an administrator changes other fields': [['Root', 'Changed user NAME: bio, phone, realName, studentNumber'], 1],
  'an administrator sets a new password': [['Root', 'Reset the password of NAME'], 1],
  'a batch updates the account': [['Root', 'Users added: 0, updated: 1, teams created: 0'], 1],
  'the owner changes the name': [['NAMEx', 'Name changed: NAME => NAMEx'], 1],
  'the owner sends the same name': [null, 0],
  'the owner changes other fields': [null, 0],
  'the owner changes the password': [['NAME', 'Password changed'], 1],
  'the owner confirms another address': [['NAME', 'Email changed'], 1],
  'the owner cancels a change of the address': [['NAME', 'Email change cancelled'], 1],
  'the owner sets a new password by mail': [['NAME', 'Password reset by email'], 1],
  'the owner signs out here': [null, 1],
  'the owner signs in elsewhere': [['NAME', 'Logged in'], 0],
  'a password is guessed': [['NAME', 'Login failed'], 0],
}

test.each(Object.entries(traces))(
  'when %s the log names the actor, and cached rights are invalidated',
  async (title, [line, asked]) => {
    const me = await someone()
    const [change] = changes[title] as [Change, Left]
    await platform.deps.log.flush()
    await platform.db.deleteFrom('logs').execute()
    let received = 0
    const stop = platform.deps.bus.subscribe('security.changed', () => void received++)
    await change(me)
    await platform.deps.log.flush()
    await expect.poll(() => received).toBe(asked)
    stop()
    const lines = await platform.db.selectFrom('logs').select(['name', 'message', 'ip']).execute()
    const named = (text: string) => text.replaceAll('NAME', me.userName)
    expect(lines).toEqual(line ? [{ name: named(line[0]), message: named(line[1]), ip: '127.0.0.1' }] : [])
  },
)

describe.each(Object.entries(changes))('when %s', (_, [change, left]) => {
  test('P7.20 P7.15 P7.7 P7.11 only these sessions and links remain, and another account keeps all its sessions and links', async () => {
    const [me, neighbour] = [await someone(), await someone()]
    const { status } = await change(me)
    expect([200, 401]).toContain(status)
    expect({ here: await isSignedIn(me.here), elsewhere: await isSignedIn(me.elsewhere), links: await linksOf(me) }).toEqual(left)
    expect([await isSignedIn(neighbour.here), await isSignedIn(neighbour.elsewhere)]).toEqual([true, true])
    expect(await linksOf(neighbour)).toEqual(all)
    expect((await login(neighbour.userName, 'aaaaaa')).status).toBe(200)
  })
})

const sessionsOf = ({ id }: Someone) =>
  platform.db.selectFrom('sessions').select('accountId').where('accountId', '=', id).execute()
const changeNamed = (name: string): [string, Change] => [name, (changes[name] as [Change, Left])[0]]
const ends: [string, Change, string][] = [
  [...changeNamed('an administrator removes the activation'), 'account.not_active'],
  [...changeNamed('an administrator sets a new password'), 'account.credentials_wrong'],
  [...changeNamed('a batch updates the account'), 'account.credentials_wrong'],
  [...changeNamed('the owner changes the password'), 'account.credentials_wrong'],
  [...changeNamed('the owner sets a new password by mail'), 'account.credentials_wrong'],
  ['an administrator deletes the account', (me) => admin.delete(user(me)), 'account.credentials_wrong'],
]

/** Sends `call`, and makes the change after its first comparison of a password. Returns the code of the answer, and the sessions before and after it. */
async function interrupted(me: Someone, change: Change, call: () => Promise<Answer>) {
  let left: unknown
  const run = hashQueue.run
  const spy = vi.spyOn(hashQueue, 'run').mockImplementationOnce(async (caller, work) => {
    const compared = await run(caller, work)
    expect((await change(me)).status).toBe(200)
    left = await sessionsOf(me)
    return compared
  })
  const { error } = await call()
  spy.mockRestore()
  return { code: error.code, left, after: await sessionsOf(me) }
}

test.each([
  ...ends,
  ['an administrator bans the account', (me: Someone) => admin.put(user(me), { role: 'Banned' }), 'account.banned'] as const,
])('P7.20 P7.7 P7.11 when %s during a sign-in, it is refused and logged, and opens no session', async (_, change, expected) => {
  const me = await someone()
  const { code, left, after } = await interrupted(me, change, () => login(me.userName, 'aaaaaa'))
  expect([code, after]).toEqual([expected, left])
  await platform.deps.log.flush()
  const failed = await platform.db
    .selectFrom('logs')
    .select('status')
    .where('name', '=', me.userName)
    .where('message', '=', 'Login failed')
    .execute()
  expect(failed).toEqual([{ status: 'Failed' }])
})

test.each(ends)('P7.20 P7.7 when %s during a change of the password, it opens no session', async (_, change) => {
  const me = await someone()
  const call = () => me.elsewhere.put('/api/account/changepassword', { old: 'aaaaaa', new: 'cccccc' })
  const { code, left, after } = await interrupted(me, change, call)
  expect([code, after]).toEqual(['account.old_password_wrong', left])
})

test('P7.20 P7.7 a sign-in waits for a change of its account, and a change for a sign-in', async () => {
  const other = await platform.database.pool.connect()
  const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
  /** Sends `call` while the other session holds the locks of `hold`; resolves when it has waited and been answered. */
  async function whileHeld(hold: string, calls: readonly (() => Promise<Answer>)[]): Promise<Answer[]> {
    await other.query(`begin; ${hold}`)
    const sent: Promise<Answer>[] = []
    for (const call of calls) {
      sent.push(call())
      // Each waits for the one before it.
      await vi.waitFor(async () => {
        const waiting = await platform.database.pool.query(
          `with recursive w as (
             select pid from pg_stat_activity where ${rows[0]?.pid} = any (pg_blocking_pids(pid))
             union select a.pid from pg_stat_activity a join w on w.pid = any (pg_blocking_pids(a.pid)))
           select from w`,
        )
        expect(waiting.rowCount).toBe(sent.length)
      })
    }
    await other.query('commit')
    return Promise.all(sent)
  }
  try {
    const [late, early] = [await someone(), await someone()]
    const [refused] = await whileHeld(
      `update accounts set password_hash = 'x' where id = '${late.id}'; delete from sessions where account_id = '${late.id}'`,
      [() => login(late.userName, 'aaaaaa')],
    )
    expect([refused?.error.code, await sessionsOf(late)]).toEqual(['account.credentials_wrong', []])

    // The end of the earlier session waits for the row of `versions`, when the sign-in has locked its account.
    const { headers } = await login(early.userName, 'aaaaaa')
    const cookie = String((headers['set-cookie'] as string[])[0]).split(';')[0] as string
    const again = () => platform.anyone.post('/api/account/login', { userName: early.userName, password: 'aaaaaa' }, { cookie })
    const answers = await whileHeld('select from versions for update', [again, () => admin.delete(`${user(early)}/password`)])
    expect([answers.map(({ status }) => status), await sessionsOf(early)]).toEqual([[200, 200], []])
  } finally {
    other.release()
  }
})

test('P7.20 an administrator who changes and confirms their own address keeps only the current session', async () => {
  const id = await anAccount(platform.db, { role: 'Admin' })
  const [here, elsewhere] = [await platform.as(id), await platform.as(id)]
  expect(
    (await here.put(`/api/admin/users/${id.toUpperCase()}`, { email: 'second@example.org', emailConfirmed: true })).status,
  ).toBe(200)
  expect([await isSignedIn(here), await isSignedIn(elsewhere)]).toEqual([true, false])
  expect((await here.put(`/api/admin/users/${id}`, { email: 'third@example.org' })).status).toBe(200)
  expect(await isSignedIn(here)).toBe(false)
})

test('P1.14 P7.22 after a reset by an administrator the old password fails, and the new one opens only that account', async () => {
  const [me, neighbour] = [await someone(), await someone()]
  const { body } = await admin.delete(`${user(me)}/password`)
  expect(body).toHaveLength(16)
  expect((await login(me.userName, 'aaaaaa')).error.code).toBe('account.credentials_wrong')
  expect((await login(me.userName, body)).status).toBe(200)
  expect((await login(neighbour.userName, body)).error.code).toBe('account.credentials_wrong')
})

test('P7.14 P7.8 a browser that registers or signs in ends its previous session and no other', async () => {
  const me = await someone()
  const cookieOf = ({ headers }: Answer) => String((headers['set-cookie'] as string[])[0]).split(';')[0] as string
  const first = cookieOf(await login(me.userName, 'aaaaaa'))
  let received = 0
  const stop = platform.deps.bus.subscribe('security.changed', () => void received++)
  const another = { userName: `Ends${++count}`, password: 'aaaaaa', email: `ends${count}@example.org` }
  // Without a session cookie in the request, no session ends.
  expect((await platform.anyone.post('/api/account/register', another)).status).toBe(200)
  const newcomer = { userName: `Ends${++count}`, password: 'aaaaaa', email: `ends${count}@example.org` }
  const registered = await platform.anyone.post('/api/account/register', newcomer, { cookie: first })
  const profile = async (cookie: string) => (await platform.anyone.get('/api/account/profile', { cookie })).body.userName
  expect([await profile(first), await profile(cookieOf(registered))]).toEqual([undefined, newcomer.userName])
  await expect.poll(() => received).toBe(1)
  const again = { userName: me.userName, password: 'aaaaaa' }
  const back = await platform.anyone.post('/api/account/login', again, { cookie: cookieOf(registered) })
  expect([await profile(cookieOf(registered)), await profile(cookieOf(back))]).toEqual([undefined, me.userName])
  await expect.poll(() => received).toBe(2)
  stop()
  expect([await isSignedIn(me.here), await isSignedIn(me.elsewhere)]).toEqual([true, true])
})

test('P7.14 a new account is a regular player with no profile details, and records when and from where it was created', async () => {
  const { userName, email } = { userName: `Ends${++count}`, email: `Ends${count}@Example.org` }
  const headers = { 'x-forwarded-for': '192.0.2.9' }
  const now = async () => {
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(platform.db)
    return rows[0]!.now.getTime()
  }
  const before = await now()
  await platform.anyone.post('/api/account/register', { userName, password: 'aaaaaa', email }, headers)
  const after = await now()
  const row = await platform.db.selectFrom('accounts').selectAll().where('userName', '=', userName).executeTakeFirstOrThrow()
  expect(row).toMatchObject({
    email,
    role: 'User',
    active: true,
    bio: '',
    phone: null,
    realName: '',
    studentNumber: '',
    avatarHash: null,
    lastIp: '192.0.2.9',
  })
  for (const time of [row.registeredAt, row.lastVisitAt]) {
    expect(time.getTime()).toBeGreaterThanOrEqual(before)
    // Stored to the millisecond, rounded.
    expect(time.getTime()).toBeLessThanOrEqual(after + 1)
  }
  expect(row.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('P4.21 P7.14 without mail the first registration of an address is kept until an administrator decides', async () => {
  await admin.put('/api/admin/config', { accountPolicy: { activeOnRegister: false } })
  try {
    const first = { userName: `Ends${++count}`, password: 'first-password', email: `ends${count}@example.org` }
    const later = { userName: `Ends${++count}`, password: 'later-password', email: first.email.toUpperCase() }
    expect((await platform.anyone.post('/api/account/register', first)).body.data).toBe('AdminConfirmationRequired')
    const answers = await Promise.all([1, 2, 3].map(() => platform.anyone.post('/api/account/register', later)))
    for (const { error } of answers) expect(error).toMatchObject({ status: 400, code: 'account.exists' })
    const found = await platform.db.selectFrom('accounts').selectAll().where('email', 'ilike', first.email).execute()
    expect(found).toMatchObject([{ userName: first.userName, active: false }])
    await admin.put(`/api/admin/users/${found[0]?.id}`, { emailConfirmed: true })
    expect((await login(first.email, later.password)).status).toBe(401)
    expect((await login(first.email, first.password)).status).toBe(200)
    expect(await platform.db.selectFrom('registrationAttempts').selectAll().execute()).toEqual([])
  } finally {
    await admin.put('/api/admin/config', { accountPolicy: { activeOnRegister: true } })
  }
})
