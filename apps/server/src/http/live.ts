/**
 * The live channel: hubs that speak the SignalR JSON protocol over WebSocket (realtime.md), push only.
 * Costs: one frame text per message and hub whoever listens; sockets are written in slices, so that many of them do not hold the thread.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Hubs } from '@vexil/contract/live'
import { atLeast } from '@vexil/core/accounts'
import type { Role } from '@vexil/core/vocabulary'
import { type WebSocket, WebSocketServer } from 'ws'
import { isOwnOrigin } from './origin.ts'
import type { Actor, Http } from './route.ts'
import { cookieName } from './session-cookie.ts'

export type HubPath = keyof Hubs
type Targets<H extends HubPath> = Hubs[H]

/** Who listens. `may` is asked at the door and again whenever rights may have changed. */
export interface Listener {
  readonly hub: HubPath
  /** Game listened to, null on hubs without one. */
  readonly game: number | null
  readonly actor: Actor | null
}

export interface HubDoor {
  readonly path: HubPath
  readonly least: Role | null
  /** Whether the hub wants `?game=`, and how to tell that the game exists. */
  readonly gameExists: ((game: number) => Promise<boolean>) | null
}

export interface Live {
  /** Sends to all who listen to this hub (and game, where the hub has games). `only` leaves listeners out. Returns at once. */
  send<H extends HubPath, T extends keyof Targets<H> & string>(
    hub: H,
    game: number | null,
    target: T,
    argument: Targets<H>[T],
    only?: (listener: Listener) => boolean,
  ): void
  /** Asks for the rights of everybody again and shuts out who has them no more. */
  recheck(): Promise<void>
  /** How many listen. */
  count(hub: HubPath, game: number | null): number
  /** Games that somebody listens to on this hub. */
  gamesOf(hub: HubPath): number[]
  close(): Promise<void>
}

const end = '\x1e'
const ping = `{"type":6}${end}`
const handshakeMs = 15_000
const tokenMs = 15_000
const pingEveryMs = 15_000
const silentMs = 30_000
/** Bytes that may wait for one reader; a slower one is dropped and comes again. */
const waitingBytes = 65_536
const messageBytes = 32_768
const slice = 1000

interface Connection extends Listener {
  actor: Actor | null
  readonly socket: WebSocket
  readonly token: string | null
  shaken: boolean
  heardAt: number
  sentAt: number
  rest: string
}

export interface LiveOptions {
  readonly http: Http
  readonly doors: readonly HubDoor[]
  /** Signs connection tokens, the same on every node. */
  readonly secret: Buffer
  readonly publicUrl: string
  /** Database time in milliseconds, so that nodes with other clocks agree on a token's age. */
  readonly now: () => number
}

export function openLive({ http, doors, secret, publicUrl, now }: LiveOptions): Live {
  const server = new WebSocketServer({ noServer: true, maxPayload: messageBytes, perMessageDeflate: false })
  const connections = new Map<HubPath, Set<Connection>>(doors.map((door) => [door.path, new Set()]))
  const doorAt = (path: string) => doors.find((door) => door.path === path.toLowerCase().replace(/\/$/, ''))

  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url').slice(0, 22)
  const makeToken = (path: string, game: string) => {
    const id = randomBytes(16).toString('base64url')
    const stamp = Math.round(now()).toString(36)
    return { id, token: `${id}.${stamp}.${sign(`${id} ${stamp} ${path} ${game}`)}` }
  }
  const isToken = (token: string, path: string, game: string) => {
    const [id = '', stamp = '', signature = ''] = token.split('.')
    const right = Buffer.from(sign(`${id} ${stamp} ${path} ${game}`))
    const given = Buffer.from(signature)
    const age = now() - Number.parseInt(stamp, 36)
    return right.length === given.length && timingSafeEqual(right, given) && age > -tokenMs && age < tokenMs
  }

  for (const door of doors) {
    http.app.post(`${door.path}/negotiate`, async (request, reply) => {
      const query = request.query as Record<string, string | undefined>
      const { id, token } = makeToken(door.path, query.game ?? '')
      const version = Number(query.negotiateVersion) >= 1 ? 1 : 0
      const transports = [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }]
      reply.header('cache-control', 'no-store')
      return version === 1
        ? { negotiateVersion: 1, connectionId: id, connectionToken: token, availableTransports: transports }
        : { negotiateVersion: 0, connectionId: token, availableTransports: transports }
    })
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? '/', 'http://hub')
    const door = doorAt(url.pathname)
    const refuse = (line: string) => socket.end(`HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    if (!door) return void refuse('404 Not Found')
    if (!isOwnOrigin(request.headers, publicUrl)) return void refuse('403 Forbidden')
    const query = new Map([...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]))
    const id = query.get('id')
    // Clients that skip the negotiation bring no id and get a fresh connection.
    if (id !== undefined && !isToken(id, door.path, query.get('game') ?? '')) return void refuse('404 Not Found')
    const token = cookieOf(request)
    server.handleUpgrade(request, socket, head, (ws) => {
      const game = /^\d{1,10}$/.test(query.get('game') ?? '') ? Number(query.get('game')) : null
      enter(
        {
          hub: door.path,
          game: door.gameExists ? game : null,
          actor: null,
          socket: ws,
          token,
          shaken: false,
          heardAt: now(),
          sentAt: now(),
          rest: '',
        },
        door,
      )
    })
  }

  function enter(connection: Connection, door: HubDoor): void {
    const { socket } = connection
    const late = setTimeout(() => socket.terminate(), handshakeMs)
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      clearTimeout(late)
      connections.get(door.path)?.delete(connection)
    })
    socket.on('message', (data) => {
      connection.heardAt = now()
      const messages = (connection.rest + data.toString()).split(end)
      connection.rest = messages.pop() ?? ''
      if (connection.rest.length > messageBytes) return socket.terminate()
      for (const message of messages) {
        if (connection.shaken) answer(connection, message)
        else {
          connection.shaken = true
          clearTimeout(late)
          shake(connection, door, message).catch(() => socket.terminate())
        }
      }
    })
  }

  /** Answers the handshake; who may not listen is told so and asked not to come again. */
  async function shake(connection: Connection, door: HubDoor, message: string): Promise<void> {
    let wanted: { protocol?: unknown } | null = null
    try {
      wanted = JSON.parse(message)
    } catch {
      // No JSON is no handshake.
    }
    if (wanted?.protocol !== 'json') {
      connection.socket.send(`{"error":"Only the JSON protocol is spoken here."}${end}`)
      connection.socket.close()
      return
    }
    connection.socket.send(`{}${end}`)
    // Entered before it is asked: a right withdrawn in between is then seen by recheck.
    connections.get(door.path)?.add(connection)
    if (!(await mayListen(connection, door))) shutOut(connection)
  }

  async function mayListen(connection: Connection, door: HubDoor): Promise<boolean> {
    connection.actor = connection.token ? ((await http.gate.findActor(connection.token))?.actor ?? null) : null
    if (door.least && !(connection.actor && atLeast(connection.actor.role, door.least))) return false
    if (!door.gameExists) return true
    return connection.game !== null && (await door.gameExists(connection.game))
  }

  function shutOut(connection: Connection): void {
    connections.get(connection.hub)?.delete(connection)
    connection.socket.send(`{"type":7,"error":"Connection refused.","allowReconnect":false}${end}`)
    connection.socket.close()
    setTimeout(() => connection.socket.terminate(), 2000).unref()
  }

  /** A client may only ask in vain: there is no method to call. Everything else is taken in silence. */
  function answer({ socket }: Connection, message: string): void {
    try {
      const { type, invocationId } = JSON.parse(message)
      if ((type === 1 || type === 4) && typeof invocationId === 'string') {
        socket.send(JSON.stringify({ type: 3, invocationId, error: 'There is no such method.' }) + end)
      }
    } catch {
      socket.terminate()
    }
  }

  function write(connection: Connection, frame: string): void {
    if (connection.socket.bufferedAmount > waitingBytes) {
      connection.socket.terminate()
      return
    }
    connection.sentAt = now()
    connection.socket.send(frame)
  }

  // One queue, so that slices of one message never overtake the next message.
  let queue: { to: Connection[]; frame: string }[] = []
  let writing = false
  function drain(): void {
    const job = queue[0]
    if (!job) {
      writing = false
      return
    }
    for (const connection of job.to.splice(0, slice)) write(connection, job.frame)
    if (job.to.length === 0) queue.shift()
    if (queue.length === 0) writing = false
    else setImmediate(drain)
  }

  const beat = setInterval(() => {
    const at = now()
    for (const set of connections.values()) {
      for (const connection of set) {
        if (at - connection.heardAt > silentMs) connection.socket.terminate()
        else if (at - connection.sentAt > pingEveryMs) write(connection, ping)
      }
    }
  }, 5000)
  beat.unref()

  http.app.server.on('upgrade', upgrade)

  return {
    send(hub, game, target, argument, only) {
      const to = [...(connections.get(hub) ?? [])].filter((one) => one.game === game && (!only || only(one)))
      if (to.length === 0) return
      queue.push({ to, frame: JSON.stringify({ type: 1, target, arguments: [argument] }) + end })
      if (!writing) {
        writing = true
        drain()
      }
    },
    async recheck() {
      for (const door of doors) {
        if (!door.least) continue
        for (const connection of connections.get(door.path) ?? []) {
          if (!(await mayListen(connection, door).catch(() => false))) shutOut(connection)
        }
      }
    },
    count: (hub, game) => [...(connections.get(hub) ?? [])].filter((one) => one.game === game).length,
    gamesOf: (hub) => [...new Set([...(connections.get(hub) ?? [])].map((one) => one.game).filter((game) => game !== null))],
    async close() {
      clearInterval(beat)
      queue = []
      http.app.server.off('upgrade', upgrade)
      for (const set of connections.values()) {
        for (const { socket } of set) {
          socket.send(`{"type":7,"allowReconnect":true}${end}`)
          socket.close(1001)
        }
      }
      server.close()
    },
  }
}

function cookieOf(request: IncomingMessage): string | null {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=')
    if (name === cookieName && value && value.length <= 128) return decodeURIComponent(value)
  }
  return null
}
