/** Load over HTTP/1.1 on kept connections, cheap enough to share the machine with what it measures. */
import { connect, type Socket } from 'node:net'

export interface LoadOptions {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** The whole next request as bytes. */
  readonly next: () => Buffer
  /** Hears of each answer; what it returns is asked next on this connection, and both count as one, over when the last is answered. */
  readonly answered?: (sent: Buffer, status: number, body: string) => Buffer | undefined
  /** Requests a second, sent when they are due whatever is still unanswered; latencies count from that instant. Without it each connection asks again at once. */
  readonly rate?: number
}

export interface LoadResult {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly worst: number
  /** Answers by status; 0 counts connections that broke. */
  readonly statuses: ReadonlyMap<number, number>
  /** Bytes of all answers. */
  readonly bytes: number
}

interface Asking {
  readonly socket: Socket
  sent: Buffer
  /** When the request under way was due, or 0. */
  since: number
  waiting: Buffer
  /** Status of the answer under way, and how many bytes of a body that is not read are still to come. */
  status: number
  left: number
}

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('\r\n0\r\n\r\n')

/** The end of the answer at the beginning of `bytes`, where its body begins, and its status; null while that cannot be said. `end` may be still to come. */
function findAnswer(bytes: Buffer): { readonly begin: number; readonly end: number; readonly status: number } | null {
  const head = bytes.indexOf(headEnd)
  if (head < 0) return null
  const begin = head + 4
  const status = Number(bytes.toString('latin1', 9, 12))
  const headers = bytes.toString('latin1', 0, head)
  const length = /\ncontent-length: (\d+)/i.exec(headers)?.[1]
  if (length !== undefined) return { begin, end: begin + Number(length), status }
  if (!/\ntransfer-encoding: chunked/i.test(headers)) return { begin, end: begin, status }
  const last = bytes.indexOf(lastChunk, head + 2)
  return last < 0 ? null : { begin, end: last + lastChunk.length, status }
}

/** Runs for `seconds` after all connections are open. */
export async function load({ port, connections, seconds, next, rate, answered }: LoadOptions): Promise<LoadResult> {
  const times: number[] = []
  const statuses = new Map<number, number>()
  const count = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const free: Asking[] = []
  const due: number[] = []
  let [bytes, over] = [0, false]

  const write = (asking: Asking, request: Buffer) => {
    asking.sent = request
    asking.socket.write(request)
  }
  const send = (asking: Asking, since: number) => {
    asking.since = since
    write(asking, next())
  }
  const rest = (asking: Asking) => {
    if (over) return
    if (rate === undefined) send(asking, performance.now())
    else if (due.length > 0) send(asking, due.shift() as number)
    else free.push(asking)
  }
  const hear = (asking: Asking, chunk: Buffer) => {
    bytes += chunk.length
    if (asking.left > 0) {
      // Nothing follows an answer before the next request.
      asking.left -= chunk.length
      if (asking.left === 0) finish(asking)
      return
    }
    asking.waiting = asking.waiting.length === 0 ? chunk : Buffer.concat([asking.waiting, chunk])
    const found = findAnswer(asking.waiting)
    if (!found || (answered && asking.waiting.length < found.end)) return
    asking.status = found.status
    const body = answered ? asking.waiting.toString('utf8', found.begin, found.end) : ''
    asking.left = Math.max(0, found.end - asking.waiting.length)
    asking.waiting = asking.waiting.subarray(found.end)
    const then = answered?.(asking.sent, found.status, body)
    if (then && !over) return write(asking, then)
    if (asking.left === 0) finish(asking)
  }
  const finish = (asking: Asking) => {
    if (!over) {
      times.push(performance.now() - asking.since)
      count(asking.status)
    }
    rest(asking)
  }
  const all = await Promise.all(
    Array.from({ length: connections }, async (): Promise<Asking> => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
      const asking = { socket, sent: Buffer.alloc(0), since: 0, waiting: Buffer.alloc(0), status: 0, left: 0 }
      socket.on('data', (chunk) => hear(asking, chunk)).on('error', () => undefined)
      socket.on('close', () => over || count(0))
      return asking
    }),
  )
  const begun = performance.now()
  for (const asking of all) rest(asking)
  let scheduled = 0
  const timer = setInterval(() => {
    if (rate === undefined) return
    const now = performance.now()
    for (; scheduled < ((now - begun) / 1000) * rate; scheduled++) {
      const asking = free.pop()
      const since = begun + (scheduled * 1000) / rate
      if (asking) send(asking, since)
      else due.push(since)
    }
  }, 1)
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  over = true
  clearInterval(timer)
  const lasted = (performance.now() - begun) / 1000
  // What was due and never sent has waited at least until now.
  for (const since of due) times.push(performance.now() - since)
  for (const { socket } of all) socket.destroy()
  const sorted = Float64Array.from(times).sort()
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  const answers = [...statuses].reduce((sum, [status, number]) => sum + (status === 0 ? 0 : number), 0)
  return { perSecond: answers / lasted, p50: at(0.5), p99: at(0.99), worst: at(1), statuses, bytes }
}

/** A request as bytes. */
export function request(method: string, path: string, headers: Readonly<Record<string, string>>, body = ''): Buffer {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const sized = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}${sized}\r\n${body}`)
}
