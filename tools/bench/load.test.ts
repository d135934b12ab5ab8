import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { load, request } from './load.ts'

/** `earlier`: number of earlier answers on this connection. */
type Answer = (number: number, socket: Socket, earlier: number) => 'kept' | 'last' | 'broken'

/** Statuses of the answers of a server on two connections, and how many connections it got. */
async function statusesOf(answerOf: Answer, repeats = false, opened: (socket: Socket) => void = () => undefined, rate = 100) {
  let [connections, requests] = [0, 0]
  const answers = new WeakMap<Socket, number>()
  const server = createServer(async (asked, answer) => {
    await text(asked)
    const earlier = answers.get(asked.socket) ?? 0
    const how = answerOf(++requests, asked.socket, earlier)
    answers.set(asked.socket, earlier + 1)
    if (how === 'broken') return asked.socket.destroy()
    if (how === 'last') answer.setHeader('connection', 'close')
    answer.end('{}')
  })
  server.on('connection', (socket: Socket) => {
    connections++
    opened(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const next = () => request('POST', '/', {}, '{}')
  const { statuses, repeated } = await load({ port, connections: 2, seconds: 1, rate, next, repeats })
  server.close()
  return { broken: statuses.get(0) ?? 0, answered: statuses.get(200) ?? 0, connections, requests, repeated, statuses }
}

test('a connection that its server closes between two requests is opened again, and nothing counts as broken', async () => {
  const last = await statusesOf((number) => (number === 5 ? 'last' : 'kept'))
  expect(last).toMatchObject({ broken: 0, connections: 3 })
  const idle = await statusesOf((number, socket) => {
    if (number === 5) setTimeout(() => socket.end(), 1)
    return 'kept'
  }, true)
  expect(idle).toMatchObject({ broken: 0, connections: 3 })
  for (const { answered } of [last, idle]) expect(answered).toBeGreaterThan(4)
})

test('a request whose connection breaks counts once and is not sent again', async () => {
  const found = await statusesOf((number) => (number % 5 === 0 ? 'broken' : 'kept'))
  // Requests of two connections may be under way at the end.
  const broken = Math.floor(found.requests / 5)
  expect([broken - 2, broken - 1, broken]).toContain(found.broken)
  expect([0, 1, 2]).toContain(found.requests - found.answered - found.broken)
  expect(found.connections).toBeGreaterThan(2)
})

test('as a browser does, a request that a used connection did not answer is sent again, once', async () => {
  let isBroken = false
  const once = await statusesOf((_, __, earlier) => {
    if (isBroken || earlier < 2) return 'kept'
    isBroken = true
    return 'broken'
  }, true)
  expect(once).toMatchObject({ broken: 0, repeated: 1 })
  expect([1, 2, 3]).toContain(once.requests - once.answered)
  const always = await statusesOf((_, __, earlier) => (earlier > 1 ? 'broken' : 'kept'), true)
  expect(always.repeated).toBeGreaterThan(0)
  const never = await statusesOf(() => 'broken', true)
  expect([never.repeated, never.answered, never.broken > 0]).toEqual([0, 0, true])
})

test('what a server says before it closes a connection that was never used is no answer', async () => {
  let closed = 0
  const opened = (socket: Socket) => {
    const closing = setTimeout(() => {
      if (socket.bytesRead > 0) return
      closed++
      socket.end('HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n')
    }, 50)
    socket.once('close', () => clearTimeout(closing))
  }
  // On a busy machine both connections may be used at once, or a request may be sent while its connection is closed.
  let found: number[] = []
  for (let tries = 0; tries < 10 && (closed === 0 || found.length !== 1); tries++) {
    closed = 0
    found = [...(await statusesOf(() => 'kept', true, opened, 10)).statuses.keys()]
  }
  expect([closed > 0, found]).toEqual([true, [200]])
})
