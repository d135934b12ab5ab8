/** Timers of the hubs: the ping, the time after which a silent listener is dropped, the time for a handshake. */
import { type AddressInfo, connect as connectRaw, type Socket } from 'node:net'
import { proxyInstance } from '@vexil/contract/instances'
import { hubLimits } from '@vexil/core/limits'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { rawFrame, rawUpgrade } from '../../test/raw.ts'
import { counts } from '../metrics/counts.ts'
import { openApplication } from './application.ts'
import { type ConnectionSlot, type ConnectionSlots, openConnectionSlots } from './connection-slots.ts'
import type { SignedInAccount } from './gate.ts'
import { type Live, openLive } from './live.ts'
import { openLimiter } from './rate-limit.ts'
import { socketRoute } from './route.ts'
import { nameSessionCookie } from './session-cookie.ts'
import { openUploadSlots } from './upload-watch.ts'

const pauses = vi.hoisted(() => vi.fn())
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>()
  return { ...real, setTimeout: (ms: number) => real.setTimeout(ms, pauses(ms)) }
})

let app: FastifyInstance
let live: Live
let actor: SignedInAccount | null
let away: boolean
let slots: ConnectionSlots
const faults: unknown[] = []
beforeEach(async () => {
  ;[actor, away] = [{ id: 'anna', userName: 'anna', role: 'Monitor' }, false]
  faults.length = 0
  const counted = openConnectionSlots()
  slots = { take: (caller) => counted.take(caller) }
  app = await openApplication({ publicUrl: 'http://localhost', trustedProxies: [], log: { level: 'silent' } })
  nameSessionCookie(app, { name: 'session', publicUrl: 'http://localhost' })
  const gate = {
    findActor: async () => {
      if (away) throw new Error('the database is unreachable')
      return actor && { actor, isOld: false }
    },
    renew: async () => undefined,
    sessionOf: (token: string) => token,
    knownActor: () => null,
    denied: () => undefined,
    seen: () => undefined,
    catchUp: () => null,
    isSetUp: async () => true,
  }
  // The hubs use fake timers, which the tests move; sockets are real.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] })
  const http = { app, gate, limiter: openLimiter(true), uploads: openUploadSlots() }
  live = openLive({
    http,
    gameExists: async (id) => [1, 3, 120].includes(id),
    secret: Buffer.from('s'),
    now: () => 0,
    slots,
    unlimited: false,
  })
  const echo = (socket: WebSocket) => socket.on('message', (data) => socket.send(String(data)))
  socketRoute(http, proxyInstance, { mayOpen: async () => undefined, opened: echo })
  app.log.error = (fault: unknown) => void faults.push(fault)
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(async () => {
  await live.close()
  vi.advanceTimersByTime(10_000)
  vi.useRealTimers()
  await app.close()
})

const turn = () => new Promise((done) => setImmediate(done))
/** Waits for events of sockets, which do not depend on the fake clock. */
async function until(holds: () => boolean): Promise<void> {
  // `Date` is real. The limit is nearly the timeout of a test, for busy machines.
  for (const end = Date.now() + 100_000; Date.now() < end && !holds(); ) await turn()
  expect(holds()).toBe(true)
}

function connect(path: string, headers: Record<string, string> = {}) {
  const { port } = app.server.address() as AddressInfo
  return new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { cookie: 'session=token', ...headers } })
}

async function listen(path = '/hub/user?game=1', headers: Record<string, string> = {}) {
  const socket = connect(path, headers)
  const received: string[] = []
  let [open, code] = [false, 0]
  socket.on('message', (data) => received.push(...String(data).split('\x1e').filter(Boolean)))
  socket.on('open', () => {
    open = true
  })
  socket.on('close', (closeCode) => {
    ;[open, code] = [false, closeCode]
  })
  socket.on('error', () => undefined)
  await until(() => open)
  return { socket, received, isOpen: () => open, code: () => code }
}

/** The status with which an upgrade is refused. */
async function refusal(path: string, headers: Record<string, string> = {}) {
  const socket = connect(path, headers)
  let refused: { status: number | undefined; wait: string | undefined } | undefined
  socket.on('error', () => undefined)
  socket.on('unexpected-response', (_request, { statusCode, headers }) => {
    refused = { status: statusCode, wait: headers['retry-after'] }
    socket.terminate()
  })
  await until(() => refused !== undefined)
  return refused
}

const negotiate = async (path: string, query = '') => {
  const answer = await app.inject({ method: 'POST', url: `${path}/negotiate${query}` })
  return { status: answer.statusCode, body: answer.json() }
}

async function shakeHands({ socket, received }: Awaited<ReturnType<typeof listen>>): Promise<void> {
  socket.send('{"protocol":"json","version":1}\x1e')
  await until(() => received.length > 0)
  expect(received.shift()).toBe('{}')
}

test('a connection that ends while another process is asked for its slot releases that slot', async () => {
  const { promise, resolve } = Promise.withResolvers<ConnectionSlot>()
  const take = vi.fn(() => promise)
  Object.assign(slots, { take })
  const ended = vi.fn()
  app.server.once('connection', (socket) => socket.once('close', ended))
  // Connections from this machine take no slot.
  connect('/hub/user?game=1', { 'x-forwarded-for': '198.51.100.7' }).on('error', () => undefined)
  await until(() => take.mock.calls.length === 1)
  vi.advanceTimersByTime(hubLimits.handshakeWithin)
  await until(() => ended.mock.calls.length === 1)
  const leave = vi.fn()
  resolve({ handshakeDone: () => undefined, leave })
  await until(() => leave.mock.calls.length === 1)
})

const ping = '{"type":6}'
const to = { hub: '/hub/user', game: 1 } as const

test('a listener gets a ping after 15 s without a message, and none while messages arrive', async () => {
  const listener = await listen()
  await shakeHands(listener)
  await until(() => live.count(to) === 1)
  vi.advanceTimersByTime(hubLimits.pingEvery)
  expect(hubLimits.pingEvery).toBe(15_000)
  live.send(to, 'VexilGame', { gameId: 1, what: 'game' })
  await until(() => listener.received.length === 1)
  expect(listener.received[0]).toContain('VexilGame')
  vi.advanceTimersByTime(10_000)
  listener.socket.send(`${ping}\x1e`)
  for (let i = 0; i < 50; i++) await turn()
  // Connections are checked every 5 s.
  vi.advanceTimersByTime(9_999)
  for (let i = 0; i < 50; i++) await turn()
  expect(listener.received).toHaveLength(1)
  vi.advanceTimersByTime(1)
  await until(() => listener.received.length === 2)
  expect(listener.received[1]).toBe(ping)
})

test('a listener that is silent for 30 s is disconnected; one that sends pings stays', async () => {
  expect(hubLimits.silentFor).toBe(30_000)
  const [silent, lively] = [await listen(), await listen()]
  await shakeHands(silent)
  await shakeHands(lively)
  await until(() => live.count(to) === 2)
  for (let passed = 0; passed < 40_000; passed += 10_000) {
    vi.advanceTimersByTime(10_000)
    lively.socket.send(`${ping}\x1e`)
    for (let i = 0; i < 50; i++) await turn()
    if (passed < 20_000) expect(silent.isOpen(), `after ${passed} ms`).toBe(true)
  }
  await until(() => !silent.isOpen())
  expect(lively.isOpen()).toBe(true)
  expect(live.count(to)).toBe(1)
})

test('a tunnel, which has no handshake, stays open', async () => {
  const tunnel = await listen(`/api/proxy/${crypto.randomUUID()}`)
  vi.advanceTimersByTime(hubLimits.handshakeWithin)
  tunnel.socket.send('x')
  await until(() => tunnel.received.length === 1)
  expect(tunnel.isOpen()).toBe(true)
  tunnel.socket.terminate()
})

test('a client without a handshake within 15 s is disconnected', async () => {
  expect(hubLimits.handshakeWithin).toBe(15_000)
  const [late, ready] = [await listen(), await listen()]
  await shakeHands(ready)
  vi.advanceTimersByTime(hubLimits.handshakeWithin - 1)
  for (let i = 0; i < 50; i++) await turn()
  expect(late.isOpen()).toBe(true)
  vi.advanceTimersByTime(1)
  await until(() => !late.isOpen())
  expect(ready.isOpen()).toBe(true)
})

/** Writes raw client frames to the socket of the WebSocket client. */
const writeRaw = ({ socket }: { socket: WebSocket }, ...frames: Buffer[]) =>
  (socket as unknown as { _socket: Socket })._socket.write(Buffer.concat(frames))
const fragment = (text: string, opcode = 0) => rawFrame(text, { opcode, fin: false })

test('fragments and frames of a message end the connection at 32 KB, before the message is complete', async () => {
  expect(hubLimits.messageBytes).toBe(32_768)
  const listeners = {
    ...{ fragments: await listen(), oneFrame: await listen(), records: await listen() },
    ...{ byteMore: await listen(), honest: await listen() },
  }
  for (const listener of Object.values(listeners)) await shakeHands(listener)
  const part = 'x'.repeat(8000)
  writeRaw(listeners.fragments, fragment(part, 1), fragment(part), fragment(part), fragment(part))
  const oneFrame = rawFrame(part)
  // Its header announces a megabyte.
  oneFrame.set([0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0], 0)
  writeRaw(listeners.oneFrame, oneFrame, Buffer.from(part.repeat(3)))
  writeRaw(listeners.records, ...Array.from({ length: 4 }, () => rawFrame(part)))
  for (let i = 0; i < 200; i++) await turn()
  for (const [name, listener] of Object.entries(listeners)) expect(listener.isOpen(), name).toBe(true)
  writeRaw(listeners.fragments, fragment(part))
  writeRaw(listeners.oneFrame, Buffer.from(part))
  writeRaw(listeners.records, rawFrame(part))
  for (const { isOpen } of [listeners.fragments, listeners.oneFrame, listeners.records]) await until(() => !isOpen())
  // A message of the maximum size is accepted, fragmented or not.
  const whole = `${ping}\x1e${' '.repeat(hubLimits.messageBytes - 2 * ping.length - 2)}${ping}\x1e`
  expect(Buffer.byteLength(whole)).toBe(hubLimits.messageBytes)
  writeRaw(listeners.byteMore, rawFrame(whole.replace(' ', '  ')))
  await until(() => !listeners.byteMore.isOpen())
  writeRaw(listeners.honest, rawFrame(whole), fragment(whole.slice(0, 12), 1), rawFrame(whole.slice(12), { opcode: 0 }))
  for (let i = 0; i < 200; i++) await turn()
  expect(listeners.honest.isOpen()).toBe(true)
})

test.each([
  ['a fragment', () => fragment('{', 1)],
  ['the head of a frame', () => Buffer.from([0x81])],
  ['a frame without the end of its message', () => rawFrame('{')],
])('%s that is not continued ends the connection after 10 s, and other data does not extend that', async (_what, begun) => {
  expect(hubLimits.messageWithin).toBe(10_000)
  const [slow, honest] = [await listen(), await listen()]
  for (const listener of [slow, honest]) await shakeHands(listener)
  const pongs: unknown[] = []
  slow.socket.on('pong', () => pongs.push(1))
  const unfinished = begun()
  writeRaw(slow, unfinished)
  writeRaw(honest, fragment(ping, 1))
  for (let i = 0; i < 50; i++) await turn()
  vi.advanceTimersByTime(9000)
  writeRaw(honest, rawFrame('\x1e', { opcode: 0 }))
  // No other frame can be sent within an unfinished one.
  if (unfinished.length > 1) {
    slow.socket.ping()
    await until(() => pongs.length === 1)
  }
  for (let i = 0; i < 50; i++) await turn()
  expect(slow.isOpen()).toBe(true)
  // Connections are checked every 5 s.
  vi.advanceTimersByTime(6001)
  await until(() => !slow.isOpen())
  expect(honest.isOpen()).toBe(true)
})

test('a monitor who loses the role is closed without reconnection; while the database is unavailable, with reconnection', async () => {
  const game = { hub: '/hub/monitor', game: 1 } as const
  for (const [change, message] of [
    [{ actor: null, away: false }, '"allowReconnect":false'],
    [{ actor: { id: 'anna', userName: 'anna', role: 'User' }, away: false }, '"allowReconnect":false'],
    [{ actor: null, away: true }, '"allowReconnect":true'],
  ] as const) {
    ;[actor, away] = [{ id: 'anna', userName: 'anna', role: 'Monitor' }, false]
    const [listener, player] = [await listen('/hub/monitor?game=1'), await listen()]
    // The right of one without a handshake is checked at its handshake.
    const early = await listen('/hub/monitor?game=1')
    await shakeHands(listener)
    await shakeHands(player)
    await until(() => live.count(game) === 1)
    await live.recheck()
    expect(live.count(game)).toBe(1)
    ;({ actor, away } = change)
    await live.recheck()
    // From now on the listener receives nothing, although the connection is still closing.
    expect(live.count(game)).toBe(0)
    await until(() => !listener.isOpen())
    expect(listener.received.join('')).toContain(message)
    expect(live.count(game)).toBe(0)
    // Anyone may listen to a game as a visitor, but the caller cannot be identified while the database is unreachable.
    if (away) await until(() => !player.isOpen())
    expect(player.isOpen()).toBe(!away)
    expect([early.isOpen(), early.received]).toEqual([true, []])
    for (const { socket } of [player, early]) socket.terminate()
  }
})

test('a monitor whose role cannot be read at the handshake is disconnected', async () => {
  const listener = await listen('/hub/monitor?game=1')
  away = true
  await shakeHands(listener)
  await until(() => !listener.isOpen())
  expect(live.count({ hub: '/hub/monitor', game: 1 })).toBe(0)
})

test('a banned or deleted user stays on public hubs as a visitor; messages for the account reach only its remaining sessions', async () => {
  const own = { ...to, only: new Set(['anna']) }
  for (const lost of [{ id: 'anna', userName: 'anna', role: 'Banned' } as const, null]) {
    actor = { id: 'anna', userName: 'anna', role: 'User' }
    const [player, early] = [await listen(), await listen()]
    await shakeHands(player)
    live.send(own, 'VexilGame', { gameId: 1, what: 'game' })
    await until(() => player.received.length === 1)
    // The session still belongs to the same account.
    await live.recheck()
    live.send(own, 'VexilGame', { gameId: 1, what: 'notices' })
    await until(() => player.received.length === 2)
    actor = lost
    await live.recheck()
    // The same applies to a listener whose handshake comes later.
    await shakeHands(early)
    // And to one that connects later.
    const late = await listen()
    await shakeHands(late)
    await until(() => live.count(to) === 3)
    live.send(own, 'VexilGame', { gameId: 1, what: 'challenges' })
    live.send(to, 'VexilGame', { gameId: 1, what: 'notices' })
    await until(() => player.received.length === 3 && early.received.length === 1 && late.received.length === 1)
    for (const { received, isOpen } of [player, early, late]) {
      expect(received.at(-1)).toContain('"notices"')
      expect(isOpen()).toBe(true)
    }
    for (const { socket } of [player, early, late]) socket.terminate()
    await until(() => live.count(to) === 0)
  }
})

test('a client with a slot that never completes the upgrade releases it', async () => {
  const address = '198.51.100.7'
  const { port } = app.server.address() as AddressInfo
  // The version is checked last.
  const broken = rawUpgrade('/hub/user?game=1', ['Cookie: session=token', `X-Forwarded-For: ${address}`]).replace(
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Version: 12',
  )
  const leave = vi.fn()
  const counted = openConnectionSlots()
  slots.take = (caller) => {
    const slot = counted.take(caller)
    return slot && { ...slot, leave: () => void [slot.leave(), leave()] }
  }
  for (let i = 1; i <= 3 * hubLimits.pendingHandshakesPerAccount; i++) {
    let answer = ''
    const socket = connectRaw(port, '127.0.0.1').on('data', (data: Buffer) => (answer += data))
    socket.write(broken)
    await until(() => answer !== '')
    expect(answer).toMatch(/^HTTP\/1.1 4(00|26) /)
    await until(() => leave.mock.calls.length === i)
    socket.destroy()
  }
})

test('a client that violates the WebSocket protocol is disconnected, whether it answers the close or not', async () => {
  const { port } = app.server.address() as AddressInfo
  let [answer, closed] = ['', false]
  const socket = connectRaw(port, '127.0.0.1')
    .on('data', (data: Buffer) => (answer += data.toString('latin1')))
    .on('close', () => (closed = true))
    .on('error', () => undefined)
  socket.write(rawUpgrade('/hub/user?game=1'))
  await until(() => answer.includes('101 Switching'))
  // A frame of a kind that does not exist.
  socket.write(rawFrame('x', { opcode: 3 }))
  await until(() => closed)
  expect(faults).toEqual([])
})

test('a listener receives messages from the handshake on, and an unknown game has no listeners', async () => {
  const [early, unknown, monitor] = [await listen(), await listen('/hub/user?game=2'), await listen('/hub/monitor?game=1')]
  expect(live.gamesOf('/hub/user')).toEqual([])
  await shakeHands(unknown)
  await until(() => !unknown.isOpen())
  expect(live.gamesOf('/hub/user')).toEqual([])
  await shakeHands(monitor)
  await until(() => live.gamesOf('/hub/monitor').length === 1)
  expect(live.gamesOf('/hub/user')).toEqual([])
  await shakeHands(early)
  await until(() => live.gamesOf('/hub/user').length === 1)
  early.socket.terminate()
  await until(() => live.gamesOf('/hub/user').length === 0)
})

test('a negotiation returns a connection id and a token; in version 0 the token is the id', async () => {
  const availableTransports = [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }]
  const { status, body } = await negotiate('/hub/user', '?game=1&negotiateVersion=1')
  expect([status, body]).toEqual([
    200,
    {
      negotiateVersion: 1,
      connectionId: expect.stringMatching(/^[\w-]{22}$/),
      connectionToken: expect.any(String),
      availableTransports,
    },
  ])
  expect(body.connectionToken.startsWith(`${body.connectionId}.`)).toBe(true)
  const old = (await negotiate('/hub/user', '?game=1')).body
  expect(old).toEqual({ negotiateVersion: 0, connectionId: expect.stringContaining('.'), availableTransports })
  for (const [name, token] of [
    ['id', body.connectionToken],
    ['ID', old.connectionId],
  ])
    expect((await listen(`/hub/user?GAME=1&${name}=${token}`)).isOpen()).toBe(true)
})

test('a token opens only its own hub and game; one without a game opens a hub without games', async () => {
  const token = (await negotiate('/hub/user', '?game=1&negotiateVersion=1')).body.connectionToken
  const timers = vi.getTimerCount()
  for (const path of ['/hub/user?game=3', '/hub/user?', '/hub/monitor?game=1', '/hub/admin?'])
    expect((await refusal(`${path}&id=${token}`))?.status, path).toBe(404)
  expect((await refusal('/hub/user?game=1&id=made-up'))?.status).toBe(404)
  // That of the handshake ends with a refused connection.
  await until(() => vi.getTimerCount() === timers)
  const site = (await negotiate('/hub/site', '?negotiateVersion=1')).body.connectionToken
  expect((await listen(`/hub/site?id=${site}`)).isOpen()).toBe(true)
})

test('a hub without games ignores the number of a game', async () => {
  actor = { id: 'boss', userName: 'boss', role: 'Admin' }
  await shakeHands(await listen('/hub/admin?game=1'))
  await until(() => live.count({ hub: '/hub/admin' }) === 1)
})

test('an account has a limit of connections without a handshake; the next is refused for ten seconds, and a closed one makes room', async () => {
  // A client behind the proxy, so the connection is not from this machine.
  const proxied = { 'x-forwarded-for': '198.51.100.7' }
  const open: Awaited<ReturnType<typeof listen>>[] = []
  for (let i = 0; i < hubLimits.pendingHandshakesPerAccount; i++) open.push(await listen('/hub/user?game=1', proxied))
  expect(await refusal('/hub/user?game=1', proxied)).toEqual({ status: 429, wait: '10' })
  await listen('/hub/user?game=1')
  open[0]?.socket.terminate()
  await until(() => !open[0]?.isOpen())
  for (let i = 0; i < 200; i++) await turn()
  await listen('/hub/user?game=1', proxied)
  expect((await refusal('/hub/user?game=1', proxied))?.status).toBe(429)
  await shakeHands(open[1] as (typeof open)[0])
  await listen('/hub/user?game=1', proxied)
  expect((await refusal('/hub/user?game=1', proxied))?.status).toBe(429)
})

test.each(['x', '1x', '-1', '', '1.0', '1234567890'])('a game number is digits only: %s is invalid', async (game) => {
  const listener = await listen(`/hub/user?game=${game}`)
  await shakeHands(listener)
  await until(() => !listener.isOpen())
  expect(listener.received).toEqual(['{"type":7,"error":"Connection refused.","allowReconnect":false}'])
  expect(listener.code()).toBe(1000)
})

test('a message reaches only the listeners of its hub and game, complete and in order', async () => {
  const listeners = {
    first: await listen(),
    second: await listen(),
    other: await listen('/hub/user?game=3'),
    monitor: await listen('/hub/monitor?game=1'),
    site: await listen('/hub/site'),
  }
  for (const listener of Object.values(listeners)) await shakeHands(listener)
  await until(() => live.count(to) === 2 && live.count({ hub: '/hub/site' }) === 1 && live.gamesOf('/hub/user').length === 2)
  expect(live.gamesOf('/hub/user').sort()).toEqual([1, 3])
  expect(live.gamesOf('/hub/monitor')).toEqual([1])
  for (const what of ['game', 'notices'] as const) live.send(to, 'VexilGame', { gameId: 1, what })
  live.send({ hub: '/hub/site' }, 'VexilSettings', { at: 7 })
  live.send({ hub: '/hub/user', game: 9 }, 'VexilGame', { gameId: 9, what: 'game' })
  await until(
    () => listeners.first.received.length === 2 && listeners.second.received.length === 2 && listeners.site.received.length === 1,
  )
  const messageOf = (what: string) => `{"type":1,"target":"VexilGame","arguments":[{"gameId":1,"what":"${what}"}]}`
  expect(listeners.first.received).toEqual([messageOf('game'), messageOf('notices')])
  expect(listeners.second.received).toEqual(listeners.first.received)
  expect(listeners.site.received).toEqual(['{"type":1,"target":"VexilSettings","arguments":[{"at":7}]}'])
  expect([listeners.other.received, listeners.monitor.received]).toEqual([[], []])
})

test('listeners in more than one batch receive every message, in order', async () => {
  const many: Awaited<ReturnType<typeof listen>>[] = []
  // Fewer at a time than the system queues for a listening socket.
  for (let batch = 0; batch < 11; batch++)
    many.push(...(await Promise.all(Array.from({ length: 91 }, () => listen('/hub/user?game=120')))))
  for (const { socket } of many) socket.send('{"protocol":"json","version":1}\x1e')
  const all = { hub: '/hub/user', game: 120 } as const
  await until(() => live.count(all) === 1001 && many.every(({ received }) => received.length === 1))
  for (const what of ['game', 'notices'] as const) live.send(all, 'VexilGame', { gameId: 120, what })
  await until(() => many.every(({ received }) => received.length === 3))
  expect(many.filter(({ received }) => !received[1]?.includes('"game"') || !received[2]?.includes('"notices"'))).toEqual([])
  live.send(all, 'VexilGame', { gameId: 120, what: 'challenges' })
  await until(() => many.every(({ received }) => received[3]?.includes('"challenges"')))
  for (const { socket } of many) socket.terminate()
  await until(() => live.count(all) === 0)
})

test('the path of a hub without an upgrade returns 404', async () => {
  const answer = await app.inject({ url: '/hub/user?game=1' })
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'request.not_found'])
})

test('another protocol gets an error, and the connection ends', async () => {
  const listener = await listen()
  listener.socket.send('{"protocol":"messagepack","version":1}\x1e')
  await until(() => !listener.isOpen())
  expect(listener.received).toEqual(['{"error":"Only the JSON protocol is supported."}'])
  expect(live.count(to)).toBe(0)
})

test('a call returns "no such method"; malformed messages and too many frames end the connection, without a server error', async () => {
  const [caller, broken, eager] = [await listen(), await listen(), await listen()]
  for (const listener of [caller, broken, eager]) await shakeHands(listener)
  caller.socket.send('{"type":1,"invocationId":"7","target":"x"}\x1e')
  await until(() => caller.received.length === 1)
  expect(JSON.parse(caller.received[0] as string)).toMatchObject({ type: 3, invocationId: '7' })
  // The longest message is complete one byte later.
  const call = '{"type":1,"invocationId":"8"}'
  const longest = rawFrame(`${call.padEnd(hubLimits.messageBytes - 1)}\x1e`)
  writeRaw(caller, longest.subarray(0, -1))
  for (let i = 0; i < 50; i++) await turn()
  writeRaw(caller, longest.subarray(-1))
  await until(() => caller.received.length === 2)
  caller.socket.send('{"type":1,"target":"x"}\x1e')
  broken.socket.send('no message\x1e')
  await until(() => !broken.isOpen())
  for (let i = 0; i < hubLimits.framesMost; i++) eager.socket.ping()
  await until(() => !eager.isOpen())
  expect([caller.isOpen(), caller.received.length]).toEqual([true, 2])
  expect(faults).toEqual([])
})

test('a WebSocket ping is answered with the same payload and keeps the connection alive', async () => {
  const listener = await listen()
  await shakeHands(listener)
  const pongs: string[] = []
  listener.socket.on('pong', (data) => pongs.push(String(data)))
  for (let i = 0; i < 5; i++) {
    vi.advanceTimersByTime(10_000)
    listener.socket.ping(`n${i}`)
    await until(() => pongs.length === i + 1)
  }
  expect(pongs).toEqual(['n0', 'n1', 'n2', 'n3', 'n4'])
  expect(listener.isOpen()).toBe(true)
})

test('a listener that does not read is disconnected before the next message, and others receive it', async () => {
  const [lazy, reader] = [await listen(), await listen()]
  for (const listener of [lazy, reader]) await shakeHands(listener)
  await until(() => live.count(to) === 2)
  lazy.socket.pause()
  const dropped = counts.slowReaders
  expect(Object.fromEntries(live.listeners())).toMatchObject({ '/hub/user': 2, '/hub/admin': 0 })
  const large = 'x'.repeat(16_000_000)
  live.send(to, 'ReceivedGameNotice', { id: 1, type: 'Normal', time: 0, values: [large] } as never)
  await until(() => reader.received.length === 1)
  expect(live.count(to)).toBe(2)
  for (const what of ['game', 'notices'] as const) live.send(to, 'VexilGame', { gameId: 1, what })
  await until(() => live.count(to) === 1 && reader.received.length === 3)
  expect(counts.slowReaders).toBe(dropped + 1)
})

test('a node that stops lets all clients reconnect at once, also those without a handshake, and sends nothing more', async () => {
  const [listener, early] = [await listen(), await listen()]
  await shakeHands(listener)
  await until(() => live.count(to) === 1)
  await live.close()
  live.send(to, 'VexilGame', { gameId: 1, what: 'game' })
  await until(() => !listener.isOpen() && !early.isOpen())
  for (const one of [listener, early]) expect([one.received, one.code()]).toEqual([['{"type":7,"allowReconnect":true}'], 1001])
  // Those that would end clients that do not close.
  vi.advanceTimersByTime(2000)
  expect(vi.getTimerCount()).toBe(0)
})

test('a node that drains closes its listeners in equal parts, and the others still receive messages', async () => {
  const all = [await listen(), await listen(), await listen(), await listen()]
  for (const listener of all) await shakeHands(listener)
  await until(() => live.count(to) === 4)
  const drained = live.drain(200)
  expect([live.count(to), live.listeners().get('/hub/user')]).toEqual([2, 2])
  live.send(to, 'VexilGame', { gameId: 1, what: 'game' })
  await until(() => all.filter((one) => !one.isOpen()).length === 2)
  await vi.advanceTimersByTimeAsync(100)
  await until(() => live.count(to) === 0)
  await vi.advanceTimersByTimeAsync(100)
  await drained
  await until(() => all.every((one) => !one.isOpen()))
  const close = '{"type":7,"allowReconnect":true}'
  const received = all.map((one) => one.received.map((text) => (text === close ? 'close' : 'game')).join(' '))
  expect(received).toEqual(['close', 'close', 'game close', 'game close'])
  expect(all.map((one) => one.code())).toEqual([1001, 1001, 1001, 1001])
})

test('a listener that connects during the drain stays', async () => {
  const old = [await listen(), await listen()]
  const drained = live.drain(200)
  const late = await listen()
  await vi.advanceTimersByTimeAsync(100)
  await vi.advanceTimersByTimeAsync(100)
  await drained
  await until(() => old.every((one) => !one.isOpen()))
  expect([late.isOpen(), live.listeners().get('/hub/user')]).toEqual([true, 1])
})

test('listeners that leave during the drain are not counted: it ends with the last one', async () => {
  const all = [await listen(), await listen(), await listen()]
  pauses.mockClear()
  const drained = live.drain(60_000)
  for (const { socket } of all) socket.terminate()
  await drained
  expect(pauses.mock.calls).toEqual([[100]])
  expect(live.listeners().get('/hub/user')).toBe(0)
})

test('a node that does not wait for its listeners leaves them to the close', async () => {
  const listener = await listen()
  await shakeHands(listener)
  await until(() => live.count(to) === 1)
  await live.drain(0)
  expect(live.count(to)).toBe(1)
})

test('a refused client that does not close is disconnected after two seconds', async () => {
  const monitor = await listen('/hub/monitor?game=1')
  await shakeHands(monitor)
  await until(() => live.count({ hub: '/hub/monitor', game: 1 }) === 1)
  actor = null
  monitor.socket.pause()
  await live.recheck()
  vi.advanceTimersByTime(1999)
  for (let i = 0; i < 50; i++) await turn()
  const connections = () => new Promise<number>((done) => app.server.getConnections((_error, count) => done(count)))
  expect(await connections()).toBe(1)
  vi.advanceTimersByTime(1)
  for (let i = 0; i < 200; i++) await turn()
  expect(await connections()).toBe(0)
  monitor.socket.terminate()
})
