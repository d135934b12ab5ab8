/** Detects a proxy missing from TRUSTED_PROXIES: all visitors would have its address and share its limits. */
import type { FastifyInstance } from 'fastify'

export interface Forwarding {
  /** The address of an untrusted peer that sent X-Forwarded-For within the last day, or null. */
  untrusted(): string | null
}

const hourMs = 3_600_000
const keptMs = 24 * hourMs

/** Calls `warn` at most once an hour, since anyone may send the header. `now`: a monotonic clock in milliseconds. */
export function watchForwarding(
  app: FastifyInstance,
  warn: (peer: string) => void,
  now: () => number = () => performance.now(),
): Forwarding {
  let seen: { readonly peer: string; readonly at: number } | null = null
  let warnedAt = Number.NEGATIVE_INFINITY
  app.addHook('onRequest', ({ headers, ips, socket }, _reply, done) => {
    done()
    // For a trusted peer `ips` has at least two addresses: its own and the forwarded one.
    if (headers['x-forwarded-for'] === undefined || (ips?.length ?? 1) > 1) return
    const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    seen = { peer, at: now() }
    if (now() - warnedAt < hourMs) return
    warnedAt = now()
    warn(peer)
  })
  return { untrusted: () => (seen && now() - seen.at < keptMs ? seen.peer : null) }
}
