/**
 * The live channel: hubs that speak the SignalR JSON protocol over WebSocket (hub-protocol.ts), push only.
 * Costs: one ready frame per message and audience, however many listen, and some 8 us for each of them; sockets are written in slices, so
 * that many of them do not hold the thread. Every write looks at what waits for the reader, so that a reader who does not read costs
 * `hubLimits.waitingBytes` at most.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Hub, hubs } from '@vexil/contract/hubs'
import type { HubPath, Hubs } from '@vexil/contract/live'
import { hubLimits } from '@vexil/core/limits'
import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { watchUnfinished } from '../unfinished-messages.ts'
import type { ConnectionSlot, ConnectionSlots } from './connection-slots.ts'
import { type Actor, mayUse } from './gate.ts'
import {
  answerTo,
  closeForGood,
  closeForNow,
  handshakeResponse,
  invocation,
  isHandshake,
  openReader,
  ProtocolBroken,
  ping,
  textFrame,
  wrongProtocol,
} from './hub-protocol.ts'
import { openHubTokens } from './hub-tokens.ts'
import { isLocal } from './network.ts'
import { RequestError } from './request-errors.ts'
import { type Http, route, socketRoute } from './route.ts'
import { sessionToken } from './session-cookie.ts'

/** Hubs whose listeners name a game. */
type GameHub = '/hub/user' | '/hub/monitor'
/**
 * Who hears a message: all listeners of a hub without games, or of one game of a hub with games; `only` narrows these to some accounts, to all who
 * are signed in (`accounts`) or to all who are not (`visitors`).
 */
type Audience =
  | { readonly hub: GameHub; readonly game: number; readonly only?: ReadonlySet<string> | 'accounts' | 'visitors' }
  | { readonly hub: Exclude<HubPath, GameHub> }

export interface Live {
  /** Sends to everybody in the audience. Returns at once. */
  send<A extends Audience, T extends keyof Hubs[A['hub']] & string>(to: A, target: T, argument: Hubs[A['hub']][T]): void
  /** Asks for the rights of everybody again: who has them no more is shut out, and listens to public hubs as a visitor. */
  recheck(): Promise<void>
  /** How many listen. */
  count(to: Audience): number
  /** Games with listeners on this hub: connections whose handshake is done and allowed. */
  gamesOf(hub: GameHub): number[]
  close(): Promise<void>
}

interface Connection {
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

export interface LiveOptions {
  readonly http: Http
  readonly gameExists: (game: number) => Promise<boolean>
  /** Signs connection tokens, the same on every node. */
  readonly secret: Buffer
  /** Database time in milliseconds since 1970. */
  readonly now: () => number
  readonly slots: ConnectionSlots
  /** For load tests: as many connections as anybody likes. */
  readonly unlimited: boolean
}

const slice = 1000
const beatMs = 5000
/** The longest head of a frame: a message of the longest size may come in one frame. */
const headBytes = 14
/** How long a closing handshake of the WebSocket may take. */
const closeMs = 2000
const noSlot: ConnectionSlot = { handshakeDone: () => undefined, leave: () => undefined }

/** The query by names in small letters, as clients write them in any letter case. */
const queryOf = (request: FastifyRequest): { readonly game?: unknown; readonly id?: unknown } =>
  Object.fromEntries(Object.entries(request.query as object).map(([name, value]) => [name.toLowerCase(), value]))

export function openLive({ http, gameExists, secret, now, slots, unlimited }: LiveOptions): Live {
  /** Who listens, by hub and game, so that a message costs what its audience costs. */
  const audiences = new Map<string, Set<Connection>>()
  const keyOf = (hub: HubPath, game: number | null) => `${hub} ${game ?? ''}`
  function connectionsOf(to: Audience): Connection[] {
    const all = [...(audiences.get(keyOf(to.hub, 'game' in to ? to.game : null)) ?? [])]
    const only = 'only' in to ? to.only : undefined
    if (only === undefined) return all
    if (only === 'accounts' || only === 'visitors')
      return all.filter(({ account }) => (account === null) === (only === 'visitors'))
    return all.filter(({ account }) => account !== null && only.has(account))
  }
  const tokens = openHubTokens(secret, now)
  const slotOf = new WeakMap<FastifyRequest, ConnectionSlot>()
  /** All that are open, also those without a handshake. */
  const open = new Set<Connection>()

  /** From the upgrade on a client has so long for its handshake. A socket that never becomes a WebSocket ends then, too. */
  const late = new WeakMap<Duplex, NodeJS.Timeout>()
  const startWaiting = (_request: IncomingMessage, socket: Duplex) => {
    const timer = setTimeout(() => socket.destroy(), hubLimits.handshakeWithin).unref()
    late.set(socket, timer)
    socket.once('close', () => clearTimeout(timer))
  }
  http.app.server.on('upgrade', startWaiting)

  for (const hub of hubs) {
    route(http, hub.negotiate, async ({ query }) => {
      const { id, token } = tokens.make(hub.path, query.game ?? '')
      const availableTransports = [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }]
      return Number(query.negotiateVersion) >= 1
        ? { negotiateVersion: 1, connectionId: id, connectionToken: token, availableTransports }
        : { negotiateVersion: 0, connectionId: token, availableTransports }
    })
    socketRoute(http, hub.connect, {
      mayOpen: (request) => mayOpen(hub, request),
      opened: (socket, request) => enter(hub, socket, request),
    })
  }

  /** Throws before the upgrade: 404 for a token that does not fit, 429 for one connection too many. */
  async function mayOpen(hub: Hub, request: FastifyRequest): Promise<void> {
    if (!request.ws) throw new RequestError('request.not_found')
    const { id, game = '' } = queryOf(request)
    // Clients that skip the negotiation bring no id and get a fresh connection.
    if (id !== undefined && !tokens.isValid(String(id), hub.path, String(game))) throw new RequestError('request.not_found')
    const slot = unlimited || isLocal(request) ? noSlot : await slots.take(request.caller)
    if (!slot) throw new RequestError('request.too_many', { retryAfter: 10 })
    request.raw.socket.once('close', slot.leave)
    // A connection that ended while the slot was asked for does not say so again.
    if (request.raw.socket.destroyed) slot.leave()
    slotOf.set(request, slot)
  }

  function enter(hub: Hub, socket: WebSocket, request: FastifyRequest): void {
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
      slot: slotOf.get(request) ?? noSlot,
      // A message may span frames, and a frame fragments.
      unfinishedSince: () => reader.since() ?? unfinished.since(),
      heardAt: performance.now(),
      sentAt: performance.now(),
    }
    open.add(connection)
    let isShaken = false
    const hear = (message: string) => {
      if (isShaken) {
        const answer = answerTo(message)
        if (answer !== null) write(connection, answer)
        return
      }
      isShaken = true
      clearTimeout(late.get(request.raw.socket))
      connection.slot.handshakeDone()
      shake(connection, message).catch(() => socket.terminate())
    }
    // The WebSocket looks at a message when it is complete; until then the bytes of its fragments are kept.
    connection.stream.on('data', (chunk: Buffer) => {
      unfinished.saw(chunk)
      if (unfinished.bytes() > hubLimits.messageBytes + headBytes) socket.terminate()
    })
    listen(connection, (text) => reader.read(text).forEach(hear), reader.count)
  }

  /** Binds the events of the socket. Nothing that a client sends throws out of here. */
  function listen(connection: Connection, frame: (text: string) => void, control: () => void): void {
    const { socket, slot } = connection
    const guarded = (hear: (data: Buffer) => void) => (data: Buffer) => {
      connection.heardAt = performance.now()
      if (data.length > hubLimits.messageBytes) return socket.terminate()
      try {
        hear(data)
      } catch (error) {
        socket.terminate()
        if (!(error instanceof ProtocolBroken)) http.app.log.error({ err: error }, 'fault')
      }
    }
    socket.on('close', () => {
      slot.leave()
      open.delete(connection)
      remove(connection)
    })
    socket.on(
      'message',
      guarded((data) => frame(data.toString())),
    )
    socket.on(
      'ping',
      guarded((data) => {
        control()
        if (isReading(connection)) socket.pong(data)
      }),
    )
    socket.on('pong', guarded(control))
  }

  /** Answers the handshake; who may not listen gets a close message with `allowReconnect: false`. */
  async function shake(connection: Connection, message: string): Promise<void> {
    if (!isHandshake(message)) {
      write(connection, wrongProtocol)
      connection.socket.close()
      return
    }
    write(connection, handshakeResponse)
    // Entered before the right is asked, so that a right withdrawn in between is seen by recheck.
    add(connection)
    if (!(await mayListen(connection))) shutOut(connection)
  }

  function add(connection: Connection): void {
    if (connection.socket.readyState !== connection.socket.OPEN) return
    const key = keyOf(connection.hub.path, connection.game)
    const audience = audiences.get(key) ?? new Set()
    audiences.set(key, audience.add(connection))
  }

  function remove(connection: Connection): void {
    const key = keyOf(connection.hub.path, connection.game)
    const audience = audiences.get(key)
    audience?.delete(connection)
    if (audience?.size === 0) audiences.delete(key)
  }

  async function mayListen({ hub, game, token }: Connection): Promise<boolean> {
    if (hub.least !== 'anyone' && !mayUse(hub.least, await findActor(token))) return false
    return !hub.hasGame || (game !== null && (await gameExists(game)))
  }

  const findActor = async (token: string | null): Promise<Actor | null> =>
    token === null ? null : ((await http.gate.findActor(token))?.actor ?? null)

  async function askAgain(connection: Connection): Promise<void> {
    const { hub, token } = connection
    try {
      if (hub.least === 'anyone') {
        const actor = await findActor(token)
        if (actor?.id !== connection.account || !mayUse('user', actor)) connection.account = null
      } else if (isListening(connection) && !(await mayListen(connection))) shutOut(connection)
    } catch {
      // The right cannot be checked; allowed listeners reconnect when the database is back.
      sendAway(connection)
    }
  }

  const isListening = (connection: Connection): boolean =>
    audiences.get(keyOf(connection.hub.path, connection.game))?.has(connection) ?? false

  function shutOut(connection: Connection): void {
    remove(connection)
    write(connection, closeForGood)
    closeSoon(connection.socket, 1000)
  }

  function sendAway(connection: Connection): void {
    remove(connection)
    write(connection, closeForNow)
    closeSoon(connection.socket, 1001)
  }

  function closeSoon(socket: WebSocket, code: number): void {
    socket.close(code)
    setTimeout(() => socket.terminate(), closeMs).unref()
  }

  /** False for a reader that has too much waiting; it is dropped and comes again. */
  function isReading({ socket }: Connection): boolean {
    if (socket.bufferedAmount <= hubLimits.waitingBytes) return true
    socket.terminate()
    return false
  }

  function write(connection: Connection, text: string): void {
    if (!isReading(connection)) return
    connection.sentAt = performance.now()
    connection.socket.send(text)
  }

  /** Frames are not compressed, so the WebSocket writes its own to the same stream at once, and the order holds. */
  function writeFrame(connection: Connection, frame: Buffer): void {
    const { socket, stream } = connection
    if (!isReading(connection) || socket.readyState !== socket.OPEN) return
    connection.sentAt = performance.now()
    stream.write(frame)
  }

  // One queue, so that slices of one message never overtake the next message.
  const queue: { to: Connection[]; frame: Buffer }[] = []
  let writing = false
  function writeQueue(): void {
    const job = queue[0]
    if (job) {
      for (const connection of job.to.splice(0, slice)) writeFrame(connection, job.frame)
      if (job.to.length === 0) queue.shift()
    }
    writing = queue.length > 0
    if (writing) setImmediate(writeQueue)
  }

  function enqueue(to: Connection[], frame: Buffer): void {
    queue.push({ to, frame })
    if (!writing) writeQueue()
  }

  const beat = setInterval(() => {
    const at = performance.now()
    const quiet: Connection[] = []
    for (const connection of open) {
      const isLate = at - (connection.unfinishedSince() ?? at) > hubLimits.messageWithin
      if (isLate || at - connection.heardAt > hubLimits.silentFor) connection.socket.terminate()
      else if (at - connection.sentAt > hubLimits.pingEvery) quiet.push(connection)
    }
    if (quiet.length > 0) enqueue(quiet, textFrame(ping))
  }, beatMs)
  beat.unref()

  return {
    send(to, target, argument) {
      const concerned = connectionsOf(to)
      if (concerned.length === 0) return
      enqueue(concerned, textFrame(invocation(target, argument)))
    },
    async recheck() {
      const all = [...open].filter(({ hub, account }) => hub.least !== 'anyone' || account !== null)
      // Those that are asked for in one turn share a query.
      for (let at = 0; at < all.length; at += slice) await Promise.all(all.slice(at, at + slice).map(askAgain))
    },
    count: (to) => connectionsOf(to).length,
    gamesOf: (hub) =>
      [...audiences.values()].flatMap((audience) => {
        const [one] = audience
        return one?.hub.path === hub && one.game !== null ? [one.game] : []
      }),
    async close() {
      clearInterval(beat)
      queue.length = 0
      for (const connection of open) {
        sendAway(connection)
      }
    },
  }
}
