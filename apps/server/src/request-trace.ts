/** The request for which the current code runs, without passing it along. */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface RequestTrace {
  readonly id: string
  /** By this process's monotonic clock (ms), as the other times. */
  readonly startedAt: number
  /** When the gate admitted the request; undefined before. */
  admitted?: number
  /** Milliseconds that the request waited for the database, its pool included; concurrent statements add up. */
  databaseMs: number
}

const running = new AsyncLocalStorage<RequestTrace>()

/** Undefined in background work. */
export const currentRequest = (): RequestTrace | undefined => running.getStore()

export const runFor = (trace: RequestTrace, work: () => void): void => running.run(trace, work)

/** For work that several requests share. */
export const runForNone = <T>(work: () => T): T => running.exit(work)

/** Adds the duration of `work` to the database time of the current request. Costs two readings of the clock. */
export async function inDatabase<T>(work: () => Promise<T>): Promise<T> {
  const request = currentRequest()
  if (!request) return work()
  const startTime = performance.now()
  try {
    return await work()
  } finally {
    request.databaseMs += performance.now() - startTime
  }
}
