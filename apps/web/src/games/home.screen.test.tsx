// @vitest-environment jsdom
import type { BasicGame } from '@vexil/contract/games'
import { act } from 'react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { json, openPage } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import HomeScreen from './home.screen.tsx'

afterEach(() => void vi.unstubAllGlobals())

const hour = 3_600_000
const aGame = (id: number, ends: number): BasicGame => ({
  id,
  title: `Game ${id}`,
  summary: '',
  poster: null,
  limit: 0,
  start: new Date(Date.now() + (ends - 5) * hour).toISOString(),
  end: new Date(Date.now() + ends * hour).toISOString(),
})

async function home(games: readonly BasicGame[], more: Parameters<typeof openPage>[1] = []) {
  const read = vi.fn(async (_: string) => json({}, 404))
  vi.stubGlobal('fetch', read)
  const place = await openPage(<HomeScreen />, [
    [keys.config, { title: 'GZ', setupRequired: false }],
    [keys.profile, null],
    [keys.games.list, games],
    [keys.posts.latest, []],
    ...more,
  ])
  return {
    place,
    large: [...place.querySelectorAll('h1')].map(({ textContent }) => textContent),
    further: [...place.querySelectorAll('li a')].map(({ textContent }) => textContent).filter((text) => /^Game/.test(text ?? '')),
    text: place.textContent ?? '',
    requests: read.mock.calls.map(([path]) => path),
  }
}

test.each([
  ['running', 3, 'Unsubmitted', ['/api/game/1/scoreboard/start']],
  ['running', 3, 'Accepted', ['/api/game/1/details', '/api/game/1/scoreboard/start']],
  ['over', -1, 'Accepted', ['/api/game/1/details']],
  ['over', -1, 'Unsubmitted', []],
])(
  'HOME-8 of a game that is %s (it ends in %i hours) and to a reader who is %s only these are requested: %j',
  async (_, ends, status, requests) => {
    const game = aGame(1, ends)
    const shown = await home([game], [[keys.game(1).detail, { ...game, status, practiceMode: true }]])
    expect(shown.requests.filter((path) => path.startsWith('/api/game/1/')).sort()).toEqual(requests)
  },
)

test('P2.3 HOME-1 one game is shown large and up to three others below it, those not yet ended first', async () => {
  // Ended one and ten hours ago, running for another three hours and one hour, not yet started, ended long ago.
  const games = [aGame(1, -1), aGame(2, -10), aGame(3, 3), aGame(4, 1), aGame(5, 50), aGame(6, -90)]
  const shown = await home(games)
  expect([shown.large, shown.further]).toEqual([['Game 4'], ['Game 3', 'Game 5', 'Game 1']])
  for (const title of ['Game 2', 'Game 6']) expect(shown.text).not.toContain(title)
})

test.each([
  [3, 'Unsubmitted', false, 'Join'],
  [3, 'Rejected', false, 'Join'],
  [3, 'Pending', false, 'Game page'],
  [3, 'Suspended', false, 'Game page'],
  [8, 'Accepted', false, 'Game page'],
  [-1, 'Unsubmitted', true, 'Join'],
  [-1, 'Unsubmitted', false, 'Game page'],
  [3, undefined, false, 'Join'],
])(
  'the button of a game that ends in %i hours, with the status %s and practice %s, is named %s',
  async (ends, status, practiceMode, name) => {
    const game = aGame(1, ends)
    // Without a status the details could not be read.
    const { place } = await home([game], status ? [[keys.game(1).detail, { ...game, status, practiceMode }]] : [])
    expect([...place.querySelectorAll('a[href="/games/1"]')].at(-1)?.textContent).toBe(name)
  },
)

test.each([
  [3, 'Open challenges', true],
  [-1, 'Practise', true],
  [50, undefined, false],
])(
  'a team that was accepted to a game that ends in %i hours finds its challenges under the name %s; the scoreboard is open: %s',
  async (ends, name, isBoardOpen) => {
    const game = aGame(1, ends)
    const { place } = await home([game], [[keys.game(1).detail, { ...game, status: 'Accepted', practiceMode: true }]])
    expect(place.querySelector('a[href="/games/1/Challenges"]')?.textContent).toBe(name)
    expect(place.querySelector('section a[href="/games/1/Scoreboard"]') !== null).toBe(isBoardOpen)
    // A game without a summary has no empty paragraph.
    expect([...place.querySelectorAll('section:first-child p')].filter(({ textContent }) => textContent === '')).toEqual([])
  },
)

test('the heading of the other games is true of all of them', async () => {
  const named = async (...ends: number[]) => {
    const { text } = await home([aGame(1, 3), ...ends.map((end, index) => aGame(index + 2, end))])
    return /Upcoming games|Past games|Games/.exec(text)?.[0]
  }
  expect(await named(50, 60)).toBe('Upcoming games')
  expect(await named(50, -10)).toBe('Games')
  expect(await named(-5, -10)).toBe('Past games')
})

test('what is below the large game waits until its details are known', async () => {
  const waits = (place: HTMLElement) => place.querySelector('section')?.hasAttribute('data-waiting')
  const game = aGame(1, -1)
  const known = await home([game], [[keys.game(1).detail, { ...game, status: 'Unsubmitted', practiceMode: true }]])
  expect(waits(known.place)).toBe(false)
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  const place = await openPage(<HomeScreen />, [
    [keys.config, { title: 'GZ', setupRequired: false }],
    [keys.profile, null],
    [keys.games.list, [game]],
    [keys.posts.latest, []],
  ])
  expect(waits(place)).toBe(true)
})

test('the link beside the other games names all of them only where there are more', async () => {
  const texts = async (count: number) =>
    (await home(Array.from({ length: count }, (_, index) => aGame(index + 1, index + 1)))).text
  expect(await texts(4)).not.toContain('All games')
  expect(await texts(5)).toContain('All games')
})

test('games and posts, whose changes have no live message, are read every five minutes', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  await home([])
  const requests: string[] = []
  vi.stubGlobal('fetch', async (address: string) => {
    requests.push(address.split('?')[0] ?? '')
    return json([])
  })
  await act(() => vi.advanceTimersByTimeAsync(299_000))
  expect(requests).toEqual([])
  await act(() => vi.advanceTimersByTimeAsync(1000))
  expect(requests.sort()).toEqual(['/api/game', '/api/posts/latest'])
})

test('P2.3 a single game is shown alone, and without any the page shows a message', async () => {
  const one = await home([aGame(7, 2)])
  expect([one.large, one.further]).toEqual([['Game 7'], []])
  expect(one.text).not.toMatch(/Upcoming games|Past games|All games/)
  expect((await home([])).text).toContain('Announced games appear here')
})
