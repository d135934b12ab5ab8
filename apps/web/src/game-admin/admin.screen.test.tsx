// @vitest-environment jsdom
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { challengeLimits, defaultBloodBonus, flagLimits, gameLimits, textLimits } from '@vexil/core/limits'
import { act, type ReactNode } from 'react'
import { Link, Route, Routes, useLocation } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { button, click, field, named, send, settle, write } from '../../test/acts.ts'
import { hub } from '../../test/hub.ts'
import { json, openPage, toasts, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { allGamesQuery } from '../api/shared.queries.ts'
import { hasUnsaved, useUnsavedWarning } from '../shell/unsaved.tsx'
import { t } from '../ui/text/texts.tsx'
import { packPercents } from './challenges/blood-bonus.ts'
import ChallengeScreen from './challenges/challenge.screen.tsx'
import ListScreen from './challenges/challenge-list.screen.tsx'
import FlagsScreen from './challenges/flags.screen.tsx'
import { ScoreCurveChart } from './challenges/score-curve.tsx'
import InfoScreen from './information/info.screen.tsx'
import GameNoticesScreen from './notices/notices.screen.tsx'
import ReviewScreen from './review/review.screen.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))

const edit = '/api/edit/games/7'
const part = `${edit}/challenges/3`
type Reply = object | string | (() => Response | Promise<Response>)
let answers: Record<string, Reply>
let requests: string[]
let bodies: Record<string, unknown>
let stored: { flags: object[] } & Record<string, unknown>

const refused =
  (title: string, status = 400, code = 'server.unknown') =>
  () =>
    json({ title, status, code }, status)
const row = (flag: string, id: number, attachment: object | null = null) => ({ id, flag, attachment })
const team = (id: number, name: string, status = 'Pending', organization: string | null = null) => ({
  id,
  status,
  organization,
  registeredMembers: ['u'],
  team: { id, name, bio: null, avatar: null, locked: false, captainId: 'u', members: [] },
})

beforeEach(() => {
  requests = []
  bodies = {}
  stored = {
    id: 3,
    title: 'Buoy',
    content: 'What it says',
    category: 'Web',
    type: 'StaticAttachment',
    hints: ['A hint'],
    additionalContainers: [],
    namedPorts: [],
    isEnabled: false,
    acceptedCount: 0,
    fileName: null,
    attachment: null,
    originalScore: 1000,
    minScoreRate: 0.25,
    difficulty: 5,
    bloodBonus: null,
    flagTemplate: null,
    containerImage: null,
    flags: [],
  }
  const game = {
    id: 7,
    title: 'Regatta',
    hidden: false,
    summary: '',
    content: '',
    start: '2126-01-01T00:00:00+00:00',
    end: '2126-01-01T02:00:00+00:00',
    writeupDeadline: '2126-01-01T02:00:00+00:00',
    organizations: [],
    teamMemberCountLimit: 0,
    containerCountLimit: 3,
    inviteCode: null,
    writeupNote: '',
    bloodBonus: 0,
    publicKey: 'key',
  }
  answers = { [`GET ${edit}`]: game, [`PUT ${edit}`]: game }
  vi.stubGlobal('scrollTo', () => {})
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const line = `${init?.method ?? 'GET'} ${input}`
    requests.push(line)
    if (typeof init?.body === 'string') bodies[line] = JSON.parse(init.body)
    const answer = answers[line] ?? answers[line.split('?')[0] ?? ''] ?? (line === `GET ${part}` ? stored : [])
    return typeof answer === 'function' ? answer() : json(answer)
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

let queries: QueryClient
/** Whether each of these queries is read again when it is shown. */
const old = (...which: (readonly unknown[])[]) => which.map((key) => queries.getQueryState(key)?.isInvalidated)
function Around() {
  const { pathname } = useLocation()
  queries = useQueryClient()
  useQuery(allGamesQuery)
  return (
    <>
      <output>{pathname}</output>
      <Link to="/elsewhere" />
      <Link to="/admin/games/8/Info" />
    </>
  )
}

/** A screen with unsaved changes. */
function Unsaved() {
  useUnsavedWarning(true)
  return null
}
async function open(screen: ReactNode, tab: string, id = 7): Promise<HTMLElement> {
  const place = await openPage(
    <>
      <Routes>
        <Route path={`/admin/games/:id/${tab.replace('3', ':chalId').replace(/#.*/, '')}`} element={screen} />
        <Route path="/elsewhere" element={<Unsaved />} />
        <Route path="*" element={null} />
      </Routes>
      <Around />
    </>,
    [
      [keys.config, { title: 'GZ', containers: 'Default' }],
      [keys.profile, { userName: 'Admin', role: 'Admin' }],
    ],
    `/admin/games/${id}/${tab}`,
  )
  await settle()
  return place
}
const here = () => document.querySelector('output')?.textContent
const dialog = () => document.querySelector<HTMLElement>('[role=dialog]')
const within = (text: string) =>
  [...(dialog()?.querySelectorAll<HTMLButtonElement>('button') ?? [])].filter((one) => one.textContent === text).at(-1)
const sent = () => requests.filter((line) => !line.startsWith('GET'))
const said = () => toasts().map(({ title }) => title)

test('GI-2 saving shows a message and makes the public lists refetch; a refusal does neither', async () => {
  await open(<InfoScreen />, 'Info')
  const lists = () => requests.filter((line) => line.startsWith('GET /api/game?')).length
  const before = lists()
  await write(field('Summary'), 'Three days at sea')
  answers[`PUT ${edit}`] = refused('Disk is full', 500)
  await click(button('Save 1 change'))
  expect(toasts()).toContainEqual(expect.objectContaining({ message: 'Disk is full', role: 'alert' }))
  expect(lists()).toBe(before)
  answers[`PUT ${edit}`] = answers[`GET ${edit}`] as object
  const others = [keys.edit.games(), keys.game(7).detail]
  for (const key of others) queries.setQueryData(key, [])
  const notices = requests.filter((line) => line === `GET ${edit}/notices`).length
  await saveByKeys()
  await until(() => expect(said()).toContain('Saved'))
  expect(old(...others)).toEqual([true, true])
  expect(bodies[`PUT ${edit}`]).toMatchObject({ summary: 'Three days at sea' })
  await until(() => expect(lists()).toBe(before + 1))
  // Parts of the game that are not saved with it are not read again.
  expect(requests.filter((line) => line === `GET ${edit}/notices`)).toHaveLength(notices)
  requests.length = 0
  await saveByKeys()
  expect(sent()).toEqual([])
})

test('GI-2 a game that was shown is shown at once, and the lists are read again; players see a hidden one nowhere', async () => {
  const game = answers[`GET ${edit}`] as object
  answers[`GET ${edit}`] = { ...game, hidden: true }
  const place = await open(<InfoScreen />, 'Info')
  expect(place.querySelector('header')?.textContent).toMatch(/Upcoming.*Hidden/)
  const lists = () => requests.filter((line) => line.startsWith('GET /api/game?')).length
  const before = lists()
  answers[`PUT ${edit}`] = () => {
    // The answer for the game arrives late.
    answers[`GET ${edit}`] = () => new Promise<Response>(() => {})
    return json({ ...game, hidden: false })
  }
  await click(button('Show game'))
  await click(within('Show'))
  await until(() => expect(button('Show game')).toBeUndefined())
  expect(place.querySelector('header')?.textContent).not.toContain('Hidden')
  await until(() => expect(lists()).toBe(before + 1))
})

test('GI-1 the fields of a game have their limits, a division its rules, and the key of the game can be copied', async () => {
  const writeText = vi.fn(async () => {})
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  const place = await open(<InfoScreen />, 'Info')
  await click(button('Copy public key'))
  expect(writeText).toHaveBeenCalledWith('key')
  expect(button('Copied')).toBeTruthy()
  expect(['Title', 'Summary', 'Invite code empty: open to all'].map((label) => field(label).maxLength)).toEqual([
    gameLimits.titleMax,
    gameLimits.summaryMax,
    gameLimits.inviteCodeMax,
  ])
  expect(field('Divisions').placeholder).toBe('Type a name and press Enter')
  const add = async (name: string, way: 'enter' | 'leave') => {
    await act(async () => field('Divisions').focus())
    await write(field('Divisions'), name)
    if (way === 'leave') await act(async () => field('Divisions').blur())
    else
      await act(async () => void field('Divisions').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })))
  }
  const names = () => [...place.querySelectorAll('.mantine-Pill-label')].map(({ textContent }) => textContent)
  await add(' All ', 'leave')
  expect(names()).toEqual(['All'])
  expect(place.textContent).toContain(`At most ${gameLimits.divisionMax} characters, and not “all”.`)
  await click(place.querySelector('.mantine-Pill-remove'))
  expect(place.textContent).not.toContain('and not “all”.')
  for (let at = 0; at <= gameLimits.divisionsMax; at++) await add(`Division ${at}`, 'enter')
  expect(names()).toHaveLength(gameLimits.divisionsMax)
  await write(field('Team size'), '')
  expect(field('Team size').closest('.mantine-InputWrapper-root')?.textContent).toMatch(
    /A whole number from 0 to 100000\. 0 means no limit\.$/,
  )
  expect(place.textContent?.match(/0 means no limit\./g)).toHaveLength(2)
})

test('an unknown game is not found, with a way to the list of games, and its changes are not listened to', async () => {
  answers['GET /api/edit/games/9'] = refused('Game not found', 404)
  const place = await open(<ReviewScreen />, 'Review', 9)
  await until(() => expect(place.querySelector('a[href="/admin/games"]')).toBeTruthy())
  const ofGame = hub.connections.filter(({ address }) => address.endsWith('=9'))
  expect(ofGame).not.toEqual([])
  await until(() => expect(ofGame.map(({ isClosed }) => isClosed)).not.toContain(false))
})

test('GI-2 discarded changes are replaced by the stored values', async () => {
  const place = await open(<InfoScreen />, 'Info')
  await write(field('Summary'), 'Three days at sea')
  await write(field('Title'), ' ')
  const start = field('Start').value
  await write(field('Start'), 'soon')
  await leave(field('Start'))
  expect(place.textContent).toContain('Enter a title.')
  await click(button('Discard'))
  expect([field('Summary').value, field('Title').value, field('Start').value]).toEqual(['', 'Regatta', start])
  expect(named('Back to games')?.getAttribute('href')).toBe('/admin/games')
  expect(place.textContent).not.toContain('Enter a title.')
  expect([button('Save')?.disabled, button('Discard')?.disabled]).toEqual([true, true])
  expect(sent()).toEqual([])
})

/** Sets the times of the game that the server returns. */
const timed = (start: number, end: number, more: object = {}) => {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  answers[`GET ${edit}`] = {
    ...(answers[`GET ${edit}`] as object),
    start: at(start),
    end: at(end),
    writeupDeadline: at(end),
    ...more,
  }
}
const leave = (control: HTMLElement) => act(async () => void control.dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
const saveByKeys = () =>
  act(
    async () =>
      void document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 's', code: 'KeyS', ctrlKey: true, bubbles: true })),
  )

test('GI-2 the answer of a saved game is shown at once; until then no code can be generated', async () => {
  const place = await open(<InfoScreen />, 'Info')
  await write(field('Title'), 'Regatta 2')
  const code = field('Invite code empty: open to all')
  expect(['autocomplete', 'spellcheck'].map((name) => code.getAttribute(name))).toEqual(['off', 'false'])
  const generate = () => named<HTMLButtonElement>('Generate code')?.disabled
  expect(generate()).toBe(false)
  const saved = Promise.withResolvers<Response>()
  answers[`PUT ${edit}`] = () => saved.promise
  await click(button('Save 1 change'))
  expect(generate()).toBe(true)
  const game = answers[`GET ${edit}`] as object
  answers[`GET ${edit}`] = () => new Promise<Response>(() => {})
  await act(async () => saved.resolve(json({ ...game, title: 'Regatta II' })))
  await until(() => expect(place.querySelector('h1')?.textContent).toBe('Regatta II'))
  expect([field('Title').value, button('Save')?.disabled]).toEqual(['Regatta II', true])
})

test('GI-2 discarded changes of a game are not in the form of the next one', async () => {
  answers['GET /api/edit/games/8'] = { ...(answers[`GET ${edit}`] as object), id: 8, title: 'Sloop' }
  await open(<InfoScreen />, 'Info')
  await write(field('Summary'), 'Three days at sea')
  await click(document.querySelector('a[href="/admin/games/8/Info"]'))
  await click(within('Discard'))
  await until(() => expect(field('Title').value).toBe('Sloop'))
  expect([field('Summary').value, button('Save')?.disabled]).toEqual(['', true])
})

test('GI-4 after the end a game is opened again without a question', async () => {
  timed(-3, -1)
  const place = await open(<InfoScreen />, 'Info')
  await write(field('End'), new Date(Date.now() + 3_600_000).toISOString())
  await leave(field('End'))
  expect(place.textContent).toMatch(/End moves .* later\./)
  await click(button('Save 1 change'))
  expect([dialog(), sent()]).toEqual([null, [`PUT ${edit}`]])
})

test('GI-1 an empty title, an end before the start and too many hours are marked at their fields and nothing is saved', async () => {
  const place = await open(<InfoScreen />, 'Info')
  expect(place.textContent).toContain('Duration: 2 hours.')
  expect(place.textContent).not.toContain('The game has started.')
  await write(field('Title'), ' ')
  await write(field('End'), '2125-01-01T00:00:00Z')
  await leave(field('End'))
  expect(place.textContent).toContain('Enter a title.')
  expect(place.textContent).toContain('The end must be after the start.')
  expect(['Title', 'Start', 'End'].map((label) => field(label).getAttribute('aria-invalid'))).toEqual(['true', 'true', 'true'])
  expect(place.textContent).not.toContain('Duration')
  expect(button('Save 2 changes')?.disabled).toBe(true)
  // Valid hours have the time of the deadline below, invalid ones the error.
  const below = () => {
    const hours = field('Deadline after the end').closest('[class*=InputWrapper-root]')
    return [hours?.querySelector('time')?.dateTime, hours?.textContent?.includes('Hours from 0 to 1000000.')]
  }
  expect(place.querySelector('time[datetime="2125-01-01T00:00:00.000Z"]')?.textContent).toMatch(/1 Jan 2125.* 00:00/)
  expect(['hidden', 'practice', 'accept', 'writeup'].map((id) => place.querySelector(`label[for=${id}]`) !== null)).toEqual(
    Array(4).fill(true),
  )
  expect(below()).toEqual(['2125-01-01T00:00:00.000Z', false])
  await write(field('Deadline after the end'), '1000001')
  expect(below()).toEqual([undefined, true])
  await saveByKeys()
  expect(sent()).toEqual([])
})

test('GI-4 GI-5 GI-6 moved times of a running game are confirmed with their effects; a removed division is shown with its teams; codes are generated', async () => {
  timed(-1, 1, { organizations: ['Guest', 'Open'] })
  answers[reviewed] = [
    team(1, 'Ebb', 'Accepted', 'Guest'),
    team(2, 'Flow', 'Accepted', 'Guest'),
    team(3, 'Tide', 'Pending', 'Open'),
  ]
  const place = await open(<InfoScreen />, 'Info')
  expect(field('Start').closest('.mantine-InputWrapper-root')?.textContent).toContain('The game has started.')
  expect(place.textContent).not.toContain('Long titles are cut')
  await write(field('Title'), 'x'.repeat(60))
  expect(place.textContent).not.toContain('Long titles are cut')
  await write(field('Title'), 'x'.repeat(61))
  expect(place.textContent).toContain('Long titles are cut')
  await write(field('Title'), 'Regatta')
  const zone = /\d\d:\d\d:\d\d UTC/
  expect(field('End').closest('.mantine-InputWrapper-root')?.textContent).toMatch(zone)
  await write(field('End'), new Date(Date.now() + 4 * 3_600_000).toISOString())
  await leave(field('End'))
  expect(place.textContent).toMatch(/Duration: \S+ hours, was 2\./)
  await click(place.querySelector('.mantine-Pill-remove'))
  expect(place.textContent).toContain('Guest was removed; 2 teams are in it.')
  const random = vi.spyOn(crypto, 'getRandomValues')
  await click(named('Generate code'))
  expect(random).toHaveBeenCalled()
  await click(button('Save 3 changes'))
  expect(dialog()?.textContent).toContain('Change the times of a running game?')
  expect(dialog()?.textContent).toMatch(
    /End moves (3 hours|179 minutes) later\. Submissions until then count\. 2 teams see the new time immediately\./,
  )
  await click(within('Cancel'))
  expect(sent()).toEqual([])
  await write(field('End'), new Date(Date.now() - 60_000).toISOString())
  await leave(field('End'))
  await click(button('Save 3 changes'))
  expect(dialog()?.textContent).toContain('The challenges close when you save.')
  await click(within('Cancel'))
  await click(button('Save 3 changes'))
  await click(within('Save'))
  expect(bodies[`PUT ${edit}`]).toMatchObject({ organizations: ['Open'], inviteCode: expect.stringMatching(/^\w{24}$/) })
})

test('GI-4 without teams a moved start has no sentence about teams', async () => {
  timed(48, 72)
  answers[reviewed] = [team(1, 'Tide', 'Pending', 'Open')]
  const place = await open(<InfoScreen />, 'Info')
  await write(field('Start'), new Date(Date.now() + 24 * 3_600_000).toISOString())
  await leave(field('Start'))
  expect(place.textContent).toMatch(/Start moves (1 day|1,4\d\d minutes) earlier\./)
  expect(place.textContent).not.toMatch(/\d teams? see/)
  // Before its start no team plays, so nothing is confirmed.
  await click(button('Save 1 change'))
  expect([dialog(), sent()]).toEqual([null, [`PUT ${edit}`]])
})

test('GI-3 a game that was played is deleted only after its title is typed; one without submissions after a question', async () => {
  const looked = Promise.withResolvers<Response>()
  answers['GET /api/game/7/submissions'] = () => looked.promise
  await open(<InfoScreen />, 'Info')
  await write(field('Summary'), 'Half written')
  await click(button('Delete'))
  expect(button('Delete')?.dataset.loading).toBe('true')
  looked.resolve(json([{}]))
  await until(() => expect(dialog()).toBeTruthy())
  expect(dialog()?.textContent).toContain('all submissions, writeups, results and captured traffic are deleted too')
  expect(within('Delete')?.disabled).toBe(true)
  await write(dialog()?.querySelector('input') ?? undefined, 'regatta')
  expect(within('Delete')?.disabled).toBe(true)
  await write(dialog()?.querySelector('input') ?? undefined, 'Regatta')
  const deleted = Promise.withResolvers<Response>()
  answers[`DELETE ${edit}`] = () => deleted.promise
  await click(within('Delete'))
  expect(sent()).toEqual([`DELETE ${edit}`])
  expect(requests).toContain('GET /api/game/7/submissions?count=1')
  expect([button('Delete')?.dataset.loading, said()]).toEqual(['true', ['Deleting the game']])
  const lists = () => requests.filter((line) => line.startsWith('GET /api/game?')).length
  const before = lists()
  await act(async () => deleted.resolve(new Response(null)))
  await until(() => expect(here()).toBe('/admin/games'))
  await until(() => expect(lists()).toBe(before + 1))
})

test.each([
  ['a game', <InfoScreen key="info" />, 'Info', edit, 'Regatta deleted'],
  ['a challenge', <ChallengeScreen key="challenge" />, 'challenges/3', part, 'Buoy deleted'],
])(
  'GI-3 CE-6 after another screen was opened, the end of the deletion of %s neither leaves it nor discards its changes',
  async (_, screen, tab, line, title) => {
    const deleted = Promise.withResolvers<Response>()
    answers[`DELETE ${line}`] = () => deleted.promise
    await open(screen, tab)
    await click(button('Delete'))
    if (tab !== 'Info') expect(dialog()?.textContent).toContain('Its flags, files and captured traffic are deleted too.')
    await click(within('Delete'))
    await click(document.querySelector('a[href="/elsewhere"]'))
    expect(hasUnsaved()).toBe(true)
    deleted.resolve(new Response(null))
    await until(() => expect(said()).toContain(title))
    expect([here(), hasUnsaved()]).toEqual(['/elsewhere', true])
  },
)

test('GI-3 when the submissions of a game cannot be read, it is not deleted and the reason is shown', async () => {
  answers['GET /api/game/7/submissions'] = refused('Disk is full')
  timed(-2, -1)
  await open(<InfoScreen />, 'Info')
  await click(button('Delete'))
  expect(toasts()).toContainEqual({ title: 'Could not delete the game', message: 'Disk is full', role: 'alert' })
  expect(button('Delete')?.disabled).toBe(false)
  expect([dialog(), sent()]).toEqual([null, []])
})

test('READY-1 images that a node lacks are pulled again by a button, and the new state is shown', async () => {
  const image = (state: string, ...nodes: object[]) => ({
    ...{ image: 'echo:1', pulledAt: null, state, nodes },
    challenges: [{ id: 3, title: 'Buoy' }],
  })
  answers[`GET ${edit}/challenges`] = [
    { ...{ id: 3, title: 'Buoy', category: 'Web', type: 'StaticContainer', isEnabled: true, flagCount: 1, fileCount: 0 } },
  ]
  answers[`GET ${edit}/images`] = [image('done', { node: 'east', state: 'failed', problem: 'not found' })]
  answers[`POST ${edit}/images`] = [image('done', { node: 'east', state: 'here', problem: null })]
  await open(<InfoScreen />, 'Info')
  await until(() => expect(button('Pull images again')).toBeTruthy())
  await click(button('Pull images again'))
  await until(() => expect(button('Pull images again')).toBeUndefined())
  expect(sent()).toEqual([`POST ${edit}/images`])
})

test('READY-1 teams, mail, captcha, engine, images and disk are checked; the worst comes first, and what is fine is folded', async () => {
  const challenge = {
    id: 3,
    title: 'Buoy',
    category: 'Web',
    type: 'StaticContainer',
    isEnabled: true,
    flagCount: 1,
    fileCount: 0,
  }
  const image = (node: object) => ({ image: 'echo:1', pulledAt: null, state: 'done', nodes: [node], challenges: [challenge] })
  const idle = { silentSince: null, checkFailsSince: null }
  const chart = { ...challenge, ...idle, id: 4, title: 'Chart', type: 'DynamicAttachment', fileCount: 1, containerImage: null }
  answers[`GET ${edit}/challenges`] = [{ ...challenge, ...idle, containerImage: 'echo:1' }, chart]
  answers[reviewed] = [team(1, 'Ebb', 'Accepted'), team(2, 'Flow'), team(3, 'Tide')]
  answers['GET /api/captcha'] = { type: 'None', siteKey: '' }
  answers['GET /api/admin/mails'] = { data: [], length: 0, total: 0, configured: true }
  answers['GET /api/admin/engine'] = { state: 'unreachable' }
  answers['GET /api/admin/disk'] = { free: 1_073_741_824, total: 107_374_182_400 }
  answers[`GET ${edit}/images`] = [image({ node: '', state: 'failed', problem: 'no route' })]
  const first = await open(<InfoScreen />, 'Info')
  const lines = (place: ParentNode) =>
    [...place.querySelectorAll<HTMLElement>('li[data-level]')].map((line) => [
      line.dataset.level,
      line.querySelector('[role=img]')?.getAttribute('aria-label'),
      line.textContent,
    ])
  await until(() => expect(lines(first)).not.toEqual([]))
  expect(lines(first)).toEqual([
    ['red', 'Must be fixed', 'The image echo:1 is missing: no route'],
    ['red', 'Must be fixed', 'Cannot reach the container engine'],
    ['red', 'Must be fixed', 'The disk is nearly full: 1.0 GiB left'],
    ['amber', 'Should be checked', expect.stringContaining('Chart has 1 file for the accepted teams')],
    ['amber', 'Should be checked', '2 teams are waiting for review'],
    ['amber', 'Should be checked', 'No captcha: bots can register accounts'],
    ['green', 'Passed', '2 challenges are enabled'],
    ['green', 'Passed', expect.stringMatching(/^From /)],
    ['green', 'Passed', 'Emails can be sent'],
  ])
  expect(lines(first.querySelector('details') as HTMLElement)).toHaveLength(3)
  expect(first.textContent).not.toContain('Everything is ready.')
  expect(button('Pull images again')).toBeTruthy()
  // The tab counts what is open, also for screen readers.
  const tab = first.querySelector('nav [aria-current=page]')
  expect(tab?.textContent).toBe('Information66 open')
  expect(tab?.querySelector('[aria-hidden=true]:not(svg)')?.textContent).toBe('6')
  first.remove()
  answers[`GET ${edit}/challenges`] = [{ ...challenge, ...idle, containerImage: 'echo:1' }]
  answers[reviewed] = [team(1, 'Ebb', 'Accepted')]
  answers['GET /api/captcha'] = { type: 'HashPow', siteKey: '' }
  answers['GET /api/admin/engine'] = { state: 'reachable' }
  answers['GET /api/admin/disk'] = { free: 53_687_091_200, total: 107_374_182_400 }
  answers[`GET ${edit}/images`] = [image({ node: '', state: 'here', problem: null })]
  const place = await open(<InfoScreen />, 'Info')
  await until(() => expect(place.textContent).toContain('Everything is ready.'))
  expect(lines(place).map(([level]) => level)).toEqual(Array(7).fill('green'))
  expect(lines(place).at(-1)?.[2]).toBe('50.0 GiB of disk space free')
  expect(place.querySelector('nav [aria-current=page]')?.textContent).toBe('Information')
})

test('READY-1 the list waits for the mails, the captcha and the disk; without containers neither engine nor images are asked', async () => {
  const slow = ['GET /api/admin/mails', 'GET /api/captcha', 'GET /api/admin/disk']
  const held = slow.map(() => Promise.withResolvers<Response>())
  slow.forEach((line, at) => {
    answers[line] = () => (held[at] as (typeof held)[0]).promise
  })
  const fields = { category: 'Web', type: 'StaticAttachment', isEnabled: true, flagCount: 1, fileCount: 0 }
  const row = { id: 3, title: 'Buoy', ...fields, silentSince: null, checkFailsSince: null }
  answers[`GET ${edit}/challenges`] = [row]
  const place = await open(<InfoScreen />, 'Info')
  const lines = () => place.querySelectorAll('li[data-level]').length
  for (const [at, body] of [{ configured: true, data: [] }, { type: 'HashPow' }, { free: 90e9, total: 100e9 }].entries()) {
    expect([lines(), place.querySelector('[data-waiting]') !== null]).toEqual([0, true])
    await act(async () => held[at]?.resolve(json(body)))
    await settle()
  }
  expect([lines(), place.querySelector('[data-waiting]')]).toEqual([5, null])
  expect(requests.filter((line) => /engine|images/.test(line))).toEqual([])
  // The times have their zones.
  await act(async () => place.querySelector<HTMLElement>('li[data-level] time')?.focus())
  expect(document.querySelector('[role=tooltip]')?.textContent).toMatch(/ 00:00:00 UTC · .* 02:00:00 UTC · /)
})

test('a chosen poster is uploaded at once and shown; a file of another kind is refused', async () => {
  const choose = async (type: string) => {
    const input = document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement
    Object.defineProperty(input, 'files', { configurable: true, value: [new File(['x'], 'poster', { type })] })
    await act(async () => void input.dispatchEvent(new Event('change', { bubbles: true })))
    await settle()
  }
  const place = await open(<InfoScreen />, 'Info')
  await choose('application/pdf')
  const invalid = 'File invalid (check format and size)'
  expect(toasts()).toEqual([{ title: 'Failed to load file', message: invalid, role: 'alert' }])
  expect(sent()).toEqual([])
  answers[`PUT ${edit}/poster`] = refused('Disk is full', 500)
  await choose('image/png')
  expect(toasts()).toEqual([{ title: 'Failed to load file', message: 'Disk is full', role: 'alert' }])
  requests.length = 0
  const chooser = () => document.querySelector('input[type=file]') as HTMLInputElement
  expect(chooser().disabled).toBe(false)
  const answered = Promise.withResolvers<Response>()
  answers[`PUT ${edit}/poster`] = () => {
    answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), poster: '/assets/1/poster' }
    return answered.promise
  }
  expect(chooser().accept).toContain('image/png')
  expect(chooser().nextElementSibling?.textContent).toMatch(/^Choose a poster /)
  await choose('image/png')
  expect([chooser().disabled, said()]).toEqual([true, ['Uploading']])
  await act(async () => answered.resolve(json('/assets/1/poster')))
  await until(() => expect(place.querySelector('img[alt="Poster"]')?.getAttribute('src')).toBe('/assets/1/poster'))
  expect(sent()).toEqual([`PUT ${edit}/poster`])
  expect(said()).toEqual(['Poster changed'])
})

test('changes by other administrators and published notices are read again, each by itself', async () => {
  await open(<InfoScreen />, 'Info')
  const reads = {
    game: edit,
    challenges: `${edit}/challenges`,
    notices: `${edit}/notices`,
    participations: '/api/game/7/participations',
  }
  const readAfter = async (target: string, message: unknown, name: keyof typeof reads) => {
    requests.splice(0)
    await hub.say('/hub/user', target, message)
    await until(() => expect(requests).toContain(`GET ${reads[name]}`))
    return Object.entries(reads).flatMap(([each, path]) => (requests.includes(`GET ${path}`) ? [each] : []))
  }
  for (const what of ['game', 'challenges', 'participations', 'notices'] as const)
    expect(await readAfter('VexilGame', { what }, what), what).toEqual([what])
  expect(await readAfter('ReceivedGameNotice', {}, 'notices')).toEqual(['notices'])
})

test('GI-3 a game without a submission, or before its start, is deleted without typing its title', async () => {
  answers['GET /api/game/7/submissions'] = refused('Not started', 400, 'game.not_started')
  await open(<InfoScreen />, 'Info')
  await click(button('Delete'))
  expect(dialog()?.querySelector('input')).toBeNull()
  expect(dialog()?.textContent).toContain('Delete Regatta?Its challenges, files, registrations and captured traffic')
  await click(within('Cancel'))
  expect(sent()).toEqual([])
  answers[`DELETE ${edit}`] = refused('Disk is full', 500)
  await click(button('Delete'))
  await click(within('Delete'))
  expect(toasts()).toEqual([{ title: 'Could not delete the game', message: 'Disk is full', role: 'alert' }])
})

test('the frame names the game in the title of the page, leads back and has a tab for each part with its number', async () => {
  answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), writeupRequired: true }
  answers[`GET ${edit}/notices`] = [1, 2].map((id) => ({
    id,
    time: '2026-01-01T00:00:00+00:00',
    type: 'Normal',
    values: ['Ahoy'],
  }))
  answers[`GET ${edit}/challenges`] = []
  answers['GET /api/game/7/participations'] = [team(1, 'Ebb'), team(2, 'Flow', 'Accepted')]
  answers['GET /api/admin/writeups/7'] = [
    { id: 2, team: team(2, 'Flow').team, url: '/w', uploadTimeUtc: '2026-01-01T00:00:00+00:00' },
  ]
  const place = await open(<ReviewScreen />, 'Review')
  const tabs = [...place.querySelectorAll('nav a')].map((link) => [link.textContent, link.getAttribute('href')])
  expect(tabs).toEqual([
    [expect.stringMatching(/^Information\d/), '/admin/games/7/Info'],
    ['Notices2', '/admin/games/7/Notices'],
    ['Challenges0', '/admin/games/7/challenges'],
    ['Teams1 new', '/admin/games/7/Review'],
    ['Writeups1', '/admin/games/7/Writeups'],
  ])
  expect(place.querySelector('nav [aria-current=page]')?.textContent).toBe('Teams1 new')
  expect(place.querySelector('nav')?.getAttribute('aria-label')).toBe('Parts of Regatta')
  expect(place.querySelector('header')?.textContent).toMatch(/^Regatta.*Upcoming/)
  expect([...place.querySelectorAll('header a')].map((link) => link.getAttribute('href'))).toEqual(['/admin/games', '/games/7'])
  await act(async () => named('Back to games')?.focus())
  await until(() => expect(document.querySelector('[role=tooltip]')?.textContent).toBe('Back to games'))
  expect(document.title).toBe('Teams - Regatta - GZ::CTF')
  expect(named('Back to games')?.getAttribute('href')).toBe('/admin/games')
  place.remove()
  // Without required writeups they are not requested.
  answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), writeupRequired: false }
  requests.length = 0
  await open(<ReviewScreen />, 'Review')
  expect(requests).toContain(`GET ${edit}/notices`)
  expect(requests).not.toContain('GET /api/admin/writeups/7')
})

test('a game that cannot be loaded shows the reason and a way to try again, and waits for the answer', async () => {
  const shown = answers[`GET ${edit}`]
  answers[`GET ${edit}`] = refused('Disk is full', 500)
  const place = await open(<ReviewScreen />, 'Review')
  await until(() => expect(place.textContent).toContain('Disk is full'))
  const again = Promise.withResolvers<Response>()
  answers[`GET ${edit}`] = () => again.promise
  await click(button('Retry'))
  expect(place.textContent).not.toContain('Disk is full')
  await act(async () => again.resolve(json(shown)))
  await until(() => expect(place.querySelector('h1')?.textContent).toBe('Regatta'))
})

test('GN-3 a list of notices waits for the automatic ones, which are not requested before the start of the game', async () => {
  const automatic = 'GET /api/game/7/notices'
  const held = Promise.withResolvers<Response>()
  answers[automatic] = () => held.promise
  const soon = await open(<GameNoticesScreen />, 'Notices')
  expect(soon.textContent).toContain('No notices yet')
  expect(requests.filter((line) => line.startsWith(automatic))).toEqual([])
  answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), start: '2020-01-01T00:00:00+00:00' }
  const place = await open(<GameNoticesScreen />, 'Notices')
  expect(place.textContent).not.toContain('No notices yet')
  // Older ones are not left out.
  expect(requests).toContain(`${automatic}?count=1000`)
  await act(async () => held.resolve(json([])))
  await until(() => expect(place.textContent).toContain('No notices yet'))
})

test('CL-2 the solves are recounted by one call, with a message and a refetch of the list; a refusal is shown', async () => {
  await open(<ListScreen />, 'challenges')
  const lists = () => requests.filter((line) => line === `GET ${edit}/challenges`).length
  const before = lists()
  queries.setQueryData(keys.game(7).detail, {})
  await click(button('Recount solves'))
  expect(old(keys.game(7).detail)).toEqual([true])
  expect(sent()).toEqual([`POST ${edit}/challenges/updateaccepted`])
  expect(said()).toContain('Scoreboard recalculated from the solve log')
  await until(() => expect(lists()).toBe(before + 1))
  answers[`POST ${edit}/challenges/updateaccepted`] = refused('Disk is full', 500)
  await click(button('Recount solves'))
  expect(toasts()).toContainEqual(
    expect.objectContaining({ title: 'Could not recalculate the scoreboard', message: 'Disk is full' }),
  )
})

test('CL-3 the blood bonus of the game is stored alone, in percent with one decimal, the defaults being 5, 3 and 1; a refusal is shown', async () => {
  const game = { ...(answers[`GET ${edit}`] as object), bloodBonus: defaultBloodBonus }
  answers[`GET ${edit}`] = game
  await open(<ListScreen />, 'challenges')
  for (const close of [() => button('Cancel'), () => named('Close')]) {
    await click(button('Blood bonus'))
    await click(close())
    await until(() => expect(dialog()).toBeNull())
  }
  await click(button('Blood bonus'))
  const fields = () => ['First blood', 'Second blood', 'Third blood'].map((name) => named<HTMLInputElement>(name))
  expect(fields().map((one) => one?.value)).toEqual(['5', '3', '1'])
  // Without a change there is nothing to save.
  expect(within('Save')?.disabled).toBe(true)
  await write(fields()[0] ?? undefined, '101')
  expect(dialog()?.textContent).toContain('Use percentages from 0 to 100 with one decimal.')
  expect(within('Save')?.disabled).toBe(true)
  await write(fields()[0] ?? undefined, '7.5')
  answers[`PUT ${edit}`] = refused('Disk is full', 500)
  await send(fields()[0])
  expect(toasts()).toContainEqual({ title: 'Could not save', message: 'Disk is full', role: 'alert' })
  await click(named('Close'))
  await until(() => expect(document.body.textContent).toContain(t('shell.unsaved')))
  await click(button('Cancel'))
  expect(fields()[0]?.value).toBe('7.5')
  const saving = Promise.withResolvers<Response>()
  answers[`PUT ${edit}`] = () => saving.promise
  let reads = 0
  answers[`GET ${edit}`] = () => (reads++ === 0 ? json({ ...game, title: 'Renamed elsewhere' }) : new Promise<Response>(() => {}))
  expect(hasUnsaved()).toBe(true)
  await send(fields()[0])
  // What is being sent is not lost when the dialog closes.
  await until(() => expect(hasUnsaved()).toBe(false))
  expect(fields().map((one) => one?.disabled)).toEqual([true, true, true])
  queries.setQueryData(keys.edit.games(), [])
  await act(async () => saving.resolve(json({ ...game, bloodBonus: packPercents([7.5, 3, 1]) })))
  await until(() => expect(old(keys.edit.games())).toEqual([true]))
  await settle()
  expect(bodies[`PUT ${edit}`]).toMatchObject({ title: 'Renamed elsewhere', bloodBonus: packPercents([7.5, 3, 1]) })
  expect(said()).toContain('Saved')
  await until(() => expect(dialog()).toBeNull())
  // The answer is shown although the game is not read again yet.
  await click(button('Blood bonus'))
  expect(fields().map((one) => one?.value)).toEqual(['7.5', '3', '1'])
})

const reviewed = 'GET /api/game/7/participations'
const opener = (name: string) =>
  [...document.querySelectorAll('li button[aria-expanded]')].find((one) => one.textContent?.includes(name))

test('RV-2 RV-5 the name of a row opens it, its actions do not; without divisions none is shown', async () => {
  const ebb = team(1, 'Ebb')
  const members = ['u', 'v'].map((id) => ({ userId: id, userName: `name of ${id}`, avatar: null, email: `${id}@example.org` }))
  Object.assign(members[0] ?? {}, { realName: 'Ursula', stdNumber: 'S1', phone: '555', avatar: '/assets/u' })
  answers[reviewed] = [{ ...ebb, team: { ...ebb.team, members, bio: 'Of the ebb' } }]
  const place = await open(<ReviewScreen />, 'Review')
  const expanded = () => opener('Ebb')?.getAttribute('aria-expanded')
  for (const control of ['button[aria-haspopup=menu]', 'input[type=checkbox]']) {
    await click(place.querySelector(`li ${control}`))
    expect(expanded()).toBe('false')
  }
  await click(button('Accept'))
  expect(expanded()).toBe('false')
  const part = () => document.getElementById(opener('Ebb')?.getAttribute('aria-controls') ?? '')
  expect(part()?.hidden).toBe(true)
  await click(opener('Ebb'))
  expect([expanded(), part()?.hidden, part()?.querySelector('img')?.getAttribute('src')]).toEqual(['true', false, '/assets/u'])
  // The captain is registered, the other member is not.
  const marks = [...place.querySelectorAll('li tbody tr')].map((row) => {
    const signs = [...row.querySelectorAll('svg[role=img]')].map((sign) => sign.getAttribute('aria-label'))
    return [row.textContent?.includes('name of u'), signs, row.lastElementChild?.textContent]
  })
  expect(marks).toEqual([
    [true, ['Captain', 'yes'], ''],
    [false, [], 'no'],
  ])
  const cells = [...place.querySelectorAll('li tbody tr')].map((row) =>
    [...row.querySelectorAll('td')].slice(1, 5).map((cell) => [cell.dataset.label, cell.textContent]),
  )
  expect(place.querySelector<HTMLElement>('li tbody td:last-child')?.dataset.label).toBe('Registered')
  expect(place.querySelectorAll('li thead th[scope=col]')).toHaveLength(6)
  expect(opener('Ebb')?.textContent).toContain('Of the ebb')
  // Others may change the teams while the live channel is silent.
  const { observers } = queries.getQueryCache().find({ queryKey: keys.game(7).participations }) ?? {}
  expect(observers?.map(({ options }) => options.refetchInterval)).toContain(60_000)
  expect(cells[0]).toEqual([
    ['Real name', 'Ursula'],
    ['Student number', 'S1'],
    ['Email', 'u@example.org'],
    ['Phone', '555'],
  ])
  expect(cells[1]?.map(([, text]) => text)).toEqual(['empty', 'empty', 'v@example.org', 'empty'])
  const heads = [...place.querySelectorAll('li thead th')].map(({ textContent }) => textContent)
  expect(heads).toEqual(['User', 'Real name', 'Student number', 'Email', 'Phone', 'Registered'])
  expect(opener('Ebb')?.closest('li')?.textContent).toContain('1 of 2 registered')
  await click([...place.querySelectorAll('li button')].find(({ textContent }) => textContent === 'Accept'))
  expect(expanded()).toBe('true')
  expect(named('Division')).toBeUndefined()
  expect(document.querySelector<HTMLInputElement>('input[aria-label=Status]')?.placeholder).toBe('All statuses')
  const texts: string[] = []
  const walk = document.createTreeWalker(place, NodeFilter.SHOW_TEXT)
  // The tabs, which are not part of the list, have counts.
  while (walk.nextNode()) if (!walk.currentNode.parentElement?.closest('nav')) texts.push(walk.currentNode.textContent ?? '')
  expect(texts.filter((text) => text.trim() === '0')).toEqual([])
})

test('the list of teams is narrowed by division and status, each from its first page', async () => {
  answers[reviewed] = [
    ...Array.from({ length: 11 }, (_, at) => team(at + 1, `Crew ${at}`, 'Accepted', 'South')),
    team(20, 'Ebb', 'Rejected', 'North'),
  ]
  const place = await open(<ReviewScreen />, 'Review')
  const names = () =>
    [...place.querySelectorAll('li button[aria-controls]:not([aria-haspopup])')].map(({ textContent }) => textContent)
  const choose = async (label: string, option: string) => {
    await click(document.querySelector(`input[aria-label="${label}"]`))
    await click([...document.querySelectorAll('[role=option]')].find(({ textContent }) => textContent === option))
  }
  const pages = () =>
    [...place.querySelectorAll('button')].flatMap(({ textContent }) => (/^\d+$/.test(textContent ?? '') ? [textContent] : []))
  const options = () => [...document.querySelectorAll('[role=option]')].map(({ textContent }) => textContent)
  expect([names().length, pages()]).toEqual([10, ['1', '2']])
  await click([...place.querySelectorAll('button')].find(({ textContent }) => textContent === '2'))
  expect(names()).toEqual([expect.stringContaining('Crew 10'), expect.stringContaining('Ebb')])
  await write(named<HTMLInputElement>('Find a team'), ' CREW 1')
  expect([names().length, pages(), place.textContent?.includes('2 of 12')]).toEqual([2, [], true])
  await write(named<HTMLInputElement>('Find a team'), '')
  expect([names().length, pages()]).toEqual([10, ['1', '2']])
  // The selection counts the teams that are listed.
  await click(named('Select Crew 0'))
  expect(place.textContent).toContain('1 selected')
  expect(rowOf('Crew 0')?.textContent).toContain('South')
  await choose('Division', 'South')
  expect([names().length, place.textContent?.includes('11 of 12')]).toEqual([10, true])
  await click(document.querySelector('input[aria-label="Division"]'))
  expect(options().slice(0, 2)).toEqual(['North', 'South'])
  await choose('Division', 'North')
  expect(names()).toEqual([expect.stringContaining('Ebb')])
  expect([place.textContent?.includes('selected'), field('Select all 1').checked]).toEqual([false, false])
  await choose('Status', 'Accepted')
  expect(names()).toEqual([])
  for (const label of ['Division', 'Status']) {
    const select = document.querySelector(`input[aria-label="${label}"]`)
    await click(select?.closest('[class*=Input-wrapper]')?.querySelector('button'))
  }
  expect(names()).toHaveLength(10)
  // The last page has gone with its teams.
  await click([...place.querySelectorAll('button')].find(({ textContent }) => textContent === '2'))
  expect(names()).toHaveLength(2)
  answers[reviewed] = (answers[reviewed] as object[]).slice(0, 4)
  await hub.say('/hub/user', 'VexilGame', { gameId: 7, what: 'participations' })
  await until(() => expect([names().length, pages()]).toEqual([4, []]))
})

test('RV-3 without a team the list shows a message that requests appear automatically', async () => {
  answers[reviewed] = []
  const place = await open(<ReviewScreen />, 'Review')
  expect(place.textContent).toContain('No teams yetNew requests appear here automatically.')
})

const rowOf = (name: string) => opener(name)?.closest('li')

test('RV-1 RV-8 an action asks, naming the new status; the status of the row changes, a refusal is shown; warnings are shown beside it', async () => {
  answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), teamMemberCountLimit: 1 }
  const flow = { ...team(3, 'Flow'), registeredMembers: ['u', 'v'] }
  const twice = { ...team(2, 'ebb'), registeredMembers: ['v', 'w'] }
  answers[reviewed] = [team(1, 'Ebb'), twice, flow]
  await open(<ReviewScreen />, 'Review')
  const marks = ['Ebb', 'ebb', 'Flow'].map((name) => rowOf(name)?.querySelector<HTMLElement>('[class*=mark]'))
  expect(marks.map((one) => one?.textContent)).toEqual(['same name', 'too many, same name', 'too many'])
  expect(marks.map((one) => one?.tabIndex)).toEqual([0, 0, 0])
  await act(async () => marks[1]?.focus())
  expect(document.querySelector('[role=tooltip]')?.textContent).toBe(
    'More members are registered than the game allows. Another team has the same name.',
  )
  await act(async () => marks[2]?.focus())
  expect(document.querySelector('[role=tooltip]')?.textContent).toBe('More members are registered than the game allows.')
  const accept = async () => {
    await click([...(rowOf('Ebb')?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === 'Accept'))
    expect(document.body.textContent).toContain('Accept Ebb?')
    await click(within('Accept'))
  }
  answers['PUT /api/admin/participation/1/Accepted'] = refused('Disk is full', 500)
  await accept()
  expect(toasts()).toContainEqual({ title: 'Could not change the status', message: 'Disk is full', role: 'alert' })
  expect(rowOf('Ebb')?.textContent).toContain('Pending')
  answers['PUT /api/admin/participation/1/Accepted'] = () => {
    answers[reviewed] = [team(1, 'Ebb', 'Accepted'), twice, flow]
    return new Response(null)
  }
  const reads = () => requests.filter((line) => line === reviewed).length
  const before = reads()
  queries.setQueryData(keys.game(7).detail, {})
  await accept()
  await until(() => expect(rowOf('Ebb')?.textContent).toContain('Accepted'))
  await until(() => expect(reads()).toBe(before + 1))
  expect(rowOf('Flow')?.textContent).toContain('Pending')
  expect(said()).toContain('Ebb: Accepted')
  expect(old(keys.game(7).detail)).toEqual([true])
  // Teams that are not listed count for the warnings, too.
  await click(document.querySelector('input[aria-label="Status"]'))
  await click([...document.querySelectorAll('[role=option]')].find(({ textContent }) => textContent === 'Accepted'))
  expect([...document.querySelectorAll('li [class*=mark]')].map(({ textContent }) => textContent)).toEqual(['same name'])
})

test('RV-6 FB-2 while one change of the status runs or must wait, no other can be started for the selected teams', async () => {
  answers[reviewed] = [team(1, 'Ebb'), team(2, 'Flow')]
  let answer = (_: Response) => {}
  answers['PUT /api/admin/participation/1/Accepted'] = () => new Promise<Response>((done) => (answer = done))
  await open(<ReviewScreen />, 'Review')
  await click(named('Select Ebb'))
  const button = (word: string) => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === word)
  const ofRows = () =>
    [...document.querySelectorAll<HTMLButtonElement>('li button')].filter(({ textContent }) => textContent === 'Accept')
  const disabled = () => [...['Accept', 'Reject'].map(button), ...ofRows()].map((one) => one?.disabled)
  expect(disabled()).toEqual([false, false, false, false])
  await click(button('Accept'))
  await click(within('Accept'))
  await until(() => expect(disabled()).toEqual([true, true, true, true]))
  expect(said()).toEqual([expect.stringMatching(/^Changing/)])
  await act(async () => answer(json({ title: 'Too many requests', status: 429 }, 429)))
  await until(() => expect(toasts()).toMatchObject([{ message: 'Too many requests' }]))
  expect(disabled()).toEqual([true, true, true, true])
  expect(sent()).toEqual(['PUT /api/admin/participation/1/Accepted'])
})

test('RV-6 several teams are accepted or rejected after one question; the list is saved as CSV', async () => {
  answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), title: 'Regatta 1/2' }
  const members = [{ userId: 'u', userName: 'ann' }]
  answers[reviewed] = [{ ...team(1, 'Ebb'), team: { ...team(1, 'Ebb').team, members } }, team(2, 'Flow'), team(3, 'Tide')]
  for (const [id, status] of [
    [1, 'Accepted'],
    [2, 'Accepted'],
    [3, 'Rejected'],
  ])
    answers[`PUT /api/admin/participation/${id}/${status}`] = () => new Response(null)
  await open(<ReviewScreen />, 'Review')
  const many = async (word: string, question: string, ...names: string[]) => {
    for (const name of names) await click(named(`Select ${name}`))
    await click([...document.querySelectorAll('button')].find(({ textContent }) => textContent === word))
    expect(dialog()?.textContent).toContain(question)
    expect(within('Cancel')?.hasAttribute('data-autofocus')).toBe(word === 'Reject')
    await click(within(word))
  }
  await write(named<HTMLInputElement>('Find a team'), 'Reef')
  expect(document.body.textContent).toContain('No matching teams')
  expect(button('CSV')?.disabled).toBe(true)
  await click(button('Show all'))
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Find a team')
  await act(async () => (document.activeElement as HTMLElement).blur())
  await act(async () => void document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true })))
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Find a team')
  const all = () => {
    const { checked, indeterminate } = field('Select all 3')
    return { checked, indeterminate }
  }
  expect(all()).toEqual({ checked: false, indeterminate: false })
  expect(document.body.textContent).not.toContain('selected')
  await click(named('Select Ebb'))
  expect(document.body.textContent).toContain('1 selected')
  expect(all()).toEqual({ checked: false, indeterminate: true })
  for (const name of ['Flow', 'Tide']) await click(named(`Select ${name}`))
  expect(all()).toEqual({ checked: true, indeterminate: false })
  await click(field('Select all 3'))
  expect(all()).toEqual({ checked: false, indeterminate: false })
  await many('Accept', 'Accept 2 teams?Accepted teams can play and are locked.', 'Ebb', 'Flow')
  expect(said()).toEqual(['2 teams: Accepted'])
  // The selection ends with the change.
  expect(all()).toEqual({ checked: false, indeterminate: false })
  expect(document.body.textContent).not.toContain('selected')
  await many('Reject', 'Reject 1 team?', 'Tide')
  expect(sent()).toEqual(
    [1, 2].map((id) => `PUT /api/admin/participation/${id}/Accepted`).concat('PUT /api/admin/participation/3/Rejected'),
  )
  expect(said()).toContain('Tide: Rejected')
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  URL.revokeObjectURL = () => {}
  const names: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  await click(button('CSV'))
  expect(names).toEqual(['Regatta 1 2.csv'])
  const sheet = await (saved.mock.lastCall?.[0] as unknown as Blob | undefined)?.text()
  expect(sheet).toMatch(/^.*Team ID,Team,Division,Status.*\r\n1,Ebb,,Pending,ann,yes,yes,/)
})

test('RV-4 a list of teams that cannot be loaded shows the reason and a way to try again', async () => {
  answers[reviewed] = refused('Out of order', 500)
  const place = await open(<ReviewScreen />, 'Review')
  expect(place.textContent).toContain('Out of order')
  answers[reviewed] = [team(1, 'Ebb')]
  await click(button('Retry'))
  await until(() => expect(opener('Ebb')).toBeTruthy())
})

test('RV-7 a new request appears automatically, and an opened row stays open', async () => {
  answers[reviewed] = [team(1, 'Ebb')]
  await open(<ReviewScreen />, 'Review')
  await click(opener('Ebb'))
  answers[reviewed] = [team(1, 'Ebb'), team(2, 'Flow')]
  await hub.say('/hub/user', 'VexilGame', { gameId: 7, what: 'participations' })
  await until(() => expect(opener('Flow')).toBeTruthy())
  expect(opener('Ebb')?.getAttribute('aria-expanded')).toBe('true')
})

test('while a challenge is saved, nothing of it can be changed', async () => {
  const container = {
    name: 'db',
    image: 'mysql:9',
    cpuCount: 1,
    memoryLimit: 64,
    storageLimit: 256,
    environment: [],
    getsFlag: false,
  }
  const lists = { additionalContainers: [container], namedPorts: [{ name: 'sql', port: 5432 }] }
  const limits = { containerExposePort: 80, cpuCount: 1, memoryLimit: 64, storageLimit: 256, readyTimeout: 120, readyText: '' }
  const more = { containerNetwork: 'Open', profile: 'default', runtime: '', checkImage: '', checkMinutes: 0 }
  const flags = [row('flag{one}', 1)]
  stored = { ...stored, type: 'StaticContainer', containerImage: 'echo:1', flags, ...limits, ...more, ...lists }
  const place = await open(<ChallengeScreen />, 'challenges/3')
  const locked = () => [place.querySelector<HTMLInputElement>('input[placeholder=db]'), named<HTMLInputElement>('Name of port 1')]
  expect(place.textContent).toContain('CPU cores: 0.1')
  expect(place.textContent).toContain('The container can open connections to the internet, but not to private networks.')
  expect(place.textContent).toContain('The container has the capabilities that common images need')
  // The image of the challenge and that of the additional container can be looked up.
  expect([...place.querySelectorAll('button')].filter(({ textContent }) => textContent === 'Check image')).toHaveLength(2)
  expect(['Title', 'Description', 'Ready text', 'Runtime', 'Solver image'].map((label) => field(label).maxLength)).toEqual([
    challengeLimits.titleMax,
    textLimits.markdownMax,
    challengeLimits.readyTextMax,
    challengeLimits.runtimeMax,
    challengeLimits.imageNameMax,
  ])
  expect(named<HTMLTextAreaElement>('Hint 1')?.maxLength).toBe(challengeLimits.hintMax)
  // A port is used once.
  await write(named<HTMLInputElement>('Port 1'), '80')
  expect(place.textContent).toContain('A port from 1 to 65535 that is used once.')
  const image = place.querySelector<HTMLInputElement>('input[placeholder="registry.example/name:tag"]') ?? undefined
  expect(image?.maxLength).toBe(challengeLimits.imageNameMax)
  await write(image, '')
  await write(field('Port'), '')
  await write(field('Runtime'), 'a b')
  expect(place.textContent).toContain('Enter an image.')
  expect(place.textContent).toContain('Use letters, digits, dots, hyphens and underscores')
  expect(field('Port').getAttribute('aria-invalid')).toBe('true')
  await write(field('Ready within'), '0')
  expect(field('Ready text').disabled).toBe(true)
  await click(button('Discard'))
  expect(field('Ready text').disabled).toBe(false)
  await write(field('Title'), 'Lightship')
  expect(hasUnsaved()).toBe(true)
  expect(locked().map((one) => one?.disabled)).toEqual([false, false])
  const free = () =>
    [...place.querySelectorAll<HTMLInputElement>('[class*=column] :is(input, textarea:not([aria-hidden]), button)')]
      .filter((one) => !one.disabled && one.type !== 'hidden')
      .map((one) => one.labels?.[0]?.textContent ?? one.getAttribute('aria-label') ?? one.textContent)
  expect(free()).toContain('Remove hint 1')
  expect(free().length).toBeGreaterThan(35)
  const held = Promise.withResolvers<void>()
  answers[`PUT ${part}`] = () => held.promise.then(() => json({ ...stored, title: 'Lightship' }))
  await click(button('Save 1 change'))
  expect(locked().map((one) => one?.disabled)).toEqual([true, true])
  expect(free()).toEqual(['Write', 'Preview', 'Save and test'])
  expect(hasUnsaved()).toBe(false)
  await act(async () => held.resolve())
  await until(() => expect(locked().map((one) => one?.disabled)).toEqual([false, false]))
})

test('CE-4 the preview shows the content of the form, with a file, an instance and a flag form that send nothing', async () => {
  stored = { ...stored, type: 'StaticContainer', containerImage: 'echo:1', fileName: 'chart' }
  await open(<ChallengeScreen />, 'challenges/3')
  await write(field('Title'), 'Lightship')
  await click([...document.querySelectorAll('header button')].find(({ textContent }) => textContent === 'Preview'))
  expect(dialog()?.querySelector('h2')?.textContent).toBe('Lightship')
  expect(dialog()?.querySelector('h2')?.parentElement?.textContent).toMatch(/Web1,?000/)
  await until(() => expect(dialog()?.textContent).toMatch(/What it says.*A hint/s))
  expect(dialog()?.textContent).toContain('chart.zip')
  expect(dialog()?.textContent).toContain('Preview, nothing is sent')
  const answer = dialog()?.querySelector<HTMLInputElement>('form input')
  expect([answer?.getAttribute('aria-label'), answer?.maxLength, answer?.getAttribute('autocomplete')]).toEqual([
    t('play.flag'),
    flagLimits.flagMax,
    'off',
  ])
  await click(within('Start instance'))
  const clock = () => dialog()?.querySelector('[role=timer]')?.textContent ?? ''
  expect(clock()).toMatch(/^0?(2:00:00|1:59:5\d)/)
  await click(within('Extend'))
  expect(clock()).toMatch(/^0?(4:00:00|3:59:5\d)/)
  await click(within('Destroy'))
  expect(within('Start instance')).toBeTruthy()
  await write(dialog()?.querySelector('form input') as HTMLInputElement, 'flag{seen}')
  await send(dialog()?.querySelector('form input'))
  expect(toasts()).toContainEqual(expect.objectContaining({ title: 'Entered in the preview', message: 'flag{seen}' }))
  expect(dialog()?.querySelector<HTMLInputElement>('form input')?.value).toBe('')
  expect(sent()).toEqual([])
  await click(named('Close'))
  await until(() => expect(dialog()).toBeNull())
  expect(field('Title').value).toBe('Lightship')
  stored = { ...stored, type: 'StaticAttachment' }
  await open(<ChallengeScreen />, 'challenges/3')
  await click([...document.querySelectorAll('header button')].findLast(({ textContent }) => textContent === 'Preview'))
  expect(dialog()?.querySelector('h2')?.textContent).toBe('Buoy')
  expect(within('Start instance')).toBeUndefined()
})

test('CE-1 CE-8 changed fields are saved with a message, and the list refetches; errors are shown before saving; the minimum is set with keys, in points', async () => {
  const place = await open(<ChallengeScreen />, 'challenges/3')
  const lists = () => requests.filter((line) => line === `GET ${edit}/challenges`).length
  expect(place.textContent).not.toContain('Every team gets the current value.')
  for (const [label, value] of [
    ['Initial', '1000'],
    ['Difficulty', '5'],
  ] as const) {
    await write(field(label), '')
    expect(field(label).getAttribute('aria-invalid')).toBe('true')
    expect(place.querySelector('svg[role=img][viewBox="0 0 392 220"]')?.getAttribute('aria-label')).toBe(
      'Fill in all numbers to see the curve',
    )
    await write(field(label), value)
    expect(field(label).getAttribute('aria-invalid')).not.toBe('true')
  }
  // The arrow keys stay within the limits of the field.
  for (const [label, from, key, to] of [
    ['Difficulty', '5', 'ArrowUp', '5.2'],
    ['Difficulty', '5', 'Enter', '5'],
    ['Initial', '0', 'ArrowDown', '0'],
    ['Initial', String(challengeLimits.originalScoreMax), 'ArrowUp', String(challengeLimits.originalScoreMax)],
    ['Initial', '1000', 'Enter', '1000'],
  ] as const) {
    await write(field(label), from)
    await act(async () => void field(label).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))
    expect(field(label).value, `${label} ${from} ${key}`).toBe(to)
  }
  await write(field('Title'), ' ')
  expect(place.textContent).toContain('Title is missing.')
  expect(button('Save 1 change')?.disabled).toBe(true)
  await saveByKeys()
  expect(sent()).toEqual([])
  await write(field('Title'), 'Lightship')
  const slider = place.querySelector<HTMLElement>('[role=slider]')
  expect(slider?.getAttribute('aria-label')).toBe('Minimum')
  const minimum = () => [slider?.getAttribute('aria-valuenow'), slider?.getAttribute('aria-valuetext')]
  expect([slider?.tabIndex, ...minimum()]).toEqual([0, '25', '250 points'])
  for (const [typed, kept] of [
    ['150', ['100', '100', '1,000 points']],
    ['-5', ['0', '0', '0 points']],
    ['25', ['25', '25', '250 points']],
  ] as const) {
    await write(field('Minimum'), typed)
    expect([field('Minimum').value, ...minimum()]).toEqual(kept)
  }
  await act(async () => void slider?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true })))
  expect(minimum()).toEqual(['26', '260 points'])
  answers[`PUT ${part}`] = refused('Disk is full', 500)
  await click(button('Save 2 changes'))
  expect(toasts()).toEqual([{ title: 'Could not save', message: 'Disk is full', role: 'alert' }])
  answers[`PUT ${part}`] = () => json({ ...stored, title: 'Lightship', minScoreRate: 0.26 })
  // A switch that cannot be used says why.
  await act(
    async () => void place.querySelector('header input[role=switch]')?.dispatchEvent(new Event('pointerover', { bubbles: true })),
  )
  await until(() => expect(document.querySelector('[role=tooltip]')?.textContent).toBe('Add a flag before enabling it'))
  const before = lists()
  await click(button('Save 2 changes'))
  expect(bodies[`PUT ${part}`]).toEqual({ title: 'Lightship', minScoreRate: 0.26 })
  expect(said()).toContain('Saved')
  await until(() => expect(lists()).toBe(before + 1))
})

test('a bonus of the challenge itself begins with that of the game', async () => {
  answers[`GET ${edit}`] = { ...(answers[`GET ${edit}`] as object), bloodBonus: packPercents([7, 2, 1]) }
  const place = await open(<ChallengeScreen />, 'challenges/3')
  const fields = () => ['First', 'Second', 'Third'].map((name) => named<HTMLInputElement>(`${name} blood`))
  expect(place.textContent).toContain('Game default: 7 %, 2 %, 1 %.')
  expect(fields()).toEqual([undefined, undefined, undefined])
  await click(field('Own bonus for this challenge'))
  expect(fields().map((one) => one?.value)).toEqual(['7', '2', '1'])
  const around = fields().map((one) => one?.closest('[class*=Input-wrapper]'))
  expect(around.map((one) => [one?.textContent, one?.querySelector('[role=img]')?.getAttribute('aria-label')])).toEqual([
    ['%', 'First blood'],
    ['%', 'Second blood'],
    ['%', 'Third blood'],
  ])
  await write(fields()[0] ?? undefined, '100')
  await act(async () => void fields()[0]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true })))
  expect(fields()[0]?.value).toBe('100')
  await write(fields()[0] ?? undefined, '7')
  expect(place.textContent).not.toContain('Game default')
  expect(place.textContent).toContain('0 gives no points but keeps the marks.')
  await write(fields()[1] ?? undefined, '2.5')
  await write(fields()[2] ?? undefined, '100.1')
  expect(fields().map((one) => [one?.value, one?.getAttribute('aria-invalid')])).toEqual([
    ['7', null],
    ['2.5', null],
    ['100.1', 'true'],
  ])
  await write(fields()[2] ?? undefined, '0')
  const own = packPercents([7, 2.5, 0])
  answers[`PUT ${part}`] = () => json({ ...stored, bloodBonus: own })
  await click(button('Save 1 change'))
  expect(bodies[`PUT ${part}`]).toEqual({ bloodBonus: own })
  await click(field('Own bonus for this challenge'))
  answers[`PUT ${part}`] = () => json(stored)
  await click(button('Save 1 change'))
  expect(bodies[`PUT ${part}`]).toEqual({ ownBloodBonus: false })
})

test('CE-1 the flag of the score curve points to the left only when it does not fit at the right; the axes are labelled in equal steps', async () => {
  const show = async (solves: number, minScoreRate = 0.25) => {
    const curve = { originalScore: 1000, minScoreRate, difficulty: 5 }
    const place = await openPage(<ScoreCurveChart curve={curve} solves={solves} />)
    const texts = [...place.querySelectorAll('text')].map((one) => {
      const at = ['x', 'y'].map((name) => Math.round(Number(one.getAttribute(name))))
      return [one.textContent, ...at]
    })
    const round = (one: Element | null, ...names: string[]) => names.map((name) => Math.round(Number(one?.getAttribute(name))))
    const drawn = [...place.querySelectorAll('line')].map((one) => round(one, 'x1', 'x2', 'y1', 'y2'))
    const dot = round(place.querySelector('circle'), 'cx', 'cy')
    const flag = /^M([\d.]+) ([\d.]+)h(-?[\d.]+)/.exec(place.querySelectorAll('path')[1]?.getAttribute('d') ?? '')
    return { texts, drawn, dot, flag: flag?.slice(1).map((one) => Math.round(Number(one))) }
  }
  const first = await show(0)
  expect(first.texts).toEqual([
    ['0', 36, 200],
    ['500', 36, 122],
    ['1,000', 36, 44],
    ['0', 44, 214],
    ['5', 101, 214],
    ['10', 157, 214],
    ['15', 214, 214],
    ['20', 271, 214],
    ['25', 327, 214],
    ['30', 384, 214],
    ['minimum 250', 384, 173],
    ['0 solves: 1,000', 52, 20],
  ])
  expect(first.flag).toEqual([44, 4, 135])
  // Three lines of the grid, the minimum, and the pole with its dot.
  expect([first.drawn, first.dot]).toEqual([
    [
      [44, 384, 196, 196],
      [44, 384, 118, 118],
      [44, 384, 40, 40],
      [44, 384, 157, 157],
      [44, 44, 4, 196],
    ],
    [44, 40],
  ])
  const fits = await show(19)
  expect([fits.flag, fits.texts.at(-1)]).toEqual([
    [259, 110, 128],
    ['19 solves: 270', 267, 126],
  ])
  const turned = await show(20)
  expect([turned.flag, turned.texts.at(-1)]).toEqual([
    [271, 111, -128],
    ['20 solves: 266', 159, 127],
  ])
  // Near the lower edge the minimum is written above its line.
  expect((await show(0, 0.1)).texts.at(-2)).toEqual(['minimum 100', 384, 172])
  expect((await show(0, 0.11)).texts.at(-2)).toEqual(['minimum 110', 384, 195])
})

test('CE-1 a change of the points of a solved challenge says how many teams it affects', async () => {
  stored = { ...stored, acceptedCount: 1, originalScore: 999 }
  const place = await open(<ChallengeScreen />, 'challenges/3')
  const curve = [...place.querySelectorAll('svg[role=img] text')].map(({ textContent }) => textContent)
  expect(curve.slice(0, 3)).toEqual(['0', '500', '999'])
  expect(place.textContent).toContain('% · 249')
  expect(place.textContent).toContain('Every team gets the current value.')
  expect(curve.at(-1)).toMatch(/^1 solve/)
  expect(named('Back to challenges')?.getAttribute('href')).toBe('/admin/games/7/challenges')
  const note = 'The points of 1 team change immediately.'
  await write(field('Title'), 'Lightship')
  expect(place.textContent).not.toContain(note)
  for (const change of [
    () => write(field('Initial'), '998'),
    () => write(field('Difficulty'), '6'),
    () => click(field('Own bonus for this challenge')),
  ]) {
    await change()
    expect(place.textContent).toContain(note)
    await click(button('Discard'))
    expect(place.textContent).not.toContain(note)
  }
  await write(field('Title'), 'Lightship')
  await act(async () => {
    const slider = place.querySelector('[role=slider]')
    slider?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))
  })
  expect(place.textContent).toContain(note)
  answers[`PUT ${part}`] = () => json({ ...stored, title: 'Lightship', minScoreRate: 0.26 })
  await saveByKeys()
  await until(() => expect(place.textContent).not.toContain(note))
  expect(bodies[`PUT ${part}`]).toEqual({ title: 'Lightship', minScoreRate: 0.26 })
})

test('a saved link is no change any more, and after it was removed the field is empty', async () => {
  const link = { type: 'Remote', url: 'https://example.com/chart.zip' }
  const saving = Promise.withResolvers<void>()
  const answerWith = (attachment: object | null) => {
    answers[`POST ${part}/attachment`] = async () => {
      await saving.promise
      stored = { ...stored, attachment }
      return new Response('1')
    }
  }
  answerWith(link)
  const place = await open(<ChallengeScreen />, 'challenges/3')
  const choose = (kind: string) => click([...place.querySelectorAll('label')].find(({ textContent }) => textContent === kind))
  expect(place.textContent).toContain('Players get no file.')
  // Without an attachment there is nothing to confirm.
  await choose('Remote')
  await choose('None')
  expect(dialog()).toBeNull()
  expect(place.textContent).toContain('Players get no file.')
  await choose('Remote')
  expect(place.textContent).not.toContain('Players get no file.')
  expect(button('Choose a file')).toBeUndefined()
  const mistake = 'Use a link that starts with http:// or https://.'
  expect(place.textContent).not.toContain(mistake)
  await write(field('Link'), 'chart.zip')
  expect(button('Save link')?.disabled).toBe(true)
  expect(place.textContent).toContain(mistake)
  await send(field('Link'))
  expect(sent()).toEqual([])
  expect(field('Link').maxLength).toBe(challengeLimits.urlMax)
  await write(field('Link'), ` ${link.url} `)
  expect(place.textContent).not.toContain(mistake)
  const store = answers[`POST ${part}/attachment`]
  answers[`POST ${part}/attachment`] = refused('Disk is full', 500)
  await click(button('Save link'))
  expect(toasts()).toEqual([{ title: 'Could not save', message: 'Disk is full', role: 'alert' }])
  if (store) answers[`POST ${part}/attachment`] = store
  await click([...document.querySelectorAll('a')].find((one) => one.getAttribute('href') === '/admin/games/7/Review'))
  expect(dialog()?.textContent).toContain('Your changes on this page will be lost.')
  await click(within('Cancel'))
  expect(hasUnsaved()).toBe(true)
  await click(button('Save link'))
  // What is being sent is not lost when the page closes.
  expect(hasUnsaved()).toBe(false)
  const kinds = () => [...(named('Attachment')?.querySelectorAll('input') ?? [])].map(({ disabled }) => disabled)
  expect(kinds()).toEqual([true, true, true])
  await act(async () => saving.resolve())
  await settle()
  expect(bodies[`POST ${part}/attachment`]).toEqual({ attachmentType: 'Remote', remoteUrl: link.url })
  expect(said()).toContain('Link saved')
  await until(() => expect(button('Save link')?.disabled).toBe(true))
  expect(field('Link').value).toBe(link.url)
  const removing = Promise.withResolvers<void>()
  answers[`POST ${part}/attachment`] = async () => {
    await removing.promise
    stored = { ...stored, attachment: null }
    return new Response('1')
  }
  await choose('None')
  expect(dialog()?.textContent).toContain('Remove the attachment?Players can no longer download it.')
  await click(within('Delete'))
  expect(kinds()).toEqual([true, true, true])
  await act(async () => removing.resolve())
  await until(() => expect(said()).toContain('Attachment removed'))
  await until(() => expect(place.querySelector<HTMLInputElement>('input[value=None]')?.checked).toBe(true))
  await choose('Remote')
  expect(field('Link').value).toBe('')
})

test('a link that is typed and deleted again beside a stored file is no change; a file of unknown size has none', async () => {
  stored = { ...stored, attachment: { type: 'None', url: null } }
  const none = await open(<ChallengeScreen />, 'challenges/3')
  for (const kind of ['Remote', 'None'])
    await click([...none.querySelectorAll('label')].find(({ textContent }) => textContent === kind))
  // There is nothing to remove.
  expect(dialog()).toBeNull()
  none.remove()
  stored = { ...stored, attachment: { type: 'Local', url: '/assets/0123abcd/chart.zip', fileSize: null } }
  const place = await open(<ChallengeScreen />, 'challenges/3')
  expect(place.querySelector('[role=group][aria-label=File]')?.parentElement?.textContent).toBe('chart.zip')
  await click([...place.querySelectorAll('label')].find(({ textContent }) => textContent === 'Remote'))
  for (const [text, changed] of [
    ['https://example.com', true],
    ['', false],
  ] as const) {
    await write(field('Link'), text)
    expect([text, hasUnsaved()]).toEqual([text, changed])
  }
})

test('CE-2 the save button announces a new hint of an enabled challenge in a running game; blank hints are dropped', async () => {
  timed(-1, 1)
  stored = { ...stored, isEnabled: true }
  const place = await open(<ChallengeScreen />, 'challenges/3')
  await click(button('Add hint'))
  expect(button('Save and announce')).toBeUndefined()
  await write(named<HTMLTextAreaElement>('Hint 2') as HTMLTextAreaElement, 'Look below')
  expect(place.textContent).toContain('1 new hint. Saving notifies all players.')
  await click(button('Add hint'))
  await write(named<HTMLTextAreaElement>('Hint 3') as HTMLTextAreaElement, '  ')
  answers[`PUT ${part}`] = () => json({ ...stored, hints: ['A hint', 'Look below'] })
  await click(button('Save and announce'))
  expect(bodies[`PUT ${part}`]).toEqual({ hints: ['A hint', 'Look below'] })
  place.remove()
  // A hint of a disabled challenge, or before the start, is not announced.
  for (const [start, isEnabled] of [
    [-1, false],
    [1, true],
  ] as const) {
    timed(start, 2)
    stored = { ...stored, isEnabled }
    const quiet = await open(<ChallengeScreen />, 'challenges/3')
    await write(named<HTMLTextAreaElement>('Hint 1') as HTMLTextAreaElement, 'Look above')
    expect([button('Save and announce'), button('Save 1 change')?.disabled]).toEqual([undefined, false])
    quiet.remove()
  }
})

test('flags that are saved with a challenge are listed and counted', async () => {
  measure()
  const place = await open(<ChallengeScreen />, 'challenges/3')
  expect(place.textContent).not.toContain('1 flag')
  await write(lines(), 'flag{one}\nflag{one}')
  expect(place.querySelector('ul[aria-live] li')?.textContent).toBe('Line 2flag{one}duplicate line')
  await write(lines(), 'flag{one}')
  expect(place.querySelector('ul[aria-live] li')).toBeNull()
  const adding = Promise.withResolvers<void>()
  answers[`POST ${part}/flags`] = async () => {
    await adding.promise
    stored = { ...stored, flags: [row('flag{one}', 41)] }
    return new Response(null)
  }
  answers[`PUT ${part}`] = () => json(stored)
  await click(button('Save 1 change'))
  expect(lines().disabled).toBe(true)
  await act(async () => adding.resolve())
  await until(() => expect(button('flag{one}')).toBeTruthy())
  expect(place.textContent).toContain('1 flag')
  expect(lines().value).toBe('')
  // The stored flag suffices for enabling.
  await write(field('Title'), 'Bell')
  expect(button('Save and enable')?.disabled).toBe(false)
  expect(place.textContent).not.toContain('Add a flag before enabling it')
  await write(lines(), 'flag{two}\nflag{three}')
  expect(button('Save 3 changes')).toBeTruthy()
})

test('hints are moved up and down and removed, and discarding restores them with the typed flags', async () => {
  stored = { ...stored, hints: ['First', 'Second', 'Third'] }
  const place = await open(<ChallengeScreen />, 'challenges/3')
  const hints = () => [...place.querySelectorAll<HTMLTextAreaElement>('textarea[data-hint]')].map(({ value }) => value)
  const locked = (way: string) => [1, 2, 3].map((at) => named<HTMLButtonElement>(`Move hint ${at} ${way}`)?.disabled)
  expect([locked('up'), locked('down')]).toEqual([
    [true, false, false],
    [false, false, true],
  ])
  await click(named('Move hint 3 up'))
  expect(hints()).toEqual(['First', 'Third', 'Second'])
  await click(named('Move hint 1 down'))
  expect(hints()).toEqual(['Third', 'First', 'Second'])
  await click(named('Remove hint 2'))
  expect(hints()).toEqual(['Third', 'Second'])
  await click(button('Add hint'))
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Hint 3')
  // Only an added one takes the focus.
  await act(async () => (document.activeElement as HTMLElement).blur())
  await click(named('Remove hint 3'))
  expect(document.activeElement).toBe(document.body)
  await write(lines(), 'flag{one}')
  await click(button('Discard'))
  expect([hints(), lines().value]).toEqual([['First', 'Second', 'Third'], ''])
  expect(sent()).toEqual([])
  expect(button('Add hint')?.disabled).toBe(false)
  stored = { ...stored, hints: Array.from({ length: challengeLimits.hintsMax }, (_, at) => `Hint ${at}`) }
  await open(<ChallengeScreen />, 'challenges/3')
  expect(button('Add hint')?.disabled).toBe(true)
})

test('CE-5 leaving for the next challenge with unsaved changes asks first', async () => {
  const row = (id: number, title: string) => ({
    id,
    title,
    category: 'Web',
    type: 'StaticAttachment',
    isEnabled: false,
    acceptedCount: 3,
    flagCount: 1,
    fileCount: 0,
  })
  answers[`GET ${edit}/challenges`] = [row(2, 'Anchor'), row(3, 'Buoy'), row(4, 'Chart')]
  answers[`GET ${edit}/challenges/4`] = { ...stored, id: 4, title: 'Chart' }
  await open(<ChallengeScreen />, 'challenges/3')
  expect(document.title).toBe('Buoy - Regatta - GZ::CTF')
  const head = document.querySelector('h1')
  expect([head?.textContent, head?.querySelector('a')?.getAttribute('href')]).toEqual(['Regatta/Buoy', '/admin/games/7/Info'])
  expect(head?.querySelector('[aria-hidden=true]')?.textContent).toBe('/')
  expect(named('Back to challenges')?.getAttribute('href')).toBe('/admin/games/7/challenges')
  const links = () => [...(named('Previous and next challenge')?.querySelectorAll('a') ?? [])]
  expect(links().map(({ textContent }) => textContent)).toEqual(['Anchor', 'Chart'])
  await write(field('Title'), 'Half')
  await click(links()[1])
  expect(dialog()?.textContent).toContain('Your changes on this page will be lost.')
  await click(within('Cancel'))
  expect([here(), field('Title').value]).toEqual(['/admin/games/7/challenges/3', 'Half'])
  await click(links()[1])
  await click(within('Discard'))
  await until(() => expect(here()).toBe('/admin/games/7/challenges/4'))
  await until(() => expect(field('Title').value).toBe('Chart'))
  expect(sent()).toEqual([])
  for (const [key, id] of [
    ['ArrowLeft', 3],
    ['ArrowRight', 4],
  ] as const) {
    const press = new KeyboardEvent('keydown', { key, code: key, altKey: true, bubbles: true })
    await act(async () => void document.body.dispatchEvent(press))
    await until(() => expect(here()).toBe(`/admin/games/7/challenges/${id}`))
    await settle()
  }
})

test('until a challenge is read, the way back leads to the list of challenges; another one can be created from its editor', async () => {
  const read = Promise.withResolvers<void>()
  answers[`GET ${part}`] = () => read.promise.then(() => json(stored))
  await open(<ChallengeScreen />, 'challenges/3')
  expect(named('Back to challenges')).toBeTruthy()
  expect([button('Preview'), button('Delete')]).toEqual([undefined, undefined])
  await act(async () => read.resolve())
  await settle()
  await click(button('New challenge'))
  await click(within('Cancel'))
  await until(() => expect(dialog()).toBeNull())
})

test('CE-6 a challenge is deleted after a question that names who loses points; then the list opens', async () => {
  stored = { ...stored, acceptedCount: 1 }
  await open(<ChallengeScreen />, 'challenges/3')
  await write(field('Title'), 'Half written')
  await click(button('Delete'))
  expect(dialog()?.textContent).toContain('Delete Buoy?')
  expect(dialog()?.textContent).toContain('1 team has solved it and loses the points.')
  await click(within('Cancel'))
  expect(sent()).toEqual([])
  answers[`DELETE ${part}`] = refused('Disk is full', 500)
  await click(button('Delete'))
  await click(within('Delete'))
  expect(toasts()).toContainEqual({ title: 'Could not delete', message: 'Disk is full', role: 'alert' })
  expect(here()).toBe('/admin/games/7/challenges/3')
  const deleted = Promise.withResolvers<Response>()
  answers[`DELETE ${part}`] = () => deleted.promise
  await click(button('Delete'))
  requests.length = 0
  await click(within('Delete'))
  expect(button('Delete')?.dataset.loading).toBe('true')
  await act(async () => deleted.resolve(new Response(null)))
  await until(() => expect(here()).toBe('/admin/games/7/challenges'))
  await until(() => expect(requests).toContain(`GET ${edit}/challenges`))
  expect(requests).not.toContain(`GET ${part}`)
})

test('CE-7 a challenge is enabled and disabled here, too; without a flag the refusal is shown and the switch stays off', async () => {
  stored = { ...stored, flags: [{ id: 1, flag: 'flag{a}', attachment: null }] }
  await open(<ChallengeScreen />, 'challenges/3')
  const state = () => document.querySelector<HTMLInputElement>('header input[role=switch]')
  expect(state()?.checked).toBe(false)
  answers[`PUT ${part}`] = refused('A challenge without a flag', 400, 'challenge.no_flag')
  await click(state())
  expect(dialog()?.textContent).toContain('Enable Buoy?Players see it while the game runs.')
  await click(within('Enable'))
  expect(toasts()).toContainEqual(expect.objectContaining({ message: 'A challenge without a flag' }))
  expect(state()?.checked).toBe(false)
  const held = Promise.withResolvers<void>()
  answers[`PUT ${part}`] = async () => {
    await held.promise
    stored = { ...stored, isEnabled: true, flags: [] }
    return json(stored)
  }
  expect(state()?.disabled).toBe(false)
  await click(state())
  await click(within('Enable'))
  expect(state()?.disabled).toBe(true)
  held.resolve()
  expect(bodies[`PUT ${part}`]).toEqual({ isEnabled: true })
  await until(() => expect(state()?.checked).toBe(true))
  await until(() => expect(said()).toContain('Buoy enabled'))
  expect(document.body.textContent).not.toContain('Add a flag before enabling it')
  // It can be disabled even if its flags were removed by another administrator.
  await until(() => expect(state()?.disabled).toBe(false))
  await click(state())
  expect(dialog()?.textContent).toContain('Disable Buoy?Players can no longer see it.')
  // Before the start this has no effect on players.
  expect(within('Cancel')?.hasAttribute('data-autofocus')).toBe(false)
  await click(within('Cancel'))
  answers[`PUT ${part}`] = refused('Too many requests', 429)
  await click(state())
  await click(within('Disable'))
  await until(() => expect(toasts()).toMatchObject([{ message: 'Too many requests' }]))
  expect(state()?.disabled).toBe(true)
})

test.each([
  ['editor', <ChallengeScreen key="editor" />, 'challenges/3'],
  ['flags', <FlagsScreen key="flags" />, 'challenges/3/Flags'],
])('an unknown challenge has no %s; one that cannot be read shows the reason', async (_, screen, tab) => {
  answers[`GET ${part}`] = refused('Challenge not found', 404)
  const unknown = await open(screen, tab)
  await until(() => expect(unknown.textContent).toContain('Page does not exist'))
  unknown.remove()
  answers[`GET ${part}`] = refused('Disk is full', 500)
  const place = await open(screen, tab)
  await until(() => expect(place.textContent).toContain('Disk is full'))
  expect(place.textContent).not.toContain('Page does not exist')
})

/** Mocked layout for a list of ten rows. */
function measure(): void {
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(400)
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(600)
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400)
}
const lines = () => field('One flag per line')

test('FL-4 flags that the server refuses stay in the field, which stays usable; a missing file is shown as an error', async () => {
  await open(<FlagsScreen />, 'challenges/3/Flags')
  answers[`POST ${part}/flags`] = refused('Disk is full', 500)
  await write(lines(), 'flag{one}\nflag{two}')
  await click(button('Add 2 flags'))
  expect(toasts()).toContainEqual({ title: 'Could not add the flags', message: 'Disk is full', role: 'alert' })
  expect([lines().value, lines().disabled, button('Add 2 flags')?.disabled]).toEqual(['flag{one}\nflag{two}', false, false])
})

test('FL-2 FL-3 invalid lines are listed with their number and reason; the others can be added, and the invalid ones stay, in the focused field', async () => {
  stored = { ...stored, flags: [row('flag{old}', 1)] }
  const first = await open(<FlagsScreen />, 'challenges/3/Flags#flags')
  expect(document.activeElement).toBe(lines())
  const bad = (place: HTMLElement) => [...place.querySelectorAll('ul[aria-live] li')].map(({ textContent }) => textContent)
  await write(lines(), 'flag{a}\nflag{a}\nflag{old}')
  expect(bad(first)).toEqual(['Line 2flag{a}duplicate line', 'Line 3flag{old}already exists'])
  expect(button('Add 1 flag')?.disabled).toBe(false)
  await write(lines(), '')
  expect([button('Add')?.disabled, first.querySelector('ul[aria-live]')]).toEqual([true, null])
  first.remove()
  stored = { ...stored, type: 'DynamicAttachment', fileName: 'chart', flags: [] }
  const second = await open(<FlagsScreen />, 'challenges/3/Flags')
  await write(field('One flag and link per line'), 'flag{a} https://a.example/1\nflag{b}\nflag{c} ftp://x')
  expect(bad(second)).toEqual(['Line 2flag{b}expected: flag, space, link', 'Line 3flag{c} ftp://xnot an http or https link'])
  button('Add 1 flag')?.focus()
  await click(button('Add 1 flag'))
  expect(bodies[`POST ${part}/flags`]).toEqual([{ flag: 'flag{a}', attachmentType: 'Remote', remoteUrl: 'https://a.example/1' }])
  expect(field('One flag and link per line').value).toBe('flag{b}\nflag{c} ftp://x')
  // Its button is disabled now.
  expect(document.activeElement).toBe(field('One flag and link per line'))
  await write(field('One flag and link per line'), 'flag{a} https://a.example/1\nflag{a} https://a.example/2')
  const adding = Promise.withResolvers<Response>()
  answers[`POST ${part}/flags`] = () => adding.promise
  expect(hasUnsaved()).toBe(true)
  await click(button('Add 1 flag'))
  // What is being sent is not lost when the page closes.
  expect(hasUnsaved()).toBe(false)
  expect([field('One flag and link per line').readOnly, field('One flag and link per line').getAttribute('spellcheck')]).toEqual([
    true,
    'false',
  ])
  await act(async () => adding.resolve(json([])))
  await settle()
  expect(said()).toEqual(['1 flag added'])
  expect(field('One flag and link per line').value).toBe('')
})

const toChallenge = () => document.querySelector<HTMLElement>('a[href$="/challenges/3"]')

test('FL-1 a template shows three samples while typing, and is marked while it is too weak', async () => {
  stored = { ...stored, type: 'DynamicContainer', containerImage: 'echo:1' }
  await open(<FlagsScreen />, 'challenges/3/Flags')
  const samples = () => [...(named('Samples')?.querySelectorAll('span') ?? [])].map(({ textContent }) => textContent ?? '')
  expect(field('Flag template').maxLength).toBe(flagLimits.templateMax)
  expect(['autocomplete', 'spellcheck'].map((name) => field('Flag template').getAttribute(name))).toEqual(['off', 'false'])
  await write(field('Flag template'), ' [LEET]tide-[TEAM_HASH] ')
  expect(samples()).toEqual(Array(3).fill(expect.stringMatching(/^tide-[0-9a-f]{12}$/)))
  expect(field('Flag template').getAttribute('aria-invalid')).not.toBe('true')
  const first = samples()
  await click(button('Other samples'))
  expect(samples()).toHaveLength(3)
  expect(samples()).not.toEqual(first)
  const marks = [...document.querySelectorAll('dt.mono')].map((mark) => [mark.textContent, mark.nextElementSibling?.textContent])
  expect(marks).toContainEqual(['[TEAM_HASH]', '12 hex digits unique to the team'])
  await write(field('Flag template'), 'flag{hello}')
  expect(field('Flag template').getAttribute('aria-invalid')).toBe('true')
  expect(document.body.textContent).toMatch(/Too weak: [\d.]+ of 32 random bits/)
  expect(button('Save template')?.disabled).toBe(true)
  await saveByKeys()
  expect(sent()).toEqual([])
  await click(toChallenge())
  expect(dialog()?.textContent).toContain('Your changes on this page will be lost.')
  await click(within('Cancel'))
  await write(field('Flag template'), 'tide{[GUID]} ')
  answers[`PUT ${part}`] = refused('Disk is full', 500)
  await send(field('Flag template'))
  expect(toasts()).toEqual([{ title: 'Could not save', message: 'Disk is full', role: 'alert' }])
  const saving = Promise.withResolvers<Response>()
  answers[`PUT ${part}`] = () => saving.promise
  await send(field('Flag template'))
  expect(field('Flag template').disabled).toBe(true)
  expect(hasUnsaved()).toBe(false)
  await act(async () => saving.resolve(json({ ...stored, flagTemplate: 'tide{[GUID]}' })))
  await settle()
  // The server trims it.
  expect(bodies[`PUT ${part}`]).toEqual({ flagTemplate: 'tide{[GUID]} ' })
  expect(said()).toContain('Template saved')
  expect([field('Flag template').value, button('Save template')?.disabled]).toEqual(['tide{[GUID]}', true])
  await write(field('Flag template'), 'tide{[GUID]_2}')
  answers[`PUT ${part}`] = () => json({ ...stored, flagTemplate: 'tide{[GUID]_2}' })
  await saveByKeys()
  await until(() => expect(bodies[`PUT ${part}`]).toEqual({ flagTemplate: 'tide{[GUID]_2}' }))
})

/** An upload that is half sent, and then fails or returns a hash. */
function Uploads(fails: (name: string) => boolean, sent: Promise<void> = Promise.resolve()) {
  return class {
    upload: Partial<XMLHttpRequestUpload> = {}
    status = 0
    response: unknown = null
    onload = () => {}
    open(method: string, address: string) {
      requests.push(`${method} ${address}`)
    }
    setRequestHeader() {}
    getResponseHeader = () => null
    send(form: FormData) {
      const name = (form.get('files') as File).name
      this.status = fails(name) ? 500 : 200
      this.response = fails(name) ? { title: 'Disk is full', status: 500 } : [{ hash: `hash of ${name}` }]
      this.upload.onprogress?.call(this as never, { loaded: 1, total: 2, lengthComputable: true } as ProgressEvent)
      void sent.then(() => setTimeout(() => this.onload()))
    }
  }
}
const drop = async (...names: string[]) => {
  const files = names.map((name) => new File(['x'], name))
  const input = document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement
  Object.defineProperty(input, 'files', { configurable: true, value: files })
  await act(async () => void input.dispatchEvent(new Event('change', { bubbles: true })))
  await settle(60)
}

test('FL-4 FL-9 an upload without a chosen file shows an error; a file that fails stays in the list and can be sent again', async () => {
  stored = { ...stored, type: 'DynamicAttachment', fileName: 'chart' }
  let broken = true
  const held = Promise.withResolvers<void>()
  vi.stubGlobal(
    'XMLHttpRequest',
    class extends Uploads((name) => broken && name === 'flag{b}') {
      override send(form: FormData) {
        if ((form.get('files') as File).name === 'flag{b}') void held.promise.then(() => super.send(form))
        else super.send(form)
      }
    },
  )
  const place = await open(<FlagsScreen />, 'challenges/3/Flags')
  expect(place.textContent).toContain('Add files or links; each team gets one of them.')
  expect(place.querySelector('input[type=file] + button')?.textContent).toMatch(/^Choose files /)
  await click(button('Upload'))
  expect(toasts()).toContainEqual(expect.objectContaining({ title: 'No file chosen', role: 'alert' }))
  await drop('flag{a}')
  await drop('flag{b}', 'flag{a} ', 'flag{c}')
  expect(document.body.textContent).toContain('flag{a} duplicate line')
  expect(document.body.textContent).toContain('flag{b}1 B')
  // What was chosen is not lost when the page is left.
  expect(hasUnsaved()).toBe(true)
  await click(named('Remove flag{c} from the list'))
  await click(button('Upload 2 files'))
  const chosen = [
    named<HTMLButtonElement>('Remove flag{b} from the list'),
    place.querySelector<HTMLInputElement>('input[type=file]'),
  ]
  expect(chosen.map((one) => one?.disabled)).toEqual([true, true])
  expect(place.querySelector('button[aria-disabled=true], button[data-loading=true]')).toBeTruthy()
  const lists = () => requests.filter((line) => line === `GET ${part}`).length
  const before = lists()
  // Files that are not sent do not count.
  await until(() => expect(place.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')).toBe('50'))
  held.resolve()
  await until(() => expect(button('Upload 1 file')?.disabled).toBe(false))
  expect(document.body.textContent).toMatch(/flag\{b\}Disk is full/)
  // Something was added, so it is no failure of the whole.
  expect(toasts().at(-1)).toEqual({ title: '1 flag added', message: '1 file failed and stays in the list.', role: 'status' })
  expect(lists()).toBe(before + 1)
  expect(bodies[`POST ${part}/flags`]).toEqual([{ flag: 'flag{a}', attachmentType: 'Local', fileHash: 'hash of flag{a}' }])
  await click(button('Upload 1 file'))
  await until(() => expect(toasts().at(-1)).toMatchObject({ title: 'Could not add the flags', role: 'alert' }))
  broken = false
  await click(button('Upload 1 file'))
  await until(() => expect(button('Upload')).toBeTruthy())
  expect(toasts().at(-1)).toMatchObject({ title: '1 flag added', role: 'status' })
  expect(bodies[`POST ${part}/flags`]).toEqual([{ flag: 'flag{b}', attachmentType: 'Local', fileHash: 'hash of flag{b}' }])
  // The names of the files are the flags: they are stored under a common one.
  const uploads = sent().filter((line) => line.startsWith('POST /api/assets'))
  expect(uploads).toEqual(Array(4).fill('POST /api/assets?filename=DYN_ATTACHMENT_3'))
})

test('a file is uploaded and attached at once, and then offered for replacement; a failed upload attaches nothing', async () => {
  let broken = true
  vi.stubGlobal(
    'XMLHttpRequest',
    Uploads(() => broken),
  )
  answers[`POST ${part}/attachment`] = () => {
    stored = { ...stored, attachment: { type: 'Local', url: '/assets/5/sea%20chart.zip', fileSize: 2048 } }
    return new Response('1')
  }
  const place = await open(<FlagsScreen />, 'challenges/3/Flags')
  expect(button('Choose a file')).toBeTruthy()
  await drop('chart.zip')
  expect(toasts()).toContainEqual({ title: 'Failed to load file', message: 'Disk is full', role: 'alert' })
  expect([place.querySelector('[role=progressbar]'), sent()]).toEqual([null, ['POST /api/assets']])
  broken = false
  const sending = Promise.withResolvers<void>()
  vi.stubGlobal(
    'XMLHttpRequest',
    Uploads(() => broken, sending.promise),
  )
  await drop('chart.zip')
  expect(place.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')).toBe('50')
  const kinds = () => [...place.querySelectorAll<HTMLInputElement>('input[type=radio]')].map(({ disabled }) => disabled)
  expect(kinds()).toEqual([true, true, true])
  expect(place.querySelector('[role=progressbar]')?.getAttribute('aria-label')).toBe('Uploading')
  expect([said(), button('Choose a file')?.dataset.loading]).toEqual([['Uploading'], 'true'])
  sending.resolve()
  await until(() => expect(button('Replace file')).toBeTruthy())
  expect(kinds()).toEqual([false, false, false])
  expect(bodies[`POST ${part}/attachment`]).toEqual({ attachmentType: 'Local', fileHash: 'hash of chart.zip' })
  expect(said()).toContain('File attached')
  expect(place.textContent).toContain('2.0 KiB')
  const file = place.querySelector('[role=group][aria-label=File]')
  expect([file?.textContent, file?.querySelector('a')?.getAttribute('href')]).toEqual([
    'sea chart.zip',
    '/assets/5/sea%20chart.zip',
  ])
  const writeText = vi.fn(async () => {})
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  await click(file?.querySelector('[aria-label=Copy]'))
  expect(writeText).toHaveBeenCalledWith(`${location.origin}/assets/5/sea%20chart.zip`)
  expect(place.querySelector('[role=progressbar]')).toBeNull()
  await click([...place.querySelectorAll('label')].find(({ textContent }) => textContent === 'Remote'))
  expect(field('Link').value).toBe('')
})

test('P1.11 FL-5 FL-6 without a flag the list shows a message; an added flag appears with its number and can be deleted at once', async () => {
  const place = await open(<FlagsScreen />, 'challenges/3/Flags')
  expect(place.textContent).toContain('No flags yetA challenge without flags cannot be enabled.')
  expect(place.textContent).not.toContain('Nothing found')
  answers[`POST ${part}/flags`] = () => {
    stored = { ...stored, flags: [row('flag{one}', 41)] }
    return new Response(null)
  }
  measure()
  await write(lines(), 'flag{one}')
  await click(button('Add 1 flag'))
  await until(() => expect(place.textContent).not.toContain('No flags yet'))
  expect(lines().value).toBe('')
  const writeText = vi.fn(async () => {})
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  await click(button('flag{one}'))
  expect(writeText).toHaveBeenCalledWith('flag{one}')
  expect(button('flag{one}')?.nextElementSibling?.textContent).toBe('Copied')
  expect(button('flag{one}')?.title).toBe('Copy')
  expect(place.textContent).toContain('Click a flag to copy it.')
  const remove = () => named<HTMLButtonElement>('Delete flag{one}')
  await click(remove())
  expect(document.body.textContent).toContain('Delete this flag?')
  answers[`DELETE ${part}/flags/41`] = refused('Disk is full', 500)
  await click(within('Delete') ?? button('Delete'))
  expect(toasts()).toContainEqual({ title: 'Could not delete', message: 'Disk is full', role: 'alert' })
  await click(remove())
  const held = Promise.withResolvers<Response>()
  answers[`DELETE ${part}/flags/41`] = () => held.promise
  const lists = () => requests.filter((line) => line === `GET ${edit}/challenges`).length
  const before = lists()
  await click(within('Delete') ?? button('Delete'))
  expect(sent().at(-1)).toBe(`DELETE ${part}/flags/41`)
  expect(remove()?.disabled).toBe(true)
  await act(async () => held.resolve(new Response(null)))
  await until(() => expect(remove()?.disabled).toBe(false))
  await until(() => expect(said()).toContain('Flag deleted'))
  // The list counts the flags.
  await until(() => expect(lists()).toBe(before + 1))
})

test.each([
  ['of several', 'StaticAttachment', 9, true, 'It is no longer accepted. Points already won stay.'],
  ['that is the last one', 'StaticAttachment', 1, true, 'It is the last one, so the challenge is disabled.'],
  ['of a disabled challenge', 'StaticAttachment', 1, false, 'It is no longer accepted. Points already won stay.'],
  ['with a file', 'DynamicAttachment', 8, true, 'A team with this flag loses its file and gets another one'],
])('FL-6 the question before a flag %s is deleted names the consequence', async (_, type, count, isEnabled, text) => {
  measure()
  const files = [
    { type: 'Local', url: '/assets/0123abcd4567ef89/chart.zip', fileSize: 9 },
    { type: 'Remote', url: 'https://files.example.org/assets/0123abcd', fileSize: null },
    { type: 'Local', url: null, fileSize: null },
  ]
  const ofTeams = type === 'DynamicAttachment'
  const flags = Array.from({ length: count }, (_, index) => row(`flag{${index}}`, index + 1, (ofTeams && files[index]) || null))
  stored = { ...stored, type, fileName: 'chart', isEnabled, flags }
  if (ofTeams) await open(<ChallengeScreen />, 'challenges/3')
  else await open(<FlagsScreen />, 'challenges/3/Flags')
  const ofFlag = (at: number) => button(`flag{${at}}`)?.nextElementSibling?.textContent
  expect([0, 1, 2, 3].map(ofFlag).slice(0, count)).toEqual(
    (ofTeams ? ['Local 0123abcd', 'Remote', 'Local', ''] : ['', '', '', '']).slice(0, count),
  )
  // A short list has no search.
  expect(named('Find a flag') !== undefined).toBe(count > 8)
  await click(named(`Delete flag{${count - 1}}`))
  expect(document.body.textContent).toContain(text)
})

test('FL-7 of a thousand flags only those in view are rendered, and the search covers all', async () => {
  measure()
  stored = { ...stored, flags: Array.from({ length: 1000 }, (_, index) => row(`Flag{${index}}`, index + 1)) }
  const place = await open(<FlagsScreen />, 'challenges/3/Flags')
  const drawn = () =>
    [...place.querySelectorAll('li')].map(({ textContent }) => /Flag\{\d+\}/.exec(textContent ?? '')?.[0]).filter(Boolean)
  // Ten rows of 40 pixels are in view, and eight more are below.
  expect(drawn()).toEqual(Array.from({ length: 18 }, (_, index) => `Flag{${index}}`))
  const list = place.querySelector<HTMLElement>('ul[style]')
  expect([list?.style.height, list?.querySelectorAll('li')[2]?.style.transform]).toEqual(['40000px', 'translateY(80px)'])
  expect(place.textContent).toContain('1,000 flags')
  expect(place.textContent).not.toContain('Nothing found')
  await write(named<HTMLInputElement>('Find a flag'), ' flag{98')
  expect(drawn()).toEqual(['Flag{98}', ...Array.from({ length: 10 }, (_, index) => `Flag{98${index}}`)])
  await write(named<HTMLInputElement>('Find a flag'), 'nothing like that')
  expect(drawn()).toEqual([])
  expect(place.textContent).toContain('Nothing found')
})

test.each([
  [19, true],
  [20, false],
])(
  'FL-8 P5.21 P9.13 with ten accepted teams %s files: a warning is %s; a team that waits does not count',
  async (files, warned) => {
    const file = { type: 'Remote', url: 'https://files.example.org/1', fileSize: null }
    stored = {
      ...stored,
      type: 'DynamicAttachment',
      fileName: 'chart',
      flags: Array.from({ length: files }, (_, index) => row(`flag{${index}}`, index + 1, file)),
    }
    answers[reviewed] = [
      ...Array.from({ length: 10 }, (_, index) => team(index + 1, `Team ${index}`, 'Accepted')),
      team(99, 'Late'),
    ]
    const place = await open(<FlagsScreen />, 'challenges/3/Flags')
    await until(() => expect(place.textContent).toContain(`Flags with a file: ${files}. Accepted teams: 10.`))
    expect(place.textContent?.includes('Recommended: 20, twice the number of teams.')).toBe(warned)
    expect(place.textContent).toContain('Provide about twice as many files as teams.')
  },
)
