/** Notices a proxy that is not in TRUSTED_PROXIES: without it all visitors have the proxy's address, and share its limits. */
import type { FastifyInstance } from 'fastify'

export interface Forwarding {
  /** The address of who sent X-Forwarded-For within the last day without being trusted; null: none. */
  untrusted(): string | null
}

const hourMs = 3_600_000
const keptMs = 24 * hourMs

/** Anybody may send the header, so `warn` is called once an hour at most. `now`: a monotonic clock in milliseconds. */
export function watchForwarding(
  app: FastifyInstance,
  warn: (peer: string) => void,
  now: () => number = () => performance.now(),
): Forwarding {
  let seen: { readonly peer: string; readonly at: number } | null = null
  let warnedAt = Number.NEGATIVE_INFINITY
  app.addHook('onRequest', ({ headers, ips, socket }, _reply, done) => {
    done()
    // Of a trusted peer there are at least two: its own, and the one that it names.
    if (headers['x-forwarded-for'] === undefined || (ips?.length ?? 1) > 1) return
    const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    seen = { peer, at: now() }
    if (now() - warnedAt < hourMs) return
    warnedAt = now()
    warn(peer)
  })
  return { untrusted: () => (seen && now() - seen.at < keptMs ? seen.peer : null) }
}
