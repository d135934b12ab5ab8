/** What an upload may cost while it arrives: places for each account, a least speed, a time, and the memory of all. */
import type { IncomingMessage } from 'node:http'
import { RequestError } from './request-errors.ts'

/** Takes a place of an account and returns what gives it back; throws `request.too_many` above `most`. Nothing is to be awaited where this process counts itself. */
export type UploadSlots = (accountId: string, most: number) => (() => void) | Promise<() => void>

/** Slots that are counted in this process. */
export function openUploadSlots(): (accountId: string, most: number) => () => void {
  const taken = new Map<string, number>()
  return (accountId, most) => {
    const now = taken.get(accountId) ?? 0
    if (now >= most) throw new RequestError('request.too_many', { retryAfter: 5 })
    taken.set(accountId, now + 1)
    return () => {
      const left = (taken.get(accountId) ?? 1) - 1
      if (left > 0) taken.set(accountId, left)
      else taken.delete(accountId)
    }
  }
}

export interface Held {
  /** Throws `server.unavailable` when all together would hold more than there may be. */
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
  /** Milliseconds; after each of them at least `leastBytes` must have come since the one before. */
  readonly grace: number
  readonly leastBytes: number
  readonly totalMs: number
}

export interface Progress {
  /** Rejects when the sender is too slow (`request.too_slow`) or leaves (`request.malformed`), as long as bytes are to come. */
  readonly broken: Promise<never>
  stop(): void
}

/** Watches a body that other code reads. */
export function watchUpload(raw: IncomingMessage, { grace, leastBytes, totalMs }: UploadPace): Progress {
  let breakOff: (fault: RequestError) => void = () => undefined
  const broken = new Promise<never>((_, reject) => {
    breakOff = reject
  })
  broken.catch(() => undefined)
  let seen = raw.socket?.bytesRead ?? 0
  const look = setInterval(() => {
    const now = raw.socket?.bytesRead ?? 0
    // While the platform itself takes no more, the sender cannot.
    if (!raw.isPaused() && now - seen < leastBytes) breakOff(new RequestError('request.too_slow'))
    seen = now
  }, grace)
  const late = setTimeout(() => breakOff(new RequestError('request.too_slow')), totalMs)
  const left = () => {
    if (!raw.readableEnded) breakOff(new RequestError('request.malformed'))
    stop()
  }
  const stop = () => {
    clearInterval(look)
    clearTimeout(late)
    raw.off('end', stop).off('close', left)
  }
  raw.on('end', stop).on('close', left)
  return { broken, stop }
}
