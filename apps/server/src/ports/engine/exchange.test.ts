import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { exchange } from './exchange.ts'

const closing = new AbortController().signal
afterEach(() => void vi.useRealTimers())

/** A server that answers when the test says so. */
async function slowServer() {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
  const server = createServer((_request, response) => resolve(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { target: { secure: false, host: '127.0.0.1', port, path: '/' }, asked, close: () => server.close() }
}

test('a call that is connected may take longer than the time for a connection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { target, asked, close } = await slowServer()
  const answer = exchange(target, undefined, 60_000, closing)
  const response = await asked
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(30_000)
  response.end('late')
  expect(await answer).toEqual({ status: 200, bytes: Buffer.from('late') })
  close()
})

test('a call without a connection within 5 s fails with a sentence, and leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  // A name that is never resolved, as with a name server that is away.
  const target = { secure: false, host: 'engine.example.org', path: '/', lookup: () => undefined }
  const answer = exchange(target, undefined, 60_000, closing)
  const failure = expect(answer).rejects.toThrow('no connection within 5 s')
  vi.advanceTimersByTime(4_999)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(1)
  await failure
  expect(vi.getTimerCount()).toBe(0)
})

test('a call that is under way ends with the reason for which the engine is closed', async () => {
  const { target, asked, close } = await slowServer()
  const engine = new AbortController()
  const answer = exchange(target, undefined, 60_000, engine.signal)
  await asked
  engine.abort(new Error('the engine is closed'))
  await expect(answer).rejects.toThrow('the engine is closed')
  close()
})
