// @vitest-environment jsdom
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { settle, write } from '../../../test/acts.ts'
import { json, openPage, toasts } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import { instancesQuery } from '../site-admin.queries.ts'
import InstancesScreen from './instances.screen.tsx'

afterEach(() => void vi.unstubAllGlobals())

const guid = (n: number) => `0a1b2c3d-4e5f-4000-8000-00000000000${n}`
const instance = (n: number, team: string, challenge: string) => ({
  team: { id: team === 'Red' ? 1 : 2, name: team, avatar: team === 'Red' ? '/assets/red' : null },
  challenge: { id: challenge === 'Echo' ? 7 : 8, title: challenge, category: 'Web' },
  image: 'echo:1',
  containerGuid: guid(n),
  containerId: `engine-id-of-container-${n}`,
  startedAt: '2026-11-22T08:00:00+00:00',
  expectStopAt: '2126-11-22T10:00:00+00:00',
  ip: '192.0.2.1',
  port: 30_000 + n,
  readiness: ['ready', 'waiting', 'late'][n - 1] ?? 'ready',
})
const three = [instance(1, 'Red', 'Echo'), instance(2, 'Blue', 'Echo'), instance(3, 'Blue', 'Maze')]

async function open({
  containers = 'Default',
  list = three,
  address = '/admin/Instances',
  refuse = '',
  code = '',
  status = 400,
}) {
  const destroyed: string[] = []
  const engine = { requests: 0, tests: 0 }
  let now = list
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    if (String(input).includes('/engine')) {
      if (String(input).includes('/isolation')) engine.tests++
      else engine.requests++
      return json({ kind: 'None', state: 'none' })
    }
    if (init?.method !== 'DELETE') return json({ data: now, length: now.length, total: now.length })
    const id = String(input).split('/').at(-1) as string
    destroyed.push(id)
    if (id === refuse) return json({ title: 'The engine is unreachable', status, code }, status)
    now = now.filter(({ containerGuid }) => containerGuid !== id)
    return new Response(null)
  })
  const page = (
    <>
      <InstancesScreen />
    </>
  )
  const place = await openPage(page, [[keys.config, { title: 'GZ', containers }]], address)
  await settle()
  return { place, destroyed, engine }
}
const rows = (place: HTMLElement) => [...place.querySelectorAll('tbody tr')].map((row) => row.textContent ?? '')
const click = async (element: Element | null | undefined) => {
  expect(element).toBeTruthy()
  await act(async () => element?.dispatchEvent(new MouseEvent('click', { bubbles: true })))
  await settle()
}
const button = (text: string) => [...document.querySelectorAll('button')].filter((one) => one.textContent === text).at(-1)
const named = (name: string) => document.querySelector(`[aria-label="${name}"]`)

test('P2.13 IN-3 a row shows team, end, address and what a click copies; a note names what is not counted', async () => {
  const { place } = await open({})
  expect(place.querySelector('thead th')?.textContent).toBe('Destroy selected')
  expect(place.querySelector('nav [aria-current=page]')?.textContent).toBe('Instances')
  expect(rows(place)).toHaveLength(3)
  expect(rows(place)[0]).toContain('Red')
  expect(rows(place)[0]).toContain('192.0.2.1:30001')
  expect([...place.querySelectorAll('tr:first-child [title]')].map((one) => one.getAttribute('title'))).toContain('echo:1')
  expect(rows(place)[0]).toContain('a long time')
  expect([...place.querySelectorAll<HTMLTimeElement>('tbody tr:first-child time')].map(({ dateTime }) => dateTime)).toEqual([
    '2026-11-22T08:00:00.000Z',
    '2126-11-22T10:00:00.000Z',
  ])
  expect(rows(place).map((row) => /starting|does not answer yet/.exec(row)?.[0])).toEqual([
    undefined,
    'starting',
    'does not answer yet',
  ])
  expect(named('Copy container ID engine-id-of: engine-id-of-container-1')).not.toBeNull()
  expect(named('Copy address: 192.0.2.1:30001')).not.toBeNull()
  expect([...place.querySelectorAll('[role=status]')].map(({ textContent }) => textContent)).toContain('3 of 3')
  expect(place.querySelector('tbody img')?.getAttribute('src')).toBe('/assets/red')
  // The sign of the category.
  expect(place.querySelectorAll('tbody tr:first-child td:nth-child(3) svg')).toHaveLength(1)
  // All are on one page.
  expect(button('1')).toBeUndefined()
  expect(place.textContent).toContain('Test containers and destroyed containers are not counted.')
})

test('behind the proxy the id copies the address of the tunnel', async () => {
  await open({ containers: 'PlatformProxy' })
  expect(named(`Copy tunnel address engine-id-of: ws://localhost:3000/api/proxy/${guid(1)}`)).not.toBeNull()
})

test('an instance without a container in the engine shows the start of the instance id', async () => {
  await open({ containers: 'PlatformProxy', list: [{ ...instance(1, 'Red', 'Echo'), containerId: '' }] })
  const [short, address] = [guid(1).slice(0, 8), `ws://localhost:3000/api/proxy/${guid(1)}`]
  expect(named(`Copy tunnel address ${short}: ${address}`)).toBeTruthy()
})

test('an instance whose team and challenge no longer exist has a question mark in their places', async () => {
  const { place } = await open({ list: [{ ...instance(1, 'Red', 'Echo'), team: null, challenge: null } as never] })
  expect(rows(place)[0]).toMatch(/^\?\?/)
  expect(named('Destroy ? of ?')).toBeTruthy()
})

test('P2.13 IN-2 filters come from the address, and the count is that of the filtered list', async () => {
  const { place } = await open({ address: '/admin/Instances?team=2&challenge=8' })
  expect(rows(place)).toHaveLength(1)
  expect(rows(place)[0]).toContain('Maze')
  expect(place.textContent).toContain('1 of 3')
})

test('IN-4 without instances it shows a message, and without an engine what is missing', async () => {
  expect((await open({ list: [] })).place.textContent).toContain('No running instances')
  expect((await open({ list: [], containers: 'None' })).place.textContent).toContain('No container engine configured')
})

test('P2.13 P1.15 IN-1 one is destroyed after a question, and its row disappears', async () => {
  const { place, destroyed, engine } = await open({})
  await click(named('Destroy Echo of Blue'))
  expect(destroyed).toEqual([])
  const lost = 'All changes in it are lost. The team can start a new one.'
  expect(document.querySelector('[role=dialog]')?.textContent).toContain(`Destroy Echo of Blue?${lost}`)
  // The sections of the engine and of its isolation are on the page.
  expect([engine.requests, engine.tests]).toEqual([1, 1])
  const before = engine.requests
  await click(button('Destroy'))
  // The state of the engine counts containers.
  expect(engine.requests).toBeGreaterThan(before)
  expect(destroyed).toEqual([guid(2)])
  expect(rows(place)).toHaveLength(2)
  expect(toasts()).toMatchObject([{ title: '1 instance destroyed.', role: 'status' }])
  // The row does not wait for the list to be read again.
  vi.stubGlobal('fetch', async (_: string, init?: RequestInit) =>
    init?.method === 'DELETE' ? new Response(null) : new Promise(() => {}),
  )
  await click(named('Destroy Echo of Red'))
  await click(button('Destroy'))
  expect(rows(place)).toHaveLength(1)
})

test('IN-5 the selected ones are destroyed after one question, but only those that the filter shows', async () => {
  const { place, destroyed } = await open({ address: '/admin/Instances?team=2' })
  const marked = () => [...place.querySelectorAll<HTMLInputElement>('tbody input[type=checkbox]')].map(({ checked }) => checked)
  const highlighted = () => [...place.querySelectorAll('tbody tr')].map((row) => row.hasAttribute('data-picked'))
  expect(marked()).toEqual([false, false])
  const all = () => [...place.querySelectorAll<HTMLInputElement>('input[type=checkbox]')].at(-1)
  const offered = () => [button('Destroy selected')?.disabled, /\d selected/.exec(place.textContent ?? '')?.[0]]
  expect([all()?.checked, all()?.indeterminate, ...offered()]).toEqual([false, false, true, undefined])
  await click(named('Select Maze of Blue'))
  expect(offered()).toEqual([false, '1 selected'])
  expect([marked(), highlighted()]).toEqual([
    [false, true],
    [false, true],
  ])
  expect([all()?.checked, all()?.indeterminate]).toEqual([false, true])
  await click(named('Select Maze of Blue'))
  expect(place.textContent).toContain('Select all 2')
  await click(all())
  expect([all()?.checked, all()?.indeterminate]).toEqual([true, false])
  expect(marked()).toEqual([true, true])
  await click(button('Destroy selected'))
  expect(document.querySelector('[role=dialog]')?.textContent).toMatch(/Destroy 2 instances\?.*All changes in it are lost/)
  await click(button('Cancel'))
  expect([destroyed, marked()]).toEqual([[], [true, true]])
  await click(button('Destroy selected'))
  await click(button('Destroy'))
  expect(destroyed.sort()).toEqual([guid(2), guid(3)])
  expect(toasts().map(({ title }) => title)).toContain('2 instances destroyed.')
})

test('IN-5 a refused one stays and is counted, the others disappear', async () => {
  const { place, destroyed } = await open({ refuse: guid(1), code: 'container.not_destroyed' })
  await click([...place.querySelectorAll('input[type=checkbox]')].at(-1))
  await click(button('Destroy selected'))
  await click(button('Destroy'))
  expect(destroyed).toHaveLength(3)
  expect(rows(place)).toHaveLength(1)
  expect(place.querySelector('[data-picked]')).toBeNull()
  expect(toasts().map(({ title }) => title)).toContain('2 instances destroyed. 1 was refused: The engine is unreachable')
})

test('IN-1 one that is refused stays, and the reason is shown', async () => {
  const { place } = await open({ refuse: guid(1), code: 'container.not_destroyed' })
  await click(named('Destroy Echo of Red'))
  await click(button('Destroy'))
  expect(rows(place)).toHaveLength(3)
  expect(toasts()).toEqual([{ title: 'Could not destroy the instance', message: 'The engine is unreachable', role: 'alert' }])
})

test('one that no longer exists counts as destroyed', async () => {
  const { place } = await open({ refuse: guid(1), code: 'instance.not_found', status: 404 })
  await click(named('Destroy Echo of Red'))
  await click(button('Destroy'))
  expect(toasts().map(({ title }) => title)).toContain('1 instance destroyed.')
  expect(place.querySelectorAll('[role=alert]')).toHaveLength(0)
})

/** Destroys twelve instances; each call of `answer` answers the pending requests, the third one with `third`. */
async function openTwelve(third = 200) {
  const list = Array.from({ length: 12 }, (_, i) => ({
    ...instance(1, 'Red', 'Echo'),
    containerGuid: `0a1b2c3d-4e5f-4000-8000-0000000000${10 + i}`,
  }))
  const waiting: (() => void)[] = []
  let requests = 0
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    if (String(input).includes('/engine')) return json({ kind: 'None', state: 'none' })
    if (init?.method !== 'DELETE') return json({ data: list, length: 12, total: 12 })
    const status = ++requests === 3 ? third : 200
    await new Promise<void>((resolve) => waiting.push(resolve))
    return status === 200 ? new Response(null) : json({ title: 'Too many requests', status }, status)
  })
  const page = (
    <>
      <InstancesScreen />
    </>
  )
  const place = await openPage(page, [[keys.config, { title: 'GZ', containers: 'Default' }]])
  await settle()
  await click([...place.querySelectorAll('input[type=checkbox]')].at(-1))
  await click(button('Destroy selected'))
  await click(button('Destroy'))
  const answer = async () => {
    for (const resolve of waiting.splice(0)) resolve()
    await settle()
  }
  return { answer, requests: () => requests }
}

test('IN-5 at most four are destroyed at the same time, and the progress is shown', async () => {
  const { answer, requests } = await openTwelve()
  expect(requests()).toBe(4)
  const held = () => [button('Destroy selected'), named('Destroy Echo of Red')].map((one) => one?.matches(':disabled'))
  expect(held()).toEqual([true, true])
  await answer()
  expect(requests()).toBe(8)
  expect(toasts().map(({ title }) => title)).toEqual(['Destroying: 4 of 12'])
  await answer()
  await answer()
  expect(requests()).toBe(12)
  expect(toasts().map(({ title }) => title)).toEqual(['12 instances destroyed.'])
})

test('IN-5 a refusal that concerns all stops the remaining ones', async () => {
  const { answer, requests } = await openTwelve(429)
  await answer()
  const sent = requests()
  expect(sent).toBeLessThan(8)
  // The others of the same time are answered, but no more are sent.
  await answer()
  expect(requests()).toBe(sent)
  expect(toasts().map(({ message }) => message)).toEqual(['Too many requests'])
  // FB-2: all buttons wait.
  for (const one of [button('Destroy selected'), ...document.querySelectorAll('[aria-label="Destroy Echo of Red"]')])
    expect(one?.matches(':disabled')).toBe(true)
})

test('IN-2 filters are kept during the refresh, which runs every 30 seconds', async () => {
  expect(instancesQuery.refetchInterval).toBe(30_000)
  const list = [...three]
  const { place } = await open({ address: '/admin/Instances?team=2', list })
  expect(rows(place)).toHaveLength(2)
  list.push(instance(4, 'Blue', 'Maze'), instance(5, 'Red', 'Maze'))
  await click(named('Destroy Echo of Blue'))
  await click(button('Destroy'))
  expect(place.textContent).toContain('2 of 4')
  expect(rows(place).every((text) => text.includes('Maze'))).toBe(true)
})

test('IN-2 filters are chosen by typing and can be cleared, which shows the whole list', async () => {
  const { place } = await open({})
  const team = () => document.querySelector<HTMLInputElement>('input[aria-label=Team]')
  await click(team())
  await act(async () => team()?.focus())
  await write(team() ?? undefined, 'green')
  expect(document.querySelector('[role=listbox]')?.textContent).toBe('Nothing found')
  await write(team() ?? undefined, 'blu')
  await click([...document.querySelectorAll('[role=option]')].find(({ textContent }) => textContent === 'Blue'))
  expect(rows(place)).toHaveLength(2)
  await click(named('Show all'))
  expect(rows(place)).toHaveLength(3)
  await click(document.querySelector('input[aria-label=Challenge]'))
  await click([...document.querySelectorAll('[role=option]')].find(({ textContent }) => textContent === 'Maze'))
  expect(rows(place).map((text) => text.includes('Maze'))).toEqual([true])
})

test('IN-2 filters that no instance passes offer the whole list, and nothing can be selected', async () => {
  const none = await open({ list: [], address: '/admin/Instances?team=99' })
  expect(none.place.textContent).toContain('No matching instances')
  none.place.remove()
  const other = await open({ list: [], address: '/admin/Instances?challenge=98' })
  expect(other.place.textContent).toContain('No matching instances')
  other.place.remove()
  const { place } = await open({ address: '/admin/Instances?team=99&challenge=98' })
  expect(place.textContent).toContain('No matching instances')
  const all = [...place.querySelectorAll<HTMLInputElement>('input[type=checkbox]')].at(-1)
  expect([all?.disabled, all?.checked, all?.indeterminate]).toEqual([true, false, false])
  await click(button('Show all'))
  expect(rows(place)).toHaveLength(3)
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Team')
})

test('IN-2 a page has fifty, and the number of the page is in the address', async () => {
  const list = Array.from({ length: 51 }, (_, i) => ({
    ...instance(1, 'Red', 'Echo'),
    containerGuid: guid(1).slice(0, -2) + String(10 + i),
  }))
  const { place } = await open({ list, address: '/admin/Instances?page=9' })
  expect(rows(place)).toHaveLength(1)
  await click([...place.querySelectorAll('button')].find(({ textContent }) => textContent === '1'))
  expect(rows(place)).toHaveLength(50)
})
