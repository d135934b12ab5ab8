import type { Deps } from '../deps.ts'
import { type Ending, setEnded, setEnding } from './instances.queries.ts'

export type EndDeps = Pick<Deps, 'db' | 'log' | 'engine'>

/** Ends the row, then the engine's container. Returns false if the engine fails: the row stays `Ending`, and the sweep tries again. Idempotent, also across nodes. */
export async function endContainer(deps: EndDeps, id: string, ending: Ending): Promise<boolean> {
  await setEnding(deps.db, id, ending)
  return finishEnding(deps, id)
}

export async function finishEnding({ db, log, engine }: EndDeps, id: string): Promise<boolean> {
  try {
    await engine.destroy(id)
  } catch (error) {
    const message = `Could not destroy container ${id.slice(0, 8)}: ${error instanceof Error ? error.message : error}`
    log.write({ level: 'Warning', status: 'Failed', name: 'System', message })
    return false
  }
  await setEnded(db, id)
  return true
}
