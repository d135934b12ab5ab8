// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { keys } from '../api/query-keys.ts'
import { SiteWatch } from './site-watch.tsx'

const heard = vi.hoisted(() => ({
  options: [] as {
    hub: string
    game?: number
    enabled: boolean
    reads: unknown[]
    handlers: { VexilSettings: (said: object) => void }
  }[],
}))
vi.mock('../api/live.ts', async (original) => ({
  ...(await original<typeof import('../api/live.ts')>()),
  useLive: (options: (typeof heard.options)[number]) => {
    heard.options.push(options)
    return 'live'
  },
}))

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  vi.useFakeTimers()
})
afterEach(() => void vi.useRealTimers())

async function open(path: string, site: object | null = { title: 'Old' }) {
  const queries = new QueryClient()
  if (site) queries.setQueryData(keys.config, site)
  const router = createMemoryRouter([{ path: '*', element: <SiteWatch /> }], { initialEntries: [path] })
  const root = createRoot(document.createElement('div'))
  await act(async () =>
    root.render(
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>,
    ),
  )
  const close = () => act(() => root.unmount())
  onTestFinished(close)
  return { queries, router, listening: () => heard.options.at(-1)!, close }
}
const isStale = (queries: QueryClient) => queries.getQueryState(keys.config)?.isInvalidated

test('P7.96 a page outside a game requests the site again within seconds after its settings change', async () => {
  const { queries, listening } = await open('/About')
  expect(listening().hub).toBe('/hub/site')
  act(() => void vi.advanceTimersByTime(3000))
  expect(isStale(queries)).toBe(false)
  act(() => listening().handlers.VexilSettings({ at: 1 }))
  act(() => void vi.advanceTimersByTime(3000))
  expect(isStale(queries)).toBe(true)
})

test('a channel is opened once the settings are known, and not before the set-up', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  onTestFinished(() => void vi.unstubAllGlobals())
  for (const [site, enabled] of [
    [null, false],
    [{ title: 'Old', setupRequired: true }, false],
    [{ title: 'Old', setupRequired: false }, true],
  ] as const) {
    const { listening, close } = await open('/About', site)
    expect([site, listening().enabled]).toEqual([site, enabled])
    close()
  }
})

test('a page that is closed meanwhile requests nothing', async () => {
  const { queries, listening, close } = await open('/About')
  for (const at of [1, 2]) act(() => listening().handlers.VexilSettings({ at }))
  close()
  act(() => void vi.advanceTimersByTime(3000))
  expect(isStale(queries)).toBe(false)
})

test('P7.96 the screens of a game share its channel, and an opening channel reads the site again when it is older than what is repeated', async () => {
  const { router, listening } = await open('/posts')
  await act(() => router.navigate('/games/7/Scoreboard'))
  expect(listening()).toMatchObject({ hub: '/hub/user', game: 7, reads: [keys.config, keys.captcha], repeatedFor: 15_000 })
})
