// @vitest-environment jsdom
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { UserInfo } from '@vexil/contract/users'
import { accountLimits } from '@vexil/core/limits'
import { act, useEffect } from 'react'
import { useLocation, useNavigate, useNavigationType } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { button, click, field, named, rows, send, settle, write } from '../../../test/acts.ts'
import { json, openPage, toasts, until } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import { forgetPasswords, newPasswords } from '../../shell/new-passwords.ts'
import { t } from '../../ui/text/organiser-texts.ts'
import UsersScreen from './users.screen.tsx'

beforeEach(() => forgetPasswords())
afterEach(() => void vi.unstubAllGlobals())

const guid = (n: number) => `0a1b2c3d-4e5f-4000-8000-${String(n).padStart(12, '0')}`
const user = (n: number, userName: string, more: Partial<UserInfo> = {}): UserInfo => ({
  id: guid(n),
  userName,
  realName: `Real ${userName}`,
  stdNumber: `S-${n}`,
  phone: '+1 23',
  bio: 'Sails.',
  registerTimeUtc: '2026-11-01T08:00:00+00:00',
  lastVisitedUtc: '2026-11-22T08:00:00+00:00',
  ip: `192.0.2.${n}`,
  email: `${userName}@example.org`,
  avatar: null,
  role: 'User',
  emailConfirmed: true,
  ...more,
})
const four = [
  user(1, 'Root', { role: 'Admin' }),
  user(2, 'ada', { avatar: '/assets/ada.webp' }),
  user(3, 'ben', { role: 'Monitor', emailConfirmed: false }),
  user(4, 'cleo', { role: 'Banned' }),
]

const root = { userId: guid(1), userName: 'Root', role: 'Admin' }

/** How each entry of the history was created. */
let entered: string[]
/** Requests for the own account. */
let sessions: number
/** The query cache of the page. */
let queries: QueryClient

interface Options {
  readonly users?: readonly UserInfo[]
  readonly address?: string
  readonly total?: number
  /** Overrides the answer to a call. */
  readonly refuse?: (call: string) => Response | undefined | Promise<Response | undefined>
}

/** A server that stores what it receives; `calls` are those that change something, `asked` those that read. */
async function open({ users = four, address = '/admin/Users', total, refuse }: Options = {}) {
  let now = [...users]
  const [requests, calls]: [string[], { call: string; body: unknown }[]] = [[], []]
  vi.stubGlobal('fetch', async (input: string, init: RequestInit = {}) => {
    const [path = '', query = ''] = String(input).split('?')
    const [method, id] = [init.method ?? 'GET', path.split('/')[4] ?? '']
    const call = `${method} ${path}`
    if (path === '/api/account/session') {
      sessions++
      return json({ user: root })
    }
    const refusing = refuse?.(call)
    if (method === 'GET' || path.endsWith('/search')) {
      requests.push(`${path}?${query}`)
      return (await refusing) ?? json({ data: now, length: now.length, total: total ?? now.length })
    }
    calls.push({ call, body: init.body ? JSON.parse(String(init.body)) : undefined })
    const refused = await refusing
    if (refused) return refused
    if (path.endsWith('/password')) return json('New-Secret-1234!')
    if (method === 'DELETE') now = now.filter((one) => one.id !== id)
    if (method === 'PUT') now = now.map((one) => (one.id === id ? { ...one, ...JSON.parse(String(init.body)) } : one))
    return new Response(null)
  })
  let here = ''
  entered = []
  sessions = 0
  function Here() {
    const { pathname, search, key } = useLocation()
    const way = useNavigationType()
    const navigate = useNavigate()
    here = `${pathname}${search}`
    queries = useQueryClient()
    // biome-ignore lint/correctness/useExhaustiveDependencies: once per entry
    useEffect(() => void entered.push(way), [key])
    return (
      <button type="button" onClick={() => void navigate(-1)}>
        Back
      </button>
    )
  }
  const page = (
    <>
      <UsersScreen />
      <Here />
    </>
  )
  const known: Parameters<typeof openPage>[1] = [
    [keys.config, { title: 'GZ' }],
    [keys.profile, root],
  ]
  const place = await openPage(page, known, address)
  await settle()
  return { place, requests, calls, here: () => here }
}
const row = (place: HTMLElement, name: string) =>
  [...place.querySelectorAll('tbody tr')].find((one) => one.textContent?.includes(`${name}@`)) as HTMLElement
const fromMenu = async (name: string, item: string) => {
  await click(named(`More actions for ${name}`))
  await click([...document.querySelectorAll('[role=menuitem]')].findLast(({ textContent }) => textContent === item))
}
const choose = async (label: string, option: string) => {
  const select = [...document.querySelectorAll<HTMLInputElement>(`input[aria-label="${label}"]`)].at(-1)
  await click(select)
  await click([...document.querySelectorAll('[role=option]')].find((one) => one.textContent === option))
}
const refusal = (code: string, title: string, status = 400, data: unknown = null) => json({ code, title, status, data }, status)

test('P2.17 P3.49 a row shows picture, role, address, last visit, IP, real name and number', async () => {
  const { place, requests } = await open()
  expect(requests).toEqual(['/api/admin/users?count=30&skip=0'])
  const text = row(place, 'ada').textContent
  for (const part of ['ada', 'User', 'ada@example.org', '192.0.2.2', 'Real ada', 'S-2']) expect(text).toContain(part)
  expect(row(place, 'ada').querySelector('img')?.getAttribute('src')).toBe('/assets/ada.webp')
  expect(row(place, 'ada').querySelector('time')?.dateTime).toBe('2026-11-22T08:00:00.000Z')
  expect(['Root', 'ben', 'cleo'].map((name) => row(place, name).textContent)).toEqual([
    expect.stringContaining('Administrator'),
    expect.stringContaining('Monitor'),
    expect.stringContaining('Banned'),
  ])
  expect(place.textContent).toContain('4 of 4')
  // All are on one page.
  expect(button('1')).toBeUndefined()
  expect([...place.querySelectorAll('[role=status]')].map(({ textContent }) => textContent)).toContain('4 of 4')
  const find = named<HTMLInputElement>('Name, email, student number, phone or ID')
  expect([find?.maxLength, find?.getAttribute('enterkeyhint')]).toEqual([256, 'search'])
  const icons = [...place.querySelectorAll('tbody tr')].map(
    (one) => /tabler-icon-(user|ban|eye|shield-half)\b/.exec(one.innerHTML)?.[1],
  )
  expect(icons).toEqual(['shield-half', 'user', 'eye', 'ban'])
  const titles = [...row(place, 'ada').querySelectorAll('[title]')].map((one) => one.getAttribute('title'))
  expect(place.querySelector('nav [aria-current=page]')?.textContent).toBe('Users')
  expect(titles).toContain('ada@example.org')
})

test('US-2 an account that never signed in has no time and no address', async () => {
  const { place } = await open({
    users: [user(2, 'ada', { lastVisitedUtc: '1970-01-01T00:00:00+00:00', ip: '0.0.0.0' }), user(3, 'ben')],
  })
  expect(row(place, 'ada').textContent).toContain('never')
  expect(row(place, 'ada').textContent).not.toMatch(/ago|0\.0\.0\.0/)
  expect(row(place, 'ben').textContent).toMatch(/ago.*192\.0\.2\.3/)
  await click(named('Edit ada'))
  await until(() => expect(document.querySelector('[role=dialog]')?.textContent).toContain('Last seennever'))
  expect(document.querySelector('[role=dialog]')?.textContent).not.toMatch(/1970|0\.0\.0\.0/)
})

test('US-7 search, role and activation are sent to the server, kept in the address and start at page 1', async () => {
  const { requests, here } = await open({ address: '/admin/Users?page=3', total: 61 })
  expect(requests).toEqual(['/api/admin/users?count=30&skip=60'])
  await write(named<HTMLInputElement>('Name, email, student number, phone or ID') as HTMLInputElement, ' ada ')
  expect(requests).toHaveLength(1)
  await send(named('Name, email, student number, phone or ID'))
  expect(here()).toBe('/admin/Users?search=ada')
  expect(requests.at(-1)).toBe('/api/admin/users/search?hint=ada&count=30&skip=0')
  await choose('Role', 'Monitor')
  await choose('Activation', 'Inactive')
  expect(here()).toBe('/admin/Users?search=ada&role=Monitor&activity=inactive')
  expect(requests.at(-1)).toBe('/api/admin/users/search?hint=ada&role=Monitor&active=false&count=30&skip=0')
  await write(named<HTMLInputElement>('Name, email, student number, phone or ID') as HTMLInputElement, '')
  await settle()
  expect(here()).toBe('/admin/Users?role=Monitor&activity=inactive')
})

test('a page that no longer exists leads to the last one', async () => {
  const { requests, here } = await open({ address: '/admin/Users?role=User&page=3', total: 31 })
  expect(here()).toBe('/admin/Users?role=User&page=2')
  expect(requests.at(-1)).toBe('/api/admin/users?role=User&count=30&skip=30')
})

test('US-7 typing filters 250 ms after the last key; the older request is aborted and the address replaced', async () => {
  const { here } = await open()
  const calls: { hint: string | null; signal: AbortSignal }[] = []
  vi.stubGlobal('fetch', (input: string, { signal }: RequestInit) => {
    calls.push({ hint: new URL(input, 'http://x').searchParams.get('hint'), signal: signal as AbortSignal })
    return new Promise(() => {})
  })
  const find = named<HTMLInputElement>('Name, email, student number, phone or ID')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const wait = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms))
    await write(find, 'a')
    await wait(200)
    await write(find, 'ad ')
    await wait(249)
    expect(calls).toEqual([])
    await wait(1)
    expect([here(), calls.map(({ hint }) => hint)]).toEqual(['/admin/Users?search=ad', ['ad']])
    // The trailing space stays, since another word may follow.
    expect(find?.value).toBe('ad ')
    await write(find, 'ad a')
    await wait(250)
    expect(calls.map(({ hint, signal }) => [hint, signal.aborted])).toEqual([
      ['ad', true],
      ['ad a', false],
    ])
  } finally {
    vi.useRealTimers()
  }
  expect(entered).toEqual(['POP', 'REPLACE', 'REPLACE'])
})

test('US-7 a reload shows the same list, and a page has 30', async () => {
  let answered: Promise<undefined> | undefined
  const address = '/admin/Users?search=a&role=Admin&activity=active&page=2'
  const { place, requests, here } = await open({ address, total: 65, refuse: () => answered })
  expect(requests).toEqual(['/api/admin/users/search?hint=a&role=Admin&active=true&count=30&skip=30'])
  expect(named<HTMLInputElement>('Name, email, student number, phone or ID')?.value).toBe('a')
  expect(document.querySelector<HTMLInputElement>('input[aria-label=Role]')?.value).toBe('Administrator')
  expect(document.querySelector<HTMLInputElement>('input[aria-label=Activation]')?.value).toBe('Active')
  expect(place.textContent).toContain('4 of 65')
  const scrolled = vi.fn()
  vi.stubGlobal('scrollTo', scrolled)
  const held = Promise.withResolvers<undefined>()
  answered = held.promise
  await click(button('3'))
  expect(here()).toContain('page=3')
  expect(requests.at(-1)).toContain('skip=60')
  expect(scrolled).toHaveBeenCalledWith({ top: 0 })
  // The page before stays until the next one is there.
  expect(rows(place)).toHaveLength(4)
  await act(async () => held.resolve(undefined))
  answered = undefined
  // The crosses clear the filters.
  for (const left of ['/admin/Users?search=a&activity=active', '/admin/Users?search=a']) {
    await click(place.querySelector('button[aria-label="Show all"]'))
    expect(here()).toBe(left)
  }
})

test('an empty search offers all accounts, the back button returns to it; a failed list offers another try', async () => {
  for (const search of ['search=zz&role=User&activity=active', 'role=User', 'activity=active']) {
    const empty = await open({ users: [], address: `/admin/Users?${search}` })
    expect(empty.place.textContent).toContain('No matching users')
    await click([...empty.place.querySelectorAll('button')].find(({ textContent }) => textContent === 'Show all'))
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Name, email, student number, phone or ID')
    const typed = () => named<HTMLInputElement>('Name, email, student number, phone or ID')?.value
    expect([empty.here(), typed()]).toEqual(['/admin/Users', ''])
    await click(button('Back'))
    expect([empty.here(), typed()]).toEqual([`/admin/Users?${search}`, new URLSearchParams(search).get('search') ?? ''])
    empty.place.remove()
  }
  let broken = true
  const { place } = await open({ refuse: () => (broken ? refusal('server.unknown', 'Out of order', 500) : undefined) })
  expect(place.querySelector('[role=alert]')?.textContent).toContain('Out of order')
  broken = false
  await click(button('Retry'))
  expect(rows(place)).toHaveLength(4)
})

test('US-1 the switch activates and deactivates one account, the list is updated, a refusal switches it back', async () => {
  const held = Promise.withResolvers<undefined>()
  const { place, calls } = await open({ refuse: (call) => (call.startsWith('PUT') ? held.promise : undefined) })
  const ben = () => named<HTMLInputElement>('ben is active')
  expect(ben()?.checked).toBe(false)
  const teams = keys.admin.teams({ hint: '', page: 1 })
  queries.setQueryData(teams, {})
  await click(ben())
  expect(calls).toEqual([{ call: `PUT /api/admin/users/${guid(3)}`, body: { emailConfirmed: true } }])
  // It shows the new state before the answer.
  expect(ben()?.checked).toBe(true)
  await act(async () => held.resolve(undefined))
  await until(() => expect(toasts()).toHaveLength(1))
  expect([ben()?.checked, toasts().at(-1)?.title]).toEqual([true, 'ben activated'])
  // The account may be the own one, and teams show their members.
  expect([sessions, queries.getQueryState(teams)?.isInvalidated]).toEqual([1, true])
  await click(named('ada is active'))
  // The second message does not replace the first.
  expect(toasts().map(({ title }) => title)).toEqual(['ben activated', 'ada deactivated and signed out'])
  await click(named('ada is active'))
  expect(named<HTMLInputElement>('ada is active')?.checked).toBe(true)
  expect(place.querySelectorAll('tbody tr')).toHaveLength(4)
  const refusing = await open({
    refuse: (call) => (call.startsWith('PUT') ? refusal('user.last_admin', 'The last one') : undefined),
  })
  await click(ben())
  expect(refusing.calls).toHaveLength(1)
  expect(ben()?.checked).toBe(false)
  expect(toasts()).toContainEqual({ title: 'Could not save', message: 'The last one', role: 'alert' })
})

test('US-2 the dialog shows every field, sends the changed ones and updates the row', async () => {
  const { place, calls } = await open()
  await click(named('Edit ada'))
  const dialog = () => document.querySelector('[role=dialog]')
  expect(dialog()?.textContent).toContain('192.0.2.2')
  expect(dialog()?.querySelector('img')?.getAttribute('src')).toBe('/assets/ada.webp')
  expect([...(dialog()?.querySelectorAll('time') ?? [])].map(({ dateTime }) => dateTime)).toEqual([
    '2026-11-22T08:00:00.000Z',
    '2026-11-01T08:00:00.000Z',
  ])
  const values = {
    Username: 'ada',
    Email: 'ada@example.org',
    'Real name': 'Real ada',
    'Student number': 'S-2',
    Phone: '+1 23',
  }
  for (const [label, value] of Object.entries(values)) expect(field(label).value).toBe(value)
  expect(field('About me').value).toBe('Sails.')
  expect(dialog()?.textContent).not.toMatch(/your own role|Lift the ban/)
  expect([field('Email').type, field('Phone').type]).toEqual(['email', 'tel'])
  const { userNameMax, emailMax, realNameMax, studentNumberMax, phoneMax, bioMax } = accountLimits
  const longest = {
    ...{ Username: userNameMax, Email: emailMax, 'Real name': realNameMax },
    ...{ 'Student number': studentNumberMax, Phone: phoneMax, 'About me': bioMax },
  }
  for (const [label, length] of Object.entries(longest)) expect(field(label).maxLength, label).toBe(length)
  expect(field('Username').hasAttribute('data-autofocus')).toBe(true)
  expect(button('Save')?.disabled).toBe(true)
  await write(field('Username'), ' adele ')
  await write(field('Real name'), 'Adele')
  await write(field('Student number'), 'N-7')
  await write(field('Phone'), '')
  await write(field('About me'), 'Rows.')
  await click(field('Monitor'))
  await click(field('Active: can sign in'))
  await send(field('Username'))
  const sent = {
    ...{ userName: 'adele', realName: 'Adele', stdNumber: 'N-7', phone: '', bio: 'Rows.', role: 'Monitor' },
    emailConfirmed: false,
  }
  expect(calls).toEqual([{ call: `PUT /api/admin/users/${guid(2)}`, body: sent }])
  await until(() => expect(dialog()).toBeNull())
  expect(toasts().at(-1)?.title).toBe('adele saved')
  expect(rows(place)[1]).toMatch(/adele.*Monitor.*Adele.*N-7/)
})

test('US-2 a new address stays confirmed as the form shows, so that the user is not locked out', async () => {
  const held = Promise.withResolvers<undefined>()
  const { calls } = await open({ refuse: (call) => (call.startsWith('PUT') ? held.promise : undefined) })
  // The name in the row opens the dialog, too.
  await click(button('ada'))
  await write(field('Email'), 'new@example.org')
  await send(field('Email'))
  expect(calls[0]?.body).toEqual({ email: 'new@example.org', emailConfirmed: true })
  // What is being sent is not lost when the dialog closes.
  await click(named('Close'))
  await until(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  await act(async () => held.resolve(undefined))
  await until(() => expect(toasts()).toMatchObject([{ title: 'ada saved' }]))
})

test('US-2 the rules of the profile apply, and a refusal of the server is shown at its field', async () => {
  let refused: readonly [code: string, title: string] = ['account.email_taken', 'It is in use']
  const refuse = (call: string) => (call.startsWith('PUT') ? refusal(...refused) : undefined)
  const { calls } = await open({ refuse })
  await click(named('Edit ada'))
  await write(field('Username'), 'a@b')
  await write(field('Email'), 'nothing')
  await write(field('Phone'), 'call me')
  await send(field('Email'))
  expect(calls).toEqual([])
  for (const label of ['Username', 'Email', 'Phone']) expect(field(label).getAttribute('aria-invalid')).toBe('true')
  await click(named('Close'))
  await until(() => expect(document.body.textContent).toContain(t('shell.unsaved')))
  await click(button('Cancel'))
  expect(field('Phone').value).toBe('call me')
  // An edit removes the messages.
  await write(field('Username'), 'ada')
  for (const label of ['Username', 'Email', 'Phone']) expect(field(label).getAttribute('aria-invalid')).not.toBe('true')
  await write(field('Email'), 'ben@example.org')
  await write(field('Phone'), '')
  await send(field('Email'))
  expect(calls).toHaveLength(1)
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('It is in use')
  expect(field('Email').value).toBe('ben@example.org')
  for (const [code, label] of [
    ['account.name_taken', 'Username'],
    ['account.phone_invalid', 'Phone'],
    ['user.last_admin', undefined],
  ] as const) {
    refused = [code, `refused: ${code}`]
    await send(field('Email'))
    expect(document.querySelector('[role=dialog]')?.textContent).toContain(`refused: ${code}`)
    const marked = ['Username', 'Email', 'Phone'].filter((one) => field(one).getAttribute('aria-invalid') === 'true')
    expect(marked).toEqual(label ? [label] : [])
    expect(toasts()).toEqual([])
  }
  refused = ['request.invalid', 'Not now']
  await send(field('Email'))
  expect(toasts()).toMatchObject([{ title: 'Could not save', message: 'Not now' }])
})

test('US-2 US-4 an administrator cannot remove the own role or activation or delete the own account', async () => {
  await open({ users: [...four, user(5, 'dan', { role: 'Admin' })] })
  const offered = async (name: string) => {
    await click(named(`More actions for ${name}`))
    const items = [...document.querySelectorAll<HTMLButtonElement>('[role=menuitem]')]
    expect(items.map(({ dataset }) => 'harmful' in dataset)).toEqual([false, true, true])
    const found = items.map(({ textContent, disabled, title }) => [textContent, disabled, title])
    await click(named(`More actions for ${name}`))
    return found
  }
  expect(await offered('Root')).toEqual([
    ['Reset password', false, ''],
    ['Ban', true, 'Not available for your own account'],
    ['Delete', true, 'Not available for your own account'],
  ])
  expect(named<HTMLInputElement>('Root is active')?.disabled).toBe(true)
  expect(named<HTMLInputElement>('dan is active')?.disabled).toBe(false)
  // Only the own switch has a tooltip.
  for (const name of ['dan', 'Root']) {
    const target = named(`${name} is active`)
    await act(async () => void target?.dispatchEvent(new Event('pointerover', { bubbles: true })))
    await settle(350)
    const tips = [...document.querySelectorAll('[role=tooltip]')].map(({ textContent }) => textContent)
    expect(tips).toEqual(name === 'Root' ? ['Not available for your own account'] : [])
    await act(async () => void target?.dispatchEvent(new Event('pointerout', { bubbles: true })))
  }
  for (const other of ['ada', 'dan'])
    expect((await offered(other)).map(([, ...state]) => state)).toEqual(Array(3).fill([false, '']))
  await click(named('Edit Root'))
  const roles = [...document.querySelectorAll<HTMLInputElement>('[role=dialog] input[type=radio]')]
  expect(roles.map(({ disabled }) => disabled)).toEqual([true, true, true])
  expect(field('Active: can sign in').disabled).toBe(true)
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('You cannot change your own role')
})

test('US-3 a new password is requested after a question, shown once with a warning, and not stored', async () => {
  const { calls } = await open()
  const asks = () => document.querySelector('[role=dialog]')?.textContent
  await fromMenu('Root', 'Reset password')
  await until(() => expect(asks()).toContain('all its sessions end, including this one'))
  await click(button('Cancel'))
  await fromMenu('ada', 'Reset password')
  await until(() => expect(asks()).toMatch(/password of ada\?.*All sessions of the account end/))
  expect(calls).toEqual([])
  await click(button('Reset'))
  expect(calls).toEqual([{ call: `DELETE /api/admin/users/${guid(2)}/password`, body: undefined }])
  const dialog = [...document.querySelectorAll('[role=dialog]')].at(-1)
  expect(dialog?.textContent).toContain('New-Secret-1234!')
  expect(dialog?.textContent).toContain('not stored on the server')
  expect(JSON.stringify(toasts())).not.toContain('New-Secret')
  vi.stubGlobal('navigator', { clipboard: { writeText: async () => {} } })
  await click(named('Copy password'))
  await click(button('Done'))
  await until(() => expect(document.body.textContent).not.toContain('New-Secret-1234!'))
  expect(document.body.textContent).not.toContain('not saved')
  await open({ refuse: (call) => (call.startsWith('DELETE') ? refusal('request.invalid', 'Not now') : undefined) })
  await fromMenu('ada', 'Reset password')
  await click(button('Reset'))
  expect(toasts().at(-1)).toEqual({ title: 'Could not reset the password', message: 'Not now', role: 'alert' })
})

test('US-3 a password that was not saved is kept in the tab and shown again until it is downloaded or discarded', async () => {
  await open()
  const reset = async (name = 'ada') => {
    await fromMenu(name, 'Reset password')
    await click(button('Reset'))
    await click(name === 'ben' ? named('Close') : button('Done'))
    await until(() => expect(document.body.textContent).toContain('They stay in this tab'))
    await click(button('Close'))
  }
  const closesFreely = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  await reset()
  expect(document.body.textContent).not.toContain('New-Secret-1234!')
  expect(closesFreely()).toBe(false)
  expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain('New-Secret')
  await click(button('Show again'))
  await until(() => expect(document.body.textContent).toContain('New-Secret-1234!'))
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
  await click(button('Save as CSV'))
  vi.restoreAllMocks()
  await click(button('Done'))
  expect(button('Show again')).toBeUndefined()
  expect(closesFreely()).toBe(true)
  await reset()
  // Another one of the same account replaces the first.
  await reset()
  expect(document.body.textContent).toContain('1 new password is not saved')
  await reset('ben')
  const notes = [...document.querySelectorAll('[role=status]')].map(({ textContent }) => textContent ?? '')
  expect(notes.filter((text) => text.includes('2 new passwords are not saved'))).toHaveLength(1)
  vi.stubGlobal('navigator', { clipboard: { writeText: async () => {} } })
  await click(button('Show again'))
  await click(named('Copy the password of ada'))
  expect(newPasswords().map(({ userName }) => userName)).toEqual(['ben'])
  const dialog = [...document.querySelectorAll('[role=dialog]')].at(-1)
  await act(async () => dialog?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })))
  await until(() => expect(document.body.textContent).toContain('They stay in this tab'))
  await click(button('Cancel'))
  expect(named('Copy the password of ben')).toBeTruthy()
  await click(button('Done'))
  await click(button('Close'))
  await click(button('Discard'))
  await until(() => expect(document.body.textContent).toContain('Discard the new passwords?'))
  expect(document.body.textContent).toContain('They cannot be shown again.')
  await click(button('Discard'))
  expect(button('Show again')).toBeUndefined()
})

test('US-3 the new password is not kept in the cache of queries and actions', async () => {
  const { QueryClient, QueryClientProvider } = await import('@tanstack/react-query')
  const client = new QueryClient()
  await open()
  const { useUserActions } = await import('./use-user-actions.ts')
  const shown: unknown[] = []
  let act: (() => Promise<boolean>) | undefined
  function Part() {
    act = useUserActions(four[1] as UserInfo, (password) => shown.push(password)).reset.start
    return null
  }
  await openPage(
    <QueryClientProvider client={client}>
      <Part />
    </QueryClientProvider>,
  )
  await act?.()
  expect(shown).toEqual([{ userName: 'ada', password: 'New-Secret-1234!', email: 'ada@example.org', teamName: '' }])
  const kept = [...client.getMutationCache().getAll(), ...client.getQueryCache().getAll()].map(({ state }) => state)
  expect(kept.length).toBeGreaterThan(0)
  expect(JSON.stringify(kept)).not.toContain('New-Secret')
})

test('US-4 one is deleted after a question and the row disappears; a captain is refused in the server’s words', async () => {
  const { place, calls } = await open()
  await fromMenu('cleo', 'Delete')
  expect(document.querySelector('[role=dialog]')?.textContent).toMatch(/Delete cleo\?.*Memberships and registrations are deleted/)
  expect(calls).toEqual([])
  await click(button('Delete'))
  expect(calls).toEqual([{ call: `DELETE /api/admin/users/${guid(4)}`, body: undefined }])
  expect(rows(place)).toHaveLength(3)
  await fromMenu('ben', 'Delete')
  await click(button('Delete'))
  // The second message does not replace the first.
  expect(toasts().map(({ title }) => title)).toEqual(['cleo deleted', 'ben deleted'])
  const refuse = (call: string) => (call.startsWith('DELETE') ? refusal('user.is_captain', 'This user is captain') : undefined)
  const refusing = await open({ refuse })
  await fromMenu('ada', 'Delete')
  await click(button('Delete'))
  expect(rows(refusing.place)).toHaveLength(4)
  expect(toasts().at(-1)).toMatchObject({ title: 'Could not delete', message: 'This user is captain', role: 'alert' })
})

test('US-6 a ban is in the menu of a row, asks first and warns that the sessions end; the menu lifts it, the form has no such role', async () => {
  const { place, calls } = await open()
  await fromMenu('ada', 'Ban')
  await until(() => expect(document.body.textContent).toContain('Ban ada?'))
  expect(document.body.textContent).toContain('All sessions of this account end immediately')
  await click(button('Cancel'))
  expect(calls).toEqual([])
  await fromMenu('ada', 'Ban')
  await click(button('Ban'))
  expect(calls).toEqual([{ call: `PUT /api/admin/users/${guid(2)}`, body: { role: 'Banned' } }])
  await until(() => expect(row(place, 'ada').textContent).toContain('Banned'))
  expect(toasts().at(-1)?.title).toBe('ada banned')
  await click(named('Edit ada'))
  const roles = [...document.querySelectorAll<HTMLInputElement>('[role=dialog] input[type=radio]')]
  expect(roles.map(({ value, disabled }) => [value, disabled])).toEqual([
    ['User', true],
    ['Monitor', true],
    ['Admin', true],
  ])
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('Lift the ban in the menu of the list')
  await click(button('Cancel'))
  await fromMenu('ada', 'Lift the ban')
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('Lift the ban of ada?')
  expect(document.body.textContent).toContain(t('admin.users.unbanText'))
  await click(button('Lift the ban'))
  expect(calls.at(-1)).toEqual({ call: `PUT /api/admin/users/${guid(2)}`, body: { role: 'User' } })
  await until(() => expect(row(place, 'ada').textContent).not.toContain('Banned'))
  await fromMenu('cleo', 'Lift the ban')
  await click(button('Lift the ban'))
  await until(() => expect(toasts().map(({ title }) => title)).toEqual(['The ban of ada is lifted', 'The ban of cleo is lifted']))
})

test('US-5 the form that adds accounts opens from the list and closes again', async () => {
  const { requests, calls } = await open()
  await click(button('Add users'))
  await until(() => expect(document.querySelector('[role=dialog]')?.textContent).toContain(t('admin.users.addText')))
  await click(button('Cancel'))
  await until(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  await click(button('Add users'))
  await until(() => expect(document.querySelector('[role=dialog]')).not.toBeNull())
  for (const [label, text] of Object.entries({ Username: 'dora', Email: 'dora@example.org', Password: 'secret' }))
    await write(field(label), text)
  await send(field('Username'))
  expect(calls).toHaveLength(1)
  // The list is read again.
  await until(() => expect(requests).toHaveLength(2))
})

test('ADM-1 US-4 several are deactivated after one question, but never the own account', async () => {
  const { place, calls } = await open()
  expect(named<HTMLInputElement>('Select Root')?.disabled).toBe(true)
  await click(named('Select all on this page'))
  expect(place.textContent).toContain('3 selected')
  await click(named('Select cleo'))
  expect(['Root', 'ada', 'ben', 'cleo'].filter((name) => row(place, name).hasAttribute('data-picked'))).toEqual(['ada', 'ben'])
  await click(button('Deactivate'))
  await until(() => expect(document.body.textContent).toContain('Deactivate 2 accounts?'))
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('ada, ben. They are signed out immediately')
  expect(document.querySelector('[role=dialog] [data-autofocus]')?.textContent).toBe('Cancel')
  await click(button('Deactivate'))
  expect(calls).toEqual([2, 3].map((n) => ({ call: `PUT /api/admin/users/${guid(n)}`, body: { emailConfirmed: false } })))
  expect(named<HTMLInputElement>('ada is active')?.checked).toBe(false)
  expect(named<HTMLInputElement>('Root is active')?.checked).toBe(true)
  expect(document.querySelector('[role=toolbar]')).toBeNull()
  calls.length = 0
  await click(named('Select ben'))
  await click(button('Activate'))
  await until(() => expect(document.body.textContent).toContain('Activate 1 account?'))
  expect(document.querySelector('[role=dialog] [data-autofocus]')?.textContent).not.toBe('Cancel')
  await click(button('Activate'))
  expect(calls).toEqual([{ call: `PUT /api/admin/users/${guid(3)}`, body: { emailConfirmed: true } }])
  expect(toasts().map(({ title }) => title)).toEqual(['2 accounts deactivated.', '1 account activated.'])
  // Where only the own account is, none is selected.
  await open({ users: four.slice(0, 1) })
  expect(named<HTMLInputElement>('Select all on this page')?.checked).toBe(false)
})

test('ADM-1 US-6 accounts stay as they are when a change of them is refused, and the reason is shown', async () => {
  const held = Promise.withResolvers<Response>()
  const { place } = await open({
    refuse: (call) => (call.startsWith('PUT') ? held.promise.then((one) => one.clone()) : undefined),
  })
  await click(named('Select ada'))
  await click(button('Activate'))
  await click(button('Activate'))
  expect(toasts()).toMatchObject([{ title: 'Changing' }])
  await act(async () => held.resolve(refusal('request.invalid', 'Not now')))
  await until(() => expect(toasts()).toMatchObject([{ title: 'Could not save', message: 'Not now', role: 'alert' }]))
  expect(place.querySelector('[role=toolbar]')?.textContent).toContain('1 selected')
  await fromMenu('ada', 'Ban')
  await click(button('Ban'))
  await until(() => expect(toasts()).toHaveLength(2))
  expect(toasts().map(({ title }) => title)).toEqual(['Could not save', 'Could not save'])
  expect(row(place, 'ada').textContent).not.toContain('Banned')
})

test('ADM-1 US-4 several are deleted only after their number is typed; one that is gone already counts as deleted', async () => {
  const refuse = (call: string) =>
    call === `DELETE /api/admin/users/${guid(4)}` ? refusal('user.not_found', 'No such user', 404) : undefined
  const { place, calls } = await open({ refuse })
  await click(named('Select ada'))
  await click(named('Select cleo'))
  await click(button('Delete'))
  await until(() => expect(button('Delete')?.disabled).toBe(true))
  expect(document.querySelector('[role=dialog]')?.textContent).toMatch(/Delete 2 accounts\?.*ada, cleo\. Captains are skipped/)
  await write(document.querySelector<HTMLInputElement>('[role=dialog] input') ?? undefined, '2')
  await click(button('Delete'))
  expect(calls.map(({ call }) => call)).toEqual([2, 4].map((n) => `DELETE /api/admin/users/${guid(n)}`))
  expect(rows(place)).toHaveLength(3)
  expect(toasts().at(-1)?.title).toBe('2 accounts deleted.')
})
