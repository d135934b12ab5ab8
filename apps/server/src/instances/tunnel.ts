import { connect, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { tunnelLimits } from '@vexil/core/limits'
import { ProxyAddressUnknown, ProxyUnreachable } from '@vexil/core/rules'
import type { WebSocket } from 'ws'
import { codeOf } from '../start-error.ts'
import { watchUnfinished } from '../unfinished-messages.ts'

/** @throws ProxyAddressUnknown, ProxyUnreachable */
export async function dial(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, allowHalfOpen: true, noDelay: true })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const late = setTimeout(() => reject(new ProxyUnreachable({ reason: 'ETIMEDOUT' })), tunnelLimits.dialWithin)
  socket.once('connect', resolve)
  socket.once('error', (error) => {
    const code = codeOf(error) || error.message
    reject(/^(ENOTFOUND|EAI_AGAIN)$/.test(code) ? new ProxyAddressUnknown() : new ProxyUnreachable({ reason: code }))
  })
  try {
    await promise
    // A reset before the tunnel adds its own listener is not a fault.
    socket.on('error', () => undefined)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(late)
  }
}

const closeMs = 2_000

export interface TunnelOptions {
  readonly client: WebSocket
  readonly stream: Pick<Readable, 'on'>
  readonly container: Socket
  readonly idleMs: number
  readonly totalMs: number
  /** Bytes held by all tunnels to this container, and by all of this process. */
  readonly heldTogether: () => { readonly container: number; readonly all: number }
  readonly passed?: (direction: 'in' | 'out', bytes: Uint8Array) => void
  /** Called when both sides are closed, with the bytes from (`in`) and to (`out`) the client. */
  readonly closed: (bytes: { readonly in: number; readonly out: number }) => void
}

export interface Tunnel {
  /** Buffered bytes from the client: its unfinished message, and what the container has not taken. */
  held(): number
  /** Closes both sides: 1000 when a limit is reached, 1001 when the container or the node ends. */
  end(code: 1000 | 1001): void
}

function isTooMuch(held: number, heldTogether: TunnelOptions['heldTogether']): boolean {
  const { each, together, eachOfAll, all } = tunnelLimits.heldBytes
  if (held <= eachOfAll) return false
  const sum = heldTogether()
  return sum.all > all || (held > each && sum.container > together)
}

/**
 * Joins both sides. Memory is bounded: a slow side pauses reading from the other, and a client with much buffered data is disconnected
 * if all clients of its container, or of this process, buffer too much, or if its message is not complete in time. When a container ends
 * its output, a close frame follows the last byte, and the client can still send until it closes. A client's close is passed on as FIN.
 */
export function openTunnel(options: TunnelOptions): Tunnel {
  const { client, stream, container, idleMs, totalMs, heldTogether, passed, closed } = options
  const bytes = { in: 0, out: 0 }
  let receivedAt = performance.now()
  const startedAt = receivedAt
  let readAt = receivedAt
  let lingering: NodeJS.Timeout | undefined
  let closing: NodeJS.Timeout | undefined

  const watch = setInterval(() => {
    const now = performance.now()
    if (now - startedAt >= totalMs || now - receivedAt >= idleMs) end(1000)
    // The rest of a message cannot arrive while reading from the client is paused.
    if (client.isPaused) readAt = now
    if (now - Math.max(unfinished.since() ?? now, readAt) >= tunnelLimits.messageWithin) client.terminate()
  }, 1000)
  const ping = setInterval(() => client.readyState === client.OPEN && client.ping(), tunnelLimits.pingEvery)

  function end(code: 1000 | 1001): void {
    container.destroy()
    client.close(code)
    // The library would wait half a minute for a client that is gone.
    closing ??= setTimeout(() => client.terminate(), closeMs)
  }

  const isOver = () => client.readyState === client.CLOSED && container.destroyed
  let reported = false
  function settle(): void {
    if (!isOver() || reported) return
    reported = true
    clearInterval(watch)
    clearInterval(ping)
    clearTimeout(lingering)
    clearTimeout(closing)
    closed(bytes)
  }

  const unfinished = watchUnfinished()
  const held = () => unfinished.bytes() + container.writableLength
  stream.on('data', (chunk: Buffer) => {
    unfinished.saw(chunk)
    if (isTooMuch(held(), heldTogether)) client.terminate()
  })

  client.on('message', (data: Buffer) => {
    receivedAt = performance.now()
    bytes.in += data.length
    passed?.('in', data)
    if (container.writable && !container.write(data)) client.pause()
  })
  container.on('drain', () => client.resume())
  client.on('ping', (data) => client.bufferedAmount <= tunnelLimits.waitingBytes && client.pong(data))
  client.on('error', () => client.terminate())
  client.on('close', () => {
    container.end()
    // The client has left, but the container's output is still captured, and a full buffer would keep the socket open.
    container.resume()
    lingering = setTimeout(() => container.destroy(), tunnelLimits.lingers)
    settle()
  })

  const readOn = () => {
    if (client.bufferedAmount <= tunnelLimits.waitingBytes && container.isPaused()) container.resume()
  }
  container.on('data', (chunk: Buffer) => {
    receivedAt = performance.now()
    bytes.out += chunk.length
    passed?.('out', chunk)
    if (client.readyState !== client.OPEN) return
    for (let start = 0; start < chunk.length; start += tunnelLimits.frameBytes)
      client.send(chunk.subarray(start, start + tunnelLimits.frameBytes), { binary: true }, readOn)
    if (client.bufferedAmount > tunnelLimits.waitingBytes) container.pause()
  })
  container.on('end', () => client.close())
  container.on('close', () => {
    client.close()
    settle()
  })

  // The container may have ended after the dial.
  if (container.destroyed) client.close()
  return { held, end }
}
