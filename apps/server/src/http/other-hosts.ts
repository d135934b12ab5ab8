/** Other hosts on the same port: their requests never reach the platform's routes, hooks or parsers. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyHttpOptions, FastifyServerFactory } from 'fastify'

export interface OtherHosts {
  matches(host: string | undefined): boolean
  /** Set once, before the server listens. */
  handlers: {
    request(request: IncomingMessage, response: ServerResponse): void
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  }
}

/** `base` and its subdomains, with any port. */
export function hostsBelow(base: string): OtherHosts {
  return {
    matches(host) {
      const name = host?.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
      return name !== undefined && (name === base || name.endsWith(`.${base}`))
    },
    handlers: {
      request: (_request, response) => void response.writeHead(404).end(),
      upgrade: (_request, socket) => void socket.destroy(),
    },
  }
}

/** Creates servers that hand requests to other hosts over. Fastify creates several, one per address of `localhost`. */
export function apart(others: OtherHosts): FastifyServerFactory {
  return (own, options) => {
    const { http, keepAliveTimeout, requestTimeout } = options as FastifyHttpOptions<Server>
    const answer: RequestListener = (request, response) =>
      others.matches(request.headers.host) ? others.handlers.request(request, response) : own(request, response)
    const server = createServer(
      { ...http, ...(keepAliveTimeout && { keepAliveTimeout }), ...(requestTimeout && { requestTimeout }) },
      answer,
    )
    keepUpgrades(server, others)
    return server
  }
}

/** Keeps upgrades of other hosts from the server's `upgrade` listeners. */
function keepUpgrades(server: Server, others: OtherHosts): void {
  const emit = server.emit.bind(server) as (event: string, ...rest: unknown[]) => boolean
  server.emit = (event: string, ...rest: unknown[]) => {
    const [request, socket, head] = rest as [IncomingMessage, Duplex, Buffer]
    if (event !== 'upgrade' || !others.matches(request.headers.host)) return emit(event, ...rest)
    others.handlers.upgrade(request, socket, head)
    return true
  }
}
