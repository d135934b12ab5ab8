import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { dial, openTunnel } from './tunnel.ts'

const container = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1')
const front = new WebSocketServer({ port: 0, host: '127.0.0.1' })
beforeAll(async () => {
  if (!container.listening) await once(container, 'listening')
})
afterAll(() => {
  front.close()
  container.close()
})

async function aTunnel(limits: { idleMs: number; totalMs: number }) {
  const { port } = container.address() as AddressInfo
  const arrived = once(front, 'connection')
  const client = new WebSocket(`ws://127.0.0.1:${(front.address() as AddressInfo).port}`)
  const [socket] = (await arrived) as [WebSocket]
  const over = Promise.withResolvers<{ in: number; out: number }>()
  openTunnel({ client: socket, container: await dial('127.0.0.1', port), ...limits, closed: over.resolve })
  if (client.readyState !== client.OPEN) await once(client, 'open')
  return { client, over: over.promise }
}

test('silence ends a connection with 1000, and what passed is counted', async () => {
  const { client, over } = await aTunnel({ idleMs: 1500, totalMs: 60_000 })
  client.send('hello')
  expect(await once(client, 'message').then(([data]) => String(data))).toBe('hello')
  expect((await once(client, 'close'))[0]).toBe(1000)
  expect(await over).toEqual({ in: 5, out: 5 })
})

test('the whole time is limited, too, however much is said', async () => {
  const { client, over } = await aTunnel({ idleMs: 60_000, totalMs: 1500 })
  const talking = setInterval(() => client.send('x'), 50)
  const begun = performance.now()
  expect((await once(client, 'close'))[0]).toBe(1000)
  clearInterval(talking)
  expect(performance.now() - begun).toBeGreaterThan(1000)
  await over
})

test('a port where nothing listens is said with its reason', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  await expect(dial('127.0.0.1', port)).rejects.toMatchObject({ code: 'proxy.unreachable', data: { reason: 'ECONNREFUSED' } })
  await expect(dial('no-such-host.invalid', 80)).rejects.toMatchObject({ code: 'proxy.address_unknown' })
})
