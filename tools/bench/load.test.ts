import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { load, request } from './load.ts'

type Answer = (number: number, socket: Socket) => 'kept' | 'last' | 'broken'

/** Statuses of the answers of a server on two connections, and how many connections it got. */
async function statusesOf(answerOf: Answer, repeats = false) {
  let [connections, requests] = [0, 0]
  const server = createServer(async (asked, answer) => {
    await text(asked)
    const how = answerOf(++requests, asked.socket)
    if (how === 'broken') return asked.socket.destroy()
    if (how === 'last') answer.setHeader('connection', 'close')
    answer.end('{}')
  })
  server.on('connection', () => connections++).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const next = () => request('POST', '/', {}, '{}')
  const { statuses, repeated } = await load({ port, connections: 2, seconds: 0.3, rate: 100, next, repeats })
  server.close()
  return { broken: statuses.get(0) ?? 0, answered: statuses.get(200) ?? 0, connections, requests, repeated }
}

test('a connection that its server closes between two requests is opened again, and nothing counts as broken', async () => {
  const last = await statusesOf((number) => (number === 5 ? 'last' : 'kept'))
  expect(last).toMatchObject({ broken: 0, connections: 3 })
  const idle = await statusesOf((number, socket) => {
    if (number === 5) setTimeout(() => socket.end(), 1)
    return 'kept'
  })
  expect(idle).toMatchObject({ broken: 0, connections: 3 })
  for (const { answered, requests } of [last, idle]) expect([answered > 10, answered]).toEqual([true, requests])
})

test('a request whose connection breaks counts once and is not sent again', async () => {
  const found = await statusesOf((number) => (number % 5 === 0 ? 'broken' : 'kept'))
  expect(found.broken).toBe(Math.floor(found.requests / 5))
  expect(found.answered + found.broken).toBe(found.requests)
  expect(found.connections).toBeGreaterThan(3)
})

test('as a browser does, a request that a used connection did not answer is sent again, once', async () => {
  const once = await statusesOf((number) => (number === 5 ? 'broken' : 'kept'), true)
  expect(once).toMatchObject({ broken: 0, repeated: 1, answered: once.requests - 1 })
  const always = await statusesOf((number) => (number > 4 ? 'broken' : 'kept'), true)
  expect(always.repeated).toBeGreaterThan(0)
  expect(always).toMatchObject({ answered: 4, broken: always.requests - 4 - always.repeated })
})
