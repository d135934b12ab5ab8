// @vitest-environment jsdom
import { act, type ReactNode } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { json, openPage, submit, toasts, type } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { watchForms } from '../ui/overlays/focus-wrong.ts'
import { LoginForm } from './login-form.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { RegisterForm } from './register-form.tsx'

/** The refusal of the server; null: it accepts everything. */
let refusal: object | null = null
const sent: string[] = []
let stop = () => {}
beforeEach(() => {
  sent.length = 0
  stop = watchForms()
  vi.stubGlobal('fetch', async (address: string) => {
    if (address.endsWith('/captcha')) return json({ type: 'None', siteKey: '' })
    sent.push(address)
    return refusal ? json(refusal, 400) : json({})
  })
})
afterEach(() => {
  stop()
  vi.unstubAllGlobals()
})

const open = (part: ReactNode) =>
  openPage(part, [
    [keys.config, { title: 'Harbour', setupRequired: false }],
    [keys.captcha, { type: 'None', siteKey: '' }],
    [keys.profile, null],
  ])
const input = (name: string) => document.querySelector<HTMLInputElement>(`input[autocomplete="${name}"]`) ?? undefined
const later = () => act(async () => void (await new Promise((done) => setTimeout(done, 5))))
const isMarked = (field: HTMLInputElement | undefined) => field?.getAttribute('aria-invalid') === 'true'
function expectSelected(field: HTMLInputElement | undefined) {
  expect(document.activeElement).toBe(field)
  expect(field?.readOnly || field?.disabled).toBe(false)
  expect([field?.selectionStart, field?.selectionEnd]).toEqual([0, field?.value.length])
}

test('P2.7 FOCUS-1 LOGIN-2 TOAST-1 a wrong password focuses and selects its field, and the error is shown once, there', async () => {
  refusal = { title: 'Wrong username or password', status: 400, code: 'account.credentials_wrong' }
  const place = await open(<LoginForm />)
  await type(input('username'), 'ann')
  await type(input('current-password'), 'wrong one')
  for (const from of ['input', 'button[type=submit]']) {
    place.querySelector<HTMLElement>(from)?.focus()
    const before = sent.length
    await submit(place)
    await vi.waitFor(() => expect(sent.length).toBe(before + 1))
    await later()
    expectSelected(input('current-password'))
  }
  expect(input('username')?.value).toBe('ann')
  expect(place.textContent?.split('Wrong username or password')).toHaveLength(2)
  expect(toasts()).toEqual([])
  await type(input('current-password'), 'another one')
  expect(isMarked(input('current-password'))).toBe(false)
})

test('P9.1 P5.1 FOCUS-1 LOGIN-1 a missing name and a password that is too short are refused in the form without a call', async () => {
  const place = await open(<LoginForm />)
  await type(input('current-password'), 'long enough')
  await submit(place)
  await later()
  expect(place.textContent).toContain('Please check your input')
  expect(sent).toEqual([])
  await type(input('username'), 'ann')
  await type(input('current-password'), 'no')
  place.querySelector<HTMLElement>('button[type=submit]')?.focus()
  await submit(place)
  await later()
  expectSelected(input('current-password'))
  expect(place.textContent).toContain('Wrong username or password. Please check your input')
  expect(sent).toEqual([])
})

test('P1.2 P5.3 FOCUS-1 REG-1 a registration focuses the first field to be corrected', async () => {
  const place = await open(<RegisterForm onMailSent={() => {}} />)
  await type(input('email'), 'ann@example.org')
  await type(input('username'), ' a ')
  await submit(place)
  await later()
  expectSelected(input('username'))
  await type(input('username'), 'anna')
  const [first, again] = place.querySelectorAll<HTMLInputElement>('input[autocomplete="new-password"]')
  for (const field of [first, again]) await type(field, 'short')
  await submit(place)
  await later()
  expectSelected(first)
  expect(place.textContent).toContain('Use at least 6 characters')
  expect(sent).toEqual([])
  await type(first, 'long enough')
  expect(place.textContent).not.toContain('Use at least 6 characters')
  await type(again, 'long enougg')
  // Marked already while typing.
  expect(again?.getAttribute('aria-invalid')).toBe('true')
  await submit(place)
  await later()
  expectSelected(again)
  expect(sent).toEqual([])
  refusal = { title: 'The name is taken', status: 400, code: 'account.name_taken' }
  await type(again, 'long enough')
  await submit(place)
  await vi.waitFor(() => expect(sent).toHaveLength(1))
  await later()
  expectSelected(input('username'))
  expect(toasts()).toEqual([])
  await type(input('username'), 'annabel')
  expect(isMarked(input('username'))).toBe(false)
})

test('FOCUS-1 the password dialog focuses the wrong field, found by its own check or by the server', async () => {
  await open(<PasswordDialog opened onClose={() => {}} />)
  const form = () => document.querySelector('[role=dialog] form') as HTMLFormElement
  const send = () => act(async () => void form().dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })))
  const [fresh, again] = document.querySelectorAll<HTMLInputElement>('input[autocomplete="new-password"]')
  await type(input('current-password'), 'the old one')
  await type(fresh, 'the new one')
  await type(again, 'another one')
  await send()
  await later()
  expectSelected(again)
  refusal = { title: 'The current password is wrong', status: 400, code: 'account.old_password_wrong' }
  await type(again, 'the new one')
  await send()
  await vi.waitFor(() => expect(sent).toHaveLength(1))
  await later()
  expectSelected(input('current-password'))
  expect(toasts()).toEqual([])
  await type(input('current-password'), 'the right one')
  expect(isMarked(input('current-password'))).toBe(false)
})
