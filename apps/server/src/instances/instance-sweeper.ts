/** Containers whose reason ended go at once; the rest is found by the sweep. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import { every } from '../every.ts'
import { EngineError } from '../ports/engine/engine.ts'
import { findImage } from './instances.queries.ts'
import { endSolved, endWhatMust, type SweepDeps, sweepContainers } from './sweep-containers.ts'

const settleMs = 100
const afterSolveMs = 5000
/** What has expired is gone at most 30 s after its time. */
const sweepMs = 20_000

export interface Instances {
  /** Makes rows and engine agree now. */
  sweep(): Promise<void>
  /** Waits for what runs. */
  close(): Promise<void>
}

/** Another process of the node keeps them. */
export const noSweeper: Instances = { sweep: async () => undefined, close: async () => undefined }

export function startInstanceSweeper(deps: SweepDeps & Pick<Deps, 'settings'>): Instances {
  const { bus, engine, settings, onError } = deps
  // One after the other: of two sweeps of one node at once the second would find what the first has not done yet.
  let checking = Promise.resolve()
  const check = (work: () => Promise<void>) => {
    checking = checking.then(work).catch(onError)
    return checking
  }
  const sweep = () => (engine.kind === 'None' ? Promise.resolve() : check(() => sweepContainers(deps)))
  /** Several changes in a row, such as the joins of an opening minute, are looked at once. */
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
    soon(() => endWhatMust(deps)),
  )
  // With a deletion the rows are gone as well, so the engine is asked what it has.
  const everything = soon(() => sweepContainers(deps))
  for (const name of ['challenge.changed', 'game.changed', 'team.changed'] as const) bus.subscribe(name, everything)
  // An image that is present when the first team starts an instance saves the wait.
  bus.subscribe('challenge.changed', ({ challengeId }) => {
    if (engine.kind !== 'None') void fetchImage(deps, challengeId).catch(onError)
  })
  // Where the site says so, an instance ends a few seconds after its challenge was solved: the last answer of the service still arrives.
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
    sweep,
    async close() {
      for (const later of solved) clearTimeout(later)
      await timer.close()
      await checking
    },
  }
}

/** Fetches the image of an enabled challenge; what is wrong with it is said in the log long before the game. */
async function fetchImage({ db, log, engine }: Pick<Deps, 'db' | 'log' | 'engine'>, challengeId: number): Promise<void> {
  const challenge = await findImage(db, challengeId)
  if (!challenge) return
  await engine.pull(challenge.image).catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error
    const message = `Could not pull the image of ${challenge.title} (#${challengeId}): ${error.message}`
    log.write({ level: 'Warning', status: 'Failed', name: 'System', message })
  })
}
