import type { Endpoint } from '@vexil/contract/endpoint'
import { afterEach, expect, test, vi } from 'vitest'
import { addressOf, call, onSessionEnded, Refusal, setCallLanguage } from './client.ts'

const open = { method: 'GET', path: '/api/thing/:id', shape: { access: 'anyone', summary: '' } } as const satisfies Endpoint
const closed = { method: 'POST', path: '/api/thing', shape: { access: 'user', summary: '' } } as const satisfies Endpoint

const answers = (status: number, body: string, headers: Record<string, string> = {}) =>
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => new Response(body, { status, headers })),
  )

afterEach(() => vi.unstubAllGlobals())

test('an address gets its parameters and only the query values that are set', () => {
  expect(addressOf(open, { params: { id: 'a/b' }, query: { count: 5, skip: undefined, role: null, hint: 'ä' } })).toBe(
    '/api/thing/a%2Fb?count=5&hint=%C3%A4',
  )
})

test('P7.3 FB-1 a refused call rejects with the fields of the body', async () => {
  answers(400, '{"title":"Game ended","status":10002,"code":"game.ended","data":{"x":1}}')
  const refusal = await call(open).catch((error) => error)
  expect(refusal).toBeInstanceOf(Refusal)
  expect(refusal).toMatchObject({ title: 'Game ended', code: 'game.ended', data: { x: 1 }, http: 400 })
})

test('P7.3 FB-1 an answer without a body and a call that never arrives reject without a title', async () => {
  answers(502, '<html>')
  expect(await call(open).catch((error) => error)).toMatchObject({ title: '', http: 502 })
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => {
      throw new TypeError('network down')
    }),
  )
  expect(await call(open).catch((error) => error)).toMatchObject({ title: '', http: 0 })
})

test('FB-1 an answer that breaks off in its body counts as one that never arrived; a refusal keeps its status; an end by the caller is none', async () => {
  const cut = (status: number, cause: unknown) =>
    vi.stubGlobal('fetch', async () => new Response(new ReadableStream({ start: (body) => body.error(cause) }), { status }))
  cut(200, new TypeError('reset'))
  expect(await call(open).catch((error) => error)).toMatchObject({ name: 'Refusal', http: 0 })
  cut(400, new TypeError('reset'))
  expect(await call(open).catch((error) => error)).toMatchObject({ name: 'Refusal', http: 400, title: '' })
  cut(200, new DOMException('no longer needed', 'AbortError'))
  expect(await call(open).catch((error) => error)).toMatchObject({ name: 'AbortError' })
})

test('an answer that is not JSON, as a portal sends it, counts as empty', async () => {
  answers(200, '<!doctype html><title>Sign in to this network</title>')
  expect(await call(open)).toBeUndefined()
})

test('FB-2 too many requests give the seconds to wait', async () => {
  answers(429, '{"title":"wait","status":429}', { 'Retry-After': '7' })
  expect(await call(open).catch((error) => error)).toMatchObject({ retryAfter: 7 })
})

test('GUARD-7 only a refused call that needs a session ends the session in the browser', async () => {
  const heard = vi.fn(() => true)
  const stop = onSessionEnded(heard)
  answers(401, '{"title":"sign in","status":401}')
  expect(await call(open).catch((error) => error)).toMatchObject({ http: 401, notified: false })
  expect(heard).not.toHaveBeenCalled()
  expect(await call(closed).catch((error) => error)).toMatchObject({ http: 401, notified: true })
  expect(heard).toHaveBeenCalledOnce()
  heard.mockReturnValue(false)
  expect(await call(closed).catch((error) => error)).toMatchObject({ notified: false })
  stop()
})

test('LANG-1 calls carry the language of the screen', async () => {
  answers(200, '')
  setCallLanguage('ja_JP')
  expect(await call(open)).toBeUndefined()
  const [, init] = vi.mocked(fetch).mock.calls[0] as [string, RequestInit]
  expect(init.headers).toMatchObject({ 'Accept-Language': 'ja-JP' })
  setCallLanguage('en_US')
})

test('files are sent as parts of the name that the call has, without a content type, which the browser sets', async () => {
  const upload = { method: 'POST', path: '/api/files', shape: { access: 'user', summary: '', upload: 'files' } } as const
  answers(200, '')
  await call(upload, { files: [new File(['a'], 'one.txt'), new File(['b'], 'two.txt')] })
  const [, init] = vi.mocked(fetch).mock.calls[0] as [string, RequestInit]
  expect((init.body as FormData).getAll('files').map((file) => (file as File).name)).toEqual(['one.txt', 'two.txt'])
  expect(Object.keys(init.headers as object)).toEqual(['Accept-Language'])
})

test('a body is sent as JSON', async () => {
  answers(200, '')
  await call(
    { method: 'PUT', path: '/api/notes', shape: { access: 'user', summary: '' } } as const,
    { body: { text: 'a' } } as never,
  )
  const [, init] = vi.mocked(fetch).mock.calls[0] as [string, RequestInit]
  expect(init).toMatchObject({ body: '{"text":"a"}', headers: { 'Content-Type': 'application/json' } })
})

test('an answer that the page requested early is used once; if that request failed, the call is sent again', async () => {
  const address = addressOf(open, { params: { id: 1 } })
  const early = (answer: Promise<Response | undefined>) => {
    globalThis.early = { [address]: { sentAt: Date.now(), answer } }
  }
  const said = () => call(open, { params: { id: 1 } } as never)
  answers(200, '"asked"')
  early(Promise.resolve(new Response('"early"')))
  expect([await said(), await said()]).toEqual(['early', 'asked'])
  early(Promise.reject(new TypeError('network down')))
  expect(await said()).toBe('asked')
  early(Promise.resolve(undefined))
  expect(await said()).toBe('asked')
  early(Promise.resolve(new Response('{"title":"busy","status":503}', { status: 503 })))
  expect(await said().catch((error: unknown) => error)).toMatchObject({ title: 'busy', http: 503 })
})
