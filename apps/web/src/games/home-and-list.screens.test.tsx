// @vitest-environment jsdom
import type { BasicGame } from '@vexil/contract/games'
import { act } from 'react'
import { useNavigationType } from 'react-router'
import { expect, test, vi } from 'vitest'
import { button, click, named, write } from '../../test/acts.ts'
import { openPage, until, Where, where } from '../../test/page.tsx'
import { type RecordedCall, refuse, serve } from '../../test/server.ts'
import { keys } from '../api/query-keys.ts'
import { t } from '../ui/text/texts.tsx'
import GamesScreen from './games.screen.tsx'
import HomeScreen from './home.screen.tsx'

const hour = 3_600_000
/** A game that ends in `ends` hours and takes `lasts` hours. */
const aGame = (id: number, ends: number, lasts = 5, limit = 0): BasicGame => ({
  id,
  title: `Game ${id}`,
  summary: '',
  poster: null,
  limit,
  start: new Date(Date.now() + (ends - lasts) * hour).toISOString(),
  end: new Date(Date.now() + ends * hour).toISOString(),
})
const post = (id: string, part: object = {}) => ({
  id,
  title: `Post ${id}`,
  summary: '',
  isPinned: false,
  tags: [],
  authorName: null,
  authorAvatar: null,
  time: '2026-11-20T08:00:00+00:00',
  ...part,
})

/** How the newest entry of the history was created. */
let way: string
function Way() {
  way = useNavigationType()
  return null
}

interface Scene {
  readonly games?: unknown
  readonly posts?: unknown
  readonly role?: string
  readonly address?: string
  readonly mine?: object[]
  /** Answers of calls for administrators, by path. */
  readonly admin?: Readonly<Record<string, unknown>>
  readonly site?: object
}

/** A screen on a server with these games and posts; a Response is returned as it is. */
async function open(
  screen: 'home' | 'list',
  { games = [], posts = [], role, address = '/', mine = [], admin = {}, site }: Scene,
) {
  const answer = ({ path, query }: RecordedCall) => {
    if (path === '/api/posts/latest') return posts instanceof Response ? posts.clone() : posts
    if (path === '/api/account/games') return mine
    if (path in admin) return admin[path]
    if (path !== '/api/game') return refuse('x', 'game.not_found', 404)
    if (!Array.isArray(games)) return games instanceof Response ? games.clone() : games
    const [count, skip] = ['count', 'skip'].map((name) => Number(new URLSearchParams(query).get(name)))
    return games.slice(skip, (skip ?? 0) + (count ?? 0))
  }
  const requests = serve(answer)
  const place = await openPage(
    <>
      <Where />
      <Way />
      {screen === 'home' ? <HomeScreen /> : <GamesScreen />}
    </>,
    [
      [keys.config, { title: 'Harbour', setupRequired: false, ...site }],
      [keys.profile, role ? { userId: 'u1', userName: 'ann', role } : null],
    ],
    address,
  )
  return { place, requests }
}
const hrefs = (place: ParentNode) => [...place.querySelectorAll('a')].map((one) => one.getAttribute('href'))
const names = (place: ParentNode) => [...place.querySelectorAll('li a')].map((one) => one.textContent)

test('HOME-3 a post shows its pin, title, summary as Markdown, tags, author with picture, and date, and links to its page', async () => {
  const whole = post('abcd0001', {
    title: '<b>News</b>',
    summary: 'The **wind** turns',
    isPinned: true,
    tags: ['weather', 'a&b'],
    authorName: 'Mo',
    authorAvatar: '/assets/mo/avatar',
  })
  const { place } = await open('home', { posts: [whole, post('abcd0002')], games: [aGame(1, 2)] })
  await until(() => expect(place.querySelector('strong')?.textContent).toBe('wind'))
  expect(place.querySelector('strong')?.closest('p')).toBeNull()
  const [first, second] = place.querySelectorAll('section:last-of-type li')
  expect(hrefs(place)).toContain('/posts')
  expect(place.textContent).not.toContain('No posts yet')
  expect(first?.querySelector('a')?.textContent).toBe('<b>News</b>')
  expect(hrefs(first as Element)).toEqual(['/posts/abcd0001', '/posts?tag=weather', '/posts?tag=a%26b'])
  expect(first?.textContent).toMatch(/Pinned.*Mo.*20 Nov.*#weather.*#a&b/)
  expect(first?.querySelector('img')?.getAttribute('src')).toBe('/assets/mo/avatar')
  expect(first?.querySelector('time')?.dateTime).toBe('2026-11-20T08:00:00.000Z')
  expect(second?.textContent).toContain('Harbour')
  expect(second?.textContent).not.toContain('Pinned')
  // The list has all of them.
  const many = await open('home', {
    posts: ['1', '2', '3', '4', '5', '6'].map((id) => post(`abcd000${id}`)),
    games: [aGame(1, 2)],
  })
  const titles = () => names(many.place).filter((name) => name?.startsWith('Post abcd'))
  await until(() => expect(titles()).toHaveLength(5))
})

test('HOME-2 a game has its poster or flags, phase, title that links to it, and its times: start and length, end and time left, or end', async () => {
  const games = [{ ...aGame(1, 3), poster: '/assets/p/poster', summary: 'Bring a sail' }, aGame(2, 50, 48), aGame(3, -2, 1)]
  const list = await open('list', { games })
  await until(() => expect(names(list.place)).toEqual(['Game 1', 'Game 2', 'Game 3']))
  expect(list.place.querySelector('h1')?.textContent).toBe('Games')
  const cards = [...list.place.querySelectorAll('li')]
  expect(cards.map((card) => card.querySelector('[data-phase]')?.textContent)).toEqual(['Running', 'Upcoming', 'Ended'])
  expect(cards.map((card) => hrefs(card))).toEqual([['/games/1'], ['/games/2'], ['/games/3']])
  expect(cards.map((card) => card.textContent?.includes('Bring a sail'))).toEqual([true, false, false])
  expect(
    cards.map((card) => card.querySelector('img')?.getAttribute('src') ?? card.querySelectorAll('svg path').length > 3),
  ).toEqual(['/assets/p/poster', true, true])
  expect(
    cards.map((card) =>
      [...card.querySelectorAll('span')].map(({ textContent }) => textContent).find((one) => /^\d+ hours?$/.test(one ?? '')),
    ),
  ).toEqual(['5 hours', '48 hours', '1 hour'])
  const moments = (of: Element | null | undefined) =>
    [...(of?.querySelectorAll('time') ?? [])].map(({ dateTime }) => Date.parse(dateTime))
  for (const [index, card] of cards.entries()) expect(moments(card)).toEqual([Date.parse(games[index]?.start ?? '')])
  expect(cards.map((card) => card.querySelector('[role=timer]')?.textContent)).toEqual([
    expect.stringMatching(/^0[23]:/),
    undefined,
    undefined,
  ])
  // On the home page the running game is shown large, and the others have a line each.
  const home = await open('home', { games })
  const rows = () => [...home.place.querySelectorAll('section li')].filter((row) => /Game/.test(row.textContent ?? ''))
  await until(() => expect(rows()).toHaveLength(2))
  expect(rows().map((row) => row.querySelectorAll('svg').length > 0)).toEqual([true, true])
  expect(home.place.textContent).toContain('No posts yet')
  expect(hrefs(home.place)).not.toContain('/posts')
  expect(home.requests.map(({ path }) => path)).not.toContain('/api/account/games')
  const hero = home.place.querySelector('section')
  expect(hero?.hasAttribute('data-poster')).toBe(true)
  expect(home.place.querySelectorAll('footer')).toHaveLength(1)
  expect(hero?.querySelector('img')?.getAttribute('src')).toBe('/assets/p/poster')
  expect(hero?.querySelector('h1 a')?.getAttribute('href')).toBe('/games/1')
  expect(hero?.textContent).toContain('Bring a sail')
  expect(hero?.textContent).toContain('Running')
  expect(hero?.querySelector('[role=timer]')?.textContent).toMatch(/^0[23]:/)
  expect(moments(hero).slice(0, 1)).toEqual([Date.parse(games[0]?.end ?? '')])
  expect(rows().map((row) => moments(row))).toEqual([[Date.parse(games[1]?.start ?? '')], [Date.parse(games[2]?.end ?? '')]])
  expect(rows().map(({ textContent }) => /48 hours|ended/.exec(textContent ?? '')?.[0])).toEqual(['48 hours', 'ended'])
})

test('HOME-5 without posts and games the page shows a friendly message; an administrator gets links to create them', async () => {
  const welcome = 'Welcome to Harbour::CTF'
  for (const role of [undefined, 'User', 'Admin']) {
    const { place } = await open('home', { role })
    await until(() => expect(place.querySelector('h1')?.textContent).toBe(welcome))
    expect([role, place.textContent?.includes(t('shell.slogan'))]).toEqual([role, true])
    expect([role, place.textContent?.includes('Hidden games, such as the demo')]).toEqual([role, role === 'Admin'])
    const acts = () => hrefs(place).filter((to) => to?.startsWith('/admin') || to?.startsWith('/posts'))
    // The last link is part of the first steps, which load later.
    const expected = role === 'Admin' ? ['/admin/games?new=1', '/posts/new/edit', '/admin/Settings'] : []
    await until(() => expect([role, acts()]).toEqual([role, expected]))
    const list = await open('list', { role })
    await until(() => expect(list.place.textContent).toContain('No games yet'))
    expect([role, hrefs(list.place)]).toEqual([role, expected.slice(0, 1)])
  }
})

test('HOME-7 on an empty platform an administrator sees four first steps, each done or linked; other readers do not', async () => {
  const steps = (place: ParentNode) =>
    [...place.querySelectorAll('ol li')].map((one) => [one.textContent, one.querySelector('a')?.getAttribute('href')])
  const games = (ids: number[]) => ({ data: ids.map((id) => ({ id })), length: ids.length, total: ids.length })
  const fresh = await open('home', {
    role: 'Admin',
    site: { title: 'GZ' },
    admin: { '/api/admin/mails': { configured: false, data: [], length: 0, total: 0 }, '/api/edit/games': games([]) },
  })
  await until(() =>
    expect(steps(fresh.place)).toEqual([
      ['Name and logo', '/admin/Settings'],
      ['Email', '/admin/Settings#mail'],
      ['First game', '/admin/games?new=1'],
      ['First challenge', undefined],
    ]),
  )
  const section = fresh.place.querySelector('ol')?.closest('section')
  expect(document.getElementById(section?.getAttribute('aria-labelledby') ?? '')?.textContent).toBe('First steps')
  // One game is enough to know whether there is any; without one, no challenges are requested.
  const reads = fresh.requests.filter(({ path }) => path.startsWith('/api/edit/games'))
  expect(reads.map(({ path, query }) => path + query)).toEqual(['/api/edit/games?count=1&skip=0'])
  const begun = await open('home', {
    role: 'Admin',
    // The post that the setup creates.
    posts: [post('abcd0001')],
    site: { logoUrl: '/assets/logo' },
    admin: {
      '/api/admin/mails': { configured: true, data: [], length: 0, total: 0 },
      '/api/edit/games': games([5]),
      '/api/edit/games/5/challenges': [],
    },
  })
  await until(() =>
    expect(steps(begun.place)).toEqual([
      ['Name and logodone', undefined],
      ['Emaildone', undefined],
      ['First gamedone', undefined],
      ['First challenge', '/admin/games/5/challenges'],
    ]),
  )
  expect(hrefs(begun.place)).toContain('/posts/abcd0001/edit')
  // Posts exist, so only the half of the games is empty, without the link to write a post.
  expect(begun.place.querySelector('h1')?.textContent).toBe('No games yet')
  expect(begun.place.textContent).toContain('Hidden games, such as the demo')
  expect(begun.place.textContent).not.toContain(t('shell.slogan'))
  expect(hrefs(begun.place)).not.toContain('/posts/new/edit')
  expect(steps((await open('home', { role: 'Monitor' })).place)).toEqual([])
})

test('HOME-7 a first step is done only when all of it is: a name without a logo is not; one challenge is enough', async () => {
  const done = (place: ParentNode) => [...place.querySelectorAll('ol li')].map((one) => one.getAttribute('data-done'))
  const games = { data: [{ id: 5 }], length: 1, total: 1 }
  const { place } = await open('home', {
    role: 'Admin',
    admin: {
      '/api/admin/mails': { configured: true, data: [], length: 0, total: 0 },
      '/api/edit/games': games,
      '/api/edit/games/5/challenges': [{ id: 8 }],
    },
  })
  await until(() => expect(done(place)).toEqual(['false', 'true', 'true', 'true']))
  const isTicked = [...place.querySelectorAll('ol li svg')].map((icon) => icon.classList.contains('tabler-icon-circle-check'))
  expect(isTicked).toEqual([false, true, true, true])
  expect([...place.querySelectorAll('ol a')].map((link) => link.getAttribute('href'))).toEqual(['/admin/Settings'])
  // What could not be read is neither done nor offered.
  const unknown = await open('home', { role: 'Admin' })
  await until(() => expect(done(unknown.place)).toEqual(['false', null, null, null]))
  expect([...unknown.place.querySelectorAll('ol a')].map((link) => link.getAttribute('href'))).toEqual(['/admin/Settings'])
  const nothing = await openPage(<HomeScreen />, [
    [keys.profile, { userId: 'u1', userName: 'ann', role: 'Admin' }],
    [keys.games.list, []],
    [keys.posts.latest, []],
  ])
  await until(() => expect(done(nothing)).toEqual([null, null, null, null]))
  expect(nothing.querySelector('ol a')).toBeNull()
})

test('HOME-6 when one call fails the other half is shown, and the failed one can be tried again', async () => {
  const away = refuse('The database is unreachable', 'x', 500)
  const noPosts = await open('home', { games: [aGame(4, 2)], posts: away })
  await until(() => expect(noPosts.place.querySelector('h1')?.textContent).toBe('Game 4'))
  await until(() => expect(noPosts.place.querySelectorAll('[role=alert]')).toHaveLength(1))
  expect(noPosts.place.querySelector('[role=alert]')?.textContent).toContain('The database is unreachable')
  const before = noPosts.requests.filter(({ path }) => path === '/api/posts/latest').length
  await click(button('Try again') ?? button('Retry'))
  await until(() => expect(noPosts.requests.filter(({ path }) => path === '/api/posts/latest')).toHaveLength(before + 1))
  const noGames = await open('home', { games: away, posts: [post('abcd0003')] })
  await until(() => expect(noGames.place.textContent).toContain('Post abcd0003'))
  await until(() => expect(noGames.place.querySelectorAll('[role=alert]')).toHaveLength(1))
})

test('GAMES-2 P2.26 GAMES-3 more than a page of games is listed completely, in order, each with a link to its page', async () => {
  // 130 ended games and one that is running.
  const games = [...Array.from({ length: 130 }, (_, index) => aGame(index + 1, -1 - index)), aGame(500, 3)]
  const { place, requests } = await open('list', { games })
  await until(() => expect(names(place)).toHaveLength(131))
  expect(requests.filter(({ path }) => path === '/api/game').map(({ query }) => query)).toEqual([
    '?count=100&skip=0',
    '?count=100&skip=100',
  ])
  expect(names(place).slice(0, 3)).toEqual(['Game 500', 'Game 1', 'Game 2'])
  expect(names(place).at(-1)).toBe('Game 130')
  const links = [...place.querySelectorAll('li')].map((card) => hrefs(card))
  expect(links[0]).toEqual(['/games/500'])
  expect(links[130]).toEqual(['/games/130'])
})

test('P9.6 a card shows the end, with its zone, the largest size of a team, and 0 as any size', async () => {
  const games = [aGame(1, 3, 5.25), aGame(2, 4, 5, 1), aGame(3, 5, 5, 4)].map((game) => ({ ...game, title: '競技' }))
  const { place } = await open('list', { games })
  await until(() => expect(names(place)).toHaveLength(3))
  // Titles without a Latin letter have flags by the id.
  const flags = [...place.querySelectorAll('li')].map((card) => {
    const shapes = card.querySelector('svg')?.parentElement?.querySelectorAll('path, rect, circle, polygon') ?? []
    return [...shapes].map((shape) => `${shape.getAttribute('d')} ${shape.getAttribute('fill')}`).join()
  })
  expect(new Set(flags).size).toBe(3)
  await act(async () => place.querySelector<HTMLElement>('li time')?.focus())
  const end = new Date(games[0]?.end ?? '').toISOString().slice(11, 19)
  await until(() => expect(document.querySelector('[role=tooltip]')?.textContent).toContain(`${end} UTC`))
  expect(
    [...place.querySelectorAll('li')].map((card) => /Any team size|Solo|Teams of [a-z0-9 ]+/.exec(card.textContent ?? '')?.[0]),
  ).toEqual(['Any team size', 'Solo', expect.stringMatching(/^Teams of up to 4/)])
})

test('GAMES-3 the list is filtered by phase and searched by title, both kept in the address', async () => {
  const games = [aGame(1, -3), aGame(2, 3), { ...aGame(3, 3), title: 'Regatta' }, aGame(4, 50)]
  const { place } = await open('list', { games, address: '/games' })
  await until(() => expect(names(place)).toHaveLength(4))
  expect(place.querySelector('[role=radiogroup]')?.getAttribute('aria-label')).toBe(t('games.filter'))
  const choose = async (phase: string) => {
    const radio = [...place.querySelectorAll('label')].find((one) => one.textContent === phase)
    await click(document.getElementById(radio?.htmlFor ?? ''))
  }
  for (const [phase, shown, address] of [
    ['Running', ['Game 2', 'Regatta'], '/games?show=running'],
    ['Upcoming', ['Game 4'], '/games?show=before'],
    ['Ended', ['Game 1'], '/games?show=ended'],
    ['All', ['Game 2', 'Regatta', 'Game 4', 'Game 1'], '/games'],
  ] as const) {
    await choose(phase)
    expect([names(place), where(), way]).toEqual([shown, address, 'REPLACE'])
  }
  await write(named<HTMLInputElement>('Find a game'), ' GATTA ')
  expect([names(place), where(), way]).toEqual([['Regatta'], '/games?q=+GATTA+', 'REPLACE'])
  expect(named<HTMLInputElement>('Find a game')?.value).toBe(' GATTA ')
  await choose('Ended')
  expect(names(place)).toEqual([])
  expect(place.textContent).toContain('No matching games')
  await click(button('Show all'))
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Find a game')
  expect([names(place).length, where(), way]).toEqual([4, '/games', 'REPLACE'])
  const again = await open('list', { games, address: '/games?show=running&q=game' })
  await until(() => expect(names(again.place)).toEqual(['Game 2']))
})

test('GAMES-5 a card shows the own participation to signed-in users only', async () => {
  const games = [aGame(1, 3), aGame(2, 4), aGame(3, 5), aGame(4, 6)]
  const mine = [
    { gameId: 1, status: 'Accepted' },
    { gameId: 2, status: 'Pending' },
    { gameId: 3, status: 'Unsubmitted' },
    { gameId: 4, status: 'Suspended' },
  ]
  const { place } = await open('list', { games, mine, role: 'User' })
  const words = (within: ParentNode) =>
    [...within.querySelectorAll('li')].map((card) => card.querySelector('[data-status]')?.textContent ?? '')
  await until(() => expect(words(place)).toEqual(['Approved', 'Pending review', '', 'Banned']))
  const icons = [...place.querySelectorAll('[data-status] svg')].map(({ classList }) => classList[1])
  expect(icons).toEqual(['tabler-icon-check', 'tabler-icon-clock-pause', 'tabler-icon-ban'])
  place.remove()
  // The first game is shown large.
  const home = await open('home', { games, mine, role: 'User' })
  await until(() => {
    const further = [...home.place.querySelectorAll('li')].filter(({ textContent }) => textContent?.includes('Game'))
    const status = further.map(({ textContent }) => /Pending review|Banned/.exec(textContent ?? '')?.[0])
    expect(status).toEqual(['Pending review', undefined, 'Banned'])
    expect(further.map((row) => row.querySelector('[data-phase]')?.textContent)).toEqual([undefined, 'Running', undefined])
  })
  const visitor = await open('list', { games, mine })
  await until(() => expect(names(visitor.place)).toHaveLength(4))
  expect(words(visitor.place)).toEqual(['', '', '', ''])
  expect(visitor.requests.map(({ path }) => path)).not.toContain('/api/account/games')
})

test('while games and posts are loading, screen readers do not find the lines that stand for them', async () => {
  const later = new Promise(() => {})
  for (const screen of ['home', 'list'] as const) {
    const { place } = await open(screen, { games: later, posts: later })
    const lines = [...place.querySelectorAll('.mantine-Skeleton-root')]
    expect(lines.length).toBeGreaterThan(3)
    expect(lines.filter((line) => !line.closest('[aria-hidden=true]'))).toEqual([])
  }
})

test('LIVE-6 on home and in the list a game changes its phase and place automatically at its start and end', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.parse('2026-11-22T12:00:00Z') })
  try {
    // The first one starts in 30 minutes; the second one ends in ten.
    const games = [aGame(1, 2, 1.5), aGame(2, 1 / 6, 5)]
    const pass = (minutes: number) => act(() => vi.advanceTimersByTimeAsync(minutes * 60_000 + 1500))
    const list = await open('list', { games })
    await until(() => expect(names(list.place)).toEqual(['Game 2', 'Game 1']))
    const home = await open('home', { games })
    const large = () => home.place.querySelector('h1')?.textContent
    await until(() => expect(large()).toBe('Game 2'))
    const cards = () =>
      [...list.place.querySelectorAll('li')].map((card) => /Upcoming|Running|Ended/.exec(card.textContent ?? '')?.[0])
    expect(cards()).toEqual(['Running', 'Upcoming'])
    await pass(10)
    expect([names(list.place), cards()]).toEqual([
      ['Game 1', 'Game 2'],
      ['Upcoming', 'Ended'],
    ])
    expect(large()).toBe('Game 1')
    await pass(20)
    expect(cards()).toEqual(['Running', 'Ended'])
    expect(home.place.querySelector('section')?.textContent).toContain('Running')
  } finally {
    vi.useRealTimers()
  }
})
