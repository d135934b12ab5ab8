/** Sends bytes over a raw socket, as no HTTP client would. */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RawRequest {
  /** Written piece by piece, each after the previous one was passed to the system. */
  readonly pieces: readonly (string | Buffer)[]
  /**
   * How the client leaves: it waits for the end or for the first bytes of the answer, closes its side, or resets the connection, at once after the
   * last piece.
   */
  readonly leave?: 'wait' | 'answered' | 'end' | 'reset'
  /** Between two pieces (ms). */
  readonly pause?: number
  /** The longest wait for an end (ms). */
  readonly within?: number
}

/** Sends the request and returns what was received until the connection ended or the time was over. Never throws. */
export function sendRaw(port: number, { pieces, leave = 'wait', pause = 0, within = 3000 }: RawRequest): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    const timer = setTimeout(done, within)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (leave === 'answered') done()
    })
    socket.on('error', done)
    socket.on('close', done)
    socket.on('connect', async () => {
      for (const [i, piece] of pieces.entries()) {
        if (i > 0 && pause > 0) await sleep(pause)
        await new Promise((written) => socket.write(piece, written))
      }
      if (leave === 'end') socket.end()
      if (leave === 'reset') socket.resetAndDestroy()
    })
  })
}

const crlf = '\r\n'

/** A request as text; `headers` follow a Host. */
export const rawRequest = (method: string, path: string, headers: readonly string[] = [], body = ''): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: vexil.example', ...headers].join(crlf) + crlf + crlf + body

/** A WebSocket upgrade as text. */
export const rawUpgrade = (path: string, headers: readonly string[] = []): string =>
  rawRequest('GET', path, [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  ])

/** A frame of a WebSocket client, masked by zeros, so that its bytes stay as they are. */
export function rawFrame(text: string, { opcode = 1, fin = true }: { opcode?: number; fin?: boolean } = {}): Buffer {
  const bytes = Buffer.from(text)
  const length = bytes.length < 126 ? [0x80 | bytes.length] : [0x80 | 126, bytes.length >> 8, bytes.length & 255]
  return Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | opcode, ...length, 0, 0, 0, 0]), bytes])
}

export const rawHandshake = rawFrame('{"protocol":"json","version":1}\x1e')

/** The status code of an answer, 0 if there is none. */
export const statusIn = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
