/** Cache of the verdicts of the last second: clients request the verdict right after the answer. A verdict never changes; a deleted one stays for at most this second. */
import type { AnswerResult } from '@vexil/core/vocabulary'

interface VerdictQuery {
  readonly id: number
  readonly gameId: number
  readonly challengeId: number
  readonly accountId: string
}

export interface RecentVerdicts {
  keep(query: VerdictQuery, verdict: AnswerResult): void
  /** null: not cached. Costs two map lookups. */
  find(query: VerdictQuery): AnswerResult | null
}

type Kept = Omit<VerdictQuery, 'id'> & { readonly verdict: AnswerResult }

/** Two generations are kept: an entry lives for one to two of them. */
const generationMs = 500

/** `now`: a monotonic clock in milliseconds. */
export function openRecentVerdicts(now: () => number = () => performance.now()): RecentVerdicts {
  let young = new Map<number, Kept>()
  let old = new Map<number, Kept>()
  let turnedAt = now()

  function turn(): void {
    const over = Math.floor((now() - turnedAt) / generationMs)
    if (over < 1) return
    old = over === 1 ? young : new Map()
    young = new Map()
    turnedAt += over * generationMs
  }
  return {
    keep({ id, ...of }, verdict) {
      turn()
      young.set(id, { ...of, verdict })
    },
    find({ id, gameId, challengeId, accountId }) {
      turn()
      const kept = young.get(id) ?? old.get(id)
      const isTheirs = kept?.gameId === gameId && kept.challengeId === challengeId && kept.accountId === accountId
      return kept && isTheirs ? kept.verdict : null
    },
  }
}
