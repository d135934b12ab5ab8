/** Runs before each test file: longer timeouts for busy machines, and a cleanup so that nothing remains for the next file in the same process. */
import { afterAll, vi } from 'vitest'

// Modules of the web keep state (screens that were loaded, answers, the language): each file that renders a page reloads them. Packages are kept.
if ('document' in globalThis) vi.resetModules()

type Cleared = { clear(): void }
const leastMs = 20_000
type Wait = typeof vi.waitFor
const waitFor: Wait = vi.waitFor
const patient: Wait = (act, given = {}) => {
  const { timeout = 0, interval = 20 } = typeof given === 'number' ? { timeout: given } : given
  return waitFor(act, { timeout: Math.max(timeout, leastMs), interval })
}
if (waitFor.name !== patient.name) vi.waitFor = patient

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  const page = globalThis as {
    document?: { cookie: string; body: { replaceChildren(): void }; documentElement: { lang: string } }
    history?: { replaceState(data: unknown, unused: string, url: string): void }
    localStorage?: Cleared
    sessionStorage?: Cleared
  }
  if (!page.document) return
  page.document.body.replaceChildren()
  // Address and cookies choose the language of the next file, too.
  page.history?.replaceState(null, '', '/')
  for (const cookie of page.document.cookie.split('; ')) page.document.cookie = `${cookie.split('=', 1)[0]}=; Max-Age=0; path=/`
  page.document.documentElement.lang = ''
  page.localStorage?.clear()
  page.sessionStorage?.clear()
})
