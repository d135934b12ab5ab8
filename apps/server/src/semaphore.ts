/** Heavy work shares four threads with everything else: only so much at once, only so much waiting, then "try again soon". */
import { RuleError } from '@vexil/core/rules'

export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/** Runs at most `atOnce` works at a time, first come first served. Throws `server.unavailable` when `waitingMost` wait already. */
export function openSemaphore(atOnce: number, waitingMost: number): Semaphore {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running < atOnce) running++
    else if (waiting.length >= waitingMost) throw new RuleError('server.unavailable', { retryAfter: 1 })
    // The slot is handed on, so that no later caller takes it in between.
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
