import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { aGif, aPng, aTurnedJpeg, htmlBytes } from '../../test/builders/images.ts'
import { type Answer, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { inTransaction } from '../db/transaction.ts'
import { cookieName } from '../http/session-cookie.ts'
import { type SettingValues, saveSettings, settingDefaults } from '../site/settings.ts'
import { hashPassword, hashQueue } from './passwords.ts'
import { startSession } from './sessions.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
  await anAccount(platform.db, { role: 'Admin' })
})
afterAll(() => platform.stop())
beforeEach(() => settings(settingDefaults))

let count = 0
const someone = () => {
  const userName = `Player${++count}`
  return { userName, password: 'aaaaaa', email: `${userName}@example.org` }
}
const settings = async (changes: Partial<SettingValues>) => {
  await inTransaction(platform.db, (tx) => saveSettings(tx, changes))
  await platform.deps.settings.reload()
}
const cookieOf = ({ headers }: Answer) => String(headers['set-cookie'] ?? '').split(';')[0] as string
const register = (body: object) => platform.anyone.post('/api/account/register', body)
const login = (userName: string, password = 'aaaaaa', headers = {}) =>
  platform.anyone.post('/api/account/login', { userName, password }, headers)
const profile = (cookie: string) => platform.anyone.get('/api/account/profile', { cookie })
const logged = async () => {
  await platform.deps.log.flush()
  return platform.db.selectFrom('logs').selectAll().orderBy('id').execute()
}
const passwordOf = (id: string) =>
  platform.db.selectFrom('accounts').select('passwordHash').where('id', '=', id).executeTakeFirstOrThrow()
const anActiveAccount = async (options: Parameters<typeof anAccount>[1] = {}) => {
  const { userName, email } = someone()
  const id = await anAccount(platform.db, { userName, email, passwordHash: await hashPassword('aaaaaa', 'test'), ...options })
  return { id, userName, email }
}

describe('registering', () => {
  test('P3.1 P7.12 P1.2 P7.14 P3.2 valid data creates an account and signs it in', async () => {
    const { userName, email, password } = someone()
    const answer = await register({ userName, email, password })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ title: 'Registered and signed in', data: 'LoggedIn', status: 200 })
    expect(answer.headers['cache-control']).toBe('no-cache, no-store')
    expect(answer.headers.pragma).toBe('no-cache')
    expect((answer.headers['set-cookie'] as string[])[0]).toMatch(
      /^vexil_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const { body } = await profile(cookieOf(answer))
    expect(body).toEqual({
      userId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      userName,
      email,
      bio: '',
      phone: null,
      realName: '',
      stdNumber: '',
      avatar: null,
      role: 'User',
    })
    expect(await logged()).toContainEqual(
      expect.objectContaining({ level: 'Information', status: 'Success', name: userName, message: 'User registered' }),
    )
  })

  test('P7.14 a taken name or address is refused in any case', async () => {
    const first = someone()
    await register(first)
    const name = await register({ ...someone(), userName: first.userName.toUpperCase() })
    expect(name.error).toMatchObject({ status: 400, code: 'account.name_taken', title: 'This username is already in use' })
    const mail = await register({ ...someone(), email: first.email.toUpperCase() })
    expect(mail.error).toMatchObject({ status: 400, code: 'account.exists', title: 'This account already exists' })
  })

  test('P7.14 the same name registered twenty times concurrently creates one account', async () => {
    const { userName, password } = someone()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => register({ userName, password, email: `same${i}@example.org` })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ error }) => error.code === 'account.name_taken')).toHaveLength(19)
  })

  test.each([
    ['a password of five characters', { password: 'aaaaa' }, 'account.password_too_short'],
    ['an empty password', { password: '' }, 'account.password_too_short'],
    ['a password of six blanks', { password: '      ' }, 'account.password_too_short'],
    ['no password', { password: undefined }, 'account.password_too_short'],
    ['a name of two characters', { userName: 'ab' }, 'account.name_invalid'],
    ['a name of sixteen characters', { userName: 'a'.repeat(16) }, 'account.name_invalid'],
    ['a blank name', { userName: '    ' }, 'account.name_invalid'],
    ['an address without a host', { email: 'a@b' }, 'account.email_invalid'],
    ['an address with two @', { email: 'a@b@example.org' }, 'account.email_invalid'],
    ['no address', { email: null }, 'account.email_invalid'],
    ['a number as name', { userName: 12345 }, 'request.invalid'],
    ['text that cannot be stored', { userName: 'ab\0cd' }, 'request.invalid'],
  ])('P3.1 P5.1 P9.1 P7.14 %s is refused', async (_, wrong, code) => {
    expect((await register({ ...someone(), ...wrong })).error).toMatchObject({ status: 400, code })
  })

  test('P5.1 P9.1 a password of six equal characters is accepted', async () => {
    expect((await register({ ...someone(), password: 'aaaaaa' })).status).toBe(200)
  })

  test('P7.1 P7.14 property names in any case, unknown properties and a mixed-case path are accepted', async () => {
    const { userName, email, password } = someone()
    const body = { USERNAME: userName, Password: password, eMail: email, challenge: null, remember: true }
    expect((await platform.anyone.post('/API/Account/REGISTER/', body)).body.data).toBe('LoggedIn')
  })

  test('P3.40 P7.14 closed registration is checked before the other policies', async () => {
    await settings({ 'AccountPolicy:AllowRegister': false, 'AccountPolicy:EmailDomainList': 'other.org' })
    expect((await register(someone())).error).toMatchObject({ status: 400, code: 'account.registration_closed' })
  })

  test('P3.41 P5.25 P7.14 an address outside the allowed domains is refused, regardless of case', async () => {
    await settings({ 'AccountPolicy:EmailDomainList': ' Example.ORG , b.net' })
    expect((await register(someone())).status).toBe(200)
    const refused = await register({ ...someone(), email: 'x@example.com' })
    expect(refused.error).toMatchObject({ code: 'account.domain_refused', data: { domains: 'example.org, b.net' } })
  })

  test('P3.40 P3.48 P7.14 P4.21 without automatic activation the account waits for an administrator and cannot sign in', async () => {
    await settings({ 'AccountPolicy:ActiveOnRegister': false })
    const { userName, email, password } = someone()
    const answer = await register({ userName, email, password })
    expect(answer.body).toMatchObject({ data: 'AdminConfirmationRequired', status: 200 })
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect((await login(userName)).error).toMatchObject({ status: 401, code: 'account.not_active' })
    expect((await login(userName, 'wrong!')).error.code).toBe('account.credentials_wrong')
    await platform.db.updateTable('accounts').set({ active: true }).where('userName', '=', userName).execute()
    expect((await login(userName)).status).toBe(200)
  })

  test('P7.14 registering the address of a waiting account again does not sign in', async () => {
    await settings({ 'AccountPolicy:ActiveOnRegister': false })
    const waiting = someone()
    await register(waiting)
    await settings({ 'AccountPolicy:ActiveOnRegister': true })
    const again = await register({ ...someone(), email: waiting.email })
    expect(again.error.code).toBe('account.exists')
    expect(again.headers['set-cookie']).toBeUndefined()
  })

  test('P7.14 with mail confirmation but no mail server, no account is created', async () => {
    await settings({ 'AccountPolicy:ActiveOnRegister': false, 'AccountPolicy:EmailConfirmationRequired': true })
    const { userName, email, password } = someone()
    expect((await register({ userName, email, password })).error).toMatchObject({ status: 400, code: 'mail.not_configured' })
    await settings(settingDefaults)
    expect((await register({ userName, email, password })).status).toBe(200)
  })
})

test('P7.13 P7.6 without a mail server recovery and address changes are unavailable, even if the policy requires confirmation by mail', async () => {
  await settings({ 'AccountPolicy:EmailConfirmationRequired': true })
  const { id, email } = await anActiveAccount()
  const recovered = await platform.anyone.post('/api/account/recovery', { email })
  expect(recovered.error).toMatchObject({ status: 400, code: 'mail.not_configured' })
  const changed = await (await platform.as(id)).put('/api/account/changeemail', { newMail: `new-${email}` })
  expect(changed.error).toMatchObject({ status: 400, code: 'mail.not_configured' })
  expect(await platform.db.selectFrom('mails').selectAll().execute()).toEqual([])
})

describe('signing in and out', () => {
  test('P3.48 P7.8 by name or address in any case: an empty 200 and a cookie', async () => {
    const { userName, email } = await anActiveAccount()
    for (const loginName of [userName, ` ${userName.toUpperCase()} `, email, ` ${email.toUpperCase()} `]) {
      const answer = await login(loginName)
      expect([answer.status, answer.body, answer.headers['content-type']]).toEqual([200, '', undefined])
      expect((await profile(cookieOf(answer))).status).toBe(200)
    }
    expect(await logged()).toContainEqual(expect.objectContaining({ status: 'Success', name: userName, message: 'Logged in' }))
  })

  test('P7.8 P8.1 a wrong password and an unknown user return the same error and are logged', async () => {
    const { userName } = await anActiveAccount()
    const wrong = await login(userName, 'not the one')
    expect(wrong.error).toMatchObject({ title: 'Wrong username or password', status: 401, code: 'account.credentials_wrong' })
    expect(wrong.status).toBe(401)
    const unknown = await login('somebody of a very long name', 'not the one')
    expect({ ...unknown.error, requestId: '' }).toEqual({ ...wrong.error, requestId: '' })
    const entries = await logged()
    expect(entries).toContainEqual(
      expect.objectContaining({ level: 'Warning', status: 'Failed', name: userName, ip: '127.0.0.1' }),
    )
    const message = 'Login failed: no account is named "somebody of a very long name"'
    expect(entries).toContainEqual(expect.objectContaining({ status: 'Failed', name: 'Anonymous', ip: '127.0.0.1', message }))
    expect(JSON.stringify(entries)).not.toContain('not the one')
  })

  test('P7.8 P8.1 an unknown name is logged with its first 64 characters, without unprintable ones', async () => {
    for (const typed of ['x'.repeat(70), 'a\u202eb\nc']) expect((await login(typed, 'not the one')).status).toBe(401)
    const messages = (await logged()).map(({ message }) => message)
    expect(messages).toContain(`Login failed: no account is named "${'x'.repeat(64)}"`)
    expect(messages.filter((message) => message.includes('named "a'))).toEqual([expect.not.stringMatching(/[\u202e\n]/)])
  })

  test('P7.2 the same refusal has a title in each of three languages', async () => {
    const ask = async (language: string) => (await login('nobody', 'nothing', { 'accept-language': language })).error.title
    const titles = await Promise.all(['en-US', 'zh_CN', 'ja-JP;q=0.9'].map(ask))
    expect(new Set(titles).size).toBe(3)
    expect(titles[0]).toBe('Wrong username or password')
    expect((await login('nobody', 'x', { 'accept-language': 'ja-JP' })).headers['content-language']).toBe('ja-JP')
  })

  test('P8.2 P7.8 P6.2 a login of a banned user reports the ban only after the right password', async () => {
    const { userName } = await anActiveAccount({ role: 'Banned' })
    expect((await login(userName, 'wrong!')).error.code).toBe('account.credentials_wrong')
    const loginAnswer = await login(userName)
    expect([loginAnswer.status, loginAnswer.error.title]).toEqual([401, 'User has been banned'])
    expect(loginAnswer.headers['set-cookie']).toBeUndefined()
  })

  test('P6.2 P7.12 a ban takes effect at once on an open session', async () => {
    const { id, userName } = await anActiveAccount()
    const cookie = cookieOf(await login(userName))
    expect((await profile(cookie)).status).toBe(200)
    const admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
    expect((await admin.put(`/api/admin/users/${id}`, { role: 'Banned' })).status).toBe(200)
    expect([401, 403]).toContain((await profile(cookie)).status)
  })

  test('P7.12 a ban set directly in the database takes effect within a second, with the error for banned accounts', async () => {
    const { id, userName } = await anActiveAccount()
    const cookie = cookieOf(await login(userName))
    expect((await profile(cookie)).status).toBe(200)
    await platform.db.updateTable('accounts').set({ role: 'Banned' }).where('id', '=', id).execute()
    await vi.waitFor(
      async () => expect((await profile(cookie)).error).toMatchObject({ status: 403, title: 'Access denied' }),
      1500,
    )
  })

  test('P7.12 the profile requires a login', async () => {
    expect((await platform.anyone.get('/api/account/profile')).error).toMatchObject({ status: 401, code: 'auth.required' })
    expect((await profile('vexil_session=made-up')).status).toBe(401)
  })

  test('SESS-3 the session call returns null, the caller’s profile, or a banned account', async () => {
    const requestWith = async (cookie?: string) => {
      const { status, body } = await platform.anyone.get('/api/account/session', cookie ? { cookie } : {})
      expect(status).toBe(200)
      return body.user
    }
    expect(await requestWith()).toBeNull()
    expect(await requestWith('vexil_session=made-up')).toBeNull()
    const { id, userName } = await anActiveAccount()
    const other = await anActiveAccount()
    const cookie = cookieOf(await login(userName))
    expect(await requestWith(cookie)).toEqual((await profile(cookie)).body)
    expect((await requestWith(cookie)).userName).not.toBe(other.userName)
    await platform.db.updateTable('accounts').set({ role: 'Banned' }).where('id', '=', id).execute()
    expect(await requestWith(cookie)).toMatchObject({ userName, role: 'Banned' })
  })

  test('P7.8 a new login ends the previous session of the same browser', async () => {
    const { userName } = await anActiveAccount()
    const old = cookieOf(await login(userName))
    const elsewhere = cookieOf(await login(userName))
    await login(userName, 'aaaaaa', { cookie: old })
    expect((await profile(old)).status).toBe(401)
    expect((await profile(elsewhere)).status).toBe(200)
  })

  test('P7.9 logout works without a login and invalidates copies of the cookie', async () => {
    const nobody = await platform.anyone.post('/api/account/logout')
    expect([nobody.status, nobody.body]).toEqual([200, ''])
    const { userName, id } = await anActiveAccount()
    const cookie = cookieOf(await login(userName))
    await platform.db.updateTable('accounts').set({ role: 'Banned' }).where('id', '=', id).execute()
    const out = await platform.anyone.post('/api/account/logout', undefined, { cookie })
    expect(out.status).toBe(200)
    expect(String(out.headers['set-cookie'])).toMatch(/^vexil_session=; .*Expires=Thu, 01 Jan 1970/)
    expect((await profile(cookie)).status).toBe(401)
  })

  test('P7.8 P3.5 the time of the login is recorded', async () => {
    const { id, userName } = await anActiveAccount()
    await login(userName)
    const { lastVisitAt, lastIp } = await platform.db
      .selectFrom('accounts')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(Date.now() - lastVisitAt.getTime()).toBeLessThan(60_000)
    expect(lastIp).toBe('127.0.0.1')
  })
})

describe('the own profile', () => {
  test('P3.3 P7.15 phone, real name, student number and bio are saved and read back', async () => {
    const { id } = await anActiveAccount()
    const me = await platform.as(id)
    const changes = { bio: 'b'.repeat(128), phone: '+1 (23) 45-6', realName: 'Ann Other', stdNumber: '0042' }
    const answer = await me.put('/api/account/update', changes)
    expect([answer.status, answer.body]).toEqual([200, ''])
    expect((await me.get('/api/account/profile')).body).toMatchObject(changes)
  })

  test('P7.15 null and absent keep a field, blank clears it, and role is ignored', async () => {
    const { id } = await anActiveAccount({ bio: 'kept', realName: 'gone', studentNumber: 'gone', phone: '123' })
    const me = await platform.as(id)
    await me.put('/api/account/update', { bio: null, realName: '', StdNumber: '', phone: '', role: 'Admin' })
    expect((await me.get('/api/account/profile')).body).toMatchObject({
      bio: 'kept',
      realName: '',
      stdNumber: '',
      phone: null,
      role: 'User',
    })
  })

  test('P7.15 an update without fields changes nothing', async () => {
    const { id } = await anActiveAccount({ bio: 'kept', phone: '123' })
    const [me, elsewhere] = [await platform.as(id), await platform.as(id)]
    const before = (await me.get('/api/account/profile')).body
    expect(await me.put('/api/account/update', { userName: null })).toMatchObject({ status: 200, body: '' })
    expect((await elsewhere.get('/api/account/profile')).body).toEqual(before)
  })

  test.each([
    ['bio of 129 characters', { bio: 'b'.repeat(129) }],
    ['real name of 129 characters', { realName: 'b'.repeat(129) }],
    ['student number of 65 characters', { stdNumber: '1'.repeat(65) }],
    ['phone of letters', { phone: 'call me' }],
    ['name of two characters', { userName: 'ab' }],
    ['name of sixteen characters', { userName: 'a'.repeat(16) }],
    ['blank name', { userName: '   ' }],
  ])('P3.3 P7.15 a %s is refused and nothing is stored', async (_, wrong) => {
    const { id } = await anActiveAccount({ bio: 'before' })
    const me = await platform.as(id)
    const { status, error } = await me.put('/api/account/update', { bio: 'after', ...wrong })
    expect([status, error.status]).toEqual([400, 400])
    expect((await me.get('/api/account/profile')).body.bio).toBe('before')
  })

  test('P7.15 a taken name refuses the whole update', async () => {
    const other = await anActiveAccount()
    const { id } = await anActiveAccount()
    const me = await platform.as(id)
    const { error } = await me.put('/api/account/update', { userName: other.userName.toLowerCase(), bio: 'new' })
    expect(error).toMatchObject({ status: 400, code: 'account.name_taken' })
    expect((await me.get('/api/account/profile')).body.bio).toBe('')
  })

  test('P7.15 a new name ends the other sessions, keeps the current one and is logged', async () => {
    const { id, userName } = await anActiveAccount()
    const [me, elsewhere] = [await platform.as(id), await platform.as(id)]
    expect((await me.put('/api/account/update', { userName: `${userName}x` })).status).toBe(200)
    expect((await me.get('/api/account/profile')).body.userName).toBe(`${userName}x`)
    expect((await elsewhere.get('/api/account/profile')).status).toBe(401)
    expect(await logged()).toContainEqual(expect.objectContaining({ message: `Name changed: ${userName} => ${userName}x` }))
  })

  test('P7.7 P3.2 a new password ends all other sessions at once and reissues the cookie', async () => {
    const { id, userName } = await anActiveAccount()
    const { passwordHash } = await passwordOf(id)
    const neighbour = await anAccount(platform.db, { passwordHash })
    const [mine, other] = [cookieOf(await login(userName)), cookieOf(await login(userName))]
    const changed = await platform.anyone.put('/api/account/changepassword', { old: 'aaaaaa', new: 'bbbbbb' }, { cookie: mine })
    expect([changed.status, changed.body]).toEqual([200, ''])
    expect((await profile(other)).status).toBe(401)
    expect((await profile(mine)).status).toBe(401)
    expect((await profile(cookieOf(changed))).status).toBe(200)
    expect(await logged()).toContainEqual(
      expect.objectContaining({ status: 'Success', name: userName, ip: '127.0.0.1', message: 'Password changed' }),
    )
    expect((await login(userName, 'aaaaaa')).status).toBe(401)
    expect((await login(userName, 'bbbbbb')).status).toBe(200)
    expect(await passwordOf(neighbour)).toEqual({ passwordHash })
  })

  test('P7.7 of two concurrent password changes only one succeeds', async () => {
    const { id, userName } = await anActiveAccount()
    const me = await platform.as(id)
    const run = hashQueue.run
    let requestCount = 0
    const other = await hashPassword('cccccc', 'test')
    const spy = vi.spyOn(hashQueue, 'run').mockImplementation(async (caller, work) => {
      // The password changes between the comparison and the storing of the new hash.
      if (++requestCount === 2)
        await platform.db.updateTable('accounts').set({ passwordHash: other }).where('id', '=', id).execute()
      return run(caller, work)
    })
    const { status, error } = await me.put('/api/account/changepassword', { old: 'aaaaaa', new: 'bbbbbb' })
    spy.mockRestore()
    expect([requestCount, status, error.code]).toEqual([2, 400, 'account.old_password_wrong'])
    expect((await me.get('/api/account/profile')).status).toBe(200)
    expect([(await login(userName, 'bbbbbb')).status, (await login(userName, 'cccccc')).status]).toEqual([401, 200])
  })

  test.each([
    ['a wrong old password', { old: 'wrong!', new: 'bbbbbb' }, 'account.old_password_wrong'],
    ['a new one of five characters', { old: 'aaaaaa', new: 'bbbbb' }, 'account.password_too_short'],
    ['a new one of six blanks', { old: 'aaaaaa', new: '      ' }, 'account.password_too_short'],
    ['an old one of five characters', { old: 'aaaaa', new: 'bbbbbb' }, 'account.password_too_short'],
  ])('P7.7 P5.1 %s returns 400 and ends no session', async (_, body, code) => {
    const { id } = await anActiveAccount()
    const me = await platform.as(id)
    const { error } = await me.put('/api/account/changepassword', body)
    expect(error).toMatchObject({ status: 400, code, ...(code === 'account.password_too_short' && { data: { min: 6 } }) })
    expect((await me.get('/api/account/profile')).status).toBe(200)
  })

  test('P7.15 the caller’s games are listed with team and division', async () => {
    const { id } = await anActiveAccount()
    const team = await aTeam(platform.db, { captain: id, name: 'Mine' })
    const game = await aGame(platform.db)
    await aParticipation(platform.db, game, team, { status: 'Pending', division: 'junior' })
    const me = await platform.as(id)
    const later = await aGame(platform.db)
    await aParticipation(platform.db, later, team)
    expect((await me.get('/api/account/games')).body).toEqual([
      { gameId: later, status: 'Accepted', teamId: team.id, teamName: 'Mine', organization: null },
      { gameId: game, status: 'Pending', teamId: team.id, teamName: 'Mine', organization: 'junior' },
    ])
    expect((await (await platform.as((await anActiveAccount()).id)).get('/api/account/games')).body).toEqual([])
  })

  test('P3.5 last visits are collected and written in one batch', async () => {
    const { id } = await anActiveAccount()
    await (await platform.as(id)).get('/api/account/profile')
    const { openVisits } = await import('./visits.ts')
    const visits = openVisits(platform.db, () => {})
    visits.seen(id, '10.0.0.7')
    visits.seen(id, '10.0.0.8')
    await visits.close()
    const row = await platform.db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(row.lastIp).toBe('10.0.0.8')
    expect(Date.now() - row.lastVisitAt.getTime()).toBeLessThan(60_000)
  })
})

describe('avatars', () => {
  const put = async (id: string, bytes: Buffer, name = 'me.png', part = 'file') =>
    (await platform.as(id)).upload('PUT', '/api/account/avatar', part, [{ name, bytes }])

  test('P7.5 P5.10 an image is converted to a WebP of 300 pixels and shown in the profile', async () => {
    const { id } = await anActiveAccount()
    const { status, body } = await put(id, await aPng({ width: 900, height: 600 }))
    expect(status).toBe(200)
    expect(body).toMatch(/^\/assets\/[0-9a-f]{64}\/avatar\.webp$/)
    const { headers, rawPayload } = await platform.app.inject({ url: body })
    expect(headers['content-type']).toBe('image/webp')
    const { default: sharp } = await import('sharp')
    expect(await sharp(rawPayload).metadata()).toMatchObject({ width: 300, height: 200 })
    const shown = (await (await platform.as(id)).get('/api/account/profile')).body.avatar
    expect(shown).toBe(body.replace(/\.webp$/, ''))
    expect((await platform.anyone.get(shown)).status).toBe(200)
    const message = `Avatar changed: ${body.split('/')[2].slice(0, 8)}`
    expect(await logged()).toContainEqual(expect.objectContaining({ status: 'Success', ip: '127.0.0.1', message }))
  })

  test('P7.5 a GIF stays animated and loses its hidden metadata', async () => {
    const { id } = await anActiveAccount()
    const gif = await aGif()
    const { body } = await put(id, Buffer.concat([gif, htmlBytes]), 'me.gif')
    expect(body).toMatch(/\/avatar\.gif$/)
    const reply = await platform.app.inject({ url: body })
    expect(reply.rawPayload.includes('script')).toBe(false)
    const { default: sharp } = await import('sharp')
    expect(await sharp(reply.rawPayload, { animated: true }).metadata()).toMatchObject({ pages: 2, delay: [100, 100] })
    expect(reply.headers['content-type']).toBe('image/gif')
  })

  test('P7.5 a photo is rotated upright and loses its camera metadata', async () => {
    const { id } = await anActiveAccount()
    const { body } = await put(id, await aTurnedJpeg(40, 20), 'me.jpg')
    const { rawPayload } = await platform.app.inject({ url: body })
    const { default: sharp } = await import('sharp')
    expect(await sharp(rawPayload).metadata()).toMatchObject({ format: 'webp', width: 20, height: 40 })
    expect(rawPayload.includes('SecretCamera')).toBe(false)
  })

  test('P5.10 P9.2 an image of exactly 3 MiB is accepted', async () => {
    const { id } = await anActiveAccount()
    expect((await put(id, await aPng({ size: 3 * 1024 * 1024 }))).status).toBe(200)
  })

  test('P5.10 P9.2 one byte more than 3 MiB is refused', async () => {
    const { id } = await anActiveAccount()
    expect((await put(id, await aPng({ size: 3 * 1024 * 1024 + 1 }))).error).toMatchObject({
      status: 400,
      code: 'file.too_large',
    })
  })

  test.each([
    ['HTML named .png', htmlBytes, 'file.image_invalid'],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script/></svg>'), 'file.image_invalid'],
    ['a truncated PNG', Buffer.from('89504e470d0a1a0a0000000d4948445200000008', 'hex'), 'file.image_invalid'],
    ['nothing', Buffer.alloc(0), 'file.empty'],
  ])('P5.10 P7.5 %s is refused and the old image is kept', async (_, bytes, code) => {
    const { id } = await anActiveAccount()
    const { body } = await put(id, await aPng({ width: 30 + count }))
    expect((await put(id, bytes)).error).toMatchObject({ status: 400, code })
    expect((await (await platform.as(id)).get('/api/account/profile')).body.avatar).toBe(body.replace(/\.webp$/, ''))
    expect((await platform.anyone.get(body)).status).toBe(200)
  })

  test('P5.10 a small file that declares huge dimensions is refused before decoding', async () => {
    const { id } = await anActiveAccount()
    const bomb = await aPng({ width: 10_000, height: 5_001 })
    expect(bomb.length).toBeLessThan(1024 * 1024)
    expect((await put(id, bomb)).error.code).toBe('file.image_invalid')
  })

  test('P7.5 a part with another name, or a request that is not multipart, is refused', async () => {
    const { id } = await anActiveAccount()
    expect((await put(id, await aPng(), 'me.png', 'picture')).error).toMatchObject({ status: 400, code: 'file.missing' })
    expect((await (await platform.as(id)).put('/api/account/avatar', {})).status).toBe(415)
  })

  test.each([
    ['PUT', '/api/account/avatar', 'file'],
    ['POST', '/api/assets', 'files'],
  ] as const)('P7.5 P7.39 a form that ends early is refused as incomplete: %s %s', async (method, url, part) => {
    const { id } = await anActiveAccount({ role: 'Admin' })
    const cookie = `${cookieName}=${await startSession(platform.db, id)}`
    const headers = { cookie, 'content-type': 'multipart/form-data; boundary=b' }
    const inside = `--b\r\nContent-Disposition: form-data; name="${part}"; filename="a.png"\r\n\r\nbytes`
    for (const payload of ['x', inside, `${inside}${'x'.repeat(400_000)}`, `${inside}\r\n${inside}`]) {
      const answer = await platform.app.inject({ method, url, headers, payload })
      expect([answer.statusCode, answer.json().code], payload.slice(0, 100)).toEqual([400, 'request.malformed'])
    }
  })

  test('P7.5 a new image deletes the old one, unless another account uses the same', async () => {
    const [one, two] = [await anActiveAccount(), await anActiveAccount()]
    const [first, second] = [await aPng({ width: 111 }), await aPng({ width: 112 })]
    const { body: url } = await put(one.id, first)
    await put(two.id, first)
    await put(one.id, second)
    expect((await platform.anyone.get(url)).status).toBe(200)
    await put(two.id, second)
    expect((await platform.anyone.get(url)).status).toBe(404)
    expect(await platform.deps.storage.has(url.split('/')[2])).toBe(false)
  })
})

describe('mail', () => {
  test('changing the address while mail confirmation is off returns 400 with data: false', async () => {
    const { id, email } = await anActiveAccount()
    const me = await platform.as(id)
    expect((await me.put('/api/account/changeemail', { newMail: 'other@example.org' })).body).toMatchObject({
      data: false,
      status: 400,
      title: expect.any(String),
    })
    expect((await me.put('/api/account/changeemail', { newMail: email.toUpperCase() })).error.code).toBe('account.email_taken')
  })
})

test('an account that is deleted during a login or a request returns an authentication error or "not found", never a server error', async () => {
  const { id: team } = await aTeam(platform.db, { name: 'Open' })
  const { inviteToken } = await platform.db
    .selectFrom('teams')
    .select('inviteToken')
    .where('id', '=', team)
    .executeTakeFirstOrThrow()
  for (let round = 0; round < 20; round++) {
    const { id, userName } = await anActiveAccount()
    const own = await platform.as(id)
    const [signedIn, profile, created, joined] = await Promise.all([
      login(userName),
      own.get('/api/account/profile'),
      own.post('/api/team', { name: 'Late' }),
      own.post('/api/team/accept', `Open:${team}:${inviteToken}`),
      platform.db.deleteFrom('teams').where('captainId', '=', id).execute(),
      platform.db
        .deleteFrom('accounts')
        .where('id', '=', id)
        .execute()
        .catch(() => {}),
    ])
    expect([200, 401]).toContain(signedIn.status)
    expect([200, 401, 404]).toContain(profile.status)
    for (const { status } of [created, joined]) expect([200, 401, 404]).toContain(status)
  }
})
