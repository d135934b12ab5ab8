// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { json } from '../../test/page.tsx'
import { openHub } from './hub-connection.ts'

const end = '\x1e'
const sockets: FakeSocket[] = []

/** A socket whose other end is controlled by the test. */
class FakeSocket {
  static readonly OPEN = 1
  readyState = 1
  readonly sent: string[] = []
  closed = false
  onopen?: () => void
  onclose?: () => void
  onmessage?: (event: { data: string }) => void
  readonly url: URL
  constructor(url: URL) {
    this.url = url
    sockets.push(this)
  }
  send(text: string) {
    this.sent.push(text)
  }
  close() {
    this.closed = true
    this.onclose?.()
  }
  say(...texts: string[]) {
    for (const data of texts) this.onmessage?.({ data })
  }
}

const onMessage = vi.fn()
const onClose = vi.fn()
const requests: string[] = []
let status = 200

beforeEach(() => {
  vi.useFakeTimers()
  status = 200
  vi.stubGlobal('WebSocket', FakeSocket)
  vi.stubGlobal('fetch', async (address: URL, init: RequestInit) => {
    requests.push(`${init.method} ${address.pathname}${address.search}`)
    return json({ connectionToken: 'a b' }, status)
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.clearAllMocks()
  sockets.length = 0
  requests.length = 0
})

async function connect(address = '/hub/user?game=7') {
  const opening = openHub({ address, silentMs: 40_000, onMessage, onClose })
  opening.catch(() => {})
  await vi.advanceTimersByTimeAsync(0)
  const socket = sockets[0]
  socket?.onopen?.()
  return { opening, socket: socket as FakeSocket }
}

async function connected() {
  const { opening, socket } = await connect()
  socket.say(`{}${end}`)
  return { stop: await opening, socket }
}

test('LIVE-1 it negotiates, shakes hands and receives messages, several in one frame or one split over two', async () => {
  const { socket } = await connected()
  expect(requests).toEqual(['POST /hub/user/negotiate?game=7&negotiateVersion=1'])
  expect(socket.url.href).toBe('ws://localhost:3000/hub/user?game=7&id=a+b')
  expect(socket.sent).toEqual([`{"protocol":"json","version":1}${end}`])
  socket.say(
    `{"type":1,"target":"A","arguments":[{"x":1}]}${end}{"type":6}${end}{"type":1,"tar`,
    `get":"B","arguments":[2]}${end}`,
  )
  expect(onMessage.mock.calls).toEqual([
    ['A', { x: 1 }],
    ['B', 2],
  ])
})

test('a refused negotiation, a refused handshake and a connection that closes before it reject', async () => {
  status = 404
  await expect((await connect()).opening).rejects.toThrow('404')
  status = 200
  const refused = await connect()
  refused.socket.say(`{"error":"no"}${end}`)
  await expect(refused.opening).rejects.toThrow('no')
  sockets.length = 0
  const closed = await connect()
  closed.socket.close()
  await expect(closed.opening).rejects.toThrow('closed')
  expect(onClose).not.toHaveBeenCalled()
})

test('LIVE-7 it pings while it is open and reports its end once: a close by the hub, which may refuse another connection, or two missed pings', async () => {
  const { socket } = await connected()
  await vi.advanceTimersByTimeAsync(31_000)
  expect(socket.sent.slice(1)).toEqual([`{"type":6}${end}`, `{"type":6}${end}`])
  socket.say(`{"type":7,"error":"Connection refused.","allowReconnect":false}${end}{"type":1,"target":"A","arguments":[]}${end}`)
  expect(onClose.mock.calls).toEqual([[true]])
  expect([socket.closed, onMessage.mock.calls.length]).toEqual([true, 0])
  sockets.length = 0
  await connected()
  await vi.advanceTimersByTimeAsync(39_000)
  // Every message starts the wait again.
  sockets[0]?.say(`{"type":6}${end}`)
  await vi.advanceTimersByTimeAsync(39_000)
  expect(onClose).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(2000)
  expect(onClose).toHaveBeenCalledTimes(2)
  sockets.length = 0
  const last = await connected()
  last.socket.say(`{"type":7,"allowReconnect":true}${end}`)
  expect(onClose.mock.calls.slice(1)).toEqual([[false], [false]])
  expect(last.socket.closed).toBe(true)
  sockets.length = 0
  // Only an explicit refusal is one.
  const plain = await connected()
  plain.socket.say(`{"type":7}${end}`)
  expect(onClose.mock.calls.slice(3)).toEqual([[false]])
})

test('LIVE-7 a negotiation that is not answered for as long as two missed pings rejects', async () => {
  const timeout = new AbortController()
  const waits = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout.signal)
  vi.stubGlobal(
    'fetch',
    (_: URL, { signal }: RequestInit) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  )
  const { opening } = await connect()
  expect(waits).toHaveBeenCalledWith(40_000)
  timeout.abort()
  await expect(opening).rejects.toThrow('abort')
})

test('a connection that the client stops reports no end and leaves no timer', async () => {
  const { stop, socket } = await connected()
  stop()
  expect(vi.getTimerCount()).toBe(0)
  await vi.advanceTimersByTimeAsync(60_000)
  expect([socket.closed, socket.sent.length, onClose.mock.calls.length]).toEqual([true, 1, 0])
})

test('a hub of an https page is reached by an encrypted socket', async () => {
  const { socket } = await connect('https://ctf.example.org/hub/user?game=7')
  expect(socket.url.href).toBe('wss://ctf.example.org/hub/user?game=7&id=a+b')
  socket.close()
})
