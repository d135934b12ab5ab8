/** The PROXY protocol, version 1 (haproxy.org, proxy-protocol.txt, 2.1): one line before the first byte of a connection names its client. */
import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import type { End } from './pcap.ts'

/** Including the line end, as in the protocol. */
const lineMost = 107

/** The client that a line names; null for `UNKNOWN`. Throws for anything else. */
export function clientIn(line: string): End | null {
  if (/^PROXY UNKNOWN( |\r\n$)/.test(line)) return null
  const [, family, address = '', port] = /^PROXY TCP([46]) (\S+) \S+ (\d{1,5}) \d{1,5}\r\n$/.exec(line) ?? []
  if (isIP(address) !== Number(family) || Number(port) > 65_535) throw new Error('no header of the PROXY protocol')
  return { address, port: Number(port) }
}

/** Reads the line; the bytes after it stay in the socket. Throws when it is too long or something else, or the socket closes. */
export async function readProxyHeader(socket: Socket): Promise<End | null> {
  let head = Buffer.alloc(0)
  const closed = once(socket, 'close').then(() => Promise.reject(new Error('closed before the header')))
  closed.catch(() => undefined)
  for (;;) {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) {
      await Promise.race([once(socket, 'readable'), closed])
      continue
    }
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n') + 2
    if (end > lineMost || (end < 2 && head.length >= lineMost)) throw new Error('no header of the PROXY protocol')
    if (end < 2) continue
    const client = clientIn(head.toString('latin1', 0, end))
    if (end < head.length) socket.unshift(head.subarray(end))
    return client
  }
}
