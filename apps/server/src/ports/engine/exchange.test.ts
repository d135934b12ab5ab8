import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createListener, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { exchange } from './exchange.ts'

const closing = new AbortController().signal
afterEach(() => void vi.useRealTimers())

/** A server that answers on demand. */
async function slowServer() {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
  const server = createServer((_request, response) => resolve(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { target: { secure: false, host: '127.0.0.1', port, path: '/' }, asked, close: () => server.close() }
}

test('a connected call can take longer than the connection timeout, and at most its own timeout', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { target, asked, close } = await slowServer()
  const answer = exchange(target, undefined, 60_000, closing)
  const response = await asked
  vi.advanceTimersByTime(59_999)
  response.end('late')
  expect(await answer).toEqual({ status: 200, bytes: Buffer.from('late') })
  expect(vi.getTimerCount()).toBe(0)
  close()
})

test('a connected call without a response in time fails with a message, and leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { target, asked, close } = await slowServer()
  const failure = expect(exchange(target, undefined, 60_000, closing)).rejects.toThrow('no answer within 60 s')
  await asked
  vi.advanceTimersByTime(60_000)
  await failure
  expect(vi.getTimerCount()).toBe(0)
  close()
})

test('a response that switches the protocol fails at once', async () => {
  const { target, asked, close } = await slowServer()
  const failure = expect(exchange(target, undefined, 60_000, closing)).rejects.toThrow('no answer before the connection ended')
  const { socket } = await asked
  socket?.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n')
  await failure
  close()
})

test('a call without a connection within 5 s fails with a message, and leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  // A name that is never resolved, as with an unreachable name server.
  const target = { secure: false, host: 'engine.example.org', path: '/', lookup: () => undefined }
  const answer = exchange(target, undefined, 60_000, closing)
  const failure = expect(answer).rejects.toThrow('no connection within 5 s')
  vi.advanceTimersByTime(4_999)
  expect(vi.getTimerCount()).toBe(2)
  vi.advanceTimersByTime(1)
  await failure
  // A connection is missing too if the whole call may take less.
  const short = expect(exchange(target, undefined, 3_000, closing)).rejects.toThrow('no connection within 3 s')
  vi.advanceTimersByTime(3_000)
  await short
  expect(vi.getTimerCount()).toBe(0)
})

test('a pending call ends with the reason for which the engine is closed', async () => {
  const { target, asked, close } = await slowServer()
  const engine = new AbortController()
  const answer = exchange(target, undefined, 60_000, engine.signal)
  await asked
  engine.abort(new Error('the engine is closed'))
  await expect(answer).rejects.toThrow('the engine is closed')
  close()
})

test('a connection counts once TLS is established', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const silent = createListener().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const arrived = once(silent, 'connection') as Promise<[Socket]>
  const failure = expect(exchange({ secure: true, host: '127.0.0.1', port }, undefined, 60_000, closing)).rejects.toThrow(
    'no connection within 5 s',
  )
  const [socket] = await arrived
  // The first bytes of the client in TLS.
  await once(socket, 'data')
  vi.advanceTimersByTime(5_000)
  await failure
  socket.destroy()
  silent.close()
  await once(silent, 'close')
  const closedPort = { secure: false, host: '127.0.0.1', port }
  await expect(exchange(closedPort, undefined, 60_000, closing)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
