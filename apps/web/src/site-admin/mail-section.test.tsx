// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { Notifications, notifications, notificationsStore } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import i18next from 'i18next'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { initReactI18next } from 'react-i18next'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import en from '../../locales/en_US.json' with { type: 'json' }
import { keys } from '../api/keys.ts'
import { MailSection } from './mail-section.tsx'

beforeAll(async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  window.matchMedia = ((query: string) => ({
    matches: false,
    media: query,
    addEventListener() {},
    removeEventListener() {},
  })) as never
  await i18next.use(initReactI18next).init({ lng: 'en_US', cleanCode: false, resources: { en_US: { translation: en } } })
})
afterEach(async () => {
  await act(async () => notifications.clean())
  vi.unstubAllGlobals()
})

const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
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
  const place = document.createElement('div')
  document.body.replaceChildren(place)
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  queries.setQueryData(keys.config, { title: 'GZ', setupRequired: false })
  queries.setQueryData(keys.profile, { userName: 'Chief', email: 'chief@example.org', role: 'Admin' })
  await act(async () =>
    createRoot(place).render(
      <QueryClientProvider client={queries}>
        <MantineProvider env="test">
          <Notifications />
          <MailSection />
        </MantineProvider>
      </QueryClientProvider>,
    ),
  )
  await act(async () => new Promise((resolve) => setTimeout(resolve, 0)))
  const submit = () =>
    act(async () => {
      place.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
    })
  return { place, asked, submit }
}
const toasts = () => notificationsStore.getState().notifications.map(({ title, message }) => [title, message])

test('without a mail server it says so and names what to set', async () => {
  const { place } = await open({ data: [], length: 0, total: 0, configured: false })
  expect(place.textContent).toContain('No mail server is set up')
  for (const name of ['VEXIL_MAIL_HOST', 'VEXIL_MAIL_SENDER', 'VEXIL_MAIL_USER', 'VEXIL_MAIL_PASSWORD'])
    expect(place.textContent).toContain(name)
  expect(place.querySelector('form')).toBeNull()
})

test('a test mail goes to the own address unless another is typed, and success is told', async () => {
  const { place, asked, submit } = await open({ data: [], length: 0, total: 0, configured: true })
  expect(place.textContent).toContain('A mail server is set up')
  expect(place.textContent).toContain('No mail has failed')
  expect(asked[0]?.search).toBe('?count=10&state=Failed')
  await submit()
  expect(asked).toContainEqual({ path: '/api/admin/mails/test', search: '', body: { recipient: 'chief@example.org' } })
  expect(toasts()).toContainEqual(['The mail server took the mail for chief@example.org', ''])
})

test('a test mail that fails is told in the words of the mail server, beside the field', async () => {
  const { place, submit } = await open({ data: [], length: 0, total: 0, configured: true }, () =>
    json({ title: 'The mail could not be sent: 535 5.7.8 wrong password', status: 400, code: 'mail.not_sent' }, 400),
  )
  await submit()
  expect(place.textContent).toContain('535 5.7.8 wrong password')
  expect(toasts()).toContainEqual(['The test mail was not sent', 'The mail could not be sent: 535 5.7.8 wrong password'])
})

test('failed mails are listed with address, kind, attempts and reason', async () => {
  const { place } = await open({ data: [failedMail], length: 1, total: 12, configured: true })
  const row = place.querySelector('tbody tr')?.textContent
  for (const part of ['gone@example.org', 'Activation', '9 attempts', '550 5.1.1 No such user']) expect(row).toContain(part)
  expect(place.textContent).toContain('1 of 12')
})
