// @vitest-environment jsdom
import type { ChallengeEditDetail, ChallengeRow } from '@vexil/contract/challenges'
import type { GameInfo, GameNotice } from '@vexil/contract/games'
import { textLimits } from '@vexil/core/limits'
import type { ChallengeType } from '@vexil/core/vocabulary'
import { act, type ReactNode } from 'react'
import { Route, Routes, useLocation } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { json, openPage, toasts, type, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { t } from '../ui/text/texts.tsx'
import ChallengeListScreen from './challenges/challenge-list.screen.tsx'
import FlagsScreen from './challenges/flags.screen.tsx'
import GameNoticesScreen from './notices/notices.screen.tsx'

// The live channel has separate tests; here nothing is pushed.
vi.mock('../api/live.ts', async (original) => ({ ...(await original<object>()), useLive: () => 'live' }))

const hour = 3_600_000
const at = (hours: number) => new Date(Date.now() + hours * hour).toISOString()
const game = { id: 7, title: 'Regatta', start: at(-1), end: at(1), organizations: [] } as unknown as GameInfo
let notices: GameNotice[] = []
/** Writing calls are answered after it. */
let reads: string[] = []
let held: Promise<void> | undefined
let rows: ChallengeRow[] = []
let requests: { method: string; path: string; body: unknown }[] = []
let refuse: { status: number; body: object } | undefined

const row = (id: number, title: string, isEnabled: boolean): ChallengeRow => ({
  id,
  title,
  isEnabled,
  category: 'Misc',
  type: 'StaticAttachment',
  score: 1000,
  minScore: 250,
  originalScore: 1000,
  acceptedCount: 3,
  flagCount: 1,
  fileCount: 0,
  containerImage: null,
  silentSince: null,
  checkFailsSince: null,
})

/** Mimics the server; reading calls return its current data. */
function answer(method: string, path: string, body: { content?: string; isEnabled?: boolean; title?: string }): unknown {
  const id = Number(path.split('/').at(-1))
  if (path.endsWith('/notices') && method === 'POST') {
    const made: GameNotice = { id: 30, time: at(0), type: 'Normal', values: [body.content ?? ''] }
    notices = [made, ...notices]
    return made
  }
  if (path.includes('/notices/') && method === 'PUT') {
    notices = notices.map((one) => (one.id === id ? { ...one, time: at(0), values: [body.content ?? ''] } : one))
    return notices.find((one) => one.id === id)
  }
  if (path.includes('/notices/') && method === 'DELETE') notices = notices.filter((one) => one.id !== id)
  if (path.endsWith('/notices')) return notices
  if (path.includes('/challenges/') && method === 'PUT') {
    rows = rows.map((one) => (one.id === id ? { ...one, isEnabled: body.isEnabled ?? one.isEnabled } : one))
    return rows.find((one) => one.id === id)
  }
  if (path.endsWith('/challenges') && method === 'POST') return { ...row(99, body.title ?? '', false) }
  return path.endsWith('/challenges') ? rows : []
}

beforeEach(() => {
  requests = []
  reads = []
  refuse = undefined
  held = undefined
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const { pathname: path } = new URL(String(input instanceof Request ? input.url : input), 'http://localhost')
    const method = init?.method ?? 'GET'
    const body = init?.body === undefined ? {} : JSON.parse(String(init.body))
    if (method !== 'GET') {
      requests.push({ method, path, body })
      await held
      if (refuse) return json(refuse.body, refuse.status)
    } else reads.push(path)
    return json(answer(method, path, body))
  })
})
afterEach(() => void vi.unstubAllGlobals())

const Place = () => <i data-place={useLocation().pathname} />
const open = (screen: ReactNode, path: string, address: string, more: Parameters<typeof openPage>[1] = []) =>
  openPage(
    <>
      <Routes>
        <Route path={path} element={screen} />
        <Route path="*" element={null} />
      </Routes>
      <Place />
    </>,
    [
      [keys.config, { title: 'GZ', setupRequired: false }],
      [keys.profile, { userName: 'Chief', role: 'Admin' }],
      [keys.edit.game(7), game],
      [keys.edit.challenges(7), rows],
      [keys.edit.notices(7), notices],
      [keys.game(7).notices, []],
      [keys.game(7).participations, []],
      ...more,
    ],
    address,
  )

const dialog = () => document.querySelector<HTMLElement>('[role="dialog"]') ?? document.body
const press = (within: ParentNode, label: string) =>
  act(async () => {
    const named = [...within.querySelectorAll('button')].filter(
      (one) => one.textContent === label || one.getAttribute('aria-label') === label,
    )
    if (!named[0]) throw new Error(`no button ${label}`)
    named[0].click()
  })
const write = (text: string) =>
  act(async () => {
    const field = dialog().querySelector('textarea')
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(field, text)
    field?.dispatchEvent(new Event('input', { bubbles: true }))
  })
const send = () => act(async () => void dialog().querySelector('form')?.requestSubmit())
const said = () => toasts().map(({ title }) => title)
const texts = (place: HTMLElement) => [...place.querySelectorAll('li p, li div')].map(({ textContent }) => textContent)

test('P8.26 P2.20 GN-1 GN-2 a notice is published, changed and deleted, and the list is updated each time', async () => {
  notices = [{ id: 3, time: at(-1), type: 'Normal', values: ['Hello', 'Welcome'] }]
  const place = await open(<GameNoticesScreen />, '/admin/games/:id/Notices', '/admin/games/7/Notices')
  expect(place.textContent).toContain('Welcome')
  await press(place, 'New notice')
  await until(() => expect(document.activeElement).toBe(dialog().querySelector('textarea')))
  expect(dialog().querySelector('textarea')?.maxLength).toBe(textLimits.noticeMax)
  expect(dialog().textContent).toContain('Inline Markdown')
  await send()
  expect(toasts()).toMatchObject([{ title: 'Enter a text', role: 'alert' }])
  expect(requests).toEqual([])
  await write('The wind has **turned**')
  const tab = (name: string) =>
    [...dialog().querySelectorAll<HTMLElement>('[role=tab]')].find(({ textContent }) => textContent === name)
  await act(async () => tab('Preview')?.click())
  await vi.waitFor(() => expect(dialog().querySelector('[role=tabpanel] strong')?.textContent).toBe('turned'), 20_000)
  await act(async () => tab('Write')?.click())
  await write('The wind has turned')
  await press(dialog(), 'Close')
  await until(() => expect(document.body.textContent).toContain(t('shell.unsaved')))
  await press([...document.querySelectorAll('[role=dialog]')].at(-1) as HTMLElement, 'Cancel')
  const title = 'Disk is full'
  refuse = { status: 500, body: { title, status: 500 } }
  await send()
  await until(() => expect(toasts()).toEqual([{ title: 'Could not save', message: title, role: 'alert' }]))
  refuse = undefined
  requests.length = 0
  const answered = Promise.withResolvers<void>()
  held = answered.promise
  await send()
  await until(() => expect(dialog().querySelector('textarea')?.disabled).toBe(true))
  // What is being sent is not lost.
  await press(dialog(), 'Close')
  await settle()
  expect(document.body.textContent).not.toContain(t('shell.unsaved'))
  answered.resolve()
  await vi.waitFor(() => expect(texts(place).join()).toContain('The wind has turned'), 20_000)
  expect(requests).toEqual([{ method: 'POST', path: '/api/edit/games/7/notices', body: { content: 'The wind has turned' } }])
  await until(() => expect(said()).toEqual(['Notice published']))

  await press(place.querySelectorAll('li')[1] as HTMLElement, 'Edit')
  expect(dialog().querySelector('h2')?.textContent).toContain('Edit the notice')
  expect(dialog().querySelector('textarea')?.value).toBe('Welcome')
  expect([...dialog().querySelectorAll('button')].at(-1)?.textContent).toBe('Save')
  await send()
  expect(toasts()).toContainEqual(expect.objectContaining({ title: 'There seems to be no change', role: 'status' }))
  expect(requests).toHaveLength(1)
  await write('Welcome aboard')
  await send()
  await vi.waitFor(() => expect(texts(place).join()).toContain('Welcome aboard'), 20_000)
  expect(requests.at(-1)).toEqual({ method: 'PUT', path: '/api/edit/games/7/notices/3', body: { content: 'Welcome aboard' } })
  await until(() => expect(said()).toEqual(['Saved']))

  const entryOf = (text: string) =>
    [...place.querySelectorAll('li')].find(({ textContent }) => textContent?.includes(text)) as HTMLElement
  const entry = entryOf('The wind')
  const popover = () => document.querySelector('.mantine-Popover-dropdown') as HTMLElement
  await press(entry, 'Delete')
  expect(popover().querySelector('button')?.hasAttribute('data-autofocus')).toBe(true)
  expect(popover().textContent).toMatch(/^Delete this notice\?Players can no longer see it\./)
  refuse = { status: 500, body: { title, status: 500 } }
  await press(popover(), 'Delete')
  await until(() => expect(toasts()).toContainEqual({ title: 'Could not delete', message: title, role: 'alert' }))
  refuse = undefined
  await until(() => expect(document.querySelector('.mantine-Popover-dropdown')).toBeNull())
  await press(entry, 'Delete')
  const deleted = Promise.withResolvers<void>()
  held = deleted.promise
  await press(popover(), 'Delete')
  const locked = (one: Element) => [...one.querySelectorAll('button')].map(({ disabled }) => disabled)
  expect(locked(entry)).toEqual([true, true])
  expect(locked(entryOf('Welcome aboard'))).toEqual([false, false])
  deleted.resolve()
  await vi.waitFor(() => expect(texts(place).join()).not.toContain('The wind has turned'), 20_000)
  expect(requests.at(-1)).toMatchObject({ method: 'DELETE', path: '/api/edit/games/7/notices/30' })
  expect(texts(place).join()).toContain('Welcome aboard')
  await until(() => expect(said()).toContain('Notice deleted'))
})

test('P3.56 GN-3 each filter shows the notices of its kind, and automatic ones can be neither changed nor deleted', async () => {
  notices = [{ id: 1, time: at(-1), type: 'Normal', values: ['Welcome'] }]
  const automatic = ['FirstBlood', 'SecondBlood', 'ThirdBlood', 'NewHint', 'NewChallenge'] as const
  const all = automatic.map((type, i) => ({ id: 10 + i, time: at(-0.5), type, values: ['Gulls', 'Buoy'] }))
  const place = await open(<GameNoticesScreen />, '/admin/games/:id/Notices', '/admin/games/7/Notices', [
    [keys.game(7).notices, [...notices, ...all]],
  ])
  const shown = async (filter: string) => {
    await act(async () => place.querySelector<HTMLInputElement>(`input[type="radio"][value="${filter}"]`)?.click())
    return place.querySelectorAll('ul > li').length
  }
  const counts = []
  for (const filter of ['challenge', 'events', 'game', 'all']) counts.push(await shown(filter))
  expect(counts).toEqual([2, 3, 1, 6])
  expect(place.querySelector('[aria-label="Filter notices"]')).toBeTruthy()
  expect(place.querySelector('.md-inline')?.textContent).toBe('Welcome')
  // In all of them the newest is first, and has its sign and time.
  expect([...place.querySelectorAll('ul > li')].map((one) => one.querySelector('[class*=words]')?.textContent?.trim())).toEqual([
    'New challenge: Gulls',
    'New hint for Gulls',
    'Gulls took third blood on Buoy',
    'Gulls took second blood on Buoy',
    'Gulls took first blood on Buoy',
    'Welcome',
  ])
  expect(place.querySelectorAll('ul > li time')).toHaveLength(6)
  for (const [at, sign] of [
    [1, 'flag-plus'],
    [2, 'bulb'],
    [6, 'speakerphone'],
  ] as const)
    expect(place.querySelector(`ul > li:nth-child(${at}) .tabler-icon-${sign}`), sign).toBeTruthy()
  const editable = [...place.querySelectorAll('ul > li')].filter((one) => one.querySelector('button'))
  expect(editable.map(({ textContent }) => textContent)).toEqual([expect.stringContaining('Welcome')])
  const marks = [...place.querySelectorAll('ul > li')].map((one) => one.querySelector('[role=img]')?.getAttribute('aria-label'))
  expect(marks).toEqual([undefined, undefined, 'Third blood', 'Second blood', 'First blood', undefined])
  await act(async () => void document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', code: 'KeyN', bubbles: true })))
  await until(() => expect(dialog().querySelector('h2')?.textContent).toContain('New notice'))
  // Without a text nothing can be lost; the button that cancels does not ask either.
  await press(dialog(), 'Close')
  await until(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  await press(place, 'New notice')
  await write('Half')
  await press(dialog(), 'Cancel')
  await until(() => expect(document.querySelector('[role=dialog]')).toBeNull())
})

test('GN-3 an empty list of all or own notices offers to write the first one, that of another kind does not', async () => {
  notices = []
  const blood = { id: 10, time: at(-0.5), type: 'FirstBlood', values: ['Gulls', 'Buoy'] } as const
  const place = await open(<GameNoticesScreen />, '/admin/games/:id/Notices', '/admin/games/7/Notices', [
    [keys.game(7).notices, [blood]],
  ])
  const offered = async (filter: string) => {
    await act(async () => place.querySelector<HTMLInputElement>(`input[type="radio"][value="${filter}"]`)?.click())
    const buttons = [...place.querySelectorAll('button')].filter(({ textContent }) => textContent === 'New notice')
    return [/No notices yet|None of this type yet/.exec(place.textContent ?? '')?.[0], buttons.length]
  }
  expect(await offered('game')).toEqual(['No notices yet', 2])
  expect(place.textContent).toContain('Tell players what changes during the game.')
  expect(await offered('challenge')).toEqual(['None of this type yet', 1])
  expect(place.textContent).toContain('Created automatically from the start of the game.')
})

test('P2.23 CL-1 a challenge is enabled and disabled after a question that names it; a refusal leaves the switch unchanged', async () => {
  rows = [row(1, 'Buoy', false), row(2, 'Bell', true)]
  const place = await open(<ChallengeListScreen />, '/admin/games/:id/challenges', '/admin/games/7/challenges')
  const toggle = (title: string) => place.querySelector<HTMLInputElement>(`input[aria-label="${title} is enabled"]`)
  const states = () => ['Buoy', 'Bell'].map((title) => toggle(title)?.checked)
  const flip = (title: string) => act(async () => toggle(title)?.click())
  expect(states()).toEqual([false, true])

  await flip('Buoy')
  expect(dialog().textContent).toContain('Enable Buoy?')
  expect(dialog().textContent).toContain('all players are notified of a new challenge')
  await press(dialog(), 'Cancel')
  expect([requests, states()]).toEqual([[], [false, true]])

  await flip('Buoy')
  refuse = { status: 400, body: { title: 'It has no flag', status: 400, code: 'challenge.no_flag' } }
  await press(dialog(), 'Enable')
  await vi.waitFor(
    () => expect(toasts()).toMatchObject([{ title: 'Could not save the change', message: 'It has no flag' }]),
    5000,
  )
  expect(states()).toEqual([false, true])

  refuse = undefined
  const answered = Promise.withResolvers<void>()
  held = answered.promise
  await flip('Buoy')
  await press(dialog(), 'Enable')
  await until(() => expect(['Buoy', 'Bell'].map((title) => toggle(title)?.disabled)).toEqual([true, false]))
  answered.resolve()
  await vi.waitFor(() => expect(states()).toEqual([true, true]), 20_000)
  await flip('Bell')
  expect(dialog().textContent).toContain('Disable Bell?')
  expect(dialog().textContent).toContain('points are removed from the scoreboard')
  await press(dialog(), 'Disable')
  await vi.waitFor(() => expect(states()).toEqual([true, false]), 20_000)
  const changes = requests.map(({ path, body }) => [path.split('/').at(-1), body])
  expect(changes).toEqual([
    ['1', { isEnabled: true }],
    ['1', { isEnabled: true }],
    ['2', { isEnabled: false }],
  ])
})

test('P2.23 CL-4 a new challenge needs title, category and type; then the editor opens', async () => {
  rows = []
  const title = () => dialog().querySelector<HTMLInputElement>('input[maxlength="200"]') ?? undefined
  const place = await open(<ChallengeListScreen />, '/admin/games/:id/challenges', '/admin/games/7/challenges')
  // The empty list offers it, too.
  expect(place.textContent).toContain('No challenges yet')
  expect([...place.querySelectorAll('button')].filter((one) => one.textContent === 'New challenge')).toHaveLength(2)
  for (const way of ['Cancel', 'Close']) {
    await press(place, 'New challenge')
    expect(dialog().textContent).toContain('New challenge')
    await press(dialog(), way)
    await vi.waitFor(() => expect(document.querySelector('[role="dialog"]')).toBeNull(), 20_000)
  }
  await act(async () => void document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', code: 'KeyN', bubbles: true })))
  await until(() => expect(document.activeElement).toBe(title()))
  const mistakes = () => dialog().textContent?.match(/Enter a title\.|Select a (category|type)\./g)
  expect(mistakes()).toBeNull()
  await send()
  for (const said of ['Enter a title.', 'Select a category.', 'Select a type.', 'The type cannot be changed later.'])
    expect(dialog().textContent).toContain(said)
  expect(requests).toEqual([])
  await type(title(), ' ')
  expect(dialog().textContent).toContain('Enter a title.')
  await type(title(), ' Mast ')
  expect(dialog().textContent).not.toContain('Enter a title.')
  await act(async () => dialog().querySelector<HTMLElement>('input[aria-haspopup="listbox"]')?.click())
  const category = () =>
    [...document.querySelectorAll<HTMLElement>('[role="option"]')].find(({ textContent }) => textContent?.startsWith('Crypto'))
  expect(category()?.textContent).toBe('CryptoCiphers, keys, number theory')
  // A category can be found by typing.
  const search = dialog().querySelector<HTMLInputElement>('input[aria-haspopup="listbox"]') ?? undefined
  await act(async () => search?.focus())
  for (const [text, found] of [
    ['foren', 'ForensicsTraces in files, memory, traffic'],
    ['sailing', 'Nothing found'],
    ['crypto', 'CryptoCiphers, keys, number theory'],
  ] as const) {
    await type(search, text)
    expect(document.querySelector('[role=listbox]')?.textContent).toBe(found)
  }
  await act(async () => category()?.click())
  const types = [...dialog().querySelectorAll<HTMLInputElement>('input[type=radio]')]
  expect(types.map(({ labels, checked }) => [labels?.[0]?.textContent, checked])).toEqual([
    ['Text or file', false],
    ['Container, one flag', false],
    ['File per team', false],
    ['Container, flag per team', false],
  ])
  expect(dialog().textContent).toContain('Each team gets its own file with its own flag.')
  await act(async () => types[3]?.click())
  const lists = () => reads.filter((path) => path === '/api/edit/games/7/challenges')
  expect(lists()).toEqual([])
  refuse = { status: 500, body: { title: 'Disk is full', status: 500 } }
  await send()
  const failed = { title: 'Could not create the challenge', message: 'Disk is full', role: 'alert' }
  await until(() => expect(toasts()).toEqual([failed]))
  refuse = undefined
  requests.length = 0
  const made = Promise.withResolvers<void>()
  held = made.promise
  await send()
  expect(requests).toEqual([
    {
      method: 'POST',
      path: '/api/edit/games/7/challenges',
      body: { title: 'Mast', category: 'Crypto', type: 'DynamicContainer' },
    },
  ])
  // The dialog is open until the challenge is made. The sent state is rendered a turn after the request.
  await until(() => expect(title()?.disabled).toBe(true))
  expect(
    [...dialog().querySelectorAll<HTMLInputElement>('input:not([type=hidden])')].filter(({ disabled }) => !disabled),
  ).toEqual([])
  for (const way of ['Cancel', 'Close']) {
    await press(dialog(), way)
    await settle()
    expect(title()).toBeTruthy()
    expect(document.querySelectorAll('[role=dialog]')).toHaveLength(1)
  }
  made.resolve()
  await vi.waitFor(
    () => expect(document.querySelector('[data-place]')?.getAttribute('data-place')).toBe('/admin/games/7/challenges/99'),
    5000,
  )
  expect(lists()).toHaveLength(1)
  await until(() => expect(said()).toEqual(['Mast created. Not enabled yet.']))
  // The next one starts with what this one has.
  expect(JSON.parse(localStorage.getItem('new-challenge') ?? '')).toEqual({ category: 'Misc', type: 'StaticAttachment' })
  localStorage.removeItem('new-challenge')
})

test.each([
  ['StaticAttachment', ['Attachment', 'Add flags', 'Flags'], ['Upload files', 'Add links', 'Flag template']],
  ['StaticContainer', ['Attachment', 'Add flags', 'Flags'], ['Upload files', 'Add links', 'Flag template']],
  ['DynamicAttachment', ['Upload files', 'Add links', 'Flags'], ['Attachment', 'Add flags', 'Flag template']],
  ['DynamicContainer', ['Attachment', 'Flag template'], ['Upload files', 'Add links', 'Add flags', 'Flags']],
] as const)('P2.25 the flags page of a %s has its own sections and no others', async (type: ChallengeType, parts, absent) => {
  const flags = [{ id: 1, flag: 'flag{one}', attachment: null }]
  const detail = {
    ...row(5, 'Mast', true),
    type,
    flags,
    attachment: null,
    flagTemplate: null,
    fileName: 'attachment',
    hints: [],
    additionalContainers: [],
    namedPorts: [],
  }
  const place = await open(<FlagsScreen />, '/admin/games/:id/challenges/:chalId/Flags', '/admin/games/7/challenges/5/Flags', [
    [keys.edit.challenge(7, 5), detail as unknown as ChallengeEditDetail],
  ])
  const heads = [...place.querySelectorAll('h2')].map(({ textContent }) => textContent)
  expect([parts.filter((part) => !heads.includes(part)), absent.filter((part) => heads.includes(part))]).toEqual([[], []])
})
