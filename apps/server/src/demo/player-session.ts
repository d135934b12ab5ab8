/** HTTP calls of one player: keeps the cookie, waits when a rate limit is reached. */
import { setTimeout as sleep } from 'node:timers/promises'

export type Call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) => Promise<unknown>

interface From {
  readonly address: string
  /** A separate address per player, as behind a proxy, so that they do not use up the visitor's rate limits. */
  readonly from: string
  readonly signal: AbortSignal
}

const maxRetries = 20
const tooMany = 429
const unavailable = 503

/** The visitor may have removed what the call needs. */
export class PlayerRefused extends Error {}

export function openSession({ address, from, signal }: From): Call {
  let cookie = ''
  return async (method, path, body) => {
    for (let round = 0; ; round++) {
      const reply = await fetch(address + path, {
        method,
        signal,
        headers: {
          'x-forwarded-for': from,
          ...(cookie && { cookie }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? cookie
      const text = await reply.text()
      if ([tooMany, unavailable].includes(reply.status) && round < maxRetries) {
        await sleep(1000 * Number(reply.headers.get('retry-after') ?? 2), undefined, { signal })
        continue
      }
      if (!reply.ok) throw new PlayerRefused(`A player of the demo was refused: ${method} ${path}: ${reply.status} ${text}`)
      return text ? JSON.parse(text) : null
    }
  }
}
