/** The progress of starts, which their rows carry for all nodes. */
import type { StartProgress } from '@vexil/contract/challenges'
import { sql } from 'kysely'
import { findLastContainer, startFailureOf, startOf } from '../challenges/container-info.ts'
import type { Db } from '../db/transaction.ts'

export interface StoredStart {
  readonly phase: 'queued' | 'pulling' | 'creating'
  readonly percent: number | null
  /** Milliseconds since it joined the queue; null: it keeps its place. */
  readonly queuedSince: number | null
}

export async function setProgress(db: Db, id: string, { phase, percent, queuedSince }: StoredStart): Promise<void> {
  await sql`
    update containers set phase = ${phase}, percent = ${percent}
      ${queuedSince === null ? sql`` : sql`, queued_at = clock_timestamp() - make_interval(secs => ${queuedSince / 1000})`}
    where id = ${id} and state = 'Pending'`.execute(db)
}

export interface PendingStart {
  readonly id: string
  readonly gameId: number
  readonly challengeId: number
  /** null: a test container. */
  readonly participationId: number | null
  readonly phase: StoredStart['phase']
  readonly percent: number | null
  readonly place: number | null
}

/** Those of the given starts that have not ended or completed. */
export async function listPending(db: Db, ids: readonly string[]): Promise<PendingStart[]> {
  const { rows } = await sql<PendingStart>`
    with queue as (
      select id, row_number() over (order by queued_at, id)::int as place from containers where state = 'Pending' and phase = 'queued'
    )
    select k.id, c.game_id, k.challenge_id, k.participation_id, k.phase, k.percent, queue.place
    from containers k join challenges c on c.id = k.challenge_id left join queue on queue.id = k.id
    where k.id = any(${ids}::uuid[]) and k.state = 'Pending'`.execute(db)
  return rows
}

/** The last start of an instance, as its team reads it. */
export async function findStart(
  db: Db,
  of: { readonly challengeId: number; readonly participationId: number },
): Promise<{ start: StartProgress | null; failure: string | null }> {
  const last = await findLastContainer(db, of)
  return { start: last ? startOf(last) : null, failure: last ? (startFailureOf(last)?.code ?? null) : null }
}
