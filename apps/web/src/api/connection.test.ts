// @vitest-environment jsdom
import { MutationObserver, onlineManager, QueryClient, QueryObserver } from '@tanstack/react-query'
import type { Endpoint } from '@vexil/contract/endpoint'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { call, Refusal } from './client.ts'
import { isOnline, onReturn, untilPlatformAnswers, watchConnection } from './connection.ts'
import { pollWithout } from './live.ts'
import { queryClient, refetchOnReturn } from './query-client.ts'
import { upload } from './upload.ts'

const thing = { method: 'GET', path: '/api/thing', shape: { access: 'anyone', summary: '' } } as const satisfies Endpoint

/** How the network treats each request: answers it, fails it, or never answers. */
let network: 'up' | 'cut' | 'swallows' = 'up'
const requests: string[] = []
let stop = () => {}

beforeEach(() => {
  vi.useFakeTimers()
  network = 'up'
  requests.length = 0
  const answer = (address: string, init: RequestInit): Promise<Response> => {
    requests.push(address)
    if (network === 'cut') return Promise.reject(new TypeError('reset'))
    if (network === 'up') return Promise.resolve(new Response('{}', { status: 200 }))
    return new Promise((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(new DOMException('given up', 'AbortError')))
    })
  }
  vi.stubGlobal('fetch', vi.fn(answer))
  // In jsdom this uses the real clock.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const given = new AbortController()
    setTimeout(() => given.abort(), ms)
    return given.signal
  })
  stop = watchConnection()
})
afterEach(() => {
  stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('LIVE-7 a call that is reset is followed by one check, and a failed check means offline', async () => {
  network = 'cut'
  await call(thing).catch(() => {})
  await pass(0)
  expect(requests).toEqual(['/api/thing', '/healthz'])
  expect(isOnline()).toBe(false)
})

test('LIVE-7 an upload that is reset, or that a proxy answers, is followed by a check', async () => {
  const hand = { method: 'POST', path: '/api/files', shape: { access: 'user', summary: '', upload: 'files' } } as const
  const sends = async (how: (request: XMLHttpRequest) => void) => {
    vi.stubGlobal(
      'XMLHttpRequest',
      class {
        readonly upload = {}
        readonly open = () => {}
        readonly setRequestHeader = () => {}
        readonly getResponseHeader = () => null
        send() {
          how(this as never)
        }
      },
    )
    await upload(hand, new File(['a'], 'one.txt')).catch(() => {})
    await pass(0)
  }
  await sends((request) => request.onerror?.({} as ProgressEvent))
  expect(requests).toEqual(['/healthz'])
  await sends((request) => {
    Object.assign(request, { status: 502, response: null })
    request.onload?.({} as ProgressEvent)
  })
  expect(requests).toEqual(['/healthz', '/healthz'])
})

test('LIVE-7 one failed call does not mean offline while the platform answers the check', async () => {
  network = 'cut'
  const sent = call(thing).catch(() => {})
  network = 'up'
  await sent
  await pass(0)
  expect(requests).toContain('/healthz')
  expect(isOnline()).toBe(true)
})

test.each([502, 503])(
  'LIVE-7 an answer %i, as a proxy sends it, starts a check; any other refusal means online',
  async (status) => {
    let answered = status
    vi.stubGlobal('fetch', async (address: string) => {
      requests.push(address)
      return new Response(null, { status: address === '/healthz' ? 502 : answered })
    })
    await call(thing).catch(() => {})
    await pass(0)
    expect(requests).toEqual(['/api/thing', '/healthz'])
    expect(isOnline()).toBe(false)
    answered = 501
    await call(thing).catch(() => {})
    expect(isOnline()).toBe(true)
  },
)

test('LIVE-7 a call whose packets are lost means offline within 3 s, and ends so that its form can be used', async () => {
  network = 'swallows'
  const refused = vi.fn()
  void call(thing).catch(refused)
  await pass(2999)
  expect(isOnline()).toBe(false)
  expect(refused).not.toHaveBeenCalled()
  // The second check fails after 6.4 to 7.2 s; by then the call has waited for more than 5 s.
  await pass(4300)
  expect(refused).toHaveBeenCalledWith(expect.objectContaining({ http: 0 }))
})

test('LIVE-8 a call that hangs since before an outage ends when the platform is back, a later one does not', async () => {
  network = 'swallows'
  const refused = vi.fn()
  void call(thing).catch(refused)
  await pass(2999)
  expect([isOnline(), refused.mock.calls.length]).toEqual([false, 0])
  const [later, end] = [vi.fn(), new AbortController()]
  void call(thing, { signal: end.signal }).catch(later)
  network = 'up'
  window.dispatchEvent(new Event('online'))
  await pass(0)
  expect(refused).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ http: 0 }))
  expect(later).not.toHaveBeenCalled()
  end.abort()
})

test('LIVE-7 an early request of the page whose packets are lost means offline within 3 s, and its call ends', async () => {
  globalThis.early = { '/api/thing': { sentAt: Date.now(), answer: new Promise(() => {}) } }
  network = 'swallows'
  const ended = vi.fn()
  void call(thing).catch(ended)
  await pass(3000)
  expect(isOnline()).toBe(false)
  await pass(8000)
  expect(ended).toHaveBeenCalledOnce()
  expect(ended.mock.calls[0]?.[0]).toMatchObject({ http: 0 })
  network = 'up'
  expect(await call(thing)).toEqual({})
})

test('LIVE-7 the offline event of the browser means offline at once', async () => {
  window.dispatchEvent(new Event('offline'))
  expect(isOnline()).toBe(false)
})

test('LIVE-7 a platform that is unreachable is asked every two seconds, and after a minute every ten', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  network = 'cut'
  // A second report starts no second series of checks.
  for (let times = 0; times < 2; times++) window.dispatchEvent(new Event('offline'))
  await pass(62_000)
  expect(requests).toHaveLength(31)
  await pass(9999)
  expect(requests).toHaveLength(31)
  await pass(1)
  expect(requests).toHaveLength(32)
})

test('LIVE-7 user input after a quiet period checks the platform, at most once in a while', async () => {
  await pass(10_000)
  await call(thing)
  await pass(4000)
  window.dispatchEvent(new Event('keydown'))
  expect(requests).toEqual(['/api/thing'])
  await pass(2000)
  const returned = vi.fn()
  onTestFinished(onReturn(returned))
  window.dispatchEvent(new Event('keydown'))
  await pass(0)
  // Nothing was missed: listeners are not notified.
  expect([requests.splice(1), returned.mock.calls]).toEqual([['/healthz'], []])
  await pass(6000)
  network = 'cut'
  window.dispatchEvent(new Event('pointerdown'))
  await pass(0)
  expect(requests).toEqual(['/api/thing', '/healthz'])
  expect(isOnline()).toBe(false)
})

test('LIVE-8 the platform is checked every few seconds until it answers, and waiting code is notified', async () => {
  const returned = vi.fn()
  const end = onReturn(returned)
  network = 'cut'
  await call(thing).catch(() => {})
  await pass(0)
  network = 'up'
  await pass(2999)
  expect(isOnline()).toBe(true)
  expect(returned).toHaveBeenCalledExactlyOnceWith(true)
  end()
})

const ways: [string, () => void][] = [
  ['`online`', () => window.dispatchEvent(new Event('online'))],
  ['the tab becoming visible', () => document.dispatchEvent(new Event('visibilitychange'))],
  ['any call that succeeds', () => void call(thing)],
]

test.each(ways)('LIVE-8 the platform is back at once after %s', async (_, happens) => {
  network = 'cut'
  await call(thing).catch(() => {})
  await pass(0)
  expect(isOnline()).toBe(false)
  network = 'up'
  const returned = vi.fn()
  onTestFinished(onReturn(returned))
  happens()
  await pass(0)
  expect(isOnline()).toBe(true)
  expect(returned).toHaveBeenCalledExactlyOnceWith(true)
  const checks = requests.length
  await pass(10_000)
  expect(requests).toHaveLength(checks)
})

test.each(ways.slice(0, 2))('LIVE-8 after %s the platform is checked, and waiting code may reconnect', async (_, happens) => {
  await call(thing)
  const returned = vi.fn()
  onTestFinished(onReturn(returned))
  happens()
  await pass(0)
  expect([requests, returned.mock.calls]).toEqual([['/api/thing', '/healthz'], [[false]]])
})

test('LIVE-8 a tab that is hidden checks nothing; an answer that breaks off is followed by a check', async () => {
  const shown = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  document.dispatchEvent(new Event('visibilitychange'))
  await pass(0)
  expect(requests).toEqual([])
  shown.mockReturnValue('visible')
  const broken = {
    ...Response.json({}),
    ok: true,
    status: 200,
    headers: new Headers(),
    text: () => Promise.reject(new TypeError('reset')),
  }
  vi.mocked(fetch).mockResolvedValueOnce(broken as unknown as Response)
  await expect(call(thing)).rejects.toMatchObject({ http: 0 })
  await pass(0)
  expect(requests).toEqual(['/healthz'])
})

test('a stopped watch sends no checks, whatever events the browser fires', async () => {
  stop()
  await pass(10_000)
  for (const name of ['online', 'pointerdown', 'keydown']) window.dispatchEvent(new Event(name))
  document.dispatchEvent(new Event('visibilitychange'))
  window.dispatchEvent(new Event('offline'))
  await pass(10_000)
  expect([requests, isOnline()]).toEqual([[], true])
})

test('LIVE-8 failed and hanging queries are sent again when the platform is back', async () => {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: 'always' } } })
  const end = refetchOnReturn(queries)
  vi.spyOn(Math, 'random').mockReturnValue(1)
  const answers: Record<string, () => Promise<string>> = {
    failed: () => call(thing).then(() => 'failed again'),
    hung: () => call(thing).then(() => 'hung again'),
  }
  network = 'cut'
  const observers = Object.entries(answers).map(([name, queryFn]) => new QueryObserver(queries, { queryKey: [name], queryFn }))
  observers[0]?.subscribe(() => {})
  await pass(10)
  network = 'swallows'
  observers[1]?.subscribe(() => {})
  await pass(100)
  expect(queries.getQueryState(['failed'])?.status).toBe('error')
  network = 'up'
  // At the next check, before all other queries are sent again.
  await pass(2400)
  expect(queries.getQueryData(['failed'])).toBe('failed again')
  expect(queries.getQueryData(['hung'])).toBe('hung again')
  end()
  queries.clear()
})

test('LIVE-9 without its channel a list is requested every 10 s, every 30 s where no channel can be opened, with it never', () => {
  expect(pollWithout('blocked')).toBe(30_000)
  expect([pollWithout('reconnecting'), pollWithout('off'), pollWithout('connecting')]).toEqual([10_000, 10_000, 10_000])
  expect(pollWithout('live')).toBe(false)
})

test('LIVE-8 stale data are requested again shortly after the platform is back, once for several outages', async () => {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
  const end = refetchOnReturn(queries)
  onTestFinished(() => queries.clear())
  let asks = 0
  onTestFinished(new QueryObserver(queries, { queryKey: ['list'], queryFn: () => ++asks }).subscribe(() => {}))
  await pass(10)
  expect(asks).toBe(1)
  vi.spyOn(Math, 'random').mockReturnValue(1)
  const comeBack = async () => {
    network = 'cut'
    await call(thing).catch(() => {})
    await pass(0)
    expect(isOnline()).toBe(false)
    network = 'up'
    await call(thing)
    expect(isOnline()).toBe(true)
  }
  await comeBack()
  await pass(1000)
  await comeBack()
  await pass(1499)
  expect(asks).toBe(1)
  await pass(1)
  expect(asks).toBe(2)
  await pass(5000)
  expect(asks).toBe(2)
  // The network returned, but nothing was missed.
  window.dispatchEvent(new Event('online'))
  await pass(5000)
  expect(asks).toBe(2)
  await comeBack()
  end()
  await pass(5000)
  await comeBack()
  await pass(5000)
  expect(asks).toBe(2)
})

test.each([
  ['no answer', [0, 500, 1500], new Refusal(0, undefined)],
  ['status 500', [0, 500, 1500], new Refusal(500, undefined)],
  ['status 503', [0, 500, 1500], new Refusal(503, undefined)],
  ['status 499', [0], new Refusal(499, undefined)],
  ['status 404', [0], new Refusal(404, undefined)],
  ['a fault of the page', [0], new TypeError('no such thing')],
])('a query that fails with %s is sent at %j ms', async (_, times, error) => {
  onTestFinished(() => queryClient.clear())
  const startedAt = Date.now()
  const asks: number[] = []
  const failed = vi.fn()
  const queryFn = () => {
    asks.push(Date.now() - startedAt)
    throw error
  }
  void queryClient.fetchQuery({ queryKey: ['fails'], queryFn }).catch(failed)
  await pass(times.at(-1) ?? 0)
  expect(failed).toHaveBeenCalledExactlyOnceWith(error)
  await pass(60_000)
  expect(asks).toEqual(times)
})

test('an answer counts as new for five seconds and is kept for half an hour after it was last shown', async () => {
  onTestFinished(() => queryClient.clear())
  let asks = 0
  const show = () => new QueryObserver(queryClient, { queryKey: ['shown'], queryFn: () => ++asks }).subscribe(() => {})
  const first = show()
  await pass(4999)
  const second = show()
  await pass(0)
  expect(asks).toBe(1)
  await pass(1)
  const third = show()
  await pass(0)
  expect(asks).toBe(2)
  for (const leave of [first, second, third]) leave()
  await pass(30 * 60_000 - 1)
  expect(queryClient.getQueryData(['shown'])).toBe(2)
  await pass(1)
  expect(queryClient.getQueryData(['shown'])).toBeUndefined()
})

test('the online state of the browser does not hold back queries or actions', async () => {
  onlineManager.setOnline(false)
  onTestFinished(() => {
    onlineManager.setOnline(true)
    queryClient.clear()
  })
  const [ask, act] = [vi.fn(() => 'answer'), vi.fn(async () => 'done')]
  void queryClient.fetchQuery({ queryKey: ['asked'], queryFn: ask })
  void new MutationObserver(queryClient, { mutationFn: act }).mutate()
  await pass(0)
  expect([ask.mock.calls.length, act.mock.calls.length]).toEqual([1, 1])
})

test('who waits for the platform learns that it was unreachable when it answers again, and at once that it was not', async () => {
  const answers: boolean[] = []
  void untilPlatformAnswers().then((unreachable) => answers.push(unreachable))
  await pass(0)
  expect(answers).toEqual([false])
  network = 'cut'
  void untilPlatformAnswers().then((unreachable) => answers.push(unreachable))
  await pass(5_000)
  expect(answers).toEqual([false])
  network = 'up'
  await pass(10_000)
  expect(answers).toEqual([false, true])
})
