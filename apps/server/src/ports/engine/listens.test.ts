import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { isListening } from './listens.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
  vi.useRealTimers()
})

async function behind(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    serve(socket)
  }).listen(0, '127.0.0.1')
  closing.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { sockets, ask: (text = '', stays = 0) => isListening({ host: '127.0.0.1', port, text, stays }) }
}

test('a port that nothing listens on does not answer; one that accepts does, and the connection is closed', async () => {
  expect(await isListening({ host: '127.0.0.1', port: 9, text: '', stays: 0 })).toBe(false)
  const ended = vi.fn()
  const { ask } = await behind((socket) => void socket.on('close', ended).resume())
  expect(await ask()).toBe(true)
  await expect.poll(() => ended.mock.calls.length).toBe(1)
})

test.each([
  ['ends without a byte', (socket: Socket) => socket.end(), 60_000, false],
  ['is reset', (socket: Socket) => socket.resetAndDestroy(), 60_000, false],
  ['sends a byte and ends', (socket: Socket) => socket.end('x'), 60_000, true],
  ['stays open', (socket: Socket) => socket.resume(), 200, true],
])('through a published port, a connection that %s', async (_, serve, stays, listens) => {
  const { ask } = await behind((socket) => void serve(socket))
  expect(await ask('', stays)).toBe(listens)
})

test('the container itself may end a connection without a byte: it has accepted it', async () => {
  const { ask } = await behind((socket) => void socket.end())
  expect(await ask()).toBe(true)
})

test.each([
  ['in one piece', (socket: Socket) => socket.write('welcome to the harbour\n'), true],
  ['in two pieces', (socket: Socket) => void socket.write('welc', () => setTimeout(() => socket.write('ome'), 20)), true],
  ['and is another one', (socket: Socket) => socket.end('go away'), false],
  ['behind too many bytes', (socket: Socket) => socket.write(`${'x'.repeat(4_096)}welcome`), false],
])('a text that comes %s', async (_, serve, listens) => {
  const { ask } = await behind((socket) => void serve(socket))
  expect(await ask('welcome')).toBe(listens)
})

test('an answer leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { ask } = await behind((socket) => void socket.write('welcome'))
  expect([await ask('welcome'), vi.getTimerCount()]).toEqual([true, 0])
  expect([await isListening({ host: '127.0.0.1', port: 9, text: '', stays: 0 }), vi.getTimerCount()]).toEqual([false, 0])
})

test('a service that sends nothing does not answer with its text, after three seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const accepted = Promise.withResolvers<void>()
  const { ask } = await behind(() => accepted.resolve())
  const answer = vi.fn()
  const answered = ask('welcome').then(answer)
  await accepted.promise
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
  vi.advanceTimersByTime(2_999)
  await Promise.resolve()
  expect(answer).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  await answered
  expect([answer.mock.calls, vi.getTimerCount()]).toEqual([[[false]], 0])
})
