/** Hubs of the live channel: paths and access. Their messages are in live.ts. */
import * as Type from 'typebox'
import { type Access, endpoint } from './endpoint.ts'
import type { HubPath } from './live.ts'

/** Identifiers of a hub connection; longer texts are refused. */
const text = Type.Optional(Type.String({ maxLength: 256 }))

const Negotiation = Type.Object({
  negotiateVersion: Type.Integer(),
  connectionId: Type.String(),
  /** Absent in version 0. */
  connectionToken: Type.Optional(Type.String()),
  availableTransports: Type.Array(Type.Object({ transport: Type.String(), transferFormats: Type.Array(Type.String()) })),
})

interface HubRules {
  readonly summary: string
  /** Minimum role, checked after the handshake: a listener is refused by a close message, as clients expect. */
  readonly least: Access
  /** Listeners specify a game with `?game=`. */
  readonly hasGame: boolean
  readonly foreignOrigins: boolean
  readonly beforeSetUp?: boolean
  readonly ours?: boolean
}

function hub<const P extends HubPath>(path: P, rules: HubRules) {
  const { summary, foreignOrigins, beforeSetUp = false, ours = false } = rules
  const shared = { access: 'anyone', foreignOrigins, beforeSetUp, ours } as const
  const query = Type.Object({ game: text, id: text, negotiateVersion: text })
  return {
    path,
    ...rules,
    negotiate: endpoint(`POST ${path}/negotiate`, {
      ...shared,
      summary: `Negotiate (SignalR, JSON): ${summary}`,
      query,
      reply: Negotiation,
    }),
    connect: endpoint(`GET ${path}`, { ...shared, summary, query, sends: 'socket', throws: ['request.not_found'] }),
  }
}
export type Hub = ReturnType<typeof hub>

export const userHub = hub('/hub/user', {
  summary: 'Notices and scoreboard changes of a game, for everyone',
  least: 'anyone',
  hasGame: true,
  foreignOrigins: true,
})
export const siteHub = hub('/hub/site', {
  summary: 'Changes of settings, for pages outside of a game',
  least: 'anyone',
  hasGame: false,
  foreignOrigins: false,
  beforeSetUp: true,
  ours: true,
})
export const monitorHub = hub('/hub/monitor', {
  summary: 'Events and submissions of a game, for monitors',
  least: 'monitor',
  hasGame: true,
  foreignOrigins: false,
})
export const adminHub = hub('/hub/admin', {
  summary: 'Log entries, for administrators',
  least: 'admin',
  hasGame: false,
  foreignOrigins: false,
})

export const hubs: readonly Hub[] = [userHub, siteHub, monitorHub, adminHub]
