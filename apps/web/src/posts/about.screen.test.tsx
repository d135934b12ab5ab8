// @vitest-environment jsdom
import { useQueryClient } from '@tanstack/react-query'
import { act } from 'react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { device, json, openPage, type, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import AboutScreen from './about.screen.tsx'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

const button = (text: string) => [...document.querySelectorAll('button')].find((one) => one.textContent?.includes(text))
function Stale() {
  // As in the app, where cached answers become stale.
  useQueryClient().setDefaultOptions({ queries: { retry: false, staleTime: 0 } })
  return null
}
const open = (slogan: string) =>
  openPage(
    <>
      <Stale />
      <AboutScreen />
    </>,
    [
      [keys.config, { title: 'Harbour', slogan }],
      [keys.profile, null],
    ],
  )

test('P1.21 P2.4 ABOUT-1 ABOUT-2 ABOUT-4 the page has the name, the slogan or the default one, what Vexil is with its licence and links, and a card with version and time of the build', async () => {
  vi.stubGlobal('fetch', async () => json([]))
  vi.stubEnv('VITE_VERSION', '0.24.2-patch.1')
  vi.stubEnv('VITE_COMMIT', 'abcdef0123')
  vi.stubEnv('VITE_BUILT', '2026-11-20T08:00:00Z')
  const place = await open('Sail on')
  expect(place.querySelector('h1')?.textContent).toBe('Harbour')
  expect(place.textContent).toContain('Sail on')
  expect(place.querySelector('section')?.textContent).toMatch(/free software.*Apache-2.0/)
  expect([...place.querySelectorAll('section a')].map((link) => link.getAttribute('href'))).toEqual([
    'https://www.apache.org/licenses/LICENSE-2.0',
    '/api/docs',
  ])
  expect(place.querySelector('section')?.getAttribute('aria-labelledby')).toBe(place.querySelector('h2')?.id)
  expect(place.querySelector('section h2')?.textContent).toBe('About Vexil')
  const outside = place.querySelector<HTMLAnchorElement>('section a')
  expect([outside?.target, outside?.rel]).toEqual(['_blank', 'noopener noreferrer'])
  // Screen readers skip the cursor after the slogan.
  expect(place.querySelector('h1 + p > span')?.getAttribute('aria-hidden')).toBe('true')
  const other = await open('  ')
  expect(other.querySelector('p')?.textContent?.length).toBeGreaterThan(5)
  const badge = button('Vexil')
  await act(async () => badge?.focus())
  await until(() => expect(document.body.textContent).toMatch(/v0.24.2-patch.1.*abcdef0123.*Built/))
  const card = () => [...document.querySelectorAll('dt')].some(({ textContent }) => textContent === 'Built')
  await act(async () => badge?.blur())
  await until(() => expect(card()).toBe(false))
  await act(async () => badge?.focus())
  await until(() => expect(card()).toBe(true))
  await act(async () => void badge?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })))
  await until(() => expect(card()).toBe(false))
  for (const [type, shown] of [
    ['mouseover', true],
    ['mouseout', false],
  ] as const) {
    await act(async () => void badge?.dispatchEvent(new MouseEvent(type, { bubbles: true })))
    await until(() => expect(card()).toBe(shown))
  }
  // A build without a known commit shows none.
  other.remove()
  place.remove()
  vi.stubEnv('VITE_COMMIT', '')
  await open('')
  await act(async () => button('Vexil')?.focus())
  await until(() => expect(card()).toBe(true))
  expect([...document.querySelectorAll('dt')].map(({ textContent }) => textContent)).toEqual(['Version', 'Built', 'Licence'])
})

test('ABOUT-3 the licences of bundled parts are listed behind a link and can be searched; a list that does not load shows an error', async () => {
  let away = true
  let isCut = true
  let reads = 0
  vi.stubEnv('VITE_VERSION', '0.24.2')
  vi.stubGlobal('fetch', async (input: string) => {
    if (!input.startsWith('/static/licences.json')) return json([])
    reads++
    // The list of another version is not read from a cache.
    expect(input).toBe('/static/licences.json?0.24.2')
    if (isCut) throw new TypeError('cut')
    return away
      ? json({}, 404)
      : json([
          ['fastify', '5.0.0', 'MIT'],
          ['pdfjs-dist', '6.5.438', 'Apache-2.0'],
        ])
  })
  await open('')
  await settle()
  expect(document.querySelector('[role=dialog]')).toBeNull()
  expect(button('Third-party licences')?.getAttribute('aria-haspopup')).toBe('dialog')
  // The dialog has the whole screen of a phone.
  device.width = 400
  onTestFinished(() => {
    device.width = undefined
  })
  await act(async () => button('Third-party licences')?.click())
  const alert = () => document.querySelector('[role=dialog] [role=alert]')?.textContent
  await until(() => expect(alert()).toContain('Cannot reach the platform.'))
  isCut = false
  await act(async () => button('Retry')?.click())
  await until(() => expect(alert()).not.toContain('Cannot reach the platform.'))
  expect(alert()).toContain('Could not load data')
  away = false
  await act(async () => button('Retry')?.click())
  await until(() => expect(document.querySelectorAll('[role=dialog] tbody tr')).toHaveLength(2))
  expect(document.querySelector('[role=dialog]')?.closest('[data-full-screen]')).toBeTruthy()
  expect(
    [...document.querySelectorAll('[role=dialog] th')].map((head) => [head.textContent, head.getAttribute('scope')]),
  ).toEqual(['Package', 'Version', 'Licence'].map((name) => [name, 'col']))
  const find = document.querySelector<HTMLInputElement>('[role=dialog] input')
  expect(find?.getAttribute('aria-label')).toBe('Find a package or a licence')
  await type(find ?? undefined, ' APACHE ')
  expect(document.querySelector('[role=dialog] tbody')?.textContent).toBe('pdfjs-dist6.5.438Apache-2.0')
  // Once read, the list is not read again.
  const before = reads
  await act(async () => document.querySelector<HTMLElement>('[role=dialog] [aria-label=Close]')?.click())
  await until(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  await act(async () => button('Third-party licences')?.click())
  await until(() => expect(document.querySelectorAll('[role=dialog] tbody tr')).toHaveLength(2))
  expect(reads).toBe(before)
})

test('ABOUT-3 closing the list of licences cancels its request', async () => {
  let signal: AbortSignal | null | undefined
  vi.stubGlobal('fetch', (input: string, init?: RequestInit) => {
    if (!input.startsWith('/static/licences.json')) return Promise.resolve(json([]))
    signal = init?.signal
    return new Promise(() => {})
  })
  await open('')
  await act(async () => button('Third-party licences')?.click())
  await until(() => expect(document.querySelector('[role=dialog] [data-loading]')).not.toBeNull())
  expect(signal?.aborted).toBe(false)
  await act(async () => document.querySelector<HTMLElement>('[role=dialog] [aria-label=Close]')?.click())
  await until(() => expect(signal?.aborted).toBe(true))
})
