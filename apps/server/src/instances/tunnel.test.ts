import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tunnelLimits } from '@vexil/core/limits'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { rawFrame } from '../../test/raw.ts'
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

const socketOf = (client: WebSocket) => (client as unknown as { _socket: Socket })._socket

async function aTunnel(limits: { idleMs: number; totalMs: number }) {
  const { port } = container.address() as AddressInfo
  const arrived = once(front, 'connection')
  const client = new WebSocket(`ws://127.0.0.1:${(front.address() as AddressInfo).port}`)
  const [socket] = (await arrived) as [WebSocket]
  const over = Promise.withResolvers<{ in: number; out: number }>()
  const ends = { client: socket, stream: socketOf(socket), container: await dial('127.0.0.1', port) }
  openTunnel({ ...ends, ...limits, heldTogether: () => ({ container: 0, all: 0 }), closed: over.resolve })
  if (client.readyState !== client.OPEN) await once(client, 'open')
  return { client, over: over.promise }
}

test('an idle connection ends with 1000, and the bytes passed are counted', async () => {
  const { client, over } = await aTunnel({ idleMs: 1500, totalMs: 60_000 })
  client.send('hello')
  expect(await once(client, 'message').then(([data]) => String(data))).toBe('hello')
  expect((await once(client, 'close'))[0]).toBe(1000)
  expect(await over).toEqual({ in: 5, out: 5 })
})

test('the total time is limited too, regardless of activity', async () => {
  const { client, over } = await aTunnel({ idleMs: 60_000, totalMs: 1500 })
  const talking = setInterval(() => client.send('x'), 50)
  const startedAt = performance.now()
  expect((await once(client, 'close'))[0]).toBe(1000)
  clearInterval(talking)
  expect(performance.now() - startedAt).toBeGreaterThan(1000)
  await over
})

test('a port without a listener is reported with the reason', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  await expect(dial('127.0.0.1', port)).rejects.toMatchObject({ code: 'proxy.unreachable', data: { reason: 'ECONNREFUSED' } })
  await expect(dial('no-such-host.invalid', 80)).rejects.toMatchObject({ code: 'proxy.address_unknown' })
})

test('a reset between the dial and the tunnel is not an error', async () => {
  const { port } = container.address() as AddressInfo
  const socket = await dial('127.0.0.1', port)
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.destroy(new Error('reset'))
  await closed
})

/** Both sides are fakes that record the calls to them; the clock is fake, too. */
describe('a tunnel', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  class Client extends EventEmitter {
    readonly OPEN = 1
    readonly CLOSED = 3
    readyState = 1
    isPaused = false
    bufferedAmount = 0
    readonly sent: { bytes: string; options: unknown; written: () => void }[] = []
    readonly asked: unknown[][] = []
    send(bytes: Buffer, options: unknown, written: () => void) {
      this.sent.push({ bytes: bytes.toString(), options, written })
    }
    pause = () => void this.asked.push(['pause'])
    resume = () => void this.asked.push(['resume'])
    ping = () => void this.asked.push(['ping'])
    pong = (data: unknown) => void this.asked.push(['pong', data])
    terminate = () => void this.asked.push(['terminate'])
    close = (...code: unknown[]) => void this.asked.push(['close', ...code])
    /** The state when the other side has closed, too. */
    over() {
      this.readyState = this.CLOSED
      this.emit('close')
    }
  }
  class Container extends EventEmitter {
    writable = true
    writableLength = 0
    destroyed = false
    paused = false
    takes = true
    readonly asked: string[] = []
    readonly written: string[] = []
    write(bytes: Buffer) {
      this.written.push(bytes.toString())
      return this.takes
    }
    isPaused = () => this.paused
    pause() {
      this.paused = true
    }
    resume() {
      this.asked.push('resume')
      this.paused = false
    }
    end = () => void this.asked.push('end')
    destroy() {
      this.asked.push('destroy')
      this.destroyed = true
    }
  }
  function open({ idleMs = 3_600_000, totalMs = 3_600_000, destroyed = false, heldTogether = { container: 0, all: 0 } } = {}) {
    const [client, container, stream] = [new Client(), new Container(), new EventEmitter()]
    container.destroyed = destroyed
    const passed: string[] = []
    const closed = vi.fn()
    const tunnel = openTunnel({
      client: client as unknown as WebSocket,
      stream: stream as unknown as Socket,
      heldTogether: () => heldTogether,
      container: container as unknown as Socket,
      idleMs,
      totalMs,
      passed: (direction, bytes) => passed.push(`${direction} ${bytes}`),
      closed,
    })
    return { client, stream, container, passed, closed, tunnel }
  }

  test('forwards every message and every chunk in frames of at most 4096 bytes, and counts both', () => {
    const { client, container, passed, closed } = open()
    client.emit('message', Buffer.from('hello'))
    container.emit('data', Buffer.from('you'))
    container.emit('data', Buffer.alloc(8200, 'x'))
    expect(container.written).toEqual(['hello'])
    expect(client.sent.map(({ bytes }) => bytes.length)).toEqual([3, 4096, 4096, 8])
    expect(new Set(client.sent.map(({ options }) => JSON.stringify(options)))).toEqual(new Set(['{"binary":true}']))
    expect(passed.map((one) => one.slice(0, 9))).toEqual(['in hello', 'out you', 'out xxxxx'])
    container.destroyed = true
    client.over()
    expect(closed.mock.calls).toEqual([[{ in: 5, out: 8203 }]])
  })

  test('pauses the client while the container does not read', () => {
    const { client, container } = open()
    client.emit('message', Buffer.from('a'))
    expect(client.asked).toEqual([])
    container.takes = false
    client.emit('message', Buffer.from('b'))
    expect(client.asked).toEqual([['pause']])
    container.emit('drain')
    expect(client.asked).toEqual([['pause'], ['resume']])
    container.writable = false
    client.emit('message', Buffer.from('c'))
    expect([container.written, client.asked.length]).toEqual([['a', 'b'], 2])
  })

  test('does not read from the container while the client does not read, until little is buffered', () => {
    const { client, container } = open()
    client.bufferedAmount = 65_536
    container.emit('data', Buffer.from('a'))
    expect(container.paused).toBe(false)
    client.sent[0]!.written()
    // A stream that is not paused is not resumed.
    expect(container.asked).toEqual([])
    client.bufferedAmount = 65_537
    container.emit('data', Buffer.from('b'))
    expect(container.paused).toBe(true)
    client.sent[1]!.written()
    expect(container.paused).toBe(true)
    client.bufferedAmount = 65_536
    client.sent[1]!.written()
    expect(container.paused).toBe(false)
  })

  test('sends nothing to a client that is closing, but counts and captures it', () => {
    const { client, container, passed } = open()
    client.readyState = 2
    client.bufferedAmount = 100_000
    container.emit('data', Buffer.from('late'))
    expect([client.sent, passed, container.paused]).toEqual([[], ['out late'], false])
  })

  test('answers pings of a client that reads, and sends a ping every 30 seconds', () => {
    const { client } = open()
    client.bufferedAmount = 65_536
    client.emit('ping', 'hi')
    client.bufferedAmount++
    client.emit('ping', 'not now')
    expect(client.asked).toEqual([['pong', 'hi']])
    vi.advanceTimersByTime(29_999)
    expect(client.asked).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(client.asked.slice(1)).toEqual([['ping']])
    client.readyState = 2
    vi.advanceTimersByTime(30_000)
    expect(client.asked).toHaveLength(2)
  })

  test.each(['message', 'data'] as const)('is not idle while one side sends (%s)', (event) => {
    const { client, container } = open({ idleMs: 5000 })
    vi.advanceTimersByTime(4000)
    ;(event === 'message' ? client : container).emit(event, Buffer.from('x'))
    vi.advanceTimersByTime(4000)
    expect(container.destroyed).toBe(false)
    vi.advanceTimersByTime(1000)
    expect([container.destroyed, client.asked.at(-1)]).toEqual([true, ['close', 1000]])
  })

  test('ends after its total time, to the second', () => {
    const { client, container } = open({ totalMs: 7000 })
    vi.advanceTimersByTime(6999)
    expect(container.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect([container.destroyed, client.asked.at(-1)]).toEqual([true, ['close', 1000]])
  })

  test('that is ended from outside closes both sides once, and leaves no timer', () => {
    const { client, container, closed, tunnel } = open()
    tunnel.end(1001)
    expect([container.destroyed, client.asked]).toEqual([true, [['close', 1001]]])
    tunnel.end(1001)
    container.emit('close')
    expect(closed).not.toHaveBeenCalled()
    client.over()
    container.emit('close')
    expect([closed.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
  })

  test('that is ended from outside is cut after two seconds if its client does not close', () => {
    const { client, tunnel } = open()
    tunnel.end(1001)
    vi.advanceTimersByTime(1999)
    expect(client.asked).toEqual([['close', 1001]])
    vi.advanceTimersByTime(1)
    expect(client.asked).toEqual([['close', 1001], ['terminate']])
  })

  const { each, together, eachOfAll, all } = tunnelLimits.heldBytes
  const fragmentOf = (bytes: number) => rawFrame('x'.repeat(bytes - 8), { opcode: 2, fin: false })

  test('reports the bytes held for its client: an unfinished message and unsent data', () => {
    const { stream, container, tunnel } = open()
    expect(tunnel.held()).toBe(0)
    stream.emit('data', fragmentOf(1000))
    stream.emit('data', rawFrame('', { opcode: 9 }))
    expect(tunnel.held()).toBe(1006)
    container.writableLength = 500
    expect(tunnel.held()).toBe(1506)
    stream.emit('data', rawFrame('end', { opcode: 0 }))
    expect(tunnel.held()).toBe(500)
  })

  test.each([
    ['more than its share of a total over the limit', each + 1, { container: together + 1, all: 0 }, true],
    ['its share of a total over the limit', each, { container: together + 1, all: 0 }, false],
    ['more than its share of a total within the limit', each + 1, { container: together, all }, false],
    ['more than its share of a total over the limit of the process', eachOfAll + 1, { container: 0, all: all + 1 }, true],
    ['its share of a total over the limit of the process', eachOfAll, { container: 0, all: all + 1 }, false],
  ])('is cut off when its client holds much and the total is high: %s', (_what, bytes, heldTogether, isCut) => {
    const { client, stream, container } = open({ heldTogether })
    container.writableLength = bytes - 1000
    stream.emit('data', fragmentOf(1000))
    expect(client.asked).toEqual(isCut ? [['terminate']] : [])
  })

  test('is cut off when a message is incomplete after 30 seconds of reading', () => {
    const cut = ['terminate']
    const { client, stream } = open()
    vi.advanceTimersByTime(60_000)
    client.asked.length = 0
    stream.emit('data', fragmentOf(1000))
    vi.advanceTimersByTime(29_000)
    // Another fragment does not restart the time limit.
    stream.emit('data', rawFrame('x', { opcode: 0, fin: false }))
    expect(client.asked).not.toContainEqual(cut)
    vi.advanceTimersByTime(1000)
    expect(client.asked).toContainEqual(cut)

    const waiting = open()
    waiting.stream.emit('data', fragmentOf(1000))
    waiting.client.isPaused = true
    vi.advanceTimersByTime(45_000)
    waiting.client.isPaused = false
    vi.advanceTimersByTime(29_000)
    expect(waiting.client.asked).not.toContainEqual(cut)
    vi.advanceTimersByTime(1000)
    expect(waiting.client.asked).toContainEqual(cut)

    const whole = open()
    whole.stream.emit('data', fragmentOf(1000))
    whole.stream.emit('data', rawFrame('end', { opcode: 0 }))
    vi.advanceTimersByTime(60_000)
    expect(whole.client.asked).not.toContainEqual(cut)
  })

  test('tells the container that the client closed, and lets it finish for 30 seconds', () => {
    const { client, container, closed } = open()
    container.paused = true
    client.over()
    expect([container.asked, container.paused]).toEqual([['end', 'resume'], false])
    vi.advanceTimersByTime(29_999)
    expect([container.destroyed, closed.mock.calls.length]).toEqual([false, 0])
    vi.advanceTimersByTime(1)
    expect(container.destroyed).toBe(true)
    container.emit('close')
    expect(closed).toHaveBeenCalledOnce()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('of a container that ends first no longer waits for it', () => {
    const { client, container, closed } = open()
    client.over()
    container.destroyed = true
    container.emit('close')
    expect([closed.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
  })

  test('closes the client without a code after the last byte of the container', () => {
    for (const event of ['end', 'close']) {
      const { client, container } = open()
      container.emit(event)
      expect(client.asked).toEqual([['close']])
    }
  })

  test('disconnects a client that violates the protocol', () => {
    const { client } = open()
    client.emit('error', new Error('invalid frame'))
    expect(client.asked).toEqual([['terminate']])
  })

  test('to a container that has already ended is closed at once', () => {
    const { client } = open({ destroyed: true })
    expect(client.asked).toEqual([['close']])
    expect(open().client.asked).toEqual([])
  })
})
