/** Reconciles rows and engine: ends what must end, removes containers without a row, closes rows without a container. */

import { type EndedBy, endOf, nextStep, type Seen } from '@vexil/core/instances'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { EngineError, type Found } from '../ports/engine/engine.ts'
import { openSemaphore } from '../semaphore.ts'
import { endContainer, finishEnding } from './end-container.ts'
import { forgetEnded, listOpen, type OpenContainer, setEnding } from './instances.queries.ts'

export type SweepDeps = Pick<Deps, 'db' | 'bus' | 'log' | 'engine' | 'onError'>

const atOnce = 4

/** Safe on several nodes concurrently. The engine is listed before the rows are read, so a container without a row belongs to no start. If the engine is unreachable, rows are still ended. */
export async function sweepContainers(deps: SweepDeps): Promise<void> {
  const found = await deps.engine.list().catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error
    return null
  })
  const rows = await listOpen(deps.db)
  const known = new Map(found?.map((one) => [one.id, one]))
  const open = new Set(rows.map(({ id }) => id))
  const strangers = (found ?? []).filter(({ id }) => !open.has(id))
  await settleAll(deps, [
    ...rows.map((row) => () => settle(deps, row, found ? (known.get(row.id) ?? null) : 'away')),
    ...strangers.map((stranger) => () => deps.engine.destroy(stranger.id)),
  ])
  await forgetEnded(deps.db)
}

/** Ends containers that must not stay after a change of a game, a team or a challenge, without listing the engine. */
export async function endWhatMust(deps: SweepDeps): Promise<void> {
  const rows = await listOpen(deps.db)
  await settleAll(
    deps,
    rows.flatMap((row) => {
      const cause = causeOf(row)
      return cause ? [() => end(deps, row, cause)] : []
    }),
  )
}

export async function endSolved(deps: SweepDeps, submissionId: number): Promise<void> {
  const of = sql`(k.participation_id, k.challenge_id) = (select participation_id, challenge_id from submissions where id = ${submissionId})`
  for (const row of await listOpen(deps.db, of)) await end(deps, row, 'solve')
}

async function settleAll({ onError }: SweepDeps, works: (() => Promise<void>)[]): Promise<void> {
  const semaphore = openSemaphore(atOnce, Number.POSITIVE_INFINITY)
  for (const outcome of await Promise.allSettled(works.map(semaphore))) if (outcome.status === 'rejected') onError(outcome.reason)
}

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

async function settle(deps: SweepDeps, row: OpenContainer, found: Found | null | 'away'): Promise<void> {
  const cause = causeOf(row)
  if (found === 'away') {
    if (cause && (await setEnding(deps.db, row.id, { by: cause }))) announce(deps, row)
    return
  }
  if (cause) return end(deps, row, cause)
  if (found?.overStorage && row.state === 'Running') return end(deps, row, 'storage', 'It exceeded its storage limit')
  const step = nextStep(row.state, seenOf(found))
  if (step === 'nothing') return
  if (step === 'destroy' || step === 'close') return void (await finishEnding(deps, row.id))
  if (step === 'look' && seenOf(await deps.engine.inspect(row.id)) === 'running') return
  await end(deps, row, 'crash', await lastWords(deps, row.id))
}

const lastWords = async ({ engine }: SweepDeps, id: string): Promise<string> =>
  (await engine.logs(id, 10).catch(() => '')) || 'It ended without output'

/** Ends a container that ended unexpectedly, and notifies its team and the log. */
async function end(deps: SweepDeps, row: OpenContainer, by: EndedBy, problem?: string): Promise<void> {
  const ended = await endContainer(deps, row.id, { by, ...(problem !== undefined && { problem }) })
  announce(deps, row)
  if (!ended) return
  const whose = `${row.challengeTitle} (#${row.challengeId})${row.teamName === null ? '' : ` of ${row.teamName}`}`
  const message = `Container of ${whose} ended (${by})${problem ? `: ${problem}` : ''}`
  const level = problem === undefined ? 'Information' : 'Warning'
  deps.log.write({ level, status: problem === undefined ? 'Success' : 'Failed', name: 'System', message })
}

const announce = ({ bus }: SweepDeps, { gameId, challengeId, participationId }: OpenContainer) =>
  bus.publish('instance.changed', { gameId, challengeId, participationId })
