// @vitest-environment jsdom
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { ListedTeam } from '@vexil/contract/teams'
import { act } from 'react'
import { useLocation } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { button, click, field, named, rows, send, settle, write } from '../../../test/acts.ts'
import { json, openPage, toasts, until } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import { t } from '../../ui/text/organiser-texts.ts'
import TeamsScreen from './teams.screen.tsx'

afterEach(() => void vi.unstubAllGlobals())

const member = (n: number, captain = false) => ({
  id: `0a1b2c3d-4e5f-4000-8000-${String(n).padStart(12, '0')}`,
  userName: `sailor${n}`,
  bio: null,
  avatar: n === 1 ? '/assets/one.webp' : null,
  captain,
})
const team = (id: number, name: string, more: Partial<ListedTeam> = {}): ListedTeam => ({
  id,
  name,
  bio: `About ${name}`,
  avatar: null,
  locked: false,
  members: [member(1), member(2, true)],
  solves: 0,
  ...more,
})
const three = [
  team(7, 'Halyard', { avatar: '/assets/halyard.webp' }),
  team(8, 'Bowline', { locked: true, solves: 12 }),
  team(9, 'Adrift', { solves: 3, members: Array.from({ length: 11 }, (_, i) => member(i + 1)), bio: null }),
]

/** The query cache of the page. */
let queries: QueryClient

interface Options {
  readonly teams?: readonly ListedTeam[]
  readonly address?: string
  readonly total?: number
  readonly refuse?: () => Response | Promise<Response>
}

async function open({ teams = three, address = '/admin/Teams', total, refuse }: Options = {}) {
  let now = [...teams]
  const [requests, calls]: [string[], { call: string; body: unknown }[]] = [[], []]
  vi.stubGlobal('fetch', async (input: string, init: RequestInit = {}) => {
    const [path = '', query = ''] = String(input).split('?')
    const [method, id] = [init.method ?? 'GET', Number(path.split('/')[4])]
    if (method === 'GET' || path.endsWith('/search')) {
      requests.push(`${path}?${query}`)
      return json({ data: now, length: now.length, total: total ?? now.length })
    }
    calls.push({ call: `${method} ${path}`, body: init.body ? JSON.parse(String(init.body)) : undefined })
    if (refuse) return refuse()
    if (method === 'DELETE') now = now.filter((one) => one.id !== id)
    else now = now.map((one) => (one.id === id ? { ...one, ...JSON.parse(String(init.body)) } : one))
    return new Response(null)
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
      <TeamsScreen />
      <Here />
    </>
  )
  const place = await openPage(page, [[keys.config, { title: 'GZ' }]], address)
  await settle()
  return { place, requests, calls, here: () => here }
}

const iconOf = (icon: Element) => icon.classList[1]?.replace('tabler-icon-', '') ?? ''

test('P2.16 AT-4 a row has picture, name, lock, members and bio; a team without captain or bio causes no error', async () => {
  const { place, requests } = await open()
  expect(requests).toEqual(['/api/admin/teams?count=30&skip=0'])
  const [halyard, bowline, adrift] = rows(place)
  expect(place.querySelector('nav [aria-current=page]')?.textContent).toBe('Teams')
  expect(place.querySelector('nav')?.getAttribute('aria-label')).toBe('Administration')
  // What may be cut has a title.
  const titles = [...place.querySelectorAll('tbody tr:first-child [title]')].map((one) => one.getAttribute('title'))
  expect(titles).toEqual(['Halyard', 'About Halyard'])
  const icons = (row: number) => [...(place.querySelectorAll('tbody tr')[row]?.querySelectorAll('svg') ?? [])].map(iconOf)
  const shown = (row: number) => icons(row).filter((name) => /lock|trash|pencil/.test(name))
  expect(shown(0)).toEqual(['lock-open', 'pencil', 'lock', 'trash'])
  expect(shown(1)).toEqual(['lock', 'pencil', 'lock-open', 'trash'])
  expect(halyard).toContain('Halyard')
  expect(halyard).toContain('Unlocked')
  expect(halyard).toContain('About Halyard')
  expect(place.querySelector('tbody img')?.getAttribute('src')).toBe('/assets/halyard.webp')
  expect(bowline).toContain('Locked')
  expect(adrift).toContain('+3')
  for (const text of [halyard, bowline]) expect(text).not.toContain('+')
})

test('AT-1 the captain is first among at most eight pictures, each with its name', async () => {
  const { place } = await open()
  const [first, , third] = [...place.querySelectorAll('tbody tr')]
  const names = (row: Element | undefined) =>
    [...(row?.querySelectorAll('[role=img], img[alt^=sailor]') ?? [])].map(
      (one) => one.getAttribute('aria-label') ?? one.getAttribute('alt'),
    )
  expect(names(first)).toEqual(['sailor2, captain', 'sailor1'])
  expect([...(first?.querySelectorAll('[data-captain]') ?? [])].map((face) => names(face)[0])).toEqual(['sailor2, captain'])
  expect(first?.querySelector('img[alt^=sailor1]')?.getAttribute('src')).toBe('/assets/one.webp')
  expect(names(third)).toHaveLength(8)
  const others = [...(third?.querySelectorAll<HTMLElement>('[tabindex="0"]') ?? [])].find(
    ({ textContent }) => textContent === '+3',
  )
  await act(async () => others?.focus())
  await until(() => expect(document.querySelector('[role=tooltip]')?.textContent).toBe('sailor9, sailor10, sailor11'))
})

test('a search is sent to the server and kept in the address, as are pages', async () => {
  const { place, requests, here } = await open({ address: '/admin/Teams?page=2', total: 70 })
  expect(requests).toEqual(['/api/admin/teams?count=30&skip=30'])
  expect(place.textContent).toContain('3 of 70')
  await write(named<HTMLInputElement>('Team name or ID') as HTMLInputElement, 'bow')
  await send(named('Team name or ID'))
  expect(here()).toBe('/admin/Teams?search=bow')
  expect(requests.at(-1)).toBe('/api/admin/teams/search?hint=bow&count=30&skip=0')
})

test('a page that no longer exists leads to the last one', async () => {
  const { requests, here } = await open({ address: '/admin/Teams?page=3', total: 31 })
  expect(here()).toBe('/admin/Teams?page=2')
  expect(requests.at(-1)).toBe('/api/admin/teams?count=30&skip=30')
  // The page before stays until the next one is there.
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  vi.stubGlobal('scrollTo', () => {})
  await click(button('1'))
  expect([here(), rows().length]).toEqual(['/admin/Teams', 3])
})

test('an empty list shows a message, an empty search offers all teams', async () => {
  expect((await open({ teams: [] })).place.textContent).toContain('No teams yet')
  const { place, here } = await open({ teams: [], address: '/admin/Teams?search=zz' })
  expect(place.textContent).toContain('No matching teams')
  await click(button('Show all'))
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Team name or ID')
  expect(here()).toBe('/admin/Teams')
})

test('AT-1 name and bio are changed in a dialog that shows the members with the captain’s star; only what changed is sent, and the row is updated', async () => {
  const { place, calls } = await open()
  await click(named('Edit Halyard'))
  const dialog = () => document.querySelector('[role=dialog]')
  const list = dialog()?.querySelector('section[aria-label=Members]')
  const members = [...(list?.querySelectorAll('li') ?? [])].map(({ textContent }) => textContent)
  expect(members).toEqual(['sailor1', 'sailor2Captain'])
  expect(list?.querySelector('img')?.getAttribute('src')).toBe('/assets/one.webp')
  expect(field('Name').hasAttribute('data-autofocus')).toBe(true)
  expect([field('Name').value, field('Name').maxLength]).toEqual(['Halyard', 20])
  expect([field('About the team').value, field('About the team').maxLength]).toEqual(['About Halyard', 72])
  expect(dialog()?.textContent).toContain('13 / 72')
  expect(button('Save')?.disabled).toBe(true)
  for (const [label, text] of [
    ['Name', ' Sheet Bend '],
    ['About the team', ''],
    ['About the team', ' Knots '],
  ] as const) {
    await write(field(label), text)
    await send(field(label))
    await until(() => expect(dialog()).toBeNull())
    expect(toasts()).toMatchObject([{ title: 'Sheet Bend saved' }])
    await click(named('Edit Sheet Bend'))
  }
  expect(calls.map(({ body }) => body)).toEqual([{ name: 'Sheet Bend' }, { bio: '' }, { bio: 'Knots' }])
  expect(field('About the team').value).toBe('Knots')
  expect(rows(place)[0]).toContain('Sheet Bend')
  expect(rows(place)[0]).not.toContain('About Halyard')
  expect(rows(place)[1]).toContain('Bowline')
})

test('AT-1 a blank name is refused here, an invalid one by the server, both at the field', async () => {
  const refused = json({ code: 'team.name_characters', title: 'No invisible characters', status: 400 }, 400)
  const held = Promise.withResolvers<Response>()
  const other = json({ code: 'request.invalid', title: 'Not now', status: 400 }, 400)
  const { calls } = await open({ refuse: () => [refused, held.promise, other][calls.length - 1] ?? held.promise })
  await click(named('Edit Bowline'))
  expect(field('Name').value).toBe('Bowline')
  await write(field('Name'), '   ')
  await send(field('Name'))
  expect(calls).toEqual([])
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('1 to 20 visible characters')
  await write(field('Name'), 'Other')
  await send(field('Name'))
  expect(calls).toHaveLength(1)
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('No invisible characters')
  expect(field('Name').value).toBe('Other')
  await write(field('Name'), 'Others')
  expect(document.querySelector('[role=dialog]')?.textContent).not.toContain('No invisible characters')
  await click(named('Close'))
  await until(() => expect(document.body.textContent).toContain(t('shell.unsaved')))
  await click(button('Cancel'))
  expect(field('Name').value).toBe('Others')
  await write(field('Name'), 'Bowline')
  await click(named('Close'))
  await until(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  expect(calls).toHaveLength(1)
  // What is being sent is not lost when the dialog closes.
  await click(named('Edit Bowline'))
  await write(field('Name'), 'Bend')
  await send(field('Name'))
  expect(calls).toHaveLength(2)
  await click(named('Close'))
  await until(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  await act(async () => held.resolve(new Response(null)))
  await until(() => expect(toasts()).toMatchObject([{ title: 'Bend saved' }]))
  await click(named('Edit Bowline'))
  await write(field('Name'), 'Knot')
  await send(field('Name'))
  await until(() => expect(toasts().at(-1)).toMatchObject({ title: 'Could not save', message: 'Not now' }))
})

test('P2.16 AT-2 the lock is set and removed after a question, and the word of the row changes', async () => {
  const { place, calls } = await open()
  const known = [keys.teams.mine, keys.game(3).detail]
  for (const key of known) queries.setQueryData(key, {})
  await click(named('Lock Halyard'))
  expect(document.querySelector('[role=dialog]')?.textContent).toContain(`Lock Halyard?${t('admin.teams.lockText')}`)
  expect(calls).toEqual([])
  await click(button('Lock'))
  // Other screens show it, too.
  expect(known.map((key) => queries.getQueryState(key)?.isInvalidated)).toEqual([true, true])
  expect(calls).toEqual([{ call: 'PUT /api/admin/teams/7', body: { locked: true } }])
  expect(document.querySelector('[role=dialog]')).toBeNull()
  expect(rows(place)[0]).toContain('Locked')
  expect(toasts().at(-1)).toMatchObject({ title: 'Halyard locked' })
  await click(named('Unlock Bowline'))
  expect(document.querySelector('[role=dialog]')?.textContent).toContain(`Unlock Bowline?${t('admin.teams.unlockText')}`)
  await click(button('Unlock'))
  expect(calls.at(-1)).toEqual({ call: 'PUT /api/admin/teams/8', body: { locked: false } })
  expect(rows(place)[1]).toContain('Unlocked')
  // The second message does not replace the first.
  expect(toasts().map(({ title }) => title)).toEqual(['Halyard locked', 'Bowline unlocked'])
})

test('AT-3 one is deleted after a question that warns of its solves; a refusal keeps the row', async () => {
  const { place, calls } = await open()
  await click(named('Delete Halyard'))
  expect(document.querySelector('[role=dialog]')?.textContent).toMatch(
    /^Delete Halyard\?.*Its registrations and files are deleted too/,
  )
  await click(button('Cancel'))
  await click(named('Delete Bowline'))
  expect(document.body.textContent).toContain('It has 12 solves')
  expect(calls).toEqual([])
  await click(button('Delete'))
  expect(calls).toEqual([{ call: 'DELETE /api/admin/teams/8', body: undefined }])
  expect(rows(place).map((text) => text.includes('Bowline'))).toEqual([false, false])
  await click(named('Delete Adrift'))
  await click(button('Delete'))
  // The second message does not replace the first.
  expect(toasts().map(({ title }) => title)).toEqual(['Bowline deleted', 'Adrift deleted'])
  const refusing = await open({ refuse: () => json({ code: 'team.not_found', title: 'Team not found', status: 404 }, 404) })
  await click(named('Delete Bowline'))
  await click(button('Delete'))
  expect(rows(refusing.place)).toHaveLength(3)
  expect(toasts()).toContainEqual(expect.objectContaining({ title: 'Could not delete', message: 'Team not found' }))
  await click(named('Lock Halyard'))
  await click(button('Lock'))
  expect(toasts().at(-1)?.title).toBe('Could not save')
  refusing.place.remove()
  await open({ teams: [team(7, 'Sheet', { solves: 1 })] })
  await click(named('Delete Sheet'))
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('It has 1 solve')
})

test('ADM-1 AT-3 several are locked, unlocked or deleted after one question that counts the losses', async () => {
  const { place, calls } = await open()
  const highlighted = () => [...place.querySelectorAll('tbody tr')].map((row) => row.hasAttribute('data-picked'))
  const all = () => {
    const box = named<HTMLInputElement>('Select all on this page')
    return [box?.checked, box?.indeterminate]
  }
  expect(all()).toEqual([false, false])
  await click(named('Select Halyard'))
  expect([highlighted(), all()]).toEqual([
    [true, false, false],
    [false, true],
  ])
  await click(named('Select Adrift'))
  await click(named('Select Bowline'))
  expect(all()).toEqual([true, false])
  await click(named('Select Bowline'))
  await click(button('Lock'))
  await until(() => expect(document.body.textContent).toContain('Lock 2 teams?'))
  expect(document.querySelector('[role=dialog]')?.textContent).toContain(`Halyard, Adrift. ${t('admin.teams.lockText')}`)
  await click(button('Lock'))
  expect(calls.map(({ call, body }) => [call, body])).toEqual([
    ['PUT /api/admin/teams/7', { locked: true }],
    ['PUT /api/admin/teams/9', { locked: true }],
  ])
  await until(() => expect(rows(place).map((text) => text.includes('Unlocked'))).toEqual([false, false, false]))
  expect(toasts().at(-1)?.title).toBe('2 teams locked.')
  calls.length = 0
  for (const name of ['Halyard', 'Bowline']) await click(named(`Select ${name}`))
  await click(button('Unlock'))
  await until(() => expect(document.body.textContent).toContain('Unlock 2 teams?'))
  expect(document.querySelector('[role=dialog]')?.textContent).toContain(t('admin.teams.unlockText'))
  await click(button('Unlock'))
  expect(calls.map(({ call, body }) => [call, body])).toEqual([
    ['PUT /api/admin/teams/7', { locked: false }],
    ['PUT /api/admin/teams/8', { locked: false }],
  ])
  await until(() => expect(rows(place).map((text) => text.includes('Unlocked'))).toEqual([true, true, false]))
  expect(toasts().at(-1)?.title).toBe('2 teams unlocked.')
  await click(named('Select Bowline'))
  await click(named('Select Adrift'))
  await click(button('Delete'))
  await until(() => expect(document.body.textContent).toContain('They have 15 solves in total'))
  expect(button('Delete')?.disabled).toBe(true)
  calls.length = 0
  await write(document.querySelector<HTMLInputElement>('[role=dialog] input') as HTMLInputElement, '2')
  await click(button('Delete'))
  expect(calls.map(({ call }) => call)).toEqual(['DELETE /api/admin/teams/8', 'DELETE /api/admin/teams/9'])
  expect(toasts().at(-1)?.title).toBe('2 teams deleted.')
  expect(rows(place)).toHaveLength(1)
})

test('ADM-1 AT-3 a team that is already gone counts as deleted, one that is refused for another reason does not', async () => {
  const codes = ['team.not_found', 'request.invalid']
  await open({ refuse: () => json({ code: codes.shift(), title: 'Not now', status: 400 }, 400) })
  for (const counted of ['1 team deleted.', 'Could not delete']) {
    if (counted.startsWith('Could')) await click(named('Select Bowline'))
    else await click(named('Select Halyard'))
    await click(button('Delete'))
    await write(document.querySelector<HTMLInputElement>('[role=dialog] input') as HTMLInputElement, '1')
    await click(button('Delete'))
    await until(() => expect(toasts().at(-1)?.title).toBe(counted))
  }
})

test('ADM-1 teams stay selected when the action for them is refused', async () => {
  const held = Promise.withResolvers<Response>()
  const { place } = await open({ refuse: () => held.promise })
  await click(named('Select Halyard'))
  await click(button('Lock'))
  await until(() => expect(document.body.textContent).toContain('Lock 1 team?'))
  await click(button('Lock'))
  expect(toasts()).toMatchObject([{ title: 'Changing' }])
  await act(async () => held.resolve(json({ code: 'request.invalid', title: 'Not now', status: 400 }, 400)))
  await until(() => expect(toasts()).toMatchObject([{ title: 'Could not save', message: 'Not now' }]))
  await settle()
  expect(place.querySelector('[role=toolbar]')?.textContent).toContain('1 selected')
  expect(place.querySelector('[role=toolbar]')?.getAttribute('aria-label')).toBe('1 selected')
})
