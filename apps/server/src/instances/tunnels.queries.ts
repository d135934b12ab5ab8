import { tunnelLimits } from '@vexil/core/limits'
import { ProxyTargetNotFound, ProxyTooManyConnections } from '@vexil/core/rules'
import { sql } from 'kysely'
import { type Db, inTransaction } from '../db/transaction.ts'
import type { CaptureFacts } from './capture.ts'

const lease = sql`clock_timestamp() + make_interval(secs => ${tunnelLimits.lease / 1000})`

export interface TunnelRequest {
  /** Only a test container. */
  readonly test: boolean
  /** The name of a port; null: the first one. */
  readonly name: string | null
}

export const isReachable = async (db: Db, containerId: string, { test, name }: TunnelRequest): Promise<boolean> =>
  (
    await sql`
      select from containers k where k.id = ${containerId} and k.state = 'Running' and k.proxied
        and (${!test} or k.participation_id is null)
        and (${name}::text is null or exists (select from container_ports n where n.container_id = k.id and n.name = ${name}))`.execute(
      db,
    )
  ).rows.length > 0

/** The running container behind the proxy with this host name, and which of its ports. */
export async function findByHostName(db: Db, hostName: string): Promise<({ readonly id: string } & TunnelRequest) | undefined> {
  const { rows } = await sql<{ id: string } & TunnelRequest>`
    select k.id, k.participation_id is null as test, found.name
    from (
      select id, null as name from containers where host_name = ${hostName}
      union all select container_id, name from container_ports where host_name = ${hostName}
    ) found join containers k on k.id = found.id
    where k.state = 'Running' and k.proxied`.execute(db)
  return rows[0]
}

export interface TunnelTarget {
  readonly host: string
  readonly port: number
  readonly capture: { readonly facts: CaptureFacts; readonly participationId: number } | null
}

interface TargetRow {
  host: string
  port: number
  capture: boolean
  engineId: string
  participationId: number | null
  title: string
  challengeId: number
  teamName: string
  teamId: number
  flag: string | null
}

/**
 * The address and port of a container that ended unnoticed may belong to a later one, perhaps of another team: a cluster assigns addresses of pods
 * again, Docker assigns ports again. The sweep closes the row of the earlier one.
 */
const keepsPlace = sql`not exists (
  select from containers later
  where later.host = k.host and later.port = k.port and later.state = 'Running' and (later.started_at, later.id) > (k.started_at, k.id))`

/** Locks the container, so that concurrent calls cannot exceed the limit. @throws ProxyTargetNotFound, ProxyTooManyConnections (not for test containers) */
export function enterTunnel(db: Db, tunnelId: string, containerId: string, { test, name }: TunnelRequest): Promise<TunnelTarget> {
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<TargetRow>`
      select k.host, case when ${name}::text is null then k.port else n.port end as port, k.capture and c.capture_traffic as capture, k.engine_id, k.participation_id, c.title, c.id as challenge_id, t.name as team_name, t.id as team_id,
        h.flag
      from containers k
      join challenges c on c.id = k.challenge_id
      left join container_ports n on n.container_id = k.id and n.name = ${name}
      left join participations p on p.id = k.participation_id
      left join teams t on t.id = p.team_id
      left join team_flags h on h.participation_id = k.participation_id and h.challenge_id = k.challenge_id
      where k.id = ${containerId} and k.state = 'Running' and k.proxied and (${!test} or k.participation_id is null)
        and (${name}::text is null or n.name is not null) and ${keepsPlace}
      for no key update of k`.execute(tx)
    const row = rows[0]
    if (!row) throw new ProxyTargetNotFound()
    const open = await sql<{ count: number }>`
      select count(*)::int as count from tunnels where container_id = ${containerId} and lease_until > clock_timestamp()`.execute(
      tx,
    )
    const max = tunnelLimits.perContainer
    if (!test && (open.rows[0]?.count ?? 0) >= max) throw new ProxyTooManyConnections({ max })
    await sql`insert into tunnels (id, container_id, lease_until) values (${tunnelId}, ${containerId}, ${lease})`.execute(tx)
    return targetOf(row)
  })
}

function targetOf(row: TargetRow): TunnelTarget {
  const { host, port, participationId, flag } = row
  if (!row.capture || participationId === null) return { host, port, capture: null }
  const facts: CaptureFacts = {
    Challenge: row.title,
    ChallengeId: row.challengeId,
    Team: row.teamName,
    TeamId: row.teamId,
    ContainerId: row.engineId,
    Flag: flag,
  }
  return { host, port, capture: { facts, participationId } }
}

export const leaveTunnel = (db: Db, tunnelId: string) => db.deleteFrom('tunnels').where('id', '=', tunnelId).execute()

/**
 * Renews the leases of these connections (id and container) and returns those whose container still runs. Removes expired leases, also of connections
 * that are open: after a failure of the database all leases have expired, so a missing row is stored again.
 */
export async function renewTunnels(db: Db, tunnels: ReadonlyMap<string, string>): Promise<ReadonlySet<string>> {
  // A node that renews a row at this moment has locked it.
  await sql`
    delete from tunnels where id in (select id from tunnels where lease_until < clock_timestamp() for update skip locked)`.execute(
    db,
  )
  if (tunnels.size === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    insert into tunnels (id, container_id, lease_until)
    select t.id, k.id, ${lease} from unnest(${[...tunnels.keys()]}::uuid[], ${[...tunnels.values()]}::uuid[]) as t (id, container_id)
    join containers k on k.id = t.container_id and k.state = 'Running'
    on conflict (id) do update set lease_until = excluded.lease_until returning id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
