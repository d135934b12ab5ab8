/** Reconciles rows and engine: ends what must end, removes containers without a row, closes rows without a container. */

import { endOf, nextStep, type Seen } from '@vexil/core/instances'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { type ContainerEnd, EngineError, type Found } from '../ports/engine/engine.ts'
import { openSemaphore } from '../semaphore.ts'
import { finishEnding } from './end-container.ts'
import { type Ending, forgetEnded, listOpen, type OpenContainer, setAllEnding, setEnding } from './instances.queries.ts'

export type SweepDeps = Pick<Deps, 'db' | 'bus' | 'log' | 'engine' | 'onError'>

const atOnce = 4
/** Milliseconds. */
const duplicateAfterMs = 10_000

/** Second containers of rows that this node has seen: when it saw each first, in ms of the monotonic clock. */
export type SeenDuplicates = Map<string, number>

/**
 * Safe on several nodes concurrently. The engine is listed before the rows are read, so a container without a row belongs to no start. If the
 * engine is unreachable, rows are still ended. `duplicates` is what earlier sweeps have seen.
 */
export async function sweepContainers(deps: SweepDeps, duplicates: SeenDuplicates = new Map()): Promise<void> {
  const found = await deps.engine.list().catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error
    return null
  })
  const rows = await listOpen(deps.db)
  const open = new Set(rows.map(({ id }) => id))
  const unknownIds = new Set((found ?? []).map(({ id }) => id).filter((id) => !open.has(id)))
  const restarted: OpenContainer[] = []
  await settleAll(deps, [
    ...rows.map((row) => () => settle(deps, row, found ? ownOf(row, found) : 'unreachable', restarted)),
    ...[...unknownIds].map((id) => () => deps.engine.destroy(id)),
  ])
  await endRestarted(deps, restarted)
  if (found)
    await settleAll(
      deps,
      dueDuplicates(duplicates, found, rows).map((duplicate) => () => removeDuplicate(deps, duplicates, duplicate)),
    )
  await forgetEnded(deps.db)
}

interface Duplicate {
  readonly engineId: string
  readonly row: OpenContainer
}

/** Containers with the id of a running row that are not its container: two sweeps at least ten seconds apart have seen them. */
function dueDuplicates(seen: SeenDuplicates, found: readonly Found[], rows: readonly OpenContainer[]): Duplicate[] {
  const running = new Map(rows.filter(({ state }) => state === 'Running').map((row) => [row.id, row]))
  const duplicates = found.flatMap(({ id, engineId }) => {
    const row = running.get(id)
    return row && row.engineId !== null && engineId !== null && engineId !== row.engineId ? [{ engineId, row }] : []
  })
  const now = performance.now()
  const still = new Map(duplicates.map(({ engineId }) => [engineId, seen.get(engineId) ?? now]))
  seen.clear()
  for (const [engineId, since] of still) seen.set(engineId, since)
  return duplicates.filter(({ engineId }) => now - (still.get(engineId) ?? now) >= duplicateAfterMs)
}

async function removeDuplicate(deps: SweepDeps, seen: SeenDuplicates, { engineId, row }: Duplicate): Promise<void> {
  await deps.engine.destroyOne(row.id, engineId)
  seen.delete(engineId)
  const message = `Removed a second container of ${nameOf(row)}: ${engineId.slice(0, 24)}`
  deps.log.write({ level: 'Warning', status: 'Success', name: 'System', message })
}

/** Ends containers that must not stay after a change of a game, a team or a challenge, without listing the engine. */
export async function endDueContainers(deps: SweepDeps): Promise<void> {
  const rows = await listOpen(deps.db)
  await settleAll(
    deps,
    rows.flatMap((row) => {
      const cause = causeOf(row)
      return cause ? [() => end(deps, row, { by: cause })] : []
    }),
  )
}

export async function endSolved(deps: SweepDeps, submissionId: number): Promise<void> {
  const of = sql`(k.participation_id, k.challenge_id) = (select participation_id, challenge_id from submissions where id = ${submissionId})`
  for (const row of await listOpen(deps.db, of)) await end(deps, row, { by: 'solve' })
}

async function settleAll({ onError }: SweepDeps, works: (() => Promise<void>)[]): Promise<void> {
  const semaphore = openSemaphore(atOnce, Number.POSITIVE_INFINITY)
  for (const outcome of await Promise.allSettled(works.map((work) => semaphore(work))))
    if (outcome.status === 'rejected') onError(outcome.reason)
}

/** The engine's container of a row. Before its row is Running, any container with its id. */
const ownOf = ({ id, engineId }: OpenContainer, found: readonly Found[]): Found | null =>
  found.find((one) => one.id === id && (engineId === null || one.engineId === engineId || one.engineId === null)) ?? null

const seenOf = (found: Found | null): Seen =>
  found === null || found.state === 'remains' ? 'missing' : found.state === 'running' ? 'running' : 'ended'

const causeOf = ({ state, status, enabled, leaseUntil, stopsAt, startsAt, endsAt, practiceMode, now }: OpenContainer) =>
  endOf(
    {
      state,
      leaseUntil: leaseUntil.getTime(),
      stopsAt: stopsAt?.getTime() ?? null,
      game: { startsAt: startsAt.getTime(), endsAt: endsAt.getTime(), practiceMode },
      team: status === null ? null : { status, enabled },
    },
    now,
  )

/** `restarted` collects the rows whose containers ended with their engine. */
async function settle(
  deps: SweepDeps,
  row: OpenContainer,
  found: Found | null | 'unreachable',
  restarted: OpenContainer[],
): Promise<void> {
  const cause = causeOf(row)
  if (found === 'unreachable') {
    if (!cause || !(await setEnding(deps.db, row.id, { by: cause }))) return
    announce(deps, row)
    return writeEnd(deps, row, { by: cause })
  }
  if (cause) return end(deps, row, { by: cause })
  if (found?.overStorage && row.state === 'Running') return end(deps, row, { by: 'storage', problem: sentences.storage })
  const step = nextStep(row.state, seenOf(found))
  if (step === 'nothing') return
  if (step === 'destroy' || step === 'close') return void (await finishEnding(deps, row.id))
  const inspected = await deps.engine.inspect(row.id, row.engineId ?? undefined)
  if (seenOf(inspected) === 'running') return
  if (inspected?.end?.reason === 'engine') return void restarted.push(row)
  await end(deps, row, await endingOf(deps, row.id, inspected?.end ?? null))
}

const sentences: Readonly<Record<Exclude<ContainerEnd['reason'], 'exit' | 'engine'> | 'removed', string>> = {
  memory: 'It needed more memory than its limit',
  storage: 'It exceeded its storage limit',
  evicted: 'The cluster ended it',
  removed: 'Another program removed it from the engine',
}

/** `problem`: the reason, then the engine's words, then the last lines of output. */
async function endingOf({ engine }: SweepDeps, id: string, ended: ContainerEnd | null): Promise<Ending> {
  if (ended === null || ended.reason === 'engine') return { by: 'removed', problem: sentences.removed }
  const { reason, container, exitCode, message } = ended
  const lines = await engine.logs(id, 10, container ?? undefined).catch(() => '')
  const sentence = reason === 'exit' ? `Exit code ${exitCode ?? 'unknown'}` : sentences[reason]
  const problem = `${[container !== null && `Additional container ${container}`, sentence, message].filter(Boolean).join('. ')}${lines ? `: ${lines}` : ', without output'}`
  return { by: reason, problem, exitCode }
}

/** Ends a container that must not stay, and notifies its team and, once over all nodes, the log. */
async function end(deps: SweepDeps, row: OpenContainer, ending: Ending): Promise<void> {
  const isFirst = await setEnding(deps.db, row.id, ending)
  await finishEnding(deps, row.id)
  announce(deps, row)
  if (isFirst) writeEnd(deps, row, ending)
}

function writeEnd({ log }: SweepDeps, row: OpenContainer, { by, problem }: Ending): void {
  const message = `Container of ${nameOf(row)} ended (${by})${problem ? `: ${problem}` : ''}`
  const level = problem === undefined ? 'Information' : 'Warning'
  log.write({ level, status: problem === undefined ? 'Success' : 'Failed', name: 'System', message })
}

/** One log entry for all: a restart ends every container. */
async function endRestarted(deps: SweepDeps, rows: readonly OpenContainer[]): Promise<void> {
  if (rows.length === 0) return
  const ids = await setAllEnding(
    deps.db,
    rows.map(({ id }) => id),
    'engine',
  )
  for (const row of rows) announce(deps, row)
  if (ids.size > 0) {
    const message = `The container engine was restarted: ${ids.size} ${ids.size === 1 ? 'instance' : 'instances'} ended`
    deps.log.write({ level: 'Warning', status: 'Failed', name: 'System', message })
  }
  await settleAll(
    deps,
    rows.map(
      ({ id }) =>
        async () =>
          void (await finishEnding(deps, id)),
    ),
  )
}

const nameOf = ({ challengeTitle, challengeId, teamName }: OpenContainer) =>
  `${challengeTitle} (#${challengeId})${teamName === null ? '' : ` of ${teamName}`}`

const announce = ({ bus }: SweepDeps, { gameId, challengeId, participationId }: OpenContainer) =>
  bus.publish('instance.changed', { gameId, challengeId, participationId })
