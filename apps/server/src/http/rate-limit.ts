/** Named limits with the figures of core, one counter per user (else address). A full one answers 429 with the seconds to wait. */
import { type RateLimit, type RateLimitName, rateLimits } from '@vexil/core/limits'
import { RequestError } from './request-errors.ts'

/** Counts one key. `take` is 0 when the request may pass, else the seconds until one may. */
interface Counter {
  take(now: number): number
  /** The request that passed last counts no more. */
  giveBack(): void
  /** Nothing is remembered that a new counter would not know. */
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
    giveBack() {
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
    giveBack() {
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
    giveBack() {
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
      // Unique indexes and row locks serialise these calls (decision 0012), so there is nothing to count.
      return { take: () => 0, giveBack: () => undefined, idle: () => true }
  }
}

export interface Limiter {
  /** Counts one request; throws `request.too_many` with the seconds to wait. Nothing is to be awaited where this process counts itself. */
  take(name: RateLimitName, key: string): void | Promise<void>
  /** The same for a limit with a queue: waits, oldest first, where there is still room to wait, and throws only where there is none. */
  pass(name: RateLimitName, key: string): Promise<void>
  /** A counted request turned out not to count; the longest waiting request takes its place. */
  giveBack(name: RateLimitName, key: string): void
}

const sweepEvery = 60_000

const tooMany = (seconds: number) => new RequestError('request.too_many', { retryAfter: Math.max(1, Math.ceil(seconds)) })

/** A limiter that counts in this process. `now` is a monotonic clock in milliseconds. */
export function openLimiter(off: boolean, now: () => number = () => performance.now()) {
  const counters = new Map<string, Counter>()
  const lines = new Map<string, (() => void)[]>()
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

  /** Lets those in who may pass now; the next look is when the first of the others may. */
  function advance(name: RateLimitName, id: string): void {
    const line = lines.get(id)
    while (line && line.length > 0) {
      const wait = counterAt(name, id).take(now())
      if (wait > 0) return void setTimeout(() => advance(name, id), wait * 1000 + 1).unref()
      line.shift()?.()
    }
    lines.delete(id)
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
      const line = lines.get(id)
      const wait = line ? Number.POSITIVE_INFINITY : counterAt(name, id).take(now())
      if (wait === 0) return
      const room = 'queue' in limit ? limit.queue : 0
      if (line && line.length < room) return new Promise((enter) => void line.push(enter))
      // A request that finds the queue full waits at least as long as its first.
      if (line || room === 0) throw tooMany(line ? 60 : wait)
      return new Promise((enter) => {
        lines.set(id, [enter])
        setTimeout(() => advance(name, id), wait * 1000 + 1).unref()
      })
    },
    giveBack(name: RateLimitName, key: string): void {
      const id = `${name} ${key}`
      const next = lines.get(id)?.shift()
      if (next) next()
      else counters.get(id)?.giveBack()
    },
  }
}
