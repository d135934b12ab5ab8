/** Limits heavy work, which shares four threads with everything else: by concurrency and by queue length. */
import { RuleError } from '@vexil/core/rules'

export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/** Runs at most `atOnce` at a time, first come, first served. Throws `server.unavailable` when `waitingMost` already wait. */
export function openSemaphore(atOnce: number, waitingMost: number): Semaphore {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running < atOnce) running++
    else if (waiting.length >= waitingMost) throw new RuleError('server.unavailable', { retryAfter: 1 })
    // The slot is handed over, so that no later caller takes it.
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
