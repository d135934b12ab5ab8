/** How an endpoint is bound from its description: the arguments of the handler, the answer, and the order of the checks. */
import { endpoint } from '@vexil/contract/endpoint'
import type { FastifyInstance, InjectOptions } from 'fastify'
import * as Type from 'typebox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openApplication } from './application.ts'
import type { SignedInAccount } from './gate.ts'
import { openLimiter } from './rate-limit.ts'
import { bound, type Http, route, socketRoute } from './route.ts'
import { nameSessionCookie } from './session-cookie.ts'
import { openUploadSlots } from './upload-watch.ts'

const access = { access: 'anyone', summary: 'Test' } as const
const whole = endpoint('POST /test/whole/:id', {
  ...access,
  params: Type.Object({ id: Type.Integer() }),
  query: Type.Object({ page: Type.Optional(Type.Integer({ minimum: 0 })) }),
  body: Type.Object({ text: Type.String({ maxLength: 10 }) }),
  reply: Type.Object({ text: Type.String() }),
})
const bare = endpoint('PUT /test/bare', access)
const own = endpoint('GET /test/own', { ...access, access: 'user', reply: Type.Object({ id: Type.String() }) })
const word = endpoint('GET /test/word', { ...access, reply: Type.String() })
const figure = endpoint('GET /test/figure', { ...access, reply: Type.Integer() })
const listed = endpoint('GET /test/list', { ...access, reply: Type.Array(Type.Object({ id: Type.Integer() })) })
const stream = endpoint('GET /test/stream', { ...access, sends: 'text', reply: Type.String() })
const hub = endpoint('GET /test/hub', { ...access, sends: 'socket' })
const tunnel = endpoint('GET /test/tunnel/:id', { ...access, params: Type.Object({ id: Type.Integer() }), sends: 'socket' })

const anna: SignedInAccount = { id: 'anna', userName: 'Anna', role: 'User' }
// biome-ignore lint/suspicious/noExplicitAny: what a handler was given, of every shape
const inputs: Record<string, any>[] = []
let app: FastifyInstance
let http: Http
beforeAll(async () => {
  app = await openApplication({ publicUrl: 'http://localhost', trustedProxies: [], log: { level: 'silent' } })
  nameSessionCookie(app, { name: 'session', publicUrl: 'http://localhost' })
  const gate = {
    findActor: async (token: string) => (token === 'anna' ? { actor: anna, isOld: false } : null),
    renew: async () => undefined,
    sessionOf: (token: string) => token,
    knownActor: () => null,
    denied: () => undefined,
    seen: () => undefined,
    catchUp: () => null,
    isSetUp: async () => true,
  }
  http = { app, gate, limiter: openLimiter(true), uploads: openUploadSlots() }
  route(http, whole, async (call) => {
    inputs.push({ ...call })
    return { text: call.body.text, secret: 'not described' }
  })
  route(http, bare, async (call) => void inputs.push({ ...call, language: call.language }))
  route(http, own, async ({ actor, by, ip }) => {
    inputs.push({ actor, by, ip })
    return { id: actor.id }
  })
  route(http, word, async () => 'a "word"')
  route(http, figure, async () => 7)
  route(http, listed, async () => [{ id: 1 }])
  route(http, stream, async ({ reply }) => void reply.type('text/plain').header('cache-control', 'no-cache').send('as it is'))
  socketRoute(http, hub, { mayOpen: async () => undefined, opened: () => undefined })
  const mayOpen = async () => void inputs.push({ asked: true })
  socketRoute(http, tunnel, { mayOpen, plain: (reply) => void reply.send('a tunnel'), opened: () => undefined })
  await app.ready()
})
afterAll(() => app.close())
beforeEach(() => void inputs.splice(0))

const ask = async (options: InjectOptions) => {
  const { statusCode, headers, payload } = await app.inject(options)
  return { status: statusCode, headers, payload, code: payload.startsWith('{') ? JSON.parse(payload).code : undefined }
}
const post = (url: string, body: unknown, headers = {}) =>
  ask({ method: 'POST', url, payload: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } })

test('a handler gets params, query and body typed by their schemas, without unknown properties', async () => {
  const before = performance.now()
  const { status, payload, headers } = await post('/test/whole/12?page=3&other=1', { TEXT: 'hello', more: 1 })
  expect([status, payload]).toEqual([200, '{"text":"hello"}'])
  expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  const [call] = inputs
  expect(call).toMatchObject({
    params: { id: 12 },
    query: { page: 3 },
    body: { text: 'hello' },
    actor: null,
    ip: '127.0.0.1',
    by: null,
  })
  expect([call?.query, call?.body]).toEqual([{ page: 3 }, { text: 'hello' }])
  expect(call?.request.arrived).toBeGreaterThanOrEqual(before)
  expect(call?.request.arrived).toBeLessThanOrEqual(performance.now())
})

test('an invalid path returns 404 before query and body are checked; an invalid query comes before an invalid body', async () => {
  expect(await post('/test/whole/x?page=-1', { text: 5 })).toMatchObject({ status: 404, code: 'request.not_found' })
  const query = await post('/test/whole/12?page=-1', { text: 'much too long' })
  expect(query).toMatchObject({ status: 400, code: 'request.invalid' })
  expect(JSON.parse(query.payload).data).toMatchObject({ field: 'page' })
  const body = await post('/test/whole/12', { text: 'much too long' })
  expect(JSON.parse(body.payload).data).toMatchObject({ field: 'text' })
  expect(inputs).toEqual([])
})

test('a call without a result returns an empty 200; it gets neither path, query nor body', async () => {
  const { status, payload, headers } = await ask({ method: 'PUT', url: '/test/bare?page=1' })
  expect([status, payload, headers['content-type'], headers['cache-control']]).toEqual([200, '', undefined, 'no-store'])
  expect(inputs[0]).toMatchObject({ params: undefined, query: undefined, body: undefined, actor: null, by: null })
})

test('the caller is the account of the session, logged with the address; without one the handler is not called', async () => {
  const { status, payload } = await ask({ url: '/test/own', cookies: { session: 'anna' } })
  expect([status, payload]).toEqual([200, '{"id":"anna"}'])
  expect(inputs).toEqual([{ actor: anna, by: { ...anna, ip: '127.0.0.1' }, ip: '127.0.0.1' }])
  expect(await ask({ url: '/test/own' })).toMatchObject({ status: 401, code: 'auth.required' })
  expect(await ask({ url: '/test/own', cookies: { session: 'stale' } })).toMatchObject({ status: 401 })
  expect(inputs).toHaveLength(1)
})

test('a string, a number or a list is sent as JSON too', async () => {
  const json = 'application/json; charset=utf-8'
  for (const [url, payload] of [
    ['/test/word', '"a \\"word\\""'],
    ['/test/figure', '7'],
    ['/test/list', '[{"id":1}]'],
  ])
    expect(await ask({ url })).toMatchObject({
      status: 200,
      payload,
      headers: { 'content-type': json, 'cache-control': 'no-store' },
    })
})

test('a response that a call sends directly is sent unchanged', async () => {
  const { status, payload, headers } = await ask({ url: '/test/stream' })
  expect([status, payload, headers['cache-control']]).toEqual([200, 'as it is', 'no-cache'])
  expect(headers['content-type']).toMatch(/^text\/plain/)
})

test('a call that uses the language gets that of the request, and its response has a Vary header', async () => {
  const bareOne = (language: string) => ask({ method: 'PUT', url: '/test/bare', headers: { 'accept-language': language } })
  const japanese = await bareOne('ja-JP')
  expect(inputs.at(-1)?.language).toBe('ja_JP')
  expect(japanese.headers.vary).toMatch(/accept-language/i)
  await bareOne('zh-CN')
  expect(inputs.at(-1)?.language).toBe('zh_CN')
  expect((await ask({ url: '/test/word', headers: { 'accept-language': 'ja-JP' } })).headers.vary ?? '').not.toMatch(
    /accept-language/i,
  )
})

test('the path of a hub without an upgrade returns 404', async () => {
  expect(await ask({ url: '/test/hub' })).toMatchObject({ status: 404, code: 'request.not_found' })
})

test('an invalid socket path returns 404 before any other check; a valid one can be answered without an upgrade', async () => {
  expect(await ask({ url: '/test/tunnel/x' })).toMatchObject({ status: 404, code: 'request.not_found' })
  expect(inputs).toEqual([])
  const { status, payload, headers } = await ask({ url: '/test/tunnel/7' })
  expect([status, payload, headers['cache-control']]).toEqual([200, 'a tunnel', 'no-store'])
  expect(inputs).toEqual([{ asked: true }])
})

test('each bound call is listed once', () => {
  const ours = [whole, bare, own, word, figure, listed, stream, hub, tunnel]
  expect(bound.filter(({ path }) => ours.some((one) => one.path === path))).toEqual(ours)
})
