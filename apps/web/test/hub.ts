/**
 * The live channel in the hands of a test; everything above the connection is the real one:
 * `vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))`. A channel outlives its test by a second, so
 * tests of how it opens use separate games.
 */
import { act } from 'react'
import { vi } from 'vitest'
import type * as connection from '../src/api/hub-connection.ts'

type Options = Parameters<typeof connection.openHub>[0]

class Connection {
  readonly opened = Promise.withResolvers<void>()
  isOpen = false
  /** The page has closed it. */
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
  /** While true a channel opens only by `open`. */
  waits: false,
  open: () => act(async () => hub.connections.at(-1)?.opened.resolve()),
  /** The connection cannot be opened. */
  refuse: () => act(async () => hub.connections.at(-1)?.opened.reject(new Error('refused'))),
  /** Ends the connection; the channel tries again at once, and then more and more seldom. */
  lose: () => act(async () => hub.connections.at(-1)?.options.onClose(new Error('lost'))),
  /** All are lost and none can be opened, until the page takes its channels for blocked. The test has false timers, and `waits` is set. */
  block: async () => {
    for (let tries = 0; tries < 4; tries++) {
      // Less than the page waits before a fifth try.
      if (tries > 0) await act(async () => void (await vi.advanceTimersByTimeAsync(14_000)))
      await act(async () => {
        for (const { isOpen, opened, options } of new Map(hub.connections.map((one) => [one.address, one])).values())
          if (isOpen) options.onClose(new Error('lost'))
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

/** In place of the real one. */
export const openHub: typeof connection.openHub = async (options) => {
  const connection = new Connection(options)
  await connection.opened.promise
  return () => {
    connection.isClosed = true
  }
}
