// @vitest-environment jsdom
import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { button, click, named } from '../../test/acts.ts'
import { answers, edit, open, refused, requests, team } from '../../test/game-admin.tsx'
import { json, until } from '../../test/page.tsx'
import GameNoticesScreen from './notices/notices.screen.tsx'
import ReviewScreen from './review/review.screen.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))

test('the frame names the game in the title of the page, leads back and has a tab for each part with its number', async () => {
  answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), writeupRequired: true }
  answers[`GET ${edit}/notices`] = [1, 2].map((id) => ({
    id,
    time: '2026-01-01T00:00:00+00:00',
    type: 'Normal',
    values: ['Ahoy'],
  }))
  answers[`GET ${edit}/challenges`] = []
  answers['GET /api/game/7/participations'] = [team(1, 'Ebb'), team(2, 'Flow', 'Accepted')]
  answers['GET /api/admin/writeups/7'] = [
    { id: 2, team: team(2, 'Flow').team, url: '/w', uploadTimeUtc: '2026-01-01T00:00:00+00:00' },
  ]
  const place = await open(<ReviewScreen />, 'Review')
  const tabs = [...place.querySelectorAll('nav a')].map((link) => [link.textContent, link.getAttribute('href')])
  expect(tabs).toEqual([
    [expect.stringMatching(/^Information\d/), '/admin/games/7/Info'],
    ['Notices2', '/admin/games/7/Notices'],
    ['Challenges0', '/admin/games/7/challenges'],
    ['Teams1 new', '/admin/games/7/Review'],
    ['Writeups1', '/admin/games/7/Writeups'],
  ])
  expect(place.querySelector('nav [aria-current=page]')?.textContent).toBe('Teams1 new')
  expect(place.querySelector('nav')?.getAttribute('aria-label')).toBe('Parts of Regatta')
  expect(place.querySelector('header')?.textContent).toMatch(/^Regatta.*Upcoming/)
  expect([...place.querySelectorAll('header a')].map((link) => link.getAttribute('href'))).toEqual(['/admin/games', '/games/7'])
  await act(async () => named('Back to games')?.focus())
  await until(() => expect(document.querySelector('[role=tooltip]')?.textContent).toBe('Back to games'))
  expect(document.title).toBe('Teams - Regatta - GZ::CTF')
  expect(named('Back to games')?.getAttribute('href')).toBe('/admin/games')
  place.remove()
  // Without required writeups they are not requested.
  answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), writeupRequired: false }
  requests.length = 0
  await open(<ReviewScreen />, 'Review')
  expect(requests).toContain(`GET ${edit}/notices`)
  expect(requests).not.toContain('GET /api/admin/writeups/7')
})

test('a game that cannot be loaded shows the reason and a way to try again, and waits for the answer', async () => {
  const shown = answers[`GET ${edit}`]
  answers[`GET ${edit}`] = refused('Disk is full', 500)
  const place = await open(<ReviewScreen />, 'Review')
  await until(() => expect(place.textContent).toContain('Disk is full'))
  const again = Promise.withResolvers<Response>()
  answers[`GET ${edit}`] = () => again.promise
  await click(button('Retry'))
  expect(place.textContent).not.toContain('Disk is full')
  await act(async () => again.resolve(json(shown)))
  await until(() => expect(place.querySelector('h1')?.textContent).toBe('Regatta'))
})

test('GN-3 a list of notices waits for the automatic ones, which are not requested before the start of the game', async () => {
  const automatic = 'GET /api/game/7/notices'
  const held = Promise.withResolvers<Response>()
  answers[automatic] = () => held.promise
  const soon = await open(<GameNoticesScreen />, 'Notices')
  expect(soon.textContent).toContain('No notices yet')
  expect(requests.filter((line) => line.startsWith(automatic))).toEqual([])
  answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), start: '2020-01-01T00:00:00+00:00' }
  const place = await open(<GameNoticesScreen />, 'Notices')
  expect(place.textContent).not.toContain('No notices yet')
  // Older ones are not left out.
  expect(requests).toContain(`${automatic}?count=1000`)
  await act(async () => held.resolve(json([])))
  await until(() => expect(place.textContent).toContain('No notices yet'))
})
