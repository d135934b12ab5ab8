/** Limits heavy work, which shares four threads with everything else: by concurrency and by queue length. */
import { RuleError } from '@vexil/core/rules'

/** `signal`: work that still waits gives up its place, with the reason of the signal. */
export type Semaphore = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Runs at most `atOnce` at a time, first come, first served. Throws `server.unavailable` when `waitingMost` already wait. */
export function openSemaphore(atOnce: number, waitingMost: number): Semaphore {
  let running = 0
  const waiting = new Set<() => void>()
  const wait = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(enter)
        reject(signal?.reason)
      }
      const enter = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      waiting.add(enter)
      signal?.addEventListener('abort', leave, { once: true })
    })
  return async (work, signal) => {
    signal?.throwIfAborted()
    if (running < atOnce) running++
    else if (waiting.size >= waitingMost) throw new RuleError('server.unavailable', { retryAfter: 1 })
    // The slot is handed over, so that no later caller takes it.
    else await wait(signal)
    try {
      return await work()
    } finally {
      const [next] = waiting
      if (next) {
        waiting.delete(next)
        next()
      } else running--
    }
  }
}
