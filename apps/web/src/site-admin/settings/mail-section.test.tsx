// @vitest-environment jsdom
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { json, openPage, submit, toasts } from '../../../test/page.tsx'
import { keys } from '../../api/query-keys.ts'
import { MailSection } from './mail-section.tsx'

afterEach(() => void vi.unstubAllGlobals())

const failedMail = {
  id: 7,
  kind: 'Verify',
  recipient: 'gone@example.org',
  userName: 'Gone',
  state: 'Failed',
  attempts: 9,
  error: '550 5.1.1 No such user',
  createdAt: '2026-11-21T10:00:00+00:00',
  settledAt: '2026-11-21T11:00:00+00:00',
}

async function open(list: object, test: () => Response = () => new Response(null)) {
  const asked: { path: string; search: string; body?: unknown }[] = []
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const { pathname: path, search } = new URL(String(input instanceof Request ? input.url : input), 'http://localhost')
    asked.push({ path, search, ...(init?.body ? { body: JSON.parse(String(init.body)) as unknown } : {}) })
    return path === '/api/admin/mails' ? json(list) : test()
  })
  const place = await openPage(<MailSection />, [
    [keys.config, { title: 'GZ', setupRequired: false }],
    [keys.profile, { userName: 'Chief', email: 'chief@example.org', role: 'Admin' }],
  ])
  await act(async () => new Promise((resolve) => setTimeout(resolve, 0)))
  return { place, asked }
}

test('without a mail server it shows a message and names what to set', async () => {
  const { place } = await open({ data: [], length: 0, total: 0, configured: false })
  expect(place.textContent).toContain('No mail server configured')
  for (const name of ['VEXIL_MAIL_HOST', 'VEXIL_MAIL_SENDER', 'VEXIL_MAIL_USER', 'VEXIL_MAIL_PASSWORD'])
    expect(place.textContent).toContain(name)
  expect(place.querySelector('form')).toBeNull()
})

test('a test mail is sent to the own address unless another is typed, and success is shown', async () => {
  const { place, asked } = await open({ data: [], length: 0, total: 0, configured: true })
  expect(place.textContent).toContain('Mail server configured')
  expect(place.textContent).toContain('No failed emails')
  expect(asked[0]?.search).toBe('?count=10&state=Failed')
  await submit(place)
  expect(asked).toContainEqual({ path: '/api/admin/mails/test', search: '', body: { recipient: 'chief@example.org' } })
  expect(toasts()).toContainEqual({
    title: 'The mail server accepted the email to chief@example.org',
    message: '',
    role: 'status',
  })
})

test('the error of a failed test mail is shown in the words of the mail server, beside the field', async () => {
  const { place } = await open({ data: [], length: 0, total: 0, configured: true }, () =>
    json({ title: 'Could not send the email: 535 5.7.8 wrong password', status: 400, code: 'mail.not_sent' }, 400),
  )
  await submit(place)
  expect(place.textContent).toContain('535 5.7.8 wrong password')
  expect(toasts()).toEqual([])
})

test('failed mails are listed with address, kind, attempts and reason', async () => {
  const { place } = await open({ data: [failedMail], length: 1, total: 12, configured: true })
  const row = place.querySelector('tbody tr')?.textContent
  for (const part of ['gone@example.org', 'Activation', '9 attempts', '550 5.1.1 No such user']) expect(row).toContain(part)
  expect(place.textContent).toContain('1 of 12')
})
