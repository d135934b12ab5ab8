// @vitest-environment jsdom
import { act } from 'react'
import { Link } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { button, click, named, settle, write } from '../../test/acts.ts'
import { hub } from '../../test/hub.ts'
import { challenge, details, feed, game, here, minute, openInGame, refused, solve } from '../../test/in-game.tsx'
import { Back, device, toasts, until } from '../../test/page.tsx'
import { t } from '../ui/text/texts.tsx'
import ChallengesScreen from './challenges.screen.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))

beforeEach(() => localStorage.clear())
afterEach(() => {
  device.width = undefined
  vi.unstubAllGlobals()
})

const open = (scene: Parameters<typeof openInGame>[2] = {}) => openInGame(ChallengesScreen, 'Challenges', scene)
const cards = () => [...document.querySelectorAll<HTMLButtonElement>('main li > button, ul li > button[aria-haspopup=dialog]')]
const cardOf = (title: string) => cards().find(({ textContent }) => textContent?.includes(title))
const titles = () => cards().map(({ textContent }) => /Buoy|Reef|Keel|Mast/.exec(textContent ?? '')?.[0])
const filterOf = (name: string) => [...document.querySelectorAll('[role=tab]')].find((one) => one.textContent?.startsWith(name))

test('AB-1 while the game is loading, placeholders of filter and cards are shown; without a challenge the page shows a message', async () => {
  let answer: (response: Response) => void = () => {}
  const { place, requests } = await open({
    answers: { 'GET /api/game/3/details': () => new Promise((resolve) => (answer = resolve)) },
  })
  // The list of instances does not wait for the challenges.
  expect(requests).toContain('GET /api/game/3/instances')
  expect(place.querySelectorAll('[class*=Skeleton-root]').length).toBeGreaterThan(5)
  expect(place.textContent).not.toContain('No challenges yet')
  const none = details({ challenges: {}, challengeCount: 0 })
  await act(async () => answer(Response.json(none)))
  await until(() => expect(place.textContent).toContain('No challenges yet'))
  await until(() => expect(place.querySelectorAll('[class*=Skeleton-root]')).toHaveLength(0))
  expect(cards()).toEqual([])
})

test('AB-2 a team without a rank sees the cards, and no rank', async () => {
  // Not written by this application.
  localStorage.setItem('seen.3', '{')
  const { place, requests } = await open({
    site: { containers: 'None' },
    answers: {
      'GET /api/game/3/details': details({ rank: { ...details().rank, rank: 0 } }),
      'GET /api/game/3/scoreboard/feed': refused('server.unknown', 'Not yet', 500),
    },
  })
  expect(titles()).toEqual(['Buoy', 'Reef', 'Keel'])
  expect(document.title).toBe('Challenges - Harbour Cup - GZ::CTF')
  // Without a container engine there are none.
  expect(requests).not.toContain('GET /api/game/3/instances')
  expect(cards().some(({ textContent }) => textContent?.includes('solved by'))).toBe(false)
  expect(place.querySelector('[aria-label="Own team"]')?.textContent).toBe('Danes0points0of 3 solved')
  place.remove()
  // Without the board the own view has the solves.
  const solved = { id: 7, type: 'Normal', userName: 'bob', time: new Date().toISOString(), score: 450 } as const
  const nameless = { ...solved, id: 8, userName: null }
  const rank = { ...details().rank, score: 900, organizationRank: 4, solvedChallenges: [solved, nameless] }
  const alone = await open({
    game: game({ organization: 'Juniors', teamCount: 5 }),
    address: '?c=7',
    answers: {
      'GET /api/game/3/details': details({ rank }),
      'GET /api/game/3/scoreboard/feed': refused('server.unknown', 'Not yet', 500),
    },
  })
  expect(cardOf('Buoy')?.textContent).toMatch(/Solved by bob, \w{3} \d\d:\d\d/)
  expect(document.querySelector('[role=dialog] footer')?.textContent).toContain('450 points for your team')
  // The account that solved it no longer exists.
  expect(cardOf('Reef')?.textContent).not.toContain('Solved by')
  expect(cardOf('Reef')?.querySelector('[aria-label="solved by your team"]')).not.toBeNull()
  expect(alone.place.querySelector('[aria-label="Own team"]')?.textContent).toBe('Danes2of 54in Juniors900points2of 3 solved')
})

test('AB-3 the choice to hide solved ones is kept on the device; where it hides everything one button shows it again', async () => {
  const all = feed([
    [0, 0, 5],
    [0, 1, 6],
    [1, 2, 7],
  ])
  const first = await open({ answers: { 'GET /api/game/3/scoreboard/feed': all } })
  await click(first.place.querySelector('input[role=switch]'))
  await until(() => expect(titles()).toEqual(['Keel']))
  const hides = (place: HTMLElement) => place.querySelector<HTMLInputElement>('input[role=switch]')?.checked
  expect(hides(first.place)).toBe(true)
  expect(first.place.querySelector('[aria-label="Own team"]')?.textContent).toContain('2of 3 solved')
  expect(['Web', 'Crypto'].map((name) => /Done/.test(filterOf(name)?.className ?? ''))).toEqual([true, false])
  // A category of which all are solved has a pennant after its own sign; all categories together have none.
  const signs = () => ['Web', 'Crypto', 'All'].map((name) => filterOf(name)?.querySelectorAll('svg').length)
  expect(signs()).toEqual([2, 1, 1])
  await hub.say('/hub/user', 'VexilSolves', solve(3, 11, 9, 'ann', 480))
  await until(() => expect(signs()).toEqual([2, 2, 1]))
  first.place.remove()
  // Another visit.
  const { place } = await open({ answers: { 'GET /api/game/3/scoreboard/feed': all }, address: '?category=Web' })
  expect(titles()).toEqual([])
  expect(hides(place)).toBe(true)
  expect(place.textContent).toContain('All solved')
  // Blanks are not a search.
  await write(named<HTMLInputElement>('Find a challenge'), '  ')
  expect(place.textContent).toContain('All solved')
  button('Show solved')?.focus()
  await click(button('Show solved'))
  expect(titles()).toEqual(['Buoy', 'Reef'])
  expect(hides(place)).toBe(false)
  expect(document.activeElement).toBe(place.querySelector('input[role=switch]'))
  expect(localStorage.getItem('hideSolved')).toBe('false')
})

test('the chosen order is in the address, without an entry in the history; the usual one is not', async () => {
  await open({ beside: <Back /> })
  const choose = async (name: string) => {
    await click(named('Sort'))
    await click([...document.querySelectorAll('[role=menuitem]')].find(({ textContent }) => textContent === name))
  }
  await choose('By points')
  expect(here()).toMatch(/[?&]sort=points/)
  await click(button('Back'))
  expect(here()).toMatch(/[?&]sort=points/)
  await click(named('Sort'))
  const chosen = (mark: string) =>
    [...document.querySelectorAll('[role=menuitem]')].filter((one) => one.matches(mark)).map((one) => one.textContent)
  expect(chosen('[aria-current=true]')).toEqual(['By points'])
  expect(chosen(':has(svg)')).toEqual(['By points'])
  await click([...document.querySelectorAll('[role=menuitem]')].find(({ textContent }) => textContent === 'By category'))
  expect(here()).not.toContain('sort')
  // Wide windows have a list instead of the menu.
  await click(document.querySelector('input[aria-label=Sort]'))
  const list = () => document.querySelector<HTMLInputElement>('input[aria-label=Sort]')
  expect(list()?.value).toBe('By category')
  // The order that is already chosen stays when it is chosen again.
  for (let time = 0; time < 2; time++) {
    await click([...document.querySelectorAll('[role=option]')].find(({ textContent }) => textContent === 'By solves'))
    expect(here()).toMatch(/[?&]sort=solves/)
    expect(list()?.value).toBe('By solves')
    await click(list())
  }
})

test('a search without a result can be cleared beside its message, and its field then has the focus', async () => {
  const { place } = await open()
  const field = place.querySelector<HTMLInputElement>('input[aria-label="Find a challenge"]')
  await write(field ?? undefined, 'nothing')
  expect(titles()).toEqual([])
  button('Clear search')?.focus()
  await click(button('Clear search'))
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Find a challenge')
  expect(titles()).toEqual(['Buoy', 'Reef', 'Keel'])
  expect(document.activeElement).toBe(field)
})

test('AB-4 a solve of a team mate marks the card, its points and its count at once; a new challenge appears live, marked until it is opened', async () => {
  // Nothing that this application stored.
  localStorage.setItem('seen.3', '{}')
  const { answers, requests } = await open()
  expect(cardOf('Buoy')?.textContent).toMatch(/480 pts1 solve/)
  expect(cardOf('Reef')?.textContent).not.toContain('solve')
  const free = () =>
    [...(cardOf('Buoy')?.querySelectorAll('[aria-label*=blood]') ?? [])].map((one) => one.getAttribute('aria-label'))
  expect(free()).toEqual([t('ui.bloodOpen.2'), t('ui.bloodOpen.3')])
  expect(cardOf('Buoy')?.querySelector('[aria-label="solved by your team"]')).toBeNull()
  await hub.say('/hub/user', 'VexilSolves', solve(1, 11, 7, 'bob', 460))
  await until(() => expect(cardOf('Buoy')?.textContent).toMatch(/460 pts2 solves/))
  expect(cardOf('Buoy')?.querySelector('[aria-label="solved by your team"]')).not.toBeNull()
  expect(filterOf('Web')?.textContent).toContain('1/2')
  const { challenges } = details()
  const late = { category: 'Misc', enabledAt: new Date().toISOString() }
  const mast = { ...challenges.Web?.[0], id: 10, title: 'Mast', ...late }
  // Solved on another device before it was opened on this one.
  const sail = { ...challenges.Web?.[0], id: 12, title: 'Sail', ...late }
  // One of the challenges that were there at the start.
  const Web = challenges.Web?.map((one) => ({ ...one, enabledAt: new Date(Date.now() - 61 * minute).toISOString() })) ?? []
  answers['GET /api/game/3/details'] = {
    ...details(),
    challenges: { ...challenges, Web, Misc: [mast, sail] },
    practiceSolves: [12],
  }
  answers['GET /api/game/3/challenges/10'] = challenge(10, { title: 'Mast' })
  answers['GET /api/game/3/challenges/10/tries'] = []
  await hub.say('/hub/user', 'VexilGame', { gameId: 3, what: 'challenges' })
  await until(() => expect(cardOf('Mast')?.textContent).toContain('new'))
  for (const title of ['Reef', 'Sail']) expect(cardOf(title)?.textContent).not.toContain('new')
  // Another tab has opened one, too.
  localStorage.setItem('seen.3', '[5,"x"]')
  await click(cardOf('Mast'))
  await until(() => expect(cardOf('Mast')?.textContent).not.toContain('new'))
  // Stored for the next visit.
  expect(localStorage.getItem('seen.3')).toBe('[5,10]')
  const instances = () => requests.filter((line) => line === 'GET /api/game/3/instances').length
  const before = instances()
  await hub.say('/hub/user', 'VexilInstances', { gameId: 3, challengeId: 7 })
  await until(() => expect(instances()).toBe(before + 1))
})

test('AB-5 a solved card has a mark with text, not only another colour', async () => {
  const solves = [[1, 0, 4] as const, [0, 0, 5] as const]
  await open({ answers: { 'GET /api/game/3/scoreboard/feed': feed(solves) } })
  const mark = cardOf('Buoy')?.querySelector(
    'svg[aria-label="solved by your team"], [role=img][aria-label="solved by your team"]',
  )
  expect(mark).not.toBeNull()
  const bloods = [...(cardOf('Buoy')?.querySelectorAll('[aria-label*=blood]') ?? [])].map((one) => one.getAttribute('aria-label'))
  expect(bloods).toEqual([t('ui.blood.2')])
  expect(cardOf('Reef')?.querySelector('[aria-label="solved by your team"]')).toBeNull()
  expect(cardOf('Buoy')?.className).not.toBe(cardOf('Reef')?.className)
})

test('AB-6 arrows move between cards and rows, Enter opens a card, and a slash focuses the search', async () => {
  await open()
  // Mocked layout: two cards in a row.
  for (const [index, one] of cards().entries())
    one.getBoundingClientRect = () => ({ top: Math.floor(index / 2) * 90, left: (index % 2) * 200 }) as DOMRect
  const key = (name: string) =>
    act(async () =>
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true })),
    )
  cards()[0]?.focus()
  // The page does not scroll.
  expect(await key('ArrowRight')).toBe(false)
  expect(document.activeElement).toBe(cards()[1])
  await key('ArrowLeft')
  await key('ArrowDown')
  expect(document.activeElement).toBe(cards()[2])
  await key('ArrowUp')
  expect(document.activeElement).toBe(cards()[0])
  // Other keys keep their effect in the browser.
  expect(await key('a')).toBe(true)
  expect(document.activeElement).toBe(cards()[0])
  // All cards in one row.
  for (const one of cards()) one.getBoundingClientRect = () => ({ top: 0 }) as DOMRect
  await key('ArrowDown')
  expect(document.activeElement).toBe(cards()[1])
  await key('ArrowUp')
  expect(document.activeElement).toBe(cards()[0])
  // A browser activates a button on Enter.
  expect(cards()[0]?.tagName).toBe('BUTTON')
  await act(async () => void document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true })))
  expect(document.activeElement).toBe(named('Find a challenge'))
  await write(named<HTMLInputElement>('Find a challenge'), 'ee')
  expect(titles()).toEqual(['Reef', 'Keel'])
})

test('AB-6 KEY-4 the categories are one stop of Tab: arrows move without choosing, and a press chooses', async () => {
  device.width = 1079
  const { place } = await open({ address: '?category=Web', beside: <Back /> })
  const tabs = () => [...document.querySelectorAll<HTMLButtonElement>('[role=tablist] > [role=tab]')]
  const stops = () => tabs().filter(({ tabIndex }) => tabIndex === 0)
  expect(tabs()[0]?.parentElement?.getAttribute('aria-label')).toBe('Categories')
  const press = async (name: string) => {
    const event = new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true })
    await act(async () => void document.activeElement?.dispatchEvent(event))
    // The page does not scroll.
    expect(event.defaultPrevented).toBe(true)
  }
  expect(stops().map(({ textContent }) => textContent)).toEqual(['Web0/2'])
  stops()[0]?.focus()
  const seen: (string | null | undefined)[] = []
  for (const name of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'Home', 'ArrowRight', 'End', 'ArrowLeft']) {
    await press(name)
    seen.push(document.activeElement?.textContent?.replace(/\d.*/, ''))
  }
  expect(seen).toEqual(['All', 'Crypto', 'All', 'All', 'Crypto', 'Web', 'Crypto'])
  expect(titles()).toEqual(['Buoy', 'Reef'])
  await click(filterOf('Crypto'))
  expect(titles()).toEqual(['Keel'])
  expect(tabs().map((tab) => tab.getAttribute('aria-selected'))).toEqual(['false', 'true', 'false'])
  expect(stops().map(({ textContent }) => textContent)).toEqual(['Crypto0/1'])
  const panel = document.querySelector('[role=tabpanel]')
  expect(panel?.getAttribute('aria-label')).toBe('Crypto')
  expect(tabs().map((tab) => tab.getAttribute('aria-controls'))).toEqual(tabs().map(() => panel?.id))
  const orientation = () =>
    [...document.querySelectorAll('[role=tablist][aria-orientation]')].at(-1)?.getAttribute('aria-orientation')
  expect(orientation()).toBe('horizontal')
  await click(button('Back'))
  expect(titles()).toEqual(['Keel'])
  place.remove()
  device.width = 1080
  const at = new Date(Date.now() + 60 * minute).toISOString()
  const instance = { challengeId: 9, status: 'Running', startedAt: at, expectStopAt: at, entry: 'a:1' }
  const { answers } = await open({ address: '?category=Pwn', answers: { 'GET /api/game/3/instances': [instance] } })
  expect(orientation()).toBe('vertical')
  expect(document.querySelector('[role=tabpanel]')?.getAttribute('aria-label')).toBe('All')
  // Beside the cards, above the notices.
  const trays = [...document.querySelectorAll('section[aria-label=Instances]')]
  expect(trays.map((tray) => tray.closest('#cards, aside')?.tagName)).toEqual(['ASIDE'])
  // No challenge has this category any more.
  expect(titles()).toEqual(['Buoy', 'Reef', 'Keel'])
  expect(stops().map(({ textContent }) => textContent)).toEqual(['All0/3'])
  expect(here()).toBe('/games/3/Challenges')
  await click(filterOf('Crypto'))
  tabs()[1]?.focus()
  answers['GET /api/game/3/details'] = details({ challenges: { Web: details().challenges.Web ?? [] } })
  await hub.say('/hub/user', 'VexilGame', { gameId: 3, what: 'challenges' })
  await until(() => expect(tabs()).toHaveLength(2))
  expect(document.activeElement).toBe(filterOf('All'))
  await until(() => expect(here()).toBe('/games/3/Challenges'))
  // A focus that has left the tabs is not taken back.
  await act(async () => (document.activeElement as HTMLElement).blur())
  answers['GET /api/game/3/details'] = details()
  await hub.say('/hub/user', 'VexilGame', { gameId: 3, what: 'challenges' })
  await until(() => expect(tabs()).toHaveLength(3))
  expect(document.activeElement).toBe(document.body)
})

test('AB-11 a card says who of the own team solved it; with up to twenty challenges cards fill the height', async () => {
  const many = Array.from({ length: 18 }, (_, at) => ({ ...details().challenges.Web?.[0], id: 100 + at, title: `Mast ${at}` }))
  const board = { 'GET /api/game/3/scoreboard/feed': feed([[0, 0, 5]]) }
  const first = await open({ answers: board })
  expect(cardOf('Buoy')?.textContent).toMatch(/Solved by ann, \w{3} \d\d:\d\d/)
  expect(cardOf('Reef')?.textContent).not.toContain('Solved by')
  expect(document.querySelector('#challenges')?.className).toMatch(/tall/)
  first.place.remove()
  const { challenges } = details()
  const withMany = (count: number) => details({ challenges: { ...challenges, Misc: many.slice(0, count) as never } })
  const { answers } = await open({ answers: { ...board, 'GET /api/game/3/details': withMany(18) } })
  expect(cards()).toHaveLength(21)
  // The link that skips what is above them leads to them.
  expect(document.querySelector('#challenges')?.getAttribute('tabindex')).toBe('-1')
  expect(document.querySelector('#challenges')?.className).not.toMatch(/tall/)
  answers['GET /api/game/3/details'] = withMany(17)
  await hub.say('/hub/user', 'VexilGame', { gameId: 3, what: 'challenges' })
  await until(() => expect(cards()).toHaveLength(20))
  expect(document.querySelector('#challenges')?.className).toMatch(/tall/)
})

test('AB-8 the points are the current ones; start value and next value are in the tooltip until another solve makes them old', async () => {
  await open({ answers: { 'GET /api/game/3/scoreboard/feed': feed([]) } })
  const point = () => act(async () => void cardOf('Reef')?.dispatchEvent(new Event('pointerover', { bubbles: true })))
  const tip = () => [...document.querySelectorAll('[role=tooltip]')].map(({ textContent }) => textContent).join()
  expect(cardOf('Reef')?.textContent).toContain('500 pts')
  await point()
  await until(() => expect(tip()).toContain('Initial 500, next 480'))
  await hub.say('/hub/user', 'VexilSolves', solve(0, 12, 8))
  await until(() => expect(cardOf('Reef')?.textContent).toContain('480 pts'))
  await point()
  await settle(600)
  expect(tip()).toMatch(/Red .*\d\d:\d\d/)
  expect(document.querySelector('[role=tooltip] [aria-label]')?.getAttribute('aria-label')).toBe('First blood')
  expect(tip()).not.toContain('Initial')
})

test('AB-9 after the end the board shows that practice is not scored, and outlines what was solved then', async () => {
  const ended = game({
    practiceMode: true,
    start: new Date(Date.now() - 60 * minute).toISOString(),
    end: new Date(Date.now() - minute).toISOString(),
  })
  const { place } = await open({
    game: ended,
    answers: {
      'GET /api/game/3/details': details({ practiceSolves: [7, 9] }),
      'GET /api/game/3/scoreboard/feed': feed([[0, 0, 5]]),
    },
  })
  expect(place.textContent).toContain('Practice: correct answers are not scored.')
  expect(cardOf('Keel')?.querySelector('[aria-label="solved in practice, not scored"]')).not.toBeNull()
  expect(cardOf('Buoy')?.querySelector('[aria-label="solved by your team"]')).not.toBeNull()
  expect(cardOf('Reef')?.querySelector('[aria-label*=blood]')).toBeNull()
  const running = await open()
  expect(running.place.textContent).not.toContain('Practice: correct answers')
})

test('P8.23 an unknown challenge in the address is removed with one yellow message; the board stays', async () => {
  const both = await open({ address: '?c=77&category=Pwn' })
  await until(() => expect(here()).toBe('/games/3/Challenges'))
  both.place.remove()
  await open({ address: '?c=77&category=Web' })
  await until(() => expect(here()).toBe('/games/3/Challenges?category=Web'))
  expect(toasts()).toEqual([expect.objectContaining({ title: 'This challenge is not available', role: 'status' })])
  expect(titles()).toEqual(['Buoy', 'Reef'])
})

test('P9.5 LIVE-9 without the channel the board and its game are requested every 10 seconds, with it never', async () => {
  // Waits until the channel of earlier tests is closed.
  await settle(1200)
  hub.waits = true
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] })
  try {
    const opening = openInGame(ChallengesScreen, 'Challenges')
    await vi.advanceTimersByTimeAsync(1000)
    const { requests, answers } = await opening
    const count = (path = '/details') => requests.filter((line) => line === `GET /api/game/3${path}`).length
    const wait = () => act(async () => vi.advanceTimersByTimeAsync(10_000))
    const lists = ['', '/instances', '/notices?count=1000', '/scoreboard/feed?after=1']
    const [before, others] = [count(), lists.map(count)]
    await wait()
    expect(count()).toBe(before + 1)
    expect(lists.map(count)).toEqual(others.map((calls) => calls + 1))
    await wait()
    expect(count()).toBe(before + 2)
    // After the end the own view changes only with the own answers.
    const running = answers['GET /api/game/3'] as object
    answers['GET /api/game/3'] = game({ practiceMode: true, end: new Date(Date.now() - minute).toISOString() })
    await wait()
    expect(count()).toBe(before + 3)
    await wait()
    expect(count()).toBe(before + 3)
    answers['GET /api/game/3'] = running
    await wait()
    await wait()
    expect(count()).toBe(before + 4)
    await hub.open()
    await act(async () => vi.advanceTimersByTimeAsync(100))
    // One request for what was missed before the channel opened.
    expect(count()).toBe(before + 5)
    await wait()
    await wait()
    expect(count()).toBe(before + 5)
  } finally {
    hub.waits = false
    vi.useRealTimers()
  }
})

test('FLAGF-1 going from one game to another keeps neither its opened challenges nor its typed flags', async () => {
  const other = (part: object) => ({ ...part, gameId: 4 })
  sessionStorage.setItem('draft.flag 4 8', ' kept text')
  localStorage.setItem('seen.4', '[8]')
  await open({
    answers: {
      'GET /api/game/4': { ...game(), id: 4 },
      'GET /api/game/4/details': details(),
      'GET /api/game/4/scoreboard/feed': other(feed()),
      'GET /api/game/4/challenges/9': challenge(9, { title: 'Keel' }),
    },
    beside: ['4/Challenges', '3/Challenges?c=7', '4/Challenges?c=9'].map((to) => (
      <Link key={to} to={`/games/${to}`}>
        {to}
      </Link>
    )),
  })
  for (const to of ['4/Challenges', '3/Challenges?c=7', '4/Challenges?c=9']) {
    await click([...document.querySelectorAll('a')].find(({ textContent }) => textContent === to))
    await until(() => expect(cards()).toHaveLength(3))
  }
  await until(() => expect(localStorage.getItem('seen.4')).toBe('[8,9]'))
  expect(localStorage.getItem('seen.3')).toBe('[7]')
})
