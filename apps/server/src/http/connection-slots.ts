import { hubLimits } from '@vexil/core/limits'
import type { Caller } from './gate.ts'

export interface ConnectionSlot {
  /** The handshake is done: the slot counts as a listener. */
  handshakeDone(): void
  leave(): void
}

export interface ConnectionSlots {
  /** Null if no slot is free. Accounts count by account, visitors by address. Synchronous where this process counts. */
  take(caller: Pick<Caller, 'actor' | 'key'>): ConnectionSlot | null | Promise<ConnectionSlot | null>
}

interface Count {
  all: number
  pending: number
}

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
