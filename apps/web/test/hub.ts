/**
 * The live channel in the hands of a test; everything above the connection is the real one:
 * `vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))`. A channel outlives its test by a second, so
 * tests of how it opens use separate games.
 */
import { act } from 'react'
import type * as connection from '../src/api/hub-connection.ts'

type Options = Parameters<typeof connection.openHub>[0]

class Connection {
  readonly opened = Promise.withResolvers<void>()
  readonly options: Options
  readonly address: string
  constructor(options: Options) {
    this.options = options
    this.address = options.address
    hub.connections.push(this)
    if (!hub.waits) this.opened.resolve()
  }
}

export const hub = {
  connections: [] as Connection[],
  /** While true a channel opens only by `open`. */
  waits: false,
  open: () => act(async () => hub.connections.at(-1)?.opened.resolve()),
  /** The connection cannot be opened. */
  refuse: () => act(async () => hub.connections.at(-1)?.opened.reject(new Error('refused'))),
  /** Ends the connection; the channel tries again at once, and then more and more seldom. */
  lose: () => act(async () => hub.connections.at(-1)?.options.onClose(new Error('lost'))),
  /** Sends a message to all listeners of the hub, for any game. */
  say: (path: string, target: string, message: unknown) =>
    act(async () => {
      for (const { options, address } of hub.connections) if (address.startsWith(path)) options.hear(target, message)
    }),
}

/** In place of the real one. */
export const openHub: typeof connection.openHub = async (options) => {
  await new Connection(options).opened.promise
  return () => {}
}
