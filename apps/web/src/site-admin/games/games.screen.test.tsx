// @vitest-environment jsdom
import { notificationsStore } from '@mantine/notifications'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { gameLimits } from '@vexil/core/limits'
import { act } from 'react'
import { Link, Route, Routes, useLocation } from 'react-router'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { button, click, field, named, rows, send, settle, write } from '../../../test/acts.ts'
import { device, json, openPage, toasts, until } from '../../../test/page.tsx'
import { refuse as refusal } from '../../../test/server.ts'
import { keys } from '../../api/query-keys.ts'
import { t } from '../../ui/text/texts.tsx'
import GamesScreen from './games.screen.tsx'

afterEach(() => void vi.unstubAllGlobals())

const hour = 3_600_000
const iso = (hours: number) => new Date(Date.now() + hours * hour).toISOString()
const game = (id: number, title: string, start: number, end: number, hidden = false) => ({
  id,
  title,
  hidden,
  summary: `About ${title}`,
  content: '',
  poster: null,
  start: iso(start),
  end: iso(end),
  organizations: [],
  teamMemberCountLimit: 0,
})
const three = [game(3, 'Coming Cup', 5, 9, true), game(2, 'Running Cup', -1, 3), game(1, 'Ended Cup', -9, -5)]

/** The query cache of the page. */
let queries: QueryClient

interface Options {
  readonly games?: readonly ReturnType<typeof game>[]
  readonly address?: string
  readonly total?: number
  readonly refuse?: (call: string) => Response | Promise<Response | undefined> | undefined
  /** Challenges of the game 3. */
  readonly challenges?: readonly object[]
}

async function open({ games = three, address = '/admin/games', total, refuse, challenges = [] }: Options = {}) {
  let now = [...games]
  const [requests, calls]: [string[], { call: string; hidden: unknown }[]] = [[], []]
  const bodies: unknown[] = []
  vi.stubGlobal('fetch', async (input: string, init: RequestInit = {}) => {
    const [path = '', query = ''] = String(input).split('?')
    const [method, id] = [init.method ?? 'GET', Number(path.split('/').at(-1))]
    if (method === 'GET' && path.endsWith('/challenges')) return json(path === '/api/edit/games/3/challenges' ? challenges : [])
    // Another administrator has changed it since the list was read.
    if (method === 'GET' && id > 0) return json({ ...now.find((one) => one.id === id), summary: 'Written elsewhere' })
    if (method === 'GET') {
      requests.push(query)
      return json({ data: now, length: now.length, total: total ?? now.length })
    }
    const body = init.body ? JSON.parse(String(init.body)) : {}
    calls.push({ call: `${method} ${path}`, hidden: body.hidden })
    bodies.push(body)
    const refused = await refuse?.(`${method} ${path}`)
    if (refused) return refused
    if (method === 'DELETE') now = now.filter((one) => one.id !== id)
    now = now.map((one) => (one.id === id ? { ...one, ...body } : one))
    return json(now.find((one) => one.id === id) ?? { ...body, id: 44 })
  })
  let here = ''
  function Here() {
    const { pathname, search } = useLocation()
    here = `${pathname}${search}`
    queries = useQueryClient()
    return null
  }
  const page = (
    <>
      <Routes>
        <Route path="/elsewhere" element={null} />
        <Route path="*" element={<GamesScreen />} />
      </Routes>
      <Link to="/elsewhere" />
      <Link to="/admin/games" />
      <Here />
    </>
  )
  const place = await openPage(page, [[keys.config, { title: 'GZ' }]], address)
  await settle()
  return { place, requests, calls, bodies, here: () => here }
}

test('P2.18 ADM-1 a row has title, status, times and summary; the title leads to the form, the public page is a second link', async () => {
  const posted = three.map((one) => ({ ...one, poster: one.id === 3 ? ('/assets/poster' as never) : null }))
  const { place, requests } = await open({ games: posted })
  expect(requests).toEqual(['count=30&skip=0'])
  expect(rows(place)).toEqual([
    expect.stringMatching(/Coming Cup.*Upcoming.*About Coming Cup/),
    expect.stringMatching(/Running Cup.*Running/),
    expect.stringMatching(/Ended Cup.*Ended/),
  ])
  const links = [...(place.querySelector('tbody tr')?.querySelectorAll('a') ?? [])].map((link) => [
    link.textContent,
    link.getAttribute('href'),
  ])
  expect(links).toEqual([
    ['Coming Cup', '/admin/games/3/Info'],
    ['', '/games/3'],
    ['', '/admin/games/3/Info'],
  ])
  expect(place.querySelectorAll('tbody [data-phase=running] svg')).toHaveLength(1)
  expect(place.querySelector('nav [aria-current=page]')?.textContent).toBe('Games')
  const [first, second] = place.querySelectorAll('tbody tr')
  const times = [...(first?.querySelectorAll('time') ?? [])].map(({ dateTime }) => dateTime)
  expect(times).toEqual([three[0]?.start, three[0]?.end])
  expect([first, second].map((row) => row?.querySelector('img')?.getAttribute('src'))).toEqual(['/assets/poster', undefined])
  // What may be cut has a title.
  const titles = [...(first?.querySelectorAll('[title]') ?? [])].map((one) => one.getAttribute('title'))
  expect(titles).toEqual(['Coming Cup', 'About Coming Cup'])
})

test('AG-1 the switch sends the whole game as it is stored, with the other state, and switches back after a refusal', async () => {
  const { calls, bodies } = await open()
  const known = [keys.games.list, keys.edit.game(2), keys.game(2).detail]
  for (const key of known) queries.setQueryData(key, {})
  const hide = () => named<HTMLInputElement>('Hide Running Cup')
  expect([hide()?.checked, named<HTMLInputElement>('Hide Coming Cup')?.checked]).toEqual([false, true])
  await click(hide())
  expect(calls).toEqual([{ call: 'PUT /api/edit/games/2', hidden: true }])
  expect(bodies).toEqual([
    expect.objectContaining({ title: 'Running Cup', summary: 'Written elsewhere', start: three[1]?.start, end: three[1]?.end }),
  ])
  expect(hide()?.checked).toBe(true)
  // Other screens show it, too.
  expect(known.map((key) => queries.getQueryState(key)?.isInvalidated)).toEqual([true, true, true])
  await click(named('Hide Ended Cup'))
  // The second message does not replace the first.
  expect(toasts().map(({ title }) => title)).toEqual(['Running Cup is hidden', 'Ended Cup is hidden'])
  const held = Promise.withResolvers<Response>()
  await open({ refuse: () => held.promise })
  await click(hide())
  expect(hide()?.checked).toBe(true)
  await act(async () => held.resolve(json({ title: 'Not now', status: 400, code: 'request.invalid' }, 400)))
  await until(() => expect(hide()?.checked).toBe(false))
  expect(toasts()).toContainEqual(expect.objectContaining({ title: 'Could not save', message: 'Not now', role: 'alert' }))
})

test('NEW-1 showing a hidden game asks first; after No it stays hidden', async () => {
  const { calls } = await open()
  await click(named('Hide Coming Cup'))
  await until(() => expect(document.querySelector('[role=dialog]')?.textContent).toContain('Coming Cup'))
  await click(button('Cancel'))
  expect(calls).toEqual([])
  expect(named<HTMLInputElement>('Hide Coming Cup')?.checked).toBe(true)
})

test('NEW-1 showing a hidden game in the list enables its ready challenges first, if that stays chosen', async () => {
  const ready = { isEnabled: false, type: 'StaticAttachment', flagCount: 1, silentSince: null, checkFailsSince: null }
  const challenges = [
    { ...ready, id: 8, title: 'Buoy' },
    { ...ready, id: 9, title: 'Flagless', flagCount: 0 },
  ]
  const box = () => document.querySelector<HTMLInputElement>('[role=dialog] input[type=checkbox]')
  const { calls } = await open({ challenges })
  const show = async () => {
    await click(named('Hide Coming Cup'))
    await until(() => expect(document.querySelector('[role=dialog]')?.textContent).toContain('Also enable 1 challenge'))
  }
  await show()
  expect(document.querySelector('[role=dialog]')?.textContent).toMatch(
    /Show Coming Cup\?.*It appears.*Teams can join.*\d\d:\d\d.*No challenge is enabled yet\..*Buoy/,
  )
  expect(box()?.checked).toBe(true)
  await click(document.querySelector<HTMLElement>('[role=dialog] input[type=checkbox]'))
  await click(button('Show'))
  expect(calls.splice(0)).toEqual([{ call: 'PUT /api/edit/games/3', hidden: false }])
  expect(toasts().at(-1)?.title).toBe('Coming Cup is visible')
  await click(named('Hide Coming Cup'))
  expect(calls.splice(0)).toEqual([{ call: 'PUT /api/edit/games/3', hidden: true }])
  await show()
  await click(button('Show'))
  expect(calls.map(({ call }) => call)).toEqual(['PUT /api/edit/games/3/challenges/8', 'PUT /api/edit/games/3'])
  expect(named<HTMLInputElement>('Hide Coming Cup')?.checked).toBe(false)
})

test('a search is kept in the address and finds titles and summaries in all games; pages are requested from the server', async () => {
  const { place, requests, here } = await open({ address: '/admin/games?page=2', total: 61 })
  expect(requests).toEqual(['count=30&skip=30'])
  await write(named<HTMLInputElement>('Find a game') as HTMLInputElement, 'about RUN')
  await send(named('Find a game'))
  expect(here()).toBe('/admin/games?search=about+RUN')
  // Only what is shown can be selected.
  await until(() => expect(place.querySelectorAll('tbody tr')).toHaveLength(1))
  expect(place.textContent).toContain('1 of 1')
  // The first page is not needed for it.
  expect(requests).toEqual(['count=30&skip=30', 'count=10000'])
  await click(named('Select all on this page'))
  expect(place.textContent).toContain('1 selected')
  const highlighted = () => place.querySelectorAll('tr[data-picked]').length
  expect(highlighted()).toBe(1)
  await click(button('Select none'))
  expect(highlighted()).toBe(0)
  expect(requests.at(-1)).toBe('count=10000')
  expect(rows(place)).toEqual([expect.stringContaining('Running Cup')])
  await write(named<HTMLInputElement>('Find a game') as HTMLInputElement, 'nothing')
  await send(named('Find a game'))
  await until(() => expect(place.textContent).toContain('No matching games'))
  // The end of a title and the start of a summary are no word.
  await write(named<HTMLInputElement>('Find a game') as HTMLInputElement, 'cupabout')
  await send(named('Find a game'))
  await until(() => expect(here()).toBe('/admin/games?search=cupabout'))
  expect(place.textContent).toContain('No matching games')
  await click(button('Show all'))
  expect(document.activeElement).toBe(named('Find a game'))
  expect(here()).toBe('/admin/games')
  await write(named<HTMLInputElement>('Find a game') as HTMLInputElement, 'RUN')
  await send(named('Find a game'))
  await write(named<HTMLInputElement>('Find a game') as HTMLInputElement, '')
  expect(here()).toBe('/admin/games')
})

test('a page that no longer exists leads to the last one', async () => {
  const { requests, here } = await open({ address: '/admin/games?page=3', total: 31 })
  expect(here()).toBe('/admin/games?page=2')
  expect(requests.at(-1)).toBe('count=30&skip=30')
  // The page before stays until the next one is there.
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  vi.stubGlobal('scrollTo', () => {})
  await click(button('1'))
  expect([here(), rows().length]).toEqual(['/admin/games', 3])
})

test('without games the first one is offered', async () => {
  const { place } = await open({ games: [] })
  expect(place.textContent).toContain('No games yet')
  // The last button of this name is the one below the message.
  await newGame()
})

const pick = (title: string) => click(named(`Select ${title}`))

test('ADM-1 several games are hidden after one question, and can be shown again', async () => {
  const { place, calls } = await open()
  expect(document.querySelector('[role=toolbar]')).toBeNull()
  await pick('Running Cup')
  await pick('Ended Cup')
  expect(place.textContent).toContain('2 selected')
  await click(button('Hide'))
  await until(() => expect(document.body.textContent).toContain('Hide 2 games?'))
  expect(document.body.textContent).toContain('Running Cup, Ended Cup')
  expect(calls).toEqual([])
  await click(button('Hide'))
  expect(calls).toEqual([
    { call: 'PUT /api/edit/games/2', hidden: true },
    { call: 'PUT /api/edit/games/1', hidden: true },
  ])
  expect(toasts().map(({ title }) => title)).toContain('2 games hidden.')
  expect(document.querySelector('[role=toolbar]')).toBeNull()
  await click(named('Select all on this page'))
  await click(button('Show'))
  await until(() => expect(document.querySelector('[role=dialog]')).not.toBeNull())
  await click(button('Show'))
  expect(calls.slice(2).map(({ hidden }) => hidden)).toEqual([false, false, false])
  expect(toasts().at(-1)?.title).toBe('3 games shown.')
})

test('ADM-1 games stay selected when the action for them is refused', async () => {
  const held = Promise.withResolvers<Response>()
  const { place } = await open({ refuse: () => held.promise })
  await pick('Running Cup')
  await click(button('Hide'))
  await until(() => expect(document.body.textContent).toContain('Hide 1 game?'))
  await click(button('Hide'))
  expect(toasts()).toMatchObject([{ title: 'Changing' }])
  await act(async () => held.resolve(refusal('Not now', 'request.invalid')))
  await until(() => expect(toasts()).toMatchObject([{ title: 'Could not save', message: 'Not now' }]))
  expect(place.querySelector('[role=toolbar]')?.textContent).toContain('1 selected')
})

test('ADM-1 several games are deleted only after their number is typed; a refused one stays and is reported', async () => {
  const refuse = (call: string) =>
    call === 'DELETE /api/edit/games/1' ? json({ title: 'Still in use', status: 400, code: 'request.invalid' }, 400) : undefined
  const { place, calls } = await open({ refuse })
  await pick('Coming Cup')
  await pick('Ended Cup')
  await click(button('Delete'))
  await until(() => expect(button('Delete')?.disabled).toBe(true))
  await write(document.querySelector<HTMLInputElement>('[role=dialog] input') as HTMLInputElement, '2')
  await click(button('Delete'))
  expect(calls.map(({ call }) => call)).toEqual(['DELETE /api/edit/games/3', 'DELETE /api/edit/games/1'])
  expect(rows(place)).toHaveLength(2)
  expect(toasts().at(-1)?.title).toBe('1 game deleted. 1 was refused: Still in use')
})

test('ADM-1 a game that is already gone counts as deleted, one that is refused for another reason does not', async () => {
  const codes = ['game.not_found', 'request.invalid']
  await open({ refuse: () => json({ code: codes.shift(), title: 'Not now', status: 400 }, 400) })
  for (const [title, counted] of [
    ['Ended Cup', '1 game deleted.'],
    ['Coming Cup', 'Could not delete'],
  ] as const) {
    await pick(title)
    await click(button('Delete'))
    await write(document.querySelector<HTMLInputElement>('[role=dialog] input') as HTMLInputElement, '1')
    await click(button('Delete'))
    await until(() => expect(toasts().at(-1)?.title).toBe(counted))
  }
})

test('on a narrow window a row leads to the pages of a game that work there', async () => {
  onTestFinished(() => {
    device.width = undefined
  })
  const links = (place: HTMLElement) =>
    [...(place.querySelector('tbody tr')?.querySelectorAll('a') ?? [])].map((link) => [
      link.textContent,
      link.getAttribute('href'),
    ])
  device.width = 1080
  const wide = await open()
  expect(links(wide.place)[0]).toEqual(['Coming Cup', '/admin/games/3/Info'])
  expect(links(wide.place)).toHaveLength(3)
  device.width = 1079
  const narrow = await open()
  expect(links(narrow.place)).toEqual([
    ['Coming Cup', '/admin/games/3/Review'],
    ['', '/games/3'],
    ['', '/admin/games/3/Info'],
    ['Teams', '/admin/games/3/Review'],
    ['Notices', '/admin/games/3/Notices'],
    ['Monitoring', '/games/3/monitor/Events'],
  ])
})

test('ADM-1 "Select none" clears the selection', async () => {
  const { calls } = await open()
  await click(named('Select all on this page'))
  await click(button('Select none'))
  expect(document.querySelector('[role=toolbar]')).toBeNull()
  expect(calls).toEqual([])
})

test('AG-4 the menu of a game exports it as a file and duplicates it; such a file is imported, an invalid one refused with a reason', async () => {
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  const names: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  const made = Promise.withResolvers<Response>()
  let answer = made.promise
  const refuse = (call: string) => (call === 'POST /api/edit/games' ? answer.then((one) => one.clone()) : undefined)
  const { calls, bodies, requests, here } = await open({ refuse })
  const choose = async (name: string) => {
    await click(named('More actions for Running Cup'))
    await click([...document.querySelectorAll('[role=menuitem]')].find(({ textContent }) => textContent === name))
  }
  await choose('Export')
  expect(names).toEqual(['Running Cup.json'])
  expect(toasts()).toMatchObject([{ title: 'Game exported. The file contains flags: keep it safe.', role: 'status' }])
  const text = await (saved.mock.lastCall?.[0] as unknown as Blob | undefined)?.text()
  expect(JSON.parse(text ?? '')).toMatchObject({ format: 'vexil-game', game: { title: 'Running Cup' }, challenges: [] })
  vi.restoreAllMocks()
  const input = document.querySelector<HTMLInputElement>('input[type=file]')
  expect(input?.accept).toBe('.json,application/json')
  const give = async (content: string) => {
    Object.defineProperty(input, 'files', { value: [new File([content], 'a.json')], configurable: true })
    await act(async () => input?.dispatchEvent(new Event('change', { bubbles: true })))
    await settle()
  }
  await give('{}')
  expect(calls).toEqual([])
  expect(toasts().at(-1)).toMatchObject({ title: 'Could not import the game', role: 'alert' })
  await give(text ?? '')
  expect(calls).toEqual([{ call: 'POST /api/edit/games', hidden: true }])
  expect(toasts().at(-1)).toMatchObject({ title: expect.stringContaining('Creating challenges'), role: 'status' })
  expect(button('Import')?.disabled).toBe(true)
  const reads = requests.length
  await act(async () => made.resolve(json(game(44, 'Running Cup', 1, 2, true))))
  await until(() => expect(here()).toMatch(/^\/admin\/games\/44/))
  expect(toasts().at(-1)).toMatchObject({ title: 'Running Cup created, still hidden', role: 'status' })
  expect(requests.length).toBeGreaterThan(reads)
  const copied = Promise.withResolvers<Response>()
  answer = copied.promise
  await choose('Duplicate')
  await click(named('More actions for Running Cup'))
  const item = (name: string) =>
    [...document.querySelectorAll<HTMLButtonElement>('[role=menuitem]')].find(({ textContent }) => textContent === name)
  expect([item('Duplicate')?.disabled, item('Export')?.disabled]).toEqual([true, false])
  await click(named('More actions for Running Cup'))
  await act(async () => copied.resolve(json(game(45, 'Copy of Running Cup', 1, 2, true))))
  await until(() => expect(bodies.at(-1)).toMatchObject({ title: 'Copy of Running Cup', hidden: true }))
  answer = Promise.resolve(json({ title: 'Not now', status: 400, code: 'request.invalid' }, 400))
  await choose('Duplicate')
  await until(() => expect(toasts().at(-1)).toMatchObject({ title: 'Could not duplicate the game', message: 'Not now' }))
  await give((text ?? '').replace('Running Cup', 'x'.repeat(gameLimits.titleMax + 1)))
  await until(() => expect(bodies.at(-1)).toMatchObject({ title: 'x'.repeat(gameLimits.titleMax) }))
})

test.each([
  ['opens', '/admin/games/44/Info'],
  ['does not open after the list was left', '/elsewhere'],
])('AG-4 an imported game %s, with a message that names challenges whose files are missing here', async (_, last) => {
  const left = Promise.withResolvers<void>()
  const refuse = (line: string) =>
    line.endsWith('/attachment')
      ? left.promise.then(() => json({ title: 'No such file', status: 400, code: 'attachment.file_unknown' }, 400))
      : undefined
  const { here } = await open({ refuse })
  const challenges = ['Buoy', 'Bell'].map((title) => ({
    ...{ title, category: 'Web', type: 'StaticAttachment', isEnabled: true, fields: {}, flags: [] },
    attachment: title === 'Bell' ? { fileHash: 'a'.repeat(64) } : null,
  }))
  const file = { format: 'vexil-game', version: 1, game: { title: 'Old Cup', start: iso(-9), end: iso(-5) }, challenges }
  const input = document.querySelector<HTMLInputElement>('input[type=file]')
  Object.defineProperty(input, 'files', { value: [new File([JSON.stringify(file)], 'a.json')], configurable: true })
  await act(async () => input?.dispatchEvent(new Event('change', { bubbles: true })))
  if (last === '/elsewhere') await click(document.querySelector('a[href="/elsewhere"]'))
  left.resolve()
  const text = 'Missing files: Bell. These challenges stay disabled until a file is set.'
  await until(() => expect(toasts()).toContainEqual(expect.objectContaining({ message: text })))
  // It stays until it is closed.
  expect(notificationsStore.getState().notifications.find(({ message }) => message === text)?.autoClose).toBe(false)
  await until(() => expect(here()).toBe(last))
  await settle()
  expect(here()).toBe(last)
})

test('AG-4 an export has a file name without special characters; while it runs it cannot start again, and a failed one says why', async () => {
  await open({ games: [{ ...game(2, 'Cup: "A/B"?', -1, 3), summary: '' }] })
  const names: string[] = []
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const item = () =>
    [...document.querySelectorAll<HTMLButtonElement>('[role=menuitem]')].find((one) => one.textContent === 'Export')
  const menu = () => click(named('More actions for Cup: \\"A/B\\"?'))
  const held = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => held.promise)
  await menu()
  await click(item())
  expect(toasts()).toMatchObject([{ title: 'Exporting the game' }])
  await menu()
  expect(item()?.disabled).toBe(true)
  await act(async () => held.resolve(json([])))
  await until(() => expect(names).toEqual(['Cup   A B.json']))
  vi.stubGlobal('fetch', async () => refusal('Not now', 'request.invalid'))
  await until(() => expect(item()?.disabled).toBe(false))
  await click(item())
  await until(() => expect(toasts()).toMatchObject([{ title: 'Could not export the game', message: 'Not now' }]))
})

const newGame = async () => {
  await click(button('New game'))
  await until(() => expect(document.querySelector('[role=dialog]')).not.toBeNull())
  return document.querySelector('[role=dialog]') as HTMLElement
}

test('P5.13 P2.18 AG-2 a new game needs a title; an error is shown at the field and in a message, and nothing is sent; the dialog is open until it is made', async () => {
  const held = Promise.withResolvers<undefined>()
  const { requests, calls, bodies, here } = await open({ refuse: () => held.promise })
  await newGame()
  expect(field('Title').getAttribute('aria-invalid')).not.toBe('true')
  expect([field('Title').maxLength, field('Title').hasAttribute('data-autofocus')]).toEqual([gameLimits.titleMax, true])
  await send(field('Title'))
  expect(toasts().at(-1)).toMatchObject({ title: 'Please check your input', message: 'Enter a title.', role: 'alert' })
  expect(field('Title').getAttribute('aria-invalid')).toBe('true')
  expect(calls).toEqual([])
  await write(field('Title'), ' Finals ')
  await send(field('Title'))
  expect(calls).toEqual([{ call: 'POST /api/edit/games', hidden: true }])
  expect(['Title', 'Start', 'End'].map((label) => field(label).disabled)).toEqual([true, true, true])
  for (const way of [named('Close'), button('Cancel')]) {
    await click(way)
    expect(field('Title').value).toBe(' Finals ')
    expect(document.querySelectorAll('[role=dialog]')).toHaveLength(1)
  }
  expect(bodies).toMatchObject([{ title: 'Finals' }])
  held.resolve(undefined)
  await until(() => expect(here()).toMatch(/^\/admin\/games\/\d+\/Info$/))
  expect(requests).toEqual(['count=30&skip=0', 'count=30&skip=0'])
})

test('AG-2 a new game does not open after the list was left, which has it when it is shown again', async () => {
  const held = Promise.withResolvers<undefined>()
  const { requests, here } = await open({ refuse: () => held.promise })
  await newGame()
  await write(field('Title'), 'Finals')
  await send(field('Title'))
  await click(document.querySelector('a[href="/elsewhere"]'))
  held.resolve(undefined)
  await until(() => expect(toasts().at(-1)?.title).toContain('Finals'))
  await settle()
  expect(here()).toBe('/elsewhere')
  await click(document.querySelector('a[href="/admin/games"]'))
  expect(requests).toEqual(['count=30&skip=0', 'count=30&skip=0'])
})

test('AG-2 a new game that is refused stays in the form, and the reason is shown', async () => {
  await open({ refuse: () => refusal('Not now', 'request.invalid') })
  await newGame()
  await write(field('Title'), 'Finals')
  await send(field('Title'))
  expect(toasts()).toMatchObject([{ title: 'Could not create the game', message: 'Not now', role: 'alert' }])
  expect(field('Title').value).toBe('Finals')
})

test('AG-2 a start after the end moves the end to two hours later; an end before the start is marked red and not sent', async () => {
  const { calls, bodies } = await open()
  await newGame()
  await write(field('Title'), 'Finals')
  const set = async (label: string, text: string) => {
    await write(field(label), text)
    await act(async () => void field(label).dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
  }
  await set('Start', '2126-01-01T10:00:00Z')
  await set('End', '2126-01-01T09:00:00Z')
  await send(field('Title'))
  expect(['Start', 'End'].map((label) => field(label).getAttribute('aria-invalid'))).toEqual(['true', 'true'])
  expect(toasts().at(-1)).toMatchObject({
    title: 'Please check your input',
    message: 'The end must be after the start.',
    role: 'alert',
  })
  expect(calls).toEqual([])
  await set('End', '2126-01-01T11:00:00Z')
  await set('Start', '2126-01-02T10:00:30Z')
  await send(field('Title'))
  expect(bodies).toEqual([{ title: 'Finals', hidden: true, start: '2126-01-02T10:00:30.000Z', end: '2126-01-02T12:00:30.000Z' }])
})

test('AG-3 the dialog is empty when it opens again', async () => {
  await open()
  await newGame()
  await write(field('Title'), 'Left over')
  await click(named('Close'))
  expect(document.body.textContent).toContain(t('shell.unsaved'))
  await click(button('Cancel'))
  expect(field('Title').value).toBe('Left over')
  await click(button('Cancel'))
  await until(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  await act(async () => void document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', code: 'KeyN', bubbles: true })))
  await until(() => expect(document.querySelector('[role=dialog]')).not.toBeNull())
  expect(field('Title').value).toBe('')
})

test('AG-3 the link of an empty home page opens the form; closing it removes that from the address', async () => {
  const { here } = await open({ address: '/admin/games?new=1' })
  await until(() => expect(document.querySelector('[role=dialog]')?.textContent).toContain('Start'))
  await click(button('Cancel'))
  await until(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  expect(here()).toBe('/admin/games')
})
