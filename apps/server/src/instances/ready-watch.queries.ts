import { sql } from 'kysely'
import { namedPortsOf } from '../challenges/container-info.ts'
import type { Db } from '../db/transaction.ts'

export interface AwaitedContainer {
  readonly id: string
  readonly gameId: number
  readonly challengeId: number
  readonly participationId: number | null
  readonly title: string
  /** The port of the challenge; `port` is where the platform reaches it. */
  readonly exposePort: number
  readonly readyText: string
  readonly readyTimeout: number
  readonly engineId: string
  readonly host: string
  readonly port: number
  readonly publishedHost: string | null
  readonly publishedPort: number | null
  readonly namedPorts: readonly { readonly name: string; readonly port: number; readonly publishedPort: number | null }[]
  /** Milliseconds until it is late; negative when it is. */
  readonly msLeft: number
}

interface Taking {
  /** null: all whose lease has ended. */
  readonly id: string | null
  readonly node: string
  readonly leaseMs: number
}

const isAwaited = sql`k.state = 'Running' and k.ready_until is not null and k.ready_at is null`
const leaseOf = (ms: number) => sql`clock_timestamp() + make_interval(secs => ${ms / 1000})`

/** Leases awaited containers to this node; of two nodes only one gets each. Locked in the order of their ids: other calls do the same. */
export async function claimAwaited(db: Db, { id, node, leaseMs }: Taking): Promise<AwaitedContainer[]> {
  const which = id === null ? sql`k.lease_until < clock_timestamp()` : sql`k.id = ${id}`
  const { rows } = await sql<AwaitedContainer>`
    update containers k set lease_until = ${leaseOf(leaseMs)}, node = ${node} from challenges c
    where c.id = k.challenge_id and k.id in (select k.id from containers k where ${isAwaited} and ${which} order by k.id for no key update)
    returning k.id, c.game_id, k.challenge_id, k.participation_id, c.title, c.expose_port, c.ready_text, c.ready_timeout, k.engine_id, k.host,
      k.port, k.published_host, k.published_port, ${namedPortsOf(sql`k.id`)} as named_ports, (extract(epoch from k.ready_until - clock_timestamp()) * 1000)::float8 as ms_left`.execute(
    db,
  )
  return rows
}

/** Returns false when the container has ended, or answered to another node. */
export async function renewAwaited(db: Db, id: string, leaseMs: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update containers k set lease_until = ${leaseOf(leaseMs)} where k.id = ${id} and ${isAwaited}`.execute(db)
  return numAffectedRows === 1n
}

/** Returns whether this call did it. Clears the mark of the challenge when the container started after it and answered in time. */
export async function setReady(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    with k as (
      update containers k set ready_at = clock_timestamp() where k.id = ${id} and ${isAwaited}
      returning k.challenge_id, k.started_at, k.ready_at <= k.ready_until as in_time
    ), cleared as (
      update challenges c set silent_since = null from k
      where c.id = k.challenge_id and k.in_time and c.silent_since < k.started_at
    )
    select from k`.execute(db)
  return rows.length > 0
}

/** Marks the challenge of a container that is late. Returns false if it is marked already. */
export async function markSilent(db: Db, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update challenges c set silent_since = clock_timestamp() from containers k
    where k.id = ${id} and ${isAwaited} and c.id = k.challenge_id and c.silent_since is null`.execute(db)
  return numAffectedRows === 1n
}

/** Enabled challenges of a game that are marked, by number. */
export const listSilent = async (
  db: Db,
  gameId: number,
): Promise<{ challengeId: number; title: string; port: number; since: Date }[]> =>
  (
    await sql<{ challengeId: number; title: string; port: number; since: Date }>`
      select id as challenge_id, title, expose_port as port, silent_since as since from challenges
      where game_id = ${gameId} and enabled and silent_since is not null order by id`.execute(db)
  ).rows
