// @vitest-environment jsdom
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StartRow } from '@vexil/contract/scoreboard'
import type { BoardRow } from '@vexil/core/scoreboard'
import { packBloodBonus } from '@vexil/core/scoring'
import { submissionTypes } from '@vexil/core/vocabulary'
import { act } from 'react'
import { useNavigationType } from 'react-router'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { button, click, named, settle, write } from '../../test/acts.ts'
import { hub } from '../../test/hub.ts'
import { feed, game, here, minute, openInGame, refused, solve } from '../../test/in-game.tsx'
import { device, json, openPage, toasts, until } from '../../test/page.tsx'
import { openFeed } from '../api/board.ts'
import ScoreboardScreen from './scoreboard.screen.tsx'
import { TeamCourse } from './team-course.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))

beforeEach(() => {
  // Mocked layout: a window of ten rows.
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(330)
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(330)
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(1200)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const board = 'GET /api/game/3/scoreboard/feed'
const open = (answer: object | (() => Response | Promise<Response>) = feed(), address = '') =>
  openInGame(ScoreboardScreen, 'Scoreboard', { address, answers: { [board]: answer } })
const rows = () => [...document.querySelectorAll<HTMLElement>('tbody tr[data-team]')]
const names = () => rows().map((row) => row.querySelector('th button')?.textContent)
const heads = () => [...document.querySelectorAll('thead tr:last-child > th')].map(({ textContent }) => textContent)
const dialog = () => document.querySelector<HTMLElement>('[role=dialog]')
/** Danes and Blue in the north, Red in the south. */
const divided = () => {
  const whole = feed([
    [1, 0, 10],
    [2, 1, 12],
  ])
  return { ...whole, divisions: ['North', 'South'], teams: { ...whole.teams, division: [0, 1, 0] } }
}
const choose = async (name: string) => {
  await click(named('Division'))
  await click([...document.querySelectorAll('[role=option]')].find(({ textContent }) => textContent === name))
}

test('SB-2 divisions can be chosen where there are some, with all teams as the first choice; the choice is in the address and scrolls to the top; only an opened team is a step of the back button', async () => {
  const plain = await open()
  expect(named('Division')).toBeUndefined()
  plain.place.remove()
  const How = () => <i data-how={useNavigationType()} />
  const how = () => document.querySelector<HTMLElement>('[data-how]')?.dataset.how
  await openInGame(ScoreboardScreen, 'Scoreboard', { address: '?team=22', answers: { [board]: divided() }, beside: <How /> })
  await act(async () => dialog()?.querySelector<HTMLElement>('button[aria-label=Close]')?.click())
  await click(named('Division'))
  expect([...document.querySelectorAll('[role=option]')].map(({ textContent }) => textContent)).toEqual([
    'All divisions',
    'North',
    'South',
  ])
  const scrolled = vi.spyOn(Element.prototype, 'scrollTo')
  await click([...document.querySelectorAll('[role=option]')].at(1))
  expect([here(), how()]).toEqual(['/games/3/Scoreboard?division=North', 'REPLACE'])
  expect(names()).toEqual(['Blue', 'Danes'])
  // Two rows and the space below them.
  expect(document.querySelectorAll('tbody tr')).toHaveLength(3)
  expect(scrolled).toHaveBeenCalledWith({ top: 0 })
  await choose('All divisions')
  expect(here()).toBe('/games/3/Scoreboard')
  expect(names()).toEqual(['Red', 'Blue', 'Danes'])
  await click(rows()[0]?.querySelector('th button'))
  expect([here(), how()]).toEqual(['/games/3/Scoreboard?team=22', 'PUSH'])
})

test('SB-2 SB-5 an address with a division opens it: its ranks replace those of the whole game', async () => {
  const given = divided()
  given.teams.bio = ['Old hands', null, null]
  const { place } = await open(given, '?division=North')
  expect(heads()).toEqual(['In division', 'Team', 'Solved', 'Points'])
  expect(rows().map((row) => row.querySelector('td')?.textContent)).toEqual(['1', '2'])
  expect(document.querySelector('section[aria-label="Your team"]')?.textContent).toBe('3of 30points0of 3 solved')
  // The division is beside the name only among the teams of all divisions.
  expect(rows().filter((row) => row.querySelector('[title=North]'))).toEqual([])
  await click(rows()[1]?.querySelector('th button'))
  await until(() => expect(dialog()?.textContent).toContain('Old hands3overall2in North'))
  place.remove()
  await open(divided())
  expect(rows().filter((row) => row.querySelector('[title=North]'))).toHaveLength(2)
  expect(heads()).toEqual(['Rank', 'Team', 'Solved', 'Points'])
  expect(rows().map((row) => row.querySelector('td')?.textContent)).toEqual(['1', '2', '3'])
})

test('SB-5 a rank is one of the division on screen', async () => {
  await open(divided(), '?division=North')
  const field = named<HTMLInputElement>('Find a team')
  await write(field, '#1')
  await act(async () => void field?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })))
  // The second one of the whole game.
  await until(() => expect(document.querySelector('tr[class*=marked] th button')?.textContent).toBe('Blue'))
  expect(field?.value).toBe('')
})

test('the own team is the one of its name among those of the person, while it is accepted', async () => {
  const own = () => rows().flatMap((row) => (row.querySelector('[aria-label="Your team"]') ? [row.dataset.team] : []))
  const same = feed()
  same.teams.name = ['Danes', 'Danes', 'Blue']
  for (const [shown, answer, team] of [
    [{ registered: { 21: 1, 22: 1 } }, feed(), '21'],
    [{ registered: { 21: 1 } }, same, '21'],
    [{ registered: { 21: 1 }, status: 'Suspended' }, feed(), undefined],
  ] as const) {
    const { place } = await openInGame(ScoreboardScreen, 'Scoreboard', { game: game(shown), answers: { [board]: answer } })
    await until(() => expect(rows()).toHaveLength(3))
    expect(own()).toEqual(team ? [team] : [])
    place.remove()
  }
})

test('a board that changes before each of its tails is read three times and then shown, as the channel corrects it', async () => {
  hub.waits = true
  onTestFinished(() => {
    hub.waits = false
  })
  let roster = 0
  const { requests } = await open(() => json(feed([[1, 0, 10]], { roster: roster++ })))
  await until(() => expect(names()).toEqual(['Red', 'Danes', 'Blue']))
  expect(requests.filter((line) => line.startsWith(board)).map((line) => line.slice(board.length))).toEqual(
    Array(3).fill(['', '?after=1']).flat(),
  )
})

test('P8.23 an unknown division or team in the address is removed with one yellow message; the board stays', async () => {
  for (const address of ['?division=East&team=22', '?team=99']) {
    const { place } = await open(divided(), address)
    await until(() => expect(here()).toBe(`/games/3/Scoreboard${address.includes('22') ? '?team=22' : ''}`))
    expect(toasts()).toEqual([expect.objectContaining({ title: 'Incorrect parameter (unknown)', role: 'status' })])
    expect(names()).toHaveLength(3)
    place.remove()
  }
})

test('SB-7 SD-3 LIVE-4 a solve moves rows in place: scroll position and open team stay, and rows that rose or fell are marked', async () => {
  const { requests } = await open(feed(), '?team=23')
  const scroller = document.querySelector<HTMLElement>('section[tabindex="0"]') as HTMLElement
  scroller.scrollLeft = 40
  const help = document.getElementById(scroller.getAttribute('aria-describedby') ?? '')
  expect([scroller.getAttribute('aria-label'), help?.textContent]).toEqual(['Scoreboard', 'Scroll sideways with the arrow keys'])
  expect(names()).toEqual(['Red', 'Danes', 'Blue'])
  // The last line of the head has a cell for each column, and the lines above name the challenges and their categories.
  const widths = [...document.querySelectorAll('thead tr:last-child'), ...rows()].map((row) => row.children.length)
  expect(widths).toEqual(Array(4).fill(5 + 3 + 1))
  const values = [...document.querySelectorAll('thead tr:last-child td')].map(({ textContent }) => textContent)
  expect(values).toEqual(['', '500', '480', '500', ''])
  const groups = [...document.querySelectorAll<HTMLTableCellElement>('thead th[scope=colgroup]')]
  expect(groups.map((one) => [one.querySelector('[role=img]')?.getAttribute('aria-label'), one.colSpan])).toEqual([
    ['Crypto', 1],
    ['Web', 2],
  ])
  const titles = [...document.querySelectorAll('thead tr:nth-child(2) th')].map(({ textContent }) => textContent)
  expect(titles).toEqual(['Keel', 'Buoy', 'Reef'])
  const cells = () => rows().map((row) => [...row.querySelectorAll('[title*=points]')].map((cell) => cell.getAttribute('title')))
  expect(cells()).toEqual([[expect.stringMatching(/^Buoy: 480 points, .*\d\d:\d\d:\d\d/)], [], []])
  const before = requests.length
  const [first, second] = [solve(1, 13, 8), solve(2, 13, 9)]
  await hub.say('/hub/user', 'VexilSolves', { ...first, to: 3, solves: [...first.solves, ...second.solves] })
  await until(() => expect(names()).toEqual(['Blue', 'Red', 'Danes']))
  const marks = () => rows().map((row) => row.querySelector('td:nth-child(2) [role=img]')?.getAttribute('aria-label') ?? null)
  expect(marks()).toEqual(['up 2', 'down 1', 'down 1'])
  expect(rows().map((row) => row.querySelector('td:nth-child(2)')?.textContent)).toEqual(['▲2', '▼1', '▼1'])
  expect(dialog()?.querySelector('h2')?.textContent).toContain('Blue')
  expect(dialog()?.textContent).toContain('2of 3 solved')
  expect(scroller.isConnected && scroller.scrollLeft).toBe(40)
  expect(requests.length).toBe(before)
  // The arrows disappear after ten seconds.
  const styles = readFileSync(join(import.meta.dirname, 'board.module.css'), 'utf8')
  for (const mark of ['up', 'down'])
    expect(styles).toMatch(new RegExp(`\\n\\.${mark} \\{[^}]*animation: fade 0\\.8s 9\\.2s forwards;`))
  expect(styles).toMatch(/@keyframes fade \{\s*to \{\s*opacity: 0;\s*visibility: hidden;/)
  await act(async () => dialog()?.querySelector<HTMLElement>('button[aria-label=Close]')?.click())
  await until(() => expect(here()).toBe('/games/3/Scoreboard'))
  await click(rows()[1]?.querySelector('th button'))
  expect(here()).toBe('/games/3/Scoreboard?team=22')
})

test('LIVE-4 after a gap the board is requested again, after a random delay within a second', async () => {
  const { requests } = await open()
  const calls = () => requests.filter((line) => line.startsWith(board)).length
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const before = calls()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const pass = (ms: number) => act(async () => void (await vi.advanceTimersByTimeAsync(ms)))
    await hub.say('/hub/user', 'VexilSolves', solve(5, 13, 8))
    await pass(400)
    // Two gaps cause one request.
    await hub.say('/hub/user', 'VexilSolves', solve(6, 13, 9))
    await pass(499)
    expect(calls()).toBe(before)
    await pass(1)
    expect(calls()).toBe(before + 1)
  } finally {
    vi.useRealTimers()
  }
})

test('LIVE-2 a solve that is announced while the board is read again stays', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const { requests, answers } = await open()
  const replies: (() => void)[] = []
  answers[board] = () => new Promise((resolve) => replies.push(() => resolve(Response.json(feed()))))
  await hub.say('/hub/user', 'VexilBoard', { gameId: 3, epoch: 1, head: 2, roster: 1, withinMs: 0 })
  await until(() => expect(replies).toHaveLength(1))
  await hub.say('/hub/user', 'VexilSolves', solve(1, 13, 8))
  await until(() => expect(names()).toEqual(['Red', 'Blue', 'Danes']))
  const before = requests.length
  await act(async () => replies[0]?.())
  await settle()
  expect(names()).toEqual(['Red', 'Blue', 'Danes'])
  expect(requests.slice(before)).toEqual([])
})

test('LIVE-4 a new name of a team is shown without a request of the board, also for the own one; a board of the same version is ignored, another one is requested within the given time', async () => {
  const { requests, answers } = await open()
  const calls = () => requests.filter((line) => line.startsWith(board)).length
  const before = calls()
  const reads = () => requests.filter((line) => line === 'GET /api/game/3').length
  const first = reads()
  answers['GET /api/game/3'] = game({ teamName: 'Norse' })
  const team = { id: 21, participationId: 11, name: 'Norse', bio: null, avatar: null, division: null }
  const renamed = { gameId: 3, epoch: 1, roster: 2, steps: [{ from: 1, solvers: [] }], teams: [team] }
  await hub.say('/hub/user', 'VexilRoster', renamed)
  await until(() => expect(names()).toEqual(['Red', 'Norse', 'Blue']))
  // The own team is found by its name.
  await until(() => expect(document.querySelector('section[aria-label="Your team"]')).not.toBeNull())
  expect(reads()).toBe(first + 1)
  await hub.say('/hub/user', 'VexilRoster', {
    ...renamed,
    roster: 3,
    steps: [{ from: 2, solvers: [] }],
    teams: [{ ...team, id: 22, participationId: 12, name: 'Rot' }],
  })
  await until(() => expect(names()).toEqual(['Rot', 'Norse', 'Blue']))
  expect(reads()).toBe(first + 1)
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const same = { gameId: 3, epoch: 1, head: 1, roster: 3, withinMs: 2000 }
    await hub.say('/hub/user', 'VexilBoard', same)
    await act(async () => void (await vi.advanceTimersByTimeAsync(5000)))
    expect(calls()).toBe(before)
    for (const [index, other] of [{ head: 2 }, { roster: 4 }, { epoch: 2 }].entries()) {
      const count = calls()
      await hub.say('/hub/user', 'VexilBoard', { ...same, ...other })
      await act(async () => void (await vi.advanceTimersByTimeAsync(999)))
      expect([index, calls()]).toEqual([index, count])
      await act(async () => void (await vi.advanceTimersByTimeAsync(1)))
      expect(calls()).toBeGreaterThan(count)
      await act(async () => void (await vi.advanceTimersByTimeAsync(5000)))
    }
    // Only the last of several messages counts.
    const count = calls()
    for (let times = 0; times < 3; times++) {
      await hub.say('/hub/user', 'VexilBoard', { ...same, epoch: 3 })
      await act(async () => void (await vi.advanceTimersByTimeAsync(600)))
    }
    expect(calls()).toBe(count)
  } finally {
    vi.useRealTimers()
  }
  // This request is cancelled when the page is closed (left-behind.ts).
  await hub.say('/hub/user', 'VexilBoard', { gameId: 3, epoch: 4, head: 1, roster: 2, withinMs: 60_000 })
})

test.each([
  ['a solve', 'VexilSolves', solve(1, 13, 8)],
  ['a name', 'VexilRoster', { gameId: 3, epoch: 1, roster: 2, steps: [{ from: 1, solvers: [] }], teams: [] }],
  ['a version', 'VexilBoard', { gameId: 3, epoch: 1, head: 2, roster: 1, withinMs: 0 }],
])('LIVE-2 a board that arrives after the message of %s and lacks it is requested again', async (_, target, message) => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  // An open channel would request the board, too.
  hub.waits = true
  onTestFinished(() => {
    hub.waits = false
  })
  let reply: (response: Response) => void = () => {}
  const { requests, answers } = await open(() => new Promise((resolve) => (reply = resolve)))
  await hub.say('/hub/user', target, message)
  await settle()
  answers[board] = feed()
  const calls = () => requests.filter((line) => line === board || line.startsWith(`${board}?`)).length
  expect(calls()).toBe(1)
  await act(async () => reply(Response.json(feed())))
  // Requests of the feed, its tail, and the tail again; without the channel the page would also poll ten seconds later.
  for (let turns = 0; turns < 100 && calls() <= 2; turns++) await settle()
  expect(calls()).toBeGreaterThan(2)
})

test('SB-21 teams without a picture have flags that differ by name and by id, as does a team whose picture fails to load', async () => {
  const { teams } = feed()
  const shown = { id: [21, 31, 22], name: ['Rook', 'Red', 'Blue'], avatar: [null, null, '/assets/blue.png'] }
  await open(feed([], { teams: { ...teams, ...shown } }))
  const cell = (name: string) =>
    rows()
      .find((row) => row.querySelector('th button')?.textContent === name)
      ?.querySelector('th')
  // Without clip paths, whose names are not visible.
  const sign = (name: string) =>
    cell(name)
      ?.querySelector('svg')
      ?.innerHTML.replace(/<clipPath.*?<\/clipPath>|clip-path="[^"]*"/g, '')
  expect(cell('Blue')?.querySelector('img')?.getAttribute('src')).toBe('/assets/blue.png')
  const rook = sign('Rook')
  expect(rook).toMatch(/<path.*<rect/)
  // Rook and Red have the same initial; corner and colour of the border differ.
  expect(sign('Red')).not.toBe(rook)
  await act(async () => cell('Blue')?.querySelector('img')?.dispatchEvent(new Event('error')))
  expect(sign('Blue')).toMatch(/<path.*<rect/)
  expect(new Set(['Rook', 'Red', 'Blue'].map(sign)).size).toBe(3)
})

test('a user who can open only the scoreboard of a game gets no navigation bar; the monitor is only for its staff', async () => {
  const bar = () => document.querySelector('nav[aria-label="Game sections"]')
  const tabs = () => [...document.querySelectorAll('nav[aria-label="Harbour Cup"] a')].map(({ textContent }) => textContent)
  const { place } = await openInGame(ScoreboardScreen, 'Scoreboard', {
    game: game({ status: 'Unsubmitted', teamName: null }),
    answers: { [board]: feed() },
  })
  expect(bar()).toBeNull()
  place.remove()
  const player = await open()
  expect(tabs()).toEqual(['Challenges', 'Scoreboard'])
  expect(bar()?.querySelectorAll('a')).toHaveLength(4)
  player.place.remove()
  await openInGame(ScoreboardScreen, 'Scoreboard', {
    game: game({ status: 'Unsubmitted', teamName: null }),
    role: 'Monitor',
    answers: { [board]: feed() },
  })
  expect(tabs()).toEqual(['Scoreboard', 'Monitoring'])
})

test('SB-8 placeholder rows are shown while the board loads; without a team there is a message, and a failure can be tried again', async () => {
  let reply: (response: Response) => void = () => {}
  const { place, answers } = await open(() => new Promise((resolve) => (reply = resolve)))
  expect(place.querySelectorAll('[class*=Skeleton-root]').length).toBeGreaterThan(10)
  const none = feed([])
  const empty = { id: [], participationId: [], name: [], bio: [], avatar: [], division: [] }
  answers[board] = { ...none, teams: empty }
  await act(async () => reply(Response.json(answers[board])))
  await until(() => expect(place.textContent).toContain('No teams yet'))
  expect(place.querySelector('table')).toBeNull()
  place.remove()
  await settle(1300)
  const failed = await open(refused('server.unknown', 'Out of order', 500))
  expect(failed.place.textContent).toContain('Out of order')
  failed.answers[board] = feed()
  await click(button('Retry'))
  await until(() => expect(names()).toHaveLength(3))
})

test('SB-10 the age of the board is that of its last change, is updated with it, and has the full time', async () => {
  document.title = ''
  await open()
  const age = () => [...document.querySelectorAll('time')].find((one) => one.parentElement?.textContent?.startsWith('Updated'))
  expect(document.title).toBe('Scoreboard - Harbour Cup - GZ::CTF')
  expect(age()?.textContent).toBe('5 minutes ago')
  expect(Date.now() - Date.parse(age()?.dateTime ?? '')).toBeGreaterThan(4 * minute)
  await hub.say('/hub/user', 'VexilSolves', solve(1, 13, 8))
  await until(() => expect(age()?.textContent).toBe('this minute'))
  hub.waits = true
  onTestFinished(() => {
    hub.waits = false
  })
  await hub.lose('/hub/user')
  await until(() =>
    expect([document.querySelector('thead [role=status]')?.textContent, age()]).toEqual(['reconnecting', undefined]),
  )
  hub.waits = false
  await hub.open()
  await until(() => expect(age()).toBeTruthy())
})

test('on a phone the board has rank, team and points, and its tools are above it', async () => {
  device.width = 600
  onTestFinished(() => {
    device.width = undefined
  })
  await open(divided())
  expect(heads()).toEqual(['Rank', 'Team', 'Points'])
  expect(document.querySelectorAll('thead tr > *, col')).toHaveLength(3 + 3)
  expect(rows().map((row) => [...row.children].map(({ textContent }) => textContent))).toEqual([
    ['1', expect.stringMatching(/^RedSouth · 1 solved/), '480'],
    ['2', expect.stringMatching(/^BlueNorth · 1 solved/), '480'],
    ['3', expect.stringMatching(/^DanesNorth · 0 solved/), '0'],
  ])
  expect([named('Find a team')?.closest('table'), document.querySelectorAll('[aria-label="Find a team"]').length]).toEqual([
    null,
    1,
  ])
})

test('SD-1 a category that no team solved counts zero; each category has a bar', async () => {
  const { place } = await open(feed(), '?team=22')
  const shares = () => [...(dialog()?.querySelectorAll('[aria-label="Share of points per category"] li') ?? [])]
  expect(shares().map((one) => [one.textContent, one.querySelector('i')?.style.width])).toEqual([
    ['Crypto0 %', '0%'],
    ['Web100 %', '100%'],
  ])
  expect(dialog()?.textContent).not.toContain('NaN')
  expect([...(dialog()?.querySelectorAll('figure path') ?? [])].map((one) => one.getAttribute('d')).join()).not.toContain('NaN')
  place.remove()
})

test('SD-2 the solves of a team are listed newest first, with member, points and the bonus of the challenge in them', async () => {
  const given = feed(
    [
      [1, 0, 10],
      [1, 1, 20],
      [2, 1, 25],
      [1, 2, 30],
    ],
    { bloodBonus: packBloodBonus({ first: 50, second: 30, third: 10 }) },
  )
  given.challenges.bloodBonus = [null, packBloodBonus({ first: 100, second: 0, third: 0 }), 0]
  given.solves.user = [0, -1, 0, 0]
  await open(given, '?team=22')
  const lines = [...(dialog()?.querySelectorAll('tbody tr') ?? [])].map((line) => [
    line.querySelector('td')?.textContent,
    ...[...line.querySelectorAll('td')].slice(1, 3).map(({ textContent }) => textContent),
  ])
  const bloods = [...(dialog()?.querySelectorAll('tbody td:first-child') ?? [])].map((cell) =>
    cell.querySelector('[aria-label*=blood]'),
  )
  expect(bloods.map((one) => one?.getAttribute('aria-label'))).toEqual(['First blood', 'First blood', 'First blood'])
  expect(lines).toEqual([
    ['Keel', 'ann', '480'],
    ['Reef', 'former member', '506 +10 %'],
    ['Buoy', 'ann', '504 +5 %'],
  ])
  expect(dialog()?.textContent).toContain('No description yet.')
  // Challenges have different bonuses, so the legend names none.
  await click(button('Legend'))
  const legend = () => document.querySelector('[class*=legend]')?.textContent
  await until(() => expect(legend()).toBeTruthy())
  expect(legend()).not.toContain('%')
  expect(legend()).toContain('by challenge')
})

test('the legend names the bonus of each blood where it is the same for all challenges', async () => {
  await open(feed([], { bloodBonus: packBloodBonus({ first: 50, second: 25, third: 10 }) }))
  await click(button('Legend'))
  const lines = () => [...document.querySelectorAll('[class*=legend] > span')].map(({ textContent }) => textContent?.trim())
  await until(() => expect(lines().slice(0, 3)).toEqual(['first +5 %', 'second +2.5 %', 'third +1 %']))
  expect(lines()).toHaveLength(4)
})

test('SD-4 the dialog of a team draws its points and its rank over time, and says them; a team without a solve has no drawing', async () => {
  const moved = feed([
    [1, 0, 10],
    [2, 0, 20],
    [2, 1, 30],
  ])
  const { place } = await open(moved, '?team=22')
  const course = () => dialog()?.querySelector('figure[aria-label="Score and rank over time"]')
  await until(() => expect(course()?.textContent).toBe('460 pointsRank 2, best 1, lowest 2'))
  expect(course()?.querySelectorAll('path')).toHaveLength(3)
  // The last change was after 30 minutes; the drawing ends with the last change of the board, after 55.
  const drawnLines = [...(course()?.querySelectorAll('path') ?? [])].map((one) => one.getAttribute('d'))
  expect(drawnLines).toEqual([
    'M0 100H54.5V0.0H163.6V0.0H300V100H0z',
    'M0 100H54.5V0.0H163.6V0.0H300',
    // Four units of space above the best rank and below the lowest.
    expect.stringMatching(/^M54\.5\d* 4H54\.5V4\.0H163\.6V96\.0H300$/),
  ])
  const words = [...(course()?.querySelectorAll('figcaption span') ?? [])].map(({ className }) => className)
  expect(words).toEqual([expect.stringContaining('ofPoints'), expect.stringContaining('ofRank')])
  place.remove()
  await settle(1300)
  const other = await open(moved, '?team=21')
  await until(() => expect(dialog()?.textContent).toContain('No solves yet'))
  expect(course()).toBeFalsy()
  other.place.remove()
  // Of very many solves only the points are drawn.
  const { rows, ...state } = openFeed(moved)
  const row = rows.find(({ team }) => team.id === 22) as BoardRow
  const crowded = [row, { ...row, solves: Array<BoardRow['solves'][number]>(50_000) }]
  const drawing = await openPage(<TeamCourse row={row} state={{ ...state, rows: crowded }} />)
  expect([drawing.querySelector('figcaption')?.textContent, drawing.querySelectorAll('path').length]).toEqual(['460 points', 2])
})

/** A game of two hours that started an hour ago, at a full second. */
const replayed = () => {
  const startsAt = Math.floor(Date.now() / 1000) * 1000 - 60 * minute
  const whole = feed([
    [1, 0, 10],
    [2, 0, 20],
    [2, 1, 30],
  ])
  return { ...whole, startsAt, endsAt: startsAt + 120 * minute, changedAt: startsAt + 30 * minute }
}
const momentOf = (startsAt: number, minutes: number) => `${new Date(startsAt + minutes * minute).toISOString().slice(0, 19)}Z`
const slider = () => document.querySelector<HTMLInputElement>('input[type=range]')
const slide = (minutes: number) => write(slider() ?? undefined, String(Math.round((minutes / 60) * Number(slider()?.max))))
const points = () =>
  rows().map((row) => `${row.querySelector('th button')?.textContent} ${row.querySelectorAll('td')[3]?.textContent}`)

test('the board at an earlier moment: a slider opens at now, moves the rows, and updates the address when it stops', async () => {
  const given = replayed()
  await open(given)
  expect(names()).toEqual(['Blue', 'Red', 'Danes'])
  expect(slider()).toBeNull()
  const opener = document.querySelector<HTMLElement>('button[aria-label=Replay]')
  // A real click focuses the button first.
  await act(async () => opener?.focus())
  await click(opener)
  await until(() => expect(slider()).not.toBeNull())
  expect(document.activeElement).toBe(slider())
  expect(opener?.getAttribute('aria-pressed')).toBe('true')
  expect(Number(slider()?.max) - Number(slider()?.value)).toBeLessThanOrEqual(1)
  expect(names()).toEqual(['Blue', 'Red', 'Danes'])
  await slide(15)
  expect(names()).toEqual(['Red', 'Danes', 'Blue'])
  expect(slider()?.getAttribute('aria-valuetext')).toBe(document.querySelector('section[aria-label=Replay] time')?.textContent)
  expect(document.body.textContent).toContain('Earlier scoreboard')
  await until(() => expect(here()).toBe(`/games/3/Scoreboard?at=${encodeURIComponent(momentOf(given.startsAt, 15))}`))
  const writeText = vi.fn(async (_: string) => {})
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } })
  await click(named('Copy link to this time'))
  expect(new URL(writeText.mock.lastCall?.[0] ?? '').searchParams.get('at')).toBe(momentOf(given.startsAt, 15))
  await slide(5)
  expect(names()).toEqual(['Danes', 'Red', 'Blue'])
  expect(points()).toEqual(['Danes 0', 'Red 0', 'Blue 0'])
  await click(named('Back to current scoreboard'))
  await until(() => expect(here()).toBe('/games/3/Scoreboard'))
  expect(names()).toEqual(['Blue', 'Red', 'Danes'])
  expect(slider()).toBeNull()
  expect(document.body.textContent).toContain('Updated')
  await until(() => expect(document.activeElement).toBe(opener))
  await click(opener)
  await until(() => expect(slider()).not.toBeNull())
  await click(opener)
  await until(() => expect(slider()).toBeNull())
})

test('a choice made while the address is being updated is shown, and the address follows it', async () => {
  const given = replayed()
  await open(given, `?at=${momentOf(given.startsAt, 40)}`)
  await until(() => expect(slider()).not.toBeNull())
  // Only a press on its button gives the slider the focus.
  expect(document.activeElement).not.toBe(slider())
  const before = here()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await slide(22)
  await act(async () => void vi.advanceTimersByTime(399))
  expect(here()).toBe(before)
  await act(async () => {
    // The slider was at rest: its moment is being written to the address when the next one is chosen.
    vi.advanceTimersByTime(1)
    void slide(5)
  })
  vi.useRealTimers()
  await settle()
  expect(names()).toEqual(['Danes', 'Red', 'Blue'])
  await slide(4)
  await until(() => expect(here()).toBe(`/games/3/Scoreboard?at=${encodeURIComponent(momentOf(given.startsAt, 4))}`))
  expect(points()).toEqual(['Danes 0', 'Red 0', 'Blue 0'])
})

test('a link to a moment opens the board at that time, with the team that it names; newer solves appear afterwards', async () => {
  const given = replayed()
  await open(given, `?at=${momentOf(given.startsAt, 22)}&team=22`)
  await until(() => expect(slider()).not.toBeNull())
  // Only a press on its button gives it the focus.
  expect(document.activeElement).not.toBe(slider())
  expect(dialog()?.textContent).toContain('1of 3 solved')
  expect(names()).toEqual(['Red', 'Blue', 'Danes'])
  await hub.say('/hub/user', 'VexilSolves', solve(3, 11, 9))
  await settle()
  expect(names()).toEqual(['Red', 'Blue', 'Danes'])
  await printing('beforeprint')
  expect(printed()?.querySelector('p')?.textContent).toContain(`(${momentOf(given.startsAt, 22).slice(11, 16)} UTC)`)
  await printing('afterprint')
  await act(async () => dialog()?.querySelector<HTMLElement>('button[aria-label=Close]')?.click())
  await click(named('Back to current scoreboard'))
  await until(() => expect(names()).toEqual(['Blue', 'Danes', 'Red']))
})

test('a moment outside the game, or an invalid one, is removed with a message', async () => {
  const given = replayed()
  for (const moment of [momentOf(given.startsAt, -1), momentOf(given.startsAt, 121), 'yesterday']) {
    const { place } = await open(given, `?at=${moment}`)
    await until(() => expect(here()).toBe('/games/3/Scoreboard'))
    expect(toasts()).toEqual([expect.objectContaining({ title: 'Incorrect parameter (unknown)' })])
    expect(slider()).toBeNull()
    place.remove()
  }
})

test('the slider ends with the game, also where its duration is not a multiple of a step', async () => {
  const given = replayed()
  const endsAt = given.startsAt + 59 * minute + 7000
  const ended = game({ start: new Date(given.startsAt).toISOString(), end: new Date(endsAt).toISOString() })
  const answers = { [board]: { ...given, endsAt } }
  await openInGame(ScoreboardScreen, 'Scoreboard', { game: ended, address: `?at=${momentOf(given.startsAt, 40)}`, answers })
  await until(() => expect(slider()).not.toBeNull())
  await write(slider() ?? undefined, slider()?.max ?? '')
  const shown = document.querySelector<HTMLTimeElement>('section[aria-label=Replay] time')?.dateTime
  expect(shown).toBe(new Date(endsAt).toISOString())
})

test('playback continues until now and can be paused; from the end it starts again', async () => {
  const given = replayed()
  // Half of the game takes 15 s to play, so that a slow machine does not reach the end.
  await open(given, `?at=${momentOf(given.startsAt, 30)}`)
  await until(() => expect(slider()).not.toBeNull())
  const before = Number(slider()?.value)
  await click(named('Play'))
  await until(() => expect(Number(slider()?.value)).toBeGreaterThan(before))
  await click(named('Pause'))
  const paused = Number(slider()?.value)
  await settle(400)
  expect(Number(slider()?.value)).toBe(paused)
  await slide(60)
  await click(named('Play'))
  expect(Number(slider()?.value)).toBeLessThan(paused)
  expect(named('Pause')).toBeTruthy()
  // Moving the slider by hand stops the playback.
  await slide(30)
  expect(named('Pause')).toBeUndefined()
  expect(named('Play')).toBeTruthy()
  // It also stops at the end.
  await slide(59)
  const nearEnd = Number(slider()?.value)
  await click(named('Play'))
  await until(() => expect(named('Play')).toBeTruthy())
  expect(Number(slider()?.value)).toBeGreaterThan(nearEnd)
})

test('playback takes thirty seconds from the start until now, in two hundred steps', async () => {
  const given = replayed()
  await open(given, `?at=${momentOf(given.startsAt, 30)}`)
  await until(() => expect(slider()).not.toBeNull())
  const part = () => Number(slider()?.style.getPropertyValue('--part'))
  expect(part()).toBeCloseTo(0.5, 2)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const pass = (ms: number) => act(async () => void vi.advanceTimersByTime(ms))
    await click(named('Play'))
    const before = part()
    await pass(149)
    expect(part()).toBe(before)
    await pass(1)
    expect(part() - before).toBeCloseTo(1 / 200, 4)
    await click(named('Pause'))
  } finally {
    vi.useRealTimers()
  }
})

test('from the end of a running game playback starts again, also when the end is later by now', async () => {
  const given = replayed()
  await open(given)
  const passMinute = async (action: () => void) => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    try {
      await act(async () => action())
      await act(async () => vi.advanceTimersByTime(minute))
    } finally {
      vi.useRealTimers()
    }
  }
  const fromEnd = () => Number(slider()?.max) - Number(slider()?.value)
  await passMinute(() => document.querySelector<HTMLElement>('button[aria-label=Replay]')?.click())
  // A minute is twelve steps of this slider.
  expect(fromEnd()).toBeGreaterThan(10)
  await click(named('Play'))
  expect(Number(slider()?.value)).toBeLessThan(100)
  await slide(60)
  expect(fromEnd()).toBeLessThanOrEqual(1)
  await slide(58)
  await click(named('Play'))
  expect(Number(slider()?.value)).toBeGreaterThan(600)
})

/** 600 teams: 480 of them have solved something, and Team 300 is the own one. */
const large = () => {
  const places = Array.from({ length: 600 }, (_, place) => place)
  const whole = feed(places.slice(0, 480).map((place) => [place, place % 3, 10]))
  const bonuses = [packBloodBonus({ first: 100, second: 0, third: 0 }), null, null]
  whole.challenges.bloodBonus = bonuses
  whole.teams = {
    id: places.map((place) => place + 1000),
    participationId: places.map((place) => place + 1),
    name: places.map((place) => `Team ${place}`),
    bio: places.map(() => null),
    avatar: places.map(() => null),
    division: places.map(() => -1),
  }
  const { rows, columns, heads: _, engine: __, ownBonus: ___, recent: ____, moves: _____, ...start } = openFeed(whole)
  const startRow = ({ lastAt: _, solves, ...row }: BoardRow): StartRow => ({
    ...row,
    solves: solves.map(({ number, challengeId, points, type, userName, arrivedAt, time }) => {
      return [number, challengeId, points, submissionTypes.indexOf(type), userName, arrivedAt, time]
    }),
  })
  const bonusOf = (id: number) => bonuses[whole.challenges.id.indexOf(id)] ?? null
  const challenges = columns.map(({ bloods: _, ...column }) => ({ ...column, bloodBonus: bonusOf(column.id) }))
  const own = rows.find(({ team }) => team.name === 'Team 300') as BoardRow
  const answers = {
    'GET /api/game/3/scoreboard/start': { ...start, teamCount: 600, challenges, rows: rows.slice(0, 100).map(startRow) },
    'GET /api/game/3/scoreboard/start?team=1300': { row: startRow(own) },
  }
  const inGame = game({ teamCount: 600, teamName: 'Team 300', registered: { 1300: 1 } })
  return { whole, rows, own, answers, game: inGame }
}
const drawn = () =>
  [...document.querySelectorAll('tbody tr, tfoot tr')].map((row) => [row.textContent, (row as HTMLElement).style.height])

test('a large board shows its first rows and the own one at once; the rest is requested after them and moves nothing', async () => {
  const { whole, own, answers, game } = large()
  const first = Promise.withResolvers<Response>()
  const feed = Promise.withResolvers<void>()
  const start = answers['GET /api/game/3/scoreboard/start']
  const held = {
    ...answers,
    'GET /api/game/3/scoreboard/start': () => first.promise,
    [board]: () => feed.promise.then(() => json(whole)),
  }
  // From this number of teams on.
  const { requests } = await openInGame(ScoreboardScreen, 'Scoreboard', { game: { ...game, teamCount: 500 }, answers: held })
  const calls = () => requests.filter((line) => line.includes('/scoreboard/'))
  expect(calls()).toEqual(['GET /api/game/3/scoreboard/start', 'GET /api/game/3/scoreboard/start?team=1300'])
  first.resolve(json(start))
  await until(() => expect(names()[0]).toBe('Team 0'))
  expect(calls().slice(2)).toEqual([board])
  const foot = document.querySelector('tfoot')?.textContent
  expect(foot).toContain('Team 300')
  expect(own.rank).toBeGreaterThan(100)
  expect(foot).toMatch(new RegExp(`^${own.rank}`))
  expect(named('Replay')?.hasAttribute('disabled')).toBe(true)
  await click(rows()[0]?.querySelector('th button'))
  await until(() => expect(dialog()?.querySelector('tbody')?.textContent).toContain('+10 %'))
  const before = drawn()
  const row = rows()[3]
  feed.resolve()
  await until(() => expect(named('Replay')?.hasAttribute('disabled')).toBe(false))
  expect(drawn()).toEqual(before)
  expect(rows()[3]).toBe(row)
})

test('while a large board is still loading an open team of the rest waits for it, and the search shows that it is loading', async () => {
  const { whole, answers, game } = large()
  const feed = Promise.withResolvers<void>()
  await openInGame(ScoreboardScreen, 'Scoreboard', {
    game,
    answers: { ...answers, [board]: () => feed.promise.then(() => json(whole)) },
    address: '?team=1555',
  })
  await until(() => expect(names()).not.toEqual([]))
  expect([dialog(), here()]).toEqual([null, '/games/3/Scoreboard?team=1555'])
  await write(named('Find a team') as HTMLInputElement, 'Team 555')
  expect(document.querySelector('section [role=status]')?.textContent).toBe('Loading')
  // Only a whole board is printed.
  await printing('beforeprint')
  expect(printed()).toBeNull()
  await printing('afterprint')
  feed.resolve()
  await until(() => expect(dialog()?.querySelector('h2')?.textContent).toContain('Team 555'))
  expect(names()).toEqual(['Team 555'])
})

test('a failed start does not delay the board; a small board, a loaded one and an earlier moment request no start', async () => {
  const { whole, answers, game } = large()
  const failing = {
    ...answers,
    'GET /api/game/3/scoreboard/start': refused('server.unknown', 'Out of order', 500),
    [board]: whole,
  }
  const failed = await openInGame(ScoreboardScreen, 'Scoreboard', { game, answers: failing })
  await until(() => expect(names()[0]).toBe('Team 0'))
  expect(toasts()).toEqual([])
  failed.place.remove()
  // A team that waits for its review has no row.
  const waits = await openInGame(ScoreboardScreen, 'Scoreboard', { game: { ...game, status: 'Pending' }, answers: failing })
  expect(waits.requests.filter((line) => line.includes('/start'))).toEqual(['GET /api/game/3/scoreboard/start'])
  waits.place.remove()
  const moment = new Date(whole.startsAt + 5 * minute).toISOString().slice(0, 19)
  for (const [of, address] of [
    [game, `?at=${moment}Z`],
    [{ ...game, teamCount: 499 }, ''],
  ] as const) {
    const { requests, place } = await openInGame(ScoreboardScreen, 'Scoreboard', {
      game: of,
      answers: { ...answers, [board]: whole },
      address,
    })
    await until(() => expect(names()).not.toEqual([]))
    expect(requests.filter((line) => line.includes('/start'))).toEqual([])
    place.remove()
  }
})

const printing = (type: 'beforeprint' | 'afterprint') => act(async () => void window.dispatchEvent(new Event(type)))
const printed = () => document.querySelector('[data-print]')

test('SB-24 a button prints the board', async () => {
  const print = vi.spyOn(window, 'print').mockImplementation(() => {})
  await open()
  await click(button('Print'))
  expect(print).toHaveBeenCalledOnce()
})

test('SB-24 printing shows every row of the chosen division in tables of fifteen challenges, and only while it prints', async () => {
  const whole = feed([
    [1, 0, 10],
    [2, 0, 12],
    [2, 1, 13],
    [0, 0, 14],
    [3, 0, 15],
  ])
  const teams = { id: [21, 22, 23, 24], participationId: [11, 12, 13, 14], name: ['Danes', 'Red', 'Blue', 'Green'] }
  const none = [null, null, null, null]
  await open({ ...whole, divisions: ['North', 'South'], teams: { ...teams, bio: none, avatar: none, division: [0, 1, 1, 1] } })
  expect(printed()).toBeNull()
  await printing('beforeprint')
  expect(printed()?.querySelector('h1')?.textContent).toBe('Harbour Cup')
  const lines = () =>
    [...(printed()?.querySelectorAll('tbody tr') ?? [])].map((row) => [...row.children].map(({ textContent }) => textContent))
  expect(lines()).toEqual([
    ['1', 'Blue', '920', '2', '', '②', '①'],
    ['2', 'Red', '440', '1', '', '①', ''],
    ['3', 'Danes', '440', '1', '', '③', ''],
    ['4', 'Green', '440', '1', '', '●', ''],
  ])
  await printing('afterprint')
  expect(printed()).toBeNull()
  await choose('North')
  await printing('beforeprint')
  expect(lines().map(([rank, team]) => [rank, team])).toEqual([['1', 'Danes']])
  expect(printed()?.querySelector('p')?.textContent).toContain('North')
  await printing('afterprint')
})

test('SB-24 sixteen challenges need two tables', async () => {
  const ids = Array.from({ length: 16 }, (_, i) => 100 + i)
  const all = <T,>(one: T) => ids.map(() => one)
  const challenges = { id: ids, title: ids.map((id) => `C${id}`), category: all(3), bloodBonus: all(null), values: all([500]) }
  await open(feed([], { challenges }))
  await printing('beforeprint')
  const columns = [...(printed()?.querySelectorAll('thead tr') ?? [])].map((row) => row.children.length)
  expect(columns).toEqual([4 + 15, 4 + 1])
  await printing('afterprint')
})

test.each([
  [1000, 1001, ''],
  [1001, 0, 'More than 1,000 teams cannot be printed.'],
])('SB-24 %i teams are printed in %i rows', async (count, lines, text) => {
  const ids = Array.from({ length: count }, (_, i) => i + 1)
  const all = <T,>(one: T) => ids.map(() => one)
  const names = { name: ids.map((id) => `T${id}`), bio: all(null), avatar: all(null), division: all(-1) }
  await open(feed([], { teams: { id: ids, participationId: ids, ...names } }))
  await printing('beforeprint')
  expect(printed()?.querySelectorAll('tr')).toHaveLength(lines)
  expect(printed()?.textContent).toContain(text)
  await printing('afterprint')
})
