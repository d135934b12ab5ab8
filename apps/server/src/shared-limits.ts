/** Limits by account or address: the first process of a node counts them, and the others send it requests (decision 0029). */
import { openSignInLimits, type SignInLimits } from './accounts/sign-in-limits.ts'
import { type ConnectionSlot, type ConnectionSlots, openConnectionSlots } from './http/connection-slots.ts'
import type { Caller } from './http/gate.ts'
import { anyOf } from './http/network.ts'
import { type Limiter, openLimiter } from './http/rate-limit.ts'
import type { RequestError } from './http/request-errors.ts'
import { openUploadSlots, type UploadSlots } from './http/upload-watch.ts'
import type { RequestClient, RequestHandlers } from './process-channel.ts'

export interface Limits {
  readonly limiter: Limiter
  readonly signIns: SignInLimits
  readonly slots: ConnectionSlots
  readonly uploads: UploadSlots
}

/** Limits counted in this process. `off`: no rate limits. `halls`: networks (CIDR) without a limit of wrong passwords per address. */
export const countLimits = (off: boolean, halls: readonly string[] = []) => ({
  limiter: openLimiter(off),
  signIns: openSignInLimits(off, { isHall: anyOf(halls) }),
  slots: openConnectionSlots(),
  uploads: openUploadSlots(),
})

export type CountedLimits = ReturnType<typeof countLimits>

/** Handles the requests of one worker process. `lost`: that process has ended, and its slots are free. */
export function limitHandlers({ limiter, signIns, slots, uploads }: CountedLimits) {
  /** Slots and uploads, by the worker's number for them. */
  const takenSlots = new Map<number, ConnectionSlot>()
  const hold = (id: number, slot: ConnectionSlot | null): boolean => {
    if (slot) takenSlots.set(id, slot)
    return slot !== null
  }
  const answers = {
    ...signIns,
    ...limiter,
    refundGuess: signIns.refund,
    takeSlot: (id: number, caller: Pick<Caller, 'actor' | 'key'>) => hold(id, slots.take(caller)),
    takePlace: (id: number, accountId: string, most: number) =>
      hold(id, { handshakeDone: () => undefined, leave: uploads(accountId, most) }),
    handshakeDone: (id: number) => takenSlots.get(id)?.handshakeDone(),
    leave(id: number) {
      takenSlots.get(id)?.leave()
      takenSlots.delete(id)
    },
  } satisfies RequestHandlers
  return {
    answers,
    lost() {
      for (const { leave } of takenSlots.values()) leave()
      takenSlots.clear()
    },
  }
}

/** Limits counted by the first process. `off`: no rate limits. */
export function remoteLimits({ request, notify }: Pick<RequestClient, 'request' | 'notify'>, off: boolean): Limits {
  let last = 0
  const leaving = (id: number) => () => notify('leave', id)
  /** An abandoned request may still arrive; `refund` releases what it would take. */
  const sure = <T>(answer: Promise<T>, onAbandoned: () => void): Promise<T> =>
    answer.catch((error: RequestError) => {
      if (error.code === 'server.unavailable') onAbandoned()
      throw error
    })
  return {
    limiter: off
      ? openLimiter(off)
      : {
          take: (name, key) => request('take', name, key),
          pass: (name, key) => request('pass', name, key),
          refund: (name, key) => notify('refund', name, key),
        },
    signIns: {
      mustHaveRoom: (guess) => request('mustHaveRoom', guess),
      reserve: (guess) => request('reserve', guess),
      refund: (guess) => notify('refundGuess', guess),
      isUnderAttack: (account) => request('isUnderAttack', account),
    },
    slots: {
      async take(caller) {
        const id = ++last
        return (await sure(request('takeSlot', id, caller), leaving(id)))
          ? { handshakeDone: () => notify('handshakeDone', id), leave: leaving(id) }
          : null
      },
    },
    async uploads(accountId, most) {
      const id = ++last
      await sure(request('takePlace', id, accountId, most), leaving(id))
      return leaving(id)
    },
  }
}
