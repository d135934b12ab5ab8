/** Listeners of a board and of a monitor's page: bare WebSocket connections, cheap enough to run ten thousand of them on the machine of the platform. */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

export interface SolveMessage {
  /** Head of the log after the message. */
  readonly to: number
  /** performance.now() */
  readonly at: number
}

const handshake = '{"protocol":"json","version":1}\x1e'
const ping = '{"type":6}\x1e'
/** The hub closes connections that send nothing for 30 s. */
const pingMs = 15_000
const pingSlices = 100
const solvesMark = Buffer.from('"VexilSolves"')
const toMark = Buffer.from('"to":')

/** A masked text frame, as clients must send them. */
function masked(text: string): Buffer {
  const [mask, payload] = [randomBytes(4), Buffer.from(text)]
  for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] as number) ^ (mask[i % 4] as number)
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length]), mask, payload])
}

/** `onHead` gets the data after the upgrade as it arrives: text frames, including their headers. */
function open(
  { port, path, headers = '' }: { readonly port: number; readonly path: string; readonly headers?: string },
  onHead: (chunk: Buffer) => void,
): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}upgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${randomBytes(16).toString('base64')}\r\n\r\n`
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
      onHead(chunk)
    })
  })
}

/** Passes on the heads of the log in messages of solves. Messages are small: one that is split over two chunks is rare, and is not counted. */
function headsIn(chunk: Buffer, onHead: (head: number) => void): void {
  for (let at = chunk.indexOf(solvesMark); at >= 0; at = chunk.indexOf(solvesMark, at + 1)) {
    const to = chunk.indexOf(toMark, at)
    if (to >= 0) onHead(Number.parseInt(chunk.toString('latin1', to + toMark.length, to + toMark.length + 12), 10))
  }
}

/** Opens a monitor's page of a game: `onMessage` gets the answer of each submission, as it was sent. Throws an error if the platform closes the connection. */
export async function monitor(
  { port, game, cookie }: { port: number; game: number; cookie: string },
  onMessage: (answer: string) => void,
): Promise<{ close(): void }> {
  let rest = ''
  const socket = await open({ port, path: `/hub/monitor?game=${game}`, headers: `cookie: ${cookie}\r\n` }, (chunk) => {
    const messages = (rest + chunk.toString('latin1')).split('\x1e')
    rest = messages.pop() ?? ''
    for (const message of messages) {
      const answer = message.includes('"ReceivedSubmissions"') && /"answer":"([^"]*)"/.exec(message)?.[1]
      if (answer) onMessage(answer)
    }
  })
  let closing = false
  const pings = setInterval(() => socket.write(masked(ping)), pingMs)
  socket.once('close', () => {
    clearInterval(pings)
    if (!closing) throw new Error('The platform cut the monitor off.')
  })
  return {
    close() {
      closing = true
      socket.destroy()
    },
  }
}

/** Opens the listeners in batches. `onMessage` gets every message of solves of each listener; `lost` counts those that the platform has closed. */
export async function listen(
  { port, game, listeners }: { port: number; game: number; listeners: number },
  onMessage: (message: SolveMessage) => void,
): Promise<{ lost(): number; close(): void }> {
  const sockets: Socket[] = []
  const atOnce = 200
  for (let left = listeners; left > 0; left -= atOnce) {
    const opened = Array.from({ length: Math.min(atOnce, left) }, () =>
      open({ port, path: `/hub/user?game=${game}` }, (chunk) => headsIn(chunk, (to) => onMessage({ to, at: performance.now() }))),
    )
    sockets.push(...(await Promise.all(opened)))
  }
  const frame = masked(ping)
  let at = 0
  // A few at a time: pings of ten thousand at once would be a load.
  const pings = setInterval(() => {
    const end = at + Math.ceil(sockets.length / pingSlices)
    for (const socket of sockets.slice(at, end)) socket.write(frame)
    at = end < sockets.length ? end : 0
  }, pingMs / pingSlices)
  return {
    lost: () => sockets.filter(({ destroyed }) => destroyed).length,
    close() {
      clearInterval(pings)
      for (const socket of sockets) socket.destroy()
    },
  }
}
