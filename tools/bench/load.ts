/** HTTP/1.1 load on persistent connections, which are reopened when the server closes them; cheap enough to run on the machine of the platform. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface LoadOptions {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** The whole next request as bytes. */
  readonly next: () => Buffer
  /** Called for each answer. A returned request is sent next on this connection; both count as one request, which ends with the last answer. */
  readonly answered?: (sent: Buffer, status: number, body: string) => Buffer | undefined
  /** Requests per second, sent when due even if some are unanswered; latencies count from that time. Without it each connection sends the next one at once. */
  readonly rate?: number
  /** As browsers do: a request is sent again, once, if its connection, which had answered before, was closed without any byte of an answer. */
  readonly repeats?: boolean
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
  /** Requests that were sent again. */
  readonly repeated: number
}

interface Asking {
  socket: Socket | undefined
  sent: Buffer
  /** When the request under way was due; 0: no request is under way. */
  since: number
  waiting: Buffer
  /** Status of the answer under way, and how many bytes of a body that is not read are still to come. */
  status: number
  left: number
  /** The answer under way is the last on this connection. */
  closes: boolean
  /** This connection has received an answer. */
  used: boolean
}

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('\r\n0\r\n\r\n')

interface Answer {
  /** Offset of the start of its body. */
  readonly begin: number
  /** Offset of its end, which may not have arrived yet. */
  readonly end: number
  readonly status: number
  readonly closes: boolean
}

/** The answer at the beginning of `bytes`; null while its end is not known. */
function findAnswer(bytes: Buffer): Answer | null {
  const head = bytes.indexOf(headEnd)
  if (head < 0) return null
  const begin = head + 4
  const status = Number(bytes.toString('latin1', 9, 12))
  const headers = bytes.toString('latin1', 0, head)
  const closes = /\nconnection: close/i.test(headers)
  const length = /\ncontent-length: (\d+)/i.exec(headers)?.[1]
  if (length !== undefined) return { begin, end: begin + Number(length), status, closes }
  if (!/\ntransfer-encoding: chunked/i.test(headers)) return { begin, end: begin, status, closes }
  const last = bytes.indexOf(lastChunk, head + 2)
  return last < 0 ? null : { begin, end: last + lastChunk.length, status, closes }
}

/** Milliseconds until a closed connection is reopened. */
const againAfterMs = 20

/** Returns when the socket is open. @throws an error when it cannot be opened */
async function openSocket(port: number, hear: (chunk: Buffer) => void): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket.on('data', hear).on('error', () => undefined)
}

/** Runs for `seconds` after all connections are open. */
export async function load({
  port,
  connections,
  seconds,
  next,
  rate,
  answered,
  repeats = false,
}: LoadOptions): Promise<LoadResult> {
  const times: number[] = []
  const statuses = new Map<number, number>()
  const count = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const free: Asking[] = []
  const due: number[] = []
  let [bytes, repeated, over] = [0, 0, false]

  const write = (asking: Asking, request: Buffer) => {
    asking.sent = request
    asking.socket?.write(request)
  }
  const send = (asking: Asking, since: number) => {
    asking.since = since
    write(asking, next())
  }
  const rest = (asking: Asking) => {
    asking.since = 0
    if (over) return
    if (asking.closes) return void asking.socket?.end()
    if (rate === undefined) send(asking, performance.now())
    else if (due.length > 0) send(asking, due.shift() as number)
    else free.push(asking)
  }
  const hear = (asking: Asking, chunk: Buffer) => {
    bytes += chunk.length
    // A server sends 408 before it closes an idle connection.
    if (asking.since === 0) return
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
    asking.closes = found.closes
    const body = answered ? asking.waiting.toString('utf8', found.begin, found.end) : ''
    asking.left = Math.max(0, found.end - asking.waiting.length)
    asking.waiting = asking.waiting.subarray(found.end)
    const then = answered?.(asking.sent, found.status, body)
    if (then && !over) return write(asking, then)
    if (asking.left === 0) finish(asking)
  }
  const finish = (asking: Asking) => {
    asking.used = true
    if (!over) {
      times.push(performance.now() - asking.since)
      count(asking.status)
    }
    rest(asking)
  }
  const open = async (asking: Asking) => {
    const socket = await openSocket(port, (chunk) => hear(asking, chunk))
    Object.assign(asking, { socket, since: 0, waiting: Buffer.alloc(0), left: 0, closes: false, used: false })
    socket.on('close', () => void openAgain(asking))
    if (over) socket.destroy()
  }
  const openAgain = async (asking: Asking): Promise<void> => {
    if (over) return
    // A server may close a connection without a request under way at any time.
    const { since, used, sent, waiting, left } = asking
    const isRepeated = repeats && since > 0 && used && waiting.length + left === 0
    if (isRepeated) repeated++
    else if (since > 0) count(0)
    const place = free.indexOf(asking)
    if (place >= 0) free.splice(place, 1)
    await sleep(againAfterMs)
    const isOpen = await open(asking).then(
      () => true,
      () => false,
    )
    if (isOpen && isRepeated) {
      asking.since = since
      return write(asking, sent)
    }
    if (isOpen) return rest(asking)
    asking.since = performance.now()
    return openAgain(asking)
  }
  const all = await Promise.all(
    Array.from({ length: connections }, async (): Promise<Asking> => {
      const bytes = { sent: Buffer.alloc(0), waiting: Buffer.alloc(0) }
      const asking = { ...bytes, socket: undefined, since: 0, status: 0, left: 0, closes: false, used: false }
      await open(asking)
      return asking
    }),
  )
  const startedAt = performance.now()
  for (const asking of all) rest(asking)
  let scheduled = 0
  const timer = setInterval(() => {
    if (rate === undefined) return
    const now = performance.now()
    for (; scheduled < ((now - startedAt) / 1000) * rate; scheduled++) {
      const asking = free.pop()
      const since = startedAt + (scheduled * 1000) / rate
      if (asking) send(asking, since)
      else due.push(since)
    }
  }, 1)
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  over = true
  clearInterval(timer)
  const lasted = (performance.now() - startedAt) / 1000
  // Requests that were due and never sent have waited at least until now.
  for (const since of due) times.push(performance.now() - since)
  for (const { socket } of all) socket?.destroy()
  const sorted = Float64Array.from(times).sort()
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  const answers = [...statuses].reduce((sum, [status, number]) => sum + (status === 0 ? 0 : number), 0)
  return { perSecond: answers / lasted, p50: at(0.5), p99: at(0.99), worst: at(1), statuses, bytes, repeated }
}

/** A request as bytes. */
export function request(method: string, path: string, headers: Readonly<Record<string, string>>, body = ''): Buffer {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const sized = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}${sized}\r\n${body}`)
}
