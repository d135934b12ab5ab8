// @vitest-environment jsdom
import { afterEach, expect, test, vi } from 'vitest'
import { button, click } from '../../test/acts.ts'
import { json, openPage, toasts, until } from '../../test/page.tsx'
import { answerCacheKey } from '../api/answer-cache.ts'
import { keys } from '../api/query-keys.ts'
import { Frame } from './frame.tsx'

afterEach(() => void vi.unstubAllGlobals())

const sent: string[] = []
const open = (isDemo: boolean, role?: string) => {
  sent.length = 0
  vi.stubGlobal('fetch', async (address: string, init?: RequestInit) => {
    sent.push(`${init?.method ?? 'GET'} ${address} ${init?.body ?? ''}`)
    return json(null)
  })
  const site = { title: 'Harbour', setupRequired: false, isDemo }
  return openPage(<Frame />, [
    [keys.config, site],
    [keys.profile, role ? { userId: 'a', userName: 'ann', role } : null],
  ])
}

test('DEMO-1 above every page of the demo are its name and three buttons; the one of the own role is pressed', async () => {
  const place = await open(true, 'Monitor')
  await until(() => expect(place.querySelector('aside')?.textContent).toContain('This is a demo of Vexil.'))
  expect(place.querySelector('aside')?.textContent).toContain('“Welcome Aboard”')
  const buttons = [...place.querySelectorAll('aside button')]
  expect(buttons.map((one) => [one.textContent, one.getAttribute('aria-pressed')])).toEqual([
    ['Player', 'false'],
    ['Organiser', 'false'],
    ['Monitor', 'true'],
  ])
  localStorage.setItem(answerCacheKey, 'answers of the monitor')
  localStorage.removeItem('session-changed')
  const assign = vi.fn()
  vi.stubGlobal('location', { assign })
  await click(button('Player'))
  expect(sent.filter((one) => one.startsWith('POST'))).toEqual(['POST /api/demo/session {"role":"player"}'])
  await until(() => expect(assign).toHaveBeenCalledExactlyOnceWith('/'))
  // The change is announced to other tabs, and the cached answers of the previous account are removed.
  expect(localStorage.getItem('session-changed')).not.toBeNull()
  expect(localStorage.getItem(answerCacheKey)).toBeNull()
  await click(button('Organiser'))
  expect(sent.filter((one) => one.startsWith('POST')).at(-1)).toBe('POST /api/demo/session {"role":"organiser"}')
  expect(assign).toHaveBeenLastCalledWith('/admin/games')
})

test.each([
  ['User', 'Player'],
  ['Admin', 'Organiser'],
  [undefined, undefined],
])('DEMO-1 for %s the button %s is pressed; a refusal is shown, and the buttons wait for the answer', async (role, name) => {
  const place = await open(true, role)
  const pressed = () => [...place.querySelectorAll('aside [aria-pressed=true]')].map(({ textContent }) => textContent)
  await until(() => expect(place.querySelectorAll('aside button')).toHaveLength(3))
  expect(pressed()).toEqual(name ? [name] : [])
  const { promise, resolve } = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => promise)
  await click(button('Player'))
  expect(button('Monitor')?.disabled).toBe(true)
  resolve(json({ title: 'Full', status: 400 }, 400))
  await until(() => expect(toasts()).toEqual([{ title: 'Could not sign in', message: 'Full', role: 'alert' }]))
  await until(() => expect(button('Monitor')?.disabled).toBe(false))
})

test('DEMO-1 other platforms have no such bar', async () => {
  const place = await open(false)
  expect(place.querySelector('nav')).not.toBeNull()
  expect(place.querySelector('aside')).toBeNull()
})

test.each(['true', 'false'])(
  'DEMO-1 before the settings arrive a page with data-demo="%s" has the bar only if it is true',
  async (isDemo) => {
    document.documentElement.dataset.demo = isDemo
    try {
      vi.stubGlobal('fetch', () => new Promise(() => undefined))
      const place = await openPage(<Frame />, [[keys.profile, null]])
      await until(() => expect(place.querySelectorAll('aside button')).toHaveLength(isDemo === 'true' ? 3 : 0))
    } finally {
      delete document.documentElement.dataset.demo
    }
  },
)
