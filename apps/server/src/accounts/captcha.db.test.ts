import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { inTransaction } from '../db/transaction.ts'
import { type SettingValues, saveSettings, settingDefaults } from '../site/settings.ts'
import { hashPassword } from './passwords.ts'

let platform: TestPlatform
const verifications: Record<string, string>[] = []
/** The vendor: takes the token `good <action>`. */
const vendor = createServer(async (request, response) => {
  const question = JSON.parse(await text(request)) as Record<string, string>
  verifications.push(question)
  const [word, action] = (question.response ?? '').split(' ')
  response.end(JSON.stringify({ success: word === 'good', hostname: 'ctf.example.org', action }))
})
beforeAll(async () => {
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve))
  platform = await startTestPlatform({
    PUBLIC_URL: 'https://ctf.example.org',
    VEXIL_CAPTCHA_PROVIDER: 'CloudflareTurnstile',
    VEXIL_CAPTCHA_SITE_KEY: 'the-site-key',
    VEXIL_CAPTCHA_SECRET: 'the-secret',
    VEXIL_CAPTCHA_VERIFY_URL: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/siteverify`,
  })
  await anAccount(platform.db, { role: 'Admin' })
  await anAccount(platform.db, { userName: 'Player', passwordHash: await hashPassword('aaaaaa', 'test') })
})
afterAll(async () => {
  await platform.stop()
  vendor.close()
})
beforeEach(async () => {
  verifications.length = 0
  await settings({ ...settingDefaults, 'AccountPolicy:UseCaptcha': true })
})
const settings = async (changes: Partial<SettingValues>) => {
  await inTransaction(platform.db, (tx) => saveSettings(tx, changes))
  await platform.deps.settings.reload()
}

const calls = {
  login: { userName: 'Player', password: 'aaaaaa' },
  register: { userName: 'Newcomer', password: 'aaaaaa', email: 'new@example.org' },
  recovery: { email: 'new@example.org' },
}
const call = (name: keyof typeof calls, challenge?: string | null) =>
  platform.anyone.post(`/api/account/${name}`, { ...calls[name], ...(challenge !== undefined && { challenge }) })

test('P7.95 P3.42 the response has the provider and site key while the policy requires a captcha', async () => {
  expect((await platform.anyone.get('/api/captcha')).body).toEqual({ type: 'CloudflareTurnstile', siteKey: 'the-site-key' })
  await settings({ 'AccountPolicy:UseCaptcha': false })
  expect((await platform.anyone.get('/api/captcha')).body).toEqual({ type: 'None', siteKey: '' })
})

test.each(['login', 'register', 'recovery'] as const)('P3.42 %s requires a captcha solved for that action', async (name) => {
  const other = name === 'login' ? 'register' : 'login'
  for (const challenge of [undefined, null, '', 'bad', `good ${other}`]) {
    const { status, error } = await call(name, challenge)
    expect([status, error.status, error.code], String(challenge)).toEqual([400, 400, 'captcha.failed'])
  }
  const { status, error } = await call(name, `good ${name}`)
  // Recovery needs confirmation by mail, so it is refused after the captcha check.
  expect(name === 'recovery' ? error.code : status).toBe(name === 'recovery' ? 'account.recovery_off' : 200)
  expect(verifications.at(-1)).toMatchObject({ secret: 'the-secret', response: `good ${name}`, remoteip: '127.0.0.1' })
})

test('P3.42 the captcha is checked after closed registration and before everything else', async () => {
  await settings({ 'AccountPolicy:EmailDomainList': 'other.org' })
  expect((await call('register', 'bad')).error.code).toBe('captcha.failed')
  await settings({ 'AccountPolicy:AllowRegister': false })
  expect((await call('register', 'bad')).error.code).toBe('account.registration_closed')
  expect(verifications).toHaveLength(1)
})

test('P3.42 no captcha is required while the policy does not ask for one', async () => {
  await settings({ 'AccountPolicy:UseCaptcha': false })
  expect((await call('login')).status).toBe(200)
  expect(verifications).toEqual([])
})

test('P3.42 when the provider is unavailable requests are refused, and the administrator sees why', async () => {
  vendor.closeAllConnections()
  await new Promise((resolve) => vendor.close(resolve))
  expect((await call('login', 'good login')).error).toMatchObject({ status: 400, code: 'captcha.failed' })
  await platform.deps.log.flush()
  const logs = await platform.db.selectFrom('logs').selectAll().where('level', '=', 'Warning').execute()
  expect(logs).toContainEqual(
    expect.objectContaining({ name: 'System', status: 'Failed', message: 'The captcha provider did not answer: ECONNREFUSED' }),
  )
})
