/** Limits by account, address or team: the first process of a node counts them, and the others ask it (decision 0029). */
import { openSignInLimits, type SignInLimits } from './accounts/sign-in-limits.ts'
import { type ConnectionSlot, type ConnectionSlots, openConnectionSlots } from './http/connection-slots.ts'
import type { Caller } from './http/gate.ts'
import { anyOf } from './http/network.ts'
import { type Limiter, openLimiter } from './http/rate-limit.ts'
import type { RequestError } from './http/request-errors.ts'
import { openUploadSlots, type UploadSlots } from './http/upload-watch.ts'
import type { Answers, Asker } from './process-channel.ts'
import { openRenames, type Renames } from './teams/update-team.ts'

export interface Limits {
  readonly limiter: Limiter
  readonly signIns: SignInLimits
  readonly slots: ConnectionSlots
  readonly uploads: UploadSlots
  readonly renames: Renames
}

/** Limits counted in this process. `off`: no rate limits. `halls`: networks (CIDR) without a limit of wrong passwords per address. */
export const countLimits = (off: boolean, halls: readonly string[] = []) => ({
  limiter: openLimiter(off),
  signIns: openSignInLimits(off, { isHall: anyOf(halls) }),
  slots: openConnectionSlots(),
  uploads: openUploadSlots(),
  renames: openRenames(),
})

export type CountedLimits = ReturnType<typeof countLimits>

/** Answers one worker process. `lost`: that process has ended, and its slots are free. */
export function answerLimits({ limiter, signIns, slots, uploads, renames }: CountedLimits) {
  /** Slots and uploads, by the worker's number for them. */
  const takenSlots = new Map<number, ConnectionSlot>()
  const hold = (id: number, slot: ConnectionSlot | null): boolean => {
    if (slot) takenSlots.set(id, slot)
    return slot !== null
  }
  const answers = {
    ...signIns,
    ...limiter,
    giveBackGuess: signIns.giveBack,
    takeRename: renames.take,
    giveBackRename: renames.giveBack,
    takeSlot: (id: number, caller: Pick<Caller, 'actor' | 'key'>) => hold(id, slots.take(caller)),
    takePlace: (id: number, accountId: string, most: number) =>
      hold(id, { handshakeDone: () => undefined, leave: uploads(accountId, most) }),
    handshakeDone: (id: number) => takenSlots.get(id)?.handshakeDone(),
    leave(id: number) {
      takenSlots.get(id)?.leave()
      takenSlots.delete(id)
    },
  } satisfies Answers
  return {
    answers,
    lost() {
      for (const { leave } of takenSlots.values()) leave()
      takenSlots.clear()
    },
  }
}

/** Limits counted by the first process. `off`: no rate limits. */
export function askLimits({ ask, tell }: Pick<Asker, 'ask' | 'tell'>, off: boolean): Limits {
  let last = 0
  const leaving = (id: number) => () => tell('leave', id)
  /** An abandoned request may still arrive; `giveBack` releases what it would take. */
  const sure = <T>(answer: Promise<T>, giveBack: () => void): Promise<T> =>
    answer.catch((error: RequestError) => {
      if (error.code === 'server.unavailable') giveBack()
      throw error
    })
  const giveBackRename = (teamId: number) => tell('giveBackRename', teamId)
  return {
    limiter: off
      ? openLimiter(off)
      : {
          take: (name, key) => ask('take', name, key),
          pass: (name, key) => ask('pass', name, key),
          giveBack: (name, key) => tell('giveBack', name, key),
        },
    signIns: {
      mustHaveRoom: (guess) => ask('mustHaveRoom', guess),
      reserve: (guess) => ask('reserve', guess),
      giveBack: (guess) => tell('giveBackGuess', guess),
      isUnderAttack: (account) => ask('isUnderAttack', account),
    },
    slots: {
      async take(caller) {
        const id = ++last
        return (await sure(ask('takeSlot', id, caller), leaving(id)))
          ? { handshakeDone: () => tell('handshakeDone', id), leave: leaving(id) }
          : null
      },
    },
    async uploads(accountId, most) {
      const id = ++last
      await sure(ask('takePlace', id, accountId, most), leaving(id))
      return leaving(id)
    },
    renames: {
      take: (teamId) => sure(ask('takeRename', teamId), () => giveBackRename(teamId)),
      giveBack: giveBackRename,
    },
  }
}
