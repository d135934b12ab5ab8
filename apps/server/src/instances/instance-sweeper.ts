/** Ends containers at once when their reason ends, and periodically removes the rest. */
import { setTimeout as sleep } from 'node:timers/promises'
import { severalOf } from '../challenges/challenges.view.ts'
import type { Deps } from '../deps.ts'
import { every } from '../every.ts'
import { EngineError } from '../ports/engine/engine.ts'
import { endLeases, findImage } from './instances.queries.ts'
import type { ReadyWatch } from './ready-watch.ts'
import { endSolved, endWhatMust, type Strays, type SweepDeps, sweepContainers } from './sweep-containers.ts'

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
  const strays: Strays = new Map()
  const sweepAll = async () => {
    await sweepContainers(deps, strays)
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
    soon(() => endWhatMust(deps)),
  )
  // A deletion removes the rows as well, so the engine's list is needed.
  const everything = soon(() => sweepContainers(deps, strays))
  for (const name of ['challenge.changed', 'game.changed', 'team.changed'] as const) bus.subscribe(name, everything)
  bus.subscribe('challenge.changed', ({ challengeId }) => {
    if (engine.kind !== 'None') void fetchImage(deps, challengeId).catch(onError)
  })
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

/** Fetches the images of an enabled challenge, so that problems are logged long before the game. */
async function fetchImage({ db, log, engine }: Pick<Deps, 'db' | 'log' | 'engine'>, challengeId: number): Promise<void> {
  const challenge = await findImage(db, challengeId)
  if (!challenge) return
  const { additionalContainers } = severalOf(challenge)
  const images = new Set([challenge.image, ...additionalContainers.map(({ image }) => image)])
  const fetch = (image: string) =>
    engine.pull(image).catch((error: unknown) => {
      if (!(error instanceof EngineError)) throw error
      const message = `Could not pull the image of ${challenge.title} (#${challengeId}): ${error.message}`
      log.write({ level: 'Warning', status: 'Failed', name: 'System', message })
    })
  await Promise.all([...images].map(fetch))
}
