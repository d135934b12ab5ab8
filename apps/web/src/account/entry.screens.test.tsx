// @vitest-environment jsdom
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { act, type ReactNode } from 'react'
import { useNavigationType } from 'react-router'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { button, click, field, named, send, settle, write } from '../../test/acts.ts'
import { openPage, toasts, until, Where, where } from '../../test/page.tsx'
import { acts, type RecordedCall, refuse, serve } from '../../test/server.ts'
import { keys } from '../api/query-keys.ts'
import LoginScreen from './login.screen.tsx'
import RegisterScreen from './register.screen.tsx'

// Runs after the page is closed, which clears its timers.
beforeEach(() => onTestFinished(() => void vi.useRealTimers()))

async function open(
  screen: ReactNode,
  address: string,
  answer: (call: RecordedCall) => unknown,
  site: object = {},
  games: readonly object[] = [],
) {
  const requests = serve((call) => {
    if (call.path === '/api/game') return games
    if (call.path === '/api/captcha') return { type: 'None', siteKey: '' }
    if (call.path === '/api/account/session') return { user: { userId: 'u1', userName: 'ann', role: 'User' } }
    return call.method === 'GET' ? [] : answer(call)
  })
  const place = await openPage(
    <main id="content" tabIndex={-1}>
      <Where />
      <How />
      {screen}
    </main>,
    [
      [keys.config, { title: 'Harbour', setupRequired: false, ...site }],
      [keys.profile, null],
    ],
    address,
  )
  return { place, requests }
}
let queries: QueryClient
/** The kind of the last navigation. */
function How() {
  queries = useQueryClient()
  return <i data-how={useNavigationType()} />
}
const how = () => [...document.querySelectorAll<HTMLElement>('[data-how]')].at(-1)?.dataset.how
const hrefs = (place: ParentNode) => [...place.querySelectorAll('form a')].map((one) => one.getAttribute('href'))
/** The text at a field that is marked as invalid. */
const wrongAt = (label: string) =>
  field(label).getAttribute('aria-invalid') === 'true' && field(label).closest('.mantine-InputWrapper-root')?.textContent

async function signIn() {
  await write(field('Username or email'), ' ann ')
  await write(field('Password'), 'long enough')
  await send(field('Password'))
}

test.each([
  ['User has been banned', 'account.banned', 401],
  ['This account is not yet active', 'account.not_active', 401],
])('P8.2 LOGIN-3 "%s" is shown at the field, and the page stays open', async (words, code, status) => {
  const { requests } = await open(<LoginScreen />, '/account/Login?from=/Teams', () => refuse(words, code, status))
  await signIn()
  expect(wrongAt('Password')).toContain(words)
  expect(where()).toBe('/account/Login?from=/Teams')
  expect(requests.map(({ path }) => path)).not.toContain('/api/account/session')
})

test('a login that is not answered by the platform is reported in a message, not at the field', async () => {
  await open(<LoginScreen />, '/account/Login', () => new Response(null, { status: 502 }))
  await signIn()
  expect(toasts()).toEqual([
    expect.objectContaining({ message: 'Cannot reach the platform. Try again in a moment.', role: 'alert' }),
  ])
  expect(wrongAt('Password')).toBe(false)
})

test('a login that waits for long shows the queue until the server answers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
  let answer = (_: Response) => {}
  await open(<LoginScreen />, '/account/Login', () => new Promise<Response>((resolve) => (answer = resolve)))
  // A form that is not sent waits for nothing.
  await pass(10_000)
  expect(button('Sign in')).toBeTruthy()
  await write(field('Username or email'), ' ann ')
  await write(field('Password'), 'long enough')
  const readOnly = () => [field('Username or email').readOnly, field('Password').readOnly]
  expect(readOnly()).toEqual([false, false])
  await act(async () => field('Password').form?.requestSubmit())
  await pass(10)
  expect(readOnly()).toEqual([true, true])
  await pass(2400)
  expect(button('Sign in')).toBeTruthy()
  expect(document.body.textContent).not.toContain('Waiting in queue')
  await pass(100)
  expect(button('Waiting in queue')).toBeTruthy()
  expect(document.querySelector('form [role=status]')?.textContent).toBe('Waiting in queue')
  await act(async () => answer(refuse('Wrong', 'account.wrong_password', 401)))
  await pass(10)
  expect(button('Sign in')).toBeTruthy()
  expect(document.body.textContent).not.toContain('Waiting in queue')
})

test.each([
  ['?from=%2Fgames%2F7%2FChallenges%3Fc%3D3', '/games/7/Challenges?c=3'],
  ['', '/'],
  ['?from=%2F%2Fevil.example', '/'],
])('P2.7 LOGIN-4 login after %s reads the profile and then opens %s', async (query, to) => {
  localStorage.removeItem('session-changed')
  const { requests } = await open(<LoginScreen />, `/account/Login${query}`, () => undefined)
  // Read by the visitor.
  for (const key of [keys.myGames, keys.teams.mine]) queries.setQueryData(key, [])
  await signIn()
  const isOld = (key: readonly string[]) => queries.getQueryState(key)?.isInvalidated
  expect([keys.myGames, keys.teams.mine, keys.config, keys.profile].map(isOld)).toEqual([true, true, false, false])
  // Announces the change to other tabs.
  expect(localStorage.getItem('session-changed')).not.toBeNull()
  expect(acts(requests)).toEqual([{ call: 'POST /api/account/login', body: { userName: 'ann', password: 'long enough' } }])
  const order = requests.map(({ path }) => path)
  expect(order.indexOf('/api/account/session')).toBeGreaterThan(order.indexOf('/api/account/login'))
  // The back button does not lead to the login.
  expect([where(), how()]).toEqual([to, 'REPLACE'])
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Signed in', role: 'status' })])
})

test('the page to sign in names the running game that ends first, with the time left', async () => {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  const cup = (id: number, title: string, from: number, to: number) => ({ id, title, start: at(from), end: at(to) })
  const games = [cup(1, 'Ended', -3, -1), cup(2, 'Coming', 1, 1.5), cup(3, 'Long', -1, 9), cup(4, 'Short', -1, 2)]
  const { place } = await open(<LoginScreen />, '/account/Login', () => undefined, {}, games)
  await until(() => expect(place.textContent).toContain('Short is running, time left:'))
  expect(place.querySelector('[role=timer]')?.textContent).toMatch(/^0[12]:/)
  // Outside the rail Tab reaches the switch of the colours.
  expect(named('Light mode')?.tabIndex).toBe(0)
  const none = await open(<LoginScreen />, '/account/Login', () => undefined, {}, games.slice(0, 2))
  await until(() => expect(none.requests.map(({ path }) => path)).toContain('/api/game'))
  await settle()
  expect(none.place.textContent).not.toContain('is running')
})

test('LOGIN-5 the link to registration keeps the return address, and is hidden where registration is closed', async () => {
  const address = '/account/Login?from=%2Fgames%2F7'
  const shown = await open(<LoginScreen />, address, () => undefined)
  expect(hrefs(shown.place)).toEqual(['/account/Recovery', '/account/Register?from=%2Fgames%2F7'])
  const closed = await open(<LoginScreen />, address, () => undefined, { allowRegister: false })
  expect(hrefs(closed.place)).toEqual(['/account/Recovery'])
})

async function register(
  address = '/account/Register',
  answer: (call: RecordedCall) => unknown = () => ({ data: 'LoggedIn' }),
  site = {},
) {
  const opened = await open(<RegisterScreen />, address, answer, site)
  await write(field('Email'), 'ann@example.org')
  await write(field('Username'), 'ann')
  await write(field('Password'), 'long enough')
  await write(field('Retype password'), 'long enough')
  return { ...opened, sendIt: () => send(field('Email')) }
}

test('P1.2 P3.2 P2.10 registration without confirmation signs in and returns to the previous page', async () => {
  const { place, requests, sendIt } = await register('/account/Register?from=%2Fgames%2F7')
  expect(hrefs(place)).toEqual(['/account/Login?from=%2Fgames%2F7'])
  expect(field('Username').maxLength).toBe(15)
  await write(field('Username'), ' ann ')
  // A browser removes only blanks of ASCII.
  await write(field('Email'), '\u3000ann@example.org')
  await sendIt()
  expect(acts(requests)).toEqual([
    { call: 'POST /api/account/register', body: { email: 'ann@example.org', userName: 'ann', password: 'long enough' } },
  ])
  expect([where(), how()]).toEqual(['/games/7', 'REPLACE'])
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Registered and signed in' })])
})

test('P2.10 an account that waits for an administrator gets a message at the login', async () => {
  const { sendIt } = await register('/account/Register?from=%2Fgames%2F7', () => ({ data: 'AdminConfirmationRequired' }))
  await sendIt()
  expect(where()).toBe('/account/Login?from=%2Fgames%2F7')
  expect(toasts()).toEqual([expect.objectContaining({ title: expect.stringContaining('administrator must activate') })])
})

test('P2.10 REG-4 a registration that needs a confirmation mail shows the address used, and can send the mail again after each minute', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] })
  const address = '/account/Register?from=%2Fgames%2F7'
  let refused: Response | undefined
  const { place, requests, sendIt } = await register(address, () => refused ?? { data: 'EmailConfirmationRequired' })
  field('Email').focus()
  const focus = vi.spyOn(place.querySelector('main') as HTMLElement, 'focus')
  await sendIt()
  expect(focus).toHaveBeenCalledExactlyOnceWith({ preventScroll: true })
  expect(place.textContent).toContain('ann@example.org')
  expect(place.querySelector('form')).toBeNull()
  // The form is gone, and with it the field that had the focus.
  expect(document.activeElement).toBe(place.querySelector('main'))
  expect(place.querySelector('a[href="/account/Login?from=%2Fgames%2F7"]')?.textContent).toBe('Sign in')
  // The page already shows it (TOAST-1).
  expect(toasts()).toEqual([])
  const again = () => [...place.querySelectorAll('button')].find((one) => /^(Retry in|Send again)/.test(one.textContent ?? ''))
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) await act(() => vi.advanceTimersByTimeAsync(1000))
  }
  for (const times of [1, 2]) {
    await pass(52)
    expect(again()?.textContent).toMatch(/^Retry in \d s$/)
    await click(again())
    expect(acts(requests)).toHaveLength(times)
    await pass(10)
    expect(again()?.textContent).toBe('Send again')
    await click(again())
    expect(acts(requests)).toHaveLength(times + 1)
  }
  expect(new Set(acts(requests).map((one) => JSON.stringify(one))).size).toBe(1)
  await pass(62)
  refused = refuse('Too many requests', 'request.too_many', 429, { 'Retry-After': '90' })
  await click(again())
  expect(again()?.textContent).toMatch(/^Retry in [89]\d s$/)
})

test('REG-1 no field of a registration can be changed while it is sent', async () => {
  const held = Promise.withResolvers<object>()
  const { sendIt } = await register('/account/Register', () => held.promise)
  const readOnly = () => ['Email', 'Username', 'Password', 'Retype password'].map((label) => field(label).readOnly)
  expect(readOnly()).toEqual([false, false, false, false])
  await sendIt()
  expect(readOnly()).toEqual([true, true, true, true])
  held.resolve({ data: 'LoggedIn' })
  await until(() => expect(where()).toBe('/'))
})

test('REG-2 a refusal is shown at the field that it concerns, including the domains that may register', async () => {
  let refused = refuse('', '')
  const { place, sendIt } = await register('/account/Register', () => refused)
  for (const [words, code, label] of [
    ['Only addresses in these domains can register: example.com, example.net', 'account.domain_refused', 'Email'],
    ['This account already exists', 'account.exists', 'Email'],
    ['This email address is already in use', 'account.email_taken', 'Email'],
    ['This username is already in use', 'account.name_taken', 'Username'],
    ['The password must have at least 6 characters', 'account.password_too_short', 'Password'],
  ] as const) {
    refused = refuse(words, code)
    await sendIt()
    expect(wrongAt(label), code).toContain(words)
    expect(place.querySelectorAll('[aria-invalid="true"]')).toHaveLength(1)
    expect(toasts()).toEqual([])
    expect(field('Username').value).toBe('ann')
  }
})

test('REG-2 closed registration and an unsolved captcha are shown in the words of the server', async () => {
  let refused = refuse('', '')
  const { sendIt } = await register('/account/Register', () => refused)
  for (const [words, code] of [
    ['Registration is closed', 'account.registration_closed'],
    ['The captcha was not solved', 'captcha.failed'],
  ] as const) {
    refused = refuse(words, code)
    await sendIt()
    expect(toasts()).toEqual([expect.objectContaining({ title: 'Could not register', message: words, role: 'alert' })])
  }
  const { place } = await open(<RegisterScreen />, '/account/Register', () => undefined, { allowRegister: false })
  expect(place.textContent).toContain('Registration is closed.')
  expect(place.querySelector('a[href="/account/Login"]')?.textContent).toBe('Sign in')
  expect(place.querySelector('form')).toBeNull()
})

test('REG-3 after too many registrations the message of the server names the seconds, and the button counts them', async () => {
  const refused = () => refuse('Too many requests, try again in 2 seconds', 'request.too_many', 429, { 'Retry-After': '2' })
  const { requests, sendIt } = await register('/account/Register', refused)
  await sendIt()
  expect(toasts()).toEqual([
    expect.objectContaining({ title: 'Please try again later', message: 'Too many requests, try again in 2 seconds' }),
  ])
  expect(button('Retry in 2 s')?.getAttribute('aria-disabled')).toBe('true')
  await sendIt()
  expect(acts(requests)).toHaveLength(1)
  await until(() => expect(button('Register')?.getAttribute('aria-disabled')).toBeNull())
  await sendIt()
  expect(acts(requests)).toHaveLength(2)
})
