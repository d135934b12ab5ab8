import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { anAccount, aTeam } from '../../test/builders/game.ts'
import { linkIn, type MailServer, startMailServer } from '../../test/mail-server.ts'
import { type Answer, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { inTransaction } from '../db/transaction.ts'
import { cookieName } from '../http/session-cookie.ts'
import { type SettingValues, saveSettings, settingDefaults } from '../site/settings.ts'
import { type TokenPurpose, tokenOf } from './mails/link-tokens.ts'
import { linkKey, writeMail, writeRegistrationMail } from './mails/write-mail.ts'
import { hashPassword, hashQueue } from './passwords.ts'
import { recoverAccount } from './recover-account.ts'
import { forgetAttempts, insertAttempt } from './registrations.queries.ts'
import { startSession } from './sessions.ts'

let platform: TestPlatform
let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
  platform = await startTestPlatform({
    PUBLIC_URL: 'https://ctf.example.org',
    VEXIL_MAIL_HOST: '127.0.0.1',
    VEXIL_MAIL_PORT: String(server.port),
    VEXIL_MAIL_SENDER: 'ctf@example.org',
    VEXIL_MAIL_IGNORE_CERTIFICATE: 'true',
  })
  await anAccount(platform.db, { role: 'Admin' })
})
afterAll(async () => {
  await platform.stop()
  await server.stop()
})
const byMail = {
  ...settingDefaults,
  'AccountPolicy:ActiveOnRegister': false,
  'AccountPolicy:EmailConfirmationRequired': true,
}
beforeEach(() => settings(byMail))

const settings = async (changes: Partial<SettingValues>) => {
  await inTransaction(platform.db, (tx) => saveSettings(tx, changes))
  await platform.deps.settings.reload()
}
let count = 0
const someone = (part: Partial<Record<'userName' | 'password' | 'email', string>> = {}) => {
  const userName = `Player${++count}`
  return { userName, password: 'aaaaaa', email: `${userName}@example.org`, ...part }
}
const base64 = (text: string) => Buffer.from(text).toString('base64')
const cookieOf = ({ headers }: Answer) => String(headers['set-cookie'] ?? '').split(';')[0] as string
const post = (path: string, body: object, headers = {}) => platform.anyone.post(`/api/account/${path}`, body, headers)
const register = (body: object, headers = {}) => post('register', body, headers)
const login = (userName: string, password = 'aaaaaa') => post('login', { userName, password })
const verify = (link: { token: string; email: string }, headers = {}) =>
  post('verify', { token: link.token, email: link.email }, headers)
const reset = (link: { token: string; email: string }, password = 'bbbbbb') =>
  post('passwordreset', { password, rToken: link.token, email: link.email })
const profile = (cookie: string) => platform.anyone.get('/api/account/profile', { cookie })
const row = (email: string) =>
  platform.db.selectFrom('accounts').selectAll().where('email', 'ilike', email).executeTakeFirstOrThrow()
const mailsTo = (recipient: string) => platform.db.selectFrom('mails').selectAll().where('recipient', '=', recipient).execute()
const logged = async () => {
  await platform.deps.log.flush()
  return platform.db.selectFrom('logs').selectAll().orderBy('id', 'desc').limit(50).execute()
}
const hash = await hashPassword('aaaaaa', 'test')
const anActiveOne = async (options: Parameters<typeof anAccount>[1] = {}) => {
  const { userName, email } = someone()
  const id = await anAccount(platform.db, { userName, email, passwordHash: hash, ...options })
  return { id, userName, email }
}
/** Writes a mail and returns the link that it contains. */
async function aLink(kind: TokenPurpose, { id, userName }: { id: string; userName: string }, recipient: string) {
  const cause = { kind, accountId: id, userName, recipient, language: 'en_US' } as const
  await inTransaction(platform.db, (tx) => writeMail(tx, platform.deps, cause))
  const mail = await platform.db
    .selectFrom('mails')
    .selectAll()
    .where('accountId', '=', id)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  return { token: base64(tokenOf(linkKey(platform.deps), mail)), email: base64(recipient) }
}
/** The link of a registration for the address, with the password aaaaaa. */
async function anActivationLink({ userName, email }: { userName: string; email: string }) {
  const token = await inTransaction(platform.db, async (tx) => {
    const made = await writeRegistrationMail(tx, platform.deps, { userName, recipient: email, language: 'en_US' })
    await insertAttempt(tx, made, { userName, email, passwordHash: hash })
    return made
  })
  return { token: base64(token), email: base64(email) }
}
const expire = async () => {
  for (const table of ['mail_tokens', 'registration_attempts'])
    await platform.database.pool.query(`update ${table} set expires_at = clock_timestamp() - interval '1 second'`)
}
/** Makes all links this many minutes older. */
const age = async (minutes: number) => {
  for (const table of ['mail_tokens', 'registration_attempts'])
    await platform.database.pool.query(`update ${table} set expires_at = expires_at - make_interval(mins => $1)`, [minutes])
}
const attemptsOf = (email: string) =>
  platform.db.selectFrom('registrationAttempts').selectAll().where('email', 'ilike', email).execute()
const accountsOf = (email: string) => platform.db.selectFrom('accounts').selectAll().where('email', 'ilike', email).execute()
/** Waits until all jobs are done. */
const jobsDone = () =>
  vi.waitFor(async () => {
    const { rows } = await platform.database.pool.query('select 1 from graphile_worker._private_jobs')
    expect(rows).toEqual([])
  }, 10_000)

describe('registering with confirmation by mail', () => {
  test('P7.14 an account waiting for an administrator can register again by mail, also with its name; another account cannot take the name', async () => {
    const waiting = await anActiveOne({ active: false })
    const again = { userName: waiting.userName.toUpperCase(), password: 'aaaaaa', email: waiting.email }
    expect((await register({ ...someone(), userName: waiting.userName })).error.code).toBe('account.name_taken')
    expect((await register(again)).body.data).toBe('EmailConfirmationRequired')
    expect(await attemptsOf(waiting.email)).toMatchObject([{ userName: again.userName }])
  })

  test('P7.8 a login to a registration that waits for its mail reports this, also by address with blanks around it', async () => {
    const waiting = someone()
    await register(waiting)
    for (const loginName of [waiting.userName, ` ${waiting.email} `])
      expect((await login(loginName)).error).toMatchObject({ status: 401, code: 'account.not_active' })
    expect((await login(` ${waiting.email} `, 'wrong!')).error.code).toBe('account.credentials_wrong')
  })

  test('P3.40 P7.14 P7.16 P4.22 P3.48 P3.4 the link in the mail activates the account and signs in, once', async () => {
    const me = someone()
    const answer = await register(me)
    expect(answer.body).toEqual({
      title: 'Registered. Open the link in the email to confirm the address',
      data: 'EmailConfirmationRequired',
      status: 200,
    })
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect((await login(me.userName)).error).toMatchObject({ status: 401, code: 'account.not_active' })
    const mail = await server.next(me.email)
    expect(mail.headers.subject).toBe('Activate your account - GZ::CTF')
    expect(mail.text).toContain(`Hello ${me.userName},`)
    expect(mail.text).toMatch(new RegExp(`\\b${new Date().toISOString().slice(0, 8)}\\d\\d \\d\\d:\\d\\d:\\d\\d`))
    const link = linkIn(mail)
    expect(link.address).toMatch(/^https:\/\/ctf\.example\.org\/account\/verify\?token=\S+&email=\S+$/)
    expect(mail.html).toContain(link.address.replaceAll('&', '&amp;'))
    await platform.db
      .updateTable('accounts')
      .set({ registeredAt: new Date(0) })
      .where('userName', '=', me.userName)
      .execute()
    const verified = await verify(link)
    expect([verified.status, verified.body]).toEqual([200, ''])
    expect((await profile(cookieOf(verified))).body).toMatchObject({ userName: me.userName, email: me.email })
    const { active, registeredAt, lastVisitAt, lastIp } = await row(me.email)
    expect([active, lastIp]).toEqual([true, '127.0.0.1'])
    for (const time of [registeredAt, lastVisitAt]) expect(Date.now() - time.getTime()).toBeLessThan(60_000)
    expect((await login(me.userName)).status).toBe(200)
    expect((await verify(link)).error).toMatchObject({ status: 400, code: 'account.link_invalid' })
    const entries = await logged()
    expect(entries).toContainEqual(
      expect.objectContaining({ level: 'Information', status: 'Pending', name: me.userName, ip: '127.0.0.1' }),
    )
    expect(entries).toContainEqual(
      expect.objectContaining({ status: 'Success', name: me.userName, message: 'Verify email sent' }),
    )
    expect(entries).toContainEqual(expect.objectContaining({ status: 'Success', name: me.userName, message: 'Email confirmed' }))
  })

  test.each([
    ['en-US', 'Activate your account', 'Hello '],
    ['zh-CN', '激活您的账号', '您好'],
    ['ja-JP', 'アカウントの有効化', 'さん'],
  ])('P7.16 a mail uses the language of the request: %s', async (language, subject, greeting) => {
    const me = someone()
    await register(me, { 'accept-language': language })
    const mail = await server.next(me.email)
    expect(mail.headers.subject).toBe(`${subject} - GZ::CTF`)
    for (const part of [mail.text, mail.html]) expect(part).toContain(greeting)
    expect((await verify(linkIn(mail))).status).toBe(200)
  })

  test('P7.16 links begin with PUBLIC_URL, regardless of the Host header', async () => {
    const me = someone()
    await register(me, { host: 'evil.example.com', 'x-forwarded-host': 'evil.example.com' })
    const mail = await server.next(me.email)
    expect(linkIn(mail).address).toMatch(/^https:\/\/ctf\.example\.org\//)
    expect(mail.text + mail.html).not.toContain('evil')
  })

  test('P7.14 P4.22 each registration of an address keeps its own name and password: the link that is opened decides', async () => {
    const neighbour = someone()
    await register(neighbour)
    const neighbours = linkIn(await server.next(neighbour.email))
    const stranger = someone({ password: 'stranger-password' })
    await register(stranger)
    const first = linkIn(await server.next(stranger.email))
    const owner = someone({ email: stranger.email.replace('Player', 'PLAYER'), password: 'owner-password' })
    expect((await register(owner)).body.data).toBe('EmailConfirmationRequired')
    const second = linkIn(await server.next(owner.email))
    expect(await accountsOf(owner.email)).toEqual([])
    // Only the latest registration at an address gets the answer that it must still be confirmed.
    expect((await login(owner.email, owner.password)).error.code).toBe('account.not_active')
    expect((await login(owner.email, stranger.password)).error.code).toBe('account.credentials_wrong')
    const verified = await verify(first)
    expect((await profile(cookieOf(verified))).body).toMatchObject({ userName: stranger.userName, email: stranger.email })
    expect((await login(stranger.userName, stranger.password)).status).toBe(200)
    // The later attempt has ended, and its password does not work.
    expect((await verify(second)).error).toMatchObject({ status: 400, code: 'account.link_invalid' })
    expect((await login(owner.email, owner.password)).error.code).toBe('account.credentials_wrong')
    expect((await login(owner.userName, owner.password)).error.code).toBe('account.credentials_wrong')
    expect(await attemptsOf(owner.email)).toEqual([])
    expect((await verify(neighbours)).status).toBe(200)
  })

  test('P7.14 the later link can be opened as well, and invalidates the earlier one', async () => {
    const stranger = someone({ password: 'stranger-password' })
    await register(stranger)
    const first = linkIn(await server.next(stranger.email))
    const owner = someone({ email: stranger.email, password: 'owner-password' })
    await register(owner)
    expect((await verify(linkIn(await server.next(owner.email)))).status).toBe(200)
    expect(await row(owner.email)).toMatchObject({ userName: owner.userName, active: true })
    expect((await verify(first)).error.code).toBe('account.link_invalid')
    expect((await login(owner.email, stranger.password)).status).toBe(401)
    expect((await login(owner.email, owner.password)).status).toBe(200)
  })

  test('P7.14 an attempt reserves no name: the first link opened takes it, and the other link stays valid', async () => {
    const [one, other] = [someone(), someone()]
    const wanted = { ...other, userName: one.userName.toUpperCase() }
    for (const body of [one, wanted]) expect((await register(body)).status).toBe(200)
    const links = [linkIn(await server.next(one.email)), linkIn(await server.next(wanted.email))] as const
    expect((await verify(links[1])).status).toBe(200)
    expect((await verify(links[0])).error).toMatchObject({ status: 400, code: 'account.name_taken' })
    expect(await accountsOf(one.email)).toEqual([])
    expect(await attemptsOf(one.email)).toHaveLength(1)
    await platform.db
      .updateTable('accounts')
      .set({ nameKey: 'freed', userName: 'freed' })
      .where('email', '=', wanted.email)
      .execute()
    expect((await verify(links[0])).status).toBe(200)
    expect(await row(one.email)).toMatchObject({ userName: one.userName })
  })

  test('P7.14 of concurrent links for one name or one address only one succeeds', async () => {
    const [one, other] = [someone(), someone()]
    const wanted = { ...other, userName: one.userName }
    for (const body of [one, wanted]) await register(body)
    const named = await Promise.all([one, wanted].map(async ({ email }) => verify(linkIn(await server.next(email)))))
    expect(named.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(named.find(({ status }) => status === 400)?.error.code).toBe('account.name_taken')

    const { email } = someone()
    const people = [someone({ email }), someone({ email })]
    for (const body of people) await register(body)
    const links = [linkIn(await server.next(email)), linkIn(await server.next(email))]
    const addressed = await Promise.all(links.map((link) => verify(link)))
    expect(addressed.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, error } of addressed)
      if (status !== 200) expect(error.code).toMatch(/^account\.(link_invalid|verification_failed)$/)
    expect(await accountsOf(email)).toHaveLength(1)
    expect(await attemptsOf(email)).toEqual([])
  })

  test('P7.14 an account that was waiting before mail was enabled takes name and password of the link, and its other sessions end', async () => {
    const waiting = await anActiveOne({ active: false, registeredAt: new Date(0) })
    const session = `${cookieName}=${await startSession(platform.db, waiting.id)}`
    const owner = someone({ email: waiting.email, password: 'owner-password' })
    expect((await register(owner)).status).toBe(200)
    expect(await row(waiting.email)).toMatchObject({ userName: waiting.userName, active: false })
    const elsewhere = `${cookieName}=${await startSession(platform.db, (await anActiveOne()).id)}`
    expect((await verify(linkIn(await server.next(owner.email)), { cookie: elsewhere })).status).toBe(200)
    // The browser was signed in to another account and is now signed out of it.
    expect((await profile(elsewhere)).status).toBe(401)
    const taken = await row(waiting.email)
    expect(taken).toMatchObject({ id: waiting.id, userName: owner.userName, active: true, lastIp: '127.0.0.1' })
    for (const time of [taken.registeredAt, taken.lastVisitAt]) expect(Date.now() - time.getTime()).toBeLessThan(60_000)
    expect((await profile(session)).status).toBe(401)
    expect((await login(owner.email)).status).toBe(401)
    expect((await login(owner.email, owner.password)).status).toBe(200)
  })

  test('P7.14 a login before the link is opened reports it only after the right password', async () => {
    const me = someone()
    await register(me)
    for (const loginName of [me.userName.toUpperCase(), me.email.toUpperCase()])
      expect((await login(loginName)).error).toMatchObject({ status: 401, code: 'account.not_active' })
    expect((await login(me.userName, 'wrong!')).error.code).toBe('account.credentials_wrong')
    await expire()
    expect((await login(me.userName)).error.code).toBe('account.credentials_wrong')
  })

  test('expired attempts are deleted, others are kept', async () => {
    const [old, young] = [someone(), someone()]
    await register(old)
    await expire()
    await register(young)
    await forgetAttempts(platform.db)
    expect(await attemptsOf(old.email)).toEqual([])
    expect(await attemptsOf(young.email)).toMatchObject([{ userName: young.userName, email: young.email }])
  })

  test.each([
    ['active', async (email: string) => void (await anAccount(platform.db, { email }))],
    ['of a monitor', async (email: string) => void (await anAccount(platform.db, { email, active: false, role: 'Monitor' }))],
    ['banned', async (email: string) => void (await anAccount(platform.db, { email, active: false, role: 'Banned' }))],
    [
      'in a team',
      async (email: string) =>
        void (await aTeam(platform.db, { captain: await anAccount(platform.db, { email, active: false }) })),
    ],
  ])('P7.14 an account that is %s cannot be registered again', async (_, make) => {
    const me = someone()
    await make(me.email)
    const before = await row(me.email)
    const answer = await register(me)
    expect(answer.error).toMatchObject({ status: 400, code: 'account.exists', title: 'This account already exists' })
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(await row(me.email)).toEqual(before)
    expect(await mailsTo(me.email)).toEqual([])
  })

  test('P7.14 a taken name is refused in any form, and the earlier attempt and its link stay unchanged', async () => {
    const other = await anActiveOne()
    const me = someone()
    await register(me)
    const link = linkIn(await server.next(me.email))
    const again = await register({ ...me, userName: ` ${other.userName.toUpperCase()} ` })
    expect(again.error).toMatchObject({ status: 400, code: 'account.name_taken' })
    expect(await mailsTo(me.email)).toHaveLength(1)
    expect((await verify(link)).status).toBe(200)
  })

  test('P7.14 ten concurrent registrations of an address: three mails, three attempts, the same response', async () => {
    const { email } = someone()
    const answers = await Promise.all(Array.from({ length: 10 }, () => register(someone({ email }))))
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body])
    expect(await mailsTo(email)).toHaveLength(3)
    expect(await attemptsOf(email)).toHaveLength(3)
  })

  test('P7.14 P5.25 the other rules are checked first and send nothing', async () => {
    await settings({ 'AccountPolicy:EmailDomainList': 'other.org' })
    const me = someone()
    expect((await register(me)).error.code).toBe('account.domain_refused')
    await settings({ 'AccountPolicy:EmailDomainList': '', 'AccountPolicy:AllowRegister': false })
    expect((await register(me)).error.code).toBe('account.registration_closed')
    expect(await mailsTo(me.email)).toEqual([])
  })
})

describe('opening an activation link', () => {
  const waiting = () => anActiveOne({ active: false })

  test('P7.16 an unknown address, a wrong token and an expired link are refused', async () => {
    const me = await waiting()
    const link = await anActivationLink(me)
    const unknown = await verify({ ...link, email: base64('nobody@example.org') })
    expect(unknown.error).toMatchObject({ status: 400, code: 'account.link_invalid', title: 'Invalid activation link' })
    const wrong = await verify({ ...link, token: base64('wrong') })
    expect([wrong.status, wrong.error]).toMatchObject([
      401,
      { status: 401, code: 'account.verification_failed', title: 'Account verification failed' },
    ])
    for (const token of ['%%%', '====', base64('')])
      expect((await verify({ ...link, token: token || '=' })).status).toBeGreaterThan(399)
    expect((await verify({ token: '', email: link.email })).error).toMatchObject({ status: 400, code: 'request.invalid' })
    const unclaimed = await anActivationLink(someone())
    await expire()
    expect((await verify(link)).error.code).toBe('account.verification_failed')
    expect((await row(me.email)).active).toBe(false)
    // Without an account it looks like an unknown address.
    expect((await verify(unclaimed)).error.code).toBe('account.link_invalid')
  })

  test('P7.16 URL-safe Base64 is accepted', async () => {
    const me = await waiting()
    const { token, email } = await anActivationLink(me)
    const url = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
    expect((await verify({ token: url(token), email: url(email) })).status).toBe(200)
  })

  test('P6.2 P7.16 a banned account is not activated', async () => {
    const me = await waiting()
    const before = await anActivationLink(me)
    await platform.db.updateTable('accounts').set({ role: 'Banned' }).where('id', '=', me.id).execute()
    const answer = await verify(before)
    expect([answer.status, answer.error.code]).toEqual([401, 'account.banned'])
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect((await row(me.email)).active).toBe(false)
  })

  test('P7.16 an account at the address that is in a team, active or not, is not replaced', async () => {
    const me = someone()
    const link = await anActivationLink(me)
    const id = await anAccount(platform.db, { email: me.email, active: false })
    await aTeam(platform.db, { captain: id })
    const before = await row(me.email)
    const { error } = await verify(link)
    expect(error).toMatchObject({ status: 400, code: 'account.link_invalid' })
    expect(await row(me.email)).toEqual(before)
  })

  test('P7.16 of 20 concurrent uses of the same link one succeeds', async () => {
    const me = await waiting()
    const link = await anActivationLink(me)
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(link)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, error } of answers)
      if (status !== 200) expect(error.code).toMatch(/^account\.(link_invalid|verification_failed)$/)
    expect(await platform.db.selectFrom('sessions').selectAll().where('accountId', '=', me.id).execute()).toHaveLength(1)
  })
})

describe('recovery', () => {
  const recover = (email: string, headers = {}) => post('recovery', { email }, headers)

  test('P2.11 P3.2 P7.13 P7.11 a link sets a new password, ends all sessions, does not sign in, and works once', async () => {
    const me = await anActiveOne()
    const neighbour = await anActiveOne()
    const sessions = [cookieOf(await login(me.userName)), cookieOf(await login(me.userName))]
    const reply = await recover(me.email.toUpperCase())
    expect([reply.status, reply.body]).toEqual([
      200,
      { title: 'If the address belongs to an active account, we sent an email', status: 200 },
    ])
    const mail = await server.next(me.email)
    expect(mail.headers.subject).toBe('Set a new password - GZ::CTF')
    const link = linkIn(mail)
    expect(link.path).toBe('/account/reset')
    const answer = await reset(link)
    expect([answer.status, answer.body, answer.headers['set-cookie']]).toEqual([200, '', undefined])
    for (const cookie of sessions) expect((await profile(cookie)).status).toBe(401)
    expect((await login(me.userName)).status).toBe(401)
    expect((await login(me.userName, 'bbbbbb')).status).toBe(200)
    expect((await row(neighbour.email)).passwordHash).toBe(hash)
    expect((await reset(link, 'cccccc')).error).toMatchObject({ status: 400, code: 'account.reset_invalid' })
    expect((await login(me.userName, 'bbbbbb')).status).toBe(200)
    const entries = await logged()
    expect(entries).toContainEqual(
      expect.objectContaining({ status: 'Pending', name: 'Anonymous', message: `Password reset requested for ${me.userName}` }),
    )
    expect(entries).toContainEqual(
      expect.objectContaining({ status: 'Success', name: me.userName, message: 'Password reset by email' }),
    )
    expect(JSON.stringify(entries)).not.toContain(Buffer.from(link.token, 'base64').toString())
  })

  test('P7.13 unknown, waiting and banned addresses get the same response, and nothing is sent', async () => {
    const known = await recover((await anActiveOne()).email)
    const none = [
      'nobody-at-all@example.org',
      (await anActiveOne({ active: false })).email,
      (await anActiveOne({ role: 'Banned' })).email,
    ]
    for (const email of none) {
      const answer = await recover(email)
      expect([answer.status, answer.body]).toEqual([200, known.body])
    }
    await jobsDone()
    for (const email of none) expect(await mailsTo(email)).toEqual([])
  })

  test('P7.13 without confirmation by mail an administrator must help, and an invalid address is refused', async () => {
    const me = await anActiveOne()
    await settings({ 'AccountPolicy:EmailConfirmationRequired': false })
    expect((await recover(me.email)).error).toMatchObject({ status: 400, code: 'account.recovery_off' })
    expect((await recover('nobody')).error).toMatchObject({ status: 400, code: 'account.email_invalid' })
    expect(await mailsTo(me.email)).toEqual([])
  })

  test('P7.11 P5.1 a bad token, an unknown address and an expired link return the same error without hashing; a short password is refused and keeps the link valid', async () => {
    const me = await anActiveOne()
    const link = await aLink('Reset', me, me.email)
    const hashing = vi.spyOn(hashQueue, 'run')
    const refusals = [
      await reset({ ...link, token: base64('wrong') }),
      await reset({ ...link, email: base64('nobody@example.org') }),
      await reset({ token: '%%%', email: '%%%' }),
    ]
    for (const { status, error } of refusals) {
      expect([status, { ...error, requestId: '' }]).toEqual([400, { ...refusals[0]!.error, requestId: '' }])
      expect(error).toMatchObject({ status: 400, code: 'account.reset_invalid' })
    }
    expect(hashing).not.toHaveBeenCalled()
    for (const password of ['bbbbb', '', '      '])
      expect((await reset(link, password)).error).toMatchObject({ status: 400, code: 'account.password_too_short' })
    expect((await login(me.userName)).status).toBe(200)
    expect((await reset(link)).status).toBe(200)
    const old = await aLink('Reset', me, me.email)
    await expire()
    hashing.mockClear()
    expect((await reset(old)).error.code).toBe('account.reset_invalid')
    expect(hashing).not.toHaveBeenCalled()
    hashing.mockRestore()
  })

  test('P7.11 a reset activates no account', async () => {
    const me = await anActiveOne({ active: false })
    expect((await reset(await aLink('Reset', me, me.email))).status).toBe(200)
    expect((await login(me.userName, 'bbbbbb')).error.code).toBe('account.not_active')
  })

  test('P7.11 of ten concurrent uses of the same link one succeeds', async () => {
    const me = await anActiveOne()
    const link = await aLink('Reset', me, me.email)
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => reset(link, `password${i}`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const winner = answers.findIndex(({ status }) => status === 200)
    expect((await login(me.userName, `password${winner}`)).status).toBe(200)
  })

  test('P7.11 a link is invalidated by each security change of the account', async () => {
    const changes = [
      { passwordHash: 'x' },
      { role: 'Monitor' },
      { active: false },
      { email: 'changed@example.org' },
      { userName: 'Renamed', nameKey: 'renamed' },
    ]
    for (const change of changes) {
      const me = await anActiveOne()
      const link = await aLink('Reset', me, me.email)
      await platform.db.updateTable('accounts').set(change).where('id', '=', me.id).execute()
      const email = change.email ? base64(change.email) : link.email
      expect((await reset({ ...link, email })).error.code, Object.keys(change)[0]).toBe('account.reset_invalid')
    }
  })
})

describe('changing the address', () => {
  const ask = async (id: string, newMail: string) => (await platform.as(id)).put('/api/account/changeemail', { newMail })
  const confirm = async (id: string, link: { token: string; email: string }) =>
    (await platform.as(id)).post('/api/account/mailchangeconfirm', { token: link.token, email: link.email })

  test('P7.6 P7.10 P3.1 the link goes to the new address, a notice to the old one, and only the link changes the address', async () => {
    const me = await anActiveOne()
    const newMail = `new-${me.email}`
    const answer = await ask(me.id, newMail)
    expect([answer.status, answer.body]).toEqual([
      200,
      { title: 'We sent an email to confirm the new address', data: true, status: 200 },
    ])
    const notice = await server.next(me.email)
    expect(notice.headers.subject).toBe('Email change requested - GZ::CTF')
    expect(linkIn(notice).path).toBe('/account/cancel')
    expect(notice.text).not.toContain(newMail)
    const link = linkIn(await server.next(newMail))
    expect(link.path).toBe('/account/confirm')
    expect((await row(me.email)).id).toBe(me.id)
    const [mine, elsewhere] = [await platform.as(me.id), await platform.as(me.id)]
    const confirmed = await mine.post('/api/account/mailchangeconfirm', { token: link.token, email: link.email })
    expect([confirmed.status, confirmed.body]).toEqual([200, ''])
    expect((await mine.get('/api/account/profile')).body.email).toBe(newMail)
    expect((await elsewhere.get('/api/account/profile')).status).toBe(401)
    expect((await login(newMail)).status).toBe(200)
    expect((await login(me.email)).status).toBe(401)
    expect((await confirm(me.id, link)).error).toMatchObject({ status: 400, code: 'account.email_verification_failed' })
    const entries = await logged()
    expect(entries).toContainEqual(
      expect.objectContaining({ status: 'Pending', name: me.userName, message: 'Email change requested' }),
    )
    expect(entries).toContainEqual(expect.objectContaining({ status: 'Success', name: me.userName, message: 'Email changed' }))
  })

  test('P3.41 P7.6 the refusals come in the documented order and send nothing', async () => {
    const [me, other] = [await anActiveOne(), await anActiveOne()]
    await settings({ 'AccountPolicy:EmailDomainList': 'other.org', 'AccountPolicy:EmailConfirmationRequired': false })
    expect((await ask(me.id, other.email.toUpperCase())).error).toMatchObject({ status: 400, code: 'account.email_taken' })
    expect((await ask(me.id, 'x@example.org')).error).toMatchObject({ status: 400, code: 'account.domain_refused' })
    const off = await ask(me.id, 'x@other.org')
    expect([off.status, off.body]).toMatchObject([400, { status: 400, data: false, code: 'account.email_unchangeable' }])
    expect((await ask(me.id, 'none')).error).toMatchObject({ status: 400, code: 'account.email_invalid' })
    expect((await platform.anyone.put('/api/account/changeemail', { newMail: 'x@other.org' })).status).toBe(401)
    expect(await mailsTo('x@other.org')).toEqual([])
  })

  test('P7.10 a bad token, an expired link and an address taken in the meantime return the same error', async () => {
    const me = await anActiveOne()
    const link = await aLink('ChangeEmail', me, 'wanted@example.org')
    const refused = { status: 400, code: 'account.email_verification_failed', title: 'Email verification failed' }
    expect((await confirm(me.id, { ...link, token: base64('x') })).error).toMatchObject(refused)
    expect((await confirm(me.id, { token: '%', email: '%' })).error).toMatchObject(refused)
    expect((await platform.anyone.post('/api/account/mailchangeconfirm', link)).status).toBe(401)
    await anAccount(platform.db, { email: 'WANTED@example.org' })
    expect((await confirm(me.id, link)).error).toMatchObject(refused)
    const late = await aLink('ChangeEmail', me, 'late@example.org')
    await expire()
    expect((await confirm(me.id, late)).error).toMatchObject(refused)
    expect((await row(me.email)).id).toBe(me.id)
  })

  test('P7.10 of two concurrent confirmations of the same new address one succeeds', async () => {
    const [a, b] = [await anActiveOne(), await anActiveOne()]
    const links = [await aLink('ChangeEmail', a, 'both@example.org'), await aLink('ChangeEmail', b, 'both@example.org')] as const
    const answers = await Promise.all([confirm(a.id, links[0]), confirm(b.id, links[1])])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })
})

describe('the password when the address is changed', () => {
  const ask = async (id: string, body: object) => (await platform.as(id)).put('/api/account/changeemail', body)

  test('P7.6 is checked when present; a wrong one sends nothing', async () => {
    const me = await anActiveOne()
    for (const password of ['wrong!', '']) {
      const refused = await ask(me.id, { newMail: `new-${me.email}`, password })
      expect(refused.error, password).toMatchObject({ status: 400, code: 'account.old_password_wrong' })
    }
    expect([await mailsTo(`new-${me.email}`), await mailsTo(me.email)]).toEqual([[], []])
    expect((await ask(me.id, { newMail: `new-${me.email}`, password: 'aaaaaa' })).status).toBe(200)
    expect(await mailsTo(`new-${me.email}`)).toHaveLength(1)
  })

  test.each([{}, { password: null }])('P7.6 is not required from clients that omit it (%j)', async (more) => {
    const me = await anActiveOne()
    expect((await ask(me.id, { newMail: `new-${me.email}`, ...more })).status).toBe(200)
    expect([await mailsTo(`new-${me.email}`), await mailsTo(me.email)]).toMatchObject([
      [{ kind: 'ChangeEmail' }],
      [{ kind: 'EmailChanging' }],
    ])
  })
})

describe('cancelling a change of the address', () => {
  const cancel = (link: { token: string; email: string }) => post('mailchangecancel', { token: link.token, email: link.email })
  const refused = { status: 400, code: 'account.email_verification_failed' }
  /** Requests the change and returns the links of both mails. */
  async function aChange(me: { id: string; email: string }, newMail: string) {
    expect((await (await platform.as(me.id)).put('/api/account/changeemail', { newMail })).status).toBe(200)
    return { confirming: linkIn(await server.next(newMail)), cancelling: linkIn(await server.next(me.email)) }
  }
  const confirm = async (id: string, { token, email }: { token: string; email: string }) =>
    (await (await platform.as(id)).post('/api/account/mailchangeconfirm', { token, email })).status

  test('P7.6 P7.10 before confirmation: the confirmation link and all sessions of only this account end', async () => {
    const [me, neighbour] = [await anActiveOne(), await anActiveOne()]
    const theirs = await aChange(neighbour, `new-${neighbour.email}`)
    const { confirming, cancelling } = await aChange(me, `new-${me.email}`)
    expect(cancelling.address).toMatch(/^https:\/\/ctf\.example\.org\/account\/cancel\?token=\S+&email=\S+$/)
    const [session, other] = [await platform.as(me.id), await platform.as(neighbour.id)]
    const answer = await cancel(cancelling)
    expect([answer.status, answer.body, answer.headers['set-cookie']]).toEqual([200, '', undefined])
    expect((await session.get('/api/account/profile')).status).toBe(401)
    expect((await other.get('/api/account/profile')).status).toBe(200)
    expect(await confirm(me.id, confirming)).toBe(400)
    expect((await row(me.email)).id).toBe(me.id)
    expect((await cancel(cancelling)).error).toMatchObject(refused)
    expect(await confirm(neighbour.id, theirs.confirming)).toBe(200)
    expect(await logged()).toContainEqual(
      expect.objectContaining({
        level: 'Warning',
        status: 'Success',
        name: me.userName,
        ip: '127.0.0.1',
        message: 'Email change cancelled',
      }),
    )
  })

  test('P7.6 P7.10 after confirmation and changes of password and name: the old address is restored', async () => {
    const me = await anActiveOne()
    const newMail = `new-${me.email}`
    const { confirming, cancelling } = await aChange(me, newMail)
    expect(await confirm(me.id, confirming)).toBe(200)
    const thief = await platform.as(me.id)
    expect((await thief.put('/api/account/update', { userName: `${me.userName}x` })).status).toBe(200)
    expect((await reset(await aLink('Reset', me, newMail))).status).toBe(200)
    const session = await platform.as(me.id)
    expect((await cancel(cancelling)).status).toBe(200)
    expect(await row(me.email)).toMatchObject({ id: me.id, active: true })
    expect((await session.get('/api/account/profile')).status).toBe(401)
    expect(await accountsOf(newMail)).toEqual([])
    // The owner sets a new password by a mail to the old address.
    expect((await reset(await aLink('Reset', me, me.email), 'cccccc')).status).toBe(200)
    expect((await login(me.email, 'cccccc')).status).toBe(200)
  })

  test('P7.10 a later change does not invalidate the first cancellation link, and its own link ends with it', async () => {
    const me = await anActiveOne()
    const [second, third] = [`second-${me.email}`, `third-${me.email}`]
    const first = await aChange(me, second)
    expect(await confirm(me.id, first.confirming)).toBe(200)
    const later = await aChange({ id: me.id, email: second }, third)
    expect(await confirm(me.id, later.confirming)).toBe(200)
    const resetting = await aLink('Reset', me, third)
    expect((await cancel(later.cancelling)).status).toBe(200)
    expect((await row(second)).id).toBe(me.id)
    const again = await aChange({ id: me.id, email: second }, third)
    expect((await cancel(first.cancelling)).status).toBe(200)
    expect((await row(me.email)).id).toBe(me.id)
    // Links that were sent to the other addresses are no longer valid.
    expect((await cancel(again.cancelling)).error).toMatchObject(refused)
    expect(await confirm(me.id, again.confirming)).toBe(400)
    expect((await reset({ ...resetting, email: base64(me.email) })).error.code).toBe('account.reset_invalid')
  })

  test('P7.10 a wrong token, another address, another kind of link and an expired link return the same error', async () => {
    const [me, neighbour] = [await anActiveOne(), await anActiveOne()]
    const { confirming, cancelling } = await aChange(me, `new-${me.email}`)
    const session = await platform.as(me.id)
    const wrong = [
      { ...cancelling, token: base64('wrong') },
      { ...cancelling, email: base64(neighbour.email) },
      { ...cancelling, email: base64(`new-${me.email}`) },
      { token: '%', email: '%' },
      confirming,
      await aLink('Reset', me, me.email),
      await anActivationLink(someone()),
    ]
    for (const link of wrong) expect((await cancel(link)).error).toMatchObject(refused)
    // It does not work as another kind of link either.
    expect((await reset(cancelling)).error.code).toBe('account.reset_invalid')
    expect(await confirm(me.id, cancelling)).toBe(400)
    await age(179)
    expect((await session.get('/api/account/profile')).status).toBe(200)
    await age(2)
    expect((await cancel(cancelling)).error).toMatchObject(refused)
    expect((await session.get('/api/account/profile')).status).toBe(200)
  })

  test('P7.10 of ten concurrent requests one succeeds; an address taken in the meantime is refused', async () => {
    const me = await anActiveOne()
    const { cancelling } = await aChange(me, `new-${me.email}`)
    const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(cancelling)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)])
    const change = await aChange(me, `other-${me.email}`)
    expect(await confirm(me.id, change.confirming)).toBe(200)
    await anAccount(platform.db, { email: me.email.toUpperCase() })
    expect((await cancel(change.cancelling)).error).toMatchObject(refused)
    expect((await row(`other-${me.email}`)).id).toBe(me.id)
  })

  test('P7.14 P7.6 while a change can be cancelled only its owner can use the old address, with mail or without', async () => {
    const [me, neighbour] = [await anActiveOne(), await anActiveOne()]
    const { confirming, cancelling } = await aChange(me, `new-${me.email}`)
    expect(await confirm(me.id, confirming)).toBe(200)
    const thief = someone({ email: me.email.toUpperCase() })
    expect((await register(thief)).error.code).toBe('account.exists')
    await settings({ 'AccountPolicy:ActiveOnRegister': true })
    expect((await register(thief)).error.code).toBe('account.exists')
    const change = async (id: string) => (await platform.as(id)).put('/api/account/changeemail', { newMail: me.email })
    expect((await change(neighbour.id)).error.code).toBe('account.email_taken')
    expect((await change(me.id)).status).toBe(200)
    expect((await cancel(cancelling)).status).toBe(200)
    expect((await row(me.email)).id).toBe(me.id)

    const later = await anActiveOne()
    expect(await confirm(later.id, (await aChange(later, `new-${later.email}`)).confirming)).toBe(200)
    await age(181)
    expect((await register(someone({ email: later.email }))).status).toBe(200)
  })

  test('P7.14 P7.6 a requested address stays available until it is confirmed', async () => {
    const [me, rival] = [await anActiveOne(), await anActiveOne()]
    const wanted = `wanted-${me.email}`
    const { confirming } = await aChange(me, wanted)
    const reply = await (await platform.as(rival.id)).put('/api/account/changeemail', { newMail: wanted })
    expect(reply.status).toBe(200)
    await settings({ 'AccountPolicy:ActiveOnRegister': true })
    expect((await register(someone({ email: wanted }))).status).toBe(200)
    expect(await confirm(me.id, confirming)).toBe(400)
    expect((await row(me.email)).id).toBe(me.id)
  })

  test('P7.20 an address set by an administrator cannot be reverted', async () => {
    const me = await anActiveOne()
    const { cancelling } = await aChange(me, `new-${me.email}`)
    const admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
    await admin.put(`/api/admin/users/${me.id}`, { email: `set-${me.email}`, emailConfirmed: true })
    expect((await cancel(cancelling)).error).toMatchObject(refused)
    expect((await row(`set-${me.email}`)).id).toBe(me.id)
  })
})

describe('mails to one recipient', () => {
  const recover = (email: string) => post('recovery', { email })
  const kinds = async (email: string) =>
    (await platform.db.selectFrom('mails').select('kind').where('recipient', 'ilike', email).orderBy('id').execute()).map(
      ({ kind }) => kind,
    )
  const later = (minutes: number) =>
    platform.database.pool.query('update mails set created_at = created_at - make_interval(mins => $1)', [minutes])

  test('P7.13 are limited to three an hour, also of 20 concurrent requests, with the same response; other recipients are unaffected', async () => {
    const [me, neighbour] = [await anActiveOne(), await anActiveOne()]
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => recover(i % 2 ? me.email : me.email.toUpperCase())))
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body])
    await recover(neighbour.email)
    await jobsDone()
    expect([await kinds(me.email), await kinds(neighbour.email)]).toEqual([['Reset', 'Reset', 'Reset'], ['Reset']])
    // A mail that is not sent is not logged as requested either.
    const entries = await logged()
    const requestsOf = ({ userName }: { userName: string }) =>
      entries.filter(({ name, message }) => name === 'Anonymous' && message === `Password reset requested for ${userName}`)
    expect([requestsOf(me).length, requestsOf(neighbour).length]).toEqual([3, 1])
    for (const [minutes, mails] of [
      [58, 3],
      [3, 4],
    ] as const) {
      await later(minutes)
      await recover(me.email)
      await jobsDone()
      expect(await kinds(me.email)).toHaveLength(mails)
    }
  })

  test('P7.14 are counted over all kinds that strangers can request', async () => {
    const me = someone()
    const other = await anActiveOne()
    expect((await register(me)).status).toBe(200)
    expect((await verify(linkIn(await server.next(me.email)))).status).toBe(200)
    await recover(me.email)
    await jobsDone()
    await recover(me.email)
    await jobsDone()
    await recover(me.email)
    await jobsDone()
    expect(await kinds(me.email)).toEqual(['Verify', 'Reset', 'Reset'])
    await platform.db.deleteFrom('accounts').where('email', '=', me.email).execute()
    const call = await platform.as(other.id)
    const reply = await call.put('/api/account/changeemail', { newMail: me.email })
    expect([reply.status, reply.body.data]).toEqual([200, true])
    expect(await kinds(me.email)).toHaveLength(3)
    // Links of changes of an address count, too.
    await platform.db.updateTable('mails').set({ kind: 'ChangeEmail' }).where('recipient', '=', me.email).execute()
    expect((await call.put('/api/account/changeemail', { newMail: me.email })).status).toBe(200)
    expect(await kinds(me.email)).toHaveLength(3)
    // There is no change without its notice, and no notice of an impossible change.
    expect(await kinds(other.email)).toEqual([])
    const again = { ...me, userName: `${me.userName}b`, email: me.email.toUpperCase() }
    expect((await register(again)).body.data).toBe('EmailConfirmationRequired')
    expect(await kinds(me.email)).toHaveLength(3)
    expect(await attemptsOf(me.email)).toEqual([])
  })

  test('P7.6 that warn of a change have a separate limit, and every change is announced', async () => {
    const me = await anActiveOne()
    for (let i = 0; i < 4; i++) await recover(me.email)
    await jobsDone()
    const call = await platform.as(me.id)
    for (let i = 0; i < 5; i++)
      expect((await call.put('/api/account/changeemail', { newMail: `n${i}-${me.email}` })).status).toBe(200)
    expect(await kinds(me.email)).toEqual([...Array(3).fill('Reset'), ...Array(3).fill('EmailChanging')])
    const reply = await Promise.all([0, 1, 2, 3, 4].map((i) => kinds(`n${i}-${me.email}`)))
    expect(reply.map(({ length }) => length)).toEqual([1, 1, 1, 0, 0])
  })
})

test('P7.13 REC-2 recovery does the same work for known and unknown addresses: it writes one job and reads no accounts', async () => {
  const known = await anActiveOne()
  const work = async (email: string) => {
    const kinds: string[] = []
    const db = platform.db.withPlugin({
      transformQuery({ node }) {
        kinds.push(node.kind)
        return node
      },
      transformResult: async ({ result }) => result,
    })
    await recoverAccount({ ...platform.deps, db }, { email, challenge: null, ip: '192.0.2.1', language: 'en_US' })
    return kinds
  }
  expect(await work('nobody-there@example.org')).toEqual(['RawNode'])
  expect(await work(known.email)).toEqual(['RawNode'])
  await jobsDone()
  expect([await mailsTo(known.email), await mailsTo('nobody-there@example.org')]).toMatchObject([[{ kind: 'Reset' }], []])
  const requests = (await logged()).filter(({ ip }) => ip === '192.0.2.1')
  expect(requests).toMatchObject([
    { status: 'Pending', name: 'Anonymous', message: `Password reset requested for ${known.userName}` },
  ])
})

test('P7.10 P7.11 P7.16 a link is valid for three hours and no longer', async () => {
  const me = await anActiveOne()
  const waiting = await anActiveOne({ active: false })
  const mine = await platform.as(me.id)
  const links = async () =>
    [
      [verify, await anActivationLink(waiting)],
      [(link) => mine.post('/api/account/mailchangeconfirm', link), await aLink('ChangeEmail', me, 'later@example.org')],
    ] as [(link: { token: string; email: string }) => Promise<Answer>, { token: string; email: string }][]
  for (const [follow, link] of await links()) {
    await age(181)
    expect((await follow(link)).status).toBeGreaterThanOrEqual(400)
  }
  const late = await aLink('Reset', me, me.email)
  await age(181)
  expect((await reset(late)).error.code).toBe('account.reset_invalid')
  const wanted = await links()
  await age(179)
  for (const [follow, link] of wanted) expect((await follow(link)).status).toBe(200)
})

test('P2.6 P7.10 P7.11 P7.16 a token is not valid for another purpose, account or address', async () => {
  const [me, other] = [await anActiveOne(), await anActiveOne()]
  const [waiting, beside] = [await anActiveOne({ active: false }), await anActiveOne({ active: false })]
  const mine = await platform.as(me.id)
  const confirm = (link: { token: string; email: string }) => mine.post('/api/account/mailchangeconfirm', link)
  const verifying = await anActivationLink(waiting)
  const resetting = await aLink('Reset', me, me.email)
  const changing = await aLink('ChangeEmail', me, 'changing@example.org')
  const strangers = await aLink('ChangeEmail', other, 'other-new@example.org')
  const at = (email: string, { token }: { token: string }) => ({ token, email: base64(email) })
  const wrong: [string, Promise<Answer>][] = [
    ['reset with an activation link', reset(at(waiting.email, verifying))],
    ['reset with a change link', reset(at(me.email, changing))],
    ['reset another account', reset(at(other.email, resetting))],
    ['activate another address', verify(at(beside.email, verifying))],
    ['activate with a reset link', verify(at(waiting.email, resetting))],
    ['activate with a change link', verify(at(waiting.email, changing))],
    ['change with a reset link', confirm(at(me.email, resetting))],
    ['change with an activation link', confirm(at(waiting.email, verifying))],
    ['change to another address', confirm(at('elsewhere@example.org', changing))],
    ['change with another account’s link', confirm(strangers)],
  ]
  for (const [what, answer] of wrong) expect((await answer).status, what).toBeGreaterThanOrEqual(400)
  // None of these calls has used up a link.
  expect((await verify(verifying)).status).toBe(200)
  expect((await confirm(changing)).status).toBe(200)
  const again = await aLink('Reset', me, 'changing@example.org')
  expect((await reset(again)).status).toBe(200)
})

test('P7.13 tokens are not stored in the database', async () => {
  const me = await anActiveOne()
  await post('recovery', { email: me.email })
  const token = Buffer.from(linkIn(await server.next(me.email)).token, 'base64').toString()
  const tables = ['mails', 'mail_tokens', 'logs', 'graphile_worker._private_jobs']
  for (const table of tables) {
    const { rows } = await platform.database.pool.query(`select t::text as text from ${table} t`)
    expect(rows.map((one: { text: string }) => one.text).join('\n'), table).not.toContain(token)
  }
})
