// @vitest-environment jsdom
import type { IsolationAttempt, IsolationProbe } from '@vexil/contract/instances'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { button, click, settle } from '../../../test/acts.ts'
import { json, openPage, toasts } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import { rowsOf } from './isolation.ts'
import { IsolationSection } from './isolation-section.tsx'

afterEach(() => void vi.unstubAllGlobals())

const attempt = (result: IsolationAttempt['result'], more: Partial<IsolationAttempt> = {}): IsolationAttempt => ({
  ...{ network: 'Open', target: 'host', address: '192.0.2.7', port: 8080, result },
  ...more,
})
const done: IsolationProbe = { state: 'done', finishedAt: '2026-11-25T01:02:03+00:00', problem: null, attempts: [] }
const never: IsolationProbe = { ...done, state: 'never', finishedAt: null }

/** Opens the section; each request of the state gets the next of the `answers`, and the last one is repeated. */
async function open(answers: IsolationProbe[], { kind = 'Docker', containers = 'Default', post = null as Response | null } = {}) {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    if (!String(input).includes('/isolation')) return json({ kind, state: 'reachable' })
    requests.push(init?.method ?? 'GET')
    if (init?.method === 'POST' && post) return post
    return json(answers.length > 1 ? answers.shift() : answers[0])
  })
  const place = await openPage(<IsolationSection />, [[keys.config, { title: 'GZ', containers }]])
  await settle()
  return { place, requests }
}
const summary = (place: HTMLElement) => place.querySelector('[role="status"]')?.textContent

test('proven: the number of refused targets, how many were not tried, when, and a closed table', async () => {
  const attempts = [attempt('refused'), attempt('refused', { network: 'Isolated' }), attempt('untried', { target: 'metadata' })]
  const { place } = await open([{ ...done, attempts }])
  expect(summary(place)).toBe('Isolated: 2 connection attempts were blocked, and the control connections succeeded.')
  expect(place.textContent).toContain('1 attempt is inconclusive, because the control connection failed too.')
  expect(place.querySelector('time')?.dateTime).toBe('2026-11-25T01:02:03.000Z')
  expect(place.querySelector('details')?.open).toBe(false)
  expect(place.querySelector('svg')?.classList[1]).toBe('tabler-icon-circle-check')
  const heads = [...place.querySelectorAll('th')].map(({ textContent }) => textContent)
  expect(heads).toEqual(['Target', 'Address', 'Open', 'Isolated'])
  expect(
    [...place.querySelectorAll('tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
  ).toEqual([
    ['Host', '192.0.2.7 : 8080', 'OpenRefused', 'IsolatedRefused'],
    ['Cloud metadata', '192.0.2.7 : 8080', 'OpenInconclusive', 'Isolated–'],
  ])
})

test('what was reached is not called proven, whatever was refused, and opens the table', async () => {
  const { place } = await open([{ ...done, attempts: [attempt('refused'), attempt('reached', { target: 'kubelet' })] }])
  expect(summary(place)).toBe('Not isolated: 1 attempt reached what containers must not reach.')
  expect(place.textContent).not.toContain('Isolated:')
  expect(place.querySelector('details')?.open).toBe(true)
  expect(place.querySelector('svg')?.classList[1]).toBe('tabler-icon-circle-x')
})

test('a target without an address shows its port only', async () => {
  const { place } = await open([{ ...done, attempts: [attempt('untried', { address: '-' })] }])
  expect([...place.querySelectorAll('td')].map((cell) => cell.textContent)[1]).toBe(': 8080')
})

test.each<[string, IsolationProbe, string]>([
  ['no control reached anything', { ...done, attempts: [attempt('untried')] }, 'Inconclusive: the control connection'],
  ['it could not run', { ...done, problem: 'VEXIL_PROBE_IMAGE is not set.' }, 'The isolation test did not run'],
  ['it was never tested', never, 'Isolation was not tested yet'],
])('%s: %#', async (_, probe, text) => {
  const { place } = await open([probe])
  expect(summary(place)).toContain(text)
  if (probe.problem) expect(place.textContent).toContain(probe.problem)
  expect(place.querySelector('time') === null).toBe(probe.finishedAt === null)
  const untried = probe.attempts.some(({ result }) => result === 'untried')
  expect([place.textContent?.includes('inconclusive'), place.querySelector('details') !== null]).toEqual([untried, untried])
  expect(place.textContent).not.toContain('Isolated:')
})

test('the button starts it; while it runs the page says so and asks every second, and shows the result', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'], shouldAdvanceTime: true })
  const running: IsolationProbe = { ...never, state: 'running' }
  const { place, requests } = await open([never, running, running, { ...done, attempts: [attempt('refused')] }])
  await click(button('Run isolation test'))
  expect(requests).toEqual(['GET', 'POST'])
  expect(summary(place)).toContain('Testing what containers can reach')
  expect(button('Run isolation test')?.getAttribute('aria-disabled')).toBe('true')
  await click(button('Run isolation test'))
  expect(requests.filter((one) => one === 'POST')).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(2_500)
  await settle()
  expect(summary(place)).toContain('Isolated: 1 connection attempt was blocked')
  expect(button('Run isolation test')?.getAttribute('aria-disabled')).toBeNull()
  // A test that another administrator starts appears within half a minute.
  const before = requests.length
  await act(() => vi.advanceTimersByTimeAsync(25_000))
  expect(requests).toHaveLength(before)
  await act(() => vi.advanceTimersByTimeAsync(6_000))
  expect(requests).toHaveLength(before + 1)
  vi.useRealTimers()
})

test('a refused start says why, and changes nothing', async () => {
  const refusal = { title: 'Containers are not available', status: 400, code: 'container.unavailable' }
  const { place } = await open([never], { post: json(refusal, 400) })
  await click(button('Run isolation test'))
  expect(JSON.stringify(toasts())).toContain('Could not start the isolation test')
  expect(JSON.stringify(toasts())).toContain('Containers are not available')
  expect(summary(place)).toContain('not tested yet')
})

test('on Kubernetes it says that no network plugin was tested; without an engine there is no section', async () => {
  expect((await open([never], { kind: 'Kubernetes' })).place.textContent).toContain('tested with no network plugin')
  expect((await open([never])).place.textContent).not.toContain('plugin')
  expect((await open([{ ...never, state: 'none' }])).place.querySelector('section')).toBeNull()
  expect((await open([never], { containers: 'None' })).place.querySelector('section')).toBeNull()
})

test('a result that cannot be read shows the reason', async () => {
  vi.stubGlobal('fetch', async () => json({ title: 'Out of order', status: 400, code: 'request.invalid' }, 400))
  const place = await openPage(<IsolationSection />)
  await settle()
  expect(place.querySelector('[role=alert]')?.textContent).toContain('Out of order')
})

test('attempts of both networks at one target share a row, also at addresses that differ', () => {
  const gateway = { target: 'gateway', port: 4711 } as const
  const rows = rowsOf([
    attempt('refused', { ...gateway, address: '100.64.0.1' }),
    attempt('refused', { address: '192.0.2.8' }),
    attempt('refused', { address: '192.0.2.9' }),
    attempt('untried', { ...gateway, network: 'Isolated', address: '100.64.0.9' }),
    attempt('reached', { network: 'Isolated', address: '192.0.2.8' }),
    attempt('refused', { network: 'Isolated', address: '192.0.2.9' }),
    attempt('refused', { network: 'Isolated', target: 'resolver', address: '127.0.0.11', port: 53 }),
  ])
  expect(rows).toEqual([
    { ...gateway, address: '100.64.0.1', results: { Open: 'refused', Isolated: 'untried' } },
    { target: 'host', address: '192.0.2.8', port: 8080, results: { Open: 'refused', Isolated: 'reached' } },
    { target: 'host', address: '192.0.2.9', port: 8080, results: { Open: 'refused', Isolated: 'refused' } },
    { target: 'resolver', address: '127.0.0.11', port: 53, results: { Isolated: 'refused' } },
  ])
})
