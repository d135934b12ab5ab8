/** Where a request comes from. Tools that say nothing pass; a page of another site does not. */
import type { IncomingHttpHeaders } from 'node:http'

/** True when the Origin header is absent, the request's own host, or that of the public address. `null` belongs to no site. */
export function isOwnOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin, host } = headers
  if (origin === undefined) return headers['sec-fetch-site'] !== 'cross-site'
  try {
    const from = new URL(origin)
    return from.host === host || from.origin === new URL(publicUrl).origin
  } catch {
    return false
  }
}
