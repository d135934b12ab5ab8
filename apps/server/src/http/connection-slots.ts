/** How many connections to the hubs one person, or the visitors of one address, may hold. */
import { hubLimits } from '@vexil/core/limits'
import type { Caller } from './gate.ts'

export interface ConnectionSlot {
  /** The handshake is done: the slot counts as one that listens. */
  handshakeDone(): void
  /** Gives the slot back; doing it twice does no harm. */
  leave(): void
}

export interface ConnectionSlots {
  /** null where there is no slot left. Accounts are counted by account, visitors by address. Nothing is to be awaited where this process counts itself. */
  take(caller: Pick<Caller, 'actor' | 'key'>): ConnectionSlot | null | Promise<ConnectionSlot | null>
}

interface Count {
  all: number
  pending: number
}

/** Slots that are counted in this process. */
export function openConnectionSlots() {
  const counts = new Map<string, Count>()
  return {
    take({ actor, key }: Pick<Caller, 'actor' | 'key'>): ConnectionSlot | null {
      const [most, pendingMost] = actor
        ? [hubLimits.perAccount, hubLimits.pendingHandshakesPerAccount]
        : [hubLimits.perAddress, hubLimits.pendingHandshakesPerAddress]
      const count = counts.get(key) ?? { all: 0, pending: 0 }
      if (count.all >= most || count.pending >= pendingMost) return null
      counts.set(key, count)
      count.all++
      count.pending++
      let [isDone, left] = [false, false]
      const handshakeDone = () => {
        if (!isDone) count.pending--
        isDone = true
      }
      return {
        handshakeDone,
        leave() {
          if (left) return
          left = true
          handshakeDone()
          if (--count.all === 0) counts.delete(key)
        },
      }
    },
  }
}
