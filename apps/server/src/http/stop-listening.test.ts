import { EventEmitter, once } from 'node:events'
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { stopListening } from './stop-listening.ts'

test('clients connected when a process stops listening are served, including those not yet accepted; later ones are refused', async () => {
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
  // The system completes the connections while this thread is busy; none is accepted yet.
  const requests = Array.from({ length: 100 }, ask)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  await stopListening(server)
  expect(server.listening).toBe(false)
  expect(await ask()).toBe('ECONNREFUSED')
  expect(await Promise.all(requests)).toEqual(requests.map(() => '200'))
})

afterEach(() => void vi.restoreAllMocks())

/** A server that gets a connection in these turns of the event loop; each turn takes `took` ms. Returns when it was closed (ms). */
async function closedAfter({ took, comes }: { took: number; comes: (turn: number) => boolean }): Promise<number> {
  const server = Object.assign(new EventEmitter(), { close: vi.fn() })
  let semaphore = -1
  vi.spyOn(performance, 'now').mockImplementation(() => {
    semaphore++
    if (semaphore > 0 && comes(semaphore)) server.emit('connection')
    return 1000 + semaphore * took
  })
  await stopListening(server as unknown as Server)
  expect([server.close.mock.calls.length, server.listenerCount('connection')]).toEqual([1, 0])
  return semaphore * took
}

test.each([
  ['three short turns without a connection end it', { took: 0.125, comes: () => false }, 0.375],
  ['a connection restarts the count', { took: 0.125, comes: (turn: number) => turn === 2 }, 5 * 0.125],
  ['long turns do not count for half a second', { took: 10, comes: () => false }, 530],
  ['it ends after five seconds however many still come', { took: 10, comes: (turn: number) => turn < 600 }, 5_000],
])('%s', async (_what, semaphore, ms) => {
  expect(await closedAfter(semaphore)).toBe(ms)
})
