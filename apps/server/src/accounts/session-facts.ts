/**
 * Sessions in memory, for calls that only read or check the session in their write. Valid if the versions were polled within the last second and
 * after the last hint of changed rights.
 */

import { sessionLimits } from '@vexil/core/limits'
import type { Versions } from '../db/versions.ts'
import type { FoundSession } from './sessions.ts'

export interface SessionFacts {
  /** The account of a session by the hexadecimal hash of its token; null: not cached. Costs one map lookup. */
  find(hash: string): FoundSession['actor'] | null
  /** Caches the session, unless a poll has seen a newer version or the session is due for renewal. */
  keep(hash: string, found: FoundSession): void
}

/** About 15 MB. */
const most = 50_000

export function openSessionFacts(versions: Pick<Versions, 'now' | 'seen' | 'isFresh' | 'onEnded'>): SessionFacts {
  /** `until`: when the session is due for renewal, which requires a lookup. */
  const known = new Map<string, { readonly actor: FoundSession['actor']; readonly until: number }>()
  versions.onEnded((hashes) => {
    if (hashes === null) known.clear()
    else for (const hash of hashes) known.delete(hash)
  })
  return {
    find(hash) {
      const found = known.get(hash)
      return found && versions.isFresh() && versions.now() < found.until ? found.actor : null
    },
    keep(hash, { actor, isOld, expiresAt, version }) {
      const seen = versions.seen()
      if (isOld || version.security < seen.security || version.sessions < seen.sessions) return
      if (known.size >= most && !known.has(hash)) known.clear()
      known.set(hash, { actor, until: expiresAt - sessionLimits.renewBelow })
    },
  }
}
