/** Time limits for slow clients. Bodies have separate limits (json-body.ts, uploads.ts). */
import { uploadLimits } from '@vexil/core/limits'
import type { FastifyInstance } from 'fastify'

const headersWithin = 15_000
const checkEvery = 2_000
/** Longer than proxies keep connections open (60 s), so that they never send into a closing connection. */
const keepAliveMs = 75_000
/** Delay before a connection with an unread body is closed: at once, the client would often not receive the answer. */
const closeAfter = 3_000

/** Options of Fastify. The time limit for a whole request only backs up those of bodies. */
export const connectionTimes = {
  keepAliveTimeout: keepAliveMs,
  requestTimeout: uploadLimits.adminMs + 10_000,
  http: { headersTimeout: headersWithin, connectionsCheckingInterval: checkEvery },
} as const

/** Stops clients that keep sending a refused body. */
export function closeUnread(app: FastifyInstance): void {
  // The framework would close at once.
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (raw.complete === false) reply.removeHeader('connection')
    done()
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    done()
    const { socket } = raw
    if (raw.complete !== false) return
    const cut = setTimeout(() => raw.destroy(), closeAfter)
    // After the answer, only the socket reports that the client has left.
    const over = () => {
      clearTimeout(cut)
      for (const closing of [raw, socket]) closing.off('close', over)
    }
    for (const closing of [raw, socket]) closing.once('close', over)
  })
}
