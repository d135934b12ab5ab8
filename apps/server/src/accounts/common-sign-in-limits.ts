/** Wrong guesses counted once for all nodes, in the database (decision 0045). While the database does not count in time, the node counts alone. */
import { RuleError } from '@vexil/core/rules'
import { LRUCache } from 'lru-cache'
import type { Db } from '../db/transaction.ts'
import { runForNone } from '../request-trace.ts'
import { type Bucket, findWait, returnTokens, takeTokens } from './sign-in-buckets.queries.ts'
import { type Guess, type IsHall, refusingBuckets, type SignInLimits } from './sign-in-limits.ts'

interface Options {
  readonly isHall: IsHall
  /** Counts for this node. */
  readonly alone: SignInLimits
  /** Time for an answer of the database, ms. */
  readonly answersWithin?: number
  /** Called at most once a minute. */
  readonly warn: (message: string) => void
}

/** Pause between two checks whether the database counts again, and between two warnings; ms. */
const retryIntervalMs = 1_000
const warnIntervalMs = 60_000

/** @throws the error of `work`, or one about the timeout */
async function inTime<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  // After a stall of this process, an answer that has arrived is read first.
  const timer = setTimeout(() => setImmediate(reject, new Error(`no answer within ${ms} ms`)), ms)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

const mustBeZero = (seconds: number): void => {
  if (seconds > 0) throw new RuleError('request.too_many', { retryAfter: Math.ceil(seconds) })
}

const accountBucket = (account: string): Bucket => ['loginTo', account]

const maxRefusals = 10_000

/** One statement for each call except `mustHaveRoom`, which remembers the refusals of this process. While the database fails, no call waits for it. */
export function openCommonSignInLimits(db: Db, { isHall, alone, answersWithin = 200, warn }: Options): SignInLimits {
  /** Guesses that the node counted alone: they are returned where they were taken. */
  const countedAlone = new WeakSet<Guess>()
  /** By the monotonic clock, ms. Refuses repeated guesses before they wait in the queue. */
  const refusedUntil = new LRUCache<string, number>({ max: maxRefusals })
  let counts = true
  let checkedAt = Number.NEGATIVE_INFINITY
  let warned = Number.NEGATIVE_INFINITY

  function failed(error: unknown): void {
    counts = false
    checkedAt = performance.now()
    if (checkedAt - warned < warnIntervalMs) return
    warned = checkedAt
    warn(`Wrong passwords are counted by this node alone until the database counts them: ${(error as Error).message}`)
  }

  /** Does not wait: a sign-in waits at most once for a database that does not answer. */
  function checkAgain(): void {
    if (performance.now() - checkedAt < retryIntervalMs) return
    checkedAt = performance.now()
    const counting = () => {
      counts = true
    }
    runForNone(() => inTime(answersWithin, findWait(db, [accountBucket('')])).then(counting, failed))
  }

  async function counted<T>(common: () => Promise<T>, node: () => T | Promise<T>): Promise<T> {
    if (!counts) {
      checkAgain()
      return node()
    }
    try {
      return await inTime(answersWithin, common())
    } catch (error) {
      failed(error)
      return node()
    }
  }

  const returnTo = (guess: Guess) => returnTokens(db, [...refusingBuckets(guess, isHall), accountBucket(guess.account)])
  const nameOf = ({ account, network, device }: Guess) => `${account} ${device ?? network}`

  return {
    async mustHaveRoom(guess) {
      if (!counts) return alone.mustHaveRoom(guess)
      mustBeZero(((refusedUntil.get(nameOf(guess)) ?? 0) - performance.now()) / 1000)
    },
    async reserve(guess) {
      let isAlone = false
      const reserveInDatabase = async () => {
        const seconds = await takeTokens(db, refusingBuckets(guess, isHall), [accountBucket(guess.account)])
        // The node has counted it in the meantime.
        if (isAlone && seconds === 0) await returnTo(guess)
        return seconds
      }
      const reserveAlone = async () => {
        isAlone = true
        countedAlone.add(guess)
        await alone.reserve(guess)
        return 0
      }
      const seconds = await counted(reserveInDatabase, reserveAlone)
      if (seconds > 0) refusedUntil.set(nameOf(guess), performance.now() + seconds * 1000)
      mustBeZero(seconds)
    },
    async refund(guess) {
      refusedUntil.delete(nameOf(guess))
      if (countedAlone.has(guess)) await alone.refund(guess)
      else await inTime(answersWithin, returnTo(guess)).catch(failed)
    },
    isUnderAttack: (account) =>
      counted(
        async () => (await findWait(db, [accountBucket(account)])) > 0,
        () => alone.isUnderAttack(account),
      ),
  }
}
