// @vitest-environment jsdom
import { act, type ComponentType } from 'react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { button, click, named, settle } from '../test/acts.ts'
import { hub } from '../test/hub.ts'
import { ago, challenge, feed, game, here, minute, openInGame, refused } from '../test/in-game.tsx'
import { toasts, until } from '../test/page.tsx'
import { call } from './api/client.ts'
import { recordServerTime } from './api/clock.ts'
import CheatsScreen from './monitor/cheats.screen.tsx'
import EventsScreen from './monitor/events.screen.tsx'
import SubmissionsScreen from './monitor/submissions.screen.tsx'
import TrafficScreen from './monitor/traffic.screen.tsx'
import ChallengesScreen from './play/challenges.screen.tsx'
import ScoreboardScreen from './scoreboard/scoreboard.screen.tsx'
import { TopBar } from './shell/top-bar.tsx'
import { TopBarPlaceProvider } from './shell/top-bar-place.tsx'
import { formatTime } from './ui/time/time.ts'

vi.mock('./api/hub-connection.ts', async () => await import('../test/hub.ts'))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A fake clock that starts at the current time and keeps running. */
const clock = () => vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.now() })
const minuteLater = () => act(async () => void (await vi.advanceTimersByTimeAsync(60_000)))

const soon = () => game({ start: new Date(Date.now() + 60_000).toISOString() })
const titles = () => toasts().map(({ title }) => title)
/** Shown on the screens of the monitor. */
const notYet = 'The game has not started'
const event = { time: ago(1), type: 'Normal', values: ['The first'], user: '', team: '' }

test('FRAME-1 before the start a monitor sees that the game has not begun and the time left; the list fills at the start', async () => {
  clock()
  let open = false
  const { place, requests } = await openInGame(EventsScreen, 'monitor/Events', {
    game: soon(),
    role: 'Monitor',
    answers: { 'GET /api/game/3/events': () => (open ? Response.json([event]) : refused('game.not_started')()) },
  })
  expect(place.textContent).toContain(notYet)
  expect(place.querySelector('[role=timer]')?.textContent).toMatch(/00:0[01]:\d\d/)
  expect(place.querySelector('header')?.textContent).toMatch(/starts \w{3} \d\d:\d\d/)
  expect(requests.some((line) => line.includes('/events'))).toBe(false)
  open = true
  await minuteLater()
  await until(() => expect(place.textContent).toContain('The first'))
  expect(place.textContent).not.toContain(notYet)
})

test('FRAME-1 the list of submissions does the same; captured traffic can be read at any time; players are redirected', async () => {
  const before = game({ start: ago(-60), end: ago(-120) })
  const lists = await openInGame(SubmissionsScreen, 'monitor/Submissions', { game: before, role: 'Admin' })
  expect(lists.place.textContent).toContain(notYet)
  lists.place.remove()
  const captured = { id: 7, title: 'Echo', category: 'Pwn', type: 'DynamicContainer', isEnabled: true, count: 1 }
  const answers = { 'GET /api/game/games/3/captures': [captured] }
  const traffic = await openInGame(TrafficScreen, 'monitor/traffic', { game: before, role: 'Monitor', answers })
  expect(named('Challenges')?.textContent).toContain('Echo')
  traffic.place.remove()
  await openInGame(EventsScreen, 'monitor/Events', { game: before, role: 'User' })
  expect(here()).toBe('/games/3')
  expect(titles()).toEqual(['Game not yet started'])
})

test('FRAME-2 LIVE-6 a player on the challenges is redirected to the game page when the game ends, once and with the reason; in practice the player stays', async () => {
  clock()
  const ending = (practiceMode: boolean) => game({ practiceMode, end: new Date(Date.now() + 60_000).toISOString() })
  const { place } = await openInGame(ChallengesScreen, 'Challenges', { game: ending(false) })
  expect(place.textContent).toContain('Buoy')
  await minuteLater()
  await until(() => expect(here()).toBe('/games/3'))
  expect(titles()).toEqual(['Game ended'])
  place.remove()
  const practice = await openInGame(ChallengesScreen, 'Challenges', { game: ending(true) })
  await minuteLater()
  await until(() => expect(practice.place.textContent).toContain('Practice: correct answers are not scored.'))
  expect(document.querySelector('output')?.textContent).toBe('/games/3/Challenges')
})

test.each(['participations', 'game'])(
  'GD-6 every screen of the game reads a change of %s: a suspended player is redirected to the game page',
  async (what) => {
    const { answers, requests } = await openInGame(ChallengesScreen, 'Challenges')
    answers['GET /api/game/3'] = game({ status: 'Suspended' })
    const reads = () => requests.filter((line) => line === 'GET /api/game/3').length
    const before = reads()
    await hub.say('/hub/user', 'VexilGame', { gameId: 3, what: 'notices' })
    await settle()
    expect(reads()).toBe(before)
    clock()
    const random = vi.spyOn(Math, 'random').mockReturnValue(1)
    onTestFinished(() => random.mockRestore())
    await hub.say('/hub/user', 'VexilGame', { gameId: 3, what })
    await settle()
    // Other users can cause changes of participations: the requests of all players are spread.
    expect(reads()).toBe(what === 'game' ? before + 1 : before)
    await act(async () => void (await vi.advanceTimersByTimeAsync(3000)))
    await until(() => expect(here()).toBe('/games/3'))
  },
)

test.each([
  ['Challenges', ChallengesScreen],
  ['Scoreboard', ScoreboardScreen],
])('GD-5 who has the %s of a game open sees that it was deleted, and a link to the games', async (path, Screen) => {
  const { place, answers } = await openInGame(Screen, path)
  answers['GET /api/game/3'] = refused('game.not_found', 'Game not found', 404)
  await hub.say('/hub/user', 'VexilGame', { gameId: 3, what: 'game' })
  await until(() => expect(place.querySelector('h1')?.textContent).toBe('Game does not exist'))
  expect([...place.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual(['/games', '/'])
})

test('GD-6 the game is read again when the own team has a new name, not when another one has', async () => {
  const { requests } = await openInGame(ChallengesScreen, 'Challenges')
  const reads = () => requests.filter((line) => line === 'GET /api/game/3').length
  const before = reads()
  const team = { participationId: 12, name: 'Crimson', bio: null, avatar: null, division: null }
  const renamed = { gameId: 3, epoch: 1, roster: 2, steps: [{ from: 1, solvers: [] }] }
  await hub.say('/hub/user', 'VexilRoster', { ...renamed, teams: [{ ...team, id: 22 }] })
  await settle()
  expect(reads()).toBe(before)
  const own = { ...team, id: 21, participationId: 11 }
  await hub.say('/hub/user', 'VexilRoster', { ...renamed, roster: 3, steps: [{ from: 2, solvers: [] }], teams: [own] })
  await until(() => expect(reads()).toBe(before + 1))
})

test.each<[string, ComponentType, string, readonly string[]]>([
  ['Challenges', ChallengesScreen, '?c=7', ['', '/details', '/notices', '/instances', '/challenges/7', '/scoreboard/feed']],
  ['monitor/Events', EventsScreen, '', ['', '/events', '/activity']],
  ['monitor/Submissions', SubmissionsScreen, '', ['', '/submissions']],
  ['monitor/CheatInfo', CheatsScreen, '', ['', '/cheatinfo']],
])('GD-6 LIVE-2 LIVE-8 what %s shows is read again after its channels were lost', async (path, Screen, address, parts) => {
  const { requests } = await openInGame(Screen, path, { role: 'Monitor', address })
  const reads = () => parts.map((part) => requests.filter((line) => line.split('?')[0] === `GET /api/game/3${part}`).length)
  await until(() => expect(Math.min(...reads().slice(1))).toBeGreaterThan(0))
  await settle()
  const before = reads()
  for (const channel of ['/hub/user', '/hub/monitor']) await hub.lose(channel)
  await until(() => expect(reads().map((count, part) => count > (before[part] ?? 0))).toEqual(parts.map(() => true)))
})

test('LIVE-5 on a device that is two hours behind, phases and countdowns are those of the Date header of answers', async () => {
  const server = (minutes: number) => new Date(Date.now() + (120 + minutes) * minute)
  vi.stubGlobal('fetch', async () => new Response('', { headers: { Date: server(0).toUTCString() } }))
  await call({ method: 'GET', path: '/api/anything', shape: { access: 'anyone', summary: '' } })
  onTestFinished(() => recordServerTime(new Date().toUTCString(), Date.now(), Date.now()))
  const timed = (start: number, end: number) => game({ start: server(start).toISOString(), end: server(end).toISOString() })
  const context = {
    closeTime: server(20).toISOString(),
    instanceEntry: 'host:1',
    url: null,
    fileSize: null,
    readiness: null,
    tlsEntry: null,
    entries: [],
    lastEnd: null,
    start: null,
    startFailure: null,
  }
  // By the device's clock it starts in 90 minutes.
  const { place } = await openInGame(ChallengesScreen, 'Challenges', {
    game: timed(-30, 30),
    address: '?c=7',
    answers: { 'GET /api/game/3/challenges/7': challenge(7, { type: 'StaticContainer', context }) },
  })
  const times = () => [...document.querySelectorAll('[role=timer]')].map(({ textContent }) => textContent)
  await until(() => expect(times().length).toBeGreaterThan(1))
  const [ofGame, ...ofInstance] = times()
  expect(ofGame).toMatch(/^00:(30:0|29:[345])\d$/)
  for (const time of ofInstance) expect(time).toMatch(/^00:(20:0|19:[345])\d$/)
  expect(here()).toBe('/games/3/Challenges?c=7')
  place.remove()
  // By the device's clock it runs for another hour.
  await openInGame(ChallengesScreen, 'Challenges', { game: timed(-180, -60) })
  await until(() => expect(here()).toBe('/games/3'))
  expect(titles()).toEqual(['Game ended'])
})

test.each([
  ['Challenges', ChallengesScreen, 'details', 'game.not_started', 'Game not yet started'],
  ['Challenges', ChallengesScreen, 'details', 'game.ended', 'Game ended'],
  ['Challenges', ChallengesScreen, 'details', 'participation.suspended', 'You have been banned'],
  ['Challenges', ChallengesScreen, 'details', 'participation.not_accepted', 'Your team must be approved before it can play'],
  ['Challenges', ChallengesScreen, 'details', 'participation.none', 'Join the game to see its challenges'],
  ['Scoreboard', ScoreboardScreen, 'scoreboard/feed', 'game.not_started', 'Game not yet started'],
] as const)(
  'P8.7 P8.8 P8.9 FRAME-3 the screen %s closes when the server refuses it, even if the local clock differs (%s, %s, %s, %s)',
  async (path, Screen, call, code, title) => {
    await openInGame(Screen, path, { answers: { [`GET /api/game/3/${call}`]: refused(code) } })
    await until(() => expect(here()).toBe('/games/3'))
    expect(titles()).toEqual([title])
  },
)

test.each([
  ['Unsubmitted', 'Join the game to see its challenges'],
  ['Pending', 'Your team must be approved before it can play'],
  ['Rejected', 'Your team must be approved before it can play'],
  ['Suspended', 'You have been banned'],
] as const)('P8.9 FRAME-2 a team that is %s is redirected from the challenges with the reason: %s', async (status, title) => {
  await openInGame(ChallengesScreen, 'Challenges', { game: game({ status }) })
  await until(() => expect(here()).toBe('/games/3'))
  expect(titles()).toEqual([title])
})

test('FRAME-1 the head names the game, links its parts and says when it ends; on phones the top bar has title and time left', async () => {
  const WithBar = () => (
    <TopBarPlaceProvider>
      <TopBar />
      <ScoreboardScreen />
    </TopBarPlaceProvider>
  )
  const running = game()
  const { place } = await openInGame(WithBar, 'Scoreboard', { game: running })
  const [bar, head] = place.querySelectorAll('header')
  const elapsed = (Date.now() - Date.parse(running.start)) / (Date.parse(running.end) - Date.parse(running.start))
  expect(Number.parseFloat(head?.querySelector<HTMLElement>('i[style*=width]')?.style.width ?? '')).toBeCloseTo(100 * elapsed, 0)
  for (const one of [bar, head]) expect(one?.querySelector('h1 a')?.getAttribute('href')).toBe('/games/3')
  expect(bar?.querySelector('h1')?.textContent).toBe('Harbour Cup')
  expect(bar?.querySelector('[role=timer]')?.textContent).toMatch(/^\d\d:\d\d:\d\d$/)
  expect(head?.textContent).toContain(`ends ${formatTime(running.end, 'weekClock', 'en_US')}`)
  const links = [...(head?.querySelectorAll('nav a') ?? [])]
  expect(links.map((one) => [one.textContent, one.getAttribute('href'), one.getAttribute('aria-current')])).toEqual([
    ['Challenges', '/games/3/Challenges', null],
    ['Scoreboard', '/games/3/Scoreboard', 'page'],
  ])
  place.remove()
  const over = await openInGame(WithBar, 'Scoreboard', { game: game({ start: ago(60), end: ago(1) }), role: 'Monitor' })
  const [barAfter, headAfter] = over.place.querySelectorAll('header')
  for (const one of [barAfter, headAfter]) {
    expect(one?.textContent).toContain('ended')
    expect(one?.querySelector('[role=timer]')).toBeNull()
  }
  expect([...(headAfter?.querySelectorAll('nav a') ?? [])].map((one) => one.textContent)).toEqual(['Scoreboard', 'Monitoring'])
})

test('FRAME-3 a game that cannot be read shows why, with a way to try again', async () => {
  const { answers, place } = await openInGame(ScoreboardScreen, 'Scoreboard', {
    known: false,
    answers: { 'GET /api/game/3': refused('server.unknown', 'Out of order', 500) },
  })
  expect(place.textContent).toContain('Out of order')
  answers['GET /api/game/3'] = game()
  await click(button('Retry'))
  await until(() => expect(place.textContent).toContain('Harbour Cup'))
})

test('FRAME-3 any other failure stays on the screen with a way to try again', async () => {
  const { answers, place } = await openInGame(ScoreboardScreen, 'Scoreboard', {
    answers: { 'GET /api/game/3/scoreboard/feed': refused('server.unknown', 'Out of order', 500) },
  })
  expect(here()).toBe('/games/3/Scoreboard')
  expect(place.textContent).toContain('Out of order')
  answers['GET /api/game/3/scoreboard/feed'] = feed()
  await act(async () => [...place.querySelectorAll('button')].find(({ textContent }) => textContent === 'Retry')?.click())
  await until(() => expect(place.textContent).toContain('Danes'))
})
