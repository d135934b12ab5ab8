import { mustHavePaused } from '@vexil/core/instances'
import { ChallengeHasNoContainer, ContainerNotDestroyed, ContainerNotRunning, InstanceNotFound } from '@vexil/core/rules'
import { hasContainer } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { type Actor, audit } from '../audit.ts'
import { enterChallenge } from '../challenges/open-challenge.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { addEvent } from '../games/games.queries.ts'
import { endContainer, finishEnding } from './end-container.ts'
import { listOpen, setEnding } from './instances.queries.ts'
import type { InstanceCall } from './start-instance.ts'
import type { Starts } from './starts.ts'

type DestroyDeps = Pick<Deps, 'db' | 'bus' | 'log' | 'engine'> & { readonly starts: Starts }

/**
 * Ends the instance of the caller's team. The row is set to `Ending` and the event is written before the engine is called. One that is starting
 * can be ended without a pause after its start.
 * @throws as enterChallenge, ChallengeHasNoContainer, ContainerNotRunning, ContainerTooSoon, ContainerNotDestroyed
 */
export async function destroyInstance(deps: DestroyDeps, { gameId, challengeId, by }: InstanceCall): Promise<void> {
  const { challenge, participationId } = await enterChallenge(deps, { gameId, challengeId, accountId: by.id })
  if (!hasContainer(challenge.type)) throw new ChallengeHasNoContainer()
  const { id, eventId } = await inTransaction(deps.db, async (tx) => {
    const { rows } = await sql<{ id: string; isStarting: boolean; actedAt: Date; now: number }>`
      select id, state = 'Pending' or (state = 'Running' and ready_until > clock_timestamp() and ready_at is null) as is_starting, acted_at, extract(epoch from clock_timestamp())::float8 * 1000 as now from containers
      where participation_id = ${participationId} and challenge_id = ${challengeId} and state <> 'Ended'
      for no key update`.execute(tx)
    const row = rows[0]
    if (!row) throw new ContainerNotRunning()
    if (!row.isStarting) mustHavePaused(row.actedAt.getTime(), row.now)
    // A container that is already ending is destroyed again without a second log entry or event.
    if (!(await setEnding(tx, row.id, { by: 'player', acted: true }))) return { id: row.id, eventId: null }
    const values = [String(challengeId), challenge.title]
    const event = { gameId, participationId, accountId: by.id, type: 'ContainerDestroy', values } as const
    return { id: row.id, eventId: await addEvent(tx, event) }
  })
  if (eventId !== null) deps.bus.publish('event.recorded', { gameId, eventId })
  deps.bus.publish('instance.changed', { gameId, challengeId, participationId })
  // A start that has stopped may have left its container, if the engine did not remove it.
  const isDestroyed = (await deps.starts.stop(id)) && (await listOpen(deps.db, sql`k.id = ${id}`)).length === 0
  if (!isDestroyed && !(await finishEnding(deps, id))) throw new ContainerNotDestroyed()
  audit(deps, by, `Destroyed instance of ${challenge.title} (#${challengeId})`)
}

/** For administrators, in any state of the game. @throws InstanceNotFound, ContainerNotDestroyed */
export async function destroyAnyInstance(deps: DestroyDeps, id: string, by: Actor): Promise<void> {
  const [row] = await listOpen(deps.db, sql`k.id = ${id} and k.participation_id is not null`)
  if (!row) throw new InstanceNotFound()
  const { gameId, challengeId, participationId } = row
  const ended = await endContainer(deps, id, { by: 'administrator' })
  deps.bus.publish('instance.changed', { gameId, challengeId, participationId })
  if (!ended) throw new ContainerNotDestroyed()
  audit(deps, by, `Destroyed instance of ${row.challengeTitle} (#${challengeId}) of ${row.teamName}`)
}
