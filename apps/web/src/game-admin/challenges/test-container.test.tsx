// @vitest-environment jsdom
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { act } from 'react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { click, settle } from '../../../test/acts.ts'
import { json, openPage, toasts, until } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import { challengeQuery } from '../game-admin.queries.ts'
import type { WrongChallenge } from './challenge-form-fields.ts'
import { TestContainer } from './test-container.tsx'

// xterm measures fonts, which jsdom does not have.
vi.mock('../../ui/game/terminal-view.tsx', () => ({ default: () => null }))

afterEach(() => void vi.unstubAllGlobals())

const id = '0a1b2c3d-4e5f-4000-8000-000000000000'
const running = (entry: string, end = new Date(Date.now() + 3_600_000).toISOString()) => ({
  status: 'Running',
  startedAt: '2026-11-22T08:00:00+00:00',
  expectStopAt: end,
  entry,
  tlsEntry: null as string | null,
  entries: [{ name: null as string | null, entry, tlsEntry: null }],
  readiness: 'ready',
})

interface Scene {
  readonly testContainer?: ReturnType<typeof running>
  readonly containers?: string
  readonly stored?: boolean
  /** The form is being stored. */
  readonly busy?: boolean
  readonly answer?: (requests: string) => Response | Promise<Response>
}

const tried = { answer: 'text', firstLine: 'Welcome', printed: '', ports: [], containers: [] }
const answerTo = (requests: string) => json(requests.startsWith('GET') ? tried : running('a:1'))

let queries: QueryClient
const wrong = new Set<WrongChallenge>()
function Held({ busy, store }: { readonly busy: boolean; readonly store: () => Promise<boolean> }) {
  queries = useQueryClient()
  const { data } = useQuery({ ...challengeQuery(3, 7), enabled: false })
  return data && <TestContainer game={{ id: 3 } as GameInfo} challenge={data} wrong={wrong} busy={busy} store={store} />
}
const said = () => toasts().map(({ title }) => title)
/** Whether the challenge is read again when it is shown. */
const isOld = () => queries.getQueryState(challengeQuery(3, 7).queryKey)?.isInvalidated

async function open({ testContainer, containers = 'Default', stored = true, busy = false, answer = answerTo }: Scene) {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    requests.push(`${init?.method} ${input}`)
    return answer(`${init?.method} ${input}`)
  })
  const challenge = { id: 7, title: 'Buoy', testContainer: testContainer ?? null } as ChallengeEditDetail
  const place = await openPage(
    <Held
      busy={busy}
      store={async () => {
        requests.push('store')
        return stored
      }}
    />,
    [
      [keys.config, { title: 'GZ', containers }],
      [challengeQuery(3, 7).queryKey, challenge],
    ],
  )
  const press = async () => {
    await act(async () => {
      place.querySelector<HTMLElement>('button:not([aria-label])')?.click()
    })
    await settle()
  }
  return { place, requests, press }
}

test('CE-3 the form is stored first, then the container started', async () => {
  const { requests, press } = await open({})
  await press()
  expect(requests.slice(0, 2)).toEqual(['store', 'POST /api/edit/games/3/challenges/7/container'])
  expect(isOld()).toBe(true)
  expect(said()).toEqual(['Test container started'])
})

test('CE-3 a form with a wrong field is neither stored nor tested', async () => {
  wrong.add('containerImage')
  const { place, requests, press } = await open({})
  wrong.clear()
  await press()
  expect([place.querySelector('button')?.disabled, requests]).toEqual([true, []])
})

test('CE-3 the button keeps the focus while the form is stored and while the container is started, and does nothing else', async () => {
  const held = (place: HTMLElement) => {
    const button = place.querySelector<HTMLButtonElement>('button:not([aria-label])')
    return [button?.disabled, button?.getAttribute('aria-disabled')]
  }
  const storing = await open({ busy: true })
  await storing.press()
  expect([held(storing.place), storing.requests]).toEqual([[false, 'true'], []])
  storing.place.remove()
  const starting = await open({ answer: () => new Promise(() => undefined) })
  await starting.press()
  await starting.press()
  expect([held(starting.place), starting.requests.length]).toEqual([[false, 'true'], 2])
  expect(said()).toEqual(['Starting test container'])
})

test('CE-3 after a failed save nothing is started', async () => {
  const { requests, press } = await open({ stored: false })
  await press()
  expect(requests).toEqual(['store'])
  expect(isOld()).toBe(false)
})

test('P8.21 CE-3 the reason for a failed start is shown in place, in the words of the server', async () => {
  const title = 'Test container could not be started: pull access denied'
  let answer = (): Response | Promise<Response> => json({ title, status: 400, code: 'container.test_failed' }, 400)
  const { place, press } = await open({ answer: () => answer() })
  await press()
  expect(place.querySelector('p[role=alert]')?.textContent).toBe(title)
  // It may have been started all the same.
  expect(isOld()).toBe(true)
  // The next try begins without it.
  answer = () => new Promise<Response>(() => {})
  await press()
  expect(place.querySelector('p[role=alert]')).toBeNull()
})

test('FB-2 too many starts are no failure of the challenge', async () => {
  const { place, requests, press } = await open({ answer: () => json({ title: 'Too many requests', status: 429 }, 429) })
  await press()
  expect([requests.length > 1, place.querySelector('p[role=alert]')]).toEqual([true, null])
})

test('CE-3 behind the proxy the entry is the tunnel of test containers, otherwise an address that opens', async () => {
  const proxied = await open({ testContainer: { ...running(id), tlsEntry: 'ab12.tcp.example.net:8443' } })
  expect(proxied.place.textContent).toContain(`/api/proxy/noinst/${id}`)
  expect(proxied.place.textContent).toContain('ncat --ssl ab12.tcp.example.net 8443')
  let answer: (call: string) => Response | Promise<Response> = answerTo
  const { place, requests, press } = await open({ testContainer: running('192.0.2.1:31000'), answer: (call) => answer(call) })
  expect(place.textContent).toContain('192.0.2.1:31000')
  expect(place.querySelector('a')?.getAttribute('href')).toBe('http://192.0.2.1:31000')
  expect(place.querySelector('[role=timer]')).not.toBeNull()
  answer = () => json({ title: 'Disk is full', status: 500 }, 500)
  await press()
  expect(toasts()).toEqual([{ title: 'Could not delete', message: 'Disk is full', role: 'alert' }])
  const stopped = Promise.withResolvers<Response>()
  answer = () => stopped.promise
  await press()
  const stop = [...place.querySelectorAll('button')].find(({ textContent }) => textContent === 'Destroy')
  expect([stop?.dataset.loading, said()]).toEqual(['true', ['Destroying test container']])
  answer = answerTo
  await act(async () => stopped.resolve(new Response(null)))
  await settle()
  expect(said()).toEqual(['Test container destroyed'])
  expect(requests).toContain('DELETE /api/edit/games/3/challenges/7/container')
  expect(isOld()).toBe(true)
})

test('a terminal to a named port is opened and closed', async () => {
  const close = vi.fn()
  vi.stubGlobal(
    'WebSocket',
    class {
      close = close
    },
  )
  const entries = [
    { name: null, entry: id, tlsEntry: null },
    { name: 'sql', entry: `${id}/sql`, tlsEntry: null },
  ]
  const { place } = await open({ testContainer: { ...running(id), entries } })
  const terminal = () => document.querySelector('[role=dialog]')
  const toggle = [...place.querySelectorAll('li button')].find(({ textContent }) => textContent === 'Open terminal')
  await click(toggle as HTMLElement)
  expect(terminal()?.textContent).toContain('Buoy · sql')
  await click(terminal()?.querySelector<HTMLElement>('[aria-label=Close]') ?? undefined)
  await until(() => expect(terminal()).toBeNull())
  expect(close).toHaveBeenCalledOnce()
})

describe('CE-3 a running test container is probed', () => {
  const tries = (tried: object, status = 200) => open({ testContainer: running('a:1'), answer: () => json(tried, status) })

  test('at once, and again on the button; its answer and its output are quoted as text', async () => {
    const answers = [
      { ...tried, answer: 'http', firstLine: 'HTTP/1.1 200 OK', printed: 'listening on <b>80</b>\n' },
      { ...tried, printed: 'second' },
    ]
    const requests: string[] = []
    const held = Promise.withResolvers<void>()
    const { place } = await open({
      testContainer: running('a:1'),
      answer: (call) => {
        requests.push(call)
        const answer = json(answers[requests.length - 1])
        return requests.length === 1 ? answer : held.promise.then(() => answer)
      },
    })
    await vi.waitFor(() => expect(place.textContent).toContain('Answer to an HTTP request: HTTP/1.1 200 OK'))
    expect(place.querySelector('pre')?.textContent).toBe('listening on <b>80</b>\n')
    const again = [...place.querySelectorAll('button')].find((button) => button.textContent === 'Test again')
    expect(place.textContent).not.toContain('Connecting…')
    await act(async () => again?.click())
    await settle()
    expect([again?.dataset.loading, place.textContent?.includes('Connecting…')]).toEqual(['true', true])
    held.resolve()
    await settle()
    expect(place.textContent).toContain('Data received on connect: Welcome')
    expect(place.querySelector('pre')?.textContent).toBe('second')
    expect(requests).toEqual(Array(2).fill('GET /api/edit/games/3/challenges/7/container'))
  })

  test('one that is silent or unreachable is shown as an error', async () => {
    const silent = await tries({ ...tried, answer: 'nothing', firstLine: null, printed: ' \n' })
    await vi.waitFor(() => expect(silent.place.querySelector('[role=alert]')?.textContent).toContain('sent no data'))
    expect(silent.place.textContent).toContain('No output.')
    expect(silent.place.querySelector('pre')).toBeNull()
    const away = await tries({ ...tried, answer: 'unreachable', firstLine: null, printed: null })
    await vi.waitFor(() =>
      expect(away.place.querySelector('[role=alert]')?.textContent).toContain('Could not connect to the port'),
    )
    expect(away.place.textContent).toContain('Output unknown')
  })

  test('again when its service answers, so that a port that did not accept connections yet is not shown as wrong', async () => {
    const answers = [{ ...tried, answer: 'unreachable', firstLine: null }, tried]
    const container = { ...running('a:1'), readiness: 'waiting' }
    const { place } = await open({ testContainer: container, answer: () => json(answers.shift()) })
    await vi.waitFor(() => expect(place.textContent).toContain('Could not connect to the port'))
    const ready = { id: 7, testContainer: { ...container, readiness: 'ready' } }
    await act(async () => void queries.setQueryData(challengeQuery(3, 7).queryKey, ready as ChallengeEditDetail))
    await vi.waitFor(() => expect(place.textContent).toContain('Data received on connect: Welcome'))
    expect(place.querySelector('[role=alert]')).toBeNull()
  })

  test('each named port and each additional container has its answer and output', async () => {
    const ports = [{ name: 'sql', answer: 'nothing', firstLine: null }]
    const containers = [
      { name: 'db', printed: 'ready for connections' },
      { name: 'cache', printed: '' },
    ]
    const { place } = await tries({ ...tried, ports, containers })
    await vi.waitFor(() => expect(place.querySelector('[role=alert]')?.textContent).toContain('Port sql'))
    const answers = [...place.querySelectorAll('p:is([role=status], [role=alert])')].map((one) => one.textContent?.trim())
    expect(answers).toEqual([
      'Data received on connect: Welcome',
      'Port sql The port accepts connections, but sent no data and did not answer an HTTP request.',
    ])
    expect(place.querySelector('section')?.getAttribute('aria-label')).toBe('Last lines of db')
    expect(place.querySelector('pre')?.textContent).toBe('ready for connections')
    expect(place.textContent).toContain('cache has printed nothing.')
    const entries = [...running(id).entries, { name: 'sql', entry: `${id}/sql`, tlsEntry: null }]
    const proxied = await open({ testContainer: { ...running(id), entries } })
    expect(proxied.place.querySelector('li')?.textContent).toContain(`/api/proxy/noinst/${id}/sql`)
  })

  test('a refusal is shown in the words of the server', async () => {
    const { place } = await tries({ title: 'No running instance', status: 400, code: 'container.none' }, 400)
    await vi.waitFor(() => expect(place.querySelector('[role=alert]')?.textContent).toBe('No running instance'))
  })
})

test('CE-3 while its ports are awaited, the challenge is read again every three seconds', () => {
  const { refetchInterval } = challengeQuery(3, 7)
  const pauseOf = (testContainer: object | null) =>
    (refetchInterval as (query: unknown) => unknown)({ state: { data: { testContainer } } })
  expect([{ readiness: 'waiting' }, { readiness: 'ready' }, null].map(pauseOf)).toEqual([3_000, false, false])
})

test('an expired one is replaced by the button, and the challenge is read again', async () => {
  const { place } = await open({ testContainer: running('a:1', '2020-01-01T00:00:00+00:00') })
  expect(place.textContent).toContain('Save and test')
  expect(isOld()).toBe(true)
})

test('FB-2 after too many requests the button that destroys it waits', async () => {
  const { place, press } = await open({
    testContainer: running('192.0.2.1:31000'),
    answer: (call) => (call.startsWith('DELETE') ? json({ title: 'Too many requests', status: 429 }, 429) : json(tried)),
  })
  await press()
  expect(toasts()).toMatchObject([{ message: 'Too many requests' }])
  expect([...place.querySelectorAll('button')].find(({ textContent }) => textContent === 'Destroy')?.disabled).toBe(true)
})

test('without an engine it shows a message and offers nothing', async () => {
  const { place } = await open({ containers: 'None' })
  expect(place.textContent).toContain('Containers are not available')
  expect(place.querySelector('button')).toBeNull()
})
