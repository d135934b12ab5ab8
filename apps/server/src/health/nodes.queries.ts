import { sql } from 'kysely'
import type { Db } from '../db/transaction.ts'

export type NodeState = 'Serving' | 'Draining'

export interface OwnNode {
  /** GUID of its data folder. */
  readonly id: string
  readonly version: string
  /** VEXIL_NODE_URL. */
  readonly url: string | null
  readonly processes: number
  readonly state: NodeState
}

export interface ListedNode extends OwnNode {
  readonly startedAt: Date
  readonly seenAt: Date
  /** It missed two reports. */
  readonly isLate: boolean
}

/** Inserts or renews the row of a node, and deletes those of nodes that did not report for ten minutes. */
export async function reportNode(db: Db, { id, version, url, processes, state }: OwnNode): Promise<void> {
  await sql`
    with old as (delete from nodes where seen_at < clock_timestamp() - interval '10 minutes' and id <> ${id})
    insert into nodes (id, version, url, processes, state) values (${id}, ${version}, ${url}, ${processes}, ${state})
    on conflict (id) do update set version = excluded.version, url = excluded.url, processes = excluded.processes, state = excluded.state,
      seen_at = excluded.seen_at`.execute(db)
}

/** A node that starts: the time of its start is now. */
export async function removeNode(db: Db, id: string): Promise<void> {
  await db.deleteFrom('nodes').where('id', '=', id).execute()
}

/** In the order of their start. */
export async function listNodes(db: Db): Promise<ListedNode[]> {
  const { rows } = await sql<ListedNode>`
    select id, version, url, processes, state, started_at, seen_at, seen_at < clock_timestamp() - interval '15 seconds' as is_late
    from nodes order by started_at, id`.execute(db)
  return rows
}

/** Whether requests can go to another node. */
export async function isAnotherServing(db: Db, id: string): Promise<boolean> {
  return (await listNodes(db)).some((one) => one.id !== id && one.state === 'Serving' && !one.isLate)
}
