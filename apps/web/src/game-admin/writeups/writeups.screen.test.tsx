// @vitest-environment jsdom
import { focusManager } from '@tanstack/react-query'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { settle } from '../../../test/acts.ts'
import { Back, json, openPage, toasts, type, until, Where, where } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import GameNoticesScreen from '../notices/notices.screen.tsx'
import WriteupsScreen from './writeups.screen.tsx'
import { writeupRows } from './writeups.ts'

vi.mock('../../ui/pdf/pdf-view.tsx', () => ({
  PdfView: ({ url, name }: { url: string; name: string }) => (
    <p>
      pages of {url} by {name}
    </p>
  ),
}))
vi.mock('../../api/live.ts', async (original) => ({ ...(await original<object>()), useLive: () => 'off' }))
afterEach(() => void vi.unstubAllGlobals())

const game = {
  id: 3,
  title: 'Cup',
  start: '2020-01-01T00:00:00+00:00',
  end: '2020-01-02T00:00:00+00:00',
  writeupRequired: true,
}
const team = (id: number, name: string) => ({ id, name, bio: null, avatar: null, locked: true, members: null })
const writeup = (id: number, name: string, hour: string) => ({
  id,
  team: team(id + 100, name),
  url: `/assets/${id}/w.pdf`,
  uploadTimeUtc: `2026-11-22T${hour}:00:00+00:00`,
})
const participation = (id: number, name: string, status = 'Accepted') => ({
  id,
  status,
  organization: null,
  registeredMembers: [],
  team: { ...team(id + 100, name), captainId: 'x', members: [] },
})
const two = [writeup(2, 'Blue', '09'), writeup(1, 'Red', '08')]
const teams = [
  participation(1, 'Red'),
  participation(2, 'Blue'),
  participation(5, 'Green'),
  participation(6, 'Waiting', 'Pending'),
]

async function open(answers: Record<string, () => Response | Promise<Response>> = {}, address = '', tab = 'Writeups') {
  const requests: string[] = []
  const known: Record<string, () => Response | Promise<Response>> = {
    'GET /api/edit/games/3': () => json(game),
    'GET /api/admin/writeups/3': () => json(two),
    'GET /api/game/3/participations': () => json(teams),
    'GET /api/edit/games/3/notices': () => json([]),
    'GET /api/edit/games/3/challenges': () => json([]),
    ...answers,
  }
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const line = `${init?.method ?? 'GET'} ${input}`
    requests.push(line)
    return (await known[line]?.()) ?? json({ title: `unexpected ${line}`, status: 404 }, 404)
  })
  const place = await openPage(
    <>
      <Routes>
        <Route path="/admin/games/:id/Writeups" element={<WriteupsScreen />} />
        <Route path="/admin/games/:id/Notices" element={<GameNoticesScreen />} />
      </Routes>
      <Where />
      <Back />
    </>,
    [
      [keys.config, { title: 'GZ' }],
      [keys.profile, { userName: 'Admin', role: 'Admin' }],
    ],
    `/admin/games/3/${tab}${address}`,
  )
  await until(() => expect(place.querySelector('h1')).not.toBeNull())
  await settle()
  return { place, requests }
}
const click = async (element: HTMLElement | null | undefined) => {
  expect(element).toBeTruthy()
  await act(async () => element?.click())
  await settle()
}
const named = (name: string) => document.querySelector<HTMLElement>(`[aria-label="${name}"]`)
const viewer = () => named('Selected writeup')?.textContent ?? ''
const button = (text: string) =>
  [...document.querySelectorAll<HTMLButtonElement>('button')].filter((one) => one.textContent === text).at(-1)
const key = async (name: string) => {
  await act(async () => void document.body.dispatchEvent(new KeyboardEvent('keydown', { key: name, code: name, bubbles: true })))
  await settle()
}
const listed = () => [...document.querySelectorAll('[aria-label="Teams"] li')].map((one) => one.textContent ?? '')

test('WR-4 the newest writeup opens first; arrows and buttons move through all teams, those without a writeup last', async () => {
  const shown: unknown[] = []
  const avatar = '/assets/blue'
  const [newest, older] = two
  await open({ 'GET /api/admin/writeups/3': () => json([{ ...newest, team: { ...newest?.team, avatar } }, older]) })
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element, how) {
    shown.push([this.textContent?.slice(0, 3), how])
  })
  onTestFinished(() => scroll.mockRestore())
  expect(viewer()).toContain('Blue')
  expect(viewer()).toContain('pages of /assets/2/w.pdf by Blue')
  expect(named('Selected writeup')?.querySelector('header time')?.getAttribute('datetime')).toBe('2026-11-22T09:00:00.000Z')
  expect(document.querySelector('[aria-label="Teams"] li img')?.getAttribute('src')).toBe(avatar)
  const times = [...document.querySelectorAll('[aria-label="Teams"] li')].map((one) => one.querySelector('time') !== null)
  expect(times).toEqual([true, true, false])
  expect([named('Filter teams') !== null, named('Writeup pages')?.tabIndex]).toEqual([true, 0])
  const pages = named('Writeup pages')
  expect(viewer()).toMatch(/1 \D{0,6}3/)
  expect(['Previous team', 'Next team'].map((name) => named(name)?.getAttribute('aria-disabled'))).toEqual(['true', 'false'])
  expect(listed().map((text) => /(?:Blue|Red|Green|Waiting)#\d+/.exec(text)?.[0])).toEqual(['Blue#102', 'Red#101', 'Green#105'])
  await key('ArrowRight')
  expect(viewer()).toContain('pages of /assets/1/w.pdf')
  // It begins at its first page.
  expect(named('Writeup pages')).not.toBe(pages)
  // The row of the open team is scrolled into view.
  expect(shown.at(-1)).toEqual(['Red', { block: 'nearest' }])
  await key('ArrowDown')
  expect(viewer()).toContain('This team has not submitted a writeup')
  expect(document.querySelector('a[aria-label^="Download the writeup"]')).toBeNull()
  expect(named('Next team')?.getAttribute('aria-disabled')).toBe('true')
  await key('ArrowRight')
  expect(viewer()).toContain('Green')
  await key('ArrowUp')
  expect(viewer()).toContain('Red')
  await click(named('Previous team'))
  expect(viewer()).toContain('Blue')
  await key('ArrowRight')
  await key('ArrowLeft')
  expect(viewer()).toContain('Blue')
  await click([...document.querySelectorAll<HTMLElement>('[aria-label="Teams"] li button')].at(2))
  expect(viewer()).toContain('Green')
  await click([...document.querySelectorAll<HTMLElement>('[aria-label="Teams"] li button')].at(0))
  expect(viewer()).toContain('Blue')
  expect(document.querySelector('[aria-current=true]')?.textContent).toContain('Blue')
})

test('WR-4 the list is narrowed to teams with or without a writeup and by name; the address opens one of them', async () => {
  await open({}, '?team=1')
  expect(viewer()).toContain('Red')
  const choose = async (label: string) => click([...document.querySelectorAll('label')].find((one) => one.textContent === label))
  await choose('Missing 1')
  expect(listed()).toHaveLength(1)
  expect(viewer()).toContain('Green')
  expect(where()).toBe('/admin/games/3/Writeups?team=1&handed=missing')
  // A choice is no entry of the history.
  await click(button('Back'))
  expect(where()).toBe('/admin/games/3/Writeups?team=1&handed=missing')
  await choose('All 3')
  expect(listed()).toHaveLength(3)
  expect(where()).toBe('/admin/games/3/Writeups?team=1')
  await choose('Submitted 2')
  expect(listed()).toHaveLength(2)
  // Each filter keeps the other one.
  await type(document.querySelector<HTMLInputElement>('[aria-label="Teams"] input:not([type=radio])') ?? undefined, 'green')
  await settle()
  expect(listed()).toHaveLength(0)
  await choose('All 3')
  expect(listed()).toEqual([expect.stringContaining('Green')])
  await choose('Submitted 2')
  await type(document.querySelector<HTMLInputElement>('[aria-label="Teams"] input:not([type=radio])') ?? undefined, ' RED ')
  await settle()
  expect(listed()).toHaveLength(1)
  await type(document.querySelector<HTMLInputElement>('[aria-label="Teams"] input:not([type=radio])') ?? undefined, 'nobody')
  await settle()
  expect(listed()).toHaveLength(0)
  expect(viewer()).toContain('No matching teams')
  expect(viewer()).not.toContain('has not submitted')
  await click(button('Show all'))
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Find a team')
  expect(listed()).toHaveLength(3)
  await act(async () => (document.activeElement as HTMLElement).blur())
  await key('/')
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Find a team')
  await type(document.activeElement as HTMLInputElement, '#101')
  await settle()
  expect(listed()).toEqual([expect.stringContaining('Red')])
})

test('teams without a writeup are listed by name', () => {
  const rows = writeupRows([], [participation(1, 'Red'), participation(2, 'Blue')] as Parameters<typeof writeupRows>[1])
  expect(rows.map((row) => row.team.name)).toEqual(['Blue', 'Red'])
})

test('without the live channel what the screen shows is read again every ten seconds, while the page has the focus', async () => {
  const works: (() => void)[] = []
  const set = globalThis.setInterval
  vi.stubGlobal('setInterval', (work: () => void, ms: number) => {
    if (ms === 10_000) works.push(work)
    return set(work, 2 ** 30)
  })
  const { requests } = await open({ 'GET /api/game/3/notices?count=1000': () => json([]) }, '', 'Notices')
  const reads = ['edit/games/3', 'game/3/participations', 'game/3/notices?count=1000'].map((path) => `GET /api/${path}`)
  expect(works).toHaveLength(1)
  focusManager.setFocused(false)
  onTestFinished(() => focusManager.setFocused(undefined))
  requests.length = 0
  await act(async () => works[0]?.())
  await settle()
  expect(requests).toEqual([])
  focusManager.setFocused(true)
  await settle()
  requests.length = 0
  await act(async () => works[0]?.())
  await settle()
  expect(requests).toEqual(expect.arrayContaining(reads))
})

test('WR-3 without writeups and teams a message describes what will appear here, and there is nothing to download or delete', async () => {
  const { place } = await open({
    'GET /api/admin/writeups/3': () => json([]),
    'GET /api/game/3/participations': () => json([]),
  })
  expect(place.textContent).toContain('No writeups yet')
  expect(button('Download all')?.disabled).toBe(true)
  expect(button('Delete all')?.disabled).toBe(true)
  expect(place.querySelector('nav [aria-current=page]')?.textContent).toBe('Writeups')
})

test('WR-1 a list that cannot be loaded shows the message and Retry', async () => {
  let broken = true
  const { place } = await open({
    'GET /api/admin/writeups/3': () => (broken ? json({ title: 'Out of order', status: 400 }, 400) : json(two)),
  })
  expect(place.textContent).toContain('Out of order')
  broken = false
  await click(button('Retry'))
  expect(viewer()).toContain('Blue')
})

test('FB-7 one file is a plain link; all files come as one archive, with progress, under the name that the server gives', async () => {
  const saved: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download)
  })
  URL.createObjectURL = () => 'blob:x'
  URL.revokeObjectURL = () => {}
  let broken = true
  const { requests } = await open({
    'GET /api/admin/writeups/3/all': () =>
      broken
        ? json({ title: 'Disk is away', status: 500 }, 500)
        : new Response('zip', {
            headers: { 'content-disposition': 'attachment; filename="W.zip"; filename*=UTF-8\'\'W%C3%A4.zip' },
          }),
  })
  const link = named('Download the writeup of Blue')
  expect([link?.getAttribute('href'), link?.hasAttribute('download')]).toEqual(['/assets/2/w.pdf', true])
  await click(button('Download all'))
  expect(toasts()).toContainEqual({ title: 'Failed to download', message: 'Disk is away', role: 'alert' })
  expect(saved).toEqual([])
  broken = false
  await click(button('Download all'))
  expect(saved).toEqual(['Wä.zip'])
  expect(toasts().map(({ title }) => title)).toContain('Wä.zip downloaded')
  expect(requests.filter((line) => line.endsWith('/all'))).toHaveLength(2)
  vi.restoreAllMocks()
})

test('all writeups are deleted only after the title is typed', async () => {
  let answered = Promise.withResolvers<Response>()
  const { place, requests } = await open({
    // Writeups of a game that does not require them any more are counted, too.
    'GET /api/edit/games/3': () => json({ ...game, writeupRequired: false }),
    'DELETE /api/edit/games/3/writeups': () => answered.promise,
  })
  expect(place.querySelector('nav [aria-current=page]')?.textContent).toBe('Writeups2')
  const line = 'DELETE /api/edit/games/3/writeups'
  await click(button('Delete all'))
  expect(document.body.textContent).toContain('Delete all 2 writeups?The files are deleted permanently.')
  expect(button('Delete')?.disabled).toBe(true)
  await click(button('Cancel'))
  expect(requests).not.toContain(line)
  const remove = async () => {
    await click(button('Delete all'))
    await type(document.querySelector<HTMLInputElement>('[role=dialog] input') ?? undefined, 'Cup')
    await click(button('Delete'))
  }
  await remove()
  expect([requests.includes(line), button('Delete all')?.disabled]).toEqual([true, true])
  await act(async () => answered.resolve(json({ title: 'Disk is away', status: 500 }, 500)))
  const failed = { title: 'Could not delete the writeups', message: 'Disk is away', role: 'alert' }
  await until(() => expect(toasts()).toEqual([failed]))
  await until(() => expect(button('Delete all')?.disabled).toBe(false))
  answered = Promise.withResolvers()
  answered.resolve(new Response(null))
  await remove()
  await until(() => expect(toasts()).toEqual([expect.objectContaining({ title: 'All writeups deleted', role: 'status' })]))
  expect(requests.filter((line) => line === 'GET /api/admin/writeups/3').length).toBeGreaterThan(1)
  answered = Promise.withResolvers()
  answered.resolve(json({ title: 'Too many requests', status: 429 }, 429))
  await remove()
  await until(() => expect(toasts()).toMatchObject([{ message: 'Too many requests' }]))
  expect(button('Delete all')?.disabled).toBe(true)
})
