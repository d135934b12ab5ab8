// @vitest-environment jsdom
/** The progress of a start in the query caches, and the focus and the header of its request. */
import { useQuery } from '@tanstack/react-query'
import type { ChallengeDetail } from '@vexil/contract/scoreboard'
import { act } from 'react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { json, openPage, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { InstancePanel } from './instance-panel.tsx'
import { InstanceTray } from './instance-tray.tsx'
import { usePlayLive } from './play.queries.ts'
import type { Shown } from './shown.ts'

type Hear = Record<string, (message: object) => void>
let handlers: Hear = {}
vi.mock('../api/live.ts', async (original) => ({
  ...(await original<object>()),
  useLive: (options: { handlers: Hear }) => {
    handlers = options.handlers
    return 'live'
  },
}))
afterEach(() => void vi.unstubAllGlobals())

const at = new Date(Date.now() + 3_600_000).toISOString()
const queued = { phase: 'queued', place: 3, percent: null }
const pending = {
  status: 'Pending',
  startedAt: at,
  expectStopAt: at,
  entry: '',
  readiness: 'waiting',
  entries: [],
  start: queued,
}
const none = {
  instanceEntry: null,
  closeTime: null,
  readiness: null,
  entries: [],
  start: null,
  startFailure: null,
  lastEnd: null,
}

async function open() {
  const requests: { readonly line: string; readonly headers: Record<string, string> }[] = []
  const server = { context: none as object, instances: [] as object[] }
  vi.stubGlobal('fetch', async (input: string, init: RequestInit = {}) => {
    requests.push({ line: `${init.method ?? 'GET'} ${input}`, headers: init.headers as Record<string, string> })
    if (init.method === 'POST') return new Response(JSON.stringify(pending), { status: 202 })
    if (init.method === 'DELETE') return new Response(null)
    return json(server.instances)
  })
  function Page() {
    usePlayLive(3, () => {})
    const { data } = useQuery({
      queryKey: keys.game(3).challenge(7),
      queryFn: async () => ({ id: 7, title: 'Buoy', type: 'StaticContainer', context: server.context }) as ChallengeDetail,
    })
    return (
      <>
        {data && <InstancePanel game={3} limit={3} challenge={data} cards={[]} />}
        <InstanceTray
          game={3}
          limit={3}
          cards={[{ id: 7, title: 'Buoy', category: 'Pwn' } as Shown]}
          live="live"
          onOpen={() => undefined}
        />
      </>
    )
  }
  const place = await openPage(<Page />, [[keys.config, { title: 'GZ', containers: 'Default' }]])
  const button = (text: string) => [...place.querySelectorAll('button')].find(({ textContent }) => textContent === text)
  await until(() => expect(button('Start instance')).toBeDefined())
  const tell = (start: object | null, challengeId = 7) =>
    act(async () => handlers.VexilStart?.({ gameId: 3, challengeId, start, failure: null }))
  return { place, requests, server, button, tell }
}

test('CD-26 a start asks for an answer at once, then follows the hub in panel and tray without a further request', async () => {
  const { place, requests, server, button, tell } = await open()
  server.instances = [{ ...pending, challengeId: 7 }]
  await act(async () => button('Start instance')?.click())
  await until(() => expect(place.querySelector('li')?.textContent).toContain('Place 3 in the queue'))
  expect(place.querySelector('p')?.textContent).toBe('Place 3 in the queue')
  expect(requests.find(({ line }) => line.startsWith('POST'))?.headers.Prefer).toBe('respond-async')
  expect(requests.filter(({ line, headers }) => line.startsWith('GET') && headers.Prefer)).toEqual([])
  const before = requests.length
  await tell({ phase: 'pulling', place: null, percent: 40 })
  await until(() => expect(place.querySelector('p')?.textContent).toBe('Pulling the image 40%'))
  expect(place.querySelector('li')?.textContent).toContain('Pulling the image 40%')
  await tell({ phase: 'creating', place: null, percent: null }, 8)
  await settle()
  expect(place.querySelector('p')?.textContent).toBe('Pulling the image 40%')
  expect(place.querySelector('li')?.textContent).toContain('Pulling the image 40%')
  expect(requests.length).toBe(before)
})

test('CD-14 CD-28 an end of the start reads the challenge and the list again', async () => {
  const { place, server, button, tell } = await open()
  server.instances = [{ ...pending, challengeId: 7 }]
  await act(async () => button('Start instance')?.click())
  await until(() => expect(button('Cancel start')).toBeDefined())
  // It never had the focus.
  expect(document.activeElement).toBe(document.body)
  const startFailure = { code: 'container.engine_unreachable', title: 'Cannot reach the container engine', at }
  const lastEnd = { cause: 'exit', exitCode: 3 }
  Object.assign(server, { instances: [], context: { ...none, startFailure, lastEnd } })
  await tell(null)
  await until(() => expect(button('Try again')).toBeDefined())
  await until(() => expect(place.querySelector('li')).toBeNull())
  expect(place.textContent).toContain('Cannot reach the container engine')
  // Another start makes both obsolete, also one that is cancelled.
  await act(async () => button('Try again')?.click())
  await until(() => expect(button('Cancel start')).toBeDefined())
  await act(async () => button('Cancel start')?.click())
  await until(() => expect(button('Start instance')).toBeDefined())
  expect(place.textContent).not.toContain('code 3')
})

test('the focus stays in the panel when the pressed control disappears, and is not taken from elsewhere', async () => {
  const { place, button, tell, server } = await open()
  const panel = () => place.querySelector<HTMLElement>('[tabindex="-1"]')
  const moved = vi.spyOn(HTMLElement.prototype, 'focus')
  onTestFinished(() => moved.mockRestore())
  await act(async () => {
    button('Start instance')?.focus()
    button('Start instance')?.click()
  })
  await until(() => expect(button('Cancel start')).toBeDefined())
  expect(panel()?.contains(document.activeElement)).toBe(true)
  expect(moved).toHaveBeenLastCalledWith({ preventScroll: true })
  const elsewhere = document.body.appendChild(document.createElement('input'))
  await act(async () => elsewhere.focus())
  Object.assign(server, { context: { ...none, instanceEntry: 'h:1', closeTime: at, readiness: 'ready' } })
  await tell(null)
  await until(() => expect(place.textContent).toContain('h:1'))
  expect(document.activeElement).toBe(elsewhere)
  elsewhere.remove()
})
