// @vitest-environment jsdom
import { notifications } from '@mantine/notifications'
import type { LogMessage } from '@vexil/contract/live'
import { act } from 'react'
import { useLocation } from 'react-router'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { button, click, named, rows, send, settle, write } from '../../../test/acts.ts'
import { json, openPage, toasts, until } from '../../../test/page.tsx'
import { refuse } from '../../../test/server.ts'
import type { LiveState } from '../../api/live.ts'
import { keys } from '../../api/query-keys.ts'
import { t } from '../../ui/text/organiser-texts.ts'
import { allLogs, fileEntriesMost } from './logs.queries.ts'

/** The live channel, controlled by the test. */
const hub = vi.hoisted(() => ({
  state: 'live' as string,
  hear: (_: unknown) => {},
  reads: [] as readonly unknown[],
  hubs: [] as string[],
}))
vi.mock('../../api/live.ts', async (original) => ({
  ...(await original<object>()),
  useLive: (options: {
    hub: string
    handlers: { ReceivedLog: (entry: unknown) => void }
    reads: readonly unknown[]
  }): LiveState => {
    hub.hubs.push(options.hub)
    hub.hear = options.handlers.ReceivedLog
    hub.reads = options.reads
    return hub.state as LiveState
  },
}))
const { default: LogsScreen } = await import('./logs.screen.tsx')

beforeEach(() => {
  hub.state = 'live'
  vi.stubGlobal('scrollTo', () => {})
})
afterEach(() => void vi.unstubAllGlobals())

const entry = (n: number, more: Partial<LogMessage> = {}): LogMessage => ({
  time: `2026-11-22T08:00:${String(n % 60).padStart(2, '0')}+00:00`,
  name: 'Root',
  level: 'Information',
  ip: '192.0.2.1',
  msg: `message ${n}`,
  status: 'Success',
  requestId: null,
  ...more,
})
const some = (count: number, from = 0) => Array.from({ length: count }, (_, i) => entry(from + i))

async function open({ list = some(3), address = '/admin/Logs', status = 200 } = {}) {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (input: string) => {
    requests.push(String(input).replace('/api/admin/logs', ''))
    return status === 200
      ? json(list)
      : json({ title: 'Out of order', status, code: 'server.unknown', requestId: 'f6g7h8' }, status)
  })
  let here = ''
  function Here() {
    const { pathname, search } = useLocation()
    here = `${pathname}${search}`
    return null
  }
  const page = (
    <>
      <LogsScreen />
      <Here />
    </>
  )
  const place = await openPage(page, [[keys.config, { title: 'GZ' }]], address)
  await settle()
  return { place, requests, here: () => here }
}
const push = (one: LogMessage) => act(async () => hub.hear(one))
const level = (name: string) =>
  click([...document.querySelectorAll('label')].find((one) => one.textContent === name)?.parentElement?.querySelector('input'))

test('P2.14 LG-1 the newest 50 of Info are shown with time, status, user, address and message', async () => {
  const { place, requests } = await open({
    list: [
      entry(1, { status: 'Denied', name: 'eve', ip: '203.0.113.9', msg: 'Refused: /admin' }),
      ...(['Warning', 'Error', 'Fatal'] as const).map((level, i) => entry(2 + i, { level })),
    ],
  })
  expect(requests).toEqual(['?level=Information&count=50&skip=0'])
  expect(hub.hubs.at(-1)).toBe('/hub/admin')
  expect(place.querySelector('nav [aria-current=page]')?.textContent).toBe('Logs')
  expect(hub.reads).toEqual([['admin', 'logs']])
  expect(rows(place)[0]).toMatch(/Denied.*eve.*203\.0\.113\.9.*Refused: \/admin/)
  // Only a level that needs attention is named.
  expect([...place.querySelectorAll('tbody tr')].map((row) => row.querySelector('b')?.textContent?.trim())).toEqual([
    undefined,
    'Warning',
    'Error',
    'Fatal',
  ])
  expect(place.querySelector('[role=radiogroup]')?.getAttribute('aria-label')).toBe('Log level')
  const disabled = ['Previous page', 'Next page'].map((name) => named<HTMLButtonElement>(name)?.disabled)
  expect([...disabled, button('Download')?.disabled]).toEqual([true, true, false])
  expect(place.querySelector('time')?.dateTime).toBe('2026-11-22T08:00:01.000Z')
})

test('P3.57 LG-1 every status has a different word and colour', async () => {
  const statuses = ['Success', 'Failed', 'Pending', 'Denied', 'Exit', 'NotFound', 'Duplicate']
  const { place } = await open({ list: statuses.map((status, i) => entry(i, { status })) })
  const words = ['Success', 'Failed', 'Pending', 'Denied', 'Exit', 'Not found', 'Duplicate']
  for (const [i, text] of rows(place).entries()) expect(text).toContain(words[i])
  const dots = [...place.querySelectorAll('tbody i')].map(({ className }) => className)
  expect(new Set(dots).size).toBe(7)
})

const intervals: [string, number][] = [
  ['reconnecting', 10_000],
  ['blocked', 30_000],
]
test.each(intervals)('LG-1 LIVE-9 a green message shows that the list is live, a red one that it is %s', async (state, every) => {
  await open()
  expect(toasts()).toMatchObject([{ title: 'Live updates on', role: 'status' }])
  hub.state = state
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] })
  try {
    const requests: string[] = []
    vi.stubGlobal('fetch', async (input: string) => {
      requests.push(String(input))
      return json(some(1))
    })
    const opened = openPage(<LogsScreen />, [[keys.config, { title: 'GZ' }]], '/admin/Logs')
    await opened
    await act(async () => vi.advanceTimersByTimeAsync(100))
    const message = expect.stringContaining(`every ${every / 1000} seconds`)
    expect(toasts().at(-1)).toMatchObject({ title: 'Live updates off', message, role: 'alert' })
    expect(requests).toHaveLength(1)
    await act(async () => vi.advanceTimersByTimeAsync(every - 200))
    expect(requests).toHaveLength(1)
    await act(async () => vi.advanceTimersByTimeAsync(200))
    expect(requests).toHaveLength(2)
    // Further pages are requested once.
    await openPage(<LogsScreen />, [[keys.config, { title: 'GZ' }]], '/admin/Logs?page=2')
    await act(async () => vi.advanceTimersByTimeAsync(2 * every))
    expect(requests.filter((line) => line.includes('skip=50'))).toHaveLength(1)
  } finally {
    vi.useRealTimers()
  }
})

test('a list that cannot be loaded shows the reason and offers another try; an empty one shows a message', async () => {
  const { place, requests } = await open({ status: 500 })
  expect(place.querySelector('[role=alert]')?.textContent).toMatch(/Out of order.*Request f6g7h8/)
  await click(button('Retry'))
  expect(requests).toHaveLength(2)
  expect((await open({ list: [], address: '/admin/Logs?level=All' })).place.textContent).toContain('No log entries yet')
  const narrowed = await open({ list: [], address: '/admin/Logs?level=All&search=zzz' })
  expect(narrowed.place.textContent).toContain(t('admin.logs.notFound'))
  for (const address of ['/admin/Logs?level=Error', '/admin/Logs?level=All&page=2'])
    expect((await open({ list: [], address })).place.textContent).toContain(t('admin.logs.notFound'))
})

test('LG-4 after too many requests the download waits', async () => {
  await open()
  const answer = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => answer.promise)
  await click(button('Download'))
  expect(button('Download')?.disabled).toBe(true)
  answer.resolve(refuse('Too many requests', 'request.too_many', 429, { 'Retry-After': '60' }))
  await until(() => expect(button('Download')?.hasAttribute('data-loading')).toBe(false))
  expect(toasts().at(-1)).toMatchObject({ message: 'Too many requests' })
  expect(button('Download')?.disabled).toBe(true)
})

test('P2.14 LG-2 another level is sent to the server, kept in the address and starts at page 1', async () => {
  const { requests, here } = await open({ address: '/admin/Logs?page=3' })
  expect(requests).toEqual(['?level=Information&count=50&skip=100'])
  await level('Warning')
  expect(here()).toBe('/admin/Logs?level=Warning')
  expect(requests.at(-1)).toBe('?level=Warning&count=50&skip=0')
  await level('Error')
  expect(requests.at(-1)).toBe('?level=Error&count=50&skip=0')
  await level('All')
  expect(requests.at(-1)).toBe('?level=All&count=50&skip=0')
  await level('Info')
  expect(here()).toBe('/admin/Logs')
})

test('LG-1 a live line of the chosen level is added on top with a highlight, others are not; there are no duplicates', async () => {
  const { place } = await open({ address: '/admin/Logs?search=mess' })
  await push(entry(40, { msg: 'fresh message' }))
  expect(rows(place)[0]).toContain('fresh message')
  expect([...place.querySelectorAll('tbody tr')].map((row) => row.hasAttribute('data-fresh'))).toEqual([
    true,
    false,
    false,
    false,
  ])
  await push(entry(41, { level: 'Error', msg: 'a message of another level' }))
  await push(entry(42, { msg: 'nothing that was looked for' }))
  await push(entry(40, { msg: 'fresh message' }))
  expect(rows(place)).toHaveLength(4)
})

test('LG-1 a full page keeps its 50, and on page 2 new lines are held back', async () => {
  const { place } = await open({ list: some(50) })
  await act(async () => notifications.clean())
  await push(entry(59, { msg: 'fresh' }))
  expect(rows(place)).toHaveLength(50)
  // That the list is live is said once.
  expect(toasts()).toEqual([])
  const next = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => next.promise)
  await click(named('Next page'))
  // The page before stays until the next one is there.
  expect(rows(place)).toHaveLength(50)
  await act(async () => next.resolve(json(some(50, 50))))
  await push(entry(58, { msg: 'later' }))
  expect(rows(place).join()).not.toContain('later')
  expect(button('1 new')).toBeTruthy()
})

test('LG-3 a long message is cut until it is clicked, and cut again by another click', async () => {
  const { place } = await open({ list: [entry(1, { msg: 'long '.repeat(90), requestId: 'a1b2c3d4e5' })] })
  const text = () => place.querySelector('tbody button')
  expect(text()?.className).toContain('cut')
  expect(text()?.getAttribute('aria-expanded')).toBe('false')
  expect(text()?.textContent).not.toContain('a1b2c3d4e5')
  await click(text())
  expect(text()?.className).not.toContain('cut')
  expect(text()?.getAttribute('aria-expanded')).toBe('true')
  expect(text()?.textContent).toContain('Request a1b2c3d4e5')
  expect([...place.querySelectorAll('[title]')].map((one) => one.getAttribute('title'))).toContain('192.0.2.1')
  await click(text())
  expect(text()?.className).toContain('cut')
  const other = await open({ list: [entry(2)] })
  await click(other.place.querySelector('tbody button'))
  expect(other.place.querySelector('tbody button')?.textContent).toBe('message 2')
})

test('LG-4 the server searches a text within the level', async () => {
  const { requests, here } = await open({ address: '/admin/Logs?level=Error&page=2' })
  const find = 'Message, user or IP address (3 or more characters)'
  await write(named<HTMLInputElement>(find), '203.0')
  await send(named(find))
  expect(here()).toBe('/admin/Logs?level=Error&search=203.0')
  expect(requests.at(-1)).toBe('?level=Error&hint=203.0&count=50&skip=0')
})

test('LG-4 without a match the search and the level are removed together', async () => {
  const { place, here, requests } = await open({ list: [], address: '/admin/Logs?level=Error&search=zzz' })
  expect(place.textContent).toContain(t('admin.logs.notFound'))
  expect(button('Download')?.disabled).toBe(true)
  await click(button(t('admin.clearSearch')))
  expect(here()).toBe('/admin/Logs?level=All')
  expect(document.activeElement?.getAttribute('aria-label')).toBe(t('admin.logs.find'))
  expect(requests.at(-1)).toBe('?level=All&count=50&skip=0')
  expect(place.textContent).not.toContain(t('admin.logs.notFound'))
})

test('LG-4 typing searches from the third character, Enter for any text; fewer characters show all', async () => {
  const { requests, here } = await open()
  const find = named<HTMLInputElement>('Message, user or IP address (3 or more characters)')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const typeAndWait = async (text: string) => {
      await write(find, text)
      await act(async () => vi.advanceTimersByTimeAsync(300))
    }
    await typeAndWait('20')
    expect(requests).toHaveLength(1)
    await typeAndWait('203')
    expect(requests.slice(1)).toEqual(['?level=Information&hint=203&count=50&skip=0'])
    // What was typed before Enter does not undo its search.
    await write(find, '1')
    await act(async () => find?.form?.requestSubmit())
    await act(async () => vi.advanceTimersByTimeAsync(300))
    expect(here()).toBe('/admin/Logs?search=1')
    await typeAndWait('20')
    expect(requests.at(-1)).not.toContain('hint')
    expect(here()).toBe('/admin/Logs')
  } finally {
    vi.useRealTimers()
  }
  await send(find)
  expect(requests.at(-1)).toBe('?level=Information&hint=20&count=50&skip=0')
})

test('LG-4 while paused nothing moves and new lines are counted; resuming requests the list', async () => {
  const { place, requests } = await open()
  await click(button('Pause'))
  expect(place.textContent).not.toContain('Paused')
  await push(entry(31))
  await push(entry(32))
  expect(rows(place)).toHaveLength(3)
  expect(place.textContent).toContain('Paused, 2 new entries')
  await click(button('Resume'))
  expect(requests).toHaveLength(2)
  expect(place.textContent).not.toContain('Paused')
  await act(async () => void document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'p', code: 'KeyP', bubbles: true })))
  expect(button('Resume')?.getAttribute('aria-pressed')).toBe('true')
})

test('LG-4 the download holds the filtered list, all pages, oldest first, one line each', async () => {
  const { requests } = await open({
    list: [entry(2), entry(1, { ip: '', status: '' })],
    address: '/admin/Logs?level=Warning&search=mess&page=2',
  })
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  const names: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  await click(button('Download'))
  expect(requests.at(-1)).toBe('?level=Warning&hint=mess&count=10000&skip=0')
  expect(await (saved.mock.lastCall?.[0] as unknown as Blob | undefined)?.text()).toBe(
    '2026-11-22T08:00:01+00:00\tInformation\t-\t-\tRoot\tmessage 1\n2026-11-22T08:00:02+00:00\tInformation\tSuccess\t192.0.2.1\tRoot\tmessage 2\n',
  )
  expect(names).toEqual(['vexil.log'])
  expect(toasts().map(({ title }) => title)).toContain('Log downloaded')
  vi.restoreAllMocks()
})

test('LG-4 a log longer than one call is downloaded in several, without what entries that come meanwhile repeat', async () => {
  const requests: string[] = []
  // Entries are numbered in descending order; a new one arrives before the second call.
  const answer = (skip: number, count: number, newest: number) =>
    Array.from({ length: Math.min(count, Math.max(0, newest - skip)) }, (_, i) => entry(newest - skip - i))
  vi.stubGlobal('fetch', async (input: string) => {
    const query = new URL(input, 'http://localhost').searchParams
    const [skip, count] = [Number(query.get('skip')), Number(query.get('count'))]
    requests.push(`${skip} ${count}`)
    return json(answer(skip, count, skip === 0 ? 12_000 : 12_001))
  })
  const entries = await allLogs({ level: 'All', hint: '' })
  expect(requests).toEqual(['0 10000', '10000 10000'])
  expect(entries).toHaveLength(12_000)
  expect(new Set(entries.map(({ msg }) => msg)).size).toBe(12_000)
})

test('LG-4 a download ends at its limit, and says so', async () => {
  await open()
  let calls = 0
  vi.stubGlobal('fetch', async () => {
    calls++
    return json(Array.from({ length: 10_000 }, (_, i) => entry(calls * 10_000 + i)))
  })
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  await click(button('Download'))
  await until(() => expect(toasts().map(({ title }) => title)).toContain('Downloaded the newest 200,000 entries'))
  expect(saved).toHaveBeenCalledTimes(1)
  expect(calls).toBe(fileEntriesMost / 10_000)
  vi.stubGlobal('fetch', async () => refuse('Out of order', 'server.unknown', 500))
  await click(button('Download'))
  await until(() => expect(toasts().at(-1)).toMatchObject({ title: 'Failed to download', message: 'Out of order' }))
})

test('LG-1 LIVE-2 a live entry that arrives during an older request stays when the answer comes', async () => {
  const { place } = await open({ list: some(2) })
  const { promise, resolve } = Promise.withResolvers<Response>()
  const requests = vi.fn(() => promise)
  vi.stubGlobal('fetch', requests)
  await act(async () => void window.dispatchEvent(new Event('visibilitychange')))
  expect(requests).toHaveBeenCalledTimes(1)
  await push(entry(40, { msg: 'Team deleted' }))
  expect(rows(place)[0]).toContain('Team deleted')
  resolve(json(some(3)))
  await settle()
  expect(rows(place)).toHaveLength(4)
  expect(rows(place)[0]).toContain('Team deleted')
})
