// @vitest-environment jsdom
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { DetailedGame } from '@vexil/contract/games'
import { gameLimits } from '@vexil/core/limits'
import { act } from 'react'
import { Link, Route, Routes } from 'react-router'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { button, click, field, send, settle, write } from '../../test/acts.ts'
import { openPage, toasts, until, Where, where } from '../../test/page.tsx'
import { acts, type RecordedCall, refuse, serve } from '../../test/server.ts'
import type { LiveState } from '../api/live.ts'
import { keys } from '../api/query-keys.ts'
import { watchForms } from '../ui/overlays/focus-wrong.ts'
import GameScreen from './game.screen.tsx'

const channel = vi.hoisted(() => ({
  state: 'live' as LiveState,
  say: undefined as ((message: object) => void) | undefined,
  reads: [] as readonly unknown[],
}))
vi.mock('../api/live.ts', async (original) => ({
  ...(await original<typeof import('../api/live.ts')>()),
  useLive: ({ handlers, reads }: { handlers: { VexilGame: (message: object) => void }; reads: readonly unknown[] }) => {
    channel.say = handlers.VexilGame
    channel.reads = reads
    return channel.state
  },
}))
afterEach(() => {
  channel.state = 'live'
  vi.useRealTimers()
})

const hour = 3_600_000
const at = (hours: number) => new Date(Date.now() + hours * hour).toISOString()
const basic = (): DetailedGame => ({
  id: 7,
  title: 'Regatta',
  summary: '',
  content: '',
  hidden: false,
  poster: null,
  limit: 0,
  start: at(-1),
  end: at(1),
  organizations: [],
  inviteCodeRequired: false,
  writeupRequired: false,
  teamCount: 3,
  organization: null,
  teamName: null,
  practiceMode: false,
  status: 'Unsubmitted',
  writeupDeadline: at(1),
  registered: {},
})
const team = (id: number, name: string, members = 1) => ({
  id,
  name,
  bio: null,
  avatar: null,
  locked: false,
  members: Array.from({ length: members }, (_, index) => ({
    id: `m${index}`,
    userName: `m${index}`,
    avatar: null,
    captain: false,
  })),
})

/** The query cache of the page. */
let queries: QueryClient
function Held() {
  queries = useQueryClient()
  return null
}

interface Scene {
  readonly game?: Partial<DetailedGame>
  readonly teams?: object[]
  /** Answers calls that change something; may change the game first. */
  readonly answer?: (call: RecordedCall, change: (part: Partial<DetailedGame>) => void) => unknown
  readonly visitor?: boolean
  readonly isDeleted?: () => boolean
}

async function open({ game = {}, teams = [team(11, 'Gulls')], answer = () => undefined, visitor, isDeleted }: Scene = {}) {
  let kept = { ...basic(), ...game }
  const change = (part: Partial<DetailedGame>) => {
    kept = { ...kept, ...part }
  }
  const requests = serve((call) => {
    if (call.method !== 'GET') return answer(call, change)
    if (call.path === '/api/game/7' && !isDeleted?.()) return kept
    if (call.path === '/api/game/8') return { ...kept, id: 8, title: 'Race' }
    if (call.path === '/api/team') return teams
    return call.path === '/api/account/games' ? [] : refuse('There is no such game', 'game.not_found', 404)
  })
  const place = await openPage(
    <>
      <Where />
      <Held />
      <Link to="/games/8">Another game</Link>
      <Routes>
        <Route path="/games/:id" element={<GameScreen />} />
        <Route path="*" element={null} />
      </Routes>
    </>,
    [
      [keys.config, { title: 'Harbour', setupRequired: false }],
      [keys.profile, visitor ? null : { userId: 'u', userName: 'ann', role: 'User' }],
      [keys.myGames, []],
    ],
    '/games/7',
  )
  await until(() => expect(place.querySelector('h1')?.textContent).toBe('Regatta'))
  expect(place.querySelectorAll('footer')).toHaveLength(1)
  return { place, requests, change }
}
const dialog = () => document.querySelector<HTMLElement>('[role=dialog]')
const within = (text: string) => [...(dialog()?.querySelectorAll('button') ?? [])].find((one) => one.textContent === text)
const links = (place: ParentNode) => [...place.querySelectorAll('a')].map((one) => one.getAttribute('href'))

/** Passes the first dialog and opens the form; the only team is already selected. */
async function openForm(scene: Scene) {
  const opened = await open(scene)
  await click(button('Join the game'))
  await click(button('Continue'))
  return opened
}
async function choose(label: string, option: RegExp) {
  await click(field(label))
  await click([...document.querySelectorAll('[role=option]')].find((one) => option.test(one.textContent ?? '')))
}

test('P8.10 P8.11 P8.12 GD-1 P5.5 P5.6 P5.7 missing input is shown at its field before any call; the first missing field gets the focus', async () => {
  onTestFinished(watchForms())
  const { requests } = await openForm({
    game: { organizations: ['Open', 'Guest'], inviteCodeRequired: true },
    teams: [team(11, 'Gulls'), team(12, 'Terns')],
  })
  const refused = async () => {
    await send(field('Team'))
    await until(() => expect(document.activeElement?.getAttribute('aria-invalid')).toBe('true'))
  }
  const saidAt = (label: string) =>
    field(label).closest('.mantine-InputWrapper-root')?.querySelector('.mantine-InputWrapper-error')?.textContent
  const said = () => ['Team', 'Invite code', 'Division'].map(saidAt)
  await refused()
  expect(said()).toEqual(['Select a team', 'Invite code cannot be empty', 'Select a division'])
  expect(document.activeElement).toBe(field('Team'))
  await choose('Team', /Terns/)
  expect(said()).toEqual([undefined, 'Invite code cannot be empty', 'Select a division'])
  await refused()
  expect(document.activeElement).toBe(field('Invite code'))
  await write(field('Invite code'), ' ahoy ')
  await refused()
  expect(said()).toEqual([undefined, undefined, 'Select a division'])
  expect(document.activeElement).toBe(field('Division'))
  // Another click on what is chosen does not clear it.
  for (let clicks = 0; clicks < 2; clicks++) await choose('Division', /Guest/)
  await choose('Team', /Terns/)
  expect([acts(requests), toasts()]).toEqual([[], []])
  await send(field('Team'))
  expect(acts(requests)).toEqual([{ call: 'POST /api/game/7', body: { teamId: 12, organization: 'Guest', inviteCode: 'ahoy' } }])
})

test('the form to join opens with the focus on its first open question, or on its button if there is none', async () => {
  const plain = await openForm({ game: { registered: { 11: 1 } } })
  await until(() => expect(document.activeElement).toBe(within('Join')))
  // A game without a limit, an invite code and divisions.
  expect(dialog()?.textContent).not.toMatch(/places taken|no free place/)
  expect([...(dialog()?.querySelectorAll('label') ?? [])].map(({ textContent }) => textContent)).toEqual(['Team'])
  await click(within('Cancel'))
  await until(() => expect(dialog()).toBeNull())
  plain.place.remove()
  await openForm({ game: { inviteCodeRequired: true } })
  await until(() => expect(document.activeElement).toBe(field('Invite code')))
  expect(field('Invite code').maxLength).toBe(gameLimits.inviteCodeMax)
  expect(field('Invite code').getAttribute('autocomplete')).toBe('off')
})

test('GD-1 before the form three points are shown, and the button that continues has the focus', async () => {
  await open()
  queries.setQueryData(keys.game(8).detail, { ...basic(), id: 8, title: 'Race' })
  await click(button('Join the game'))
  expect(dialog()?.querySelector('h2')?.textContent).toContain('Regatta')
  expect(dialog()?.querySelectorAll('li')).toHaveLength(3)
  expect(within('Continue')?.hasAttribute('data-autofocus')).toBe(true)
  // The form belongs to this game.
  await click([...document.querySelectorAll('a')].find((one) => one.textContent === 'Another game'))
  await until(() => expect(document.querySelector('h1')?.textContent).toBe('Race'))
  await until(() => expect(dialog()).toBeNull())
})

test('a division is not sent when the game no longer has any, and no field can be changed while the request is sent', async () => {
  const held = Promise.withResolvers<Response>()
  const { requests, change } = await openForm({
    game: { organizations: ['Open', 'Guest'], inviteCodeRequired: true },
    answer: () => held.promise,
  })
  await write(field('Invite code'), 'ahoy')
  await choose('Division', /Guest/)
  const disabled = (...labels: string[]) => labels.map((label) => field(label).disabled)
  expect(disabled('Team', 'Invite code', 'Division')).toEqual([false, false, false])
  await send(field('Team'))
  expect(disabled('Team', 'Invite code', 'Division')).toEqual([true, true, true])
  held.resolve(refuse('Not now', 'game.ended'))
  await until(() => expect(disabled('Team', 'Invite code', 'Division')).toEqual([false, false, false]))
  change({ organizations: [], inviteCodeRequired: false })
  await act(async () => channel.say?.({ what: 'game' }))
  await until(() => expect(dialog()?.textContent).not.toContain('Division'))
  await send(field('Team'))
  expect(acts(requests).map(({ body }) => body)).toEqual([
    { teamId: 11, organization: 'Guest', inviteCode: 'ahoy' },
    { teamId: 11, organization: null, inviteCode: null },
  ])
})

test.each([
  ['Pending', 'Pending review', 'You are registered as a member of Gulls', 'Request sent'],
  ['Accepted', 'Open challenges', '', 'You joined the game'],
] as const)('GD-2 joining shows a message; the dialog closes, and %s is shown at once', async (status, label, alert, title) => {
  const { place, requests } = await openForm({ answer: (_, change) => change({ status, teamName: 'Gulls' }) })
  await send(field('Team'))
  expect(acts(requests)).toEqual([{ call: 'POST /api/game/7', body: { teamId: 11, organization: null, inviteCode: null } }])
  expect(toasts()).toEqual([expect.objectContaining({ title, role: 'status' })])
  await until(() => expect(dialog()).toBeNull())
  expect(queries.getQueryState(keys.myGames)?.isInvalidated).toBe(true)
  expect(requests.filter(({ path }) => path === '/api/team')).toHaveLength(2)
  expect(place.textContent).toContain(label)
  expect(place.textContent).toContain(alert)
  expect(button('Join the game')).toBeUndefined()
  expect(button('Approved')).toBeUndefined()
  if (status === 'Accepted') expect(place.querySelector('[data-kind]')).toBeNull()
})

test.each([
  ['game.invite_code_wrong', 'The invite code is wrong', 'Invite code'],
  ['game.division_unknown', 'There is no such division', 'Division'],
  ['participation.member_limit', 'The team has no place left', 'Team'],
  ['participation.division_fixed', 'The division cannot be changed', 'Division'],
  ['participation.other_team', 'You take part with another team', undefined],
  ['game.ended', 'The game has ended', undefined],
])('GD-3 %s is shown in the dialog, which stays open and keeps the input', async (code, words, label) => {
  const { place } = await openForm({
    game: { organizations: ['Open', 'Guest'], inviteCodeRequired: true },
    answer: () => refuse(words, code),
  })
  await write(field('Invite code'), 'ahoy')
  await choose('Division', /Guest/)
  await send(field('Team'))
  const said = label ? field(label).closest('.mantine-InputWrapper-root') : dialog()?.querySelector('[role=alert]')
  expect(said?.textContent).toContain(words)
  expect([field('Invite code').value, field('Division').value]).toEqual(['ahoy', 'Guest'])
  expect(field('Team').value).toContain('Gulls')
  expect(field('Team').disabled).toBe(false)
  expect(place.textContent).not.toContain('You joined the game')
  expect(toasts()).toEqual([])
  if (label && label !== 'Invite code') return
  await write(field('Invite code'), 'ahoy there')
  expect(dialog()?.textContent).not.toContain(words)
})

test('GD-4 leaving asks first and warns of the data of the team; afterwards joining is possible again', async () => {
  const { place, requests } = await open({
    game: { status: 'Pending', teamName: 'Gulls' },
    answer: (_, change) => change({ status: 'Unsubmitted', teamName: null }),
  })
  await click(button('Leave'))
  expect(dialog()?.textContent).toContain('Regatta')
  expect(dialog()?.textContent).toContain("If you are the last registered member, the team's participation data is deleted")
  await click(within('Cancel'))
  expect(acts(requests)).toEqual([])
  await click(button('Leave'))
  await click(within('Leave'))
  expect(acts(requests)).toEqual([{ call: 'DELETE /api/game/7', body: undefined }])
  expect(toasts()).toEqual([expect.objectContaining({ title: 'You left the game', role: 'status' })])
  await until(() => expect(button('Join the game')?.disabled).toBe(false))
  expect(place.textContent).not.toContain('Gulls')
  // The first step can be cancelled, and is shown again.
  for (const step of ['Cancel', 'Continue', 'Cancel']) {
    if (!dialog()) await click(button('Join the game'))
    await click(within(step))
    if (step === 'Cancel') await until(() => expect(dialog()).toBeNull())
  }
  await click(button('Join the game'))
  expect(button('Continue')).toBeTruthy()
})

test('GD-5 an unknown game shows the not-found screen with a link to the games, the address stays, and the game is not requested again', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  channel.state = 'off'
  const requests = serve(() => refuse('There is no such game', 'game.not_found', 404))
  const place = await openPage(
    <>
      <Where />
      <Routes>
        <Route path="/games/:id" element={<GameScreen />} />
      </Routes>
    </>,
    [
      [keys.config, { title: 'Harbour', setupRequired: false }],
      [keys.profile, { userId: 'u', userName: 'ann', role: 'User' }],
    ],
    '/games/99',
  )
  await until(() => expect(place.querySelector('h1')?.textContent).toBe('Game does not exist'))
  await act(() => vi.advanceTimersByTimeAsync(25_000))
  expect(requests.filter(({ path }) => path === '/api/game/99')).toHaveLength(1)
  expect(where()).toBe('/games/99')
  expect(links(place)).toEqual(['/games', '/'])
})

test.each(['live', 'reconnecting'] as const)(
  'GD-6 a review appears without a reload within 10 s, with the channel %s',
  async (state) => {
    channel.state = state
    vi.useFakeTimers({ shouldAdvanceTime: true })
    const random = vi.spyOn(Math, 'random').mockReturnValue(1)
    onTestFinished(() => random.mockRestore())
    const { place, requests, change } = await open({ game: { status: 'Pending', teamName: 'Gulls' } })
    const details = () => requests.filter(({ path }) => path === '/api/game/7').length
    expect(document.title).toBe('Regatta - Harbour::CTF')
    expect(channel.reads).toEqual([keys.game(7).detail, keys.myGames])
    for (const [status, label] of [
      ['Rejected', 'Re-Sign Up'],
      ['Accepted', 'Open challenges'],
      ['Suspended', 'Banned'],
    ] as const) {
      change({ status })
      const before = details()
      // Several messages are followed by one request, at a random time.
      for (let left = state === 'live' ? 3 : 0; left > 0; left--) await act(async () => channel.say?.({ what: 'participations' }))
      expect(details()).toBe(before)
      await act(() => vi.advanceTimersByTimeAsync(10_000))
      expect(details()).toBe(before + 1)
      await settle()
      await until(() => expect(place.textContent).toContain(label))
    }
    // The list of games shows the status, too.
    expect(queries.getQueryState(keys.myGames)?.isInvalidated).toBe(state === 'live')
    const before = details()
    await act(() => vi.advanceTimersByTimeAsync(30_000))
    if (state !== 'live') return
    expect(details()).toBe(before)
    // A change of the game itself is read at once.
    await act(async () => channel.say?.({ what: 'game' }))
    expect(details()).toBe(before + 1)
  },
)

test('GD-6 a visitor sees a changed end and the deletion of the game without a reload; changes of teams request nothing', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const random = vi.spyOn(Math, 'random').mockReturnValue(1)
  onTestFinished(() => random.mockRestore())
  let deleted = false
  channel.state = 'reconnecting'
  const { place, requests, change } = await open({ visitor: true, isDeleted: () => deleted })
  expect(requests.map(({ path }) => path)).not.toContain('/api/team')
  const details = () => requests.filter(({ path }) => path === '/api/game/7').length
  const before = details()
  const pushed = async (what: string, ms = 3000) => {
    await act(async () => channel.say?.({ what }))
    expect(details()).toBe(before)
    await act(() => vi.advanceTimersByTimeAsync(ms))
  }
  // Nor is the game polled for visitors while the channel reconnects.
  await pushed('participations', 30_000)
  change({ end: at(-0.1) })
  await pushed('game')
  expect(details()).toBe(before + 1)
  await until(() => expect(place.textContent).toContain('Ended'))
  deleted = true
  await act(async () => channel.say?.({ what: 'game' }))
  await act(() => vi.advanceTimersByTimeAsync(3000))
  await until(() => expect(place.querySelector('h1')?.textContent).toBe('Game does not exist'))
})

test('GD-7 GD-8 LIVE-6 at the start the board and challenges open automatically and the clock counts to the end; at the end they close', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const [start, end] = [at(1), at(3)]
  const { place } = await open({ game: { status: 'Accepted', teamName: 'Gulls', start, end } })
  const moment = () => Date.parse(place.querySelector<HTMLTimeElement>('[role=timer] ~ time')?.dateTime ?? '')
  const open2 = () => links(place).filter((to) => /Challenges|Scoreboard/.test(to ?? ''))
  const clock = () => place.querySelector('[role=timer]')?.textContent
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
  expect(open2()).toEqual([])
  expect(clock()).toMatch(/^(01:00:00|00:59:5\d)$/)
  expect(place.textContent).toContain('until the start')
  expect(moment()).toBe(Date.parse(start))
  expect(place.textContent).toContain('You play for Gulls')
  expect(button('Approved')?.disabled).toBe(true)
  expect(place.textContent).toMatch(/until the start \(.*, 2 hours long\)/)
  const scale = () => place.querySelector<HTMLElement>('[role=img][aria-label^="From "]')
  expect(scale()?.getAttribute('aria-label')).toMatch(/^From .*\d\d:\d\d to .*\d\d:\d\d$/)
  // Nothing of it has passed.
  expect(scale()?.querySelector('i')?.style.width).toBe('0%')
  // It opens within two seconds after the start.
  await pass(hour + 1900)
  expect(open2()).toEqual(['/games/7/Challenges', '/games/7/Scoreboard'])
  expect(clock()).toMatch(/^01:59:\d\d$/)
  expect(place.textContent).toContain('left, until')
  expect(moment()).toBe(Date.parse(end))
  await pass(2 * hour)
  expect(open2()).toEqual(['/games/7/Scoreboard'])
  expect(clock()).toBeUndefined()
  expect(place.textContent).toContain('Ended')
})

test('GD-4 a refused leave says why, and the team stays registered', async () => {
  const held = Promise.withResolvers<Response>()
  await open({ game: { status: 'Rejected', teamName: 'Gulls' }, answer: () => held.promise })
  const isBusy = () => button('Leave')?.getAttribute('aria-busy')
  await click(button('Leave'))
  await click(within('Leave'))
  expect(isBusy()).toBe('true')
  held.resolve(refuse('Not now', 'game.ended'))
  await until(() => expect(isBusy()).toBeNull())
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Could not leave the game', message: 'Not now', role: 'alert' })])
  expect(button('Leave')).toBeTruthy()
})

test('an ended game that can be practised offers its challenges under another name', async () => {
  const practised = { start: at(-3), end: at(-1), practiceMode: true } as const
  const { place } = await open({ game: { ...practised, status: 'Accepted', teamName: 'Gulls' } })
  const practise = [...place.querySelectorAll('a')].find(({ textContent }) => textContent === 'Practise')
  expect(practise?.getAttribute('href')).toBe('/games/7/Challenges')
  expect(place.textContent).not.toContain('Open challenges')
  place.remove()
  const other = await open({ game: practised })
  expect(button('Join for practice')?.disabled).toBe(false)
  expect(links(other.place).filter((to) => /Challenges/.test(to ?? ''))).toEqual([])
})

test('WU-4 on the page of a game that ended without practice an accepted team submits its writeup until the deadline', async () => {
  const ended = { status: 'Accepted', teamName: 'Gulls', start: at(-3), end: at(-1), writeupRequired: true } as const
  await open({ game: { ...ended, writeupDeadline: at(1) } })
  await click(button('Submit writeup'))
  await until(() => expect(dialog()?.querySelector('h2')?.textContent).toContain('Writeup'))
  await click(dialog()?.querySelector('[aria-label=Close]'))
  await until(() => expect(dialog()).toBeNull())
  const late = await open({ game: { ...ended, end: '2026-03-14T15:09:00.000Z', writeupDeadline: at(-0.5) } })
  const endedAt = [...late.place.querySelectorAll('time')].find(({ textContent }) => textContent?.startsWith('Ended'))
  expect([endedAt?.dateTime, endedAt?.textContent]).toEqual(['2026-03-14T15:09:00.000Z', expect.stringContaining('15:09')])
  expect(late.place.textContent).not.toContain('Submit writeup')
})

test('GD-1 TEAMS-9 without a team the button leads to the team form, whose address leads back', async () => {
  const { place } = await open({ teams: [] })
  const link = () => [...place.querySelectorAll('a')].find((one) => one.textContent === 'Join the game')
  await until(() => expect(link()?.getAttribute('href')).toBe('/Teams?for=7'))
  expect(button('Join the game')).toBeUndefined()
})

test('GD-9 each team is offered with its number of members; a team that is full in this game is marked', async () => {
  await openForm({
    game: { limit: 2, registered: { 11: 1, 12: 2 } },
    teams: [team(11, 'Gulls', 1), team(12, 'Terns', 3)],
  })
  expect(dialog()?.textContent).not.toContain('places taken')
  await click(field('Team'))
  expect([...document.querySelectorAll('[role=option]')].map((one) => one.textContent)).toEqual([
    'Gulls (1 member)',
    'Terns (3 members)',
  ])
  await choose('Team', /Gulls/)
  expect(dialog()?.textContent).toContain('1 of 2 places taken in this game')
  expect(field('Team').getAttribute('aria-invalid')).not.toBe('true')
  await choose('Team', /Terns/)
  expect(dialog()?.textContent).toContain('This team has no free place in this game (limit: 2)')
})
