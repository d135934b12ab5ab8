/** The container of a team or of the editor in the view of its challenge. instances/ starts and stops containers. */
import type { ContainerInfo } from '@vexil/contract/challenges'
import type { ChallengeDetail } from '@vexil/contract/scoreboard'
import { wireTime } from '@vexil/contract/wire'
import { type ContainerState, type EndedBy, shownEnds, statusOf, stopOf } from '@vexil/core/instances'
import type { PlayTimes } from '@vexil/core/phases'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { Db, Tx } from '../db/transaction.ts'

export interface ContainerRow {
  readonly id: string
  readonly state: ContainerState
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly stopsAt: Date | null
  readonly proxied: boolean
  readonly publishedHost: string | null
  readonly publishedPort: number | null
  readonly host: string | null
  readonly port: number | null
}

/** The columns of a `ContainerRow`; the query must alias containers as `k`. */
export const containerColumns = sql`k.id, k.state, k.created_at, k.started_at, k.stops_at, k.proxied, k.published_host, k.published_port, k.host, k.port`

/** The container that has not ended of a team's instance, or the test container (`participationId` null). At most one. */
export async function findContainer(
  db: Db | Tx,
  { challengeId, participationId }: { challengeId: number; participationId: number | null },
): Promise<ContainerRow | undefined> {
  const { rows } = await sql<ContainerRow>`
    select ${containerColumns} from containers k
    where k.challenge_id = ${challengeId} and k.participation_id is not distinct from ${participationId} and k.state <> 'Ended'`.execute(
    db,
  )
  return rows[0]
}

interface LastContainer extends ContainerRow {
  readonly endedBy: EndedBy | null
  readonly exitCode: number | null
}

/** The last container of a team's instance, in any state. */
export async function findLastContainer(
  db: Db,
  { challengeId, participationId }: { challengeId: number; participationId: number },
): Promise<LastContainer | undefined> {
  const { rows } = await sql<LastContainer>`
    select ${containerColumns}, k.ended_by, k.exit_code from containers k
    where k.challenge_id = ${challengeId} and k.participation_id = ${participationId}
    order by k.created_at desc limit 1`.execute(db)
  return rows[0]
}

/** What the team reads of an instance that has ended. */
export function lastEndOf({ state, endedBy, exitCode }: LastContainer): ChallengeDetail['context']['lastEnd'] {
  const cause = shownEnds.find((shown) => shown === endedBy)
  return cause && (state === 'Ending' || state === 'Ended') ? { cause, exitCode } : null
}

/** The address of a container: a bare GUID through the platform proxy, otherwise `host:port`; clients distinguish them by the colon. */
function entryOf(row: ContainerRow, publicHost: string): string {
  if (row.state !== 'Running') return ''
  if (row.proxied) return row.id
  const host = row.publishedHost ?? publicHost
  return `${host.includes(':') ? `[${host}]` : host}:${row.publishedPort ?? row.port}`
}

/** `game` is null for a test container, which does not stop with the game. */
export function containerInfo(
  row: ContainerRow,
  game: Pick<PlayTimes, 'endsAt' | 'practiceMode'> | null,
  publicHost: string,
): Static<typeof ContainerInfo> {
  const stopsAt = (row.stopsAt ?? row.createdAt).getTime()
  return {
    status: statusOf(row.state),
    startedAt: wireTime(row.startedAt ?? row.createdAt),
    expectStopAt: wireTime(game ? stopOf(stopsAt, game) : stopsAt),
    entry: entryOf(row, publicHost),
  }
}
