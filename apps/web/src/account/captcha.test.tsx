// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { act, type ReactNode, useState } from 'react'
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { json, openPage, submit, toasts, type, until } from '../../test/page.tsx'
import { chooseLanguage } from '../shell/i18n.ts'
import { LoginForm } from './login-form.tsx'
import RecoveryScreen from './recovery.screen.tsx'
import { RegisterForm } from './register-form.tsx'

type Provider = 'None' | 'GoogleRecaptcha' | 'CloudflareTurnstile'

/** Calls that the forms sent. */
const sent: { path: string; body: Record<string, unknown> }[] = []
let captcha: { type: Provider; siteKey: string } | 'late' | 'unreachable'
let arrive: (settings: { type: Provider; siteKey: string }) => void
let answer: () => Response
let settingsRead: number

/** Scripts that the page requested; a test lets each of them load or fail. */
const scripts: HTMLScriptElement[] = []
const settle = (event: 'load' | 'error') =>
  act(async () => {
    const script = scripts.at(-1) as HTMLScriptElement
    if (event === 'load') script.onload?.(new Event('load'))
    else script.onerror?.(new Event('error'))
  })

beforeAll(() => {
  const nonce = document.createElement('span')
  nonce.id = 'nonce'
  nonce.dataset.nonce = 'the-nonce'
  document.body.append(nonce)
  const append = document.head.append.bind(document.head)
  document.head.append = (...nodes) => {
    for (const node of nodes) if (node instanceof HTMLScriptElement) scripts.push(node)
    append(...nodes.filter((node) => !(node instanceof HTMLScriptElement)))
  }
})
beforeEach(() => {
  sent.length = scripts.length = settingsRead = 0
  answer = () => json({ title: 'Wrong', status: 401, code: 'account.credentials_wrong' }, 401)
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const path = new URL(String(input instanceof Request ? input.url : input), 'http://localhost').pathname
    if (path === '/api/captcha') {
      settingsRead++
      if (captcha === 'late') return new Promise((resolve) => (arrive = (settings) => resolve(json(settings))))
      return captcha === 'unreachable' ? json({ title: 'x', status: 500 }, 500) : json(captcha)
    }
    if (!init?.body) return json({ title: 'Please log in first', status: 401, code: 'auth.required' }, 401)
    sent.push({ path, body: JSON.parse(String(init.body)) as Record<string, unknown> })
    return answer()
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  delete window.turnstile
  delete window.grecaptcha
})

/** Opens a form and fills in its fields in order. */
async function open(form: ReactNode, ...texts: string[]) {
  const place = await openPage(form)
  for (const [at, text] of texts.entries()) await type(place.querySelectorAll('input')[at], text)
  return place
}
const openLogin = () => open(<LoginForm />, 'Player', 'aaaaaa')
const pleaseWait = { title: 'Please wait for captcha', message: 'Please try again later', role: 'status' }

/** A fake Turnstile that gives tokens on demand. */
function turnstileDouble() {
  const rendered: Record<string, unknown>[] = []
  const hear = (event: 'callback' | 'expired-callback' | 'error-callback', token?: string) =>
    act(async () => {
      const heard = rendered.at(-1)?.[event] as (token?: string) => void
      heard(token)
    })
  const double = {
    rendered,
    render: vi.fn((_: HTMLElement, options: Record<string, unknown>) => {
      rendered.push(options)
      return `widget ${rendered.length}`
    }),
    reset: vi.fn(),
    remove: vi.fn(),
    solve: (token: string) => hear('callback', token),
    expire: () => hear('expired-callback'),
    fail: () => hear('error-callback'),
  }
  window.turnstile = double
  return double
}

test('CAP-1 without a captcha nothing is loaded or shown, and the call is sent', async () => {
  captcha = { type: 'None', siteKey: '' }
  const place = await openLogin()
  await submit(place)
  expect(sent).toEqual([{ path: '/api/account/login', body: { userName: 'Player', password: 'aaaaaa' } }])
  expect(scripts).toEqual([])
})

test('P8.3 CAP-2 a form submitted before the settings arrive is sent once when no captcha is needed', async () => {
  captcha = 'late'
  const place = await openLogin()
  await submit(place)
  await submit(place)
  expect(sent).toEqual([])
  await act(async () => arrive({ type: 'None', siteKey: '' }))
  expect(sent).toEqual([{ path: '/api/account/login', body: { userName: 'Player', password: 'aaaaaa' } }])
  expect(toasts()).not.toContainEqual(pleaseWait)
})

test('P8.3 CAP-2 a form submitted before the settings arrive is not sent when a captcha is needed', async () => {
  captcha = 'late'
  const place = await openLogin()
  await submit(place)
  await act(async () => arrive({ type: 'GoogleRecaptcha', siteKey: 'site-key-0' }))
  expect(sent).toEqual([])
  expect(toasts()).toContainEqual(pleaseWait)
})

test.each<[Provider, string]>([
  ['CloudflareTurnstile', ''],
  ['GoogleRecaptcha', ''],
  ['None', 'site-key-0'],
])('CAP-1 a captcha that is not set up completely (%s with the key "%s") is not asked for', async (type, siteKey) => {
  captcha = { type, siteKey }
  const place = await openLogin()
  await submit(place)
  expect(sent).toHaveLength(1)
  expect(scripts).toEqual([])
})

test('CAP-1 a page without a nonce loads the script without one', async () => {
  captcha = { type: 'GoogleRecaptcha', siteKey: 'site-key-5' }
  const nonce = document.getElementById('nonce')
  nonce?.remove()
  onTestFinished(() => document.body.append(nonce as HTMLElement))
  const place = await openLogin()
  expect(scripts.map(({ nonce }) => nonce)).toEqual([''])
  expect(place.querySelector('[role=alert]')).toBeNull()
})

test('CAP-1 a failure to read the captcha settings does not lock anyone out', async () => {
  captcha = 'unreachable'
  const place = await openLogin()
  await submit(place)
  expect(sent).toHaveLength(1)
})

test('P8.3 CAP-1 CAP-2 CAP-3 Turnstile: no call without a token, a new token after a failure', async () => {
  captcha = { type: 'CloudflareTurnstile', siteKey: 'site-key-1' }
  const place = await openLogin()
  expect(scripts.map(({ src, nonce }) => [src, nonce])).toEqual([
    ['https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit', 'the-nonce'],
  ])
  const turnstile = turnstileDouble()
  // Only the captcha of the language that is shown appears.
  for (const language of ['ja_JP', 'en_US'] as const) await act(() => chooseLanguage(language))
  expect(scripts).toHaveLength(1)
  await settle('load')
  expect(turnstile.rendered).toMatchObject([
    { sitekey: 'site-key-1', theme: 'dark', size: 'flexible', language: 'en-us', action: 'login' },
  ])
  await submit(place)
  expect(sent).toEqual([])
  expect(toasts()).toContainEqual(pleaseWait)
  expect(place.querySelector('button[type=submit]')?.hasAttribute('disabled')).toBe(false)
  await turnstile.solve('first token')
  await submit(place)
  expect(sent).toMatchObject([{ path: '/api/account/login', body: { challenge: 'first token' } }])
  expect(turnstile.reset).toHaveBeenCalledWith('widget 1')
  await submit(place)
  expect(sent).toHaveLength(1)
  await turnstile.solve('second token')
  await turnstile.expire()
  await submit(place)
  expect(sent).toHaveLength(1)
  await turnstile.solve('third token')
  await submit(place)
  expect(sent.at(-1)?.body.challenge).toBe('third token')
})

test('CAP-3 a token is new after success too, where the form stays', async () => {
  captcha = { type: 'CloudflareTurnstile', siteKey: 'site-key-1' }
  answer = () => json({ title: 'Sent', status: 200 })
  const turnstile = turnstileDouble()
  const place = await open(<RecoveryScreen />, 'me@example.org')
  expect(turnstile.rendered).toMatchObject([{ action: 'recovery' }])
  await turnstile.solve('first token')
  await submit(place)
  expect(sent).toMatchObject([{ path: '/api/account/recovery', body: { email: 'me@example.org', challenge: 'first token' } }])
  expect(turnstile.reset).toHaveBeenCalledOnce()
  await submit(place)
  expect(sent).toHaveLength(1)
})

test('the captcha of a form is removed when the form is left; its settings are requested once', async () => {
  captcha = { type: 'CloudflareTurnstile', siteKey: 'site-key-1' }
  const turnstile = turnstileDouble()
  let show = (_: boolean) => {}
  function Form() {
    const [isHere, setIsHere] = useState(true)
    show = setIsHere
    return isHere && <LoginForm />
  }
  await open(<Form />)
  // A test before this one may have loaded the script.
  if (scripts.length > 0) await settle('load')
  await until(() => expect(turnstile.rendered).toHaveLength(1))
  expect(turnstile.remove).not.toHaveBeenCalled()
  await act(async () => show(false))
  expect(turnstile.remove.mock.calls).toEqual([['widget 1']])
  await act(async () => show(true))
  await until(() => expect(turnstile.rendered).toHaveLength(2))
  expect(settingsRead).toBe(1)
})

test('another language or scheme shows a new captcha, and the token of the one before is not sent', async () => {
  captcha = { type: 'CloudflareTurnstile', siteKey: 'site-key-1' }
  const turnstile = turnstileDouble()
  let setScheme = (_: 'light' | 'dark') => {}
  function Form() {
    const [scheme, set] = useState<'light' | 'dark'>('dark')
    setScheme = set
    return (
      <MantineProvider env="test" forceColorScheme={scheme}>
        <LoginForm />
      </MantineProvider>
    )
  }
  const place = await open(<Form />, 'Player', 'aaaaaa')
  // A test before this one may have loaded the script.
  if (scripts.length > 0) await settle('load')
  await turnstile.solve('token of the first one')
  await act(() => chooseLanguage('ja_JP'))
  onTestFinished(() => act(() => chooseLanguage('en_US')))
  expect(turnstile.remove.mock.calls).toEqual([['widget 1']])
  expect(turnstile.rendered.map(({ language }) => language)).toEqual(['en-us', 'ja-jp'])
  await submit(place)
  expect(sent).toEqual([])
  await turnstile.solve('token of the second one')
  await submit(place)
  expect(sent.map(({ body }) => body.challenge)).toEqual(['token of the second one'])
  for (const theme of ['light', 'dark'] as const) {
    await act(async () => setScheme(theme))
    expect(turnstile.rendered.at(-1)).toMatchObject({ theme })
  }
})

test('P8.3 CAP-2 reCAPTCHA: a new token is requested for each try, with the name of the form', async () => {
  captcha = { type: 'GoogleRecaptcha', siteKey: 'site/key&2' }
  answer = () => json({ title: 'Closed', status: 400, code: 'account.registration_closed' }, 400)
  const place = await open(<RegisterForm onMailSent={() => undefined} />, 'me@example.org', 'Player', 'aaaaaa', 'aaaaaa')
  expect(scripts.map(({ src }) => src)).toEqual(['https://www.recaptcha.net/recaptcha/api.js?render=site%2Fkey%262'])
  await submit(place)
  expect(sent).toEqual([])
  expect(toasts()).toContainEqual(pleaseWait)
  let made = 0
  const execute = vi.fn(async () => `token ${++made}`)
  window.grecaptcha = { ready: (then) => then(), execute }
  await settle('load')
  await submit(place)
  await submit(place)
  expect(execute.mock.calls).toEqual(Array(2).fill(['site/key&2', { action: 'register' }]))
  expect(sent.map(({ body }) => body.challenge)).toEqual(['token 1', 'token 2'])
})

test('CAP-4 a script that does not load shows an error and is loaded again on request', async () => {
  captcha = { type: 'GoogleRecaptcha', siteKey: 'site-key-3' }
  const place = await openLogin()
  const removed = vi.spyOn(scripts[0] as HTMLScriptElement, 'remove')
  await settle('error')
  expect(removed).toHaveBeenCalledOnce()
  const alert = place.querySelector('[role=alert]')
  expect(alert?.textContent).toContain('Could not load the captcha.')
  await submit(place)
  expect(sent).toEqual([])
  await act(async () => alert?.querySelector('button')?.click())
  expect(scripts).toHaveLength(2)
  window.grecaptcha = { ready: (then) => then(), execute: async () => 'token' }
  await settle('load')
  expect(place.querySelector('[role=alert]')).toBeNull()
  await submit(place)
  expect(sent).toMatchObject([{ body: { challenge: 'token' } }])
})

test('CAP-4 a captcha that fails after it was shown is replaced by an error, and shown again on request', async () => {
  captcha = { type: 'CloudflareTurnstile', siteKey: 'site-key-1' }
  const turnstile = turnstileDouble()
  const place = await openLogin()
  // A test before this one may have loaded the script.
  if (scripts.length > 0) await settle('load')
  await turnstile.fail()
  const alert = place.querySelector('[role=alert]')
  expect(alert?.textContent).toContain('Could not load the captcha.')
  expect(turnstile.render.mock.lastCall?.[0].hidden).toBe(true)
  await act(async () => alert?.querySelector('button')?.click())
  expect(place.querySelector('[role=alert]')).toBeNull()
  expect(turnstile.rendered).toHaveLength(2)
  expect(turnstile.remove.mock.calls).toEqual([['widget 1']])
  const shown = turnstile.render.mock.lastCall?.[0]
  expect([shown?.isConnected, shown?.hidden]).toEqual([true, false])
  await turnstile.solve('token')
  await submit(place)
  expect(sent.map(({ body }) => body.challenge)).toEqual(['token'])
})

test('CAP-2 reCAPTCHA without an answer of its vendor: the form is not sent, and asks to try again', async () => {
  captcha = { type: 'GoogleRecaptcha', siteKey: 'site-key-4' }
  const place = await openLogin()
  window.grecaptcha = { ready: (then) => then(), execute: async () => Promise.reject(new Error('no network')) }
  await settle('load')
  await submit(place)
  expect(toasts()).toContainEqual(pleaseWait)
  window.grecaptcha = { ready: (then) => then(), execute: async () => 'token' }
  await submit(place)
  expect(sent.map(({ body }) => body.challenge)).toEqual(['token'])
})
