/**
 * Requests that no HTTP client sends, against a real process: it must survive, report no fault, and keep answering. VEXIL_FUZZ sets the number of the
 * random part (`npm run tool -- fuzz`: 50,000); VEXIL_SEED repeats a run.
 */
import { readFileSync } from 'node:fs'
import { hubs } from '@vexil/contract/hubs'
import { callsOf, rooms } from '@vexil/contract/interface'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Platform, startPlatform } from '../../../e2e/platform.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { type RawRequest, rawFrame, rawHandshake, rawRequest, rawUpgrade, sendRaw, statusIn } from './raw.ts'

const total = Number(process.env.VEXIL_FUZZ ?? 600)
const seed = Number(process.env.VEXIL_SEED ?? Math.floor(Math.random() * 2 ** 31))

let database: TestDatabase
let platform: Platform
let port: number
/** Connections that the wait for the start has left open. */
let own: number
beforeAll(async () => {
  database = await freshDatabase()
  platform = await startPlatform({
    env: { DATABASE_URL: database.url, LOG_LEVEL: 'error', SECRET_KEY: 'test secret key of 32 characters' },
  })
  port = Number(new URL(platform.url).port)
  own = openConnections()
})
afterAll(async () => {
  await platform.stop()
  await database.drop()
})

/** The process runs, answers, and has not reported a fault. */
async function isWell(): Promise<void> {
  expect(platform.process.exitCode).toBeNull()
  expect(statusIn(await sendRaw(port, { pieces: [rawRequest('GET', '/healthz', ['Connection: close'])], within: 60_000 }))).toBe(
    200,
  )
  expect(
    platform
      .output()
      .split('\n')
      .find((line) => line.includes('fault'))
      ?.slice(0, 1500),
  ).toBeUndefined()
}

/** Connections to the platform that its side has not closed. */
function openConnections(): number {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const lines = readFileSync(`/proc/${platform.process.pid}/net/tcp`, 'utf8').split('\n').slice(1)
  // 01: established, 08: closed only by the client.
  return lines.filter((line) => line.trim().split(/\s+/)[1]?.endsWith(end) && /^(01|08)$/.test(line.trim().split(/\s+/)[3] ?? ''))
    .length
}

// biome-ignore format: a list
const paths = [
  '//[', '/%', '/%zz', '/%00', '/%c0%af', '/..%2f..%2fetc/passwd', '/hub/user?game=%', '/hub/%75ser', `/${'a'.repeat(20_000)}`,
  'http://[', '*', '/hub/user#?game=1', '/\x80\xff', '/api/game/%E0%A4%A', '?', '',
]
const cookies = [
  'vexil_session=%',
  'vexil_session=%E0%A4%A',
  'vexil_session',
  '=',
  ';;;',
  `vexil_session=${'x'.repeat(9000)}`,
  'a=%;vexil_session="',
]

test('pipelined requests and upgrades', async () => {
  const get = rawRequest('GET', '/healthz')
  const upgrade = rawUpgrade('/hub/user?game=1')
  const lines = [
    [get + get + get],
    [get + upgrade],
    [get + get + upgrade + upgrade],
    [upgrade + get],
    [upgrade + upgrade],
    [rawRequest('GET', '/api/config') + upgrade],
    [rawRequest('POST', '/api/account/login', ['Content-Length: 2', 'Content-Type: application/json'], '{}') + upgrade],
  ]
  for (const pieces of lines)
    for (const leave of ['wait', 'end', 'reset'] as const) await sendRaw(port, { pieces, leave, within: 300 })
  await isWell()
})

test('an upgrade with an invalid cookie is anonymous', async () => {
  for (const cookie of cookies.slice(0, 5)) {
    const answer = await sendRaw(port, {
      pieces: [rawUpgrade('/hub/user?game=1', [`Cookie: ${cookie}`])],
      leave: 'answered',
      within: 60_000,
    })
    expect([cookie, statusIn(answer)]).toEqual([cookie, 101])
  }
  await isWell()
})

test.each(paths)('the path %j, requested and upgraded, is refused without harm', async (path) => {
  const requests = [[], ...cookies.map((cookie) => [`Cookie: ${cookie}`])].flatMap((headers) => [
    rawRequest('GET', path, ['Connection: close', ...headers]),
    rawUpgrade(path, headers),
  ])
  const answers = await Promise.all(requests.map((request) => sendRaw(port, { pieces: [request], within: 300 })))
  expect(answers.map(statusIn).filter((status) => status >= 500 && status !== 503)).toEqual([])
  await isWell()
})

test('an upgrade to another protocol than WebSocket, or outside the hubs, is ignored', async () => {
  const upgrades = ['h2c', 'websocket', 'TLS/1.0', 'websocket, h2c']
  for (const to of upgrades) {
    const headers = ['Connection: Upgrade, close', `Upgrade: ${to}`, 'HTTP2-Settings: AAMAAABkAAQAAP__']
    const answer = await sendRaw(port, { pieces: [rawRequest('GET', '/healthz', headers)] })
    // On a busy machine the answer may be "Unhealthy".
    expect([to, /(Healthy|Unhealthy)$/.test(answer)]).toEqual([to, true])
  }
  for (const path of ['/hub/nothing', '/hub/user/negotiate', '/hub', '/api/game']) {
    const answer = await sendRaw(port, { pieces: [rawUpgrade(path, ['Connection: close'])], within: 500 })
    expect([path, [200, 404, 405, 503].includes(statusIn(answer))]).toEqual([path, true])
  }
  await isWell()
})

test('refused upgrades whose clients reset the connection at any moment', async () => {
  const refused = [
    rawUpgrade('/hub/user?game=1&id=unknown'),
    rawUpgrade('/hub/admin', ['Origin: https://elsewhere.example']),
    rawUpgrade('/hub/nothing'),
    rawUpgrade('/hub/user?game=1').replace('Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Key: x'),
    rawUpgrade('/hub/user?game=1').replace('Version: 13', 'Version: 99'),
  ]
  for (let round = 0; round < 80; round++) {
    await Promise.all(
      refused.map((request) => sendRaw(port, { pieces: [request], leave: round % 3 ? 'reset' : 'end', within: 500 })),
    )
  }
  await isWell()
})

test('a reset at each stage: within the request line, the headers, the handshake, a frame', async () => {
  const upgrade = rawUpgrade('/hub/user?game=1')
  for (let at = 1; at < upgrade.length; at += 3) await sendRaw(port, { pieces: [upgrade.slice(0, at)], leave: 'reset' })
  for (let at = 1; at < rawHandshake.length; at += 2)
    await sendRaw(port, { pieces: [upgrade, rawHandshake.subarray(0, at)], leave: 'reset' })
  await sendRaw(port, { pieces: [upgrade + rawHandshake.toString('latin1')], leave: 'reset' })
  const post = rawRequest('POST', '/api/account/login', ['Content-Type: application/json', 'Content-Length: 40'], '{"userName":')
  for (let at = 1; at < post.length; at += 5) await sendRaw(port, { pieces: [post.slice(0, at)], leave: 'reset' })
  await isWell()
})

test('malformed HTTP messages', async () => {
  const broken = [
    'GARBAGE\r\n\r\n',
    '\r\n\r\n\r\n',
    '\0\0\0\0',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /healthz HTTP/1.0\r\n\r\n',
    'GET /healthz HTTP/1.1\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    rawRequest('FOO', '/healthz'),
    rawRequest('CONNECT', 'example.org:443'),
    rawRequest('TRACE', '/healthz'),
    rawRequest('GET', '/healthz', ['no colon']),
    rawRequest('GET', '/healthz', ['X: a\0b']),
    rawRequest('GET', '/healthz', [`X: ${'y'.repeat(100_000)}`]),
    rawRequest(
      'GET',
      '/healthz',
      Array.from({ length: 3000 }, (_, i) => `X${i}: y`),
    ),
    rawRequest('POST', '/api/account/login', ['Content-Length: -1']),
    rawRequest('POST', '/api/account/login', ['Content-Length: 99999999999999999999']),
    rawRequest('POST', '/api/account/login', ['Content-Length: 3', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
    rawRequest(
      'POST',
      '/api/account/login',
      ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
      'zz\r\n{}\r\n0\r\n\r\n',
    ),
    rawRequest(
      'POST',
      '/api/account/login',
      ['Content-Type: application/json', 'Expect: 100-continue', 'Content-Length: 2'],
      '{}',
    ),
    rawRequest('POST', '/api/account/login', ['Content-Type: application/json; charset=\xff', 'Content-Length: 2'], '{}'),
    rawRequest('POST', '/hub/user/negotiate', ['Content-Type: text/plain', 'Content-Length: 300000'], 'x'.repeat(300_000)),
  ]
  for (const message of broken)
    for (const leave of ['wait', 'end', 'reset'] as const)
      expect(statusIn(await sendRaw(port, { pieces: [message], leave, within: 300 })), message.slice(0, 80)).not.toBe(500)
  await isWell()
})

/** In ms; the time after which the test gives up a connection that the platform does not end. */
const patience = 60_000
const handshakeDone = [rawUpgrade('/hub/user?game=1'), rawHandshake]

test.each<[string, (string | Buffer)[]]>([
  ['frames of another protocol', [Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff])]],
  ['an unmasked frame', [Buffer.from([0x81, 0x02, 0x7b, 0x7d])]],
  ['a frame longer than the maximum message', [Buffer.from([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])]],
  ['a fragment without a beginning', [rawFrame('{}', { opcode: 0 })]],
  ['text that is not UTF-8', [Buffer.concat([rawFrame('xx').subarray(0, 6), Buffer.from([0xc3, 0x28])])]],
  ['a message that is not JSON', [rawFrame('{{{\x1e')]],
  ['an id longer than the maximum', [rawFrame(`{"type":1,"invocationId":"${'7'.repeat(2000)}"}\x1e`)]],
  ['a message without an end', Array.from({ length: 40 }, () => rawFrame('x'.repeat(1000)))],
  ['frames without an end', Array.from({ length: 2000 }, () => rawFrame('', { fin: false, opcode: 0 }))],
])('%s end only the connection', async (_name, frames) => {
  const startedAt = performance.now()
  await sendRaw(port, { pieces: [...handshakeDone, ...frames], within: patience })
  expect(performance.now() - startedAt).toBeLessThan(patience)
  await isWell()
})

/** Bytes of requests to all calls, with some of them changed, and clients that leave in any way at any moment. */
const calls = Object.keys(rooms).flatMap(callsOf)
const bytesOf = fc
  .tuple(fc.constantFrom(...calls), fc.constantFrom(...cookies), fc.constantFrom(...hubs), fc.nat(3))
  .map(([{ method, path }, cookie, hub, kind]) => {
    const address = path.replace(/:\w+/g, '1').replace('*', 'x')
    if (kind === 0) return rawUpgrade(`${hub.path}?game=1`, [`Cookie: ${cookie}`]) + rawHandshake.toString('latin1')
    if (kind === 1) return rawUpgrade(address)
    const body = '{"a":[1,2,{"b":"c"}]}'
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`, `Cookie: ${cookie}`]
    return kind === 2 && method !== 'GET'
      ? rawRequest(method, address, headers, body)
      : rawRequest(method, address, [`Cookie: ${cookie}`])
  })
const changed = fc
  .tuple(
    bytesOf,
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(2)), { maxLength: 6 }),
    fc.nat(),
    fc.boolean(),
  )
  .map(([text, changes, end, cut]) => {
    const bytes = [...Buffer.from(text, 'latin1')]
    for (const [place, byte, kind] of changes) {
      const at = place % bytes.length
      if (kind === 0) bytes[at] = byte
      else if (kind === 1) bytes.splice(at, 0, byte)
      else bytes.splice(at, 1)
    }
    return Buffer.from(cut ? bytes.slice(0, 1 + (end % bytes.length)) : bytes)
  })
const hostileRequest: fc.Arbitrary<RawRequest> = fc.record({
  pieces: fc.array(changed, { minLength: 1, maxLength: 3 }),
  leave: fc.constantFrom('wait', 'end', 'end', 'reset', 'reset'),
  within: fc.constant(100),
})

test(`${total} random connections cause no server error`, { timeout: 60_000 + total * 60 }, async () => {
  const requests = fc.sample(hostileRequest, { numRuns: total, seed }).values()
  const faults: string[] = []
  const worker = async () => {
    for (const request of requests) {
      const answer = await sendRaw(port, request)
      if (/HTTP\/1\.1 5(?!03)/.test(answer))
        faults.push(`${JSON.stringify(request.pieces.map(String))} -> ${answer.slice(0, 200)}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  expect(faults, `seed ${seed}`).toEqual([])
  await isWell()
})

test('no connection is left open', async () => {
  await vi.waitFor(() => expect(openConnections()).toBeLessThanOrEqual(own), { timeout: 20_000 })
})
