// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query'
import type { ChallengeDetail } from '@vexil/contract/scoreboard'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { json, openPage } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { InstancePanel } from './instance-panel.tsx'
import { instancesQuery } from './instances.queries.ts'
import { challengeQuery, noticesQuery } from './play.queries.ts'
import type { Shown } from './shown.ts'

afterEach(() => void vi.unstubAllGlobals())

const later = new Date(Date.now() + 3_600_000).toISOString()
const other = { challengeId: 4, status: 'Running', startedAt: later, expectStopAt: later, entry: 'a:1' }

async function open({
  entry = null as string | null,
  entries = [] as object[],
  limit = 1,
  config = {} as object,
  lastEnd = null as object | null,
  readiness = null as string | null,
  start = null as object | null,
  startFailure = null as object | null,
  others = [other],
}) {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    requests.push(`${init?.method ?? 'GET'} ${input}`)
    return init?.method === 'DELETE' ? new Response(null) : json([])
  })
  const context = {
    instanceEntry: entry,
    closeTime: entry && later,
    url: null,
    fileSize: null,
    lastEnd,
    readiness,
    entries,
    start,
    startFailure,
  }
  const place = await openPage(
    <InstancePanel
      game={3}
      limit={limit}
      challenge={{ id: 7, title: 'Buoy', type: 'StaticContainer', context } as ChallengeDetail}
      cards={[{ id: 7, title: 'Buoy' } as Shown, { id: 4, title: 'Anchor' } as Shown, { id: 5, title: 'Chain' } as Shown]}
    />,
    [
      [keys.config, { title: 'GZ', containers: 'Default', ...config }],
      [keys.game(3).instances, others],
    ],
  )
  return { place, requests }
}
const press = async (label: string, from: ParentNode = document.body) => {
  await act(async () => {
    const found = [...from.querySelectorAll('button')].filter(({ textContent }) => textContent === label)
    found.at(-1)?.click()
  })
  await settle()
}

test('CD-13 at the limit the other instances are listed, and one is destroyed after a question', async () => {
  const { place, requests } = await open({})
  expect(place.querySelector('li')?.textContent).toContain('Anchor')
  expect([...place.querySelectorAll('button')].at(-1)?.disabled).toBe(true)
  await press('Destroy', place)
  expect(requests).toEqual([])
  expect(document.body.textContent).toContain('Destroy the instance?')
  const cancel = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Cancel')
  expect(cancel?.hasAttribute('data-autofocus')).toBe(true)
  await press('Cancel')
  expect(requests).toEqual([])
  await press('Destroy', place)
  await press('Destroy', document.querySelector('[role=dialog]') ?? document.body)
  expect(requests[0]).toBe('DELETE /api/game/3/container/4')
})

test('CD-13 an instance whose challenge is no longer on the board is listed with its number', async () => {
  const { place } = await open({ others: [{ ...other, challengeId: 77 }] })
  expect(place.querySelector('li')?.textContent).toMatch(/^#77/)
})

test('CD-13 where the oldest instance is replaced, the start names it and is possible', async () => {
  const { place } = await open({
    limit: 2,
    config: { autoDestroyOnLimitReached: true },
    others: [other, { ...other, challengeId: 5 }],
  })
  expect(place.textContent).toContain('Anchor will be destroyed')
  expect(place.querySelector('li')).toBeNull()
  expect([...place.querySelectorAll('button')].at(-1)?.disabled).toBe(false)
})

test('CD-7 without a container engine the panel says so, and offers no start', async () => {
  const { place } = await open({ config: { containers: 'None' } })
  expect(place.textContent).toContain('Containers are not available on this platform')
  expect(place.querySelector('button')).toBeNull()
})

test.each([
  [{ cause: 'exit', exitCode: 3 }, 'its program exited with code 3'],
  [{ cause: 'exit', exitCode: null }, 'its program exited with code ?'],
  [{ cause: 'memory', exitCode: 137 }, 'it needed more memory than allowed'],
  [{ cause: 'removed', exitCode: null }, 'was removed from the container engine'],
  [{ cause: 'expiry', exitCode: null }, 'The last instance expired.'],
  [{ cause: 'limit', exitCode: null }, 'destroyed because your team reached its limit'],
  [{ cause: 'administrator', exitCode: null }, 'An organiser destroyed the last instance.'],
  [{ cause: 'solve', exitCode: null }, 'ended because your team solved the challenge'],
])('CD-7 the panel says why the last instance ended: %j', async (lastEnd, words) => {
  const { place } = await open({ limit: 2, lastEnd })
  const shown = [...place.querySelectorAll('p')].find(({ textContent }) => textContent?.includes(words))
  expect(shown?.className.includes('wary')).toBe(['exit', 'memory', 'removed'].includes(lastEnd.cause))
  expect((await open({ limit: 2, lastEnd, entry: 'h:1' })).place.textContent).not.toContain(words)
  expect((await open({ limit: 2 })).place.textContent).not.toContain('last instance')
})

test('each named port has its address, page, terminal and commands; the first one stays above them', async () => {
  const id = '0a1b2c3d-4e5f-4000-8000-000000000000'
  const entries = [
    { name: null, entry: id, tlsEntry: null },
    { name: 'sql', entry: `${id}/sql`, tlsEntry: 'ab12.tcp.example.net:8443' },
  ]
  const { place } = await open({ entry: id, entries, config: { instanceHosts: 'https://*.example.net' } })
  const page = place.querySelector<HTMLAnchorElement>(`a[href="https://${id}.example.net/"]`)
  expect([page?.closest('li'), page?.target, page?.rel]).toEqual([null, '_blank', 'noopener noreferrer'])
  const named = [...place.querySelectorAll('li')]
  expect(named).toHaveLength(1)
  expect(named[0]!.querySelector('[role=group]')?.getAttribute('aria-label')).toBe('Address of sql')
  expect(named[0]!.textContent).toContain(`/api/proxy/${id}/sql`)
  expect(named[0]!.textContent).toContain('ncat --ssl ab12.tcp.example.net 8443')
  expect(named[0]!.querySelector(`a[href="https://${id}-sql.example.net/"]`)).not.toBeNull()
  expect([...named[0]!.querySelectorAll('button')].map(({ textContent }) => textContent)).toContain('Open terminal')
  const first = { name: null, entry: 'h:1', tlsEntry: null }
  const alone = await open({ entry: 'h:1', entries: [first] })
  expect(alone.place.querySelector('li')).toBeNull()
  // Without the proxy there is nothing to open a terminal to.
  const direct = await open({ entry: 'h:1', entries: [first, { name: 'sql', entry: 'h:2', tlsEntry: null }] })
  expect(direct.place.querySelector('li')?.textContent).toContain('nc h 2')
  expect(direct.place.textContent).not.toContain('Open terminal')
})

test.each([
  [null, 'Waiting for the service'],
  [{ phase: 'queued', place: 3, percent: null }, 'Place 3 in the queue'],
  [{ phase: 'queued', place: null, percent: null }, 'Waiting in the queue'],
  [{ phase: 'pulling', place: null, percent: null }, 'Pulling the image'],
  [{ phase: 'pulling', place: null, percent: 40 }, 'Pulling the image 40%'],
  [{ phase: 'creating', place: null, percent: null }, 'Creating the instance'],
  [{ phase: 'waiting', place: null, percent: null }, 'Waiting for the service'],
])(
  'CD-26 CD-27 a start shows how far it is, no address and no second start, and is cancelled without a question: %j',
  async (start, words) => {
    const { place, requests } = await open({ readiness: 'waiting', start })
    expect(place.querySelector('p')?.textContent).toBe(words)
    // Announced without the numbers, which change every second.
    const spoken = place.querySelector('[aria-live=polite]')?.textContent ?? ''
    expect(words.startsWith(spoken) || spoken === 'Waiting in the queue').toBe(true)
    const percent = (start as { percent: number | null } | null)?.percent ?? null
    const bar = place.querySelector('[role=progressbar]')
    const values = ['label', 'valuenow', 'valuemin', 'valuemax'].map((name) => bar?.getAttribute(`aria-${name}`))
    expect(bar && values).toEqual(percent === null ? null : ['Pulling the image', String(percent), '0', '100'])
    expect(place.textContent).toContain('The address appears when the service answers.')
    expect([...place.querySelectorAll('button')].map(({ textContent }) => textContent)).toEqual(['Cancel start'])
    await press('Cancel start', place)
    expect(requests[0]).toBe('DELETE /api/game/3/container/7')
  },
)

test('CD-28 a start that failed says why, to screen readers too, and can be tried again', async () => {
  const startFailure = { code: 'container.engine_busy', title: 'The cluster is busy. Try again in a minute', at: later }
  const { place, requests } = await open({ limit: 2, startFailure })
  const shown = `Could not start the instance${startFailure.title}`
  expect([...place.querySelectorAll('p')].map(({ textContent }) => textContent)).toContain(shown)
  expect(place.querySelector('[aria-live=polite]')?.textContent).toBe(startFailure.title)
  await press('Try again', place)
  expect(requests.filter((line) => line.startsWith('POST'))).toEqual(['POST /api/game/3/container/7'])
  expect((await open({ limit: 2 })).place.textContent).toContain('Start instance')
})

test('CD-8 a service that is late is named beside its address, and one that answers is not', async () => {
  const words = 'The service does not answer yet.'
  const late = await open({ entry: 'h:1', readiness: 'late' })
  for (const part of [words, 'h:1']) expect(late.place.textContent).toContain(part)
  const tone = (place: HTMLElement) => {
    const count = [...place.querySelectorAll('h3 span')].at(-1)
    return [count?.textContent, count?.className.includes('ok')]
  }
  expect(tone(late.place)).toEqual(['running', false])
  const ready = await open({ entry: 'h:1', readiness: 'ready' })
  expect(ready.place.textContent).not.toContain(words)
  expect(tone(ready.place)).toEqual(['running', true])
  expect(ready.place.querySelector('[aria-live=polite]')?.textContent).toBe('Instance started')
})

test('the own instance of a list that is older than its end does not count', async () => {
  const { place } = await open({ others: [{ ...other, challengeId: 7 }] })
  expect(place.querySelector('li')).toBeNull()
  expect([...place.querySelectorAll('button')].at(-1)?.disabled).toBe(false)
})

test.each([2, 0])('below the limit (%s) the other instances are not shown', async (limit) => {
  const { place } = await open({ limit })
  expect(place.textContent).not.toContain('Anchor')
  expect([...place.querySelectorAll('button')].at(-1)?.disabled).toBe(false)
  // The usual times, where the site has no others.
  expect(place.textContent).toContain('It runs for 2 hours.')
  const running = await open({ limit, entry: 'h:1' })
  for (const text of ['can be extended in the last 10 minutes', 'Extend by 2 hours'])
    expect(running.place.textContent).toContain(text)
})

test('while the service is awaited the challenge is read again every five seconds, also without the hub', () => {
  const { refetchInterval } = challengeQuery(3, 7)
  const pauseOf = (readiness: string | null) =>
    (refetchInterval as (query: unknown) => unknown)({ state: { data: { context: { readiness } } } })
  expect([pauseOf('waiting'), pauseOf('late'), pauseOf(null)]).toEqual([5_000, 120_000, 120_000])
})

test.each([
  ['a challenge', challengeQuery(3, 7), 120_000],
  ['the notices', noticesQuery(3), 300_000],
  ['the instances', instancesQuery(3), 5000],
] as const)('what was read a moment ago is not requested again: %s', async (_, options, fresh) => {
  const asked = vi.fn(async () => [])
  const queries = new QueryClient()
  const show = (age: number) => {
    queries.setQueryData<unknown>(options.queryKey, [], { updatedAt: Date.now() - age })
    return queries.fetchQuery<unknown>({ ...options, queryFn: asked } as never)
  }
  await show(fresh - 1000)
  expect(asked).not.toHaveBeenCalled()
  await show(fresh)
  expect(asked).toHaveBeenCalledOnce()
  queries.clear()
})
