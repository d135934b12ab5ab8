import type { IsolationAttempt } from '@vexil/contract/instances'
import type { ContainerNetwork, IsolationResult } from '@vexil/core/vocabulary'

export const countOf = (attempts: readonly IsolationAttempt[], word: IsolationResult): number =>
  attempts.filter(({ result }) => result === word).length

export interface TargetRow extends Pick<IsolationAttempt, 'target' | 'address' | 'port'> {
  readonly results: Partial<Record<ContainerNetwork, IsolationResult>>
}

/** One row per target, with the result of each network. The n-th attempts of both networks at a target share a row, even if its address differs. */
export function rowsOf(attempts: readonly IsolationAttempt[]): TargetRow[] {
  const rows = new Map<string, TargetRow>()
  const counts = new Map<string, number>()
  for (const { network, target, address, port, result } of attempts) {
    const counted = `${network} ${target} ${port}`
    const number = counts.get(counted) ?? 0
    counts.set(counted, number + 1)
    const key = `${target} ${port} ${number}`
    const known = rows.get(key) ?? { target, address, port, results: {} }
    rows.set(key, { ...known, results: { ...known.results, [network]: result } })
  }
  return [...rows.values()]
}
