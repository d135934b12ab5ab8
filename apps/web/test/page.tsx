import { MantineProvider } from '@mantine/core'
import { Notifications, notifications, notificationsStore } from '@mantine/notifications'
import { QueryClient, QueryClientProvider, type QueryKey } from '@tanstack/react-query'
import * as React from 'react'
import { act, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { createMemoryRouter, RouterProvider, useLocation, useNavigate } from 'react-router'
import { onTestFinished } from 'vitest'
import { closeChannels } from '../src/api/live.ts'
import { startLanguages } from '../src/shell/i18n.ts'
import { UnsavedGuard } from '../src/shell/unsaved.tsx'
import { lazyParts } from '../src/ui/base/lazy-part.tsx'
import { ConfirmProvider } from '../src/ui/overlays/confirm.tsx'
import { loadTexts } from '../src/ui/text/texts.tsx'
import { watchPage } from './left-behind.ts'

/** The width of the window, for media queries; undefined matches none. */
export const device: { width: number | undefined } = { width: undefined }

function matches(media: string): boolean {
  const [, end, pixels] = /(min|max)-width: (\d+)px/.exec(media) ?? []
  if (device.width === undefined || end === undefined) return false
  return end === 'min' ? device.width >= Number(pixels) : device.width <= Number(pixels)
}

/** Browser features that jsdom lacks. */
const browser = {
  IS_REACT_ACT_ENVIRONMENT: true,
  matchMedia: (media: string) => ({ matches: matches(media), media, addEventListener() {}, removeEventListener() {} }),
  ResizeObserver: class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
}

/** React stores a stack for each element, for its warnings, until it has 10,000. That takes 18 % of the processor time of tests of pages. */
function withoutOwnerStacks(): void {
  const name = '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE'
  const { [name]: internals } = React as unknown as Readonly<Record<string, object | undefined>>
  if (!internals) throw new Error('This version of React has other internals: correct or remove this function')
  Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', { get: () => 10_000, set() {}, configurable: true })
}
withoutOwnerStacks()

let speaks = false
let opened = 0
let mustBeClean = () => {}

/** Pending waits; those of a test that timed out would continue, and their acts would delay the next test. */
const waits = new Set<{ over: boolean }>()
/** Real timers, also in a test with fake ones. */
const later = globalThis.setTimeout

/** Waits in an act. @throws when its test has already ended, so that the rest of the test does not run */
export async function waitInAct(wait: () => Promise<unknown>): Promise<void> {
  const mine = { over: false }
  waits.add(mine)
  try {
    await act(async () => void (await wait()))
  } finally {
    waits.delete(mine)
  }
  if (mine.over) throw new Error('The test of this wait has ended')
}

async function endWaits(): Promise<void> {
  for (const wait of waits) wait.over = true
  for (let turn = 0; turn < 100 && waits.size > 0; turn++) await new Promise((resolve) => later(resolve, 5))
}

/** Renders a part as the app does, in English, until the test ends. `known` is cached query data, `address` the location. */
export async function openPage(part: ReactNode, known: readonly [QueryKey, unknown][] = [], address = '/'): Promise<HTMLElement> {
  Object.assign(globalThis, browser)
  Element.prototype.scrollIntoView ??= () => {}
  if (!document.fonts) Object.assign(document, { fonts: Object.assign(new EventTarget(), { load: async () => [] }) })
  if (!speaks) {
    // A file before this one may have chosen another language.
    localStorage.setItem('lng', 'en_US')
    await startLanguages()
  }
  speaks = true
  await Promise.all([loadTexts('players'), loadTexts('organisers'), loadTexts('site')])
  for (const load of lazyParts) await load()
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
  for (const [key, data] of known) queries.setQueryData(key, data)
  const whole = (
    <ConfirmProvider>
      <UnsavedGuard />
      {part}
    </ConfirmProvider>
  )
  const router = createMemoryRouter([{ path: '*', element: whole }], { initialEntries: [address] })
  const place = document.createElement('div')
  document.body.append(place)
  if (opened++ === 0) {
    // A file without a page may have shown a message.
    notifications.clean()
    mustBeClean = watchPage()
  }
  const root = createRoot(place)
  onTestFinished(async () => {
    await endWaits()
    await act(async () => {
      notifications.clean()
      root.unmount()
    })
    place.remove()
    if (--opened > 0) return
    // They would reconnect during the next test.
    closeChannels()
    // Checked when the last page of a test closes, since timers of the others may be pending until then.
    mustBeClean()
  })
  await act(async () =>
    root.render(
      <QueryClientProvider client={queries}>
        <MantineProvider env="test" forceColorScheme="dark">
          <Notifications />
          <RouterProvider router={router} />
        </MantineProvider>
      </QueryClientProvider>,
    ),
  )
  return place
}

/** Rendered next to a part; `where()` reads its location. */
export function Where() {
  const { pathname, search } = useLocation()
  return <output data-where>{pathname + search}</output>
}
export const where = () => [...document.querySelectorAll('output[data-where]')].at(-1)?.textContent

/** The back button of the browser. */
export function Back() {
  const navigate = useNavigate()
  return (
    <button type="button" onClick={() => void navigate(-1)}>
      Back
    </button>
  )
}

/** Types into a field: React observes only the native setter. */
export const type = (field: HTMLInputElement | undefined, text: string) =>
  act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text)
    field?.dispatchEvent(new Event('input', { bubbles: true }))
  })

export const submit = (place: HTMLElement) =>
  act(async () => {
    place.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
  })

/** The visible toasts; the role says whether they are announced at once. */
export const toasts = () =>
  notificationsStore.getState().notifications.map(({ title, message, role }) => ({ title, message, role }))

export const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

/** Waits up to twenty seconds until an expectation holds; React continues to work during the wait. */
export async function until(check: () => void): Promise<void> {
  for (const end = Date.now() + 20_000; ; ) {
    try {
      return check()
    } catch (error) {
      if (Date.now() > end) throw error
    }
    await waitInAct(() => new Promise((resolve) => setTimeout(resolve, 20)))
  }
}
