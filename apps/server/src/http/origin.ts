/** Checks the origin of a request. Tools without an Origin header pass; pages of other sites do not. */
import type { IncomingHttpHeaders } from 'node:http'

/** True if the Origin header is absent, the request's own host or that of the public address. `null` is no match. */
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
