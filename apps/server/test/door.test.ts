// Alone: it counts every call that was bound in its process.
/** The gate in front of all calls: what it refuses, in which order, and that it does so before a body is read. */
import type { AddressInfo } from 'node:net'
import { endpoints } from '@vexil/contract/endpoint'
import { hubLimits, rateLimits } from '@vexil/core/limits'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { hashToken, startSession } from '../src/accounts/sessions.ts'
import { openApplication } from '../src/http/application.ts'
import { bound } from '../src/http/route.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { aGame, anAccount } from './builders/game.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { rawFrame, rawHandshake, rawRequest, rawUpgrade, sendRaw, statusIn } from './raw.ts'

let platform: TestPlatform
let port: number
let game: number
beforeAll(async () => {
  platform = await startTestPlatform({ DISABLE_RATE_LIMIT: 'false' })
  await platform.app.listen({ port: 0, host: '127.0.0.1' })
  port = (platform.app.server.address() as AddressInfo).port
  await anAccount(platform.db, { role: 'Admin' })
  game = await aGame(platform.db)
})
afterAll(() => platform.stop())

const from = (address: string) => ({ 'x-forwarded-for': address })
const cookieOf = async (account: string) => `${cookieName}=${await startSession(platform.db, account)}`
const status = async (method: 'GET' | 'POST' | 'PUT', url: string, headers: Record<string, string>) =>
  (await platform.app.inject({ method, url, headers })).statusCode
const counted = (statuses: number[]) =>
  statuses.reduce<Record<number, number>>((sum, one) => Object.assign(sum, { [one]: (sum[one] ?? 0) + 1 }), {})

// With `npm run tool -- mutants` other files bind calls in the same process.
test.skipIf(process.env.VEXIL_MUTANTS)('every route is bound by the same binder, and every described call is bound', async () => {
  expect(bound.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    endpoints.map(({ method, path }) => `${method} ${path}`).sort(),
  )
  const app = await openApplication({ publicUrl: 'http://localhost', trustedProxies: [], log: { level: 'silent' } })
  app.get('/side-door', async () => 'open')
  await expect(app.ready()).rejects.toThrow('GET /side-door is not bound by route()')
})

const announced = ['Content-Type: application/json', 'Content-Length: 20000000']

test.each<[string, string, () => Promise<string[]>, number]>([
  ['a visitor', '/api/edit/games', async () => [], 401],
  ['a signed-in user', '/api/edit/games', async () => [`Cookie: ${await cookieOf(await anAccount(platform.db))}`], 403],
  [
    'somebody banned',
    '/api/team',
    async () => [`Cookie: ${await cookieOf(await anAccount(platform.db, { role: 'Banned' }))}`],
    403,
  ],
  ['a page of another site', '/api/account/login', async () => ['Origin: https://elsewhere.example'], 403],
  ['an unknown path', '/api/nowhere', async () => [], 404],
])('%s is refused before the body is sent', async (_name, path, headers, expected) => {
  const request = rawRequest('POST', path, [...announced, ...(await headers())])
  expect(statusIn(await sendRaw(port, { pieces: [request], within: 1000 }))).toBe(expected)
})

test('429 comes before 401, and before the body', async () => {
  const address = '10.20.0.1'
  const submit = `/api/game/${game}/challenges/1`
  const size = rateLimits.submit.size
  const statuses = await Promise.all(Array.from({ length: size + 5 }, () => status('POST', submit, from(address))))
  expect(counted(statuses)).toEqual({ 401: size, 429: 5 })
  const request = rawRequest('POST', submit, [...announced, `X-Forwarded-For: ${address}`])
  expect(statusIn(await sendRaw(port, { pieces: [request], within: 1000 }))).toBe(429)
  expect(await status('POST', submit, from('10.20.0.2'))).toBe(401)
})

test('anonymous callers are counted by address, IPv6 by /64; each has a separate limit', async () => {
  const { permits, queue } = rateLimits.global
  const ask = (address: string) => status('GET', '/api/captcha', from(address))
  for (const [address, neighbour, other] of [
    ['10.21.0.1', '10.21.0.1', '10.21.0.2'],
    ['2001:db8:7:1::1', '2001:db8:7:1:ffff::2', '2001:db8:7:2::1'],
  ] as const) {
    const begun = Array.from({ length: permits + queue }, () => ask(address))
    await vi.waitFor(async () => expect(await ask(neighbour)).toBe(429), 5000)
    expect(await ask(other)).toBe(200)
    // Queued requests are not awaited here.
    expect(counted(await Promise.all(begun.slice(0, permits)))).toEqual({ 200: permits })
  }
})

test('cookies without an account are counted by address, and signed-in players behind it are not', async () => {
  const address = '10.22.0.1'
  const { permits } = rateLimits.global
  const player = await cookieOf(await anAccount(platform.db))
  const forged = (i: number) => ({ ...from(address), cookie: `${cookieName}=forged${i}` })
  const first = await Promise.all(Array.from({ length: permits }, (_, i) => status('GET', '/api/captcha', forged(i))))
  expect(counted(first)).toEqual({ 200: permits })
  const waiting = Array.from({ length: rateLimits.global.queue }, () => status('GET', '/api/captcha', from(address)))
  await vi.waitFor(async () => expect(await status('GET', '/api/captcha', forged(0))).toBe(429), 5000)
  expect(await status('GET', '/api/account/profile', { ...from(address), cookie: player })).toBe(200)
  void waiting
})

test('an account is counted at every address, and does not affect another account', async () => {
  const { permits, queue } = rateLimits.global
  const [anna, bert] = [await cookieOf(await anAccount(platform.db)), await cookieOf(await anAccount(platform.db))]
  const ask = (cookie: string, i: number) => status('GET', '/api/account/profile', { ...from(`10.23.${i % 200}.1`), cookie })
  const statuses: number[] = []
  for (let i = 0; i < permits + queue + 7; i++) void ask(anna, i).then((code) => statuses.push(code))
  // Queued requests keep waiting.
  await vi.waitFor(() => expect(counted(statuses)).toEqual({ 200: permits, 429: 7 }), 20_000)
  expect(await ask(bert, 7)).toBe(200)
})

test('2,000 players behind one address: no 429, on calls and hubs', async () => {
  const tokens = Array.from({ length: 2000 }, (_, i) => `hall-${i}`)
  await sql`
    with made as (
      insert into accounts (id, user_name, name_key, email, password_hash, active)
      select gen_random_uuid(), 'hall' || n, 'hall' || n, 'hall' || n || '@example.org', 'none', true from generate_series(0, 1999) n
      returning id, user_name
    )
    insert into sessions (token_hash, account_id, expires_at)
    select t.hash, made.id, now() + interval '7 days'
    from made join unnest(${tokens.map(hashToken)}::bytea[], ${tokens.map((_, i) => `hall${i}`)}::text[]) as t (hash, name) on t.name = made.user_name
  `.execute(platform.db)
  const address = from('10.24.0.1')
  const statuses: number[] = []
  for (let i = 0; i < tokens.length; i += 100) {
    const pending = tokens.slice(i, i + 100).flatMap((token) => {
      const headers = { ...address, cookie: `${cookieName}=${token}` }
      return [
        status('GET', '/api/account/profile', headers),
        status('POST', `/hub/user/negotiate?game=${game}&negotiateVersion=1`, headers),
        status('GET', `/api/game/${game}/notices`, headers),
      ]
    })
    statuses.push(...(await Promise.all(pending)))
  }
  expect(counted(statuses)).toEqual({ 200: 6000 })
  // More connections than visitors of one address may have.
  const some = tokens.slice(0, hubLimits.perAddress + 10)
  const sockets = some.map((token) => open(`/hub/user?game=${game}`, { ...address, cookie: `${cookieName}=${token}` }))
  expect(counted(await Promise.all(sockets.map(({ answered }) => answered)))).toEqual({ 101: some.length })
  for (const { socket } of sockets) socket.terminate()
})

function open(path: string, headers: Record<string, string>, { shake = false } = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers })
  const answered = new Promise<number>((resolve) => {
    socket.once('open', () => {
      if (shake) socket.send('{"protocol":"json","version":1}\x1e', () => resolve(101))
      else resolve(101)
    })
    socket.once('unexpected-response', (_request, answer) => resolve(answer.statusCode as number))
    socket.on('error', () => resolve(0))
  })
  return { socket, answered }
}

test('an account has a limit of connections without a handshake; another account and a visitor at the same address can still connect', async () => {
  const [anna, bert] = [await cookieOf(await anAccount(platform.db)), await cookieOf(await anAccount(platform.db))]
  const address = from('10.25.0.1')
  const path = `/hub/user?game=${game}`
  const openSockets = []
  for (let i = 0; i < hubLimits.pendingHandshakesPerAccount; i++) openSockets.push(open(path, { ...address, cookie: anna }))
  expect(counted(await Promise.all(openSockets.map(({ answered }) => answered)))).toEqual({
    101: hubLimits.pendingHandshakesPerAccount,
  })
  const enters = async (headers: Record<string, string>) => {
    const { socket, answered } = open(path, { ...address, ...headers })
    const code = await answered
    socket.terminate()
    return code
  }
  expect(await enters({ cookie: anna })).toBe(429)
  expect(await enters({ cookie: bert })).toBe(101)
  expect(await enters({})).toBe(101)
  // From a page of another site the cookie is not read, so the caller is a visitor.
  expect(await enters({ cookie: anna, origin: 'https://elsewhere.example' })).toBe(101)
  openSockets[0]?.socket.terminate()
  await vi.waitFor(async () => expect(await enters({ cookie: anna })).toBe(101), 5000)
  for (const { socket } of openSockets) socket.terminate()
})

test('a client that sends requests without reading is disconnected before much is buffered', async () => {
  const before = platform.live.count({ hub: '/hub/user', game })
  const question = rawFrame(`{"type":1,"invocationId":"${'7'.repeat(100)}","target":"x","arguments":[]}\x1e`)
  for (const flood of [question, rawFrame('p'.repeat(100), { opcode: 9 })]) {
    // In ms; the time after which the test gives up a connection that the platform does not end.
    const patience = 60_000
    const startedAt = performance.now()
    await sendRaw(port, {
      pieces: [rawUpgrade(`/hub/user?game=${game}`), rawHandshake, Buffer.concat(Array(5000).fill(flood))],
      within: patience,
    })
    expect(performance.now() - startedAt).toBeLessThan(patience)
  }
  await vi.waitFor(() => expect(platform.live.count({ hub: '/hub/user', game })).toBe(before), 5000)
})

test('staff hubs refuse pages of other sites, also at the negotiation', async () => {
  const headers = { origin: 'https://elsewhere.example', 'content-type': 'text/plain' }
  for (const hub of ['/hub/monitor', '/hub/admin', '/hub/site']) {
    expect(await open(hub, { origin: headers.origin }).answered, hub).toBe(403)
    expect(await status('POST', `${hub}/negotiate`, headers), hub).toBe(403)
  }
  expect(await status('POST', `/hub/user/negotiate?game=${game}`, headers)).toBe(200)
  expect(await status('POST', '/hub/user/negotiate', { ...headers, origin: 'null' })).toBe(200)
  expect(await open('/hub/monitor', { origin: 'null' }).answered).toBe(403)
})

test('a path parameter is digits only: anything else returns 404', async () => {
  const others = [`${game}.0`, `${game}e0`, `%20${game}`, `${game}%20`, `+${game}`, `0x${game.toString(16)}`]
  for (const id of [...others, '٣', '99999999999', ''])
    expect(await status('GET', `/api/game/${id}/notices`, from('10.26.0.1')), id).toBe(404)
  expect(await status('GET', `/api/game/${game}/notices`, from('10.26.0.1'))).toBe(200)
})
