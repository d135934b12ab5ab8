// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchConnection } from '../../api/connection.ts'
import { loadWithRetry, loadWithStyles, reloadOnce, watchStyles } from './chunk-recovery.ts'
import { singleFlight } from './single-flight.ts'

const gone = () => new TypeError('Failed to fetch dynamically imported module: /static/x.js')
const sheets = () => [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')]
const reload = vi.fn(() => true)
let reachable = true
const requests: string[] = []
let stops: (() => void)[] = []

beforeEach(() => {
  vi.useFakeTimers()
  reachable = true
  requests.length = 0
  reload.mockReset().mockReturnValue(true)
  vi.stubGlobal('fetch', async (address: string) => {
    requests.push(address)
    if (!reachable) throw new TypeError('reset')
    return new Response('{}')
  })
  stops = [watchConnection(), watchStyles()]
})
afterEach(() => {
  for (const stop of stops) stop()
  document.head.replaceChildren()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('ERR-3 the page is reloaded once, not repeatedly', () => {
  const load = vi.fn()
  expect(reloadOnce(1_000_000, load)).toBe(true)
  expect(reloadOnce(1_029_999, load)).toBe(false)
  expect(reloadOnce(1_030_000, load)).toBe(true)
  expect(load).toHaveBeenCalledTimes(2)
  // Without the mark of the reload it would be repeated for ever.
  const refuse = () => {
    throw new DOMException('The storage is full', 'QuotaExceededError')
  }
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: refuse })
  expect(reloadOnce(2_000_000, load)).toBe(false)
  expect(load).toHaveBeenCalledTimes(2)
})

test('ERR-3 it is the browser that reloads the page', () => {
  const location = { reload: vi.fn() }
  vi.stubGlobal('location', location)
  expect(reloadOnce(2_000_000)).toBe(true)
  expect(location.reload).toHaveBeenCalledOnce()
})

test('code that throws an error fails at once: there is no check and no reload', async () => {
  const fault = new Error('x is undefined')
  await expect(loadWithRetry(() => Promise.reject(fault), reload)).rejects.toBe(fault)
  expect(requests).toEqual([])
  expect(reload).not.toHaveBeenCalled()
})

test('LIVE-8 code that does not load during an outage is loaded when the platform is back, and the page stays', async () => {
  reachable = false
  const load = vi.fn(async () => 'code').mockRejectedValueOnce(gone())
  const came = vi.fn()
  void loadWithRetry(load, reload).then(came)
  await pass(9000)
  expect(load).toHaveBeenCalledTimes(1)
  reachable = true
  // Reachable, and unreachable again before the code is loaded.
  load.mockImplementationOnce(async () => {
    reachable = false
    throw gone()
  })
  await pass(3000)
  expect(came).not.toHaveBeenCalled()
  reachable = true
  await pass(3000)
  expect(came).toHaveBeenCalledWith('code')
  expect(reload).not.toHaveBeenCalled()
})

test.each([
  'Failed to fetch dynamically imported module: /static/x.js',
  'error loading dynamically imported module: /static/x.js',
  'Importing a module script failed.',
  'Unable to preload CSS for /static/x.css',
])('ERR-3 code that is missing while the platform is up reloads the page without a message: %s', async (message) => {
  const settled = vi.fn()
  const load = vi.fn(() => Promise.reject(new TypeError(message)))
  loadWithRetry(load, reload).then(settled, settled)
  // A page that is being left no longer exists by then.
  await pass(900)
  expect(reload).not.toHaveBeenCalled()
  await pass(60_000)
  expect(load).toHaveBeenCalledTimes(2)
  expect(reload).toHaveBeenCalledTimes(1)
  expect(settled).not.toHaveBeenCalled()
})

test('ERR-3 code that is still missing after a reload is an error', async () => {
  reload.mockReturnValue(false)
  const fault = gone()
  const refused = vi.fn()
  loadWithRetry(() => Promise.reject(fault), reload).catch(refused)
  await pass(1100)
  expect(refused).toHaveBeenCalledWith(fault)
})

test('LIVE-8 code that fails to load once while the platform is up is loaded a second later, and the page stays', async () => {
  const load = vi.fn(async () => 'code').mockRejectedValueOnce(gone())
  const came = vi.fn()
  void loadWithRetry(load, reload).then(came)
  await pass(1100)
  expect(came).toHaveBeenCalledWith('code')
  expect(reload).not.toHaveBeenCalled()
})

test('LIVE-8 failed style sheets are requested again before the code, each until it loads; others stay unchanged', async () => {
  document.head.innerHTML =
    '<link rel="stylesheet" href="/static/here.css"><link rel="stylesheet" href="/static/lost.css" nonce="n"><link rel="icon" href="/i.webp">'
  const [here, lost] = sheets()
  const icon = document.querySelector('link[rel=icon]')
  lost?.dispatchEvent(new Event('error'))
  icon?.dispatchEvent(new Event('error'))
  const load = vi.fn(async () => 'code')
  const first = loadWithStyles(load)
  const [same, second] = sheets()
  expect([same, second?.getAttribute('href'), second?.nonce]).toEqual([here, '/static/lost.css', 'n'])
  expect(second).not.toBe(lost)
  expect(document.querySelector('link[rel=icon]')).toBe(icon)
  second?.dispatchEvent(new Event('error'))
  await expect(first).rejects.toThrow('Unable to preload CSS')

  const code = loadWithRetry(load, reload)
  await pass(0)
  const [, third] = sheets()
  expect(third).not.toBe(second)
  expect(load).not.toHaveBeenCalled()
  third?.dispatchEvent(new Event('load'))
  expect(await code).toBe('code')
  await loadWithStyles(load)
  expect(sheets()).toEqual([here, third])
})

test('a style sheet that failed before the watch ended is not requested again', async () => {
  document.head.innerHTML = '<link rel="stylesheet" href="/static/lost.css">'
  const [lost] = sheets()
  lost?.dispatchEvent(new Event('error'))
  stops.pop()?.()
  lost?.dispatchEvent(new Event('error'))
  const code = loadWithStyles(async () => 'code')
  expect(sheets()).toEqual([lost])
  expect(await code).toBe('code')
})

test('LIVE-8 a control that is pressed again after its styles failed loads with them', async () => {
  document.head.innerHTML = '<link rel="stylesheet" href="/static/lost.css">'
  const load = vi.fn(async () => 'dialog').mockRejectedValueOnce(new Error('Unable to preload CSS for /static/lost.css'))
  const code = singleFlight(load)
  sheets()[0]?.dispatchEvent(new Event('error'))
  const pressed = code()
  sheets()[0]?.dispatchEvent(new Event('load'))
  await expect(pressed).rejects.toThrow('Unable to preload CSS')
  expect(load).toHaveBeenCalledTimes(1)
  sheets()[0]?.dispatchEvent(new Event('error'))
  const again = code()
  await pass(0)
  expect(load).toHaveBeenCalledTimes(1)
  sheets()[0]?.dispatchEvent(new Event('load'))
  expect(await again).toBe('dialog')
})
