// @vitest-environment jsdom
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { accountLimits, captchaLimits, mailServerLimits } from '@vexil/core/limits'
import { act, type ReactNode, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { button, click, field, named, rows, send, settle, write } from '../../../test/acts.ts'
import { json, openPage, toasts, until } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import { hasUnsaved } from '../../shell/unsaved.tsx'
import { t } from '../../ui/text/organiser-texts.ts'
import { CaptchaSection } from './captcha-section.tsx'
import { MailSection } from './mail-section.tsx'

afterEach(() => void vi.unstubAllGlobals())

const failedMail = {
  id: 7,
  kind: 'Verify',
  recipient: 'gone@example.org',
  userName: 'Gone',
  state: 'Failed',
  attempts: 9,
  error: '550 5.1.1 No such user',
  createdAt: '2026-11-21T10:00:00+00:00',
  settledAt: '2026-11-21T11:00:00+00:00',
}
const noMail = {
  host: '',
  port: 587,
  user: '',
  sender: '',
  senderName: '',
  ignoreCertificate: false,
  passwordSet: false,
  fixed: false,
}
const mail = { ...noMail, host: 'mail.example.org', user: 'ctf', sender: 'ctf@example.org', passwordSet: true }
const noCaptcha = { provider: 'None', siteKey: '', threshold: 0.5, secretSet: false, fixed: false }
const turnstile = { ...noCaptcha, provider: 'CloudflareTurnstile', siteKey: 'the-key', secretSet: true }

interface Service {
  readonly mail?: object
  readonly captcha?: object
  readonly failed?: readonly object[]
  /** How many failed mails there are. */
  readonly total?: number
  readonly answer?: () => Response | Promise<Response>
}

/** The query cache of the page. */
let queries: QueryClient
function Held() {
  queries = useQueryClient()
  return null
}

/** A server that stores what is saved, except the secrets. */
async function open(
  page: ReactNode,
  { answer = () => new Response(null), failed = [], total = failed.length && 12, ...given }: Service,
) {
  const services: Record<string, object> = { mail: noMail, captcha: noCaptcha, ...given }
  const sent: { call: string; body: Record<string, unknown> }[] = []
  const requests: string[] = []
  vi.stubGlobal('fetch', async (input: string, init: RequestInit = {}) => {
    const [path = '', search] = String(input).split('?')
    const method = init.method ?? 'GET'
    if (method === 'GET') {
      requests.push(`${path}?${search}`)
      if (path === '/api/admin/config/services') return json(services)
      const { host } = services.mail as { host: string }
      return json({ data: failed, length: failed.length, total, configured: host !== '' })
    }
    const body = JSON.parse(String(init.body ?? '{}')) as Record<string, unknown>
    sent.push({ call: `${method} ${path}`, body })
    const name = path.split('/').at(-1) ?? ''
    const result = await answer()
    if (method === 'PUT' && result.ok) {
      const { password, secret, ...shown } = body
      const isSet = { mail: { passwordSet: Boolean(password) }, captcha: { secretSet: Boolean(secret) } }[name]
      services[name] = { ...services[name], ...shown, ...isSet }
    }
    return result
  })
  const shown = (
    <>
      {page}
      <Held />
    </>
  )
  const place = await openPage(shown, [
    [keys.config, { title: 'GZ', setupRequired: false }],
    [keys.profile, { userName: 'Chief', email: 'chief@example.org', role: 'Admin' }],
  ])
  await settle()
  return { place, sent, requests }
}

test('SE-8 a mail server is saved with its password, and then tested with a mail to the own address', async () => {
  const { place, sent } = await open(<MailSection />, {})
  expect(place.textContent).toContain('Without a mail server, accounts cannot be confirmed by email')
  expect(button('Save mail server')).toBeUndefined()
  expect(place.textContent).not.toContain('Failed emails')
  await write(field('Mail server'), ' mail.example.org ')
  expect(place.textContent).not.toContain('Invalid email address')
  await click(button('Save mail server'))
  expect(place.textContent).toContain('Invalid email address')
  expect([field('Password').type, field('Password').autocomplete]).toEqual(['password', 'new-password'])
  expect(field('Sender address').type).toBe('email')
  expect(place.textContent).not.toContain('Leave empty to keep it.')
  const { hostMax, userMax, passwordMax, senderNameMax } = mailServerLimits
  const longest = { 'Mail server': hostMax, Username: userMax, Password: passwordMax, 'Sender name': senderNameMax }
  for (const [label, length] of Object.entries(longest)) expect(field(label).maxLength, label).toBe(length)
  expect(field('Sender address').maxLength).toBe(accountLimits.emailMax)
  await write(field('Port'), '0')
  await write(field('Sender address'), 'ctf@example.org')
  await click(button('Save mail server'))
  expect(place.textContent).toContain('Enter a port from 1 to 65535')
  await write(field('Port'), '1')
  expect(place.textContent).not.toContain('Enter a port from 1 to 65535')
  await write(field('Port'), '65536')
  expect(place.textContent).toContain('Enter a port from 1 to 65535')
  expect(sent).toEqual([])
  await write(field('Port'), '65535')
  await write(field('Username'), ' ctf ')
  await write(field('Password'), 'pass wörd')
  // A word may follow.
  await write(field('Sender name'), 'The ')
  expect(field('Sender name').value).toBe('The ')
  await write(field('Sender name'), 'The organisers')
  await click(named('Accept any certificate'))
  const others = [keys.captcha, keys.admin.settings]
  for (const key of others) queries.setQueryData(key, {})
  await send(field('Mail server'))
  // Other screens depend on it.
  expect(others.map((key) => queries.getQueryState(key)?.isInvalidated)).toEqual([true, true])
  const { passwordSet: _, fixed: __, ...body } = mail
  expect(sent).toEqual([
    {
      call: 'PUT /api/admin/config/mail',
      body: { ...body, port: 65_535, senderName: 'The organisers', ignoreCertificate: true, password: 'pass wörd' },
    },
  ])
  expect(field('Password').value).toBe('')
  expect(field('Password').placeholder).toBe('Stored')
  expect(place.textContent).toContain('Leave empty to keep it.')
  expect(toasts().at(-1)?.title).toBe('Mail server saved. Send a test email.')
  expect(button('Save mail server')).toBeUndefined()
  await click(button('Send a test email to chief@example.org'))
  expect(sent.at(-1)).toEqual({ call: 'POST /api/admin/mails/test', body: {} })
  expect(toasts().at(-1)?.title).toBe('The mail server accepted the email to chief@example.org')
})

test('SE-8 a stored password is not sent again; changes can be discarded, and an empty host removes the server', async () => {
  const { place, sent } = await open(<MailSection />, { mail })
  expect(place.textContent).toContain('No failed emails')
  // Enter without a change saves nothing.
  await send(field('Sender name'))
  expect(sent).toEqual([])
  const closesFreely = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  expect(closesFreely()).toBe(true)
  await write(field('Sender name'), 'x')
  expect(closesFreely()).toBe(false)
  await click(button('Discard'))
  expect(closesFreely()).toBe(true)
  expect([field('Sender name').value, sent]).toEqual(['', []])
  await write(field('Sender name'), 'The organisers')
  await click(button('Save mail server'))
  expect(sent[0]?.body).not.toHaveProperty('password')
  await write(field('Mail server'), '')
  await write(field('Sender address'), '')
  await click(button('Save mail server'))
  expect(sent[1]?.body).toMatchObject({ host: '', sender: '' })
  expect(toasts().at(-1)?.title).toBe('Mail server removed')
})

test.each([
  ['mail server', MailSection, { mail }, 'Sender name', 'Save mail server'],
  ['captcha', CaptchaSection, { captcha: turnstile }, 'Site key', 'Save captcha'],
])('SE-8 while the %s is being saved no field of it can be changed', async (_, Section, service, label, save) => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  const { place } = await open(<Section />, { ...service, answer: () => promise })
  const free = () => [...place.querySelectorAll('input:not([type=hidden])')].filter((one) => !one.matches(':disabled'))
  const before = free()
  await write(field(label), 'other')
  expect(hasUnsaved()).toBe(true)
  await click(button(save))
  expect(free()).toEqual([])
  expect(button('Discard')?.disabled).toBe(true)
  // What is being sent is not lost when the page closes.
  expect(hasUnsaved()).toBe(false)
  resolve(new Response(null))
  await settle()
  expect(free()).toEqual(before)
})

test('SE-8 a refused change stays in the form and shows the message of the server', async () => {
  const title = 'Enter the password again: the server or the username changed'
  const { sent } = await open(<MailSection />, {
    mail,
    answer: () => json({ title, status: 400, code: 'mail.password_missing' }, 400),
  })
  await write(field('Mail server'), 'other.example.org')
  await click(button('Save mail server'))
  expect(sent).toHaveLength(1)
  expect(field('Mail server').value).toBe('other.example.org')
  expect(toasts().at(-1)).toMatchObject({ title: 'Could not save', message: title })
})

test('SE-8 a failed test mail shows the answer of the mail server and reloads the failed mails, which are listed', async () => {
  const held = Promise.withResolvers<void>()
  const refusal = { title: 'Could not send the email: 535 5.7.8 wrong password', status: 400, code: 'mail.not_sent' }
  const answer = () => held.promise.then(() => json(refusal, 400))
  const { place, requests } = await open(<MailSection />, { mail, answer, failed: [failedMail] })
  const [row] = rows(place)
  for (const part of ['gone@example.org', 'Activation', '9 attempts', '550 5.1.1 No such user']) expect(row).toContain(part)
  expect(place.querySelector('tbody time')?.getAttribute('datetime')).toBe('2026-11-21T10:00:00.000Z')
  expect(place.textContent).toContain('1 of 12')
  const lists = () => requests.filter((one) => one === '/api/admin/mails?count=10&state=Failed').length
  const before = lists()
  await click(button('Send a test email to chief@example.org'))
  expect(toasts()).toMatchObject([{ title: 'Sending test email' }])
  await act(async () => held.resolve())
  await settle()
  expect(toasts()).toMatchObject([
    { title: 'Could not send the test email', message: expect.stringContaining('535 5.7.8 wrong password') },
  ])
  expect(lists()).toBe(before + 1)
  await click(button('Show more'))
  expect(requests.at(-1)).toBe('/api/admin/mails?count=20&state=Failed')
  await click(button('Show more'))
  expect(requests.at(-1)).toBe('/api/admin/mails?count=30&state=Failed')
  // A call lists at most 1000.
  for (let clicks = 0; clicks < 97; clicks++) await act(async () => button('Show more')?.click())
  await settle()
  expect(requests.at(-1)).toBe('/api/admin/mails?count=1000&state=Failed')
  expect(place.textContent).toContain('1 of 12')
  expect(button('Show more')).toBeUndefined()
})

test('SE-8 the failed mails are read again each time their section opens', async () => {
  function Settings() {
    const [shown, setShown] = useState(true)
    return (
      <>
        <button type="button" onClick={() => setShown(!shown)}>
          Mail
        </button>
        {shown && <MailSection />}
      </>
    )
  }
  const { place, requests } = await open(<Settings />, { mail, failed: [failedMail], total: 1 })
  expect(place.textContent).toContain('gone@example.org')
  expect(place.textContent).not.toContain('1 of 1')
  const lists = () => requests.filter((one) => one === '/api/admin/mails?count=10&state=Failed').length
  expect(lists()).toBe(1)
  await click(button('Mail'))
  await click(button('Mail'))
  expect(lists()).toBe(2)
})

test('SE-8 failed mails are listed although the mail server was removed', async () => {
  const { place } = await open(<MailSection />, { failed: [failedMail] })
  expect(place.textContent).toContain('gone@example.org')
})

test('SE-8 what the environment sets is shown without fields, and can be tested', async () => {
  const { place, sent } = await open(
    <>
      <MailSection />
      <CaptchaSection />
    </>,
    { mail: { ...mail, fixed: true }, captcha: { ...turnstile, fixed: true } },
  )
  expect(place.querySelector('input')).toBeNull()
  for (const variable of ['VEXIL_MAIL_HOST', 'VEXIL_CAPTCHA_PROVIDER']) expect(place.textContent).toContain(variable)
  const values = [...place.querySelectorAll('dl > div')].map(({ children }) => [...children].map((one) => one.textContent))
  expect(values).toEqual([
    ['Mail server', 'mail.example.org:587'],
    ['Username', 'ctf'],
    ['Sender address', 'ctf@example.org'],
    ['Provider', 'Cloudflare Turnstile'],
    ['Site key', 'the-key'],
  ])
  await click(button('Send a test email to chief@example.org'))
  await click(button('Test the secret key'))
  expect(sent.map(({ call }) => call)).toEqual(['POST /api/admin/mails/test', 'POST /api/admin/config/captcha/test'])
})

async function choose(provider: string) {
  await click(field('Provider'))
  await click([...document.querySelectorAll('[role=option]')].find(({ textContent }) => textContent === provider))
}

test('SE-8 a captcha provider needs both keys; only reCAPTCHA has a score; the secret key is sent once', async () => {
  const { place, sent } = await open(<CaptchaSection />, {})
  expect(place.textContent).toContain('Protects registration, sign-in and recovery')
  expect(button('Test the secret key')).toBeUndefined()
  await choose('Google reCAPTCHA v3')
  // Faults are shown from the first try on.
  expect(place.textContent).not.toContain('Enter the key from the provider')
  await click(button('Save captcha'))
  expect(place.textContent?.split('Enter the key from the provider')).toHaveLength(3)
  const { siteKeyMax, secretMax } = captchaLimits
  expect([field('Site key').maxLength, field('Secret key').maxLength]).toEqual([siteKeyMax, secretMax])
  const refusesScore = () => place.textContent?.includes('Enter a number from 0 to 1')
  for (const [score, isRefused] of Object.entries({ '0': false, '1': false, '1.01': true, '-0.01': true })) {
    await write(field('Minimum score'), score)
    expect(refusesScore(), score).toBe(isRefused)
  }
  await write(field('Minimum score'), '2')
  await write(field('Site key'), ' the-key ')
  await write(field('Secret key'), 'a secret')
  await click(button('Save captcha'))
  expect(place.textContent).toContain('Enter a number from 0 to 1')
  expect(sent).toEqual([])
  await write(field('Minimum score'), '0.7')
  await click(button('Save captcha'))
  expect(sent).toEqual([
    {
      call: 'PUT /api/admin/config/captcha',
      body: { provider: 'GoogleRecaptcha', siteKey: 'the-key', threshold: 0.7, secret: 'a secret' },
    },
  ])
  expect(toasts()).toMatchObject([{ title: 'Captcha provider saved', role: 'status' }])
  expect([field('Secret key').value, field('Secret key').placeholder]).toEqual(['', 'Stored'])
  await write(field('Minimum score'), '')
  await click(button('Save captcha'))
  expect(place.textContent).toContain('Enter a number from 0 to 1')
  expect(sent).toHaveLength(1)
  await choose('Cloudflare Turnstile')
  expect(place.textContent).not.toContain('Minimum score')
  await click(button('Save captcha'))
  expect(place.textContent).toContain('Enter the key from the provider')
  expect(sent).toHaveLength(1)
  // The score that is not shown any more does not prevent saving.
  await write(field('Secret key'), 'another')
  await click(button('Save captcha'))
  expect(button('Save captcha')).toBeUndefined()
  expect(sent[1]?.body).toEqual({ provider: 'CloudflareTurnstile', siteKey: 'the-key', threshold: 0.7, secret: 'another' })
  // Without a provider no key is needed.
  await write(field('Site key'), '')
  await choose('None')
  await click(button('Save captcha'))
  expect(sent[2]?.body).toEqual({ provider: 'None', siteKey: '', threshold: 0.7 })
  expect(button('Save captcha')).toBeUndefined()
})

test('SE-8 the test of the captcha shows the error of the provider', async () => {
  const title = 'The provider does not accept the secret key'
  const held = Promise.withResolvers<void>()
  let isRefused = true
  const refusal = { title, status: 400, code: 'captcha.secret_refused' }
  await open(<CaptchaSection />, {
    captcha: turnstile,
    answer: () => held.promise.then(() => (isRefused ? json(refusal, 400) : new Response(null))),
  })
  await click(button('Test the secret key'))
  expect(toasts()).toMatchObject([{ title: 'Asking the provider' }])
  await act(async () => held.resolve())
  await until(() => expect(toasts()).toMatchObject([{ title: 'Captcha test failed', message: title, role: 'alert' }]))
  await write(field('Site key'), 'other')
  await click(button('Save captcha'))
  await until(() => expect(toasts().at(-1)).toMatchObject({ title: 'Could not save', message: title }))
  await click(button('Discard'))
  isRefused = false
  await click(button('Test the secret key'))
  await until(() => expect(toasts()).toContainEqual(expect.objectContaining({ title: t('admin.captcha.tested') })))
})
