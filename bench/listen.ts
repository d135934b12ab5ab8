/** Listeners of a board: bare WebSocket connections to `/hub/user`, cheap enough that ten thousand of them fit beside what they listen to. */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

export interface Heard {
  /** Head of the log after the message. */
  readonly to: number
  /** performance.now() */
  readonly at: number
}

const handshake = '{"protocol":"json","version":1}\x1e'
const solvesMark = Buffer.from('"VexilSolves"')
const toMark = Buffer.from('"to":')

/** A masked text frame, as clients must send them. */
function masked(text: string): Buffer {
  const [mask, payload] = [randomBytes(4), Buffer.from(text)]
  for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] as number) ^ (mask[i % 4] as number)
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length]), mask, payload])
}

function open(port: number, game: number, hear: (head: number) => void): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const request = `GET /hub/user?game=${game} HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${randomBytes(16).toString('base64')}\r\n\r\n`
  return new Promise((resolve, reject) => {
    let upgraded = false
    socket.once('connect', () => socket.write(request)).once('error', reject)
    socket.on('data', (chunk) => {
      if (!upgraded) {
        if (chunk.toString('latin1', 9, 12) !== '101') reject(new Error(`The hub answered ${chunk.toString('latin1', 0, 80)}`))
        upgraded = true
        socket.write(masked(handshake))
        resolve(socket)
      }
      // Messages of solves are small: one that two chunks share is rare, and is then not counted.
      for (let at = chunk.indexOf(solvesMark); at >= 0; at = chunk.indexOf(solvesMark, at + 1)) {
        const to = chunk.indexOf(toMark, at)
        if (to >= 0) hear(Number.parseInt(chunk.toString('latin1', to + toMark.length, to + toMark.length + 12), 10))
      }
    })
  })
}

/** Opens so many listeners, some at a time. `heard` gets every message of solves of each of them. */
export async function listen(
  { port, game, listeners }: { port: number; game: number; listeners: number },
  heard: (message: Heard) => void,
): Promise<{ close(): void }> {
  const sockets: Socket[] = []
  const atOnce = 200
  for (let left = listeners; left > 0; left -= atOnce) {
    const opened = Array.from({ length: Math.min(atOnce, left) }, () =>
      open(port, game, (to) => heard({ to, at: performance.now() })),
    )
    sockets.push(...(await Promise.all(opened)))
  }
  return { close: () => sockets.forEach((socket) => void socket.destroy()) }
}
