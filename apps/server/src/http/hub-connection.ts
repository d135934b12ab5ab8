/**
 * A connection to a hub, and writing to it. Every write looks at what waits for the reader, so that a reader who does not read costs
 * `hubLimits.waitingBytes` at most.
 */
import type { Duplex } from 'node:stream'
import type { Hub } from '@vexil/contract/hubs'
import { hubLimits } from '@vexil/core/limits'
import type { WebSocket } from 'ws'
import type { ConnectionSlot } from './connection-slots.ts'
import { closeForGood, closeForNow } from './hub-protocol.ts'

export interface Connection {
  readonly hub: Hub
  /** null: none, or no number. */
  readonly game: number | null
  readonly socket: WebSocket
  /** What the WebSocket writes to. */
  readonly stream: Duplex
  readonly token: string | null
  /** null for visitors, and for those at a public hub who have lost their account */
  account: string | null
  readonly slot: ConnectionSlot
  /** When its oldest unfinished message began, by the monotonic clock (ms); null: there is none. */
  readonly unfinishedSince: () => number | null
  /** By the monotonic clock (ms). */
  heardAt: number
  sentAt: number
}

/** How long a closing handshake of the WebSocket may take. */
const closeMs = 2000
/** Connections to which one turn of the event loop writes. */
const slice = 1000

/** Drops a reader that has too much waiting; it may connect again. @returns whether it was dropped */
export function dropIfBackedUp({ socket }: Pick<Connection, 'socket'>): boolean {
  if (socket.bufferedAmount <= hubLimits.waitingBytes) return false
  socket.terminate()
  return true
}

export function write(connection: Connection, text: string): void {
  if (dropIfBackedUp(connection)) return
  connection.sentAt = performance.now()
  connection.socket.send(text)
}

/** Frames are not compressed, so the WebSocket writes its own to the same stream at once, and the order holds. */
function writeFrame(connection: Connection, frame: Buffer): void {
  const { socket, stream } = connection
  if (dropIfBackedUp(connection) || socket.readyState !== socket.OPEN) return
  connection.sentAt = performance.now()
  stream.write(frame)
}

function closeSoon({ socket }: Connection, code: number): void {
  socket.close(code)
  setTimeout(() => socket.terminate(), closeMs).unref()
}

/** The listener has no right to listen. */
export function shutOut(connection: Connection): void {
  write(connection, closeForGood)
  closeSoon(connection, 1000)
}

/** The listener may connect again. */
export function sendAway(connection: Connection): void {
  write(connection, closeForNow)
  closeSoon(connection, 1001)
}

/** One queue, so that slices of one message never overtake the next message. */
export function openFrameQueue(): { add(to: Connection[], frame: Buffer): void; clear(): void } {
  const queue: { to: Connection[]; frame: Buffer }[] = []
  let writing = false
  function writeNext(): void {
    const job = queue[0]
    if (job) {
      for (const connection of job.to.splice(0, slice)) writeFrame(connection, job.frame)
      if (job.to.length === 0) queue.shift()
    }
    writing = queue.length > 0
    if (writing) setImmediate(writeNext)
  }
  return {
    add(to, frame) {
      queue.push({ to, frame })
      if (!writing) writeNext()
    },
    clear() {
      queue.length = 0
    },
  }
}
