// @vitest-environment jsdom
import { notifications } from '@mantine/notifications'
import { QueryClient, useQueryClient } from '@tanstack/react-query'
import { act } from 'react'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { button, click, named, settle, write } from '../../test/acts.ts'
import { hub } from '../../test/hub.ts'
import { ago, game, openInGame, refused } from '../../test/in-game.tsx'
import { json, toasts, until } from '../../test/page.tsx'
import { isOnline, markUnreachable, watchConnection } from '../api/connection.ts'
import { keys } from '../api/query-keys.ts'
import CheatsScreen from './cheats.screen.tsx'
import EventsScreen from './events.screen.tsx'
import SubmissionsScreen from './submissions.screen.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))

beforeEach(() => localStorage.clear())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

type Scene = Parameters<typeof openInGame>[2]
const events = 'GET /api/game/3/events'
const submissions = 'GET /api/game/3/submissions'
const cheats = 'GET /api/game/3/cheatinfo'
const activity = { 'GET /api/game/3/submissions/activity': [], 'GET /api/game/3/activity': [] }
const event = (text: string, type = 'Normal', values = [text]) => ({ time: ago(1), type, values, user: 'ann', team: 'Danes' })
const many = (count: number, from = 0) => Array.from({ length: count }, (_, index) => event(`entry ${from + index}`))
const submission = (answer: string, status = 'WrongAnswer') => ({
  time: ago(1),
  status,
  team: 'Danes',
  user: 'ann',
  challenge: 'Buoy',
  answer,
})

const open = (
  Screen: typeof EventsScreen,
  path: string,
  answers: Record<string, object | (() => Response | Promise<Response>)>,
  scene: Scene = {},
) => openInGame(Screen, `monitor/${path}`, { role: 'Monitor', ...scene, answers: { ...activity, ...answers } })
const said = () =>
  [...document.querySelectorAll('main li, ul li')]
    .map(({ textContent }) => textContent ?? '')
    .filter((text) => /entry|Echo|fresh/.test(text))
/** How long ago the times of a part are, in minutes. */
const minutesAgo = (part: ParentNode | null | undefined) =>
  [...(part?.querySelectorAll('time') ?? [])].map(({ dateTime }) => Math.floor((Date.now() - Date.parse(dateTime)) / 60_000))
const fresh = () => [...document.querySelectorAll('[data-fresh]')].map(({ textContent }) => textContent ?? '')

test('MON-2 the channel is open, and lists are read again, until the game ends; one message however often screens change', async () => {
  const opened = () => hub.connections.filter(({ address }) => address.startsWith('/hub/monitor')).length
  const greetings = () => toasts().filter(({ title }) => String(title).startsWith('Live'))
  const before = opened()
  let queries = new QueryClient()
  for (const [Screen, path, list, queryKey] of [
    [EventsScreen, 'Events', events, keys.game(3).events()],
    [SubmissionsScreen, 'Submissions', submissions, keys.game(3).submissions()],
    [CheatsScreen, 'CheatInfo', cheats, keys.game(3).cheats],
  ] as const) {
    function Ended() {
      queries = useQueryClient()
      return <Screen />
    }
    const ended = await open(Ended, path, { [list]: [] }, { game: game({ end: ago(1) }) })
    expect(opened()).toBe(before)
    expect(button('Pause')).toBeUndefined()
    const everyMs = (key: readonly unknown[]) =>
      queries
        .getQueryCache()
        .findAll({ queryKey: key })[0]
        ?.observers.map(({ options }) => options.refetchInterval)
    expect(everyMs(queryKey)).toEqual([false])
    if (path === 'Events') expect(everyMs(keys.game(3).activity)).toEqual([false])
    // The hub does not announce them.
    for (const key of [keys.game(3).silent, keys.game(3).failingChecks]) expect(everyMs(key)).toEqual([30_000])
    ended.place.remove()
  }
  const first = await open(EventsScreen, 'Events', { [events]: [] })
  expect(opened()).toBe(before + 1)
  expect(first.place.textContent).toContain('No events yet')
  // An hour of a game that lasts two.
  expect([12, 13]).toContain(first.place.querySelectorAll('figure [aria-pressed]').length)
  expect(greetings()).toMatchObject([{ role: 'status' }])
  first.place.remove()
  await act(async () => notifications.clean())
  await open(SubmissionsScreen, 'Submissions', { [submissions]: [] })
  expect(opened()).toBe(before + 1)
  expect(greetings()).toEqual([])
})

test('while the channel reconnects, each list says so and is polled, but not its further pages; then it is read again', async () => {
  onTestFinished(() => {
    hub.waits = false
  })
  let queries = new QueryClient()
  for (const [Screen, path, list, more] of [
    [EventsScreen, 'Events', events, many(30)],
    [SubmissionsScreen, 'Submissions', submissions, Array.from({ length: 50 }, (_, index) => submission(`entry ${index}`))],
    [CheatsScreen, 'CheatInfo', cheats, []],
  ] as const) {
    function Listed() {
      queries = useQueryClient()
      return <Screen />
    }
    const { place, requests } = await open(Listed, path, { [list]: more })
    /** The interval of the list on screen. */
    const everyMs = () => {
      const all = queries.getQueryCache().findAll({ queryKey: keys.game(3).all })
      const shown = all.filter(({ queryKey }) => ['events', 'submissions', 'cheats'].includes(String(queryKey[2])))
      return shown.flatMap(({ observers }) => observers.map(({ options }) => options.refetchInterval))
    }
    const activity = queries.getQueryCache().find({ queryKey: keys.game(3).activity })
    if (path === 'Events') expect(activity?.observers.map(({ options }) => options.refetchInterval)).toEqual([30_000])
    await until(() => expect([path, everyMs(), place.textContent?.includes('reconnecting')]).toEqual([path, [false], false]))
    hub.waits = true
    await hub.lose('/hub/monitor')
    await until(() => expect([path, everyMs(), place.textContent?.includes('reconnecting')]).toEqual([path, [10_000], true]))
    if (more.length > 0) {
      await click(named('Next page'))
      await until(() => expect([path, everyMs()]).toEqual([path, [false]]))
    }
    const asked = () => requests.filter((line) => line.startsWith(list)).length
    await settle()
    const before = asked()
    hub.waits = false
    await hub.open()
    await until(() => expect([path, place.textContent?.includes('reconnecting')]).toEqual([path, false]))
    await until(() => expect([path, asked()]).toEqual([path, before + 1]))
    place.remove()
  }
})

test('challenges whose instances do not answer or whose solver check fails are named above every list, and nothing is there without them', async () => {
  const silent = 'GET /api/game/3/silent'
  const checks = 'GET /api/game/3/checks'
  const shown = () => document.querySelector('ul[role=status]')?.textContent
  const none = await open(EventsScreen, 'Events', { [events]: [], [silent]: [], [checks]: [] })
  expect(shown()).toBeUndefined()
  none.place.remove()
  const since = [ago(5), ago(4)]
  await open(SubmissionsScreen, 'Submissions', {
    [submissions]: [],
    [silent]: [{ challengeId: 7, title: 'Buoy', port: 9000, since: since[0] }],
    [checks]: [{ challengeId: 7, title: 'Buoy', since: since[1] }],
  })
  await until(() => expect(shown()).toContain('Buoy has not responded on port 9000 since'))
  await until(() => expect(shown()).toContain('The solver check of Buoy has failed since'))
  expect([...document.querySelectorAll<HTMLTimeElement>('ul[role=status] time')].map(({ dateTime }) => dateTime)).toEqual(since)
  await open(EventsScreen, 'Events', { [events]: [], [silent]: [], [checks]: [{ challengeId: 7, title: 'Reef', since: ago(4) }] })
  const names = () => [...document.querySelectorAll('ul[role=status]')].at(-1)?.textContent
  await until(() => expect(names()).toMatch(/^The solver check of Reef has failed since/))
})

test('P2.31 EV-1 EV-2 new events are added on top with a highlight; container events can be hidden: present, later and live ones', async () => {
  const { requests, place } = await open(EventsScreen, 'Events', { [events]: many(2) })
  await hub.say('/hub/monitor', 'ReceivedGameEvent', event('fresh'))
  await until(() => expect(said()[0]).toContain('fresh'))
  expect(fresh()).toHaveLength(1)
  expect(fresh()[0]).toMatch(/\d\d:\d\d:\d\d$/)
  await hub.say('/hub/monitor', 'ReceivedGameEvent', event('', 'ContainerStart', ['7', 'Echo']))
  await until(() => expect(said()[0]).toContain('Echo'))
  await click(document.querySelector('input[role=switch]'))
  await until(() => expect(requests.at(-1)).toContain('hideContainer=true'))
  const before = said().length
  await hub.say('/hub/monitor', 'ReceivedGameEvent', event('', 'ContainerDestroy', ['7', 'Echo']))
  await settle()
  expect(said()).toHaveLength(before)
  place.remove()
  const again = await open(EventsScreen, 'Events', { [events]: many(2) })
  expect(again.requests.find((line) => line.startsWith(events))).toContain('hideContainer=true')
})

test('EV-1 EV-3 a short page is the last one; turning pages scrolls to the top and requests the next thirty', async () => {
  const { requests, answers } = await open(EventsScreen, 'Events', { [events]: many(30) })
  const scrolled = vi.spyOn(window, 'scrollTo')
  const next = Promise.withResolvers<Response>()
  answers[events] = () => next.promise
  await click(named('Next page'))
  // The page before stays until the next one is there.
  expect(said()).toHaveLength(30)
  answers[events] = many(4, 30)
  await act(async () => next.resolve(json(many(4, 30))))
  expect(requests.filter((line) => line.startsWith(events)).at(-1)).toContain('count=30&skip=30')
  expect(scrolled).toHaveBeenCalledWith({ top: 0 })
  await until(() => expect(said()).toHaveLength(4))
  expect(named<HTMLButtonElement>('Next page')?.disabled).toBe(true)
  expect(named<HTMLButtonElement>('Previous page')?.disabled).toBe(false)
  await hub.say('/hub/monitor', 'ReceivedGameEvent', event('fresh'))
  expect(said()).toHaveLength(4)
  answers[events] = many(30)
  const last = () => requests.filter((line) => line.startsWith(events)).at(-1)
  await click(button('1 new'))
  await until(() => expect(last()).toContain('count=30&skip=0'))
  for (const [turn, skip] of [
    ['Next page', 30],
    ['Next page', 60],
    ['Previous page', 30],
  ] as const) {
    await click(named(turn))
    await until(() => expect(last()).toContain(`count=30&skip=${skip}`))
  }
  answers[events] = many(201)
  // The calls cannot search: the newest entries are read.
  await write(named<HTMLInputElement>('Team or challenge'), 'entry')
  await until(() => expect(last()).toContain('count=1000&skip=0'))
  await until(() => expect(document.body.textContent).toContain('Shows the newest 200 of 201 entries.'))
  expect(said()).toHaveLength(200)
  answers[events] = many(30)
  expect(document.body.textContent).toContain('Searches the newest 1,000 entries.')
  expect(named('Next page')).toBeUndefined()
  await write(named<HTMLInputElement>('Team or challenge'), '')
  await until(() => expect(last()).toContain('count=30&skip=30'))
  expect(document.body.textContent).not.toContain('Searches')
  await click(document.querySelector('input[role=switch]'))
  await until(() => expect(last()).toMatch(/hideContainer=true&count=30&skip=0/))
})

test('MON-4 a list that is narrowed to a time receives the live events within it', async () => {
  const [from, before] = [Date.now() - 10 * 60_000, Date.now() - 5 * 60_000]
  const { place } = await open(EventsScreen, 'Events', { [events]: [] }, { address: `?from=${from}&before=${before}` })
  expect(place.textContent).toContain('No results')
  // The bars show the whole game again.
  expect(button('Show all')).toBeUndefined()
  for (const [name, at] of [
    ['earlier', from - 1],
    ['first', from],
    ['last', before - 1],
    ['later', before],
  ] as const)
    await hub.say('/hub/monitor', 'ReceivedGameEvent', { ...event(`entry ${name}`), time: new Date(at).toISOString() })
  expect(said()).toEqual([expect.stringContaining('entry last'), expect.stringContaining('entry first')])
})

test.each([
  ['with the words of the server', refused('server.unknown', 'Out of order', 500), /Out of order/],
  ['without a body', () => new Response(null, { status: 502 }), /./],
])(
  'EV-4 a list that fails shows an error, %s: in its place, and as a red message while an older list is shown',
  async (_, failing, words) => {
    const first = await open(EventsScreen, 'Events', { [events]: failing })
    expect(first.place.querySelector('[role=alert]')?.textContent).toMatch(words)
    expect(toasts().filter(({ role }) => role === 'alert')).toEqual([])
    first.answers[events] = many(2)
    await click(button('Retry'))
    await until(() => expect(said()).toHaveLength(2))
    first.answers[events] = failing
    await click(button('Pause'))
    await click(button('Resume'))
    await until(() => expect(toasts().filter(({ role }) => role === 'alert')).toHaveLength(1))
    expect(String(toasts().find(({ role }) => role === 'alert')?.message)).toMatch(words)
    expect(toasts().find(({ role }) => role === 'alert')?.title).toBe('Could not load the list')
    expect(said()).toHaveLength(2)
    // While the platform is unreachable, the page says so in one place.
    await act(async () => notifications.clean())
    onTestFinished(watchConnection())
    first.answers['GET /healthz'] = first.answers[events] = () => new Response(null, { status: 503 })
    await act(async () => markUnreachable())
    await until(() => expect(isOnline()).toBe(false))
    await click(button('Pause'))
    await click(button('Resume'))
    await settle()
    expect(toasts().filter(({ role }) => role === 'alert')).toEqual([])
  },
)

test('EV-5 events are filtered by kind, team and challenge; a paused feed holds new events and shows them later', async () => {
  const list = [
    event('', 'FlagSubmit', ['Accepted', 'entry a', 'Buoy', '7']),
    { ...event('entry b'), team: 'Red' },
    event('', 'ContainerStart', ['8', 'Echo']),
  ]
  const { requests, answers } = await open(EventsScreen, 'Events', { [events]: list })
  const calls = () => requests.filter((line) => line.startsWith(events)).length
  const search = named<HTMLInputElement>('Team or challenge')
  expect(said()).toEqual([
    expect.stringContaining('Correct entry a for Buoy #7'),
    expect.stringContaining('entry b'),
    expect.stringContaining('Echo #8'),
  ])
  await write(search, 'buoy')
  await until(() => expect(said()).toEqual([expect.stringContaining('entry a')]))
  await write(search, 'RED')
  await until(() => expect(said()).toEqual([expect.stringContaining('entry b')]))
  await write(search, '')
  const choose = async (kind: string) => {
    await click(named('Event type'))
    await click([...document.querySelectorAll('[role=option]')].find(({ textContent }) => textContent === kind))
  }
  await choose('Container started')
  await until(() => expect(said()).toEqual([expect.stringContaining('Echo')]))
  await hub.say('/hub/monitor', 'ReceivedGameEvent', event('fresh'))
  expect(said()).toHaveLength(1)
  await write(search, 'red')
  await until(() => expect(said()).toEqual([]))
  await write(search, '')
  await until(() => expect(said()).toEqual([expect.stringContaining('Echo')]))
  // Choosing it again clears the filter.
  await choose('Container started')
  await until(() => expect(said().length).toBeGreaterThan(2))
  await choose('Container started')
  await until(() => expect(said()).toEqual([expect.stringContaining('Echo')]))
  // The cross in its field does the same.
  await click(document.querySelector('.mantine-InputClearButton-root'))
  await until(() => expect(said().length).toBeGreaterThan(2))
  await choose('Container started')
  await write(search, 'unknown')
  await until(() => expect(said()).toEqual([]))
  expect(document.body.textContent).toContain('No results')
  await click(button('Show all'))
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Team or challenge')
  expect(search?.value).toBe('')
  await until(() => expect(said().length).toBeGreaterThan(2))
  await click(button('Pause'))
  const [before, held] = [calls(), said()]
  await hub.say('/hub/monitor', 'ReceivedGameEvent', event('fresh while paused'))
  await settle()
  expect([said(), calls()]).toEqual([held, before])
  expect(document.body.textContent).toContain('1 new')
  const connections = hub.connections.length
  const charts = () => requests.filter((line) => line === 'GET /api/game/3/activity').length
  const drawn = charts()
  await hub.lose('/hub/monitor')
  await until(() => expect(hub.connections.length).toBeGreaterThan(connections))
  // The chart is not paused.
  await until(() => expect(charts()).toBeGreaterThan(drawn))
  await settle()
  expect([said(), calls()]).toEqual([held, before])
  for (const _ of ['on', 'off']) await click(document.querySelector('main input[role=switch], input[role=switch]'))
  expect(document.body.textContent).toContain('1 new')
  answers[events] = [event('fresh while paused'), ...list]
  await click(button('Resume'))
  await until(() => expect(said()[0]).toContain('fresh while paused'))
})

test('P2.32 SU-1 a filter starts at page 1; new entries that match it are added on top with a highlight', async () => {
  const full = Array.from({ length: 50 }, (_, index) => submission(`entry ${index}`))
  const { requests, answers } = await open(SubmissionsScreen, 'Submissions', { [submissions]: full })
  const answersShown = () =>
    [...document.querySelectorAll('tbody tr')].map(({ textContent }) => /(entry|fresh) ?\w*/.exec(textContent ?? '')?.[0])
  expect([...document.querySelectorAll('thead th')].map(({ textContent }) => textContent)).toEqual([
    'Result',
    'Time',
    'Team',
    'User',
    'Challenge',
    'Flag',
  ])
  expect(document.querySelector('[role=radiogroup]')?.getAttribute('aria-label')).toBe('Filter submissions')
  const next = Promise.withResolvers<Response>()
  answers[submissions] = () => next.promise
  await click(named('Next page'))
  expect(requests.filter((line) => line.startsWith(submissions)).at(-1)).toContain('skip=50')
  // The page before stays until the next one is there.
  expect(answersShown()).toHaveLength(50)
  await act(async () => next.resolve(json(full)))
  answers[submissions] = [submission('entry 1', 'Accepted')]
  await click(document.querySelectorAll('[role=radiogroup] input')[1])
  expect(requests.filter((line) => line.startsWith(submissions)).at(-1)).toMatch(/type=Accepted.*skip=0/)
  await until(() => expect(answersShown()).toEqual(['entry 1']))
  await hub.say('/hub/monitor', 'ReceivedSubmissions', submission('fresh wrong'))
  expect(answersShown()).toEqual(['entry 1'])
  await hub.say('/hub/monitor', 'ReceivedSubmissions', submission('fresh right', 'Accepted'))
  expect(answersShown()).toEqual(['fresh right', 'entry 1'])
  expect(fresh()).toEqual([expect.stringContaining('fresh right')])
  // The list of all results did not receive the wrong answer while it was hidden.
  answers[submissions] = [submission('fresh wrong'), ...full]
  await click(document.querySelectorAll('[role=radiogroup] input')[0])
  await until(() => expect(answersShown()[0]).toBe('fresh wrong'))
  expect(requests.filter((line) => line.startsWith(submissions)).at(-1)).not.toContain('type')
  await click(named('Next page'))
  await hub.say('/hub/monitor', 'ReceivedSubmissions', submission('fresh other'))
  await click(button('1 new'))
  await until(() => expect(document.body.textContent).toContain('Page 1'))
  expect(button('1 new')).toBeUndefined()
  await click(named('Next page'))
  await hub.say('/hub/monitor', 'ReceivedSubmissions', submission('fresh other'))
  expect(button('1 new')).toBeTruthy()
  await click(document.querySelectorAll('[role=radiogroup] input')[1])
  expect(button('1 new')).toBeUndefined()
  const last = () => requests.filter((line) => line.startsWith(submissions)).at(-1)
  await click(named('Next page'))
  await until(() => expect(last()).toMatch(/type=Accepted&count=50&skip=50/))
  await write(named<HTMLInputElement>('Team, user, challenge or flag'), 'unknown')
  await until(() => expect(last()).toMatch(/type=Accepted&count=1000&skip=0/))
  expect([named('Next page'), document.body.textContent?.includes('No results')]).toEqual([undefined, true])
  answers[submissions] = []
  await click(button('Show all'))
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Team, user, challenge or flag')
  await until(() => expect(last()).toMatch(/\?count=50/))
  expect(document.body.textContent).toContain('No submissions yet')
  const chosen = [...document.querySelectorAll<HTMLInputElement>('[role=radiogroup] input')].findIndex(({ checked }) => checked)
  expect([chosen, named<HTMLInputElement>('Team, user, challenge or flag')?.value]).toEqual([0, ''])
  await click(document.querySelectorAll('[role=radiogroup] input')[2])
  expect(document.body.textContent).toContain('None of this type')
})

test('SU-3 SU-4 a result replaces its entry; the search covers team, user, challenge and flag', async () => {
  const one = { ...submission('entry one', 'FlagSubmitted'), team: 'Red', user: 'rob', challenge: 'Reef' }
  const { requests, answers, place } = await open(SubmissionsScreen, 'Submissions', { [submissions]: [submission('entry two')] })
  const shown = () => [...place.querySelectorAll('tbody tr')].map(({ textContent }) => /entry \w+/.exec(textContent ?? '')?.[0])
  await hub.say('/hub/monitor', 'ReceivedSubmissions', one)
  await until(() => expect(shown()).toEqual(['entry one', 'entry two']))
  expect(place.querySelector('tbody tr')?.textContent).toContain('Submitted')
  await hub.say('/hub/monitor', 'ReceivedSubmissions', { ...one, status: 'Accepted' })
  await until(() => expect(place.querySelector('tbody tr')?.textContent).toContain('Correct'))
  expect(shown()).toEqual(['entry one', 'entry two'])
  for (const text of ['RED', 'rob', 'reef', 'entry one']) {
    await write(named<HTMLInputElement>('Team, user, challenge or flag'), text)
    // The search covers the newest entries, not only the current page.
    await until(() => expect(requests.filter((line) => line.startsWith(submissions)).at(-1)).toContain('count=1000'))
    await until(() => expect([text, shown()]).toEqual([text, []]))
  }
  answers[submissions] = Array.from({ length: 201 }, (_, index) => submission(`entry ${index}`))
  await write(named<HTMLInputElement>('Team, user, challenge or flag'), '')
  await write(named<HTMLInputElement>('Team, user, challenge or flag'), 'entry')
  await until(() => expect(shown()).toHaveLength(200))
  expect(place.textContent).toContain('Shows the newest 200 of 201 entries.')
  await write(named<HTMLInputElement>('Team, user, challenge or flag'), 'entry 1')
  expect(shown()).toHaveLength(111)
  expect(place.textContent).not.toContain('Shows the newest')
  answers[submissions] = [submission('entry two')]
  await write(named<HTMLInputElement>('Team, user, challenge or flag'), 'two')
  await write(named<HTMLInputElement>('Team, user, challenge or flag'), '')
  await until(() => expect(shown()).toEqual(['entry two']))
  answers[submissions] = refused('server.unknown', 'Out of order', 500)
  await hub.lose('/hub/monitor')
  await until(() => expect(toasts().at(-1)).toMatchObject({ title: 'Could not load the list', message: 'Out of order' }))
  expect(shown()).toEqual(['entry two'])
})

test('the page is named after its part; only players of the game have a link to the challenges', async () => {
  const links = () => [...document.querySelectorAll('nav[aria-label=Monitoring] a')]
  const staff = await open(EventsScreen, 'Events', { [events]: [] }, { game: game({ status: 'Unsubmitted' }) })
  expect(document.title).toBe('Events - Harbour Cup - GZ::CTF')
  const parts = ['Events', 'Submissions', 'Cheats', 'Traffic', 'Scoreboard']
  const addresses = ['monitor/Events', 'monitor/Submissions', 'monitor/CheatInfo', 'monitor/traffic', 'Scoreboard']
  const hrefs = () => links().map((link) => link.getAttribute('href'))
  expect(hrefs()).toEqual(addresses.map((end) => `/games/3/${end}`))
  expect(links().map(({ textContent }) => textContent)).toEqual(parts)
  expect(links().map((link) => link.getAttribute('aria-current'))).toEqual(['page', null, null, null, null])
  staff.place.remove()
  await open(EventsScreen, 'Events', { [events]: [] })
  expect(links().map(({ textContent }) => textContent)).toEqual([...parts, 'Challenges'])
  expect(hrefs().at(-1)).toBe('/games/3/Challenges')
})

test('each event has its icon, its sentence, and who caused it', async () => {
  const { place } = await open(EventsScreen, 'Events', {
    [events]: [
      event('', 'FlagSubmit', ['WrongAnswer', 'flag{a}', 'Buoy', '7']),
      event('', 'FlagSubmit', ['Later', 'flag{b}', 'Buoy', '7']),
      event('', 'CheatDetected', ['Buoy', 'Blue', 'Red']),
      event('', 'ContainerStart', ['7', 'Echo']),
      event('', 'ContainerDestroy', ['7', 'Echo']),
      { ...event('', 'Normal', ['first', 'last']), team: '' },
    ],
  })
  const rows = [...place.querySelectorAll('li')].filter((row) => row.querySelector('svg[role=img]'))
  expect(rows.map((row) => minutesAgo(row))).toEqual(rows.map(() => [1]))
  const icons = rows.map((row) => /tabler-icon-([\w-]+)/.exec(row.querySelector('svg')?.getAttribute('class') ?? '')?.[1])
  expect(icons).toEqual(['flag', 'flag', 'alert-triangle', 'player-play', 'player-stop', 'bolt'])
  const parts = rows.map((row) => [
    row.querySelector('svg')?.getAttribute('aria-label'),
    ...[...row.querySelectorAll(':scope > span')].map(({ textContent }) => textContent),
  ])
  expect(parts).toEqual([
    ['Flag submitted', 'Wrong flag{a} for Buoy #7', 'Danes · ann'],
    ['Flag submitted', 'Later flag{b} for Buoy #7', 'Danes · ann'],
    ['Cheat detected', 'Blue submitted the flag of Red for Buoy', 'Danes · ann'],
    ['Container started', 'Container of Echo #7 started', 'Danes · ann'],
    ['Container destroyed', 'Container of Echo #7 destroyed', 'Danes · ann'],
    ['Notice', 'last', 'ann'],
  ])
})

test('each result has its icon and its word, and its flag can be copied', async () => {
  const results = ['FlagSubmitted', 'Accepted', 'WrongAnswer', 'CheatDetected', 'NotFound']
  const { place } = await open(SubmissionsScreen, 'Submissions', {
    [submissions]: results.map((status) => submission(`flag of ${status}`, status)),
  })
  const shown = [...place.querySelectorAll('tbody td:first-child span')].map((one) => [
    /tabler-icon-([\w-]+)/.exec(one.querySelector('svg')?.getAttribute('class') ?? '')?.[1],
    one.textContent,
  ])
  expect(shown).toEqual([
    ['hourglass', 'Submitted'],
    ['check', 'Correct'],
    ['x', 'Wrong'],
    ['alert-triangle', 'Cheat'],
    ['question-mark', 'Not found'],
  ])
  const cells = [...(place.querySelector('tbody tr')?.querySelectorAll('td') ?? [])].map(({ textContent }) => textContent)
  expect(cells.slice(2)).toEqual(['Danes', 'ann', 'Buoy', 'flag of FlagSubmitted'])
  expect(minutesAgo(place.querySelector('tbody tr'))).toEqual([1])
  // A long one is cut.
  expect(place.querySelector('tbody tr [title]')?.getAttribute('title')).toBe('flag of FlagSubmitted')
  const writeText = vi.fn(async () => {})
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } })
  await click(place.querySelectorAll('[aria-label="Copy flag"]')[1])
  expect(writeText).toHaveBeenCalledWith('flag of Accepted')
})

const part = (id: number, name: string) => ({
  id,
  status: 'Accepted',
  organization: name === 'Blue' ? 'North' : null,
  team: {
    id: id + 10,
    name,
    bio: null,
    avatar: name === 'Blue' ? '/assets/blue.png' : null,
    captainId: 'x',
    locked: false,
    members: [],
  },
})
const cheat = (answer: string) => ({
  ownedTeam: part(1, 'Red'),
  submitTeam: part(2, 'Blue'),
  submission: { ...submission(answer, 'CheatDetected'), team: 'Blue', user: 'bob' },
})
const statusActions = () =>
  [...document.querySelectorAll('li button')].filter((one) => one.getAttribute('aria-haspopup') === 'menu')

test('CH-1 administrators can change a status, monitors cannot', async () => {
  const monitor = await open(CheatsScreen, 'CheatInfo', { [cheats]: [cheat('flag{x}')] })
  expect(monitor.place.textContent).toContain('Red')
  expect(statusActions()).toEqual([])
  monitor.place.remove()
  await open(CheatsScreen, 'CheatInfo', { [cheats]: [cheat('flag{x}')] }, { role: 'Admin' })
  expect(document.body.textContent?.match(/1 entry/g)).toHaveLength(2)
  // One action for each of the two teams.
  expect(statusActions()).toHaveLength(2)
})

test('CH-2 CH-3 two entries of the same second both appear; a changed status is shown at the team and in a message, as is a refusal', async () => {
  const { submission: copied, ...teams } = cheat('flag{old}')
  const older = { ...teams, submission: { ...copied, time: ago(9) } }
  let queries = new QueryClient()
  function WithQueries() {
    queries = useQueryClient()
    return <CheatsScreen />
  }
  const { answers, requests } = await open(
    WithQueries,
    'CheatInfo',
    { [cheats]: [older, cheat('flag{x}'), cheat('flag{x}')] },
    { role: 'Admin' },
  )
  queries.setQueryData(keys.game(3).participations, [part(2, 'Blue')])
  const row = (name: string) =>
    [...document.querySelectorAll('li')].find((one) => one.querySelector('button')?.textContent?.includes(name))
  await click(row('Blue')?.querySelector('button'))
  const openers = [row('Blue'), row('Red')].map((one) => one?.querySelector('button'))
  expect(openers.map((one) => one?.getAttribute('aria-expanded'))).toEqual(['true', 'false'])
  expect(openers.map((one) => one?.querySelector('img')?.getAttribute('src'))).toEqual(['/assets/blue.png', undefined])
  const entries = openers.map((one) => document.getElementById(one?.getAttribute('aria-controls') ?? ''))
  expect(entries.map((one) => one?.querySelectorAll('li').length)).toEqual([3, 0])
  expect(
    [...(row('Blue')?.querySelectorAll('ul > li') ?? [])].map(({ textContent }) => /flag\{x\}/.test(textContent ?? '')),
  ).toEqual([true, true, false])
  expect(row('Blue')?.textContent).toContain('3 entries')
  const below = ['Blue', 'Red'].map((name) => row(name)?.querySelector('button time'))
  expect(below.map((one) => /^(North · )?last/.exec(one?.textContent ?? '')?.[0])).toEqual(['North · last', 'last'])
  // The newest of its entries.
  expect(below.map((one) => Date.now() - Date.parse(one?.getAttribute('datetime') ?? '') < 5 * 60_000)).toEqual([true, true])
  await click(row('Red')?.querySelector('button'))
  const words = (name: string) => row(name)?.querySelector('ul > li')?.textContent
  expect([words('Blue'), words('Red')]).toEqual([
    expect.stringContaining('submitted the flag ofRed · bob'),
    expect.stringContaining('its flag was submitted byBlue · bob'),
  ])
  const arrow = (name: string) => row(name)?.querySelector('ul')?.querySelector('svg')?.classList[1]
  expect([arrow('Blue'), arrow('Red')]).toEqual(['tabler-icon-arrow-right', 'tabler-icon-arrow-left'])
  expect(minutesAgo(row('Blue')?.querySelector('ul'))).toEqual([1, 1, 9])
  const suspend = async (name = 'Blue') => {
    await click(named(`More actions for ${name}`))
    await click([...document.querySelectorAll('[role=menuitem]')].find(({ textContent }) => textContent === 'Suspend'))
    await click(
      [...(document.querySelector('[role=dialog]')?.querySelectorAll('button') ?? [])].find(
        (one) => one.textContent === 'Suspend',
      ),
    )
  }
  answers['PUT /api/admin/participation/2/Suspended'] = refused('server.unknown', 'Out of order', 500)
  await suspend()
  expect(toasts().at(-1)).toMatchObject({ title: 'Could not change the status', message: 'Out of order', role: 'alert' })
  expect(row('Blue')?.textContent).toContain('Accepted')
  expect(queries.getQueryState(keys.game(3).participations)?.isInvalidated).toBe(false)
  const accepted = Promise.withResolvers<Response>()
  answers['PUT /api/admin/participation/2/Suspended'] = () => accepted.promise
  let late = (_: Response) => {}
  answers[cheats] = () => new Promise<Response>((done) => (late = done))
  await hub.say('/hub/monitor', 'ReceivedGameEvent', event('', 'CheatDetected', ['Buoy', 'Blue', 'Red']))
  await suspend()
  const locked = () => ['Blue', 'Red'].map((name) => named<HTMLButtonElement>(`More actions for ${name}`)?.disabled)
  expect(locked()).toEqual([true, true])
  await act(async () => accepted.resolve(new Response(null)))
  await settle()
  expect(locked()).toEqual([false, false])
  // An answer that was on its way does not have the status yet.
  await act(async () => late(json([older, cheat('flag{x}'), cheat('flag{x}')])))
  await settle()
  await until(() => expect(row('Blue')?.textContent).toContain('Suspended'))
  expect(row('Red')?.textContent).not.toContain('Suspended')
  expect(toasts().at(-1)).toMatchObject({ title: 'Blue: Suspended', role: 'status' })
  // The list of the review is requested again when it is opened.
  expect(queries.getQueryState(keys.game(3).participations)?.isInvalidated).toBe(true)
  expect(requests.filter((line) => line.startsWith('PUT'))).toHaveLength(2)
  const byTeam = () => document.querySelector<HTMLInputElement>('main input[role=switch], input[role=switch]')
  for (const grouped of [!byTeam()?.checked, byTeam()?.checked]) {
    await click(byTeam())
    expect([byTeam()?.checked, row('Blue') !== undefined]).toEqual([grouped, grouped])
    expect(localStorage.getItem('cheats-by-team')).toBe(String(grouped))
    const heads = [...document.querySelectorAll('thead th')].map(({ textContent }) => textContent)
    expect(heads).toEqual(grouped ? [] : ['Time', 'Flag of', '', 'Submitted by', 'User', 'Challenge', 'Flag'])
    const lines = [...document.querySelectorAll('tbody tr')].map((line) =>
      [...line.children].slice(1).map(({ textContent }) => textContent),
    )
    const one = (flag: string) => ['Red', '', 'Blue', 'bob', 'Buoy', flag]
    expect(lines).toEqual(grouped ? [] : ['flag{x}', 'flag{x}', 'flag{old}'].map(one))
    if (grouped) continue
    expect(minutesAgo(document.querySelector('tbody'))).toEqual([1, 1, 9])
    // The column of the arrows has no name.
    const silent = [...document.querySelectorAll('thead th')].map((head) => head.getAttribute('aria-hidden'))
    expect(silent).toEqual([null, null, 'true', null, null, null, null])
  }
  // FB-2: after too many requests the actions wait.
  answers['PUT /api/admin/participation/1/Suspended'] = refused('request.too_many', 'Too many requests', 429)
  await suspend('Red')
  await until(() => expect(toasts().at(-1)).toMatchObject({ message: 'Too many requests' }))
  expect(locked()).toEqual([true, true])
})

test('CH-4 CH-5 without a copied flag the list praises fair play; a detection makes it refetch, other events do not', async () => {
  const { place, requests, answers } = await open(CheatsScreen, 'CheatInfo', { [cheats]: [] })
  expect(place.textContent).toContain("No cheating detectedNo team has submitted another team's flag.")
  const count = () => requests.filter((line) => line === cheats).length
  const before = count()
  await hub.say('/hub/monitor', 'ReceivedGameEvent', event('something else'))
  await settle()
  expect(count()).toBe(before)
  answers[cheats] = [cheat('flag{x}')]
  await hub.say('/hub/monitor', 'ReceivedGameEvent', event('', 'CheatDetected', ['Buoy', 'Blue', 'Red']))
  await until(() => expect(place.textContent).toContain('Blue'))
  place.remove()
  // A first answer on its way may be older than the detection. The channel is open already.
  const waiting: ((answer: Response) => void)[] = []
  const next = await open(CheatsScreen, 'CheatInfo', { [cheats]: () => new Promise<Response>((done) => waiting.push(done)) })
  await hub.say('/hub/monitor', 'ReceivedGameEvent', event('', 'CheatDetected', ['Buoy', 'Blue', 'Red']))
  next.answers[cheats] = [cheat('flag{x}')]
  await act(async () => {
    for (const reply of waiting) reply(json([]))
  })
  await until(() => expect(next.place.textContent).toContain('Blue'))
  next.place.remove()
  // The channel is closed then, not lost.
  const ended = await open(CheatsScreen, 'CheatInfo', { [cheats]: [] }, { game: game({ end: ago(1) }) })
  expect(ended.place.textContent).not.toContain('reconnecting')
})
