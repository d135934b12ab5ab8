// @vitest-environment jsdom
import { act } from 'react'
import { Route, Routes, useLocation, useNavigationType } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { click, named, settle } from '../../test/acts.ts'
import { json, openPage, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { formatTime } from '../ui/time/time.ts'
import { barsOf } from './activity.ts'
import EventsScreen from './events.screen.tsx'

vi.mock('../api/live.ts', async (original) => ({ ...(await original<object>()), useLive: () => 'off' }))
afterEach(() => void vi.unstubAllGlobals())

const minute = 60_000
const start = Date.UTC(2026, 0, 1, 9)
const row = (minutes: number, right: number, wrong: number) => ({
  from: new Date(start + minutes * minute).toISOString(),
  right,
  wrong,
})

test('MON-4 there is a bar for every five minutes since the start, empty ones too; a long game has wider bars', () => {
  const { step, bars } = barsOf([row(0, 1, 2), row(10, 3, 0)], start, start + 19 * minute)
  expect(step).toBe(5 * minute)
  expect(bars.map(({ from, right, wrong }) => [(from - start) / minute, right, wrong])).toEqual([
    [0, 1, 2],
    [5, 0, 0],
    [10, 3, 0],
    [15, 0, 0],
  ])
  const long = barsOf([row(0, 1, 0), row(5, 2, 0), row(3000, 0, 4)], start, start + 48 * 60 * minute)
  expect(long.bars.length).toBeLessThanOrEqual(144)
  // The narrowest of which there are not too many.
  expect(long.step).toBe(25 * minute)
  expect(long.bars[0]).toMatchObject({ right: 3 })
  expect(long.bars.reduce((sum, { right, wrong }) => sum + right + wrong, 0)).toBe(7)
  expect(barsOf([], start, start - minute).bars).toHaveLength(1)
  expect(barsOf([row(-5, 1, 0)], start, start + minute).bars[0]?.right).toBe(1)
})

function Where() {
  return <output data-how={useNavigationType()}>{useLocation().search}</output>
}

async function open(address = '') {
  const requests: URLSearchParams[] = []
  vi.stubGlobal('scrollTo', () => {})
  vi.stubGlobal('fetch', async (input: string) => {
    const url = new URL(input, 'http://x')
    if (url.pathname.endsWith('/activity')) return json([row(0, 1, 3), row(10, 3, 0), row(15, 0, 1)])
    if (!url.pathname.endsWith('/events')) return json([])
    requests.push(url.searchParams)
    const time = url.searchParams.get('from') ? 'inside' : 'anywhere'
    // A full page, so that there is a next one.
    return json(Array(30).fill({ time: new Date(start).toISOString(), type: 'Normal', values: [time], user: '', team: '' }))
  })
  const place = await openPage(
    <>
      <Where />
      <Routes>
        <Route path="/games/:id/monitor/Events" element={<EventsScreen />} />
      </Routes>
    </>,
    [
      [keys.config, { title: 'GZ' }],
      [keys.profile, { userName: 'Watcher', role: 'Monitor' }],
      [
        keys.game(3).detail,
        {
          id: 3,
          title: 'Cup',
          start: new Date(start).toISOString(),
          end: new Date(start + 20 * minute).toISOString(),
          status: 'Accepted',
        },
      ],
    ],
    `/games/3/monitor/Events${address}`,
  )
  await until(() => expect(place.querySelectorAll('figure [aria-pressed]').length).toBe(4))
  return { place, requests }
}
const bars = (place: HTMLElement) => [...place.querySelectorAll<HTMLElement>('figure [aria-pressed]')]

test('MON-4 a click on a bar narrows the list and the address to its time, from page 1; another click, or the cross, shows the whole game again', async () => {
  const { place, requests } = await open()
  await until(() => expect(place.textContent).toContain('anywhere'))
  await click(named('Next page'))
  await until(() => expect(requests.at(-1)?.get('skip')).toBe('30'))
  expect(bars(place)[2]?.getAttribute('aria-label')).toContain('3 correct, 0 wrong')
  expect(bars(place)[3]?.getAttribute('aria-label')).toContain('0 correct, 1 wrong')
  expect(bars(place).map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1, -1])
  const head = () => place.querySelector('figcaption')?.textContent
  expect(head()).toBe('Submissions per 5 minutesCorrectWrong')
  expect(place.querySelector('figure [role=group]')?.getAttribute('aria-label')).toBe('Submissions per 5 minutes')
  expect(bars(place).map(({ title }) => title)).toEqual(bars(place).map((bar) => bar.getAttribute('aria-label')))
  await act(async () => bars(place)[2]?.click())
  await until(() => expect(place.textContent).toContain('inside'))
  expect(requests.at(-1)?.get('skip')).toBe('0')
  expect(requests.at(-1)?.get('from')).toBe(new Date(start + 10 * minute).toISOString())
  expect(requests.at(-1)?.get('before')).toBe(new Date(start + 15 * minute).toISOString())
  expect(document.querySelector('output')?.textContent).toBe(`?from=${start + 10 * minute}&before=${start + 15 * minute}`)
  expect(head()).toMatch(/^Submissions per 5 minutesCorrectWrong.*\d\d:\d\d – \d\d:\d\dShow whole game$/)
  expect(place.querySelector('figcaption time')?.getAttribute('datetime')).toBe(new Date(start + 10 * minute).toISOString())
  // "Back" leaves the list.
  expect(document.querySelector('output')?.dataset.how).toBe('REPLACE')
  expect(bars(place).map((bar) => [bar.tabIndex, bar.getAttribute('aria-pressed')])).toEqual([
    [-1, 'false'],
    [-1, 'false'],
    [0, 'true'],
    [-1, 'false'],
  ])
  await act(async () => bars(place)[2]?.click())
  await until(() => expect(place.textContent).toContain('anywhere'))
  await act(async () => bars(place)[0]?.click())
  await until(() => expect(place.textContent).toContain('inside'))
  await click([...place.querySelectorAll('figcaption button')].find((one) => one.textContent?.endsWith('Show whole game')))
  await until(() => expect(place.textContent).toContain('anywhere'))
  expect(document.querySelector('output')?.textContent).toBe('')
})

test.each([
  ['begins before any game', `?from=0&before=${start}`],
  ['has no end', `?from=${start}`],
  ['has no start', `?before=${start}`],
  ['is no number', '?from=a&before=b'],
  ['ends when it starts', `?from=${start}&before=${start}`],
  ['ends after the last moment of a date', `?from=${start}&before=8640000000000000`],
])('MON-4 an address whose time %s shows the whole game', async (_, address) => {
  const { place, requests } = await open(address)
  await until(() => expect(place.textContent).toContain('anywhere'))
  expect(requests.map((query) => query.get('from'))).toEqual(requests.map(() => null))
})

test('MON-4 a narrowed address decides what is shown; the bars are one stop of the Tab key, and a table has their numbers', async () => {
  const { place, requests } = await open(`?from=${start}&before=${start + 5 * minute}`)
  expect(requests.at(-1)?.get('from')).toBe(new Date(start).toISOString())
  expect(bars(place).map((bar) => bar.tabIndex)).toEqual([0, -1, -1, -1])
  bars(place)[0]?.focus()
  const press = async (at: number, key: string) => {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    await act(async () => void bars(place)[at]?.dispatchEvent(event))
    return event.defaultPrevented
  }
  expect(await press(0, 'Tab')).toBe(false)
  expect(await press(0, 'ArrowRight')).toBe(true)
  expect(document.activeElement).toBe(bars(place)[1])
  await press(1, 'ArrowLeft')
  expect(document.activeElement).toBe(bars(place)[0])
  // The arrow keys of the page turn the list.
  await settle()
  expect(requests.map((query) => query.get('skip'))).toEqual(requests.map(() => '0'))
  const heights = (bar: HTMLElement | undefined) => [...(bar?.querySelectorAll('i') ?? [])].map(({ style }) => style.height)
  expect([heights(bars(place)[0]), heights(bars(place)[2])]).toEqual([
    ['75%', '25%'],
    ['0%', '75%'],
  ])
  const clock = (minutes: number) => formatTime(start + minutes * minute, 'clock', 'en_US')
  const spans = [...place.querySelectorAll('figure tbody th[scope=row]')].map(({ textContent }) => textContent ?? '')
  expect(spans.map((text) => text.slice(-13))).toEqual([0, 10, 15].map((from) => `${clock(from)} – ${clock(from + 5)}`))
  expect([...place.querySelectorAll('figure tbody tr')].map((one) => one.textContent?.replace(/^.*\d\d:\d\d/, ''))).toEqual([
    '13',
    '30',
    '01',
  ])
  const times = [...place.querySelectorAll('figure tbody time')].map((one) => one.getAttribute('datetime'))
  expect(times).toEqual([0, 10, 15].map((minutes) => new Date(start + minutes * minute).toISOString()))
  const heads = [...place.querySelectorAll('figure thead th')].map(({ textContent }) => textContent)
  expect(heads).toEqual(['Time', 'Correct', 'Wrong'])
})
