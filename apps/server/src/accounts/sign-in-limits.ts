/** Limits wrong guesses (decision 0010). A guess reserves its token before the comparison, so that concurrent guesses cannot exceed the limit. */
import { rateLimits } from '@vexil/core/limits'
import { RuleError } from '@vexil/core/rules'

export interface Guess {
  /** The account id, or the typed name if there is no such account. */
  readonly account: string
  readonly network: string
  /** Number of a device that signed in to this account before (http/known-device.ts), or null. */
  readonly device: string | null
}

/** Synchronous where this process counts. The same object names a guess from `reserve` to `refund`. */
export interface SignInLimits {
  /** @throws `request.too_many` with the seconds to wait */
  mustHaveRoom(guess: Guess): void | Promise<void>
  /** As `mustHaveRoom`, and takes a token from each bucket of the guess. */
  reserve(guess: Guess): void | Promise<void>
  /** Returns the tokens of a guess that was right or not compared; waits until they can be taken again. Never rejects. */
  refund(guess: Guess): void | Promise<void>
  /** Too many guesses on this account, from any address. Refuses no request; wrong guesses weigh more in the hash queue. */
  isUnderAttack(account: string): boolean | Promise<boolean>
}

export type BucketName = 'login' | 'loginFrom' | 'loginTo'

interface Bucket {
  readonly name: BucketName
  tokens: number
  filled: number
}

const sweepEvery = 60_000

/** Whether many people share this network: the limit per address does not apply there. */
export type IsHall = (network: string) => boolean

/** The buckets that can refuse a guess. A known device has a separate bucket, which no other device can use up. */
export const refusingBuckets = ({ account, network, device }: Guess, isHall: IsHall): [BucketName, string][] =>
  device === null
    ? [['login', `${account} from ${network}`], ...(isHall(network) ? [] : [['loginFrom', network] as [BucketName, string]])]
    : [['login', `${account} on ${device}`]]

interface Options {
  readonly isHall?: IsHall
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** Limits counted in this process. `off`: counts nothing. */
export function openSignInLimits(off: boolean, { isHall = () => false, now = () => performance.now() }: Options = {}) {
  const buckets = new Map<string, Bucket>()
  let swept = now()

  const fill = (bucket: Bucket): Bucket => {
    const { size, refill, every } = rateLimits[bucket.name]
    bucket.tokens = Math.min(size, bucket.tokens + ((now() - bucket.filled) / every) * refill)
    bucket.filled = now()
    return bucket
  }

  function forgetFull(): void {
    if (now() - swept < sweepEvery) return
    swept = now()
    for (const [key, bucket] of buckets) if (fill(bucket).tokens >= rateLimits[bucket.name].size) buckets.delete(key)
  }

  const tokensIn = (name: BucketName, key: string): number => {
    const bucket = buckets.get(`${name} ${key}`)
    return bucket ? fill(bucket).tokens : rateLimits[name].size
  }

  function add(name: BucketName, key: string, tokens: number): void {
    const id = `${name} ${key}`
    const bucket = fill(buckets.get(id) ?? { name, tokens: rateLimits[name].size, filled: now() })
    bucket.tokens = Math.max(0, Math.min(rateLimits[name].size, bucket.tokens + tokens))
    buckets.set(id, bucket)
  }

  function mustHaveRoom(guess: Guess): void {
    if (off) return
    forgetFull()
    for (const [name, key] of refusingBuckets(guess, isHall)) {
      const { refill, every } = rateLimits[name]
      const missing = 1 - tokensIn(name, key)
      if (missing > 0) throw new RuleError('request.too_many', { retryAfter: Math.ceil((missing / refill) * (every / 1000)) })
    }
  }

  const taking = (guess: Guess): [BucketName, string][] => [...refusingBuckets(guess, isHall), ['loginTo', guess.account]]

  return {
    mustHaveRoom,
    reserve(guess: Guess): void {
      mustHaveRoom(guess)
      if (!off) for (const [name, key] of taking(guess)) add(name, key, -1)
    },
    refund(guess: Guess): void {
      if (!off) for (const [name, key] of taking(guess)) add(name, key, 1)
    },
    isUnderAttack: (account: string): boolean => !off && tokensIn('loginTo', account) < 1,
  }
}
