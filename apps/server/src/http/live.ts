/**
 * Push-only hubs (hub-protocol.ts). Costs one frame per message and audience, and about 8 us per listener; sockets are written in slices, so that
 * large audiences do not block the thread.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Hub, hubs } from '@vexil/contract/hubs'
import type { Hubs } from '@vexil/contract/live'
import { hubLimits } from '@vexil/core/limits'
import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { every } from '../every.ts'
import { countOne } from '../metrics/counts.ts'
import { type Audience, type GameHub, openAudiences } from './hub-audiences.ts'
import { type Connection, closeForReconnect, openFrameQueue, write } from './hub-connection.ts'
import { type HubDoorOptions, openHubDoor } from './hub-door.ts'
import { onMessages, openConnection } from './hub-messages.ts'
import { answerTo, invocation, ping, textFrame } from './hub-protocol.ts'
import { openHubRights } from './hub-rights.ts'
import { socketRoute } from './route.ts'

export interface Live {
  send<A extends Audience, T extends keyof Hubs[A['hub']] & string>(to: A, target: T, argument: Hubs[A['hub']][T]): void
  /** Checks all rights again; listeners without access are closed, or stay as visitors on public hubs. */
  recheck(): Promise<void>
  count(to: Audience): number
  /** Games with listeners on this hub whose handshake was accepted. */
  gamesOf(hub: GameHub): number[]
  /** Open connections by path of the hub, also before the handshake. */
  listeners(): Map<string, number>
  /** Closes the connections that are open at the call in equal parts over the given milliseconds, with permission to reconnect; none for 0. */
  drain(ms: number): Promise<void>
  close(): Promise<void>
}

export interface LiveOptions extends HubDoorOptions {
  readonly gameExists: (game: number) => Promise<boolean>
}

const beatMs = 5000
const atOnce = 1000
const drainEveryMs = 100

export function openLive(options: LiveOptions): Live {
  const { http } = options
  const door = openHubDoor(options)
  const audiences = openAudiences()
  const rights = openHubRights(options, audiences)
  const frames = openFrameQueue()
  /** All open connections, also before the handshake. */
  const open = new Set<Connection>()

  for (const hub of hubs) {
    socketRoute(http, hub.connect, {
      mayOpen: (request) => door.mayOpen(hub, request),
      opened: (socket, request) => enter(hub, socket, request),
    })
  }

  function enter(hub: Hub, socket: WebSocket, request: FastifyRequest): void {
    const { connection, reader } = openConnection(hub, socket, request, door.slotOf(request))
    open.add(connection)
    let handshakeDone = false
    const late = setTimeout(() => socket.terminate(), hubLimits.handshakeWithin).unref()
    const receive = (message: string) => {
      if (handshakeDone) {
        const answer = answerTo(message)
        if (answer !== null) write(connection, answer)
        return
      }
      handshakeDone = true
      clearTimeout(late)
      connection.slot.handshakeDone()
      rights.greet(connection, message).catch(() => socket.terminate())
    }
    socket.on('close', () => {
      clearTimeout(late)
      connection.slot.leave()
      open.delete(connection)
      audiences.remove(connection)
    })
    onMessages(connection, reader, { receive, log: http.app.log })
  }

  function beat(): void {
    const at = performance.now()
    const quiet: Connection[] = []
    for (const connection of open) {
      const isLate = at - (connection.unfinishedSince() ?? at) > hubLimits.messageWithin
      if (isLate || at - connection.receivedAt > hubLimits.silentFor) connection.socket.terminate()
      else if (at - connection.sentAt > hubLimits.pingEvery) quiet.push(connection)
    }
    if (quiet.length > 0) frames.add(quiet, textFrame(ping))
  }
  const timer = every(beatMs, beat, (error) => http.app.log.error({ err: error }, 'fault'))

  function closeAll(some: readonly Connection[]): void {
    for (const connection of some) {
      open.delete(connection)
      audiences.remove(connection)
      closeForReconnect(connection)
    }
  }

  return {
    send(to, target, argument) {
      const concerned = audiences.connectionsOf(to)
      if (concerned.length === 0) return
      frames.add(concerned, textFrame(invocation(target, argument)))
    },
    async recheck() {
      const all = [...open].filter(({ hub, account }) => hub.least !== 'anyone' || account !== null)
      // Checks in one turn share a query.
      for (let at = 0; at < all.length; at += atOnce) await Promise.all(all.slice(at, at + atOnce).map(rights.checkAgain))
    },
    count: (to) => audiences.connectionsOf(to).length,
    gamesOf: audiences.gamesOf,
    listeners() {
      const byHub = new Map<string, number>(hubs.map(({ path }) => [path, 0]))
      for (const { hub } of open) countOne(byHub, hub.path)
      return byHub
    },
    async drain(ms) {
      let kept = [...open]
      for (let left = Math.ceil(ms / drainEveryMs); left > 0 && kept.length > 0; left--) {
        closeAll(kept.splice(0, Math.ceil(kept.length / left)))
        await sleep(drainEveryMs)
        kept = kept.filter((connection) => open.has(connection))
      }
    },
    async close() {
      void timer.close()
      closeAll([...open])
    },
  }
}
