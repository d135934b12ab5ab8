// @vitest-environment jsdom
import { act } from 'react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { button, click } from '../../test/acts.ts'
import { hub } from '../../test/hub.ts'
import { ago, feed, game, here, openInGame, refused, solve } from '../../test/in-game.tsx'
import { device, json, toasts, until } from '../../test/page.tsx'
import HallScreen from './hall.screen.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))
vi.mock('./use-chart.ts', () => ({ useChart: () => ({ width: 800, showAll() {}, savePicture() {} }) }))

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  device.width = undefined
})

const many = (count: number) => {
  const ids = Array.from({ length: count }, (_, i) => i + 1)
  const all = <T,>(one: T) => ids.map(() => one)
  const names = { name: ids.map((id) => `T${id}`), bio: all(null), avatar: all(null), division: all(-1) }
  return feed([], { teams: { id: ids, participationId: ids, ...names } })
}
const open = (answer: object = feed(), more: Parameters<typeof openInGame>[2] = {}) =>
  openInGame(HallScreen, 'screen', { ...more, answers: { 'GET /api/game/3/scoreboard/feed': answer, ...more.answers } })
const teams = () => [...document.querySelectorAll('main > table th')].map(({ textContent }) => textContent)
const latest = () =>
  [...document.querySelectorAll('ol li')].map((line) => [...line.children].map(({ textContent }) => textContent))

test('SB-27 the hall sees twenty teams, the time left and the latest solves, which move as they happen', async () => {
  const first = feed([
    [1, 0, 10],
    [2, 1, 12],
  ])
  const { place, answers } = await open(first)
  expect(place.querySelector('h1')?.textContent).toBe('Harbour Cup')
  expect(place.querySelector('[role=timer]')).not.toBeNull()
  expect([...place.querySelectorAll('main > table tr')].map(({ textContent }) => textContent)).toEqual([
    '1Red1 solved480',
    '2Blue1 solved480',
    '3Danes0 solved0',
  ])
  expect(document.title).toBe('Hall view - Harbour Cup - GZ::CTF')
  const bloods = () => [...place.querySelectorAll('ol li')].map((line) => line.querySelector('svg')?.getAttribute('aria-label'))
  expect(bloods()).toEqual(['first', 'first'])
  expect(latest().map((line) => line.slice(1, 3))).toEqual([
    ['Blue', 'Reef'],
    ['Red', 'Buoy'],
  ])
  await hub.say('/hub/user', 'VexilSolves', solve(2, 11, 7))
  await until(() => expect(latest()[0]?.slice(1, 3)).toEqual(['Danes', 'Buoy']))
  expect(bloods()).toEqual(['second', 'first', 'first'])
  // A challenge with another title.
  answers['GET /api/game/3/scoreboard/feed'] = {
    ...first,
    epoch: 2,
    challenges: { ...first.challenges, title: ['Buoy', 'Rock', 'Keel'] },
  }
  await hub.say('/hub/user', 'VexilBoard', { gameId: 3, epoch: 2, head: 2, roster: 1, withinMs: 0 })
  await until(() => expect(latest()[0]?.slice(1, 3)).toEqual(['Blue', 'Rock']))
  expect(document.querySelector('nav a')?.getAttribute('href')).toBe('/games/3/Scoreboard')
})

test('SB-27 the rows have the avatars of the teams', async () => {
  const whole = feed()
  await open({ ...whole, teams: { ...whole.teams, avatar: whole.teams.id.map((id) => `/assets/${id}/avatar`) } })
  const sources = () => [...document.querySelectorAll('main > table img')].map((image) => image.getAttribute('src'))
  await until(() => expect(sources().toSorted()).toEqual(whole.teams.id.map((id) => `/assets/${id}/avatar`)))
})

test('SB-27 each twenty of the first hundred teams are shown in turn, until the rotation is stopped', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await open(many(115))
  const pass = (ms: number) => act(async () => void vi.advanceTimersByTime(ms))
  const turn = () => pass(15_000)
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
  await pass(14_999)
  expect(teams()[0]).toBe('T1')
  await pass(1)
  expect(teams()[0]).toBe('T21')
  // Leaves the page while the fake timers are still installed.
  await click(document.querySelector<HTMLElement>('nav a') ?? undefined)
  expect(vi.getTimerCount()).toBe(0)
})

test('SB-27 twenty teams are not rotated, one more has a page for itself', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  for (const [count, next] of [
    [20, 20],
    [21, 1],
  ] as const) {
    const { place } = await open(many(count))
    expect(teams()).toHaveLength(20)
    await act(async () => void vi.advanceTimersByTime(15_000))
    expect([count, teams().length]).toEqual([count, next])
    await click(document.querySelector<HTMLElement>('nav a') ?? undefined)
    place.remove()
  }
})

test('SB-27 the display stays on, again after another tab was shown, and may sleep when the page is left', async () => {
  const release = vi.fn(async () => undefined)
  const request = vi.fn(async () => ({ release }))
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { wakeLock: { request } }))
  const { place } = await open()
  expect(request.mock.calls).toEqual([['screen']])
  await act(async () => void document.dispatchEvent(new Event('visibilitychange')))
  expect(request).toHaveBeenCalledTimes(2)
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  await act(async () => void document.dispatchEvent(new Event('visibilitychange')))
  visibility.mockRestore()
  expect([request.mock.calls.length, release.mock.calls.length]).toEqual([2, 0])
  await click(place.querySelector('nav a') as HTMLElement)
  expect(release).toHaveBeenCalled()
})

test('SB-27 a browser that refuses to keep the display on, as with an empty battery, shows the board', async () => {
  const request = vi.fn(async () => Promise.reject(new DOMException('battery', 'NotAllowedError')))
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { wakeLock: { request } }))
  const { place } = await open()
  expect(request).toHaveBeenCalledOnce()
  expect(teams()).not.toEqual([])
  await click(place.querySelector('nav a') as HTMLElement)
})

test('SB-27 a page that is left before the display is kept on lets it sleep as soon as the browser answers', async () => {
  const release = vi.fn(async () => undefined)
  const given = Promise.withResolvers<object>()
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { wakeLock: { request: () => given.promise } }))
  const { place } = await open()
  await click(place.querySelector('nav a') as HTMLElement)
  expect(release).not.toHaveBeenCalled()
  given.resolve({ release })
  await until(() => expect(release).toHaveBeenCalledOnce())
})

test.each([
  ['of those that fit into their place', 1440, 191, 3],
  ['of one more in a place that is a pixel higher', 1440, 192, 4],
  ['of at least one', 1440, 10, 1],
  ['of the newest nine, where the page scrolls', 1079, 191, 9],
])('the latest solves are a list %s', async (_, width, height, count) => {
  device.width = width
  const solves = Array.from({ length: 10 }, (_, index) => [Math.floor(index / 3), index % 3, 10 + index] as const)
  const names = ['Danes', 'Red', 'Blue', 'Green']
  const { teams } = many(4)
  const held = Promise.withResolvers<void>()
  await open(() => held.promise.then(() => json(feed(solves, { teams: { ...teams, name: names } }))))
  // A line is 48 pixels high.
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    return new DOMRect(0, this.tagName === 'OL' ? 200 - height : 0, 400, this.tagName === 'OL' ? 500 : 200)
  })
  const sizes: (() => void)[] = []
  vi.stubGlobal(
    'ResizeObserver',
    class extends ResizeObserver {
      constructor(changed: () => void) {
        super(changed)
        sizes.push(changed)
      }
    },
  )
  held.resolve()
  await until(() => expect(latest()).toHaveLength(9))
  await act(async () => {
    for (const changed of sizes) changed()
  })
  expect(latest()).toHaveLength(count)
  // The newest is the first.
  expect(latest()[0]?.slice(1, 3)).toEqual(['Green', 'Buoy'])
})

test('SB-27 the hall can fill the display', async () => {
  await open()
  const request = vi.fn(async () => undefined)
  Object.assign(document.documentElement, { requestFullscreen: request })
  onTestFinished(() => void Reflect.deleteProperty(document.documentElement, 'requestFullscreen'))
  await click(button(' Full screen'))
  expect(request).toHaveBeenCalledOnce()
})

test('a game that could not be loaded is requested again on request', async () => {
  const { place, answers } = await open(feed(), {
    known: false,
    answers: { 'GET /api/game/3': refused('server.unknown', 'Out of order', 500) },
  })
  await until(() => expect(place.textContent).toContain('Out of order'))
  answers['GET /api/game/3'] = game()
  await click(button('Retry'))
  await until(() => expect(place.querySelector('h1')?.textContent).toBe('Harbour Cup'))
})

test('SB-27 before the start there is no board, but the time until it; then the time until the end', async () => {
  const { place, requests } = await open(feed(), { game: game({ start: ago(-60), end: ago(-180) }) })
  expect(place.querySelector('[role=timer]')?.textContent).toMatch(/^(01:00:00|00:59:\d\d)$/)
  expect(place.textContent).toContain('Game not yet started')
  expect(place.querySelector('table')).toBeNull()
  expect(requests.filter((line) => line.includes('scoreboard'))).toEqual([])
  const started = await open(feed(), { game: game({ start: ago(60), end: ago(-120) }) })
  expect(started.place.querySelector('[role=timer]')?.textContent).toMatch(/^(02:00:00|01:59:\d\d)$/)
})

test('SB-27 a game that the server has not started leads to its page, even if the local clock differs', async () => {
  await open(refused('game.not_started', 'Not yet'))
  await until(() => expect(here()).toBe('/games/3'))
  expect(toasts().map(({ title }) => title)).toEqual(['Game not yet started'])
})

test('SB-27 after the end the final board stays, without a countdown', async () => {
  const { place } = await open(feed(), { game: game({ start: ago(120), end: ago(60) }) })
  await until(() => expect(teams()).toEqual(['Red', 'Danes', 'Blue']))
  expect(place.querySelector('[role=timer]')).toBeNull()
})

test('GD-5 an unknown game shows that the game does not exist', async () => {
  const { place } = await open(feed(), {
    known: false,
    answers: { 'GET /api/game/3': refused('game.not_found', 'Not found', 404) },
  })
  await until(() => expect(place.querySelector('h1')?.textContent).toBe('Game does not exist'))
  expect(button('Retry')).toBeUndefined()
})
