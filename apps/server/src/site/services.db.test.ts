import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { type MailServer, startMailServer } from '../../test/mail-server.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { inTransaction } from '../db/transaction.ts'
import { saveSettings } from './settings.ts'

let server: MailServer
let platform: TestPlatform
let admin: Caller
/** The captcha provider: accepts the token `good` with the secret key `right`. */
let answer: (question: Record<string, string>) => string = () => ''
const vendor = createServer(async (request, response) => {
  response.end(answer(JSON.parse(await text(request)) as Record<string, string>))
})
const verifyUrl = () => `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/siteverify`

beforeAll(async () => {
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve))
  server = await startMailServer({ login: { user: 'vexil', password: 'pass wörd' } })
  platform = await startTestPlatform({ PUBLIC_URL: 'https://ctf.example.org', VEXIL_CAPTCHA_VERIFY_URL: verifyUrl() })
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Chief', email: 'chief@example.org' }))
})
afterAll(async () => {
  await platform.stop()
  await server.stop()
  vendor.close()
})
beforeEach(async () => {
  server.received.length = 0
  answer = ({ secret, response }) =>
    JSON.stringify(
      secret === 'right'
        ? { success: response === 'good', 'error-codes': [] }
        : { success: false, 'error-codes': ['invalid-input-secret'] },
    )
  await platform.db.deleteFrom('settings').execute()
  await platform.deps.settings.reload()
})

const mail = () => ({
  host: '127.0.0.1',
  port: server.port,
  user: 'vexil',
  sender: 'ctf@example.org',
  senderName: 'The organisers',
  ignoreCertificate: true,
})
const captcha = { provider: 'CloudflareTurnstile', siteKey: 'the-site-key', threshold: 0.5 }
const setMail = (change: object = {}) => admin.put('/api/admin/config/mail', { ...mail(), ...change })
const setCaptcha = (change: object = {}) => admin.put('/api/admin/config/captcha', { ...captcha, ...change })
const shown = async () => (await admin.get('/api/admin/config/services')).body
const codeOf = async (asked: ReturnType<typeof setMail>) => {
  const { status, error } = await asked
  return status === 200 ? 200 : error.code
}
const stored = async (key: string) =>
  (await platform.db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst())?.value ?? ''
const logged = async () => {
  await platform.deps.log.flush()
  const rows = await platform.db.selectFrom('logs').select(['message', 'name']).orderBy('id', 'desc').limit(1).execute()
  return rows[0]
}

describe('the mail server of the settings', () => {
  test('is used for the next mail, without a restart, and its password cannot be read', async () => {
    expect((await shown()).mail).toEqual({
      ...mail(),
      host: '',
      port: 587,
      user: '',
      sender: '',
      senderName: '',
      ignoreCertificate: false,
      passwordSet: false,
      fixed: false,
    })
    expect((await setMail({ password: 'pass wörd' })).status).toBe(200)
    expect(await logged()).toEqual({
      name: 'Chief',
      message: `Changed the mail server: 127.0.0.1:${server.port}, sender ctf@example.org, with a new password`,
    })
    const answers = await shown()
    expect(answers.mail).toEqual({ ...mail(), passwordSet: true, fixed: false })
    expect(JSON.stringify([answers, await stored('Services:Mail')])).not.toContain('pass w')
    expect((await admin.post('/api/admin/mails/test')).status).toBe(200)
    expect(server.received).toMatchObject([
      {
        envelope: { from: 'ctf@example.org', to: 'chief@example.org' },
        user: 'vexil',
        headers: { from: expect.stringContaining('The organisers') },
      },
    ])
    expect((await admin.get('/api/admin/config')).body.environment.mail).toBe(true)
  })

  test('sends the mails of accounts, also after it was set on another node', async () => {
    await setMail({ password: 'pass wörd' })
    const value = await stored('Services:Mail')
    await setMail({ host: '' })
    expect((await admin.post('/api/admin/mails/test')).error.code).toBe('mail.not_configured')
    const changes = { 'AccountPolicy:EmailConfirmationRequired': true, 'AccountPolicy:ActiveOnRegister': false } as const
    await inTransaction(platform.db, (tx) => saveSettings(tx, changes))
    // Like a change by another node: only the version of the settings announces it.
    await sql`update settings set value = ${value} where key = 'Services:Mail'`.execute(platform.db)
    await vi.waitFor(() => expect(platform.deps.mailer.configured).toBe(true), 20_000)
    const person = { userName: 'Newcomer', password: 'aaaaaa', email: 'new@example.org' }
    expect((await platform.anyone.post('/api/account/register', person)).status).toBe(200)
    expect(await server.next('new@example.org')).toMatchObject({ envelope: { to: 'new@example.org' } })
  })

  test('a password is kept when absent, deleted when empty, and never used for another server, port or user', async () => {
    await setMail({ password: 'pass wörd' })
    expect(await codeOf(setMail({ user: ' vexil ', senderName: ' x ' }))).toBe(200)
    expect((await shown()).mail).toMatchObject({ senderName: 'x', passwordSet: true })
    for (const change of [{ host: 'localhost' }, { port: 25 }, { user: 'other' }])
      expect(await codeOf(setMail(change))).toBe('mail.password_missing')
    expect((await shown()).mail).toMatchObject({ ...mail(), senderName: 'x', passwordSet: true })
    expect((await admin.post('/api/admin/mails/test')).status).toBe(200)
    expect(await codeOf(setMail({ host: 'localhost', user: '' }))).toBe(200)
    expect((await shown()).mail).toMatchObject({ host: 'localhost', passwordSet: false })
    await setMail({ password: 'pass wörd' })
    expect(await codeOf(setMail({ password: '' }))).toBe(200)
    expect((await logged())?.message).toMatch(/, sender ctf@example\.org$/)
    expect((await shown()).mail).toMatchObject({ passwordSet: false })
    expect((await admin.post('/api/admin/mails/test')).error.code).toBe('mail.not_sent')
  })

  test('requires a sender address and bounded values, and a refused change leaves it as it was', async () => {
    await setMail({ password: 'pass wörd' })
    for (const sender of ['', 'x', 'a@b.org\r\nBcc: c@d.org'])
      expect(await codeOf(setMail({ sender }))).toBe('mail.sender_missing')
    for (const change of [
      { host: 'a b' },
      { host: 'x/y' },
      { port: 0 },
      { port: 65_536 },
      { user: 'x'.repeat(257) },
      { password: 'x'.repeat(1025) },
    ])
      expect(await codeOf(setMail(change))).toBe('request.invalid')
    expect((await shown()).mail).toEqual({ ...mail(), passwordSet: true, fixed: false })
  })

  test('a password sealed with another key is reported and not used', async () => {
    await setMail({ password: 'pass wörd' })
    const value = JSON.parse(await stored('Services:Mail')) as { password: string }
    const other = await stored('Services:Mail')
    const password = platform.deps.secrets.seal('Services:Captcha', 'pass wörd')
    const broken = JSON.stringify({ ...value, senderName: 'Changed elsewhere', password })
    expect(broken).not.toBe(other)
    await platform.db.updateTable('settings').set({ value: broken }).where('key', '=', 'Services:Mail').execute()
    // The call reads the settings again.
    expect((await shown()).mail.senderName).toBe('Changed elsewhere')
    expect((await admin.post('/api/admin/mails/test')).error.code).toBe('mail.not_sent')
    expect(server.received).toEqual([])
  })

  test('two changes at the same instant never combine one server with the password of the other', async () => {
    await setMail({ password: 'pass wörd' })
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([
        codeOf(setMail({ host: `one${round}`, password: 'of one' })),
        codeOf(setMail({ senderName: `round ${round}` })),
      ])
      const [now, kept] = [(await shown()).mail, JSON.parse(await stored('Services:Mail')) as { host: string; password: string }]
      const expected = kept.host === `one${round}` ? 'of one' : 'pass wörd'
      expect(platform.deps.secrets.unseal('Services:Mail', kept.password), JSON.stringify([answers, now])).toBe(expected)
      await setMail({ password: 'pass wörd' })
    }
  })
})

describe('the captcha provider of the settings', () => {
  const page = async () => String((await platform.anyone.get('/account/Login')).headers['content-security-policy'])
  const required = async () => {
    await inTransaction(platform.db, (tx) => saveSettings(tx, { 'AccountPolicy:UseCaptcha': true }))
    await platform.deps.settings.reload()
  }

  test('applies to calls, the page and its policy at once, and its secret key cannot be read', async () => {
    expect((await shown()).captcha).toEqual({ provider: 'None', siteKey: '', threshold: 0.5, secretSet: false, fixed: false })
    await required()
    expect((await platform.anyone.get('/api/captcha')).body).toEqual({ type: 'None', siteKey: '' })
    // Copied with blanks around.
    expect((await setCaptcha({ siteKey: ' the-site-key ', secret: ' right\n' })).status).toBe(200)
    expect(await logged()).toEqual({
      name: 'Chief',
      message: 'Changed the captcha provider: CloudflareTurnstile, with a new secret key',
    })
    expect((await platform.anyone.get('/api/captcha')).body).toEqual({ type: 'CloudflareTurnstile', siteKey: 'the-site-key' })
    expect((await shown()).captcha).toEqual({ ...captcha, secretSet: true, fixed: false })
    expect(JSON.stringify([await shown(), await stored('Services:Captcha')])).not.toContain('right')
    expect(platform.deps.captcha.origins).toEqual(['https://challenges.cloudflare.com'])
    const recover = async (challenge: string) =>
      (await platform.anyone.post('/api/account/recovery', { email: 'a@example.org', challenge })).error.code
    expect([await recover('bad'), await recover('good')]).toEqual(['captcha.failed', 'account.recovery_off'])
    if ((await page()) !== 'undefined') expect(await page()).toContain('frame-src https://challenges.cloudflare.com')
    await setCaptcha({ provider: 'None' })
    expect(platform.deps.captcha.origins).toEqual([])
    expect(await recover('bad')).toBe('account.recovery_off')
  })

  test('requires both keys; another provider requires its own secret key', async () => {
    expect(await codeOf(setCaptcha())).toBe('captcha.keys_missing')
    for (const blank of [{ siteKey: ' ', secret: 'right' }, { secret: ' ' }])
      expect(await codeOf(setCaptcha(blank))).toBe('captcha.keys_missing')
    expect(await codeOf(setCaptcha({ secret: 'right' }))).toBe(200)
    expect(await codeOf(setCaptcha({ siteKey: 'another' }))).toBe(200)
    expect(await codeOf(setCaptcha({ provider: 'GoogleRecaptcha' }))).toBe('captcha.keys_missing')
    expect(await codeOf(setCaptcha({ threshold: 1.1 }))).toBe('request.invalid')
    expect((await shown()).captcha).toEqual({ ...captcha, siteKey: 'another', secretSet: true, fixed: false })
  })

  test('the test asks the provider about the secret key', async () => {
    const tested = () => codeOf(admin.post('/api/admin/config/captcha/test'))
    expect(await tested()).toBe('captcha.not_configured')
    await setCaptcha({ secret: 'wrong' })
    expect(await tested()).toBe('captcha.secret_refused')
    await setCaptcha({ secret: 'right' })
    expect(await tested()).toBe(200)
    answer = () => 'no JSON'
    const { error } = await admin.post('/api/admin/config/captcha/test')
    expect(error).toMatchObject({
      code: 'captcha.not_tested',
      title: expect.stringMatching(/^The provider did not answer: .+JSON/),
    })
  })
})

test('a change of a service is published once it applies on this node', async () => {
  const seen: unknown[] = []
  const publish = vi.spyOn(platform.deps.bus, 'publish').mockImplementation((event) => {
    const { mail: server, captcha: provider } = platform.deps.settings.services()
    if (event === 'settings.changed') seen.push([server?.host, provider?.siteKey])
  })
  try {
    await setMail()
    await setCaptcha({ secret: 'right' })
  } finally {
    publish.mockRestore()
  }
  expect(seen).toEqual([
    ['127.0.0.1', undefined],
    ['127.0.0.1', 'the-site-key'],
  ])
})

test('what the environment sets is shown, wins over the settings and cannot be changed', async () => {
  const other = await startTestPlatform({
    VEXIL_MAIL_HOST: '127.0.0.1',
    VEXIL_MAIL_PORT: String(server.port),
    VEXIL_MAIL_USER: 'vexil',
    VEXIL_MAIL_PASSWORD: 'pass wörd',
    VEXIL_MAIL_SENDER: 'fixed@example.org',
    VEXIL_MAIL_IGNORE_CERTIFICATE: 'true',
    VEXIL_CAPTCHA_PROVIDER: 'GoogleRecaptcha',
    VEXIL_CAPTCHA_SITE_KEY: 'fixed-key',
    VEXIL_CAPTCHA_SECRET: 'fixed-secret',
    VEXIL_MAIL_SENDER_NAME: 'Fixed',
  })
  try {
    const chief = await other.as(await anAccount(other.db, { role: 'Admin', email: 'boss@example.org' }))
    const { body } = await chief.get('/api/admin/config/services')
    expect(body).toEqual({
      mail: { ...mail(), sender: 'fixed@example.org', senderName: 'Fixed', passwordSet: true, fixed: true },
      captcha: { provider: 'GoogleRecaptcha', siteKey: 'fixed-key', threshold: 0.5, secretSet: true, fixed: true },
    })
    const refused = [
      await chief.put('/api/admin/config/mail', { ...mail(), host: '' }),
      await chief.put('/api/admin/config/captcha', { ...captcha, secret: 'x' }),
    ]
    expect(refused.map(({ error }) => [error.code, error.title.split(' ')[2]])).toEqual([
      ['site.set_by_environment', 'VEXIL_MAIL_HOST'],
      ['site.set_by_environment', 'VEXIL_CAPTCHA_PROVIDER'],
    ])
    const rows = {
      'Services:Mail': { ...mail(), sender: 'other@example.org', password: null },
      'Services:Captcha': { ...captcha, secret: '' },
    }
    for (const [key, value] of Object.entries(rows))
      await other.db
        .insertInto('settings')
        .values({ key, value: JSON.stringify(value) })
        .execute()
    await other.deps.settings.reload()
    expect((await chief.post('/api/admin/mails/test')).status).toBe(200)
    expect(server.received).toMatchObject([{ envelope: { from: 'fixed@example.org', to: 'boss@example.org' } }])
    expect(other.deps.captcha).toMatchObject({ provider: 'GoogleRecaptcha', siteKey: 'fixed-key' })
  } finally {
    await other.stop()
  }
})
