import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { endpoint } from '@vexil/contract/endpoint'
import { bodyLimits, uploadLimits } from '@vexil/core/limits'
import * as Type from 'typebox'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openApplication } from './application.ts'
import { connectionTimes } from './slow-clients.ts'

const shape = { access: 'anyone', summary: 'Test', body: Type.Object({}) } as const
const small = endpoint('POST /slow/small', shape)
const large = endpoint('POST /slow/large', { ...shape, bodySize: 'large' })
const app = await openApplication({ publicUrl: 'http://localhost', trustedProxies: [], log: { level: 'silent' } })
for (const call of [small, large]) app.post(call.path, { config: { endpoint: call } }, async () => ({}))
let port = 0
beforeAll(async () => {
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as AddressInfo).port
})
afterAll(() => app.close())
afterEach(() => void vi.useRealTimers())

interface Client {
  readonly socket: Socket
  got(): string
  closed(): boolean
}
async function open(text: string): Promise<Client> {
  let got = ''
  let closed = false
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  socket
    .on('error', () => undefined)
    .on('close', () => {
      closed = true
    })
  socket.on('data', (chunk) => {
    got += chunk
  })
  await once(socket, 'connect')
  return { socket, got: () => got, closed: () => closed }
}
/** Not `vi.waitFor`, which moves the fake clock. */
async function until(fulfilled: () => boolean): Promise<void> {
  while (!fulfilled()) await sleep(5)
}
/** Gives something that must not happen the time to happen. */
const moment = () => sleep(100)

test('a client that sends its headers slowly gets 408 and is disconnected', async () => {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = app.server
  // The limit of a request is above that of the longest upload, and connections stay open for longer than proxies keep theirs.
  expect([headersTimeout, requestTimeout, keepAliveTimeout]).toEqual([15_000, uploadLimits.adminMs + 10_000, 75_000])
  expect(connectionTimes.http.connectionsCheckingInterval).toBe(2_000)
  app.server.headersTimeout = 300
  const client = await open('POST /slow/small HTTP/1.1\r\nHost: x\r\nX: ')
  const drip = setInterval(() => client.socket.write('a'), 50)
  await until(client.closed)
  clearInterval(drip)
  app.server.headersTimeout = headersTimeout
  expect(client.got()).toMatch(/^HTTP\/1.1 408 /)
})

describe.each([
  ['small', small, bodyLimits.small.ms],
  ['large', large, bodyLimits.large.ms],
])('half a %s body', (_, call, ms) => {
  const half = `POST ${call.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"a":`

  test('is awaited until the timeout, however slowly the bytes arrive, then disconnected', async () => {
    // Only the timers of this file; the server's own keep running.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const client = await open(half)
    await until(() => vi.getTimerCount() === 1)
    client.socket.write(' ')
    await moment()
    vi.advanceTimersByTime(ms - 1)
    await moment()
    expect([client.got(), client.closed()]).toEqual(['', false])
    vi.advanceTimersByTime(1)
    await until(() => client.got().includes('request.too_slow') && vi.getTimerCount() === 1)
    expect(client.got()).toMatch(/^HTTP\/1.1 408 /)
    vi.advanceTimersByTime(2_999)
    await moment()
    expect(client.closed()).toBe(false)
    vi.advanceTimersByTime(1)
    await until(client.closed)
  })

  test.each([
    ['sends the rest', (client: Client) => void client.socket.write('"b"}'.padEnd(15))],
    ['leaves', (client: Client) => void client.socket.destroy()],
  ])('leaves no timer and no listener when its client %s after the refusal', async (_what, go) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const connected = once(app.server, 'connection')
    const client = await open(half)
    const [socket] = (await connected) as [Socket]
    const waiting = () => socket.listeners('close').filter(({ name }) => name === 'over').length
    await until(() => vi.getTimerCount() === 1)
    vi.advanceTimersByTime(ms)
    await until(() => client.got().includes('request.too_slow') && vi.getTimerCount() === 1)
    expect(waiting()).toBe(1)
    go(client)
    await until(() => vi.getTimerCount() === 0)
    expect(waiting()).toBe(0)
    client.socket.destroy()
  })

  test('leaves no timer when its client disconnects before a response', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const client = await open(half)
    await until(() => vi.getTimerCount() === 1)
    client.socket.destroy()
    await until(() => vi.getTimerCount() === 0)
    await moment()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('that completes in time is accepted, and the connection is kept', async () => {
    const client = await open(half)
    client.socket.write('"b"}'.padEnd(15))
    await until(() => client.got() !== '')
    expect(client.got()).toMatch(/^HTTP\/1.1 200 /)
    expect(client.closed()).toBe(false)
    client.socket.destroy()
  })
})
