// @vitest-environment jsdom
import type { ChallengeDetail } from '@vexil/contract/scoreboard'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { json, openPage, toasts, until } from '../../test/page.tsx'
import { keys } from '../api/keys.ts'
import { InstancePanel } from './instance-panel.tsx'

afterEach(() => void vi.unstubAllGlobals())

const minute = 60_000
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * minute).toISOString()

interface Scene {
  readonly entry?: string | null
  readonly closes?: number
  readonly answer?: (line: string) => Response | Promise<Response>
}

async function open({ entry = null, closes = 60, answer = () => json([]) }: Scene) {
  const asked: string[] = []
  const refresh = vi.fn()
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const line = `${init?.method ?? 'GET'} ${input}`
    asked.push(line)
    return answer(line)
  })
  const context = { instanceEntry: entry, closeTime: entry && inMinutes(closes), url: null, fileSize: null }
  const place = await openPage(
    <InstancePanel
      game={3}
      limit={3}
      challenge={{ id: 7, title: 'Buoy', type: 'StaticContainer', context } as ChallengeDetail}
      cards={[]}
      onRefresh={refresh}
    />,
    [
      [keys.config, { title: 'GZ', containers: 'Default', defaultLifetime: 90, renewalWindow: 10, extensionDuration: 60 }],
      [keys.game(3).instances, []],
    ],
  )
  return { place, asked, refresh, changes: () => asked.filter((line) => !line.startsWith('GET')) }
}
const button = (place: HTMLElement, text: RegExp) =>
  [...place.querySelectorAll('button')].find((one) => text.test(one.textContent ?? ''))
const click = (element: HTMLElement | undefined) =>
  act(async () => {
    element?.click()
    await new Promise((resolve) => setTimeout(resolve, 30))
  })

test('CD-7 without an instance it says what one is for and how long it lives, and one button starts it once', async () => {
  let finish: (answer: Response) => void = () => {}
  const { place, changes } = await open({
    answer: (line) => (line.startsWith('POST') ? new Promise((done) => (finish = done)) : json([])),
  })
  expect(place.textContent).toMatch(/90 minutes|1\.5 hours/)
  const start = button(place, /Start/)
  await click(start)
  await click(start)
  expect(changes()).toEqual(['POST /api/game/3/container/7'])
  await act(async () => finish(json({ status: 'Running', startedAt: inMinutes(0), expectStopAt: inMinutes(90), entry: 'h:1' })))
  await until(() => expect(toasts().some(({ role }) => role === 'status')).toBe(true))
})

test('CD-8 CD-9 a running instance shows its address, a ready command, the time left and when it can be extended', async () => {
  const { place } = await open({ entry: 'tide.example:4000', closes: 60 })
  expect(place.textContent).toContain('nc tide.example 4000')
  expect(place.querySelector('a[href="http://tide.example:4000"]')?.getAttribute('target')).toBe('_blank')
  expect(place.querySelector('[role=timer]')?.textContent).toMatch(/^0?0:59:\d\d$|^01:00:00$/)
  expect(place.textContent).toContain('10 minutes')
  expect(button(place, /Extend/)?.disabled).toBe(true)
})

test('CD-10 in its last minutes it can be extended; success is said only after the answer, and a refusal is no success', async () => {
  let finish: (answer: Response) => void = () => {}
  const { place, changes } = await open({
    entry: 'h:1',
    closes: 5,
    answer: (line) => (line.startsWith('POST') ? new Promise((done) => (finish = done)) : json([])),
  })
  await click(button(place, /Extend/))
  expect(changes()).toEqual(['POST /api/game/3/container/7/extend'])
  expect(toasts().filter(({ title }) => /longer|extended/i.test(String(title)))).toEqual([])
  await act(async () => finish(json({ title: 'Too early', status: 400, code: 'container.not_yet' }, 400)))
  await until(() => expect(toasts().some(({ message, role }) => role === 'alert' && message === 'Too early')).toBe(true))
  expect(toasts().filter(({ title }) => /extended/i.test(String(title)))).toEqual([])
})

test('CD-12 at zero it is asked for again once, and nothing is destroyed by the page', async () => {
  const { refresh, changes } = await open({ entry: 'h:1', closes: 0.01 })
  await until(() => expect(refresh).toHaveBeenCalled())
  await act(async () => new Promise((resolve) => setTimeout(resolve, 1500)))
  expect(refresh).toHaveBeenCalledTimes(1)
  expect(changes()).toEqual([])
})
