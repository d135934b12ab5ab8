/** Runs the isolation probe: at the start, every hour, and when an administrator asks. */
import type { IsolationProbe } from '@vexil/contract/instances'
import { wireTime } from '@vexil/contract/wire'
import { engineWithin, isolationPause } from '@vexil/core/limits'
import { ContainersUnavailable } from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import type { Deps } from '../deps.ts'
import { EngineError } from '../ports/engine/engine.ts'
import type { ProbePlan } from '../ports/engine/isolation-places.ts'
import { within } from './engine-status.ts'
import { beginProbe, findProbe, finishProbe, type ProbeRow } from './isolation.queries.ts'
import { messageOf } from './launch.ts'

type ProbeDeps = Pick<Deps, 'db' | 'log' | 'engine' | 'config' | 'onError'>

/** Returns when the run has ended; at once when another is under way, or the last one ended less than `pause` ago (milliseconds). */
export async function tryIsolation(deps: ProbeDeps, pause = 0): Promise<void> {
  const before = await findProbe(deps.db)
  if (await beginProbe(deps.db, pause)) await run(deps, before)
}

/** For the sweep: a run at the start of a node replaces that of the hour. */
export const tryIsolationAgain = (deps: ProbeDeps) => tryIsolation(deps, isolationPause)

/** Begins a run unless one is under way, waits for its end for a second, and returns the state. @throws ContainersUnavailable */
export async function startIsolationProbe(deps: ProbeDeps, by: Actor): Promise<IsolationProbe> {
  if (deps.engine.kind === 'None') throw new ContainersUnavailable()
  const before = await findProbe(deps.db)
  if (await beginProbe(deps.db, 0)) {
    audit(deps, by, 'Isolation probe started')
    await within(engineWithin.isolationAnswer, run(deps, before).catch(deps.onError))
  }
  return isolationProbe(deps)
}

export async function isolationProbe({ db, engine }: Pick<Deps, 'db' | 'engine'>): Promise<IsolationProbe> {
  const row = await findProbe(db)
  const state = engine.kind === 'None' ? 'none' : row?.isRunning ? 'running' : row?.finishedAt ? 'done' : 'never'
  const { finishedAt = null, problem = null, attempts = [] } = row ?? {}
  return { state, finishedAt: finishedAt && wireTime(finishedAt), problem, attempts: [...attempts] }
}

async function run(deps: ProbeDeps, before: ProbeRow | null): Promise<void> {
  const found = await attempt(deps)
  await finishProbe(deps.db, found)
  const message = summaryOf(found)
  const isReached = found.attempts.some(({ result }) => result === 'reached')
  // The log has the other results only when they change.
  if (!isReached && before?.finishedAt && summaryOf(before) === message) return
  const isBad = isReached || found.problem !== null
  deps.log.write({ level: isBad ? 'Warning' : 'Information', status: isBad ? 'Failed' : 'Success', name: 'System', message })
}

async function attempt({ engine, config }: ProbeDeps): Promise<Pick<ProbeRow, 'problem' | 'attempts'>> {
  const plan: ProbePlan = { image: config.probeImage, port: config.port, database: databaseOf(config.databaseUrl) }
  try {
    const attempts = await within(engineWithin.isolation, engine.tryIsolation(plan))
    if (attempts !== 'late') return { problem: null, attempts }
    return { problem: `The probe did not end within ${engineWithin.isolation / 1000} s.`, attempts: [] }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return { problem: messageOf(error), attempts: [] }
  }
}

/** null for the embedded database and a Unix socket. */
function databaseOf(url: string | null): ProbePlan['database'] {
  if (url === null) return null
  const { hostname, port } = new URL(url)
  return hostname === '' ? null : { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) }
}

function summaryOf({ problem, attempts }: Pick<ProbeRow, 'problem' | 'attempts'>): string {
  if (problem !== null) return `Isolation was not tried. ${problem}`
  const reached = attempts.filter(({ result }) => result === 'reached')
  if (reached.length > 0) {
    const list = reached.map(({ network, target, address, port }) => `${network}: ${target} ${address} port ${port}`)
    return `Isolation probe: containers reach what they must not: ${list.join(', ')}`.slice(0, 2000)
  }
  const count = (word: string) => attempts.filter(({ result }) => result === word).length
  return `Isolation probe: ${count('refused')} targets refused, ${count('untried')} not tried`
}
