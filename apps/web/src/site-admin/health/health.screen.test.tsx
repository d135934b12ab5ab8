// @vitest-environment jsdom
import type { HealthReport } from '@vexil/contract/health'
import { healthChecks } from '@vexil/contract/health'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { button, click, field, rows, send, settle, write } from '../../../test/acts.ts'
import { json, openPage, toasts, until } from '../../../test/page.tsx'
import HealthScreen from './health.screen.tsx'

afterEach(() => void vi.unstubAllGlobals())

const check = (name: HealthReport['checks'][number]['name'], more: Partial<HealthReport['checks'][number]> = {}) => ({
  ...{ name, level: 'ok' as const, text: `state of ${name}`, fix: null },
  ...more,
})
const report = (more: Partial<HealthReport> = {}): HealthReport => ({
  checkedAt: '2026-11-25T01:02:03+00:00',
  checks: healthChecks.map((name) => check(name)),
  nodes: [],
  faults: [],
  ...more,
})

async function open(answer: () => Response) {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (input: string) => {
    requests.push(String(input))
    return answer()
  })
  const place = await openPage(<HealthScreen />, [], '/admin/Health')
  await settle()
  return { place, requests }
}
const summary = (place: HTMLElement) => place.querySelector('[role="status"]')?.textContent

test('a platform that is well has one line for each check with a link to where it is changed, and the time of the checks', async () => {
  const { place, requests } = await open(() => json(report()))
  expect(requests).toEqual(['/api/admin/health'])
  expect(summary(place)).toBe('All checks passed')
  expect(place.querySelector('nav [aria-current=page]')?.textContent).toBe('Health')
  expect(place.querySelector('time')?.dateTime).toBe('2026-11-25T01:02:03.000Z')
  expect(rows(place)).toHaveLength(healthChecks.length)
  expect([...place.querySelectorAll('tbody a')].map((link) => link.getAttribute('href'))).toEqual([
    '/admin/Settings#server',
    '/admin/Logs?level=Warning',
    '/admin/Logs?level=Warning',
    '/admin/Settings#files',
    '/admin/Settings#files',
    '/admin/Settings#mail',
    '/admin/Settings#captcha',
    '/admin/Instances',
    '/admin/Logs?level=Warning',
    '/admin/Settings#server',
    '/admin/Logs?level=Error',
  ])
  expect(place.querySelector('section')).toBeNull()
})

test('errors come first, then warnings, each with its level in words and its fix', async () => {
  const checks = [
    check('database'),
    check('disk', { level: 'warning', text: '4.2 GiB free', fix: 'Free space' }),
    check('settings', { level: 'warning', text: 'a setting', fix: 'Change it' }),
    check('mail', { level: 'error', text: 'refused', fix: 'Correct it' }),
  ]
  const { place } = await open(() => json(report({ checks })))
  expect(summary(place)).toBe('1 error · 2 warnings')
  const icon = (part: Element | null | undefined) => part?.querySelector('svg')?.outerHTML
  const icons = [...place.querySelectorAll('tbody tr')].map(icon)
  expect(icon(place)).toBe(icons[0])
  // One for each level; the two warnings share theirs.
  expect(new Set(icons).size).toBe(3)
  // A level that needs no attention is only for screen readers.
  expect([...place.querySelectorAll('tbody p')].filter(({ textContent }) => textContent === '')).toEqual([])
  expect([...place.querySelectorAll('tbody .unseen')].map(({ textContent }) => textContent)).toEqual(['OK'])
  expect(rows(place)).toEqual([
    expect.stringMatching(/Mail server Error.*refused.*Correct it.*Settings/),
    expect.stringMatching(/Disk Warning.*4\.2 GiB free.*Free space/),
    expect.stringMatching(/Settings Warning.*a setting.*Change it/),
    expect.stringMatching(/Database OK.*state of database/),
  ])
})

test('a backup is downloaded with the password, and with the key only when it is asked for', async () => {
  const sent: unknown[] = []
  const held = Promise.withResolvers<Response>()
  const answers = [
    () => json({ title: 'Wrong password', status: 400, code: 'account.old_password_wrong' }, 400),
    () => json({ title: 'The disk is full', status: 400, code: 'request.invalid' }, 400),
    () => held.promise,
  ]
  const { place } = await open(() => json(report()))
  vi.stubGlobal('fetch', async (input: string, init: RequestInit) => {
    sent.push([init.method, String(input), JSON.parse(String(init.body))])
    return answers[sent.length - 1]?.() ?? json({}, 500)
  })
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  await click(button('Download backup'))
  await click(button('Cancel'))
  await until(() => expect(document.querySelector('form')).toBeNull())
  await click(button('Download backup'))
  const submit = () => send(document.querySelector('form input'))
  const password = field('Your password')
  expect([password.autocomplete, password.hasAttribute('data-autofocus')]).toEqual(['current-password', true])
  await submit()
  expect([sent, document.querySelector('form')?.textContent]).toEqual([[], expect.stringContaining('Enter your password')])
  await write(field('Your password'), 'not mine')
  await submit()
  expect(document.querySelector('form')?.textContent).toContain('Wrong password')
  await write(field('Your password'), 'long enough')
  expect(document.querySelector('form')?.textContent).not.toContain('Wrong password')
  await submit()
  // Another refusal does not concern the password.
  expect(toasts().at(-1)).toMatchObject({ message: 'The disk is full', role: 'alert' })
  expect(document.querySelector('form')?.textContent).not.toContain('The disk is full')
  await click(document.querySelector('input[type=checkbox]'))
  await submit()
  expect(field('Your password').readOnly).toBe(true)
  held.resolve(new Response('bytes', { headers: { 'content-disposition': 'attachment; filename="vexil-1.tar"' } }))
  await until(() => expect(document.querySelector('form')).toBeNull())
  expect(sent).toEqual([
    ['POST', '/api/admin/backup', { password: 'not mine', withKey: false }],
    ['POST', '/api/admin/backup', { password: 'long enough', withKey: false }],
    ['POST', '/api/admin/backup', { password: 'long enough', withKey: true }],
  ])
  expect(saved).toHaveBeenCalledOnce()
  expect(place.isConnected).toBe(true)
})

test('nodes are listed in the order of their start, each with its address or id, processes and state', async () => {
  const node = { id: '7c5f1b1e-6a50-4a53-9a6e-0d1f2b3c4d5e', version: '1.2.0', startedAt: '2026-11-25T01:00:00+00:00' }
  const seenAt = '2026-11-25T01:02:00+00:00'
  const nodes: HealthReport['nodes'] = [
    { ...node, seenAt, url: 'http://10.0.0.5:8080', processes: 2, state: 'Serving' },
    { ...node, id: '8d000000-0000-4000-8000-000000000000', seenAt, url: null, processes: 1, state: 'Draining' },
    { ...node, id: '9e000000-0000-4000-8000-000000000000', seenAt, url: null, processes: 1, state: 'Late' },
  ]
  const { place } = await open(() => json(report({ nodes })))
  const section = place.querySelector('section')
  expect([section?.querySelector('h2')?.textContent, section?.getAttribute('aria-label')]).toEqual(['Nodes', 'Nodes'])
  expect(rows(place).slice(-3)).toEqual([
    expect.stringMatching(/10\.0\.0\.5:8080.*v1\.2\.0 · 2 processes.*Serving$/),
    expect.stringMatching(/8d000000.*1 process[^e].*Draining$/),
    expect.stringMatching(/9e000000.*No report$/),
  ])
  expect(section?.querySelectorAll('time')[1]?.textContent).toMatch(/^\d\d:\d\d$/)
  const times = [...(section?.querySelectorAll('time') ?? [])].map(({ dateTime }) => dateTime)
  expect(times).toEqual([1, 2, 3].flatMap(() => ['2026-11-25T01:00:00.000Z', '2026-11-25T01:02:00.000Z']))
})

test('calls that failed are listed with their number and last time', async () => {
  const faults = [{ route: 'GET /api/posts', count: 12, lastAt: '2026-11-25T01:00:00+00:00' }]
  const { place } = await open(() => json(report({ faults })))
  const section = place.querySelector('section[aria-label="Unexpected errors of the last hour"]')
  expect(section?.textContent).toContain('Unexpected errors of the last hour')
  expect(rows(place).at(-1)).toMatch(/GET \/api\/posts.*12\d\d:\d\d$/)
})

test('it is refreshed every 30 s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'], shouldAdvanceTime: true })
  const answers = [report(), report({ checks: [check('disk', { level: 'error' })] })]
  const { place, requests } = await open(() => json(answers.length > 1 ? answers.shift() : answers[0]))
  await act(async () => vi.advanceTimersByTimeAsync(29_000))
  expect(requests).toHaveLength(1)
  await act(async () => vi.advanceTimersByTimeAsync(1_500))
  expect(requests).toHaveLength(2)
  await settle()
  expect(summary(place)).toBe('1 error')
  vi.useRealTimers()
})

test('a report that cannot be loaded shows the reason, the request and another try', async () => {
  let status = 500
  const { place, requests } = await open(() =>
    json({ title: 'Out of order', status, code: 'server.unknown', requestId: `r${status}` }, status),
  )
  expect(place.querySelector('[role=alert]')?.textContent).toMatch(/Out of order.*Request r500/)
  status = 409
  await click(button('Retry'))
  expect(requests).toHaveLength(2)
  expect(place.querySelector('[role=alert]')?.textContent).toMatch(/Out of order.*Request r409/)
})
