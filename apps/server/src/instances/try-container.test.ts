import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { probe } from './try-container.ts'

const open: { close(): unknown }[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

/** Long enough for all answers, however busy the machine is. */
const patient = { startsWithin: 60_000, greetsWithin: 60_000, answersWithin: 60_000 }
/** For services that do not send a greeting. */
const asks = { ...patient, greetsWithin: 50 }
/** For services that send nothing at all. */
const short = { startsWithin: 0, greetsWithin: 50, answersWithin: 50 }

async function serve(behave: (socket: Socket) => void, port = 0, host = '127.0.0.1'): Promise<number> {
  const server = createServer((socket) => behave(socket.on('error', () => undefined))).listen(port, host)
  open.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const answerOf = async (behave: (socket: Socket) => void, waits = patient) => probe('127.0.0.1', await serve(behave), waits)

test('a greeting is its first non-blank line, without unprintable characters', async () => {
  const received: string[] = []
  const greeting = await answerOf((socket) => {
    socket.on('data', (chunk) => received.push(String(chunk)))
    socket.write('\r\n \x1b[31mWel')
    setTimeout(() => socket.write('come\x00\nName: '), 20)
  })
  expect(greeting).toEqual({ answer: 'text', firstLine: '[31mWelcome' })
  // A service that sends a greeting is not tried as a web service.
  expect(received).toEqual([])
})

test('a greeting without a line end is quoted too', async () => {
  const waits = { ...patient, greetsWithin: 1000, answersWithin: 5000 }
  expect(await answerOf((socket) => void socket.write('> '), waits)).toEqual({ answer: 'text', firstLine: '>' })
})

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '[::1]'],
])('a web service at %s is asked for its first page and quoted with its status line', async (host, named) => {
  const requested = Promise.withResolvers<string>()
  const answer = (socket: Socket) => {
    socket.on('data', (chunk) => {
      requested.resolve(String(chunk))
      socket.end('HTTP/1.1 302 Found\r\nLocation: /login\r\n\r\n')
    })
  }
  const port = await serve(answer, 0, host)
  expect(await probe(host, port, asks)).toEqual({ answer: 'http', firstLine: 'HTTP/1.1 302 Found' })
  expect(await requested.promise).toBe(`GET / HTTP/1.1\r\nHost: ${named}:${port}\r\nConnection: close\r\n\r\n`)
})

test.each([
  ['HTTP/1.0 200 OK', 'http'],
  ['HTTP/1.1 404 Not Found', 'http'],
  ['HTTP/1.1 2000', 'text'],
  ['HTTP/2 200', 'text'],
])('a container that answers the request with %s is shown as %s', async (firstLine, answer) => {
  const service = (socket: Socket) => void socket.on('data', () => socket.end(`${firstLine}\r\n\r\n`))
  expect(await answerOf(service, asks)).toEqual({ answer, firstLine })
})

test('another response to the request is quoted as text', async () => {
  const answer = await answerOf((socket) => socket.on('data', () => socket.write('Unknown command\n')), asks)
  expect(answer).toEqual({ answer: 'text', firstLine: 'Unknown command' })
})

test('a container that stays silent, or closes at once, gives no text', async () => {
  const nothing = { answer: 'nothing', firstLine: null }
  expect(await answerOf(() => undefined, short)).toEqual(nothing)
  const received: string[] = []
  const ended = Promise.withResolvers<void>()
  const end = (socket: Socket) =>
    void socket
      .on('data', (chunk) => received.push(String(chunk)))
      .on('close', () => ended.resolve())
      .end()
  expect(await answerOf(end, patient)).toEqual(nothing)
  await ended.promise
  // It would not answer a request.
  expect(received).toEqual([])
  expect(await answerOf((socket) => void socket.destroy(), patient)).toEqual(nothing)
})

test('a long line is cut at 300 bytes, and the connection ends', async () => {
  const ended = Promise.withResolvers<void>()
  const { answer, firstLine } = await answerOf((socket) => {
    socket.on('close', () => ended.resolve()).write('x'.repeat(5000))
  })
  expect([answer, firstLine?.length]).toEqual(['text', 300])
  await ended.promise
})

test('a container that does not listen yet is retried, and is finally unreachable', async () => {
  const port = await serve(() => undefined)
  open.pop()?.close()
  const later = setTimeout(() => void serve((socket) => void socket.write('at last\n'), port), 100)
  expect(await probe('127.0.0.1', port, patient)).toEqual({ answer: 'text', firstLine: 'at last' })
  clearTimeout(later)
  open.pop()?.close()
  expect(await probe('127.0.0.1', port, short)).toEqual({ answer: 'unreachable', firstLine: null })
})
