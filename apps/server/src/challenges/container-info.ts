/** The container of a team or of the editor in the view of its challenge. instances/ starts and stops containers. */
import type { ContainerInfo, Entry, StartProgress } from '@vexil/contract/challenges'
import type { ErrorCode } from '@vexil/contract/errors'
import type { ChallengeDetail } from '@vexil/contract/scoreboard'
import { wireTime } from '@vexil/contract/wire'
import {
  type ContainerState,
  type EndedBy,
  type Readiness,
  type StartPhase,
  shownEnds,
  statusOf,
  stopOf,
} from '@vexil/core/instances'
import { startFailureShown } from '@vexil/core/limits'
import type { PlayTimes } from '@vexil/core/phases'
import { type RawBuilder, sql } from 'kysely'
import type { Static } from 'typebox'
import type { Config } from '../config.ts'
import type { Db, Tx } from '../db/transaction.ts'

export interface ContainerRow {
  readonly id: string
  readonly state: ContainerState
  readonly readiness: Readiness
  /** While Pending. */
  readonly phase: Exclude<StartPhase, 'waiting'>
  readonly percent: number | null
  /** Position among the waiting starts of all teams, from 1; null: it does not wait. */
  readonly place: number | null
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly stopsAt: Date | null
  readonly proxied: boolean
  readonly publishedHost: string | null
  readonly publishedPort: number | null
  readonly host: string | null
  readonly port: number | null
  readonly hostName: string
  /** In the order of the challenge. */
  readonly namedPorts: readonly NamedPortRow[]
}

interface NamedPortRow {
  readonly name: string
  /** For the platform. */
  readonly port: number
  readonly publishedPort: number | null
  readonly hostName: string
}

/** The named ports of a container, as JSON. */
export function namedPortsOf(id: RawBuilder<unknown>) {
  return sql`(select coalesce(json_agg(json_build_object(
      'name', n.name, 'port', n.port, 'publishedPort', n.published_port, 'hostName', n.host_name) order by n.position), '[]')
    from container_ports n where n.container_id = ${id})`
}

/** As a number from 1, null for one that does not wait; the query must alias containers as `k`. */
const place = sql`case when k.state = 'Pending' and k.phase = 'queued' then (
    select count(*) from containers q where q.state = 'Pending' and q.phase = 'queued' and (q.queued_at, q.id) <= (k.queued_at, k.id)
  )::int end as place`

/** The columns of a `ContainerRow`; the query must alias containers as `k`. */
export const containerColumns = sql`k.id, k.state, case when k.state = 'Running' and (k.ready_until is null or k.ready_at is not null) then 'ready'
    when k.ready_until <= clock_timestamp() then 'late' else 'waiting' end as readiness, k.phase, k.percent, ${place}, k.created_at, k.started_at, k.stops_at, k.proxied, k.published_host, k.published_port, k.host, k.port, k.host_name, ${namedPortsOf(sql`k.id`)} as named_ports`

/** The container that has not ended of a team's instance, or the test container (`participationId` null). At most one. */
export async function findContainer(
  db: Db | Tx,
  { challengeId, participationId }: { challengeId: number; participationId: number | null },
): Promise<ContainerRow | undefined> {
  const { rows } = await sql<ContainerRow>`
    select ${containerColumns} from containers k
    where k.challenge_id = ${challengeId} and k.participation_id is not distinct from ${participationId} and not k.is_check and k.state <> 'Ended'`.execute(
    db,
  )
  return rows[0]
}

interface LastContainer extends ContainerRow {
  readonly endedBy: EndedBy | null
  readonly exitCode: number | null
  readonly failureCode: string | null
  readonly failedAt: Date | null
  /** It failed so recently that its team sees the reason. */
  readonly showsFailure: boolean
}

/** The last container of a team's instance, in any state. */
export async function findLastContainer(
  db: Db,
  { challengeId, participationId }: { challengeId: number; participationId: number },
): Promise<LastContainer | undefined> {
  const { rows } = await sql<LastContainer>`
    select ${containerColumns}, k.ended_by, k.exit_code, k.failure_code, k.failed_at,
      coalesce(k.failed_at > clock_timestamp() - make_interval(secs => ${startFailureShown / 1000}), false) as shows_failure
    from containers k
    where k.challenge_id = ${challengeId} and k.participation_id = ${participationId}
    order by k.created_at desc limit 1`.execute(db)
  return rows[0]
}

/** What the team sees of an instance that has ended. */
export function lastEndOf({ state, endedBy, exitCode }: LastContainer): ChallengeDetail['context']['lastEnd'] {
  const cause = shownEnds.find((shown) => shown === endedBy)
  return cause && (state === 'Ending' || state === 'Ended') ? { cause, exitCode } : null
}

type Addresses = Pick<Config, 'containerEntry' | 'containerTls'>

/** Why the last start failed; null: it did not, or long ago. */
export function startFailureOf({ failureCode, failedAt, showsFailure }: LastContainer): { code: ErrorCode; at: string } | null {
  return showsFailure && failureCode !== null && failedAt ? { code: failureCode as ErrorCode, at: wireTime(failedAt) } : null
}

/** How far the start of a container is; null: it has ended, or its service answers or is late. */
export function startOf({ state, readiness, phase, place, percent }: ContainerRow): StartProgress | null {
  if (state === 'Running') return readiness === 'waiting' ? { phase: 'waiting', place: null, percent: null } : null
  return state === 'Pending' ? { phase, place, percent } : null
}

/** The address of a container: a bare GUID through the platform proxy, otherwise `host:port`; clients distinguish them by the colon. */
export function entryOf(row: ContainerRow, { containerEntry }: Addresses): string {
  if (row.state !== 'Running') return ''
  if (row.proxied) return row.id
  return addressOf(row.publishedHost ?? containerEntry, row.publishedPort ?? row.port)
}

const addressOf = (host: string, port: number | null) => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** Where it accepts TLS connections, as `host:port`; null where the platform has no such hosts. */
export function tlsEntryOf({ state, proxied, hostName }: ContainerRow, { containerTls }: Addresses): string | null {
  return state === 'Running' && proxied && containerTls ? `${hostName}.${containerTls.suffix}:${containerTls.port}` : null
}

/** The entries of a container: of its first port, then of its named ones. Empty while it has none. */
export function entriesOf(row: ContainerRow, addresses: Addresses): Entry[] {
  if (row.state !== 'Running') return []
  const host = row.publishedHost ?? addresses.containerEntry
  return [
    { name: null, entry: entryOf(row, addresses), tlsEntry: tlsEntryOf(row, addresses) },
    ...row.namedPorts.map(({ name, port, publishedPort, hostName }) => ({
      name,
      entry: row.proxied ? `${row.id}/${name}` : addressOf(host, publishedPort ?? port),
      tlsEntry: tlsEntryOf({ ...row, hostName }, addresses),
    })),
  ]
}

/** `game` is null for a test container, which does not stop with the game. A container whose service is awaited is Pending and has no address. */
export function containerInfo(
  row: ContainerRow,
  game: Pick<PlayTimes, 'endsAt' | 'practiceMode'> | null,
  config: Addresses,
): Static<typeof ContainerInfo> {
  const stopsAt = (row.stopsAt ?? row.createdAt).getTime()
  const isAwaited = row.state === 'Running' && row.readiness === 'waiting'
  return {
    status: isAwaited ? 'Pending' : statusOf(row.state),
    startedAt: wireTime(row.startedAt ?? row.createdAt),
    expectStopAt: wireTime(game ? stopOf(stopsAt, game) : stopsAt),
    entry: isAwaited ? '' : entryOf(row, config),
    tlsEntry: isAwaited ? null : tlsEntryOf(row, config),
    entries: isAwaited ? [] : entriesOf(row, config),
    readiness: row.readiness,
    start: startOf(row),
  }
}
