// @vitest-environment jsdom
/** What starts with the page, and what the first screen waits for. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { queryClient } from './api/query-client.ts'

const started = vi.hoisted(() => [] as unknown[][])
const waits = vi.hoisted(() => [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const)

vi.mock('./api/answer-cache.ts', () => ({ keepAnswers: (...given: unknown[]) => started.push(['answers', ...given]) }))
vi.mock('./api/connection.ts', async (load) => ({
  ...(await load<object>()),
  watchConnection: () => started.push(['connection']),
}))
vi.mock('./api/query-client.ts', async (load) => ({
  ...(await load<object>()),
  refetchOnReturn: (...given: unknown[]) => started.push(['queries', ...given]),
}))
vi.mock('./ui/overlays/focus-wrong.ts', () => ({ watchForms: () => started.push(['forms']) }))
vi.mock('./ui/base/chunk-recovery.ts', async (load) => ({
  ...(await load<object>()),
  watchStyles: () => started.push(['styles']),
}))
vi.mock('./shell/preferences.ts', async (load) => ({ ...(await load<object>()), showDensity: () => started.push(['density']) }))
vi.mock('./shell/i18n.ts', async (load) => ({ ...(await load<object>()), startLanguages: () => waits[0].promise }))
vi.mock('./routes.tsx', () => ({ loadFirstScreen: () => waits[1].promise }))
vi.mock('./app.tsx', () => ({ App: () => 'the first screen' }))

beforeAll(() => {
  document.body.innerHTML = '<div id="root"></div>'
})
afterAll(() => document.body.replaceChildren())

test('connection, forms, styles and stored answers are watched; the first screen waits for texts and code', async () => {
  vi.stubEnv('VITE_VERSION', '1.2.3')
  await import('./main.tsx')
  expect(started.toSorted()).toEqual(
    [['answers', queryClient, '1.2.3'], ['connection'], ['density'], ['forms'], ['queries', queryClient], ['styles']].toSorted(),
  )
  const page = () => document.body.textContent
  for (const { resolve } of waits) {
    await new Promise((done) => setTimeout(done))
    expect(page()).toBe('')
    resolve()
  }
  await vi.waitFor(() => expect(page()).toBe('the first screen'))
})
