// @vitest-environment jsdom
import { act, createElement } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPage } from '../../../test/page.tsx'
import { watchConnection } from '../../api/connection.ts'
import { Markdown } from './markdown.tsx'

/** How often loading the engine, or the code that it imports, still fails. */
let failures = 0
vi.mock('./markdown-engine.ts', () => ({
  renderMarkdown: async (source: string) => {
    if (failures-- > 0) throw new TypeError('Failed to fetch dynamically imported module: /static/x.js')
    const fragment = document.createDocumentFragment()
    fragment.append(`rendered ${source}`)
    return fragment
  },
}))

let reachable = true
let stop: () => void
beforeEach(() => {
  vi.stubGlobal('fetch', async () => {
    if (!reachable) throw new TypeError('reset')
    return new Response('Healthy')
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  stop = watchConnection()
})
afterEach(() => {
  stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
const pass = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms))

test('LIVE-8 a text whose code fails to load while the network changes is rendered by another try', async () => {
  failures = 1
  const place = await openPage(createElement(Markdown, { source: '# Rules' }))
  await pass(1000)
  expect(place.querySelector('.md:not([hidden])')?.textContent).toBe('rendered # Rules')
})

test('LIVE-8 during an outage the text waits for the platform', async () => {
  reachable = false
  failures = 1
  const place = await openPage(createElement(Markdown, { source: '# Rules' }))
  await pass(9000)
  expect(place.querySelector('[data-waiting]')?.getAttribute('aria-hidden')).toBe('true')
  failures = 1
  const blank = await openPage(createElement(Markdown, { source: ' ' }))
  expect(blank.querySelector('[data-waiting]')).toBeNull()
  reachable = true
  await pass(3000)
  expect(place.querySelector('.md:not([hidden])')?.textContent).toBe('rendered # Rules')
})

test('ERR-3 a text whose code is gone after a deployment is shown as it was written, without a reload', async () => {
  failures = 2
  const place = await openPage(createElement(Markdown, { source: '# Rules' }))
  await pass(1000)
  expect(place.querySelector('.md:not([hidden])')?.textContent).toBe('# Rules')
  expect(place.querySelector('[data-waiting]')).toBeNull()
  expect(sessionStorage.getItem('reloaded-at')).toBeNull()
})
