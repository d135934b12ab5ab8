/**
 * Who may hash a password next. Hashing is the one expensive thing that strangers can ask for, so the queue is short, and fair by
 * caller: the caller with the fewest requests and failures in the last minutes goes first, and is let in when the queue is full.
 */
import { RuleError } from '@vexil/core/rules'
import { LRUCache } from 'lru-cache'

export interface HashQueue {
  /**
   * Runs the work when it is the caller's turn; `caller` is a network, a known device or an account.
   * Throws `server.unavailable` when callers who asked for less fill the queue.
   */
  run<T>(caller: string, work: () => Promise<T>): Promise<T>
  /** From now on the caller's requests go after those of others: a wrong guess weighs as much as `weight` requests. */
  failed(caller: string, weight: number): void
  /** How many wait. */
  readonly length: number
}

interface Waiting {
  readonly caller: string
  readonly enter: () => void
  readonly refuse: (reason: RuleError) => void
}

/** After this time half of what a caller asked for is forgotten. */
const halfLifeMs = 30_000
const callersMost = 50_000

/** `atOnce` works at a time, `waitingMost` waiting. `now` is a monotonic clock in milliseconds. */
export function openHashQueue(atOnce: number, waitingMost: number, now: () => number = () => performance.now()): HashQueue {
  const asked = new LRUCache<string, { amount: number; at: number }>({ max: callersMost })
  const waiting: Waiting[] = []
  let running = 0

  const demandOf = (caller: string): number => {
    // Looking a caller up is not a request of it.
    const known = asked.peek(caller)
    return known ? known.amount * 2 ** ((known.at - now()) / halfLifeMs) : 0
  }

  function add(caller: string, amount: number): void {
    asked.set(caller, { amount: demandOf(caller) + amount, at: now() })
  }

  /** Of those that wait the one whose caller asked for least (1) or most (-1); among equals the earliest, or the latest. */
  function pick(sign: 1 | -1): number {
    const demands = waiting.map(({ caller }) => demandOf(caller) * sign)
    const best = Math.min(...demands)
    return sign === 1 ? demands.indexOf(best) : demands.lastIndexOf(best)
  }

  const takeOut = (at: number): Waiting => waiting.splice(at, 1)[0] as Waiting

  const wait = (caller: string): Promise<void> =>
    new Promise((enter, refuse) => {
      waiting.push({ caller, enter, refuse })
      if (waiting.length > waitingMost) takeOut(pick(-1)).refuse(new RuleError('server.unavailable', { retryAfter: 1 }))
    })

  return {
    async run(caller, work) {
      add(caller, 1)
      if (running < atOnce) running++
      else await wait(caller)
      try {
        return await work()
      } finally {
        // The slot is handed on, so that no later request takes it in between.
        if (waiting.length > 0) takeOut(pick(1)).enter()
        else running--
      }
    },
    failed: add,
    get length() {
      return waiting.length
    },
  }
}
