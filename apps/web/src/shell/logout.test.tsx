// @vitest-environment jsdom
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { Route, Routes } from 'react-router'
import { beforeEach, expect, test } from 'vitest'
import { button, click, named } from '../../test/acts.ts'
import { openPage, toasts, until, Where, where } from '../../test/page.tsx'
import { acts, refuse, serve } from '../../test/server.ts'
import { keys } from '../api/query-keys.ts'
import { keepDraft, readDrafts } from '../api/tab-drafts.ts'
import { AccountMenu } from './account-menu.tsx'
import { Guard } from './guard.tsx'
import { keepPasswords, newPasswords } from './new-passwords.ts'
import { useUnsavedWarning } from './unsaved.tsx'

const ann = { userId: 'u', userName: 'ann', role: 'User' }
let queries: QueryClient

function Cache() {
  queries = useQueryClient()
  return null
}
beforeEach(() => localStorage.clear())

const cut = (): Promise<Response> => Promise.reject(new TypeError('reset'))
test.each([
  ['answers', () => undefined],
  ['fails', () => refuse('unreachable', 'x', 500)],
  ['is cut', cut],
] as [string, () => unknown][])(
  'NAV-2 logout when the call %s: home opens, the user is signed out, all personal and game data are removed, and a message is shown',
  async (_, answer) => {
    const requests = serve(({ method }) => (method === 'GET' ? [] : answer()))
    localStorage.setItem('vexil_cache', 'answers of ann')
    keepDraft('of ann', 'flag{half')
    const personal = [keys.game(7).play, keys.game(7).detail, keys.game(7).feed, keys.teams.mine, keys.myGames]
    await openPage(
      <>
        <Where />
        <Cache />
        <AccountMenu />
        <Routes>
          <Route path="/" element={null} />
          <Route
            path="*"
            element={
              <Guard need="User">
                <p>For users</p>
              </Guard>
            }
          />
        </Routes>
      </>,
      [
        [keys.config, { title: 'Harbour', setupRequired: false }],
        [keys.profile, ann],
        ...personal.map((key) => [key, { of: 'ann' }] as [typeof key, object]),
      ],
      '/games/7/Challenges',
    )
    expect(document.body.textContent).toContain('For users')
    await click(named('Account: ann'))
    // The code of the menu is loaded when it is opened.
    const item = () => [...document.querySelectorAll('[role=menuitem]')].find((one) => one.textContent === 'Sign out')
    await until(() => expect(item()).toBeTruthy())
    await click(item())
    await until(() => expect(where()).toBe('/'))
    expect(acts(requests)).toEqual([{ call: 'POST /api/account/logout', body: undefined }])
    expect(queries.getQueryData(keys.profile)).toBeNull()
    await until(() => {
      for (const key of personal) expect([key, queries.getQueryData(key)]).toEqual([key, undefined])
    })
    expect([localStorage.getItem('vexil_cache'), readDrafts('').size]).toEqual([null, 0])
    // Other tabs follow.
    expect(Number(localStorage.getItem('session-changed'))).toBeGreaterThan(0)
    expect(named('Account')).toBeTruthy()
    await until(() => expect(toasts()).toEqual([expect.objectContaining({ title: 'Signed out', role: 'status' })]))
  },
)

test('NAV-2 US-3 logout asks while generated passwords are not saved, and then forgets them', async () => {
  const requests = serve(({ method }) => (method === 'GET' ? [] : undefined))
  keepPasswords([{ userName: 'ben', password: 'New-Secret', email: '', teamName: '' }])
  await openPage(<AccountMenu />, [
    [keys.config, { title: 'Harbour', setupRequired: false }],
    [keys.profile, ann],
  ])
  const signOut = async () => {
    await click(named('Account: ann'))
    const item = () => [...document.querySelectorAll('[role=menuitem]')].find((one) => one.textContent === 'Sign out')
    await until(() => expect(item()).toBeTruthy())
    await click(item())
    await until(() => expect(document.body.textContent).toContain('1 new password is not saved'))
  }
  await signOut()
  await click(button('Cancel'))
  expect([acts(requests), newPasswords()]).toEqual([[], [expect.objectContaining({ password: 'New-Secret' })]])
  await signOut()
  await click(button('Sign out'))
  await until(() => expect(newPasswords()).toEqual([]))
  expect(acts(requests)).toHaveLength(1)
})

test('FB-6 NAV-2 logout asks before it loses unsaved changes of a form, and only then signs out', async () => {
  const requests = serve(({ method }) => (method === 'GET' ? [] : undefined))
  function ChangedForm() {
    useUnsavedWarning(true)
    return null
  }
  await openPage(
    <>
      <Where />
      <AccountMenu />
      <ChangedForm />
    </>,
    [
      [keys.config, { title: 'Harbour', setupRequired: false }],
      [keys.profile, ann],
    ],
    '/account/Profile',
  )
  const signOut = async () => {
    await click(named('Account: ann'))
    const item = () => [...document.querySelectorAll('[role=menuitem]')].find((one) => one.textContent === 'Sign out')
    await until(() => expect(item()).toBeTruthy())
    await click(item())
    await until(() => expect(document.querySelector('[role=dialog]')?.textContent).toContain('Discard unsaved changes?'))
  }
  await signOut()
  await click(button('Cancel'))
  expect([acts(requests), where()]).toEqual([[], '/account/Profile'])
  await signOut()
  await click(button('Discard'))
  await until(() => expect(where()).toBe('/'))
  expect(acts(requests)).toHaveLength(1)
  expect(document.querySelector('[role=dialog]')).toBeNull()
})
