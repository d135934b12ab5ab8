/** Follows each request: its id in answer and log, and a line when it was slow. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { countRequest } from '../metrics/counts.ts'
import { type RequestTrace, runFor } from '../request-trace.ts'
import { pathOf } from './path.ts'

declare module 'fastify' {
  interface FastifyRequest {
    trace: RequestTrace
  }
}

/** Milliseconds in gate and handler from which a request is logged. */
const slowMs = 1_000

export function followRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    request.trace = { id: request.id, startedAt: performance.now(), databaseMs: 0 }
    runFor(request.trace, done)
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    const now = performance.now()
    countRequest(request.routeOptions.config.endpoint ?? null, reply.statusCode, ownTime(request, now).all / 1000)
    const slow = slowRequest(request, now)
    if (slow)
      request.log.warn({ ...slow, httpStatus: reply.statusCode }, `Slow request: ${request.method} ${pathOf(request.url)}`)
    done()
  })
}

/**
 * Milliseconds in gate, database (part of both others) and handler, or null for a request that was not slow. The time in which the client sends its
 * body is not counted, so uploads are not judged.
 */
export function slowRequest(
  { trace, arrived, routeOptions }: Pick<FastifyRequest, 'trace' | 'arrived' | 'routeOptions'>,
  now: number,
): { readonly gate: number; readonly database: number; readonly handler: number } | null {
  if (routeOptions.config.endpoint?.shape.upload !== undefined) return null
  const { gate, handler, all } = ownTime({ trace, arrived }, now)
  if (all < slowMs) return null
  return { gate: Math.round(gate), database: Math.round(trace.databaseMs), handler: Math.round(handler) }
}

/** Milliseconds that the request has taken, without the time in which the client sent its body. */
function ownTime({ trace, arrived }: Pick<FastifyRequest, 'trace' | 'arrived'>, now: number) {
  const gate = (trace.admitted ?? now) - trace.startedAt
  const handler = arrived === undefined ? 0 : now - arrived
  return { gate, handler, all: gate + handler }
}
