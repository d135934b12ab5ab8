import type { Hub } from '@vexil/contract/hubs'
import { hubLimits } from '@vexil/core/limits'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { watchUnfinished } from '../unfinished-messages.ts'
import type { ConnectionSlot } from './connection-slots.ts'
import { mayUse } from './gate.ts'
import { type Connection, dropIfBackedUp } from './hub-connection.ts'
import { queryOf } from './hub-door.ts'
import { openReader, ProtocolBroken } from './hub-protocol.ts'
import { sessionToken } from './session-cookie.ts'

/** The longest frame header: a message of maximum size may be one frame. */
const headBytes = 14

/** Starts counting the bytes of the connection. `reader` splits frames into messages. */
export function openConnection(hub: Hub, socket: WebSocket, request: FastifyRequest, slot: ConnectionSlot) {
  const { game } = queryOf(request)
  const { actor } = request.caller
  const reader = openReader()
  const unfinished = watchUnfinished()
  const connection: Connection = {
    hub,
    game: hub.hasGame && /^\d{1,9}$/.test(String(game)) ? Number(game) : null,
    socket,
    stream: request.raw.socket,
    token: sessionToken(request),
    account: actor && mayUse('user', actor) ? actor.id : null,
    slot,
    // A message may span several frames, and a frame several fragments.
    unfinishedSince: () => reader.since() ?? unfinished.since(),
    receivedAt: performance.now(),
    sentAt: performance.now(),
  }
  // The WebSocket checks only complete messages, and keeps fragments until then.
  connection.stream.on('data', (chunk: Buffer) => {
    unfinished.saw(chunk)
    if (unfinished.bytes() > hubLimits.messageBytes + headBytes) socket.terminate()
  })
  return { connection, reader }
}

/** Subscribes to the events of the socket. Never throws because of a client's data. */
export function onMessages(
  connection: Connection,
  reader: ReturnType<typeof openReader>,
  { receive, log }: { readonly receive: (message: string) => void; readonly log: FastifyBaseLogger },
): void {
  const { socket } = connection
  const guarded = (handle: (data: Buffer) => void) => (data: Buffer) => {
    connection.receivedAt = performance.now()
    if (data.length > hubLimits.messageBytes) return socket.terminate()
    try {
      handle(data)
    } catch (error) {
      socket.terminate()
      if (!(error instanceof ProtocolBroken)) log.error({ err: error }, 'fault')
    }
  }
  socket.on(
    'message',
    guarded((data) => reader.read(data.toString()).forEach(receive)),
  )
  socket.on(
    'ping',
    guarded((data) => {
      reader.count()
      if (!dropIfBackedUp(connection)) socket.pong(data)
    }),
  )
  socket.on('pong', guarded(reader.count))
}
