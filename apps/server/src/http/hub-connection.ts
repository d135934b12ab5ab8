/** A connection to a hub. Every write checks the send buffer, so a client that does not read costs at most `hubLimits.waitingBytes`. */
import type { Duplex } from 'node:stream'
import type { Hub } from '@vexil/contract/hubs'
import { hubLimits } from '@vexil/core/limits'
import type { WebSocket } from 'ws'
import { counts } from '../metrics/counts.ts'
import type { ConnectionSlot } from './connection-slots.ts'
import { closeWithoutReconnect, closeWithReconnect } from './hub-protocol.ts'

export interface Connection {
  readonly hub: Hub
  /** Null: absent or not a number. */
  readonly game: number | null
  readonly socket: WebSocket
  /** The stream below the WebSocket. */
  readonly stream: Duplex
  readonly token: string | null
  /** Null for visitors, and for listeners of a public hub whose account lost access. */
  account: string | null
  readonly slot: ConnectionSlot
  /** Start of the oldest unfinished message by the monotonic clock (ms), or null. */
  readonly unfinishedSince: () => number | null
  /** By the monotonic clock (ms). */
  receivedAt: number
  sentAt: number
}

const closeMs = 2000
const slice = 1000

/** Drops a client with too many unsent bytes; it may reconnect. @returns whether it was dropped */
export function dropIfBackedUp({ socket }: Pick<Connection, 'socket'>): boolean {
  if (socket.bufferedAmount <= hubLimits.waitingBytes) return false
  counts.slowReaders++
  socket.terminate()
  return true
}

export function write(connection: Connection, text: string): void {
  if (dropIfBackedUp(connection)) return
  connection.sentAt = performance.now()
  connection.socket.send(text)
}

/** Uncompressed frames are written to the same stream at once, so the order with the WebSocket's own frames is kept. */
function writeFrame(connection: Connection, frame: Buffer): void {
  const { socket, stream } = connection
  if (socket.readyState !== socket.OPEN || dropIfBackedUp(connection)) return
  connection.sentAt = performance.now()
  stream.write(frame)
}

function closeSoon({ socket }: Connection, code: number): void {
  socket.close(code)
  setTimeout(() => socket.terminate(), closeMs).unref()
}

/** Closes without permission to reconnect. */
export function closePermanently(connection: Connection): void {
  write(connection, closeWithoutReconnect)
  closeSoon(connection, 1000)
}

/** Closes with permission to reconnect. */
export function closeForReconnect(connection: Connection): void {
  write(connection, closeWithReconnect)
  closeSoon(connection, 1001)
}

/** One queue, so that slices of a message never overtake the next message. */
export function openFrameQueue(): { add(to: Connection[], frame: Buffer): void } {
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
  }
}
