// @vitest-environment jsdom
import { useQueryClient } from '@tanstack/react-query'
import { act, type ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { json, openPage, toasts } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { InstanceTray } from './instance-tray.tsx'
import type { Shown } from './shown.ts'

afterEach(() => void vi.unstubAllGlobals())

const minute = 60_000
const until = (minutes: number) => new Date(Date.now() + minutes * minute).toISOString()
const instance = (challengeId: number, minutes: number, status = 'Running') => ({
  challengeId,
  status,
  startedAt: '2026-11-22T08:00:00+00:00',
  expectStopAt: until(minutes),
  entry: 'a:1',
})
const cards = [
  { id: 4, title: 'Anchor', category: 'Web' },
  { id: 5, title: 'Buoy', category: 'Pwn' },
] as Shown[]

async function open(
  list: object[],
  { limit = 3, containers = 'Default', answer = undefined as Promise<Response> | undefined } = {},
) {
  const requests: string[] = []
  const opened: number[] = []
  let now = list
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    requests.push(`${init?.method ?? 'GET'} ${input}`)
    if (answer && init?.method !== undefined && init.method !== 'GET') return answer
    if (init?.method === 'DELETE') now = []
    return init?.method === 'POST' ? json(instance(4, 125)) : init?.method === 'DELETE' ? new Response(null) : json(now)
  })
  const place = await openPage(
    <InstanceTray game={3} limit={limit} cards={cards} live="live" onOpen={(id) => opened.push(id)} />,
    [
      [keys.config, { title: 'GZ', containers, renewalWindow: 10, extensionDuration: 120 }],
      [keys.game(3).instances, list],
    ],
  )
  const press = async (label: string) => {
    await act(async () => {
      document.querySelector<HTMLElement>(`[aria-label="${label}"]`)?.click()
    })
    await settle()
  }
  const rows = () => [...place.querySelectorAll('li')].map(({ textContent }) => textContent)
  return { place, requests, opened, press, rows }
}

test('CD-15 every instance of the team is listed with its time, and links to its challenge', async () => {
  const { place, rows, opened } = await open([instance(5, 90), instance(4, 61), instance(77, 30)])
  expect(rows()).toEqual([
    expect.stringMatching(/Buoy0?1:(30:00|29:5\d)/),
    expect.stringMatching(/Anchor0?1:(01:00|00:5\d)/),
    expect.stringMatching(/#770?0:(30:00|29:5\d)/),
  ])
  expect(place.textContent).toContain('3 of 3')
  await act(async () => place.querySelector('li button')?.dispatchEvent(new MouseEvent('click', { bubbles: true })))
  expect(opened).toEqual([5])
  expect([...place.querySelectorAll<HTMLButtonElement>('li > button')].map(({ disabled }) => disabled)).toEqual([
    false,
    false,
    true,
  ])
})

test('CD-10 CD-15 it can be extended here in its last minutes, and not before', async () => {
  const { place, requests, press } = await open([instance(4, 9), instance(5, 11)])
  expect(place.querySelector('[aria-label="Extend Buoy by 2 hours"]')).toBeNull()
  await press('Extend Anchor by 2 hours')
  expect(requests[0]).toBe('POST /api/game/3/container/4/extend')
  expect(toasts()).toContainEqual(
    expect.objectContaining({ title: expect.stringMatching(/^Instance extended until \d\d:\d\d$/) }),
  )
})

test('CD-10 an instance whose time is over cannot be extended; without a limit none is shown', async () => {
  const { place } = await open([instance(4, -1)], { limit: 0 })
  expect(place.querySelector<HTMLButtonElement>('[aria-label="Extend Anchor by 2 hours"]')?.disabled).toBe(true)
  expect(place.querySelector('header')?.textContent).toBe('Instances')
})

test('CD-11 CD-15 it is destroyed here after a question, and the tray disappears with the last one', async () => {
  const { place, requests, press } = await open([instance(4, 90)])
  await press('Destroy the instance of Anchor')
  expect(requests).toEqual([])
  const cancel = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Cancel')
  expect(cancel?.hasAttribute('data-autofocus')).toBe(true)
  await act(async () => {
    const confirm = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Destroy')
    confirm?.click()
    await vi.waitFor(() => expect(place.querySelector('section')).toBeNull())
  })
  expect(requests[0]).toBe('DELETE /api/game/3/container/4')
})

test('CD-15 CD-26 CD-27 a starting instance shows how far it is instead of a time, and is cancelled without a question', async () => {
  const start = { phase: 'queued', place: 12, percent: null }
  const { rows, requests, press } = await open([{ ...instance(4, 0, 'Pending'), start }, instance(5, 0, 'Pending')])
  expect(rows()).toEqual(['AnchorPlace 12 in the queue', 'BuoyWaiting for the service'])
  expect(toasts()).toEqual([])
  await press('Cancel the start of Anchor')
  expect(requests[0]).toBe('DELETE /api/game/3/container/4')
  expect(toasts()).toContainEqual(expect.objectContaining({ title: 'Start cancelled' }))
})

test.each([
  ['Extend Anchor by 2 hours', 'Running'],
  ['Destroy the instance of Anchor', 'Running'],
  ['Cancel the start of Anchor', 'Pending'],
])('FB-2 FB-3 a button of the tray (%s) waits for its answer and after too many requests', async (name, status) => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  const { press, requests } = await open([instance(4, 5, status)], { answer: promise })
  const button = () => document.querySelector<HTMLButtonElement>(`li [aria-label="${name}"]`)
  expect(button()?.disabled).toBe(false)
  await press(name)
  const confirm = [...document.querySelectorAll('[role=dialog] button')].find(({ textContent }) => textContent === 'Destroy')
  await act(async () => (confirm as HTMLElement | undefined)?.click())
  expect(button()?.dataset.loading).toBe('true')
  const headers = { 'Retry-After': '10' }
  await act(async () => resolve(new Response(JSON.stringify({ title: 'Too many', status: 429 }), { status: 429, headers })))
  await vi.waitFor(() => expect(button()?.dataset.loading).toBeUndefined())
  expect(button()?.disabled).toBe(true)
  expect(requests.filter((line) => !line.startsWith('GET'))).toHaveLength(1)
})

test('CD-10 entering the last minutes is announced once, by name; an instance already in them is not announced', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.now() })
  try {
    const anchor = instance(4, 5)
    // One that is starting has no end yet.
    const { press } = await open([anchor, instance(5, 10.02), instance(77, 10.02), instance(78, 10.02, 'Pending')])
    expect(toasts()).toEqual([])
    await act(async () => vi.advanceTimersByTimeAsync(3000))
    expect(toasts()).toMatchObject(
      ['Buoy', '#77'].map((name) => ({ title: `The instance of ${name} ends soon. You can extend it now.`, role: 'status' })),
    )
    await act(async () => vi.advanceTimersByTimeAsync(5000))
    expect(toasts().filter(({ title }) => String(title).includes('Buoy')).length).toBeLessThan(2)
    // After an extension it reaches its last minutes again.
    anchor.expectStopAt = until(10.05)
    await press('Extend Anchor by 2 hours')
    await act(async () => vi.advanceTimersByTimeAsync(5000))
    expect(toasts()).toContainEqual(
      expect.objectContaining({ title: 'The instance of Anchor ends soon. You can extend it now.' }),
    )
  } finally {
    vi.useRealTimers()
  }
})

test('CD-12 CD-15 when the time of an instance is over the list is requested again', async () => {
  const { requests } = await open([instance(4, 0.005)])
  await vi.waitFor(() => expect(requests).toContain('GET /api/game/3/instances'))
})

test('until the first answer, or its first failure, the tray reserves its place', async () => {
  const replies: ((response: Response) => void)[] = []
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => void replies.push(resolve)))
  function Retried({ children }: { readonly children: ReactNode }) {
    useQueryClient().setDefaultOptions({ queries: { retry: 1, retryDelay: 0 } })
    return children
  }
  const place = await openPage(
    <Retried>
      <InstanceTray game={3} limit={3} cards={cards} live="live" onOpen={() => undefined} />
    </Retried>,
    [[keys.config, { title: 'GZ', containers: 'Default' }]],
  )
  const waits = () => place.querySelector('section[data-waiting]') !== null
  expect([replies.length, waits()]).toEqual([1, true])
  await act(async () => replies[0]?.(json({ title: 'Out of order' }, 500)))
  await vi.waitFor(() => expect(replies).toHaveLength(2))
  expect(waits()).toBe(false)
  await act(async () => replies[1]?.(json([instance(4, 90)])))
  await vi.waitFor(() => expect(place.querySelector('li')?.textContent).toContain('Anchor'))
})

test('without instances, or without an engine, the tray is hidden', async () => {
  expect((await open([])).place.querySelector('section')).toBeNull()
  const none = await open([], { containers: 'None' })
  expect(none.requests).toEqual([])
})
