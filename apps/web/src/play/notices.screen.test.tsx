// @vitest-environment jsdom
import { notificationsStore } from '@mantine/notifications'
import type { GameNotice } from '@vexil/contract/games'
import { act } from 'react'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { button, click, settle } from '../../test/acts.ts'
import { hub } from '../../test/hub.ts'
import { details, feed, game, here, notice, openInGame, refused, solve } from '../../test/in-game.tsx'
import { toasts, until } from '../../test/page.tsx'
import ChallengesScreen from './challenges.screen.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))

let hidden = false
beforeEach(() => {
  hidden = false
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
})
afterEach(() => {
  hub.waits = false
  vi.unstubAllGlobals()
})

const open = (scene: Parameters<typeof openInGame>[2] = {}) => openInGame(ChallengesScreen, 'Challenges', scene)
const panel = () => document.querySelector('aside [aria-label="Notices"]')
const entries = () => [...(panel()?.querySelectorAll('li') ?? [])]
/** Texts of the entries without their times. */
const words = () => entries().map((entry) => [...entry.children].at(1)?.textContent)
const show = (name: string) =>
  click(
    [...(panel()?.querySelectorAll('label') ?? [])]
      .find((one) => one.textContent === name)
      ?.parentElement?.querySelector('input'),
  )

const several = [
  notice(1, 'Normal', ['An old word'], 65),
  notice(2, 'Normal', ['A **fresh** word'], 50),
  notice(3, 'FirstBlood', ['Red', 'Buoy'], 40),
  notice(4, 'SecondBlood', ['Danes', 'Buoy'], 30),
  notice(5, 'NewHint', ['Reef'], 20),
  notice(6, 'NewChallenge', ['Keel'], 300),
  notice(7, 'ThirdBlood', ['Blue', 'Buoy'], 25),
]
const listed = { 'GET /api/game/3/notices': several }

test('on phones a bar leads to the parts of the game, to the monitor only those who may see it', async () => {
  const bar = (place: Element) => [...place.querySelectorAll('[data-bottom-bar] a')].map((one) => one.getAttribute('href'))
  const forPlayers = [
    '/games/3/Challenges',
    '/games/3/Scoreboard',
    '/games/3/Challenges?sheet=notices',
    '/games/3/Challenges?sheet=team',
  ]
  const player = await open()
  expect(bar(player.place)).toEqual(forPlayers)
  expect(player.place.querySelector('[data-bottom-bar] [aria-current]')?.textContent).toBe('Challenges')
  player.place.remove()
  const { place } = await open({ role: 'Monitor' })
  expect(bar(place)).toEqual(forPlayers.toSpliced(2, 0, '/games/3/monitor/Events'))
})

test('NP-1 the newest notice is first; notices of the organisers stay above the rest for an hour', async () => {
  // A batch has one time.
  const late = { ...notice(8, 'NewHint', ['Keel'], 0), time: (several[4] as GameNotice).time }
  const { requests } = await open({ answers: { 'GET /api/game/3/notices': [...several, late] } })
  expect(requests).toContain('GET /api/game/3/notices?count=1000')
  const inOrder = [
    'A fresh word',
    'New hint for Keel',
    'New hint for Reef',
    'Blue took third blood on Buoy',
    'Danes took second blood on Buoy',
    'Red took first blood on Buoy',
    'An old word',
    'New challenge: Keel',
  ]
  await until(() => expect(words()).toEqual(inOrder))
})

test('NP-1 after exactly an hour a notice of the organisers is in its place among the others', async () => {
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now)
  onTestFinished(() => void vi.restoreAllMocks())
  const at = (id: number, age: number) => ({
    ...notice(id, 'Normal', [`Age ${age}`], 0),
    time: new Date(now - age).toISOString(),
  })
  const other = notice(1, 'FirstBlood', ['Red', 'Buoy'], 30)
  await open({ answers: { 'GET /api/game/3/notices': [other, at(2, 3_600_000), at(3, 3_599_999)] } })
  expect(words()).toEqual(['Age 3599999', 'Red took first blood on Buoy', 'Age 3600000'])
})

test('P3.55 NP-2 each kind has its icon, its time and its sentence, texts of organisers are Markdown; the own team is highlighted', async () => {
  // A text of organisers that is the name of the team is not about it.
  await open({ answers: { 'GET /api/game/3/notices': [...several, notice(8, 'Normal', ['Danes'], 70)] } })
  expect(entries().every((entry) => entry.querySelector('svg') && entry.querySelector('time')?.dateTime)).toBe(true)
  const signs = entries().map((entry) => entry.querySelector('svg')?.outerHTML)
  // Old and fresh text, hint, challenge and the three bloods all look different.
  expect(new Set(signs).size).toBe(7)
  expect(entries()[0]?.querySelector('time')?.textContent).toBe('50 minutes ago')
  expect(entries()[1]?.querySelector('time')?.textContent).toMatch(/\d\d:\d\d/)
  await until(() => expect(entries()[0]?.querySelector('strong')?.textContent).toBe('fresh'))
  expect(entries().map(({ className }) => className.includes('pinned'))).toEqual([true, ...Array(7).fill(false)])
  const own = entries()[3]?.className
  expect(
    entries()
      .map(({ className }) => className)
      .filter((one) => one === own),
  ).toEqual([own])
})

test('NP-3 new notices are inserted without a reload; texts, challenges and hints show a message for five seconds, bloods do not', async () => {
  await open({ answers: { 'GET /api/game/3/notices': several.slice(0, 2) } })
  const said = () =>
    notificationsStore
      .getState()
      .notifications.map(({ title, message, color, autoClose }) => ({ title, message, color, autoClose }))
  await hub.say('/hub/user', 'ReceivedGameNotice', notice(9, 'FirstBlood', ['Red', 'Keel'], 0))
  // Below the fresh text, above the old one.
  await until(() => expect(words()).toEqual(['A fresh word', 'Red took first blood on Keel', 'An old word']))
  expect(said()).toEqual([])
  await hub.say('/hub/user', 'ReceivedGameNotice', notice(10, 'Normal', ['Lunch'], 0))
  await until(() => expect(words()[0]).toBe('Lunch'))
  await hub.say('/hub/user', 'ReceivedGameNotice', notice(11, 'NewChallenge', ['Keel'], 0))
  await hub.say('/hub/user', 'ReceivedGameNotice', notice(12, 'NewHint', ['Reef'], 0))
  expect(said()).toEqual([
    { title: 'Notice', message: 'Lunch', color: 'var(--accent-text)', autoClose: 5000 },
    { title: 'New challenge', message: 'Keel', color: 'var(--warn)', autoClose: 5000 },
    { title: 'New hint', message: 'Reef', color: 'var(--warn)', autoClose: 5000 },
  ])
  // Announced twice, shown once (LIVE-3).
  await hub.say('/hub/user', 'ReceivedGameNotice', notice(10, 'Normal', ['Lunch'], 0))
  await settle()
  expect(said()).toHaveLength(3)
  // Cut at a space that is near the end, otherwise between two characters.
  for (const [id, long, cut] of [
    [13, `${'wave '.repeat(39)}lighthouse`, `${'wave '.repeat(38)}wave…`],
    [14, `a ${'⚓️'.repeat(20)}${'🌊'.repeat(200)}`, `a ${'⚓️'.repeat(20)}${'🌊'.repeat(79)}…`],
    [15, 'x'.repeat(200), 'x'.repeat(200)],
    [16, `${'**wave** '.repeat(39)}[lighthouse](/about)`, `${'wave '.repeat(38)}wave…`],
    [17, 'Fixed: <b>Keel</b> & **Reef**, see [the rules](https://example.org)', 'Fixed: Keel & Reef, see the rules'],
    [18, '![](/assets/plan.png)', '![](/assets/plan.png)'],
  ] as const) {
    await hub.say('/hub/user', 'ReceivedGameNotice', notice(id, 'Normal', [long], 0))
    await until(() => expect(said().at(-1)?.message).toBe(cut))
  }
  expect(words().filter((one) => one === 'Lunch')).toHaveLength(1)
  expect(document.title).not.toMatch(/^\(/)
})

test('NP-3 notices between the first answer and the opening of the channel are listed, too', async () => {
  // Waits until the channel of earlier tests is closed.
  await settle(1200)
  hub.waits = true
  const { answers, requests } = await open({ address: '?c=7', answers: { 'GET /api/game/3/notices': several.slice(0, 1) } })
  expect(words()).toEqual(['An old word'])
  expect(panel()?.querySelector('header')?.textContent).toBe('Notices')
  answers['GET /api/game/3/notices'] = several.slice(0, 2)
  const before = requests.length
  await hub.open()
  await until(() => expect(words()).toEqual(['A fresh word', 'An old word']))
  for (const line of ['instances', 'challenges/7']) expect(requests.slice(before)).toContain(`GET /api/game/3/${line}`)
  expect(panel()?.querySelector('header')?.textContent).toBe('Noticeslive')
  await hub.lose('/hub/user')
  expect(panel()?.querySelector('header')?.textContent).toBe('Noticesreconnecting')
})

test('NP-4 an edited notice replaces the old one, a deleted one disappears', async () => {
  const { answers } = await open({ answers: { 'GET /api/game/3/notices': several.slice(0, 3) } })
  answers['GET /api/game/3/notices'] = [notice(2, 'Normal', ['A corrected word'], 50), several[2] as object]
  await hub.say('/hub/user', 'VexilGame', { gameId: 3, what: 'notices' })
  await until(() => expect(words()).toEqual(['A corrected word', 'Red took first blood on Buoy']))
})

test('NP-5 a failure is shown once, in the panel, with a way to try again; the cards stay', async () => {
  const { answers, place } = await open({
    answers: { 'GET /api/game/3/notices': refused('server.unknown', 'Out of order', 500) },
  })
  expect(panel()?.querySelector('[role=alert]')?.textContent).toContain('Out of order')
  expect(toasts()).toEqual([])
  expect(place.textContent).toContain('Buoy')
  answers['GET /api/game/3/notices'] = several.slice(0, 1)
  await click(button('Retry'))
  await until(() => expect(words()).toEqual(['An old word']))
})

test('NP-6 each filter shows its kinds, and has its own message when there are none', async () => {
  const { answers } = await open({ answers: listed })
  expect(panel()?.querySelector('[role=radiogroup]')?.getAttribute('aria-label')).toBe('Notice type')
  expect(panel()?.closest('aside')?.getAttribute('aria-label')).toBe('Notices')
  await show('Notice')
  expect(words()).toEqual(['A fresh word', 'An old word'])
  await show('News')
  expect(words()).toHaveLength(3)
  await show('Challenge')
  expect(words()).toEqual(['New hint for Reef', 'New challenge: Keel'])
  answers['GET /api/game/3/notices'] = []
  await hub.say('/hub/user', 'VexilGame', { gameId: 3, what: 'notices' })
  const none: Record<string, string> = {
    All: 'Nothing yet',
    Notice: 'No notices yet',
    News: 'No bloods yet',
    Challenge: 'No new challenges or hints yet',
  }
  for (const [name, text] of Object.entries(none)) {
    await show(name)
    await until(() => expect(panel()?.textContent).toContain(text))
  }
})

test('NP-7 an entry about a challenge opens it; new entries in a hidden tab are counted in its title', async () => {
  // The text of a notice is not the title of a challenge.
  const { place } = await open({ answers: { 'GET /api/game/3/notices': [...several, notice(8, 'Normal', ['Buoy'], 55)] } })
  expect(words()[1]).toBe('Buoy')
  for (const [index, id] of [
    [5, 7],
    [2, 8],
    [7, 9],
  ]) {
    await click(entries()[index as number]?.querySelector('button'))
    expect(here()).toBe(`/games/3/Challenges?c=${id}`)
    await act(
      async () => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })),
    )
    await settle()
  }
  for (const text of entries().slice(0, 2)) expect(text.querySelector('button')).toBeNull()
  const title = document.title
  hidden = true
  // Two messages of one frame arrive before the page is rendered again.
  await act(async () => {
    void hub.say('/hub/user', 'ReceivedGameNotice', notice(20, 'Normal', ['One'], 0))
    void hub.say('/hub/user', 'ReceivedGameNotice', notice(21, 'FirstBlood', ['Red', 'Keel'], 0))
  })
  await until(() => expect(document.title).toBe(`(2) ${title}`))
  const badge = () => place.querySelector('[data-bottom-bar] a[href*="sheet=notices"] span')?.textContent
  expect(badge()).toBe('2')
  await act(async () => {
    for (let id = 22; id < 119; id++)
      void hub.say('/hub/user', 'ReceivedGameNotice', notice(id, 'FirstBlood', ['Red', 'Keel'], 0))
  })
  await until(() => expect(document.title).toBe(`(99) ${title}`))
  expect(badge()).toBe('99')
  await hub.say('/hub/user', 'ReceivedGameNotice', notice(119, 'FirstBlood', ['Red', 'Keel'], 0))
  await until(() => expect(document.title).toBe(`(100) ${title}`))
  expect(badge()).toBe('99+')
  const change = () => act(async () => void document.dispatchEvent(new Event('visibilitychange')))
  await change()
  expect(document.title).toBe(`(100) ${title}`)
  hidden = false
  await change()
  await until(() => expect(document.title).toBe(title))
  expect(badge()).toBeUndefined()
})

test('NP-7 on a phone the notices are a sheet, which can be closed; an entry about a challenge opens it in its place', async () => {
  await open({ answers: listed, address: '?sheet=notices' })
  const sheet = () => document.querySelector('[role=dialog]')
  expect(document.querySelector('[data-bottom-bar] [aria-current]')?.textContent).toBe('Notices')
  expect(sheet()?.querySelector('ul')?.getAttribute('aria-live')).toBe('polite')
  // The title of the sheet is its only heading.
  expect([...(sheet()?.querySelectorAll('h2') ?? [])].map(({ textContent }) => textContent)).toEqual(['Notices'])
  expect(sheet()?.querySelector('section[aria-label]')).toBeNull()
  await click(sheet()?.querySelectorAll('li')[1]?.querySelector('button'))
  expect(here()).toBe('/games/3/Challenges?c=8')
  await openInGame(ChallengesScreen, 'Challenges', { answers: listed, address: '?sheet=notices' })
  await click([...document.querySelectorAll('[role=dialog] [aria-label=Close]')].at(-1))
  await until(() => expect([...document.querySelectorAll('output')].at(-1)?.textContent).toBe('/games/3/Challenges'))
})

const strip = () => document.querySelector('[aria-label="Own team"]')

test('TR-1 until the first answer placeholders are shown instead of numbers', async () => {
  let reply: (response: Response) => void = () => {}
  const { place } = await open({ answers: { 'GET /api/game/3/details': () => new Promise((resolve) => (reply = resolve)) } })
  expect(strip()).toBeNull()
  expect(place.querySelectorAll('[class*=Skeleton-root]').length).toBeGreaterThan(0)
  await act(async () => reply(Response.json(details())))
  await until(() => expect(strip()?.textContent).toContain('0points'))
})

test('TR-2 rank, points and solves follow the board without a reload; changes are highlighted, but not at first', async () => {
  const teams = { ...feed().teams, division: [0, 0, -1] }
  const { place } = await open({
    game: game({ teamCount: 4, organization: 'Juniors' }),
    answers: {
      'GET /api/game/3/scoreboard/feed': feed(undefined, { divisions: ['Juniors'], teams }),
    },
  })
  const lit = () => [...(strip()?.querySelectorAll('[class*=flash]') ?? [])].map(({ textContent }) => textContent)
  expect(strip()?.textContent).toContain('2of 32in Juniors')
  expect(lit()).toEqual([])
  await hub.say('/hub/user', 'VexilSolves', solve(1, 11, 7, 'ann', 460))
  await until(() => expect(strip()?.textContent).toMatch(/460points1of 3 solved/))
  expect(lit()).toContain('460points')
  place.remove()
  // The board is newer than the own view.
  await open({
    game: game({ organization: 'Juniors' }),
    answers: { 'GET /api/game/3/details': details({ rank: { ...details().rank, rank: 9 } }) },
  })
  expect(strip()?.textContent).toContain('2of 3')
  expect(strip()?.textContent).not.toContain('in ')
  const team = { id: 21, participationId: 11, name: 'Norse', bio: null, avatar: null, division: null }
  const renamed = { gameId: 3, epoch: 1, roster: 2, steps: [{ from: 1, solvers: [] }], teams: [team] }
  await hub.say('/hub/user', 'VexilRoster', renamed)
  await until(() => expect(strip()?.textContent).toContain('Norse'))
})

test('TR-3 the token is hidden until it is shown on request, is copied whole, and names who can check it', async () => {
  const copied: string[] = []
  Object.assign(navigator, { clipboard: { writeText: async (text: string) => void copied.push(text) } })
  await open({ address: '?sheet=team' })
  const sheet = document.querySelector('[role=dialog]')
  expect(sheet?.querySelector('h2')?.textContent).toBe('Danes')
  // The number of dots does not depend on it.
  expect(sheet?.querySelector('code')?.textContent).toBe('•'.repeat(24))
  expect(sheet?.textContent).toContain('POST /api/team/verify')
  await click(sheet?.querySelector('[aria-label="Copy token"]'))
  await until(() => expect(copied).toEqual(['21:secret']))
  await click(sheet?.querySelector('[aria-label="Show token"]'))
  expect(sheet?.querySelector('code')?.textContent).toBe('21:secret')
  await click(sheet?.querySelector('[aria-label="Hide token"]'))
  expect(sheet?.querySelector('code')?.textContent).toMatch(/^•+$/)
  await click(sheet?.querySelector('[aria-label=Close]'))
  await until(() => expect(here()).toBe('/games/3/Challenges'))
  // Wide windows have it behind the name of the team.
  await click(strip()?.querySelector('button'))
  await click([...document.querySelectorAll('[aria-label="Show token"]')].at(-1))
  expect([...document.querySelectorAll('code')].at(-1)?.textContent).toBe('21:secret')
})

test('TR-4 without a challenge the progress is zero; with one solved of three it is a third', async () => {
  const bar = () => document.querySelector<HTMLElement>('[role=dialog] [aria-hidden] > i')?.style.width
  const { place } = await open({
    game: game({ organization: 'Juniors' }),
    address: '?sheet=team',
    answers: {
      'GET /api/game/3/details': details({ challenges: {}, challengeCount: 0, rank: { ...details().rank, rank: 0 } }),
      'GET /api/game/3/scoreboard/feed': refused('server.unknown', 'Not yet', 500),
    },
  })
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('–of 3')
  // The team is in no division.
  expect(document.querySelector('[role=dialog]')?.textContent).not.toContain('in Juniors')
  expect(bar()).toMatch(/^0(px|%)?$/)
  expect(document.querySelector('[role=dialog]')?.textContent).not.toContain('NaN')
  place.remove()
  await open({
    game: game({ organization: 'Juniors' }),
    address: '?sheet=team',
    answers: {
      'GET /api/game/3/scoreboard/feed': feed(undefined, {
        divisions: ['Juniors'],
        teams: { ...feed().teams, division: [0, -1, 0] },
      }),
    },
  })
  expect([...document.querySelectorAll('[role=dialog]')].at(-1)?.textContent).toMatch(/^Danes2of 31in Juniors0points/)
  await hub.say('/hub/user', 'VexilSolves', solve(1, 11, 7, 'ann', 460))
  await until(() =>
    expect([...document.querySelectorAll<HTMLElement>('[role=dialog] [aria-hidden] > i')].at(-1)?.style.width).toMatch(/^33\.3/),
  )
})
