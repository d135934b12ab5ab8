/** Limits of a running upload: slots per account, minimum speed, total time, and memory of all uploads. */
import type { IncomingMessage } from 'node:http'
import { RequestError } from './request-errors.ts'

/** Takes a slot of an account and returns its release; throws `request.too_many` above `most`. Synchronous where this process counts. */
export type UploadSlots = (accountId: string, most: number) => (() => void) | Promise<() => void>

export function openUploadSlots(): (accountId: string, most: number) => () => void {
  const used = new Map<string, number>()
  return (accountId, most) => {
    const now = used.get(accountId) ?? 0
    if (now >= most) throw new RequestError('request.too_many', { retryAfter: 5 })
    used.set(accountId, now + 1)
    return () => {
      const left = (used.get(accountId) ?? 1) - 1
      if (left > 0) used.set(accountId, left)
      else used.delete(accountId)
    }
  }
}

export interface Held {
  add(bytes: number): void
  free(): void
}

/** Memory for files that are read whole, over all uploads. */
export function openReserve(most: number): () => Held {
  let total = 0
  return () => {
    let own = 0
    return {
      add(bytes) {
        if (total + bytes > most) throw new RequestError('server.unavailable', { retryAfter: 5 })
        own += bytes
        total += bytes
      },
      free() {
        total -= own
        own = 0
      },
    }
  }
}

export interface UploadPace {
  /** Milliseconds; at least `leastBytes` must arrive in each interval. */
  readonly grace: number
  readonly leastBytes: number
  readonly totalMs: number
}

export interface Progress {
  /** Rejects if the client is too slow (`request.too_slow`) or disconnects (`request.malformed`) before the end of the body. */
  readonly broken: Promise<never>
  stop(): void
}

export function watchUpload(raw: IncomingMessage, { grace, leastBytes, totalMs }: UploadPace): Progress {
  let fail: (fault: RequestError) => void = () => undefined
  const broken = new Promise<never>((_, reject) => {
    fail = reject
  })
  broken.catch(() => undefined)
  let seen = raw.socket?.bytesRead ?? 0
  const check = setInterval(() => {
    const now = raw.socket?.bytesRead ?? 0
    // A paused request is the platform's delay, not the client's.
    if (!raw.isPaused() && now - seen < leastBytes) fail(new RequestError('request.too_slow'))
    seen = now
  }, grace)
  const late = setTimeout(() => fail(new RequestError('request.too_slow')), totalMs)
  const left = () => {
    if (!raw.readableEnded) fail(new RequestError('request.malformed'))
    stop()
  }
  const stop = () => {
    clearInterval(check)
    clearTimeout(late)
    raw.off('end', stop).off('close', left)
  }
  raw.on('end', stop).on('close', left)
  return { broken, stop }
}
