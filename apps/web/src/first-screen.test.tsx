// @vitest-environment jsdom
/** What the first rendering of a page waits for. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { serve } from '../test/server.ts'
import { queryClient } from './api/query-client.ts'
import { loadFirstScreen, router } from './routes.tsx'
import { loadTexts } from './ui/text/texts.tsx'

const loads = vi.hoisted(() => ({ started: [] as string[], arrival: Promise.resolve() }))
const screen = vi.hoisted(() => async (name: string) => {
  loads.started.push(name)
  await loads.arrival
  return { default: () => name }
})
vi.mock('./posts/about.screen.tsx', () => screen('about'))
vi.mock('./account/login.screen.tsx', () => screen('login'))
vi.mock('./teams/teams.screen.tsx', () => screen('teams'))
vi.mock('./game-admin/challenges/flags.screen.tsx', () => screen('flags'))
vi.mock('./ui/text/texts.tsx', async (load) => ({ ...(await load<object>()), loadTexts: vi.fn(async () => {}) }))

beforeEach(() => {
  loads.started = []
  queryClient.clear()
})
afterEach(() => {
  vi.useRealTimers()
  vi.mocked(loadTexts).mockClear()
})

/** Whether the first rendering has begun, after all that does not wait. */
async function start(address: string, answer: () => unknown = () => ({ setupRequired: false })) {
  const calls = serve(answer)
  await router.navigate(address)
  const state = { isReady: false, calls, done: Promise.resolve() }
  state.done = loadFirstScreen().then(() => void Object.assign(state, { isReady: true }))
  await new Promise((resolve) => setTimeout(resolve, 20))
  return state
}

test.each([
  ['/About/?lng=en', 'about', ['players']],
  ['/account/login?from=%2Fteams', 'login', ['players']],
  ['/admin/games/3/challenges/5/flags', 'flags', ['players', 'organisers']],
])(
  'P2.2 at %s it waits for the code and the texts of that screen alone, and for the settings of the site',
  async (address, name, texts) => {
    const code = Promise.withResolvers<void>()
    loads.arrival = code.promise
    const first = await start(address)
    expect(loads.started).toEqual([name])
    expect(vi.mocked(loadTexts).mock.calls.map(([area]) => area)).toEqual(texts)
    expect(first.calls.map(({ path }) => path)).toEqual(['/api/config'])
    expect(first.isReady).toBe(false)
    code.resolve()
    await first.done
    expect(queryClient.getQueryData(['config'])).toEqual({ setupRequired: false })
  },
)

test('it waits for the settings of the site when the code has arrived', async () => {
  const settings = Promise.withResolvers<object>()
  const first = await start('/teams', () => settings.promise)
  expect(first.isReady).toBe(false)
  settings.resolve({ setupRequired: false })
  await first.done
})

test('an address without a screen waits for the settings only, and a platform that refuses them is asked once', async () => {
  const first = await start('/no/such/page', () => new Response(null, { status: 503 }))
  await first.done
  expect(loads.started).toEqual([])
  expect(first.calls).toHaveLength(1)
})

test('after two seconds the page is rendered without what has not arrived', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  serve(() => new Promise(() => {}))
  await router.navigate('/teams')
  let isReady = false
  const done = loadFirstScreen().then(() => {
    isReady = true
  })
  await vi.advanceTimersByTimeAsync(1999)
  expect(isReady).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await done
})
