/** The health page: all checks and the calls that failed, asked for at most once a second. */
import type { HealthReport } from '@vexil/contract/health'
import { wireTime } from '@vexil/contract/wire'
import type { Language } from '@vexil/core/vocabulary'
import type { Deps } from '../deps.ts'
import { checkFaults, checkPlatform, described } from '../health/checks.ts'
import { listNodes } from '../health/nodes.queries.ts'
import { listFaultedRoutes } from './logs.queries.ts'

export const reportKeptMs = 1_000

type Run = Awaited<ReturnType<typeof runChecks>>

/** All callers share `run` until it has ended and `reportKeptMs` have passed since its start. A failed run is not kept. */
export function shareRuns<T>(run: () => Promise<T>, now: () => number = () => performance.now()): () => Promise<T> {
  let last: { readonly startTime: number; readonly result: Promise<T>; ended: boolean } | null = null
  return () => {
    if (last && (!last.ended || now() - last.startTime < reportKeptMs)) return last.result
    const current = { startTime: now(), result: run(), ended: false }
    last = current
    current.result.then(
      () => {
        current.ended = true
      },
      () => {
        if (last === current) last = null
      },
    )
    return current.result
  }
}

export async function runChecks(deps: Deps) {
  const checkedAt = new Date()
  const [checks, nodes, faults] = await Promise.all([checkPlatform(deps), listNodes(deps.db), listFaultedRoutes(deps.db)])
  const count = faults.reduce((sum, one) => sum + one.count, 0)
  return { checkedAt, checks: [...checks, checkFaults(count)], nodes, faults }
}

export const healthView = ({ checkedAt, checks, nodes, faults }: Run, language: Language): HealthReport => ({
  checkedAt: wireTime(checkedAt),
  checks: checks.map((check) => described(check, language)),
  nodes: nodes.map(({ isLate, state, startedAt, seenAt, ...node }) => ({
    ...node,
    startedAt: wireTime(startedAt),
    seenAt: wireTime(seenAt),
    state: isLate ? 'Late' : state,
  })),
  faults: faults.map(({ route, count, lastAt }) => ({ route, count, lastAt: wireTime(lastAt) })),
})
