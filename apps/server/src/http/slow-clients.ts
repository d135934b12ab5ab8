/** How long a client may take for what it sends. Bodies have separate limits (json-body.ts, uploads.ts). */
import { uploadLimits } from '@vexil/core/limits'
import type { FastifyInstance } from 'fastify'

/** Milliseconds for a connection to send the headers of a request. */
const headersWithin = 15_000
const lookEvery = 2_000
/** Longer than proxies keep theirs open (60 s), so that they never send into a connection that is just being closed. */
const keepIdle = 75_000
/** After an answer to a request that is still arriving. Cut at once, the client would often not see the answer. */
const readOnFor = 3_000

/** Options of Fastify. The time for a whole request is only the net below the times of bodies. */
export const connectionTimes = {
  keepAliveTimeout: keepIdle,
  requestTimeout: uploadLimits.adminMs + 10_000,
  http: { headersTimeout: headersWithin, connectionsCheckingInterval: lookEvery },
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
    const cut = setTimeout(() => raw.destroy(), readOnFor)
    // Node forgets a request that was answered: when its client leaves, the connection alone says so.
    const over = () => {
      clearTimeout(cut)
      for (const closing of [raw, socket]) closing.off('close', over)
    }
    for (const closing of [raw, socket]) closing.once('close', over)
  })
}
