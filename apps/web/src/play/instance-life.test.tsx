// @vitest-environment jsdom
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ChallengeDetail } from '@vexil/contract/scoreboard'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { json, openPage, toasts, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { formatTime } from '../ui/time/time.ts'
import { InstancePanel } from './instance-panel.tsx'
import { instancesQuery } from './instances.queries.ts'

// xterm measures fonts, which jsdom does not have.
vi.mock('../ui/game/terminal-view.tsx', () => ({ default: () => null }))

afterEach(() => void vi.unstubAllGlobals())

const minute = 60_000
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * minute).toISOString()

interface Scene {
  readonly entry?: string | null
  readonly closes?: number
  readonly answer?: (line: string) => Response | Promise<Response>
  readonly config?: object
  readonly entries?: ChallengeDetail['context']['entries']
}

async function open({ entry = null, closes = 60, answer = () => json([]), config = {}, entries = [] }: Scene) {
  const requests: string[] = []
  /** Called when the challenge is fetched again. */
  const again = vi.fn(() => challenge)
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const line = `${init?.method ?? 'GET'} ${input}`
    requests.push(line)
    return answer(line)
  })
  const context = {
    instanceEntry: entry,
    closeTime: entry && inMinutes(closes),
    url: '/assets/buoy.zip',
    fileSize: 2048,
    entries,
  }
  const challenge = { id: 7, title: 'Buoy', type: 'StaticContainer', context } as ChallengeDetail
  let queries: QueryClient
  function Panel() {
    queries = useQueryClient()
    const { data } = useQuery({ queryKey: keys.game(3).challenge(7), queryFn: again })
    // The tray uses this query, too.
    useQuery(instancesQuery(3))
    return data && <InstancePanel game={3} limit={3} challenge={data} cards={[]} />
  }
  const place = await openPage(<Panel />, [
    [keys.game(3).challenge(7), challenge],
    [
      keys.config,
      { title: 'GZ', containers: 'Default', defaultLifetime: 90, renewalWindow: 10, extensionDuration: 60, ...config },
    ],
    [keys.game(3).instances, []],
  ])
  /** Its end as another member or the platform causes it. */
  const ends = () => {
    const ended = { ...context, instanceEntry: null, closeTime: null, lastEnd: { cause: 'exit', exitCode: 0 } }
    return act(async () => void queries.setQueryData(keys.game(3).challenge(7), { ...challenge, context: ended }))
  }
  const known = () => queries.getQueryData<ChallengeDetail>(keys.game(3).challenge(7))
  return { place, requests, again, ends, known, changes: () => requests.filter((line) => !line.startsWith('GET')) }
}
const button = (place: HTMLElement, text: RegExp) =>
  [...place.querySelectorAll('button')].find((one) => text.test(one.textContent ?? ''))
const click = async (element: HTMLElement | undefined) => {
  await act(async () => {
    element?.click()
  })
  await settle()
}

test('CD-7 without an instance the panel describes it and its lifetime; one button starts it once, busy meanwhile, and then address and time appear', async () => {
  let finish: (answer: Response) => void = () => {}
  const { place, requests, known, changes } = await open({
    answer: (line) => (line.startsWith('POST') ? new Promise((done) => (finish = done)) : json([])),
  })
  expect(place.textContent).toMatch(/90 minutes|1\.5 hours/)
  const start = button(place, /Start/)
  await click(start)
  await click(start)
  expect(changes()).toEqual(['POST /api/game/3/container/7'])
  expect(start?.getAttribute('aria-busy')).toBe('true')
  const proxied = '0a1b2c3d-4e5f-4000-8000-000000000000'
  const entries = [
    { name: null, entry: proxied, tlsEntry: null },
    { name: 'sql', entry: 'h:2', tlsEntry: null },
  ]
  const answer = { entry: proxied, tlsEntry: 'ab12.tcp.example.net:8443', entries, readiness: 'late' }
  await act(async () => finish(json({ status: 'Running', startedAt: inMinutes(0), expectStopAt: inMinutes(90), ...answer })))
  await until(() => expect(toasts()).toMatchObject([{ title: 'Instance started', role: 'status' }]))
  await until(() => expect(place.textContent).toContain(`/api/proxy/${proxied}`))
  for (const part of ['ncat --ssl ab12.tcp.example.net 8443', 'h:2', 'The service does not answer yet.'])
    expect(place.textContent).toContain(part)
  expect(place.querySelector('[role=timer]')?.textContent).toMatch(/^0?1:(30:00|29:5\d)/)
  expect(requests).toEqual(['POST /api/game/3/container/7', 'GET /api/game/3/instances'])
  // The attachment of the challenge is unchanged.
  expect(known()?.context).toMatchObject({ url: '/assets/buoy.zip', fileSize: 2048 })
})

test('CD-7 a start whose service is still awaited after the call shows no address, although the answer has one', async () => {
  const answer = { status: 'Pending', startedAt: inMinutes(0), expectStopAt: inMinutes(90), entry: 'h:1', readiness: 'waiting' }
  const { place } = await open({ answer: (line) => json(line.startsWith('POST') ? answer : []) })
  await click(button(place, /Start/))
  await until(() => expect(place.textContent).toContain('The address appears when the service answers.'))
  expect(toasts()).toEqual([])
  expect(place.textContent).not.toContain('h:1')
})

test('CD-8 CD-9 a running instance shows its address, a ready command, the time left and when it can be extended', async () => {
  const { place } = await open({ entry: 'tide.example:4000', closes: 60 })
  expect(place.textContent).toContain('nc tide.example 4000')
  const opens = place.querySelector<HTMLAnchorElement>('a[href="http://tide.example:4000"]')
  expect([opens?.target, opens?.rel]).toEqual(['_blank', 'noopener noreferrer'])
  const fields = [...place.querySelectorAll('[role=group]')]
  expect(fields.map((one) => one.getAttribute('aria-label'))).toEqual([
    'Instance address',
    'Connect with nc',
    'Connect with Python',
  ])
  // A long value is scrolled with the keyboard.
  expect(fields.map((one) => one.querySelector<HTMLElement>('span[tabindex]')?.tabIndex)).toEqual([0, 0, 0])
  const copied: string[] = []
  Object.assign(navigator, { clipboard: { writeText: async (text: string) => void copied.push(text) } })
  for (const name of ['Address', 'nc'])
    await click(
      [...place.querySelectorAll<HTMLElement>('[role=group]')]
        .find((one) => one.textContent?.includes(name === 'nc' ? 'nc tide' : 'tide'))
        ?.querySelector('button') ?? undefined,
    )
  expect(copied).toEqual(['tide.example:4000', 'nc tide.example 4000'])
  expect(place.querySelector('[role=timer]')?.textContent).toMatch(/^0?0:59:\d\d$|^01:00:00$/)
  expect(place.textContent).toContain('10 minutes')
  expect(button(place, /Extend/)?.disabled).toBe(true)
  expect(place.textContent).not.toContain('Connects through this platform')
  expect(button(place, /Open terminal/)).toBeUndefined()
})

test('CD-8 behind the proxy the copied address is that of the tunnel, the external client opens it, and a line explains both', async () => {
  const id = '0a1b2c3d-4e5f-4000-8000-000000000000'
  const entries = [null, 'sql'].map((name) => ({ name, entry: name ? `${id}/${name}` : id, tlsEntry: null }))
  const { place } = await open({ entry: id, entries })
  const tunnel = `ws://localhost:3000/api/proxy/${id}`
  const copied: string[] = []
  Object.assign(navigator, { clipboard: { writeText: async (text: string) => void copied.push(text) } })
  const entry = [...place.querySelectorAll<HTMLElement>('[role=group]')].find((one) => one.textContent?.includes(tunnel))
  await click(entry?.querySelector('button') ?? undefined)
  expect(copied).toEqual([tunnel])
  expect(entry?.querySelector('a')?.getAttribute('href')).toBe(`wsrx://open?url=${encodeURIComponent(tunnel)}`)
  const terminal = () => document.querySelector('[role=dialog]')
  button(place, /Open terminal/)?.focus()
  await click(button(place, /Open terminal/))
  expect(terminal()?.textContent).toContain('Buoy')
  await click(terminal()?.querySelector<HTMLElement>('[aria-label=Close]') ?? undefined)
  await until(() => expect(terminal()).toBeNull())
  await until(() => expect(document.activeElement).toBe(button(place, /Open terminal/)))
  // A named port is in the title.
  await click([...place.querySelectorAll('li button')].find(({ textContent }) => textContent === 'Open terminal') as HTMLElement)
  expect(terminal()?.querySelector('h2')?.textContent).toContain('Buoy · sql')
  await click(terminal()?.querySelector<HTMLElement>('[aria-label=Close]') ?? undefined)
  await until(() => expect(terminal()).toBeNull())
  expect(place.textContent).toContain('Connects through this platform. Each command below opens a local port')
})

test('CD-8 a terminal stays open when its instance ends, so that what the service sent last can be read; then the panel has the focus', async () => {
  const id = '0a1b2c3d-4e5f-4000-8000-000000000000'
  const { place, ends } = await open({ entry: id })
  const terminal = () => document.querySelector('[role=dialog]')
  await click(button(place, /Open terminal/))
  const opened = terminal()
  await ends()
  await until(() => expect(place.textContent).toContain('The last instance ended'))
  expect(opened?.textContent).toContain('Buoy')
  expect(terminal()).toBe(opened)
  await click(opened?.querySelector<HTMLElement>('[aria-label=Close]') ?? undefined)
  await until(() => expect(terminal()).toBeNull())
  expect(document.activeElement?.textContent).toContain('Start instance')
  expect(place.contains(document.activeElement)).toBe(true)
})

test('CD-19 where a solve ends the instance, the panel announces it', async () => {
  const words = 'Ends when your team solves the challenge.'
  expect((await open({ entry: 'h:1' })).place.textContent).not.toContain(words)
  expect((await open({ entry: 'h:1', config: { destroyOnSolve: true } })).place.textContent).toContain(words)
})

test('CD-13 a refused start shows the reason; a start too soon after another counts the seconds on its button', async () => {
  const answers = [
    () => json({ title: 'Could not create the instance', status: 500, code: 'container.not_created' }, 500),
    () =>
      new Response(JSON.stringify({ title: 'Wait 10 seconds', status: 429, code: 'request.too_many' }), {
        status: 429,
        headers: { 'Retry-After': '10' },
      }),
  ]
  const { place, changes } = await open({
    answer: (line) => (line.startsWith('POST') ? (answers.shift()?.() ?? json([])) : json([])),
  })
  const start = () => [...place.querySelectorAll('button')].at(-1)
  await click(start())
  await until(() =>
    expect(toasts()).toMatchObject([
      { title: 'Could not start the instance', message: 'Could not create the instance', role: 'alert' },
    ]),
  )
  await click(start())
  await until(() => expect(start()?.textContent).toBe('Retry in 10 s'))
  expect(toasts()).toMatchObject([{ message: 'Wait 10 seconds', role: 'status' }])
  await click(start())
  expect(changes()).toHaveLength(2)
})

test('CD-11 a destroyed instance can be started again, with a message; destroying a missing one is not an error', async () => {
  for (const gone of [false, true]) {
    const { place, changes } = await open({
      entry: 'h:1',
      answer: (line) =>
        gone && line.startsWith('DELETE')
          ? json({ title: 'None', status: 404, code: 'container.none' }, 404)
          : line.startsWith('GET')
            ? json([])
            : new Response(null),
    })
    await click(button(place, /Destroy/))
    expect(changes()).toEqual([])
    expect(document.querySelector('[role=dialog]')?.textContent).toContain('The whole team loses all changes made in it.')
    await click([...document.querySelectorAll<HTMLElement>('[role=dialog] button')].find((one) => one.textContent === 'Destroy'))
    expect(changes()).toEqual(['DELETE /api/game/3/container/7'])
    await until(() => expect(button(place, /Start instance/)).toBeTruthy())
    expect(toasts()).toMatchObject([{ title: 'Instance destroyed. You can start a new one.', role: 'status' }])
    place.remove()
  }
})

test('CD-10 it can be extended in its last minutes; success is shown only after the answer, and a refusal is not shown as success', async () => {
  let finish: (answer: Response) => void = () => {}
  const { place, changes } = await open({
    entry: 'h:1',
    closes: 5,
    answer: (line) => (line.startsWith('POST') ? new Promise((done) => (finish = done)) : json([])),
  })
  expect(place.textContent).toContain('can be extended now')
  await click(button(place, /Extend/))
  expect(changes()).toEqual(['POST /api/game/3/container/7/extend'])
  expect(toasts().filter(({ title }) => /longer|extended/i.test(String(title)))).toEqual([])
  await act(async () => finish(json({ title: 'Too early', status: 400, code: 'container.not_yet' }, 400)))
  await until(() => expect(toasts().some(({ message, role }) => role === 'alert' && message === 'Too early')).toBe(true))
  expect(toasts().filter(({ title }) => /extended/i.test(String(title)))).toEqual([])
  // The toast may appear before the button is enabled again.
  await until(() => expect(button(place, /Extend/)?.getAttribute('aria-busy')).not.toBe('true'))
  button(place, /Extend/)?.focus()
  await click(button(place, /Extend/))
  expect(changes()).toHaveLength(2)
  const expectStopAt = inMinutes(65)
  await act(async () => finish(json({ status: 'Running', startedAt: inMinutes(0), expectStopAt, entry: 'h:1' })))
  await until(() => expect(place.querySelector('[role=timer]')?.textContent).toMatch(/^0?1:0[45]:/))
  // The focus does not stay on the button, which is disabled now.
  expect(place.contains(document.activeElement)).toBe(true)
  expect(document.activeElement?.matches(':disabled')).toBe(false)
  expect(toasts()).toContainEqual(
    expect.objectContaining({ title: `Instance extended until ${formatTime(expectStopAt, 'clock', 'en_US')}`, role: 'status' }),
  )
})

test('CD-12 at zero it is requested again once, and the page destroys nothing', async () => {
  const { requests, again, place } = await open({ entry: 'h:1', closes: 0.01 })
  await until(() => expect(again).toHaveBeenCalled())
  await act(async () => new Promise((resolve) => setTimeout(resolve, 1500)))
  expect(again).toHaveBeenCalledTimes(1)
  expect(requests).toEqual(['GET /api/game/3/instances'])
  expect(button(place, /Extend/)?.disabled).toBe(true)
  expect(place.textContent).toContain('00:00:00ends in a moment')
})

test.each([
  ['started', null, /Start/, 'container.already_running'],
  ['extended', 'h:1', /Extend/, 'container.none'],
])('CD-10 an instance that cannot be %s because its state has changed is requested again', async (_, entry, name, code) => {
  let refusal = 'server.unknown'
  const { place, again, requests } = await open({
    entry,
    closes: 5,
    answer: (line) => (line.startsWith('GET') ? json([]) : json({ title: refusal, status: 400, code: refusal }, 400)),
  })
  const press = async () => {
    await click(button(place, name))
    await until(() => expect(toasts().some(({ message }) => message === refusal)).toBe(true))
    await until(() => expect(button(place, name)?.getAttribute('aria-busy')).not.toBe('true'))
  }
  await press()
  const lists = () => requests.filter((line) => line === 'GET /api/game/3/instances').length
  expect([again.mock.calls.length, lists()]).toEqual([0, 0])
  refusal = code
  await press()
  await until(() => expect([again.mock.calls.length, lists()]).toEqual([1, 1]))
})
