/** Rate limits with the figures of core, one counter per account or address. Above a limit the answer is 429 with the seconds to wait. */
import { type RateLimit, type RateLimitName, rateLimits } from '@vexil/core/limits'
import { RequestError } from './request-errors.ts'

/** Counts one key. `take` returns 0 if the request may pass, otherwise the seconds until one may. */
interface Counter {
  take(now: number): number
  /** Uncounts the last request that passed. */
  refund(): void
  /** The state equals that of a new counter. */
  idle(now: number): boolean
}

function slidingWindow({ permits, window, segments }: { permits: number; window: number; segments: number }): Counter {
  const length = window / segments
  const counts = new Map<number, number>()
  const forget = (segment: number) => {
    for (const old of counts.keys()) if (old <= segment - segments) counts.delete(old)
  }
  return {
    take(now) {
      const segment = Math.floor(now / length)
      forget(segment)
      const used = [...counts.values()].reduce((sum, count) => sum + count, 0)
      if (used >= permits) return ((Math.min(...counts.keys()) + segments) * length - now) / 1000
      counts.set(segment, (counts.get(segment) ?? 0) + 1)
      return 0
    },
    refund() {
      const newest = Math.max(...counts.keys())
      const count = counts.get(newest)
      if (count === undefined) return
      if (count > 1) counts.set(newest, count - 1)
      else counts.delete(newest)
    },
    idle(now) {
      forget(Math.floor(now / length))
      return counts.size === 0
    },
  }
}

function fixedWindow({ permits, window }: { permits: number; window: number }): Counter {
  let opened = Number.NEGATIVE_INFINITY
  let used = 0
  return {
    take(now) {
      if (now >= opened + window) {
        opened = now
        used = 0
      }
      if (used >= permits) return (opened + window - now) / 1000
      used++
      return 0
    },
    refund() {
      used = Math.max(0, used - 1)
    },
    idle: (now) => now >= opened + window,
  }
}

function tokenBucket({ size, refill, every }: { size: number; refill: number; every: number }): Counter {
  let tokens = size
  let filled = Number.NaN
  const fillUp = (now: number) => {
    if (Number.isNaN(filled)) filled = now
    const rounds = Math.floor((now - filled) / every)
    tokens = Math.min(size, tokens + rounds * refill)
    filled += rounds * every
  }
  return {
    take(now) {
      fillUp(now)
      if (tokens < 1) return (filled + every - now) / 1000
      tokens--
      return 0
    },
    refund() {
      tokens = Math.min(size, tokens + 1)
    },
    idle(now) {
      fillUp(now)
      return tokens === size
    },
  }
}

function counterOf(limit: RateLimit): Counter {
  switch (limit.kind) {
    case 'sliding window':
      return slidingWindow(limit)
    case 'fixed window':
      return fixedWindow(limit)
    case 'token bucket':
      return tokenBucket(limit)
    case 'one at a time':
      // Unique indexes and row locks serialise these calls (decision 0012).
      return { take: () => 0, refund: () => undefined, idle: () => true }
  }
}

export interface Limiter {
  /** Counts one request; throws `request.too_many` with the seconds to wait. Synchronous where this process counts. */
  take(name: RateLimitName, key: string): void | Promise<void>
  /** As `take`, for a limit with a queue: waits in order, and throws only when the queue is full. */
  pass(name: RateLimitName, key: string): Promise<void>
  /** Uncounts a request; the longest waiting one takes its place. */
  refund(name: RateLimitName, key: string): void
}

const sweepEvery = 60_000

const tooMany = (seconds: number) => new RequestError('request.too_many', { retryAfter: Math.max(1, Math.ceil(seconds)) })

/** A limiter counted in this process. `now` is a monotonic clock in milliseconds. */
export function openLimiter(off: boolean, now: () => number = () => performance.now()) {
  const counters = new Map<string, Counter>()
  const queues = new Map<string, (() => void)[]>()
  let swept = now()

  function counterAt(name: RateLimitName, id: string): Counter {
    const at = now()
    if (at - swept > sweepEvery) {
      swept = at
      for (const [old, counter] of counters) if (counter.idle(at)) counters.delete(old)
    }
    let counter = counters.get(id)
    if (!counter) {
      counter = counterOf(rateLimits[name])
      counters.set(id, counter)
    }
    return counter
  }

  function advance(name: RateLimitName, id: string): void {
    const pending = queues.get(id)
    while (pending && pending.length > 0) {
      const wait = counterAt(name, id).take(now())
      if (wait > 0) return void setTimeout(() => advance(name, id), wait * 1000 + 1).unref()
      pending.shift()?.()
    }
    queues.delete(id)
  }

  return {
    take(name: RateLimitName, key: string): void {
      if (off) return
      const wait = counterAt(name, `${name} ${key}`).take(now())
      if (wait > 0) throw tooMany(wait)
    },
    async pass(name: RateLimitName, key: string): Promise<void> {
      if (off) return
      const limit = rateLimits[name]
      const id = `${name} ${key}`
      const pending = queues.get(id)
      const wait = pending ? Number.POSITIVE_INFINITY : counterAt(name, id).take(now())
      if (wait === 0) return
      const room = 'queue' in limit ? limit.queue : 0
      if (pending && pending.length < room) return new Promise((enter) => void pending.push(enter))
      // When the queue is full, the wait is at least that of its first request.
      if (pending || room === 0) throw tooMany(pending ? 60 : wait)
      return new Promise((enter) => {
        queues.set(id, [enter])
        setTimeout(() => advance(name, id), wait * 1000 + 1).unref()
      })
    },
    refund(name: RateLimitName, key: string): void {
      const id = `${name} ${key}`
      const next = queues.get(id)?.shift()
      if (next) next()
      else counters.get(id)?.refund()
    },
  }
}
