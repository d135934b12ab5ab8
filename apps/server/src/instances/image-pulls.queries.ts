/** Rows of pulls. A unique index over the places limits how many run over all nodes; a row that runs is taken by one node. */
import { challengeTypes, hasContainer } from '@vexil/core/vocabulary'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/transaction.ts'
import type { NodeImage } from '../ports/engine/engine.ts'

const containerTypes = challengeTypes.filter(hasContainer)
/** Places of image_pulls.slot. */
const places = 3

/** Images of enabled challenges, one row for each challenge and image. */
const wanted = sql`(
  select distinct c.id as challenge_id, c.title, c.game_id, i.image
  from challenges c cross join lateral (
    values (c.container_image), (c.check_image)
    union select btrim(a ->> 'image') from jsonb_array_elements(c.additional_containers) a
  ) i (image)
  where c.enabled and c.type = any(${containerTypes}::text[]) and i.image <> '')`

/**
 * Marks the images of a challenge that was changed, or of a game, to be pulled again. Each node marks those of a challenge: the first one within
 * five seconds does it for all. Returns how many were marked.
 */
export async function wantImages(db: Db, of: { readonly challengeId: number } | { readonly gameId: number }): Promise<number> {
  const which = 'gameId' in of ? sql`w.game_id = ${of.gameId}` : sql`w.challenge_id = ${of.challengeId}`
  const isNew = 'gameId' in of ? sql`true` : sql`image_pulls.wanted_at <= clock_timestamp() - interval '5 seconds'`
  const { numAffectedRows } = await sql`
    insert into image_pulls (image) select distinct w.image from ${wanted} w where ${which} order by w.image
    on conflict (image) do update set wanted_at = excluded.wanted_at where ${isNew}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Marks the images of a game to be pulled again in the hour before it starts, so that added nodes have them; deletes rows of unused images. */
export async function wantBeforeStart(db: Db): Promise<void> {
  await sql`
    insert into image_pulls (image)
    select w.image from ${wanted} w join games g on g.id = w.game_id left join image_pulls p on p.image = w.image
    where clock_timestamp() >= g.starts_at - interval '1 hour' and clock_timestamp() < g.ends_at
      and (p.image is null or p.wanted_at < g.starts_at - interval '1 hour')
    group by w.image order by w.image
    on conflict (image) do update set wanted_at = excluded.wanted_at`.execute(db)
  await sql`
    delete from image_pulls p where slot is null and wanted_at < clock_timestamp() - interval '1 day' and not exists (select from ${wanted} w where w.image = p.image)`.execute(
    db,
  )
}

const inMs = (ms: number) => sql`clock_timestamp() + make_interval(secs => ${ms / 1000})`

export interface ClaimedImage {
  readonly image: string
  readonly begunAt: Date
}

/** Claims the image that has waited longest; null when none waits or all places are in use. Of two concurrent calls only one gets it. */
export async function claimImage(db: Db, leaseMs: number): Promise<ClaimedImage | null> {
  await sql`update image_pulls set slot = null, running_until = null where running_until <= clock_timestamp()`.execute(db)
  for (let refused = 0; refused < places; refused++) {
    try {
      // The locking subquery is in `where`, which executes it once (see claimCheck).
      const { rows } = await sql<ClaimedImage>`
        update image_pulls p set slot = place.slot, running_until = ${inMs(leaseMs)}
        from (
          select s as slot from generate_series(1, ${places}) s where not exists (select from image_pulls where slot = s) limit 1
        ) place
        where p.image = (
          select image from image_pulls where slot is null and (pulled_at is null or pulled_at < wanted_at)
          order by wanted_at, image limit 1 for update skip locked
        )
        returning p.image, clock_timestamp()::timestamptz(3) as begun_at`.execute(db)
      return rows[0] ?? null
    } catch (error) {
      // Another node took the place in the meantime.
      if ((error as { constraint?: string }).constraint !== 'image_pulls_slot') throw error
    }
  }
  return null
}

/** Stores the progress of a pull, and renews its lease. */
export const keepPulling = (db: Db, image: string, nodes: readonly NodeImage[], leaseMs: number) =>
  sql`
    update image_pulls set nodes = ${JSON.stringify(nodes)}::jsonb, running_until = ${inMs(leaseMs)}
    where image = ${image} and slot is not null`.execute(db)

/** Ends a pull. `nodes` null: it did not happen, and is still wanted. A request during the pull is kept. */
export const endPull = (db: Db, { image, begunAt }: ClaimedImage, nodes: readonly NodeImage[] | null) =>
  sql`
    update image_pulls set slot = null, running_until = null
      ${nodes === null ? sql`` : sql`, nodes = ${JSON.stringify(nodes)}::jsonb, pulled_at = ${begunAt}`}
    where image = ${image}`.execute(db)

export interface GameImage {
  readonly image: string
  readonly challenges: readonly { readonly id: number; readonly title: string }[]
  /** Null: it was never pulled. */
  readonly pulledAt: Date | null
  readonly isRunning: boolean
  readonly isDue: boolean
  readonly nodes: readonly NodeImage[]
}

/** Images of the enabled challenges of a game, by name, with those challenges by number. */
export const listGameImages = async (db: Db, gameId: number): Promise<GameImage[]> =>
  (await imagesWhere(db, sql`w.game_id = ${gameId}`)).rows

/** An image with all enabled challenges that use it; null when none does any more. */
export const findImage = async (db: Db, image: string): Promise<GameImage | null> =>
  (await imagesWhere(db, sql`w.image = ${image}`)).rows[0] ?? null

const imagesWhere = (db: Db, where: RawBuilder<unknown>) =>
  sql<GameImage>`
    select w.image, jsonb_agg(jsonb_build_object('id', w.challenge_id, 'title', w.title) order by w.challenge_id) as challenges,
      p.pulled_at, coalesce(p.running_until > clock_timestamp(), false) as is_running,
      (p.pulled_at is null or p.pulled_at < p.wanted_at) as is_due, coalesce(p.nodes, '[]') as nodes
    from ${wanted} w left join image_pulls p on p.image = w.image
    where ${where} group by w.image, p.image order by w.image`.execute(db)
