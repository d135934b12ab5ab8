/**
 * A fake live channel below the real `live.ts`: `vi.mock('../api/hub-connection.ts', async () => await
 * import('../../test/hub.ts'))`. A channel outlives its test by a second, so tests of its opening use separate games.
 */
import { act } from 'react'
import { vi } from 'vitest'
import type * as connection from '../src/api/hub-connection.ts'

type Options = Parameters<typeof connection.openHub>[0]

class Connection {
  readonly opened = Promise.withResolvers<void>()
  isOpen = false
  /** The page has closed the connection. */
  isClosed = false
  readonly options: Options
  readonly address: string
  constructor(options: Options) {
    this.options = options
    this.address = options.address
    hub.connections.push(this)
    void this.opened.promise.then(
      () => {
        this.isOpen = true
      },
      () => {},
    )
    if (!hub.waits) this.opened.resolve()
  }
}

export const hub = {
  connections: [] as Connection[],
  /** While true, a channel opens only when the test calls `open`. */
  waits: false,
  open: () => act(async () => hub.connections.at(-1)?.opened.resolve()),
  refuse: () => act(async () => hub.connections.at(-1)?.opened.reject(new Error('refused'))),
  /** Ends the latest connection of a hub; the channel reconnects at once, then with growing delays. */
  lose: (path = '') =>
    act(async () => hub.connections.findLast(({ address }) => address.startsWith(path))?.options.onClose(false)),
  /** Loses all connections and refuses new ones until the channels count as blocked. Needs fake timers and `waits`. */
  block: async () => {
    for (let tries = 0; tries < 4; tries++) {
      // Shorter than the page's wait before a fifth attempt.
      if (tries > 0) await act(async () => void (await vi.advanceTimersByTimeAsync(14_000)))
      await act(async () => {
        for (const { isOpen, opened, options } of new Map(hub.connections.map((one) => [one.address, one])).values())
          if (isOpen) options.onClose(false)
          else opened.reject(new Error('refused'))
      })
    }
  },
  /** Sends a message to all listeners of the hub, for any game. */
  say: (path: string, target: string, message: unknown) =>
    act(async () => {
      for (const { options, address } of hub.connections) if (address.startsWith(path)) options.onMessage(target, message)
    }),
}

export const openHub: typeof connection.openHub = async (options) => {
  const connection = new Connection(options)
  await connection.opened.promise
  return () => {
    connection.isClosed = true
  }
}
