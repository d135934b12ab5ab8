/** Ids of requests, by which the log, the error answer and the proxy's own log name the same request. */
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'

const wellFormed = /^[A-Za-z0-9._-]{1,64}$/

/** The `X-Request-Id` of a trusted proxy, otherwise a random id. `proxies`: as in `TRUSTED_PROXIES`. */
export function requestIds(proxies: readonly string[]): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  const isTrusted = proxyAddr.compile([...proxies])
  return ({ headers, socket }) => {
    const given = headers['x-request-id']
    return typeof given === 'string' && wellFormed.test(given) && isTrusted(socket.remoteAddress ?? '', 0)
      ? given
      : Math.random().toString(36).slice(2, 12).padEnd(10, '0')
  }
}
