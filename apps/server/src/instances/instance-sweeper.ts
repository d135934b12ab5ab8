/** Ends containers at once when their reason ends, and periodically removes the rest. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import { every } from '../every.ts'
import { endLeases } from './instances.queries.ts'
import type { ReadyWatch } from './ready-watch.ts'
import { endDueContainers, endSolved, type SeenDuplicates, type SweepDeps, sweepContainers } from './sweep-containers.ts'

const settleMs = 100
const afterSolveMs = 5000
/** Expired containers are removed within 30 s. */
const sweepMs = 20_000

export interface Instances {
  /** At the start of the node: ends the leases of its starts that a kill interrupted, then sweeps. */
  begin(): Promise<void>
  sweep(): Promise<void>
  close(): Promise<void>
}

export const noSweeper: Instances = { begin: async () => undefined, sweep: async () => undefined, close: async () => undefined }

export function startInstanceSweeper(
  deps: SweepDeps & Pick<Deps, 'settings' | 'node'> & { readonly readyWatch: Pick<ReadyWatch, 'takeOver'> },
): Instances {
  const { bus, engine, settings, onError } = deps
  // Sequential: a concurrent sweep would find the unfinished work of the other.
  let checking = Promise.resolve()
  const check = (work: () => Promise<void>) => {
    checking = checking.then(work).catch(onError)
    return checking
  }
  const duplicates: SeenDuplicates = new Map()
  const sweepAll = async () => {
    await sweepContainers(deps, duplicates)
    await deps.readyWatch.takeOver()
  }
  const sweep = () => (engine.kind === 'None' ? Promise.resolve() : check(sweepAll))
  /** Combines several changes in a row, such as the joins of an opening minute, into one check. */
  const soon = (work: () => Promise<void>) => {
    let waiting = false
    return () => {
      if (waiting || engine.kind === 'None') return
      waiting = true
      void check(async () => {
        await sleep(settleMs)
        waiting = false
        await work()
      })
    }
  }
  bus.subscribe(
    'participation.changed',
    soon(() => endDueContainers(deps)),
  )
  // A deletion removes the rows as well, so the engine's list is needed.
  const everything = soon(() => sweepContainers(deps, duplicates))
  for (const name of ['challenge.changed', 'game.changed', 'team.changed'] as const) bus.subscribe(name, everything)
  // If the setting is on, an instance ends a few seconds after the solve, so that the service's last response still arrives.
  const solved = new Set<NodeJS.Timeout>()
  bus.subscribe('submission.judged', ({ submissionId, solve }) => {
    if (solve === null || engine.kind === 'None' || !settings.get()['ContainerPolicy:DestroyOnSolve']) return
    const later = setTimeout(() => {
      solved.delete(later)
      void check(() => endSolved(deps, submissionId))
    }, afterSolveMs).unref()
    solved.add(later)
  })
  const timer = every(sweepMs, sweep, onError)

  return {
    async begin() {
      await endLeases(deps.db, deps.node).catch(onError)
      await sweep()
    },
    sweep,
    async close() {
      for (const later of solved) clearTimeout(later)
      await timer.close()
      await checking
    },
  }
}
