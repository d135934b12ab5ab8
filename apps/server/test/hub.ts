/** A listener at a hub, over a real socket. */
import type { AddressInfo } from 'node:net'
import { vi } from 'vitest'
import { WebSocket } from 'ws'
import { mustBeMessageAsDescribed } from './described.ts'
import type { TestPlatform } from './platform.ts'

export interface Heard {
  readonly target: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into messages of every shape
  readonly argument: any
}

/** Connects and completes the handshake. `until` waits for a matching message. */
export async function listenAt(platform: TestPlatform, path: string, headers: Record<string, string> = {}) {
  const { server } = platform.app
  if (!server.listening) await platform.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.address() as AddressInfo
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers })
  const received: Heard[] = []
  let handshakeDone = false
  socket.on('message', (data) => {
    for (const frame of String(data).split('\x1e').filter(Boolean)) {
      const message = JSON.parse(frame)
      if (message.type === 1) {
        mustBeMessageAsDescribed(message.target, message.arguments[0])
        received.push({ target: message.target, argument: message.arguments[0] })
      } else if (message.type === undefined) handshakeDone = true
    }
  })
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  socket.send('{"protocol":"json","version":1}\x1e')
  await vi.waitFor(() => {
    if (!handshakeDone) throw new Error('no handshake')
  }, 5000)
  return {
    received,
    until: (target: string, fits: (argument: Heard['argument']) => boolean = () => true): Promise<Heard> =>
      vi.waitFor(
        () => {
          const found = received.find((message) => message.target === target && fits(message.argument))
          if (!found) throw new Error(`no ${target} was heard`)
          return found
        },
        { timeout: 5000, interval: 10 },
      ),
    isOpen: () => socket.readyState === WebSocket.OPEN,
    close: () => socket.close(),
  }
}
