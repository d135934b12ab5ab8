/** What comes from a client of a hub. */
import type { Hub } from '@vexil/contract/hubs'
import { hubLimits } from '@vexil/core/limits'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { watchUnfinished } from '../unfinished-messages.ts'
import type { ConnectionSlot } from './connection-slots.ts'
import { type Connection, dropIfBackedUp } from './hub-connection.ts'
import { queryOf } from './hub-door.ts'
import { openReader, ProtocolBroken } from './hub-protocol.ts'
import { sessionToken } from './session-cookie.ts'

/** The longest head of a frame: a message of the longest size may come in one frame. */
const headBytes = 14

/** A connection whose bytes are counted from now on. `reader` cuts frames into messages. */
export function openConnection(hub: Hub, socket: WebSocket, request: FastifyRequest, slot: ConnectionSlot) {
  const { game } = queryOf(request)
  const reader = openReader()
  const unfinished = watchUnfinished()
  const connection: Connection = {
    hub,
    game: hub.hasGame && /^\d{1,9}$/.test(String(game)) ? Number(game) : null,
    socket,
    stream: request.raw.socket,
    token: sessionToken(request),
    account: request.caller.actor?.id ?? null,
    slot,
    // A message may span frames, and a frame fragments.
    unfinishedSince: () => reader.since() ?? unfinished.since(),
    heardAt: performance.now(),
    sentAt: performance.now(),
  }
  // The WebSocket looks at a message when it is complete; until then the bytes of its fragments are kept.
  connection.stream.on('data', (chunk: Buffer) => {
    unfinished.saw(chunk)
    if (unfinished.bytes() > hubLimits.messageBytes + headBytes) socket.terminate()
  })
  return { connection, reader }
}

/** Binds the events of the socket. Nothing that a client sends throws out of here. */
export function onMessages(
  connection: Connection,
  reader: ReturnType<typeof openReader>,
  { hear, log }: { readonly hear: (message: string) => void; readonly log: FastifyBaseLogger },
): void {
  const { socket } = connection
  const guarded = (handle: (data: Buffer) => void) => (data: Buffer) => {
    connection.heardAt = performance.now()
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
    guarded((data) => reader.read(data.toString()).forEach(hear)),
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
