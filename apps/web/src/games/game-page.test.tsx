// @vitest-environment jsdom
import { useQueryClient } from '@tanstack/react-query'
import type { DetailedGame } from '@vexil/contract/games'
import { act } from 'react'
import { useLocation, useNavigationType } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { json, openPage, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { formatTime } from '../ui/time/time.ts'
import { GamePage } from './game-page.tsx'

afterEach(() => void vi.unstubAllGlobals())

const game: DetailedGame = {
  id: 7,
  title: '<b>Regatta</b>',
  summary: '<img src=x onerror=run()> **plain**',
  content: '',
  hidden: false,
  poster: null,
  limit: 0,
  start: new Date(Date.now() + 3_600_000).toISOString(),
  end: new Date(Date.now() + 7_200_000).toISOString(),
  organizations: [],
  inviteCodeRequired: false,
  writeupRequired: false,
  teamCount: 0,
  organization: null,
  teamName: null,
  practiceMode: true,
  status: 'Unsubmitted',
  writeupDeadline: new Date().toISOString(),
  registered: {},
}
const hostile = [
  '<script>run()</script>',
  '<img src=x onerror="run()">',
  '<a href="javascript:run()">here</a>',
  '[there](javascript:run())',
  '<iframe src="https://canary.example"></iframe>',
  '<svg onload="run()"></svg>',
  '<style>* { display: none }</style>',
  '<form action="https://canary.example"><input name="password"></form>',
]

test('P3.7 a game shows title and summary as typed, and its text as Markdown that runs nothing and loads nothing from outside', async () => {
  vi.stubGlobal('fetch', async () => json([]))
  const content = `# Rules\n\n**Sail** and\n\n- steam\n\n${hostile.join('\n\n')}\n\nthe end`
  const place = await openPage(<GamePage game={{ ...game, content }} />, [
    [keys.config, { title: 'GZ', setupRequired: false }],
    [keys.profile, null],
  ])
  expect(place.querySelector('h1')?.textContent).toBe(game.title)
  expect(place.textContent).toContain(game.summary)
  expect(place.querySelector('[data-phase]')?.textContent).toBe('Upcoming')
  expect(place.querySelector('section')?.querySelector('h1 b, p img, p strong')).toBeNull()
  const times = place.querySelector<HTMLElement>('p time')
  await act(async () => times?.focus())
  for (const moment of [game.start, game.end]) {
    expect(times?.textContent).toContain(formatTime(moment, 'long', 'en_US'))
    await until(() => expect(document.querySelector('[role=tooltip]')?.textContent).toContain(`${moment.slice(11, 19)} UTC`))
  }
  const text = await vi.waitFor(() => {
    const found = place.querySelector('section[aria-label]')
    if (!found?.textContent?.includes('the end')) throw new Error('not drawn yet')
    return found
  }, 20_000)
  expect(text.querySelector('strong')?.textContent).toBe('Sail')
  expect(text.querySelector('li')?.textContent).toBe('steam')
  expect(text.querySelector('h1, h2, h3')?.textContent).toBe('Rules')
  expect(text.querySelector('script, iframe, svg:not([aria-hidden]), style, form, input, [onerror], [onload]')).toBeNull()
  expect(text.innerHTML).not.toMatch(/javascript:|canary/)
})

test('P3.7 without a text the page has no empty section; staff have links to their tools, visitors one to sign in and return', async () => {
  vi.stubGlobal('fetch', async () => json([]))
  const tools = ['/games/7/monitor/Events', '/admin/games/7/Info']
  for (const [role, hidden, links] of [
    [null, false, ['/account/Login?from=%2Fgames%2F7']],
    ['Monitor', false, tools.slice(0, 1)],
    ['Admin', true, tools],
  ] as const) {
    const poster = hidden ? '/assets/p/poster' : null
    const place = await openPage(<GamePage game={{ ...game, content: ' \n', hidden, poster, teamCount: 1200 }} />, [
      [keys.config, { title: 'GZ', setupRequired: false }],
      [keys.profile, role && { userId: 'u', userName: 'ann', role }],
      [keys.teams.mine, [{ id: 11, name: 'Old', members: [] }]],
    ])
    expect(place.querySelectorAll('section')).toHaveLength(1)
    expect(place.querySelector('section')?.hasAttribute('data-poster')).toBe(hidden)
    expect([...place.querySelectorAll('section a')].map((one) => one.getAttribute('href'))).toEqual(links)
    expect([role, place.textContent?.includes('Hidden')]).toEqual([role, hidden])
    expect(place.textContent).toContain('Any team size1,200 teams joined')
  }
})

test('the buttons are shown when the first request for the account has failed, and wait before that', async () => {
  const replies: ((reply: Response | Error) => void)[] = []
  vi.stubGlobal('fetch', (input: string) =>
    String(input).includes('/session')
      ? new Promise((resolve, reject) => replies.push((reply) => (reply instanceof Error ? reject(reply) : resolve(reply))))
      : Promise.resolve(json([])),
  )
  function Tried() {
    const queries = useQueryClient()
    queries.setDefaultOptions({ queries: { retry: 1, retryDelay: 0 } })
    return <GamePage game={game} />
  }
  const place = await openPage(<Tried />, [[keys.config, { title: 'GZ', setupRequired: false }]])
  const waits = () => place.querySelector('section')?.hasAttribute('data-waiting')
  expect(waits()).toBe(true)
  await act(async () => replies[0]?.(new TypeError('down')))
  await until(() => expect(replies).toHaveLength(2))
  expect(waits()).toBe(false)
  await act(async () => replies[1]?.(json({ user: null })))
  await until(() => expect(waits()).toBe(false))
})

test('TEAMS-9 after making a team the join form is open with team, division and code; without a team an alert leads to making one', async () => {
  const team = (id: number, name: string) => ({ id, name, bio: null, avatar: null, locked: false, members: [] })
  const known = (teams: object[]): Parameters<typeof openPage>[1] => [
    [keys.config, { title: 'GZ', setupRequired: false }],
    [keys.profile, { userId: 'u', userName: 'ann', role: 'User' }],
    [keys.teams.mine, teams],
  ]
  vi.stubGlobal('fetch', async () => json([]))
  const asks = { ...game, organizations: ['Open', 'Guest'], inviteCodeRequired: true }
  let here: readonly string[] = []
  function Here() {
    here = [useNavigationType(), useLocation().search]
    return null
  }
  await openPage(
    <>
      <GamePage game={asks} />
      <Here />
    </>,
    known([team(11, 'Old'), team(12, 'Kombu')]),
    '/games/7?join=12&division=Guest&code=ahoy&show=rules',
  )
  const values = [...(document.querySelector('[role=dialog]')?.querySelectorAll('input') ?? [])].map(({ value }) => value)
  expect(values).toContain('Guest')
  expect(values).toContain('ahoy')
  expect(values.some((value) => value.startsWith('Kombu'))).toBe(true)
  const link = document.querySelector('[role=dialog] a.link')
  expect(link?.getAttribute('href')).toBe('/Teams?for=7&division=Guest&code=ahoy')
  // The back button does not open the form again.
  await act(async () => document.querySelector<HTMLElement>('[role=dialog] [aria-label=Close]')?.click())
  expect(here).toEqual(['REPLACE', '?show=rules'])
  // A division that the game does not have is no choice, and no team leaves the only one chosen.
  await openPage(<GamePage game={asks} />, known([team(11, 'Old')]), '/games/7?join=&division=Other&code=')
  const form = [...document.querySelectorAll('[role=dialog]')].at(-1)
  expect(form?.querySelector('a.link')?.getAttribute('href')).toBe('/Teams?for=7')
  expect(form?.querySelector('input')?.value).toMatch(/^Old/)
  const before = document.querySelectorAll('[role=dialog]').length
  await openPage(<GamePage game={{ ...asks, status: 'Pending' }} />, known([team(11, 'Old')]), '/games/7?join=11')
  expect(document.querySelectorAll('[role=dialog]')).toHaveLength(before)
  // Before the teams are known it does not open, since it would offer none.
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  const waiting = await openPage(<GamePage game={asks} />, known([])?.slice(0, 2), '/games/7?join=11')
  expect(document.querySelectorAll('[role=dialog]')).toHaveLength(before)
  expect(waiting.querySelector('section')?.hasAttribute('data-waiting')).toBe(true)
  expect([...waiting.querySelectorAll('a')].map((one) => one.getAttribute('href'))).not.toContain('/Teams?for=7')
  vi.stubGlobal('fetch', async () => json([]))
  const place = await openPage(<GamePage game={game} />, known([]))
  expect([...place.querySelectorAll('a')].map((one) => one.getAttribute('href'))).toContain('/Teams?for=7')
})
