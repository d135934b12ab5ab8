/** One connection through the platform: what comes over a WebSocket goes to a container's TCP port, and back. */
import { connect, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { tunnelLimits } from '@vexil/core/limits'
import { ProxyAddressUnknown, ProxyUnreachable } from '@vexil/core/rules'
import type { WebSocket } from 'ws'
import { codeOf } from '../start-error.ts'
import { watchUnfinished } from '../unfinished-messages.ts'

/** Connects to a container. @throws ProxyAddressUnknown, ProxyUnreachable */
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
    // From here on the tunnel listens; until it does, a reset is no fault.
    socket.on('error', () => undefined)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(late)
  }
}

export interface TunnelOptions {
  readonly client: WebSocket
  /** What the WebSocket reads from. */
  readonly stream: Pick<Readable, 'on'>
  readonly container: Socket
  readonly idleMs: number
  readonly totalMs: number
  /** What all tunnels to this container hold, and all of this process, in bytes. */
  readonly heldTogether: () => { readonly container: number; readonly all: number }
  /** Every chunk as it passes. */
  readonly passed?: (direction: 'in' | 'out', bytes: Uint8Array) => void
  /** Both sides are closed; bytes from and to the client. */
  readonly closed: (bytes: { readonly in: number; readonly out: number }) => void
}

export interface Tunnel {
  /** Bytes of the client that are kept here: of its unfinished message, and those that the container has not taken. */
  held(): number
  /** Closes both sides: 1000 when a limit was reached, 1001 when the container or the node goes. */
  end(code: 1000 | 1001): void
}

function isTooMuch(held: number, heldTogether: TunnelOptions['heldTogether']): boolean {
  const { each, together, eachOfAll, all } = tunnelLimits.heldBytes
  if (held <= eachOfAll) return false
  const sum = heldTogether()
  return sum.all > all || (held > each && sum.container > together)
}

/**
 * Joins both sides. Memory is bounded whatever the speeds: a slow side stops the reading of the other, and a client that holds much is cut off
 * where all clients of its container, or of this process, hold too much, or where a message of it is not complete in time. A container that ends its output is
 * answered by a close frame behind its last byte, and hears the client until that closes, too; a client that closes is passed on as FIN.
 */
export function openTunnel(options: TunnelOptions): Tunnel {
  const { client, stream, container, idleMs, totalMs, heldTogether, passed, closed } = options
  const bytes = { in: 0, out: 0 }
  let heardAt = performance.now()
  const begun = heardAt
  let readAt = heardAt
  let lingering: NodeJS.Timeout | undefined

  const watch = setInterval(() => {
    const now = performance.now()
    if (now - begun >= totalMs || now - heardAt >= idleMs) end(1000)
    // While the container does not take what came before, the rest of a message cannot come.
    if (client.isPaused) readAt = now
    if (now - Math.max(unfinished.since() ?? now, readAt) >= tunnelLimits.messageWithin) client.terminate()
  }, 1000)
  const ping = setInterval(() => client.readyState === client.OPEN && client.ping(), tunnelLimits.pingEvery)

  function end(code: 1000 | 1001): void {
    container.destroy()
    client.close(code)
  }

  const isOver = () => client.readyState === client.CLOSED && container.destroyed
  let reported = false
  function settle(): void {
    if (!isOver() || reported) return
    reported = true
    clearInterval(watch)
    clearInterval(ping)
    clearTimeout(lingering)
    closed(bytes)
  }

  const unfinished = watchUnfinished()
  const held = () => unfinished.bytes() + container.writableLength
  stream.on('data', (chunk: Buffer) => {
    unfinished.saw(chunk)
    if (isTooMuch(held(), heldTogether)) client.terminate()
  })

  client.on('message', (data: Buffer) => {
    heardAt = performance.now()
    bytes.in += data.length
    passed?.('in', data)
    if (container.writable && !container.write(data)) client.pause()
  })
  container.on('drain', () => client.resume())
  client.on('ping', (data) => client.bufferedAmount <= tunnelLimits.waitingBytes && client.pong(data))
  client.on('error', () => client.terminate())
  client.on('close', () => {
    container.end()
    // The client has left, but what the container writes is still captured, and a full buffer would keep it from ending.
    container.resume()
    lingering = setTimeout(() => container.destroy(), tunnelLimits.lingers)
    settle()
  })

  const readOn = () => {
    if (client.bufferedAmount <= tunnelLimits.waitingBytes && container.isPaused()) container.resume()
  }
  container.on('data', (chunk: Buffer) => {
    heardAt = performance.now()
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

  // It may have ended between the dial and here.
  if (container.destroyed) client.close()
  return { held, end }
}
