/** Listens to a hub the way bots do: a bare WebSocket without negotiation. */
import { once } from 'node:events'
import { WebSocket } from 'ws'

export interface HubListener {
  /** Arguments of what was received so far under this target. */
  received(target: string): unknown[]
  close(): void
}

/** `address` of a listening platform; `hub` with its query. Resolves once the server has shaken hands. */
export async function listenToHub(address: string, hub: string, cookie?: string): Promise<HubListener> {
  const socket = new WebSocket(address.replace(/^http/, 'ws') + hub, { headers: cookie ? { cookie } : {} })
  const messages: { type?: number; target?: string; arguments?: unknown[] }[] = []
  await once(socket, 'open')
  const shaken = once(socket, 'message')
  socket.on('message', (data) => {
    for (const part of data.toString().split('\x1e')) if (part) messages.push(JSON.parse(part))
  })
  socket.send('{"protocol":"json","version":1}\x1e')
  await shaken
  return {
    received: (target) => messages.filter((message) => message.target === target).map((message) => message.arguments?.[0]),
    close: () => socket.terminate(),
  }
}
