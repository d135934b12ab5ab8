/** Connecting to containers, with a fake network. */
import { Socket } from 'node:net'
import { tryLimits, tunnelLimits } from '@vexil/core/limits'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { probe } from './try-container.ts'
import { dial } from './tunnel.ts'

const network = vi.hoisted(() => ({ connect: vi.fn() }))
vi.mock('node:net', async (original) => ({ ...(await original<typeof import('node:net')>()), ...network }))

let sockets: Socket[]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  sockets = []
  network.connect.mockImplementation(() => {
    sockets.push(new Socket())
    return sockets.at(-1)
  })
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  vi.useRealTimers()
})
const settled = () => new Promise((resolve) => setImmediate(resolve))
const failed = (code: string) => Object.assign(new Error(code), { code })

test('a host that does not connect within five seconds is unreachable, and the attempt ends', async () => {
  const dialled = dial('100.64.0.2', 7000)
  let isOver = false
  const failure = expect(dialled.finally(() => (isOver = true))).rejects.toMatchObject({
    code: 'proxy.unreachable',
    data: { reason: 'ETIMEDOUT' },
  })
  vi.advanceTimersByTime(tunnelLimits.dialWithin - 1)
  await settled()
  expect(isOver).toBe(false)
  vi.advanceTimersByTime(1)
  await failure
  expect([sockets[0]!.destroyed, vi.getTimerCount()]).toEqual([true, 0])
})

test('a connection stays open without a time limit, and can be reset before it has a listener', async () => {
  const dialled = dial('100.64.0.2', 7000)
  expect(network.connect.mock.lastCall).toEqual([{ host: '100.64.0.2', port: 7000, allowHalfOpen: true, noDelay: true }])
  sockets[0]!.emit('connect')
  const socket = await dialled
  expect([socket, socket.destroyed, vi.getTimerCount()]).toEqual([sockets[0], false, 0])
  socket.emit('error', failed('ECONNRESET'))
})

test.each([
  ['ECONNREFUSED', 'proxy.unreachable'],
  ['EAI_AGAIN', 'proxy.address_unknown'],
])('a failure (%s) is %s, and leaves no socket and no timer', async (code, rule) => {
  const failure = expect(dial('100.64.0.2', 7000)).rejects.toMatchObject({ code: rule })
  sockets[0]!.emit('error', failed(code))
  await failure
  expect([sockets[0]!.destroyed, vi.getTimerCount()]).toEqual([true, 0])
})

test('a test container is read at most twice, and no listener remains', async () => {
  const probing = probe('100.64.0.2', 7000)
  sockets[0]!.emit('connect')
  await settled()
  const [socket] = sockets as [Socket]
  const written = vi.spyOn(socket, 'write').mockReturnValue(true)
  const listeners = () => (['data', 'end', 'close'] as const).map((event) => socket.listeners(event).filter(isOurs).length)
  const isOurs = (listener: unknown) => ['receive', 'done'].includes((listener as { name: string }).name)
  expect([listeners(), vi.getTimerCount()]).toEqual([[1, 1, 1], 1])
  vi.advanceTimersByTime(tryLimits.greetsWithin)
  await settled()
  expect([written.mock.calls.length, listeners(), vi.getTimerCount()]).toEqual([1, [1, 1, 1], 1])
  socket.emit('data', Buffer.from('HTTP/1.1 200 OK\r\n'))
  expect(await probing).toEqual({ answer: 'http', firstLine: 'HTTP/1.1 200 OK' })
  expect([listeners(), vi.getTimerCount(), socket.destroyed]).toEqual([[0, 0, 0], 0, true])
})
