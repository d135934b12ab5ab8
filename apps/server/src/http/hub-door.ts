import { type Hub, hubs } from '@vexil/contract/hubs'
import type { FastifyRequest } from 'fastify'
import type { ConnectionSlot, ConnectionSlots } from './connection-slots.ts'
import { openHubTokens } from './hub-tokens.ts'
import { isLocal } from './network.ts'
import { RequestError } from './request-errors.ts'
import { type Http, route } from './route.ts'

export interface HubDoorOptions {
  readonly http: Http
  readonly secret: Buffer
  readonly now: () => number
  readonly slots: ConnectionSlots
  /** No connection limit, for load tests. */
  readonly unlimited: boolean
}

interface HubDoor {
  /** Throws before the upgrade: 404 for an invalid token, 429 without a free slot. */
  mayOpen(hub: Hub, request: FastifyRequest): Promise<void>
  slotOf(request: FastifyRequest): ConnectionSlot
}

const noSlot: ConnectionSlot = { handshakeDone: () => undefined, leave: () => undefined }

export const queryOf = (request: FastifyRequest): { readonly game?: unknown; readonly id?: unknown } =>
  Object.fromEntries(Object.entries(request.query as object).map(([name, value]) => [name.toLowerCase(), value]))

export function openHubDoor({ http, secret, now, slots, unlimited }: HubDoorOptions): HubDoor {
  const tokens = openHubTokens(secret, now)
  const slotsTaken = new WeakMap<FastifyRequest, ConnectionSlot>()

  for (const hub of hubs) {
    route(http, hub.negotiate, async ({ query }) => {
      const { id, token } = tokens.make(hub.path, query.game ?? '')
      const availableTransports = [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }]
      return Number(query.negotiateVersion) >= 1
        ? { negotiateVersion: 1, connectionId: id, connectionToken: token, availableTransports }
        : { negotiateVersion: 0, connectionId: token, availableTransports }
    })
  }

  return {
    async mayOpen(hub, request) {
      if (!request.ws) throw new RequestError('request.not_found')
      const { id, game = '' } = queryOf(request)
      // Clients that skip the negotiation send no id and get a new connection.
      if (id !== undefined && !tokens.isValid(String(id), hub.path, String(game))) throw new RequestError('request.not_found')
      const { socket } = request.raw
      const slot = unlimited || isLocal(request) ? noSlot : await slots.take(request.caller)
      if (!slot) throw new RequestError('request.too_many', { retryAfter: 10 })
      socket.once('close', slot.leave)
      // If the connection ended while the slot was awaited, no `close` event follows.
      if (socket.destroyed) slot.leave()
      slotsTaken.set(request, slot)
    },
    slotOf: (request) => slotsTaken.get(request) ?? noSlot,
  }
}
