/**
 * The live channel in the hands of a test; everything above the protocol's library is the real one:
 * `vi.mock('@microsoft/signalr', async () => (await import('../../test/hub.ts')).signalr)`. A channel outlives its test by a second, so
 * tests of how it opens use games of their own.
 */
import { act } from 'react'

type Hear = (message: unknown) => void

class Connection {
  readonly targets = new Map<string, Hear>()
  readonly opened = Promise.withResolvers<void>()
  readonly address: string
  closed: (error?: Error) => void = () => {}
  serverTimeoutInMilliseconds = 0
  constructor(address: string) {
    this.address = address
    hub.connections.push(this)
    if (!hub.waits) this.opened.resolve()
  }
  on = (target: string, hear: Hear) => void this.targets.set(target, hear)
  onclose = (closed: (error?: Error) => void) => {
    this.closed = closed
  }
  start = () => this.opened.promise
  stop = async () => {}
}

export const hub = {
  connections: [] as Connection[],
  /** While true a channel opens only by `open`. */
  waits: false,
  open: () => act(async () => hub.connections.at(-1)?.opened.resolve()),
  /** Ends the connection; the channel tries again at once, and then more and more seldom. */
  lose: () => act(async () => hub.connections.at(-1)?.closed(new Error('lost'))),
  /** Sends a message to whoever listens to the hub, whatever the game. */
  say: (path: string, target: string, message: unknown) =>
    act(async () => {
      for (const { address, targets } of hub.connections) if (address.startsWith(path)) targets.get(target)?.(message)
    }),
}

export const signalr = {
  HttpTransportType: { WebSockets: 1 },
  LogLevel: { None: 6 },
  HubConnectionBuilder: class {
    private address = ''
    withUrl(address: string) {
      this.address = address
      return this
    }
    configureLogging() {
      return this
    }
    build() {
      return new Connection(this.address)
    }
  },
}
