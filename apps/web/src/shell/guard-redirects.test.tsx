// @vitest-environment jsdom
import { Link, Route, Routes } from 'react-router'
import { expect, test } from 'vitest'
import { button, click } from '../../test/acts.ts'
import { openPage, toasts, Where, where } from '../../test/page.tsx'
import { serve } from '../../test/server.ts'
import { keys } from '../api/query-keys.ts'
import { t } from '../ui/text/texts.tsx'
import { Guard, type Need } from './guard.tsx'
import NotFoundScreen from './not-found.screen.tsx'

const needs: readonly Need[] = ['anyone', 'guest', 'setup', 'User', 'Monitor', 'Admin']
const ann = { userId: 'a', userName: 'Ann', role: 'User' }

/** Opens `/guest`, `/User` and so on, each with that need. `person` is undefined while the session is unknown, `setupRequired` null while the settings are. */
async function open(address: string, person: object | null | undefined, setupRequired: boolean | null = false) {
  serve(() => new Promise(() => {}))
  return openPage(
    <>
      <Routes>
        {needs.map((need) => (
          <Route
            key={need}
            path={`/${need}`}
            element={
              <Guard need={need}>
                <p>Seen by {need}</p>
              </Guard>
            }
          />
        ))}
        <Route path="*" element={null} />
      </Routes>
      <Where />
    </>,
    [
      ...(setupRequired === null ? [] : [[keys.config, { title: 'Harbour', setupRequired }] as [readonly string[], object]]),
      ...(person === undefined ? [] : [[keys.profile, person] as [readonly string[], unknown]]),
    ],
    address,
  )
}

test.each([
  ['/User?join=a', null, '/account/Login?from=%2FUser%3Fjoin%3Da', ['Sign in first']],
  ['/Admin', null, '/account/Login?from=%2FAdmin', ['Sign in first']],
  ['/guest', null, '/guest', []],
  ['/guest?from=%2Fgames%2F7%3Fc%3D1', ann, '/games/7?c=1', []],
  ['/guest?from=%2F%2Fevil.example', ann, '/', []],
  ['/guest', undefined, '/guest', []],
  ['/anyone', null, '/anyone', []],
  ['/User', ann, '/User', []],
  ['/setup', ann, '/', []],
] as const)('GUARD-2 GUARD-8 %s for %j ends at %s', async (address, person, end, titles) => {
  const place = await open(address, person)
  expect(where()).toBe(end)
  expect(toasts().map(({ title }) => title)).toEqual(titles)
  const isSeen = end === address.split('?')[0] && person !== undefined
  expect(place.textContent?.includes('Seen by')).toBe(isSeen)
})

test.each(['/anyone', '/guest', '/User', '/setup'])('before the set-up %s leads to it, without a message', async (address) => {
  const place = await open(address, null, true)
  expect(where()).toBe('/setup')
  expect(place.textContent).toContain('Seen by setup')
  expect(toasts()).toEqual([])
})

test('before the settings are known the page of the set-up stays, and a visitor gets no message', async () => {
  expect((await open('/setup', null, null)).textContent).toContain('Seen by setup')
  await open('/User', null, null)
  expect(toasts()).toEqual([])
})

test('GUARD-5 for a game that does not exist the list of games is offered first; Back leads to the screen before', async () => {
  const part = (
    <>
      <Routes>
        <Route path="/about" element={<Link to="/games/7">A game</Link>} />
        <Route path="/games/7" element={<NotFoundScreen games="/games" />} />
        <Route path="*" element={null} />
      </Routes>
      <Where />
    </>
  )
  const place = await openPage(part, [[keys.config, { title: 'Harbour' }]], '/about')
  await click(place.querySelector('a'))
  expect(place.querySelector('h1')?.textContent).toBe('Game does not exist')
  expect(place.querySelector('h1 + p')?.textContent).not.toBe(t('shell.notFoundText'))
  expect(document.title).toBe('Game does not exist - Harbour::CTF')
  expect([...place.querySelectorAll('a')].map((one) => one.getAttribute('href'))).toEqual(['/games', '/'])
  await click(button('Back'))
  expect(where()).toBe('/about')
})

test('GUARD-5 a screen that does not exist leads home or back', async () => {
  const place = await open('/anyone', ann)
  place.remove()
  await open('/Monitor', ann)
  expect(document.body.textContent).toContain('Page does not exist')
  expect(document.title).toBe('Page does not exist - Harbour::CTF')
  expect([...document.querySelectorAll('a')].map((one) => [one.textContent, one.getAttribute('href')])).toEqual([['Home', '/']])
  await click(button('Back'))
  expect(where()).toBe('/Monitor')
})
