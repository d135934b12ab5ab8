import { rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { anAccount, at } from '../../../test/builders/game.ts'
import { linkIn, type MailServer, startMailServer } from '../../../test/mail-server.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../../test/platform.ts'
import { inTransaction } from '../../db/transaction.ts'
import { saveSettings } from '../../site/settings.ts'
import { recoverAccount } from '../recover-account.ts'
import { mailTasks } from './mail-tasks.ts'
import { forgetMails, insertMail } from './mails.queries.ts'
import { sendMail } from './send-mail.ts'

let server: MailServer
let port: number
let platform: TestPlatform
let admin: Caller
let answers: { code: number; message: string }[] = []
const open = () =>
  startMailServer({ port: port ?? 0, login: { user: 'vexil', password: 'secret' }, answer: () => answers.shift() ?? null })

const env = () => ({
  PUBLIC_URL: 'https://ctf.example.org',
  VEXIL_MAIL_HOST: '127.0.0.1',
  VEXIL_MAIL_PORT: String(port),
  VEXIL_MAIL_USER: 'vexil',
  VEXIL_MAIL_PASSWORD: 'secret',
  VEXIL_MAIL_SENDER: 'ctf@example.org',
  VEXIL_MAIL_SENDER_NAME: 'The organisers',
  VEXIL_MAIL_IGNORE_CERTIFICATE: 'true',
})
beforeAll(async () => {
  server = await open()
  port = server.port
  platform = await startTestPlatform(env())
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Chief', email: 'chief@example.org' }))
  await confirmsByMail(platform)
})
afterEach(() => {
  answers = []
})
afterAll(async () => {
  await platform.stop()
  await server.stop()
})

async function confirmsByMail({ db, deps }: TestPlatform) {
  await inTransaction(db, (tx) =>
    saveSettings(tx, { 'AccountPolicy:ActiveOnRegister': false, 'AccountPolicy:EmailConfirmationRequired': true }),
  )
  await deps.settings.reload()
}
let count = 0
async function register(on = platform) {
  const userName = `Mailed${++count}`
  const email = `${userName}@example.org`
  const { status } = await on.anyone.post('/api/account/register', { userName, password: 'aaaaaa', email })
  expect(status).toBe(200)
  return email
}
const mails = async (query = '') => (await admin.get(`/api/admin/mails${query}`)).body
const listed = async (email: string) =>
  (await mails('?count=1000')).data.find((mail: { recipient: string }) => mail.recipient === email)
/** Makes pending retries due now. */
const hurry = () =>
  platform.database.pool.query('update graphile_worker._private_jobs set run_at = now() where locked_at is null')
const settled = (email: string, state: string) =>
  vi.waitFor(
    async () => {
      await hurry()
      const mail = await listed(email)
      expect(mail).toMatchObject({ state })
      return mail
    },
    { timeout: 20_000, interval: 200 },
  )

/** Ends the pause before the next attempt. The previous attempt must be stored. */
const tryNow = () =>
  vi.waitFor(async () => {
    const { rowCount } = await platform.database.pool.query(
      'update graphile_worker._private_jobs set run_at = now() where attempts > 0 and locked_at is null',
    )
    expect(rowCount).toBeGreaterThan(0)
  }, 5000)

describe('sending mail', () => {
  test('P7.16 a mail is sent with the login, encryption and sender from the settings', async () => {
    const email = await register()
    const mail = await server.next(email)
    expect(mail).toMatchObject({ encrypted: true, user: 'vexil', envelope: { from: 'ctf@example.org' } })
    expect(mail.headers.from).toBe('The organisers <ctf@example.org>')
    expect(await settled(email, 'Sent')).toMatchObject({
      kind: 'Verify',
      attempts: 1,
      error: null,
      settledAt: expect.any(String),
    })
  })

  test('a permanently refused recipient is not retried, and the server’s message is kept', async () => {
    answers = [{ code: 550, message: '5.1.1 No such user here, see https://ctf.example.org/?token=abc' }]
    const email = await register()
    expect(await settled(email, 'Failed')).toMatchObject({
      attempts: 1,
      error: '550 5.1.1 No such user here, see …',
      settledAt: expect.any(String),
    })
    await platform.deps.log.flush()
    const logs = await platform.db.selectFrom('logs').selectAll().where('level', '=', 'Warning').execute()
    expect(logs).toContainEqual(
      expect.objectContaining({ status: 'Failed', message: expect.stringContaining('550 5.1.1 No such user here') }),
    )
  })

  test('P7.16 a mail refused twice is sent at the third attempt, and its link works', async () => {
    const full = { code: 452, message: '4.2.2 Mailbox full' }
    answers = [full, full]
    const email = await register()
    expect(await settled(email, 'Sent')).toMatchObject({ attempts: 3, error: null })
    const { token, email: value } = linkIn(await server.next(email))
    expect((await platform.anyone.post('/api/account/verify', { token, email: value })).status).toBe(200)
  })

  test('a mail is sent once when the server is back', async () => {
    await server.stop()
    const email = await register()
    await vi.waitFor(async () => expect((await listed(email)).attempts).toBeGreaterThan(0), 10_000)
    expect(await listed(email)).toMatchObject({
      state: 'Waiting',
      error: expect.stringContaining('ECONNREFUSED'),
      settledAt: null,
    })
    server = await open()
    await tryNow()
    const { id } = await settled(email, 'Sent')
    await server.next(email)
    // The job of a process that was killed after it had sent the mail.
    await sendMail(platform.deps, id, false)
    expect(server.received.filter(({ envelope }) => envelope.to === email)).toHaveLength(1)
  })

  test('a mail that fails nine times is given up', async () => {
    answers = Array(20).fill({ code: 451, message: '4.3.0 Try again later' })
    const email = await register()
    expect((await platform.anyone.post('/api/account/recovery', { email: 'chief@example.org' })).status).toBe(200)
    for (const one of [email, 'chief@example.org'])
      await vi.waitFor(async () => expect((await listed(one)).attempts).toBeGreaterThan(0), 10_000)
    const { rows } = await platform.database.pool.query('select max_attempts from graphile_worker._private_jobs')
    expect(rows).toEqual([{ max_attempts: 9 }, { max_attempts: 9 }])
    await platform.database.pool.query('update graphile_worker._private_jobs set attempts = 8')
    expect(await settled(email, 'Failed')).toMatchObject({ error: '451 4.3.0 Try again later' })
    // The worker removes the job after it has stored the state of the mail.
    await expect
      .poll(async () => (await platform.database.pool.query('select id, attempts from graphile_worker._private_jobs')).rows)
      .toEqual([])
  })

  test('a mail whose link is no longer valid is not sent', async () => {
    await server.stop()
    const [deleted, expired, valid] = [await register(), await register(), await register()]
    for (const email of [deleted, expired, valid])
      await vi.waitFor(async () => expect((await listed(email)).attempts).toBeGreaterThan(0), 10_000)
    await platform.db.deleteFrom('registrationAttempts').where('email', '=', deleted).execute()
    const past = at('-1s')
    await platform.db.updateTable('registrationAttempts').set({ expiresAt: past }).where('email', '=', expired).execute()
    server = await open()
    await tryNow()
    for (const email of [deleted, expired])
      expect(await settled(email, 'Failed')).toMatchObject({ error: 'not sent: the link is no longer valid' })
    await settled(valid, 'Sent')
    const states = await Promise.all([deleted, expired, valid].map(async (email) => (await listed(email)).state))
    expect(states).toEqual(['Failed', 'Failed', 'Sent'])
    expect(server.received.map(({ envelope }) => envelope.to)).toEqual([valid])
  })

  test('a shutdown during a mail is quick, and the next process sends the mail', async () => {
    const slow = await startMailServer({ delayMs: 60_000 })
    const first = await startTestPlatform({ ...env(), VEXIL_MAIL_PORT: String(slow.port), VEXIL_MAIL_USER: '' })
    await anAccount(first.db, { role: 'Admin' })
    await confirmsByMail(first)
    await register(first)
    await vi.waitFor(() => expect(slow.received).toHaveLength(1), 10_000)
    const startedAt = performance.now()
    await first.close()
    // The platform closes before the mail server accepts the mail.
    expect(performance.now() - startedAt).toBeLessThan(60_000)
    const { rows } = await first.database.pool.query('select locked_at, attempts from graphile_worker._private_jobs')
    expect(rows).toEqual([{ locked_at: null, attempts: 1 }])
    await first.database.drop()
    rmSync(first.dataDir, { recursive: true })
    void slow.stop()
  })
})

describe('the list for administrators', () => {
  test('is paged, newest first, filtered by state, and reports whether mails can be sent', async () => {
    const all = await mails()
    expect(all).toMatchObject({ configured: true, length: all.data.length, total: all.data.length })
    const ids = all.data.map(({ id }: { id: number }) => id)
    expect(ids).toEqual([...ids].sort((a, b) => b - a))
    const failed = await mails('?state=Failed&count=1')
    expect(failed).toMatchObject({ length: 1, data: [{ state: 'Failed' }] })
    expect(failed.total).toBe(all.data.filter(({ state }: { state: string }) => state === 'Failed').length)
    expect((await mails('?skip=1&count=2')).data.map(({ id }: { id: number }) => id)).toEqual(ids.slice(1, 3))
    expect(JSON.stringify(all)).not.toMatch(/token|https?:/)
    expect((await admin.get('/api/admin/mails?state=Lost')).status).toBe(400)
    expect((await admin.get('/api/admin/mails?count=-1')).status).toBe(400)
  })

  test('is only available to administrators', async () => {
    const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
    expect((await platform.anyone.get('/api/admin/mails')).status).toBe(401)
    expect((await monitor.get('/api/admin/mails')).status).toBe(403)
    expect((await monitor.post('/api/admin/mails/test')).status).toBe(403)
  })
})

describe('a test mail', () => {
  const send = (headers = {}) => admin.post('/api/admin/mails/test', undefined, headers)

  test('is sent to the administrator, who waits for it', async () => {
    const answer = await send({ 'accept-language': 'ja-JP' })
    expect([answer.status, answer.body]).toEqual([200, ''])
    const mail = await server.next('chief@example.org')
    expect(mail.headers.subject).toBe('テストメール - GZ::CTF')
    expect(await listed('chief@example.org')).toMatchObject({ kind: 'Test', state: 'Sent', attempts: 1, userName: 'Chief' })
    await platform.deps.log.flush()
    const logs = await platform.db.selectFrom('logs').selectAll().execute()
    expect(logs).toContainEqual(
      expect.objectContaining({
        level: 'Information',
        status: 'Success',
        name: 'Chief',
        ip: '127.0.0.1',
        message: 'Test email sent',
      }),
    )
  })

  test('reports the error of the mail server', async () => {
    answers = [{ code: 452, message: '4.2.2 Mailbox full' }]
    const { status, error } = await send()
    expect([status, error]).toMatchObject([
      400,
      { status: 400, code: 'mail.not_sent', title: 'Could not send the email: 452 4.2.2 Mailbox full' },
    ])
    expect((await mails('?count=1')).data[0]).toMatchObject({ state: 'Failed', error: '452 4.2.2 Mailbox full' })
    await platform.deps.log.flush()
    const last = await platform.db.selectFrom('logs').selectAll().orderBy('id', 'desc').executeTakeFirst()
    const message = 'Could not send test email: 452 4.2.2 Mailbox full'
    expect(last).toMatchObject({ level: 'Information', status: 'Failed', name: 'Chief', ip: '127.0.0.1', message })
  })
})

test('mails are deleted after 30 days, and tokens when they have expired', async () => {
  const { db } = platform
  const accountId = await anAccount(db)
  const token = { accountId, purpose: 'Reset', email: 'old@example.org' }
  const tokens = [
    { ...token, hash: Buffer.from('expired'), expiresAt: at('-1s') },
    { ...token, hash: Buffer.from('valid'), expiresAt: at('1m') },
  ]
  await db.insertInto('mailTokens').values(tokens).execute()
  const days = (n: number) => new Date(Date.now() - n * 86_400_000)
  const mail = { kind: 'Test', accountId: null, userName: 'x', recipient: 'old@example.org', language: 'en_US' } as const
  const [old, young] = [await insertMail(db, mail), await insertMail(db, mail)]
  await db
    .updateTable('mails')
    .set({ createdAt: days(31) })
    .where('id', '=', old.id)
    .execute()
  await db
    .updateTable('mails')
    .set({ createdAt: days(29) })
    .where('id', '=', young.id)
    .execute()
  await forgetMails(db)
  const left = await db.selectFrom('mails').select('id').where('recipient', '=', 'old@example.org').execute()
  expect(left).toEqual([{ id: young.id }])
  const valid = await db.selectFrom('mailTokens').select('hash').where('accountId', '=', accountId).execute()
  expect(valid).toEqual([{ hash: Buffer.from('valid') }])
})

test('without a mail server the platform reports it, and calls that need one are refused', async () => {
  const plain = await startTestPlatform()
  try {
    const chief = await plain.as(await anAccount(plain.db, { role: 'Admin' }))
    await confirmsByMail(plain)
    expect((await chief.get('/api/admin/mails')).body).toEqual({ data: [], length: 0, total: 0, configured: false })
    const refusals = [
      await chief.post('/api/admin/mails/test'),
      await plain.anyone.post('/api/account/recovery', { email: 'a@example.org' }),
      await plain.anyone.post('/api/account/register', { userName: 'Somebody', password: 'aaaaaa', email: 'a@example.org' }),
      await chief.put('/api/account/changeemail', { newMail: 'a@example.org' }),
    ]
    for (const { status, error } of refusals) expect([status, error.code]).toEqual([400, 'mail.not_configured'])
    await inTransaction(plain.db, (tx) => saveSettings(tx, { 'AccountPolicy:EmailConfirmationRequired': false }))
    await plain.deps.settings.reload()
    const recovery = await plain.anyone.post('/api/account/recovery', { email: 'a@example.org' })
    expect([recovery.status, recovery.error.code]).toEqual([400, 'account.recovery_off'])
    expect(await plain.db.selectFrom('mails').selectAll().execute()).toEqual([])
    // Jobs that were written before then wait.
    expect(mailTasks(plain.deps)).toEqual({})
    await inTransaction(plain.db, (tx) => saveSettings(tx, { 'AccountPolicy:EmailConfirmationRequired': true }))
    await plain.deps.settings.reload()
    const mailer = { ...plain.deps.mailer, configured: true }
    await recoverAccount({ ...plain.deps, mailer }, { email: 'a@example.org', challenge: null, ip: '', language: 'en_US' })
    const { rows } = await plain.database.pool.query('select attempts, max_attempts from graphile_worker._private_jobs')
    expect(rows).toEqual([{ attempts: 0, max_attempts: 5 }])
  } finally {
    await plain.stop()
  }
})

test('VEXIL_MAIL_HOST=log prints mails instead of sending them', async () => {
  const { openMailLog } = await import('../../ports/mail/mail-log.ts')
  const lines: string[] = []
  const mailer = openMailLog(null, (line) => lines.push(line))
  await mailer.check()
  const to = { name: 'Zoë', address: 'zoe@example.org' }
  await mailer.send({ id: '1', to, fromName: 'x', language: 'en_US', subject: 'Subject', text: 'https://link', html: '<p>' })
  expect(lines.join()).toContain('Zoë <zoe@example.org>: Subject\n\nhttps://link')
})
