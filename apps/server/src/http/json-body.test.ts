import { ChildProcess } from 'node:child_process'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { endpoint } from '@vexil/contract/endpoint'
import { addUsers } from '@vexil/contract/users'
import { bodyLimits } from '@vexil/core/limits'
import * as Type from 'typebox'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openApplication } from './application.ts'
import { acceptBody } from './json-body.ts'
import { compile } from './validate.ts'

const small = endpoint('POST /test/small', {
  access: 'anyone',
  summary: 'Test',
  body: Type.Object({ text: Type.Optional(Type.String({ maxLength: 300_000 })) }),
})
const hub = endpoint('POST /test/Negotiate', { access: 'anyone', summary: 'Test' })
const upload = endpoint('POST /test/upload', { access: 'anyone', summary: 'Test', upload: 'file' })
const app = await openApplication({ publicUrl: 'http://localhost', trustedProxies: [], log: { level: 'silent' } })
for (const call of [small, addUsers]) {
  const fits = compile(call.shape.body)
  app.post(call.path, { config: { endpoint: call } }, async ({ body }) => ({ got: acceptBody(call.shape.body, fits, body) }))
}
app.post(hub.path, { config: { endpoint: hub } }, async () => ({ got: 'hub' }))
app.post(upload.path, { config: { endpoint: upload } }, async ({ body }) => ({ got: body ?? 'nothing' }))
const refusals: unknown[] = []
app.addHook('onError', async (_request, _reply, error) => void refusals.push((error as { code?: string }).code))
/** Requests of the current test. */
const requests: IncomingMessage[] = []
app.addHook('onRequest', async ({ raw }) => void requests.push(raw))
// The rest of a refused body is not read.
afterEach(() => expect(requests.splice(0).map((request) => request.listenerCount('data'))).not.toContain(1))
let port = 0
beforeAll(async () => {
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as AddressInfo).port
})
afterAll(() => app.close())

const send = async (call: { path: string }, body: string | ReadableStream, headers: Record<string, string> = {}) => {
  const answer = await fetch(`http://127.0.0.1:${port}${call.path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  } as RequestInit)
  return { status: answer.status, body: await answer.json() }
}
const refused = (status: number, code: string) => ({ status, body: expect.objectContaining({ code }) })

/** Sends raw text and nothing more; resolves when the received text is `wanted`, when the server has closed, or after `within`. */
function raw(text: string, within: number, wanted?: RegExp): Promise<{ got: string; closed: boolean }> {
  return new Promise((resolve) => {
    let got = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    const timer = setTimeout(() => end(false), within)
    const end = (closed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ got, closed })
    }
    socket.on('data', (chunk) => {
      got += chunk
      if (wanted?.test(got)) end(false)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => end(true))
  })
}

describe('a small body', () => {
  const textOf = (bytes: number) => JSON.stringify({ text: 'x'.repeat(bytes - JSON.stringify({ text: '' }).length) })

  test('of 256 KB is accepted, and one byte more is refused', async () => {
    expect((await send(small, textOf(bodyLimits.small.bytes))).status).toBe(200)
    expect(await send(small, textOf(bodyLimits.small.bytes + 1))).toEqual(refused(413, 'request.too_large'))
  })

  test('without a length is counted while it arrives', async () => {
    const pieces = [textOf(bodyLimits.small.bytes).slice(0, -2), 'xx"}']
    const stream = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(Buffer.from(piece))
        controller.close()
      },
    })
    expect(await send(small, stream)).toEqual(refused(413, 'request.too_large'))
  })

  test('with too large a length is refused before its first byte', async () => {
    const head = `POST /test/small HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${bodyLimits.small.bytes + 1}\r\n\r\n`
    expect((await raw(head, 9000, /^HTTP\/1.1 413 /)).got).toMatch(/^HTTP\/1.1 413 /)
  })

  test.each([
    ['a byte order mark', '\uFEFF{"text":"a"}', { got: { text: 'a' } }],
    [
      'brackets in a text',
      `{"text":"${'['.repeat(100)}\\"${'{'.repeat(100)}"}`,
      { got: { text: `${'['.repeat(100)}"${'{'.repeat(100)}` } },
    ],
    ['a text that ends with a backslash', '{"text":"\\\\"}', { got: { text: '\\' } }],
  ])('can have %s', async (_, body, got) => {
    expect(await send(small, body)).toEqual({ status: 200, body: got })
  })

  test.each([
    ['objects', '{"a":', '1', '}'],
    ['lists', '[', '', ']'],
  ])('can nest %s to 64 levels, not 65', async (_, open, inside, close) => {
    const nested = (depth: number) => `{"other":${open.repeat(depth - 1)}${inside}${close.repeat(depth - 1)}}`
    expect((await send(small, nested(64))).status).toBe(200)
    expect(await send(small, nested(65))).toEqual(refused(400, 'request.malformed'))
  })

  test('of another type is refused, an empty or blank one counts as none', async () => {
    expect(await send(small, 'text=a', { 'content-type': 'text/plain' })).toEqual(refused(415, 'request.wrong_type'))
    expect(await send(small, ' \n')).toEqual(refused(400, 'request.invalid'))
  })
})

test.each([
  ['application/json', 200],
  ['application/json;charset=utf-8', 200],
  ['application/json ; charset=utf-8', 200],
  ['Application/JSON', 200],
  ['application/vnd.api+json', 200],
  ['application/problem+json; charset=utf-8', 200],
  ['application/jsonp', 415],
  ['x-application/json', 415],
  ['application/vnd.apijson', 415],
  ['application/+json', 415],
])('a body of type %s returns %i', async (type, status) => {
  expect((await send(small, '{"text":"a"}', { 'content-type': type })).status).toBe(status)
})

test('30 million brackets are refused after the first 65, before the rest arrives', async () => {
  const head = 'POST /api/admin/users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 30000000\r\n\r\n'
  expect((await raw(`${head}${'['.repeat(64)}`, 300)).got).toBe('')
  const { got, closed } = await raw(`${head}${'['.repeat(65)}`, 9000)
  expect(got).toMatch(/^HTTP\/1.1 400 /)
  expect(got).toContain('request.malformed')
  // A client that keeps sending is disconnected soon after.
  expect(closed).toBe(true)
})

describe('a large body', () => {
  const person = { userName: 'player', password: 'password', email: 'player@example.org', other: 'x'.repeat(2000) }
  const people = (count: number, last: object = {}) =>
    JSON.stringify(Array.from({ length: count }, (_, i) => ({ ...person, ...(i === count - 1 && last) })))

  test('is parsed and validated in another process, and arrives whole, in order and with its property names normalised', async () => {
    const rows = Array.from({ length: 1000 }, (_, i) => ({
      ...person,
      username: `user${i}`,
      userName: undefined,
      stdnumber: null,
    }))
    const body = `\uFEFF${JSON.stringify(rows)}`
    expect(body.length).toBeGreaterThan(bodyLimits.besideBytes)
    const { password, email } = person
    const expected = rows.map((_, i) => ({ userName: `user${i}`, password, email, stdNumber: null }))
    expect(await send(addUsers, body)).toEqual({ status: 200, body: { got: expected } })
  })

  test.each([
    ['a field', { phone: 'none' }, 'account.phone_invalid'],
    ['a field without a specific rule', { realName: 'x'.repeat(200) }, 'request.invalid'],
  ])('is refused for %s like a small one', async (_, wrong, code) => {
    const [near, far] = [await send(addUsers, people(2, wrong)), await send(addUsers, people(1000, wrong))]
    expect(far).toEqual(refused(400, code))
    const same = (told: string) => told.replaceAll(/"requestId":"[\w.-]+"/g, '').replaceAll('999', '1')
    expect(same(JSON.stringify(far))).toBe(same(JSON.stringify(near)))
  })

  test('is refused when it is malformed, or has too many rows or values', async () => {
    expect(await send(addUsers, people(1000).slice(0, -1))).toEqual(refused(400, 'request.malformed'))
    expect(await send(addUsers, people(1001))).toEqual(refused(400, 'request.invalid'))
    const crowd = (commas: number) => `[${'1,'.repeat(commas)}1]`
    expect(await send(addUsers, crowd(60_000))).toEqual(refused(400, 'request.invalid'))
    expect(await send(addUsers, crowd(1_000_000))).toEqual(refused(413, 'request.too_large'))
  })

  test('is refused temporarily when too many others wait', async () => {
    const body = people(1000)
    const statuses = (await Promise.all(Array.from({ length: 12 }, () => send(addUsers, body)))).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
  })
})

test('the error of a body that is not an object names the body', async () => {
  expect(await send(small, '5')).toMatchObject({ status: 400, body: { code: 'request.invalid', data: { field: 'body' } } })
})

test('a negotiation accepts a body of any kind, a similar path does not', async () => {
  const text = { 'content-type': 'text/plain' }
  for (const path of ['/test/negotiate', '/TEST/NEGOTIATE', '/test/negotiate?a=/b'])
    expect(await send({ path }, 'anything', text)).toEqual({ status: 200, body: { got: 'hub' } })
  for (const path of ['/test/small?x=/negotiate', '/test/small?/negotiate'])
    expect(await send({ path }, 'anything', text)).toEqual(refused(415, 'request.wrong_type'))
})

test('a call for files does not read JSON', async () => {
  expect(await send(upload, '{"a"')).toEqual({ status: 200, body: { got: 'nothing' } })
})

test('a client that disconnects during a body ends the request without a server error', async () => {
  refusals.length = 0
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write('POST /test/small HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"te')
  await new Promise((done) => setTimeout(done, 50))
  socket.destroy()
  await expect.poll(() => refusals).toEqual(['request.malformed'])
})

test('the process that validates large bodies ends with the platform', async () => {
  const other = await openApplication({ publicUrl: 'http://localhost', trustedProxies: [], log: { level: 'silent' } })
  const fits = compile(addUsers.shape.body)
  other.post(addUsers.path, { config: { endpoint: addUsers } }, async ({ body }) => acceptBody(addUsers.shape.body, fits, body))
  const payload = `[${' '.repeat(bodyLimits.besideBytes)}]`
  const { statusCode } = await other.inject({
    method: 'POST',
    url: addUsers.path,
    payload,
    headers: { 'content-type': 'application/json' },
  })
  expect(statusCode).toBe(200)
  const kill = vi.spyOn(ChildProcess.prototype, 'kill')
  await other.close()
  expect(kill.mock.calls).toEqual([['SIGKILL']])
  kill.mockRestore()
})

describe('an incomplete body', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())
  const semaphore = async (holds: () => boolean) => {
    for (let i = 0; i < 20_000 && !holds(); i++) await new Promise((done) => setImmediate(done))
  }
  /** The answer to a request that stops after this part of the body, when this time has passed. */
  async function answered(type: string, body: string, ms: number): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    let got = ''
    socket.on('data', (chunk) => {
      got += chunk
    })
    socket.on('error', () => undefined)
    socket.write(`POST /test/small HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 10\r\n\r\n${body}`)
    for (let i = 0; i < 500; i++) await new Promise((done) => setImmediate(done))
    vi.advanceTimersByTime(ms)
    await semaphore(() => got !== '')
    socket.destroy()
    return got
  }

  test.each([
    ['application/json', '{"text'],
    ['application/json', ''],
    ['text/plain', ''],
  ])('of type %s that starts with %j is refused at the timeout', async (type, body) => {
    const got = await answered(type, body, bodyLimits.small.ms)
    expect(got).toMatch(/^HTTP\/1.1 408 /)
    expect(got).toContain('request.too_slow')
  })

  test('leaves no timer running when it completes in time or is refused', async () => {
    for (const [body, status] of [
      ['{"text":1}', 400],
      ['{"a":  7} ', 200],
      ['{"text":"a', 400],
    ] as const) {
      expect(await answered('application/json', body, 0)).toContain(`HTTP/1.1 ${status} `)
      expect(vi.getTimerCount()).toBe(0)
    }
  })
})
