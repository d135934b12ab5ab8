// @vitest-environment jsdom

import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { act, useEffect } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { hub } from '../../test/hub.ts'
import { json, openPage, toasts, Where, where } from '../../test/page.tsx'
import { blockWrites, send } from '../api/client.ts'
import { markReachable } from '../api/connection.ts'
import { useLive } from '../api/live.ts'
import { keys } from '../api/query-keys.ts'
import { keepDraft, readDrafts } from '../api/tab-drafts.ts'
import { useAction } from '../ui/base/use-action.ts'
import { t } from '../ui/text/texts.tsx'
import { ConnectionNote } from './connection-note.tsx'
import { Guard } from './guard.tsx'
import { leaving, notifyOtherTabs, useSession } from './session.ts'
import { SessionWatch } from './session-watch.tsx'
import { useUnsavedWarning } from './unsaved.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))

const ann = { userId: 'a', userName: 'Ann', role: 'User' }
const ben = { userId: 'b', userName: 'Ben', role: 'User' }
/** The session that the server reports, or its failure. */
let answer: () => Promise<Response>
/** The server's answer to the button. */
let actAnswer: () => Response
const sent: string[] = []
/** Every call, including those that only read. */
const requests: string[] = []
const drawnAnew = vi.fn()
/** The query cache of the page. */
let queries: QueryClient
/** Roles of the session, of every render. */
const roles: unknown[] = []

beforeEach(() => {
  sent.length = 0
  actAnswer = () => json({})
  drawnAnew.mockClear()
  requests.length = 0
  roles.length = 0
  vi.stubGlobal('fetch', (address: string, init?: RequestInit) => {
    requests.push(address)
    if (init?.method !== 'GET') sent.push(address)
    return address.includes('/session') ? answer() : Promise.resolve(actAnswer())
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function Held() {
  queries = useQueryClient()
  roles.push(useSession().role)
  return null
}

function Note({ unsaved }: { readonly unsaved: boolean }) {
  useUnsavedWarning(unsaved)
  useEffect(() => void fetch('/api/team', { method: 'GET' }), [])
  const act = useAction({ id: 'act', call: async () => (await import('../api/client.ts')).send(renameTeam, {}) })
  return (
    <button type="button" onClick={() => void act.start()}>
      act
    </button>
  )
}
/** Listens regardless of the person, as the part that keeps the settings current. */
function Listening() {
  return useLive({ hub: '/hub/site', handlers: {}, reads: [] })
}
const renameTeam = { method: 'PUT', path: '/api/team/1', shape: { access: 'user', summary: '' } } as const

const site = [keys.config, { title: 'Harbour', setupRequired: false }] as const
const open = (known: object | null | undefined, unsaved = false, address = '/Teams') =>
  openPage(
    <>
      <Held />
      <ConnectionNote />
      <Where />
      <Routes>
        <Route
          path="/Teams"
          element={
            <Guard need="User">
              <p>Teams of the harbour</p>
              <Note unsaved={unsaved} />
            </Guard>
          }
        />
        <Route
          path="/Desk"
          element={
            <Guard need="Monitor">
              <p>What monitors see</p>
            </Guard>
          }
        />
        <Route
          path="/games/:id"
          element={
            <Guard need="anyone">
              <p>A game</p>
              <Note unsaved={unsaved} />
            </Guard>
          }
        />
        <Route path="*" element={null} />
      </Routes>
      <SessionWatch onOther={drawnAnew} />
    </>,
    [[...site], ...(known === undefined ? [] : ([[keys.profile, known]] as [readonly string[], unknown][]))],
    address,
  )
const text = () => document.body.textContent
const otherTab = () =>
  act(async () => void window.dispatchEvent(new StorageEvent('storage', { key: 'session-changed', newValue: '1' })))
const press = (name: string) =>
  act(async () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === name)?.click())

test.each([
  ['a server error', () => Promise.resolve(json({ title: 'Fault', status: 500 }, 500))],
  ['a network failure', () => Promise.reject(new TypeError('down'))],
])('SESS-1 %s while the session is checked does not sign anyone out, shows a message, and is tried again', async (_, failure) => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  markReachable()
  answer = failure
  await open(undefined)
  await vi.waitFor(() => expect(text()).toContain(t('shell.unreachable')))
  expect(toasts()).toEqual([])
  // Screens of full height leave space for the message.
  const room = () => document.documentElement.style.getPropertyValue('--note')
  expect(room()).toBe('0px')
  const age = () => document.querySelector('[role=status] .num')?.textContent
  const first = age()
  await act(() => vi.advanceTimersByTimeAsync(1500))
  expect(age()).not.toBe(first)
  expect(age()).toMatch(/second/)
  answer = () => Promise.resolve(json({ user: ann }))
  await act(() => vi.advanceTimersByTimeAsync(3100))
  await vi.waitFor(() => expect(text()).toContain('Teams of the harbour'))
  expect(text()).not.toContain(t('shell.unreachable'))
  expect(room()).toBe('')
})

test('SESS-1 GUARD-4 while the session is unknown a loader is shown, and a guarded screen shows and requests nothing', async () => {
  answer = () => new Promise(() => {})
  await open(undefined)
  expect(text()).not.toContain('Teams of the harbour')
  expect(document.querySelector('[role=status]')).not.toBeNull()
  expect(requests.filter((address) => !address.includes('/session'))).toEqual([])
})

test('SESS-1 a visitor is redirected to the login', async () => {
  answer = () => Promise.resolve(json({ user: null }))
  await open(undefined)
  await vi.waitFor(() => expect(toasts()).toMatchObject([{ title: t('shell.signInFirst') }]))
  expect(text()).not.toContain('Teams of the harbour')
})

test.each([
  ['User', false],
  ['Monitor', true],
  ['Admin', true],
])('GUARD-5 the screen of monitors is available to %s: %s; for others it is not found', async (role, seen) => {
  await open({ ...ann, role }, false, '/Desk')
  await vi.waitFor(() => expect(text()).toContain(seen ? 'What monitors see' : t('shell.notFound')))
  expect(text()?.includes('What monitors see')).toBe(seen)
})

test('GUARD-11 an address with an impossible number is not found, and nothing is requested for it', async () => {
  answer = () => Promise.resolve(json({ user: ann }))
  for (const id of ['0', '-1', 'abc']) {
    await open(ann, false, `/games/${id}`)
    expect([id, text()]).toEqual([id, expect.stringContaining(t('shell.notFound'))])
  }
  expect(requests).toEqual([])
  await open(ann, false, '/games/7')
  expect(requests).toEqual(['/api/team'])
})

/** Stores data and a draft of Ann in the page and the tab. */
function holdThingsOfAnn() {
  queries.setQueryData(keys.teams.mine, ['Danes'])
  keepDraft('flag 7', 'flag{half')
}
const held = () => [queries.getQueryData(keys.teams.mine), ...readDrafts('').values()]

test('SESS-2 this tab follows another one that signs in as another person, shows a message, and keeps no data and no channel of the former person', async () => {
  answer = () => Promise.resolve(json({ user: ben }))
  await open(ann)
  await openPage(<Listening />)
  holdThingsOfAnn()
  await otherTab()
  await vi.waitFor(() => expect(drawnAnew).toHaveBeenCalledOnce())
  await vi.waitFor(() => expect(hub.connections.map(({ isClosed }) => isClosed)).toEqual([true, false]))
  expect(toasts()).toMatchObject([{ title: t('shell.otherPerson', { name: 'Ben' }) }])
  expect(held()).toEqual([undefined])
  expect([queries.getQueryData(keys.config), queries.getQueryData(keys.profile)]).toEqual([site[1], ben])
  // New drafts belong to Ben, also after a reload.
  keepDraft('flag 8', 'flag{of ben')
  await open(ben)
  expect([...readDrafts('').values()]).toEqual(['flag{of ben'])
})

test('SESS-2 this tab follows another one that signs out, and keeps no data of the former person', async () => {
  answer = () => Promise.resolve(json({ user: null }))
  await open(ann)
  holdThingsOfAnn()
  // Without a storage event the change is detected when this tab is shown again.
  await act(async () => void window.dispatchEvent(new Event('visibilitychange')))
  await vi.waitFor(() => expect(drawnAnew).toHaveBeenCalledOnce())
  expect(text()).not.toContain('Teams of the harbour')
  expect(held()).toEqual([undefined])
  expect(toasts()).toContainEqual(expect.objectContaining({ title: t('shell.signedOutElsewhere'), role: 'status' }))
})

test('SESS-2 a sign-in here is announced to other tabs; a change within two seconds is from this tab, a later one from another', async () => {
  // In the past, so that the two seconds are over when the next test starts.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 60_000 })
  answer = () => Promise.resolve(json({ user: ben }))
  await open(ann)
  const startedAt = Date.now()
  notifyOtherTabs()
  expect(localStorage.getItem('session-changed')).toBe(String(startedAt))
  vi.setSystemTime(startedAt + 1999)
  await otherTab()
  await settle()
  expect(queries.getQueryData(keys.profile)).toEqual(ben)
  expect([drawnAnew.mock.calls, toasts()]).toEqual([[], []])
  vi.setSystemTime(startedAt + 2000)
  answer = () => Promise.resolve(json({ user: ann }))
  await otherTab()
  await settle()
  expect(drawnAnew).toHaveBeenCalledOnce()
})

test('SESS-2 with unsaved work it asks first, and meanwhile sends nothing as another person', async () => {
  answer = () => Promise.resolve(json({ user: ben }))
  await open(ann, true)
  await press('act')
  expect(sent).toEqual(['/api/team/1'])
  await otherTab()
  await vi.waitFor(() => expect(text()).toContain(t('shell.otherPersonText')))
  expect(drawnAnew).not.toHaveBeenCalled()
  await press('act')
  expect(sent).toEqual(['/api/team/1'])
  await press(t('shell.continueAs', { name: 'Ben' }))
  expect(drawnAnew).toHaveBeenCalledOnce()
  expect(text()).not.toContain(t('shell.otherPersonText'))
  await press('act')
  expect(sent).toEqual(['/api/team/1', '/api/team/1'])
})

test('SESS-2 with unsaved work a sign-out in another tab is named, and the page is left on request', async () => {
  answer = () => Promise.resolve(json({ user: null }))
  await open(ann, true, '/games/7')
  await otherTab()
  await vi.waitFor(() => expect(text()).toContain(t('shell.otherPersonText')))
  expect(document.querySelector('[role=dialog] h2')?.textContent).toBe(t('shell.signedOutElsewhere'))
  holdThingsOfAnn()
  await press(t('shell.continue'))
  expect(drawnAnew).toHaveBeenCalledOnce()
  expect(held()).toEqual([undefined])
})

test.each(['Stay here', 'Close'])(
  'SESS-2 reading on by %s keeps the work, and still sends nothing as another person',
  async (way) => {
    answer = () => Promise.resolve(json({ user: ben }))
    await open(ann, true)
    await otherTab()
    await vi.waitFor(() => expect(text()).toContain(t('shell.otherPersonText')))
    if (way === 'Close') await act(async () => document.querySelector<HTMLElement>('[role=dialog] [aria-label=Close]')?.click())
    else await press(t('shell.stayHere'))
    expect(text()).not.toContain(t('shell.otherPersonText'))
    expect(text()).toContain('Teams of the harbour')
    await press('act')
    expect([sent, drawnAnew.mock.calls]).toEqual([[], []])
    blockWrites(undefined)
  },
)

test('SESS-2 the same person signing in again elsewhere changes nothing here', async () => {
  answer = () => Promise.resolve(json({ user: { ...ann, bio: 'new' } }))
  await open(ann)
  holdThingsOfAnn()
  await otherTab()
  await vi.waitFor(() => expect(queries.getQueryData(keys.profile)).toMatchObject({ bio: 'new' }))
  expect(held()).toEqual([['Danes'], 'flag{half'])
  expect(drawnAnew).not.toHaveBeenCalled()
  expect(toasts()).toEqual([])
  // Another entry of the storage is no reason to ask.
  const before = requests.length
  await act(async () => void window.dispatchEvent(new StorageEvent('storage', { key: 'density', newValue: 'compact' })))
  expect(requests).toHaveLength(before)
})

test('GUARD-7 TOAST-1 an action after the end of the session opens only the dialog, which leaves the page or opens the login and returns', async () => {
  await open(ann, true, '/Teams?join=a')
  actAnswer = () => json({ title: 'Fault', status: 500 }, 500)
  await press('act')
  expect(toasts()).toMatchObject([{ message: 'Fault' }])
  actAnswer = () => json({ title: 'Please sign in', status: 401, code: 'auth.required' }, 401)
  await press('act')
  expect(text()).toContain(t('shell.sessionEndedText'))
  expect(toasts()).toEqual([])
  await press(t('shell.stayHere'))
  expect(where()).toBe('/Teams?join=a')
  expect(text()).toContain('Teams of the harbour')
  expect(text()).not.toContain(t('shell.sessionEndedText'))
  // A list that is requested again does not ask again.
  const list = { method: 'GET', path: '/api/team', shape: { access: 'user', summary: '' } } as const
  await act(async () => void (await send(list).catch(() => {})))
  expect(text()).not.toContain(t('shell.sessionEndedText'))
  await press('act')
  expect(text()).toContain(t('shell.sessionEndedText'))
  await press(t('shell.signIn'))
  expect(where()).toBe('/account/Login?from=%2FTeams%3Fjoin%3Da')
  expect(text()).not.toContain(t('shell.sessionEndedText'))
  // In the next session a list asks again.
  await act(async () => void queries.setQueryData(keys.profile, ann))
  await settle()
  await vi.waitFor(() => expect(roles.at(-1)).toBe('User'))
  await act(async () => void (await send(list).catch(() => {})))
  expect(text()).toContain(t('shell.sessionEndedText'))
})

test('P8.2 GUARD-6 a banned account is signed out, redirected to home and gets a message', async () => {
  answer = () => Promise.resolve(json({ user: { ...ann, role: 'Banned' } }))
  // The server has already ended the session.
  actAnswer = () => json({ title: 'Please sign in', status: 401, code: 'auth.required' }, 401)
  await open(ann)
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] })
  await otherTab()
  await vi.waitFor(() => expect(sent).toContain('/api/account/logout'))
  expect(toasts()).toMatchObject([{ title: t('shell.banned'), role: 'alert' }])
  await vi.waitFor(() => expect(where()).toBe('/'))
  expect(text()).not.toContain('Teams of the harbour')
  expect(new Set(roles)).toEqual(new Set(['User', undefined]))
  // After that, guarded screens redirect to the login again.
  await act(() => vi.advanceTimersByTimeAsync(2000))
  expect(leaving()).toBeUndefined()
})

test('GUARD-6 a refusal for the role requests the session again: a banned account is signed out at once, and not asked to sign in', async () => {
  answer = () => Promise.resolve(json({ user: { ...ann, role: 'Banned' } }))
  await open(ann)
  actAnswer = () => json({ title: 'Not for you', status: 403, code: 'team.not_captain' }, 403)
  await press('act')
  expect(requests.filter((address) => address.includes('/session'))).toEqual([])
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] })
  actAnswer = () => json({ title: 'Access denied', status: 403, code: 'auth.forbidden' }, 403)
  await press('act')
  await vi.waitFor(() => expect(where()).toBe('/'))
  expect(toasts().map(({ title }) => title)).toContain(t('shell.banned'))
  expect(toasts().map(({ title }) => title)).not.toContain(t('shell.signInFirst'))
  await act(() => vi.advanceTimersByTimeAsync(2000))
})
