/** The bus of many nodes: LISTEN/NOTIFY on a connection of its own. What this node says reaches its own listeners directly. */
import { randomUUID } from 'node:crypto'
import type { Bus, EventName, Events } from './bus.ts'
import { openInProcessBus } from './in-process.ts'

/** The part of a database connection that the bus uses. */
export interface Notifier {
  query(text: string, values?: unknown[]): Promise<unknown>
  on(event: 'notification', heard: (message: { channel: string; payload?: string | undefined }) => void): unknown
  on(event: 'error' | 'end', heard: (error?: Error) => void): unknown
  end(): Promise<void>
}

const channel = 'vexil'
/** NOTIFY carries less than 8000 bytes. */
const most = 7000
const gatherMs = 10

type Said = [EventName, Events[EventName]]

/** `connect` gives a fresh connection; after it broke, another is asked for every second and `missed` tells that hints may be lost. */
export async function openPostgresBus(
  connect: () => Promise<Notifier>,
  report: (error: unknown) => void,
  missed: () => void,
): Promise<Bus> {
  const local = openInProcessBus(report)
  const node = randomUUID()
  let connection: Notifier | null = null
  let closed = false
  let waiting: Said[] = []
  let timer: NodeJS.Timeout | null = null

  async function open(): Promise<void> {
    const fresh = await connect()
    let over = false
    const broke = () => {
      if (over) return
      over = true
      connection = null
      if (!closed) retry()
    }
    fresh.on('error', broke)
    fresh.on('end', broke)
    fresh.on('notification', ({ payload }) => {
      const [from, said] = JSON.parse(payload ?? '[]') as [string, Said[]]
      if (from !== node) for (const [name, event] of said) local.publish(name, event)
    })
    await fresh.query(`listen ${channel}`)
    connection = fresh
  }

  function retry(): void {
    setTimeout(() => {
      if (closed) return
      open().then(missed, retry)
    }, 1000).unref()
  }

  /** Sends what waits, one statement after the other on the one connection. */
  async function send(): Promise<void> {
    timer = null
    const said = waiting
    waiting = []
    const parts: Said[][] = [[]]
    let length = 0
    for (const one of said) {
      const size = JSON.stringify(one).length + 1
      if (length + size > most) {
        parts.push([])
        length = 0
      }
      parts.at(-1)?.push(one)
      length += size
    }
    for (const part of parts) {
      if (part.length === 0) continue
      await connection?.query('select pg_notify($1, $2)', [channel, JSON.stringify([node, part])]).catch(report)
    }
  }
  let sending = Promise.resolve()
  const sendNext = () => {
    sending = sending.then(send)
    return sending
  }

  await open()
  return {
    publish(name, event) {
      local.publish(name, event)
      waiting.push([name, event])
      timer ??= setTimeout(sendNext, gatherMs)
    },
    subscribe: local.subscribe,
    async close() {
      closed = true
      if (timer) clearTimeout(timer)
      await sendNext()
      await connection?.end()
      await local.close()
    },
  }
}
