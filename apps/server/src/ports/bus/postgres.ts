/** The bus for several nodes: LISTEN/NOTIFY on a separate connection. Events of this node reach its own listeners directly. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from './bus.ts'
import { openInProcessBus } from './in-process.ts'
import { type NamedEvent, readMessage, writeMessages } from './message.ts'

export interface Notifier {
  query(text: string, values?: unknown[]): Promise<unknown>
  on(event: 'notification', listener: (message: { channel: string; payload?: string | undefined }) => void): unknown
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown
  end(): Promise<void>
}

interface Line {
  readonly connection: Notifier
  readonly over: Promise<void>
}

interface Options {
  readonly connect: () => Promise<Notifier>
  readonly onError: (error: unknown) => void
  readonly pauseMs?: number
}

const channel = 'vexil'
const gatherMs = 10
/** Maximum messages that wait for a connection (8 kB each); the oldest are dropped. */
const unsentMost = 1000

/** `signal` ends a connection that does not listen yet. */
async function listen(
  { connect, signal }: Pick<Options, 'connect'> & { readonly signal: AbortSignal },
  listener: (payload: string | undefined) => void,
): Promise<Line> {
  const connection = await connect()
  const end = () => void connection.end().catch(() => undefined)
  const over = new Promise<void>((ended) => {
    connection.on('error', () => ended())
    connection.on('end', () => ended())
  })
  connection.on('notification', ({ payload }) => listener(payload))
  const broken = over.then(() => {
    throw new Error('The connection of the bus ended while it began to listen.')
  })
  signal.addEventListener('abort', end)
  try {
    await Promise.race([connection.query(`listen ${channel}`), broken])
    signal.throwIfAborted()
    return { connection, over }
  } catch (error) {
    end()
    throw error
  } finally {
    signal.removeEventListener('abort', end)
  }
}

export async function openPostgresBus({ connect, onError, pauseMs = 250 }: Options): Promise<Bus> {
  const local = openInProcessBus(onError)
  const node = randomUUID()
  const closing = new AbortController()
  const listenOnce = () =>
    listen({ connect, signal: closing.signal }, (payload) => {
      for (const [name, event] of readMessage(node, payload)) local.publish(name, event)
    })
  let line: Line | null = await listenOnce()
  const lossListeners: (() => void)[] = []
  let waiting: NamedEvent[] = []
  /** Messages that are not sent yet, the oldest first. */
  const unsent: string[] = []
  let timer: NodeJS.Timeout | null = null
  let sending = Promise.resolve()

  /** Retries until it listens; null when the bus is closed. */
  async function listenAgain(): Promise<Line | null> {
    for (let reported = false; ; reported = true) {
      await sleep(pauseMs, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
      if (closing.signal.aborted) return null
      try {
        return await listenOnce()
      } catch (error) {
        if (!reported && !closing.signal.aborted) onError(error)
      }
    }
  }

  async function keepListening(): Promise<void> {
    while (line) {
      await line.over
      line.connection.end().catch(() => undefined)
      line = null
      line = await listenAgain()
      if (!line) return
      void sendNext()
      for (const listener of lossListeners) listener()
    }
  }
  const kept = keepListening()

  async function send(): Promise<void> {
    timer = null
    unsent.push(...writeMessages(node, waiting))
    waiting = []
    unsent.splice(0, unsent.length - unsentMost)
    // After a failure the next call sends the rest; there is one when the bus listens again.
    for (let sent = true; sent && line && unsent[0] !== undefined; ) {
      const notified = line.connection.query('select pg_notify($1, $2)', [channel, unsent[0]])
      sent = await notified.then(
        () => true,
        () => false,
      )
      if (sent) unsent.shift()
    }
  }
  const sendNext = () => {
    sending = sending.then(send)
    return sending
  }

  return {
    publish(name, event) {
      if (closing.signal.aborted) return
      local.publish(name, event)
      waiting.push([name, event])
      timer ??= setTimeout(sendNext, gatherMs)
    },
    subscribe: local.subscribe,
    onLoss: (listener) => void lossListeners.push(listener),
    async close() {
      closing.abort()
      if (timer) clearTimeout(timer)
      await sendNext()
      await line?.connection.end().catch(() => undefined)
      await kept
      await local.close()
    },
  }
}
