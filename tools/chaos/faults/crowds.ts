/** Listeners that never read, and nodes that are replaced. */
import { WebSocket } from 'ws'
import type { Fault } from './fault.ts'

const readers = 500

const unread: Fault = {
  name: 'never-read',
  how: `${readers} listeners from as many addresses read nothing for 6 s, then end`,
  seconds: 6,
  async plant({ nodes, played }) {
    const sockets = Array.from({ length: readers }, (_, place) => {
      const url = nodes[place % nodes.length]!.url.replace('http', 'ws')
      const headers = { 'x-forwarded-for': `198.51.${place % 100}.${1 + (place % 200)}` }
      const socket = new WebSocket(`${url}/hub/user?game=${played.game}`, { headers })
      socket.on('error', () => undefined)
      socket.on('open', () => {
        socket.send('{"protocol":"json","version":1}\x1e')
        socket.pause()
      })
      return socket
    })
    return async () => {
      for (const socket of sockets) socket.terminate()
    }
  },
}

const rolled: Fault = {
  name: 'rolling-restart',
  how: 'SIGTERM to each node in turn; the next one when the one before is ready again',
  seconds: 0,
  async plant({ nodes }) {
    for (const node of nodes) {
      await node.stop()
      await node.start()
    }
    return async () => undefined
  },
}

export const crowdFaults: readonly Fault[] = [unread, rolled]
