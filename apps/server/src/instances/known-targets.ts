/** Caches for some seconds which containers the proxy reaches, so that guesses do not cause a query each. */
import { tunnelLimits } from '@vexil/core/limits'
import type { Db } from '../db/transaction.ts'
import { isReachable, type TunnelRequest } from './tunnels.queries.ts'

interface KnownTargets {
  has(containerId: string, request: TunnelRequest): Promise<boolean>
  forget(): void
}

export function openKnownTargets(db: Db): KnownTargets {
  const known = new Map<string, { readonly there: Promise<boolean>; readonly until: number }>()
  return {
    has(containerId, { test, name }) {
      const key = `${test} ${containerId} ${name ?? ''}`
      const now = performance.now()
      for (const [old, { until }] of known) {
        if (until > now) break
        known.delete(old)
      }
      const kept = known.get(key)
      if (kept) return kept.there
      const there = isReachable(db, containerId, { test, name })
      const entry = { there, until: now + tunnelLimits.knownFor }
      known.set(key, entry)
      there.catch(() => known.get(key) === entry && known.delete(key))
      return there
    },
    forget: () => known.clear(),
  }
}
