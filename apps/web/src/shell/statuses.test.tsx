// @vitest-environment jsdom
import { useQuery } from '@tanstack/react-query'
import type { Endpoint } from '@vexil/contract/endpoint'
import { expect, test } from 'vitest'
import { button, click } from '../../test/acts.ts'
import { openPage, toasts, until } from '../../test/page.tsx'
import { serve } from '../../test/server.ts'
import { send } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { QueryView } from '../ui/base/states.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { SessionWatch } from './session-watch.tsx'

const shape = { access: 'user', summary: '' } as const
const change = { method: 'PUT', path: '/api/thing', shape } as const satisfies Endpoint
const read = { method: 'GET', path: '/api/things', shape } as const satisfies Endpoint

function Thing() {
  const action = useAction({ id: 'thing', failed: 'Could not save', call: () => send(change) })
  const things = useQuery({ queryKey: ['things'], queryFn: async () => (await send(read)).text() })
  return (
    <>
      <button type="button" disabled={action.busy || action.wait > 0} onClick={() => void action.start()}>
        save
      </button>
      <QueryView query={things}>{(text) => <p>{text}</p>}</QueryView>
    </>
  )
}

/** The server's answer with this status; 0: the connection is reset. */
function answer(status: number, title: string): Response | Promise<Response> {
  if (status === 0) return Promise.reject(new TypeError('reset'))
  const headers = { 'content-type': 'application/json', 'Retry-After': '7' }
  return new Response(title === '' ? '' : JSON.stringify({ title, status, code: 'x' }), { status, headers })
}
const open = (status: number, title: string) => {
  const requests = serve(({ path }) => (path.startsWith('/api/thing') ? answer(status, title) : {}))
  const part = (
    <>
      <SessionWatch onOther={() => {}} />
      <Thing />
    </>
  )
  return openPage(part, [
    [keys.config, { title: 'Harbour', setupRequired: false }],
    [keys.profile, { userId: 'u', userName: 'ann', role: 'User' }],
  ]).then((place) => ({ place, requests }))
}
const dialog = () => document.querySelector('[role=dialog]')?.textContent

const unknown = 'Unknown error. Try again. If it happens again, contact an organiser.'
const away = 'Cannot reach the platform. Try again in a moment.'
test.each([
  [400, 'The name is empty', 'The name is empty'],
  [403, 'Access denied', 'Access denied'],
  [404, 'There is no such team', 'There is no such team'],
  [409, 'It was changed meanwhile', 'It was changed meanwhile'],
  [413, 'The request is too large', 'The request is too large'],
  [500, 'The database is unreachable', 'The database is unreachable'],
  [500, '', unknown],
  [0, '', away],
])(
  'P8.29 an action that is answered with %i "%s" shows an error and can be tried again; a screen shows it in place with Retry',
  async (status, title, words) => {
    const { place, requests } = await open(status, title)
    await until(() => expect(place.querySelector('[role=alert]')?.textContent).toContain(words))
    const reads = requests.filter(({ path }) => path === '/api/things').length
    await click(button('Retry') ?? button('Try again'))
    expect(requests.filter(({ path }) => path === '/api/things').length).toBeGreaterThan(reads)
    await click(button('save'))
    expect(toasts()).toEqual([{ title: 'Could not save', message: words, role: 'alert' }])
    expect(button('save')?.disabled).toBe(false)
    expect(dialog()).toBeUndefined()
  },
)

test('P8.29 401 asks to sign in again; 429 names the time to wait and disables the control', async () => {
  const { place } = await open(401, 'Please log in first')
  await until(() => expect(dialog()).toContain('Session ended'))
  expect(place.textContent).toContain('Please log in first')
  await open(429, 'Too many requests, try again in 7 seconds')
  await click(button('save'))
  expect(toasts()).toContainEqual({
    title: 'Please try again later',
    message: 'Too many requests, try again in 7 seconds',
    role: 'status',
  })
  expect(button('save')?.disabled).toBe(true)
})
