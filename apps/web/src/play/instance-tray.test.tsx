// @vitest-environment jsdom
import { act } from 'react'
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

async function open(list: object[], { limit = 3, containers = 'Default' } = {}) {
  const asked: string[] = []
  const opened: number[] = []
  let now = list
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    asked.push(`${init?.method ?? 'GET'} ${input}`)
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
  return { place, asked, opened, press, rows }
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
  const { place, asked, press } = await open([instance(4, 9), instance(5, 11)])
  expect(place.querySelector('[aria-label="Extend Buoy by 2 hours"]')).toBeNull()
  await press('Extend Anchor by 2 hours')
  expect(asked[0]).toBe('POST /api/game/3/container/4/extend')
  expect(toasts()).toContainEqual(expect.objectContaining({ title: 'Instance extended' }))
})

test('CD-11 CD-15 it is destroyed here after a question, and the tray disappears with the last one', async () => {
  const { place, asked, press } = await open([instance(4, 90)])
  await press('Destroy the instance of Anchor')
  expect(asked).toEqual([])
  await act(async () => {
    const confirm = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Destroy')
    confirm?.click()
    await vi.waitFor(() => expect(place.querySelector('section')).toBeNull())
  })
  expect(asked[0]).toBe('DELETE /api/game/3/container/4')
})

test('CD-15 CD-26 CD-27 a starting instance shows how far it is instead of a time, and is cancelled without a question', async () => {
  const start = { phase: 'queued', place: 12, percent: null }
  const { rows, asked, press } = await open([{ ...instance(4, 0, 'Pending'), start }, instance(5, 0, 'Pending')])
  expect(rows()).toEqual(['AnchorPlace 12 in the queue', 'BuoyWaiting for the service'])
  expect(toasts()).toEqual([])
  await press('Cancel the start of Anchor')
  expect(asked[0]).toBe('DELETE /api/game/3/container/4')
  expect(toasts()).toContainEqual(expect.objectContaining({ title: 'Start cancelled' }))
})

test('CD-10 entering the last minutes is announced once, by name; an instance already in them is not announced', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.now() })
  try {
    const anchor = instance(4, 5)
    const { press } = await open([anchor, instance(5, 10.02)])
    expect(toasts()).toEqual([])
    await act(async () => vi.advanceTimersByTimeAsync(3000))
    expect(toasts()).toMatchObject([{ title: 'The instance of Buoy ends soon. You can extend it now.' }])
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
  const { asked } = await open([instance(4, 0.005)])
  await vi.waitFor(() => expect(asked).toContain('GET /api/game/3/instances'))
})

test('without instances, or without an engine, the tray is hidden', async () => {
  expect((await open([])).place.querySelector('section')).toBeNull()
  const none = await open([], { containers: 'None' })
  expect(none.asked).toEqual([])
})
