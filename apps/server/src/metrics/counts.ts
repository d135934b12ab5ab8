/** What this process has done since its start, in plain variables: counting costs nanoseconds, and a scrape reads them. */
import type { Endpoint } from '@vexil/contract/endpoint'

/** Durations in seconds, or sizes. `buckets`: numbers of values up to each bound, then of larger ones; not cumulative. */
export interface Distribution {
  readonly bounds: readonly number[]
  readonly buckets: number[]
  sum: number
}

export const distribution = (bounds: readonly number[]): Distribution => ({
  bounds,
  buckets: Array.from({ length: bounds.length + 1 }, () => 0),
  sum: 0,
})

/** Costs a comparison for each bound below the value. */
export function observe(of: Distribution, value: number): void {
  let at = 0
  while (at < of.bounds.length && value > (of.bounds[at] as number)) at++
  of.buckets[at] = (of.buckets[at] as number) + 1
  of.sum += value
}

/** Requests of one call. `classes`: numbers by the first digit of the status. */
export interface RequestCounts {
  readonly classes: number[]
  readonly seconds: Distribution
}

export const requestBounds = [0.005, 0.02, 0.05, 0.1, 0.25, 1, 5] as const

/** Keys are words of the code or of the contract, never texts of users. */
export const counts = {
  /** By call; null: files of the web and unknown addresses. */
  requests: new Map<Endpoint | null, RequestCounts>(),
  /** By code. */
  refusals: new Map<string, number>(),
  /** By verdict. */
  submissions: new Map<string, number>(),
  batchSizes: distribution([1, 2, 5, 10, 25, 50, 100]),
  /** Seconds until a batch was written, the wait for the lock of its game's log included. */
  batchWrites: distribution([0.002, 0.005, 0.01, 0.025, 0.1, 0.5, 2]),
  boardDraws: distribution([0.005, 0.02, 0.05, 0.1, 0.5, 1, 5]),
  instanceStarts: distribution([0.5, 1, 2, 5, 10, 30, 60]),
  /** By problem. */
  engineErrors: new Map<string, number>(),
  slowReaders: 0,
}

export const countOne = <K>(of: Map<K, number>, key: K): void => void of.set(key, (of.get(key) ?? 0) + 1)

/** `seconds`: in gate and handler. */
export function countRequest(endpoint: Endpoint | null, status: number, seconds: number): void {
  let known = counts.requests.get(endpoint)
  if (!known) {
    known = { classes: [0, 0, 0, 0, 0, 0], seconds: distribution(requestBounds) }
    counts.requests.set(endpoint, known)
  }
  const digit = Math.floor(status / 100)
  known.classes[digit] = (known.classes[digit] ?? 0) + 1
  observe(known.seconds, seconds)
}
