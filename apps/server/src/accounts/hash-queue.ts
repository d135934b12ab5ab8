/** Queue for password hashing, fair by caller: the caller with the fewest recent requests goes first, even when the queue is full. */
import { RuleError } from '@vexil/core/rules'
import { LRUCache } from 'lru-cache'

export interface HashQueue {
  /** `caller`: a network, device or account. @throws `server.unavailable` when callers with fewer requests fill the queue */
  run<T>(caller: string, work: () => Promise<T>): Promise<T>
  /** Lowers the caller's priority: a wrong guess weighs as much as `weight` requests. */
  failed(caller: string, weight: number): void
  readonly length: number
}

interface Waiting {
  readonly caller: string
  readonly enter: () => void
  readonly refuse: (reason: RuleError) => void
}

const halfLifeMs = 30_000
const callersMost = 50_000

/** Runs `atOnce` at a time and lets `waitingMost` wait. `now` is a monotonic clock in milliseconds. */
export function openHashQueue(atOnce: number, waitingMost: number, now: () => number = () => performance.now()): HashQueue {
  const demandByCaller = new LRUCache<string, { amount: number; at: number }>({ max: callersMost })
  const waiting: Waiting[] = []
  let running = 0

  const demandOf = (caller: string): number => {
    // `peek`: a lookup must not refresh the entry.
    const known = demandByCaller.peek(caller)
    return known ? known.amount * 2 ** ((known.at - now()) / halfLifeMs) : 0
  }

  function add(caller: string, amount: number): void {
    demandByCaller.set(caller, { amount: demandOf(caller) + amount, at: now() })
  }

  /** The waiting request whose caller has the lowest (1) or highest (-1) demand; of equal ones the earliest or the latest. */
  function pick(sign: 1 | -1): number {
    const demands = waiting.map(({ caller }) => demandOf(caller) * sign)
    const best = Math.min(...demands)
    return sign === 1 ? demands.indexOf(best) : demands.lastIndexOf(best)
  }

  const remove = (at: number): Waiting => waiting.splice(at, 1)[0] as Waiting

  const wait = (caller: string): Promise<void> =>
    new Promise((enter, refuse) => {
      waiting.push({ caller, enter, refuse })
      if (waiting.length > waitingMost) remove(pick(-1)).refuse(new RuleError('server.unavailable', { retryAfter: 1 }))
    })

  return {
    async run(caller, work) {
      add(caller, 1)
      if (running < atOnce) running++
      else await wait(caller)
      try {
        return await work()
      } finally {
        // Hands the slot on, so that no later request can take it.
        if (waiting.length > 0) remove(pick(1)).enter()
        else running--
      }
    },
    failed: add,
    get length() {
      return waiting.length
    },
  }
}
