import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { stopListening } from './stop-listening.ts'

test('who was connected when a process stops listening is answered, however many wait to be accepted; who comes later is refused', async () => {
  const server = createServer((_request, response) => response.setHeader('connection', 'close').end('hello')).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = () =>
    new Promise<string>((resolve) => {
      get({ port, host: '127.0.0.1', agent: false }, (answer) => resolve(String(answer.resume().statusCode))).on(
        'error',
        (error: NodeJS.ErrnoException) => resolve(error.code ?? ''),
      )
    })
  // The system connects them while this thread is busy, and none is accepted.
  const asked = Array.from({ length: 100 }, ask)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  await stopListening(server)
  expect(server.listening).toBe(false)
  expect(await ask()).toBe('ECONNREFUSED')
  expect(await Promise.all(asked)).toEqual(asked.map(() => '200'))
})
