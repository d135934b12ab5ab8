// @vitest-environment jsdom
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { button, click } from '../../test/acts.ts'
import { hub } from '../../test/hub.ts'
import { ago, feed, game, openInGame, solve } from '../../test/in-game.tsx'
import { until } from '../../test/page.tsx'
import HallScreen from './hall.screen.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))
vi.mock('./use-chart.ts', () => ({ useChart: () => ({ width: 800, showAll() {}, savePicture() {} }) }))

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const many = (count: number) => {
  const ids = Array.from({ length: count }, (_, i) => i + 1)
  const all = <T,>(one: T) => ids.map(() => one)
  const names = { name: ids.map((id) => `T${id}`), bio: all(null), avatar: all(null), division: all(-1) }
  return feed([], { teams: { id: ids, participationId: ids, ...names } })
}
const open = (answer: object = feed(), more: Parameters<typeof openInGame>[2] = {}) =>
  openInGame(HallScreen, 'screen', { ...more, answers: { 'GET /api/game/3/scoreboard/feed': answer } })
const teams = () => [...document.querySelectorAll('main > table th')].map(({ textContent }) => textContent)
const latest = () =>
  [...document.querySelectorAll('ol li')].map((line) => [...line.children].map(({ textContent }) => textContent))

test('SB-27 the hall sees twenty teams, the time left and the latest solves, which move as they happen', async () => {
  const { place } = await open(
    feed([
      [1, 0, 10],
      [2, 1, 12],
    ]),
  )
  expect(place.querySelector('h1')?.textContent).toBe('Harbour Cup')
  expect(place.querySelector('[role=timer]')).not.toBeNull()
  expect(teams()).toEqual(['Red', 'Blue', 'Danes'])
  expect(latest().map((line) => line.slice(1, 3))).toEqual([
    ['Blue', 'Reef'],
    ['Red', 'Buoy'],
  ])
  await hub.say('/hub/user', 'VexilSolves', solve(2, 11, 7))
  await until(() => expect(latest()[0]?.slice(1, 3)).toEqual(['Danes', 'Buoy']))
  expect(document.querySelector('nav a')?.getAttribute('href')).toBe('/games/3/Scoreboard')
})

test('SB-27 each twenty of the first hundred teams are shown in turn, until the rotation is stopped', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await open(many(115))
  const turn = () => act(async () => void vi.advanceTimersByTime(15_000))
  expect([teams().length, teams()[0]]).toEqual([20, 'T1'])
  const first = []
  for (let page = 0; page < 5; page++) {
    first.push(teams()[0])
    await turn()
  }
  expect(first).toEqual(['T1', 'T21', 'T41', 'T61', 'T81'])
  expect(teams()[0]).toBe('T1')
  await turn()
  expect(teams()[0]).toBe('T21')
  await click(button(' Stop rotation'))
  expect(teams()[0]).toBe('T1')
  await turn()
  expect(teams()[0]).toBe('T1')
  await click(button(' Rotate through 100 teams'))
  await turn()
  expect(teams()[0]).toBe('T21')
  // Leaves the page while the fake timers are still installed.
  await click(document.querySelector<HTMLElement>('nav a') ?? undefined)
  expect(vi.getTimerCount()).toBe(0)
})

test('SB-27 the display stays on, again after another tab was shown, and may sleep when the page is left', async () => {
  const release = vi.fn(async () => undefined)
  const request = vi.fn(async () => ({ release }))
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { wakeLock: { request } }))
  const { place } = await open()
  expect(request.mock.calls).toEqual([['screen']])
  await act(async () => void document.dispatchEvent(new Event('visibilitychange')))
  expect(request).toHaveBeenCalledTimes(2)
  await click(place.querySelector('nav a') as HTMLElement)
  expect(release).toHaveBeenCalled()
})

test('SB-27 before the start there is no board, but the time until it', async () => {
  const { place } = await open(feed(), { game: game({ start: ago(-60), end: ago(-120) }) })
  expect(place.querySelector('[role=timer]')).not.toBeNull()
  expect(place.querySelector('table')).toBeNull()
})
