// @vitest-environment jsdom
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { json, openPage, toasts, type, until, Where, where } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import CancelScreen from './cancel.screen.tsx'
import { EmailDialog } from './email-dialog.tsx'

afterEach(() => void vi.unstubAllGlobals())

const known: Parameters<typeof openPage>[1] = [
  [keys.config, { title: 'GZ', setupRequired: false }],
  [keys.profile, { userName: 'Ann', email: 'ann@example.org', role: 'User' }],
]

/** Answers every call, and records path and body of those that change something. */
function serve(answer: () => Response) {
  const requests: { path: string; body: unknown }[] = []
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const { pathname: path } = new URL(String(input instanceof Request ? input.url : input), 'http://localhost')
    if (init?.method === 'GET' || init?.body === undefined) return json({})
    requests.push({ path, body: JSON.parse(String(init.body)) as unknown })
    return answer()
  })
  return requests
}
const click = (place: ParentNode, text: string) =>
  act(async () => {
    const button = [...place.querySelectorAll('button')].find((one) => one.textContent?.includes(text))
    button?.click()
  })

test('changing the address sends the password, and both fields are required', async () => {
  const requests = serve(() => json({ title: 'sent', data: true, status: 200 }))
  await openPage(<EmailDialog opened onClose={() => {}} />, known)
  const field = (kind: string) => document.querySelector<HTMLInputElement>(`form input[type="${kind}"]`) ?? undefined
  const send = () => act(async () => void document.querySelector('form')?.requestSubmit())
  await send()
  expect(document.body.textContent).toContain('Invalid email address')
  await type(field('email'), 'new@example.org')
  expect(document.body.textContent).not.toContain('Invalid email address')
  await send()
  expect(document.body.textContent).toContain('The password cannot be empty')
  expect(requests).toEqual([])
  await type(field('password'), 'secret')
  expect(document.body.textContent).not.toContain('The password cannot be empty')
  await send()
  expect(requests).toEqual([{ path: '/api/account/changeemail', body: { newMail: 'new@example.org', password: 'secret' } }])
})

test('the page of the notice cancels the change with the unchanged link, and reports a failure', async () => {
  let works = false
  const requests = serve(() =>
    works
      ? new Response(null)
      : json({ title: 'Email verification failed', status: 400, code: 'account.email_verification_failed' }, 400),
  )
  const screen = (
    <>
      <Where />
      <CancelScreen />
    </>
  )
  const place = await openPage(screen, known, `/account/cancel?token=dG9rZW4%3D&email=${btoa('old@example.org')}`)
  expect(place.textContent).toContain('old@example.org')
  expect(requests).toEqual([])
  await click(place, 'Cancel the change')
  expect(requests).toEqual([
    { path: '/api/account/mailchangecancel', body: { token: 'dG9rZW4=', email: btoa('old@example.org') } },
  ])
  expect(toasts()).toContainEqual(expect.objectContaining({ title: 'Could not cancel the change' }))
  expect(place.querySelector('a[href="/account/Recovery"]')?.textContent).toBe('Recover account')
  works = true
  await click(place, 'Cancel the change')
  expect(requests).toHaveLength(2)
  expect(toasts()).toContainEqual(expect.objectContaining({ title: 'Change cancelled. Set a new password now' }))
  await until(() => expect(where()).toBe('/account/Recovery'))
})

test('a link with a missing part is not valid', async () => {
  const place = await openPage(<CancelScreen />, known, '/account/cancel?token=dG9rZW4%3D')
  expect(place.textContent).not.toContain('Your account email')
  expect(place.textContent).toContain('This link is incomplete or damaged.')
})
