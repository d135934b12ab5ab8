/** argon2id, a few at a time: hashing shares its threads with downloads, which a burst of logins must not block. */
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { hashing } from '@vexil/core/limits'
import { openHashQueue } from './hash-queue.ts'
import type { Guess, SignInLimits } from './sign-in-limits.ts'

/** One per process, since the thread pool is per process. */
export const hashQueue = openHashQueue(Math.min(hashing.atOnceMost, Math.max(1, availableParallelism() - 1)), hashing.waitingMost)

/** Matches no password. Compared for unknown users, so that they take as long as known ones. */
const decoy = '$argon2id$v=19$m=19456,t=2,p=1$uflzcaUNFIDYOcZRcC92wA$fqXFnSwrhBIpxEWs4l4i/s258xoN0ZzfCe8BGOEf41o'

/** `caller`: the network or account to count it for. @throws `server.unavailable` when the queue is full */
export const hashPassword = (password: string, caller: string): Promise<string> => hashQueue.run(caller, () => hash(password))

/** For `stored` null (no such user) takes equally long and returns false. */
async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const real = stored?.startsWith('$argon2id$') ? stored : null
  const right = await verify(real ?? decoy, password)
  return right && real !== null
}

/** Counts wrong guesses. `stored` null: no account. @throws `request.too_many`, `server.unavailable` when the queue is full */
export async function checkPassword(
  limits: SignInLimits,
  guess: Guess,
  stored: string | null,
  password: string,
): Promise<boolean> {
  await limits.mustHaveRoom(guess)
  const caller = guess.device ?? guess.network
  return hashQueue.run(caller, async () => {
    await limits.reserve(guess)
    const right = await isPassword(stored, password).catch(async (error: unknown) => {
      await limits.refund(guess)
      throw error
    })
    // Awaited in the queue: otherwise many right passwords at once could take all tokens before the first is returned.
    if (right) await limits.refund(guess)
    else hashQueue.failed(caller, (await limits.isUnderAttack(guess.account)) ? hashing.attackedWeight : hashing.failureWeight)
    return right
  })
}
