/**
 * Sessions kept in memory, for calls that only read and for the one whose write tests its session itself. What is kept counts while the
 * versions were polled within the last second and after the last hint that rights have changed; a caller that is not found here is looked up.
 */

import { sessionLimits } from '@vexil/core/limits'
import type { Versions } from '../db/versions.ts'
import type { FoundSession } from './sessions.ts'

export interface SessionFacts {
  /** The account of a session, by the hexadecimal hash of its token; null: look it up. Costs one look into a map. */
  find(hash: string): FoundSession['actor'] | null
  /** Keeps what was found, unless it was overtaken by what the polls have seen since, or is to be renewed. */
  keep(hash: string, found: FoundSession): void
}

/** About 15 MB. */
const most = 50_000

export function openSessionFacts(versions: Pick<Versions, 'now' | 'seen' | 'isFresh' | 'onEnded'>): SessionFacts {
  /** `until`: then the session is to be made longer, which looking it up does. */
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
    keep(hash, { actor, renewed, expiresAt, version }) {
      const seen = versions.seen()
      if (renewed || version.security < seen.security || version.sessions < seen.sessions) return
      if (known.size >= most && !known.has(hash)) known.clear()
      known.set(hash, { actor, until: expiresAt - sessionLimits.renewBelow })
    },
  }
}
