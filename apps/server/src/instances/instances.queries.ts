/** Rows of containers. Each change names the states that it may follow, so that only one of two concurrent changes happens. */
import type { ContainerState, EndedBy } from '@vexil/core/instances'
import { ContainerNotCreated } from '@vexil/core/rules'
import type { ChallengeCategory, ParticipationStatus } from '@vexil/core/vocabulary'
import { type RawBuilder, sql } from 'kysely'
import { type ContainerRow, containerColumns } from '../challenges/container-info.ts'
import type { Db, Tx } from '../db/transaction.ts'
import { findPlayerAccessWith, type PlayerAccess } from '../games/player-access.ts'
import { EngineError, type StartedPort } from '../ports/engine/engine.ts'

export const findCaller = async (db: Db, gameId: number, accountId: string): Promise<PlayerAccess> =>
  (await findPlayerAccess(db, { gameId, accountId })).play
const findPlayerAccess = findPlayerAccessWith({ columns: sql`g.id` })

export interface NewContainer {
  readonly id: string
  readonly challengeId: number
  readonly participationId: number | null
  readonly accountId: string | null
  readonly slot: number | null
  readonly image: string
  /** Whether its traffic may be captured: the game was running. The settings are checked when a connection opens. */
  readonly capture: boolean
  /** The node that starts it. */
  readonly node: string
  /** It belongs to a solver check; the challenge may have a test container at the same time. */
  readonly isCheck?: boolean
}

const now = sql<Date>`clock_timestamp()`
const after = (ms: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1000})`

/** A random free network index, 0 to `subnets` - 1. @throws ContainerNotCreated with an EngineError as `cause` when hardly any is free */
async function freeSubnetIndex(tx: Tx | Db, subnets: number): Promise<number> {
  const { rows } = await sql<{ subnetIndex: number }>`
    select subnet_index from (select floor(random() * ${subnets})::int as subnet_index from generate_series(1, 100)) l
    where not exists (select from containers c where c.subnet_index = l.subnet_index and c.state <> 'Ended') limit 1`.execute(tx)
  if (!rows[0]) {
    const cause = new EngineError('subnet', 'No network in VEXIL_DOCKER_SUBNETS is free')
    throw Object.assign(new ContainerNotCreated(), { cause })
  }
  return rows[0].subnetIndex
}

/** Reserves the place, network and name of a container before the engine is called; unique indexes prevent conflicts. Resolves to the index of its network. */
export async function insertContainer(tx: Tx, row: NewContainer, { subnets, leaseMs }: { subnets: number; leaseMs: number }) {
  for (;;) {
    const subnetIndex = await freeSubnetIndex(tx, subnets)
    const { rows } = await sql`
      insert into containers (id, challenge_id, participation_id, account_id, slot, image, capture, node, is_check, subnet_index, lease_until)
      values (${row.id}, ${row.challengeId}, ${row.participationId}, ${row.accountId}, ${row.slot}, ${row.image}, ${row.capture}, ${row.node}, ${row.isCheck ?? false}, ${subnetIndex},
        ${after(leaseMs)})
      on conflict (subnet_index) where state <> 'Ended' do nothing returning id`.execute(tx)
    if (rows.length > 0) return subnetIndex
  }
}

/** Chooses another network when a foreign program uses the current one. @throws as freeSubnetIndex */
export async function moveToFreeSubnet(db: Db, id: string, subnets: number): Promise<number> {
  for (;;) {
    const subnetIndex = await freeSubnetIndex(db, subnets)
    try {
      await db.updateTable('containers').set({ subnetIndex }).where('id', '=', id).execute()
      return subnetIndex
    } catch (error) {
      if ((error as { constraint?: string }).constraint !== 'containers_subnet_index') throw error
    }
  }
}

export const renewLeases = (db: Db, ids: readonly string[], leaseMs: number) =>
  db
    .updateTable('containers')
    .set({ leaseUntil: after(leaseMs) })
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('state', '=', 'Pending')
    .execute()

/** Ends the leases of a node that has just started: what its last run started, awaited or checked was interrupted. */
export const endLeases = (db: Db, node: string) =>
  sql`
    update containers set lease_until = clock_timestamp(), stops_at = case when is_check then clock_timestamp() else stops_at end
    where node = ${node} and (state = 'Pending' or (state = 'Running' and (is_check or (ready_until is not null and ready_at is null))))`.execute(
    db,
  )

interface StartedContainer {
  readonly engineId: string
  readonly host: string
  readonly port: number
  readonly published: { readonly host: string | null; readonly port: number } | null
  readonly namedPorts: readonly StartedPort[]
  /** Minutes. */
  readonly lifetime: number
  /** Seconds; 0: the service is not checked. */
  readonly readyTimeout: number
}

/** Pending to Running. Returns undefined if the row is no longer Pending; the caller must then destroy the container. */
export async function setRunning(tx: Tx, id: string, startedAs: StartedContainer): Promise<ContainerRow | undefined> {
  const { engineId, host, port, published, namedPorts, lifetime, readyTimeout } = startedAs
  const { rows } = await sql<ContainerRow>`
    update containers k set state = 'Running', started_at = clock.at, stops_at = clock.at + make_interval(mins => ${lifetime}),
      engine_id = ${engineId}, host = ${host}, port = ${port}, proxied = ${published === null},
      published_host = ${published?.host ?? null}, published_port = ${published?.port ?? null},
      ready_until = case when ${readyTimeout} > 0 then clock.at + make_interval(secs => ${readyTimeout}) end
    from (select clock_timestamp() as at) clock
    where k.id = ${id} and k.state = 'Pending' returning ${containerColumns}`.execute(tx)
  const row = rows[0]
  // A row that has ended, or was deleted with its game, gets no ports.
  if (!row || namedPorts.length === 0) return row
  const stored = await tx
    .insertInto('containerPorts')
    .values(namedPorts.map((one, position) => ({ containerId: id, position, ...one })))
    .returning(['name', 'port', 'publishedPort', 'hostName'])
    .execute()
  return { ...row, namedPorts: stored }
}

export interface Ending {
  readonly by: EndedBy
  /** By a player: starts the pause before the next operation. */
  readonly acted?: boolean
  readonly problem?: string
  /** The code of the refusal of a failed start. */
  readonly failureCode?: string
  readonly exitCode?: number | null
}

/** To Ending. Returns false if it is Ending or Ended already. */
export async function setEnding(
  db: Db | Tx,
  id: string,
  { by, acted = false, problem, failureCode = 'container.not_created', exitCode = null }: Ending,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('containers')
    .set({
      ...{ state: 'Ending', endedBy: by, exitCode },
      ...(acted && { actedAt: now }),
      ...(problem !== undefined && { problem }),
      ...(by === 'failure' && { failureCode, failedAt: now }),
    })
    .where('id', '=', id)
    .where('state', 'in', ['Pending', 'Running'])
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** As setEnding for many rows with one cause; returns those that were not Ending. Locked in the order of their ids: other nodes do the same. */
export async function setAllEnding(db: Db, ids: readonly string[], by: EndedBy): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    update containers set state = 'Ending', ended_by = ${by}
    where id in (select id from containers where id = any(${ids}::uuid[]) and state in ('Pending', 'Running') order by id for no key update)
    returning id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

export async function setEnded(db: Db, id: string): Promise<void> {
  await db
    .updateTable('containers')
    .set({ state: 'Ended', endedAt: now })
    .where('id', '=', id)
    .where('state', '=', 'Ending')
    .execute()
}

export interface OpenContainer {
  readonly id: string
  readonly state: ContainerState
  readonly gameId: number
  readonly challengeId: number
  readonly challengeTitle: string
  readonly enabled: boolean
  readonly participationId: number | null
  readonly status: ParticipationStatus | null
  readonly teamName: string | null
  readonly engineId: string | null
  readonly leaseUntil: Date
  readonly stopsAt: Date | null
  readonly endsAt: Date
  readonly practiceMode: boolean
  readonly startsAt: Date
  readonly now: number
}

/** Containers that have not ended, with the facts that decide whether they may stay, by the database's clock. */
export async function listOpen(db: Db, where: RawBuilder<unknown> = sql`true`): Promise<OpenContainer[]> {
  const { rows } = await sql<OpenContainer>`
    select k.id, k.state, c.game_id, k.challenge_id, c.title as challenge_title, c.enabled, k.participation_id, p.status,
      t.name as team_name, k.engine_id, k.lease_until, k.stops_at, g.starts_at, g.ends_at, g.practice_mode,
      extract(epoch from clock_timestamp())::float8 * 1000 as now
    from containers k
    join challenges c on c.id = k.challenge_id
    join games g on g.id = c.game_id
    left join participations p on p.id = k.participation_id
    left join teams t on t.id = p.team_id
    where k.state <> 'Ended' and ${where}
    order by k.created_at, k.id`.execute(db)
  return rows
}

export const listOfTeam = async (db: Db, participationId: number): Promise<(ContainerRow & { readonly challengeId: number })[]> =>
  (
    await sql<ContainerRow & { challengeId: number }>`
      select ${containerColumns}, k.challenge_id from containers k
      where k.participation_id = ${participationId} and k.state in ('Pending', 'Running') order by k.created_at, k.id`.execute(db)
  ).rows

export interface ListedInstance extends ContainerRow {
  readonly image: string
  readonly engineId: string | null
  readonly participationId: number
  readonly teamId: number
  readonly teamName: string
  readonly avatarHash: string | null
  readonly challengeId: number
  readonly title: string
  readonly category: ChallengeCategory
  readonly endsAt: Date
  readonly practiceMode: boolean
}

export const listInstances = async (db: Db): Promise<ListedInstance[]> =>
  (
    await sql<ListedInstance>`
      select ${containerColumns}, k.image, k.engine_id, k.participation_id, t.id as team_id, t.name as team_name, t.avatar_hash,
        c.id as challenge_id, c.title, c.category, g.ends_at, g.practice_mode
      from containers k
      join participations p on p.id = k.participation_id
      join teams t on t.id = p.team_id
      join challenges c on c.id = k.challenge_id
      join games g on g.id = c.game_id
      where k.state in ('Running', 'Ending') and k.started_at is not null
      order by k.started_at, k.id`.execute(db)
  ).rows

/** Ended rows are kept 7 days, for the pause between operations and for administrators. */
export const forgetEnded = (db: Db) =>
  sql`delete from containers where state = 'Ended' and ended_at < clock_timestamp() - interval '7 days'`.execute(db)

/** Challenges of a game whose traffic is captured, by id. Empty for an unknown game. */
export async function listCapturing(db: Db, gameId: number) {
  return db
    .selectFrom('challenges')
    .select(['id', 'title', 'category', 'type', 'enabled'])
    .where('gameId', '=', gameId)
    .where('captureTraffic', '=', true)
    .orderBy('id')
    .execute()
}

export const listTeamsOf = (db: Db, participations: readonly number[]) =>
  db
    .selectFrom('participations as p')
    .innerJoin('teams as t', 't.id', 'p.teamId')
    .select(['p.id', 't.id as teamId', 't.name', 'p.division', 't.avatarHash'])
    .where('p.id', '=', sql<number>`any(${participations}::int[])`)
    .orderBy('p.id')
    .execute()
