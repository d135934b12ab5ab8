/** The clocks of the hubs: the ping, the silence after which a listener is dropped, the time for a handshake. */
import type { AddressInfo } from 'node:net'
import { hubLimits } from '@vexil/core/limits'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { openApplication } from './application.ts'
import type { Actor } from './gate.ts'
import { type Live, openLive } from './live.ts'
import { openLimiter } from './rate-limit.ts'
import { nameSessionCookie } from './session-cookie.ts'

let app: FastifyInstance
let live: Live
let actor: Actor | null
let away: boolean
beforeEach(async () => {
  ;[actor, away] = [{ id: 'anna', userName: 'anna', role: 'Monitor' }, false]
  app = await openApplication({ publicUrl: 'http://localhost', trustedProxies: [], logLevel: 'silent' })
  nameSessionCookie(app, { name: 'session', publicUrl: 'http://localhost' })
  const gate = {
    findActor: async () => {
      if (away) throw new Error('the database is away')
      return actor && { actor, renewed: false }
    },
    denied: () => undefined,
    seen: () => undefined,
    isSetUp: async () => true,
  }
  // Timers of the hubs stand still until a test moves them; sockets are real.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] })
  const http = { app, gate, limiter: openLimiter(true) }
  live = openLive({ http, gameExists: async (id) => id === 1, secret: Buffer.from('s'), now: () => 0, unlimited: true })
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(async () => {
  await live.close()
  vi.advanceTimersByTime(10_000)
  vi.useRealTimers()
  await app.close()
})

const turn = () => new Promise((done) => setImmediate(done))
/** Waits for what sockets do, which no moved clock does. */
async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 20_000 && !holds(); i++) await turn()
  expect(holds()).toBe(true)
}

async function listen(path = '/hub/user?game=1') {
  const { port } = app.server.address() as AddressInfo
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { cookie: 'session=token' } })
  const heard: string[] = []
  let open = false
  socket.on('message', (data) => heard.push(...String(data).split('\x1e').filter(Boolean)))
  socket.on('open', () => {
    open = true
  })
  socket.on('close', () => {
    open = false
  })
  socket.on('error', () => undefined)
  await until(() => open)
  return { socket, heard, isOpen: () => open }
}

async function shakeHands({ socket, heard }: Awaited<ReturnType<typeof listen>>): Promise<void> {
  socket.send('{"protocol":"json","version":1}\x1e')
  await until(() => heard.length > 0)
  expect(heard.shift()).toBe('{}')
}

const ping = '{"type":6}'
const to = { hub: '/hub/user', game: 1 } as const

test('a listener gets a ping after 15 s without a message, and none while there are messages', async () => {
  const listener = await listen()
  await shakeHands(listener)
  await until(() => live.count(to) === 1)
  vi.advanceTimersByTime(hubLimits.pingEvery)
  expect(hubLimits.pingEvery).toBe(15_000)
  live.send(to, 'VexilGame', { gameId: 1, what: 'game' })
  await until(() => listener.heard.length === 1)
  expect(listener.heard[0]).toContain('VexilGame')
  vi.advanceTimersByTime(10_000)
  listener.socket.send(`${ping}\x1e`)
  for (let i = 0; i < 50; i++) await turn()
  expect(listener.heard).toHaveLength(1)
  vi.advanceTimersByTime(10_000)
  await until(() => listener.heard.length === 2)
  expect(listener.heard[1]).toBe(ping)
})

test('a listener that is silent for 30 s is dropped; one that sends pings stays', async () => {
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

test('who makes no handshake within 15 s is dropped', async () => {
  expect(hubLimits.handshakeWithin).toBe(15_000)
  const [late, shaken] = [await listen(), await listen()]
  await shakeHands(shaken)
  vi.advanceTimersByTime(hubLimits.handshakeWithin - 1)
  for (let i = 0; i < 50; i++) await turn()
  expect(late.isOpen()).toBe(true)
  vi.advanceTimersByTime(1)
  await until(() => !late.isOpen())
  expect(shaken.isOpen()).toBe(true)
})

test('a monitor who is one no more is told not to come again; while the database is away he may come again', async () => {
  const game = { hub: '/hub/monitor', game: 1 } as const
  for (const [change, said] of [
    [{ actor: null, away: false }, '"allowReconnect":false'],
    [{ actor: { id: 'anna', userName: 'anna', role: 'User' }, away: false }, '"allowReconnect":false'],
    [{ actor: null, away: true }, '"allowReconnect":true'],
  ] as const) {
    ;[actor, away] = [{ id: 'anna', userName: 'anna', role: 'Monitor' }, false]
    const [listener, player] = [await listen('/hub/monitor?game=1'), await listen()]
    await shakeHands(listener)
    await shakeHands(player)
    await until(() => live.count(game) === 1)
    await live.recheck()
    expect(live.count(game)).toBe(1)
    ;({ actor, away } = change)
    await live.recheck()
    await until(() => !listener.isOpen())
    expect(listener.heard.join('')).toContain(said)
    expect(live.count(game)).toBe(0)
    // Everybody may listen to a game as a visitor.
    expect(player.isOpen()).toBe(true)
    player.socket.terminate()
  }
})

test('a game is listened to from the handshake on, and an unknown game by nobody', async () => {
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
