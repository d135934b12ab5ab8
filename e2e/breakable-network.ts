/** A TCP connection between browsers and a platform that tests can break. */
import { once } from 'node:events'
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'

export interface Wire {
  readonly url: string
  /** Forwards everything again, from now on to `platform` if it is given. */
  mend(platform?: { readonly url: string }): void
  /** Resets all connections and every new one. */
  reset(): void
  /** Forwards nothing and closes nothing: sent data is lost, and connections opened in this state never recover. */
  swallow(): void
  close(): void
}

export async function layWire(platform: { readonly url: string }): Promise<Wire> {
  let state: 'whole' | 'reset' | 'swallows' = 'whole'
  let target = new URL(platform.url)
  const sockets = new Set<Socket>()
  /** Connections that lost something: later bytes are dropped too. */
  const dead = new WeakSet<Socket>()
  const server = createServer((near) => {
    if (state === 'reset') return void near.resetAndDestroy()
    const far = dial(Number(target.port), target.hostname)
    const pairs = [
      [near, far],
      [far, near],
    ] as const
    for (const [from, to] of pairs) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        if (!dead.has(to)) to.destroy()
      })
      from.on('data', (bytes) => {
        if (state === 'swallows') for (const one of [near, far]) dead.add(one)
        if (!dead.has(from)) to.write(bytes)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mend(next) {
      if (next) target = new URL(next.url)
      state = 'whole'
    },
    reset() {
      state = 'reset'
      cut()
    },
    swallow() {
      state = 'swallows'
      for (const socket of sockets) dead.add(socket)
    },
    close() {
      server.close()
      cut()
    },
  }
}
