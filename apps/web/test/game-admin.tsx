/** Screens of game administration, with replaced answers. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { act, type ReactNode } from 'react'
import { Link, Route, Routes, useLocation } from 'react-router'
import { afterEach, beforeEach, vi } from 'vitest'
import { keys } from '../src/api/query-keys.ts'
import { allGamesQuery } from '../src/api/shared.queries.ts'
import { useUnsavedWarning } from '../src/shell/unsaved.tsx'
import { field, settle } from './acts.ts'
import { json, openPage, toasts } from './page.tsx'

export const edit = '/api/edit/games/7'
export const part = `${edit}/challenges/3`
type Reply = object | string | (() => Response | Promise<Response>)
/** The answers to calls, such as `GET /api/game/7`; the query of an address may be left out. */
export const answers: Record<string, Reply> = {}
/** The calls so far, such as `PUT /api/edit/games/7`. */
export const requests: string[] = []
/** The last body of each call. */
export const bodies: Record<string, unknown> = {}
/** The challenge that the platform has stored. */
export const stored: { flags: object[] } & Record<string, unknown> = { flags: [] }

/** An answer that refuses the call. */
export const refused =
  (title: string, status = 400, code = 'server.unknown') =>
  () =>
    json({ title, status, code }, status)
export const row = (flag: string, id: number, attachment: object | null = null) => ({ id, flag, attachment })
export const team = (id: number, name: string, status = 'Pending', organization: string | null = null) => ({
  id,
  status,
  organization,
  registeredMembers: ['u'],
  team: { id, name, bio: null, avatar: null, locked: false, captainId: 'u', members: [] },
})

beforeEach(() => {
  requests.length = 0
  for (const given of [answers, bodies, stored]) for (const key of Object.keys(given)) delete given[key]
  Object.assign(stored, {
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
  })
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
  Object.assign(answers, { [`GET ${edit}`]: game, [`PUT ${edit}`]: game })
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

export let queries: QueryClient
/** Whether each of these queries is read again when it is shown. */
export const areInvalidated = (...which: (readonly unknown[])[]) => which.map((key) => queries.getQueryState(key)?.isInvalidated)
/** Shows the path and links to other pages. */
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
/** Opens the screen at a tab of the game, such as `challenges/3/Flags`. */
export async function open(screen: ReactNode, tab: string, id = 7): Promise<HTMLElement> {
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

export const currentPath = () => document.querySelector('output')?.textContent
export const dialog = () => document.querySelector<HTMLElement>('[role=dialog]')
/** The last button of the dialog with this text. */
export const dialogButton = (text: string) =>
  [...(dialog()?.querySelectorAll<HTMLButtonElement>('button') ?? [])].filter((one) => one.textContent === text).at(-1)
/** The calls that change something. */
export const sent = () => requests.filter((line) => !line.startsWith('GET'))
export const toastTitles = () => toasts().map(({ title }) => title)
/** Sets the times of the game that the server returns, in hours from now. */
export const setGameTimes = (start: number, end: number, more: object = {}) => {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  answers[`GET ${edit}`] = {
    ...(answers[`GET ${edit}`] as object),
    start: at(start),
    end: at(end),
    writeupDeadline: at(end),
    ...more,
  }
}
export const saveByKeys = () =>
  act(
    async () =>
      void document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 's', code: 'KeyS', ctrlKey: true, bubbles: true })),
  )

export const participationsCall = 'GET /api/game/7/participations'

/** Mocked layout for a list of ten rows. */
export function mockListLayout(): void {
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(400)
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(600)
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400)
}
export const flagLines = () => field('One flag per line')
