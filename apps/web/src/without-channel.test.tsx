// @vitest-environment jsdom
import { focusManager } from '@tanstack/react-query'
import { act, type ReactNode } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { click, named, settle } from '../test/acts.ts'
import { hub } from '../test/hub.ts'
import { ago, game, openInGame, refused } from '../test/in-game.tsx'
import { json, openPage } from '../test/page.tsx'
import { keys } from './api/query-keys.ts'
import ChallengeListScreen from './game-admin/challenges/challenge-list.screen.tsx'
import GameNoticesScreen from './game-admin/notices/notices.screen.tsx'
import ReviewScreen from './game-admin/review/review.screen.tsx'
import WriteupsScreen from './game-admin/writeups/writeups.screen.tsx'
import CheatsScreen from './monitor/cheats.screen.tsx'
import EventsScreen from './monitor/events.screen.tsx'
import SubmissionsScreen from './monitor/submissions.screen.tsx'
import HallScreen from './scoreboard/hall.screen.tsx'
import TeamsScreen from './teams/teams.screen.tsx'

vi.mock('./api/hub-connection.ts', async () => await import('../test/hub.ts'))
vi.mock('./scoreboard/use-chart.ts', () => ({ useChart: () => ({ width: 800, showAll() {}, savePicture() {} }) }))

beforeEach(() => {
  hub.waits = true
  vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.now() })
  // Runs after the page is closed, which clears its timers.
  onTestFinished(() => void vi.useRealTimers())
})
afterEach(() => void vi.unstubAllGlobals())

/** Number of calls of each list in 65 seconds without a channel. */
async function asksWithoutChannel(requests: string[], lists: readonly string[]): Promise<number[]> {
  await hub.block()
  requests.length = 0
  await act(async () => void (await vi.advanceTimersByTimeAsync(65_000)))
  return lists.map((list) => requests.filter((line) => line.split('?')[0] === `GET ${list}`).length)
}

const events = '/api/game/3/events'
const submissions = '/api/game/3/submissions'
const watched = ['/api/game/3/silent', '/api/game/3/checks']
test.each([
  ['events', EventsScreen, 'monitor/Events', [events, '/api/game/3/activity', ...watched]],
  ['submissions', SubmissionsScreen, 'monitor/Submissions', [submissions, ...watched]],
  ['copied flags', CheatsScreen, 'monitor/CheatInfo', ['/api/game/3/cheatinfo', ...watched]],
  ['solves', HallScreen, 'screen', ['/api/game/3/scoreboard/feed']],
])('LIVE-9 where no channel can be opened, the list of %s is read every 30 seconds', async (_, Screen, path, lists) => {
  const { requests } = await openInGame(Screen, path, { role: 'Monitor' })
  expect(await asksWithoutChannel(requests, lists)).toEqual(lists.map(() => 2))
})

const flag = { time: ago(1), status: 'WrongAnswer', team: 'Danes', user: 'ann', challenge: 'Buoy' }
const event = { time: ago(1), type: 'Normal', team: 'Danes', user: 'ann' }
test.each([
  ['events', EventsScreen, 'Events', events, (at: number) => ({ ...event, values: [`event ${at}`] }), 30],
  ['submissions', SubmissionsScreen, 'Submissions', submissions, (at: number) => ({ ...flag, answer: `flag ${at}` }), 50],
])('LIVE-9 an older page of the %s is not read again: its entries would move', async (_, Screen, tab, list, entry, size) => {
  const answers = { [`GET ${list}`]: Array.from({ length: size }, (_, at) => entry(at)) }
  const { requests } = await openInGame(Screen, `monitor/${tab}`, { role: 'Monitor', answers })
  await click(named('Next page'))
  expect(requests.findLast((line) => line.includes(list))).toContain(`skip=${size}`)
  expect(await asksWithoutChannel(requests, [list])).toEqual([0])
})

const edit = '/api/edit/games/7'
const teams = '/api/game/7/participations'

/** Opens a screen of the administration of game 7; its calls are added to the answer. */
async function openAdmin(screen: ReactNode, tab: string, exists = true): Promise<string[]> {
  const requests: string[] = []
  const shown = { ...game(), id: 7, hidden: false, organizations: [] }
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    requests.push(`${init?.method ?? 'GET'} ${input}`)
    if (input !== edit) return json([])
    return exists ? json(shown) : json({ title: 'Game not found', status: 404, code: 'game.not_found' }, 404)
  })
  await openPage(
    <Routes>
      <Route path={`/admin/games/:id/${tab}`} element={screen} />
    </Routes>,
    [
      [keys.config, { title: 'GZ', containers: 'Default' }],
      [keys.profile, { userName: 'Admin', role: 'Admin' }],
    ],
    `/admin/games/7/${tab}`,
  )
  await settle()
  return requests
}

test.each<[string, ReactNode, string, string[]]>([
  ['notices', <GameNoticesScreen key="" />, 'Notices', [`${edit}/notices`, '/api/game/7/notices']],
  ['challenges and teams', <ChallengeListScreen key="" />, 'challenges', [`${edit}/challenges`, edit, teams]],
  ['writeups', <WriteupsScreen key="" />, 'Writeups', [`/api/admin/writeups/7`]],
])(
  'LIVE-9 RV-7 where no channel can be opened, %s in the administration of a game are read every 30 seconds',
  async (_, screen, tab, lists) => {
    expect(await asksWithoutChannel(await openAdmin(screen, tab), lists)).toEqual(lists.map(() => 2))
  },
)

test('LIVE-9 while its tab is hidden, the administration of a game reads nothing', async () => {
  const requests = await openAdmin(<ReviewScreen />, 'Review')
  focusManager.setFocused(false)
  onTestFinished(() => focusManager.setFocused(undefined))
  expect(await asksWithoutChannel(requests, [edit, teams])).toEqual([0, 0])
})

test('the screens of a game that does not exist do not request it again', async () => {
  const answers = { 'GET /api/game/3': refused('game.not_found', 'Game not found', 404) }
  const { requests } = await openInGame(EventsScreen, 'monitor/Events', { known: false, answers })
  expect(await asksWithoutChannel(requests, ['/api/game/3'])).toEqual([0])
  expect(await asksWithoutChannel(await openAdmin(<ReviewScreen />, 'Review', false), [edit])).toEqual([0])
  expect([...document.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual([
    '/games',
    '/',
    '/admin/games',
    '/',
  ])
})

test('RV-7 the teams of the review are read every minute, also while the channel is open', async () => {
  hub.waits = false
  const requests = await openAdmin(<ReviewScreen />, 'Review')
  requests.length = 0
  await act(async () => void (await vi.advanceTimersByTimeAsync(125_000)))
  expect(requests.filter((line) => line === `GET ${teams}`)).toHaveLength(2)
})

test('the own teams, whose changes have no live message, are read every two minutes', async () => {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (input: string) => {
    requests.push(input)
    return json([])
  })
  const profile = { userId: 'ann', userName: 'ann-name', role: 'User' }
  await openPage(<TeamsScreen />, [
    [keys.config, { title: 'GZ' }],
    [keys.profile, profile],
  ])
  await settle()
  requests.length = 0
  await act(async () => void (await vi.advanceTimersByTimeAsync(245_000)))
  expect(requests.filter((path) => path === '/api/team')).toHaveLength(2)
})
