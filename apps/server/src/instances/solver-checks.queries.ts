/** Rows of solver checks. Unique indexes allow one for a challenge and a few over all nodes at a time. */

import type { CheckCause, CheckState } from '@vexil/core/checks'
import type { EndedBy } from '@vexil/core/instances'
import { checkLimits } from '@vexil/core/limits'
import { challengeTypes, hasContainer } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/transaction.ts'

const containerTypes = challengeTypes.filter(hasContainer)
/** Places of solver_checks.slot. */
const places = 2

export interface CheckRow {
  readonly id: number
  readonly cause: CheckCause
  readonly state: CheckState
  readonly askedAt: Date
  readonly startedAt: Date | null
  readonly endedAt: Date | null
  readonly problem: string | null
}

export interface CheckDetailRow extends CheckRow {
  readonly output: string
}

const columns = sql`id, cause, state, asked_at, started_at, ended_at, problem`
const inMs = (ms: number) => sql`clock_timestamp() + make_interval(secs => ${ms / 1000})`

/** Newest first. */
export const listChecks = async (db: Db, challengeId: number): Promise<CheckRow[]> =>
  (await sql<CheckRow>`select ${columns} from solver_checks where challenge_id = ${challengeId} order by id desc`.execute(db))
    .rows

export const findCheck = async (db: Db, challengeId: number, id: number): Promise<CheckDetailRow | undefined> =>
  (
    await sql<CheckDetailRow>`
      select ${columns}, output from solver_checks where challenge_id = ${challengeId} and id = ${id}`.execute(db)
  ).rows[0]

/** Adds a check that waits, unless one waits or runs. Resolves to that one, with whether it was added. */
export async function addCheck(db: Db, challengeId: number): Promise<CheckDetailRow & { readonly isNew: boolean }> {
  for (;;) {
    const { rows } = await sql<CheckDetailRow & { isNew: boolean }>`
      with added as (
        insert into solver_checks (challenge_id, cause) values (${challengeId}, 'request')
        on conflict (challenge_id) where state in ('Waiting', 'Running') do nothing returning ${columns}, output, true as is_new
      )
      select * from added union all
      select ${columns}, output, false as is_new from solver_checks
      where challenge_id = ${challengeId} and state in ('Waiting', 'Running') and not exists (select from added)`.execute(db)
    // No row: the other check has ended in the meantime, or is not visible yet.
    if (rows[0]) return rows[0]
  }
}

/** Ends checks of nodes that no longer run, and adds those that are due: once in the hour before a game starts, then every `check_minutes` until it ends. */
export async function addDueChecks(db: Db): Promise<void> {
  await sql`
    update solver_checks set state = 'NotTried', slot = null, running_until = null, ended_at = clock_timestamp(), problem = 'The platform stopped'
    where running_until <= clock_timestamp()`.execute(db)
  await sql`
    insert into solver_checks (challenge_id, cause)
    select c.id, case when clock_timestamp() < g.starts_at then 'start' else 'interval' end
    from challenges c join games g on g.id = c.game_id
      left join lateral (select asked_at from solver_checks s where s.challenge_id = c.id order by id desc limit 1) s on true
    where c.enabled and c.type = any(${containerTypes}::text[]) and c.container_image <> '' and c.check_image <> ''
      and clock_timestamp() < g.ends_at and clock_timestamp() >= g.starts_at - interval '1 hour'
      and (s.asked_at is null or s.asked_at < g.starts_at - interval '1 hour'
        or (c.check_minutes > 0 and clock_timestamp() >= g.starts_at and s.asked_at <= clock_timestamp() - make_interval(mins => c.check_minutes)))
    order by c.id
    on conflict (challenge_id) where state in ('Waiting', 'Running') do nothing`.execute(db)
}

export interface ClaimedCheck {
  readonly id: number
  readonly challengeId: number
  readonly gameId: number
}

/** Claims the check that has waited longest; null when none waits or all places are in use. Of two concurrent calls only one gets it. */
export async function claimCheck(db: Db): Promise<ClaimedCheck | null> {
  for (let refused = 0; refused < places; refused++) {
    try {
      // In `where` the locking subquery is executed once. In `from` a plan may execute it for each row: it skips the row that was just changed, and a
      // second one gets the same place.
      const { rows } = await sql<ClaimedCheck>`
        update solver_checks t set state = 'Running', slot = place.slot, running_until = ${inMs(checkLimits.lease)}, started_at = clock_timestamp()
        from (
          select s as slot from generate_series(1, ${places}) s where not exists (select from solver_checks where slot = s) limit 1
        ) place, challenges c
        where c.id = t.challenge_id
          and t.id = (select id from solver_checks where state = 'Waiting' order by id limit 1 for update skip locked)
        returning t.id, t.challenge_id, c.game_id`.execute(db)
      return rows[0] ?? null
    } catch (error) {
      // Another node took the place in the meantime.
      if ((error as { constraint?: string }).constraint !== 'solver_checks_slot') throw error
    }
  }
  return null
}

/** The instance of a check of this challenge that has not ended. At most one. */
export const findCheckContainer = async (db: Db, challengeId: number): Promise<string | undefined> =>
  (
    await sql<{ id: string }>`
      select id from containers where challenge_id = ${challengeId} and is_check and state <> 'Ended'`.execute(db)
  ).rows[0]?.id

/** How the instance of a check has ended; undefined while it runs. */
export const findCheckEnd = async (
  db: Db,
  containerId: string,
): Promise<{ readonly endedBy: EndedBy; readonly problem: string | null } | undefined> =>
  (
    await sql<{ endedBy: EndedBy; problem: string | null }>`
      select ended_by, problem from containers where id = ${containerId} and state in ('Ending', 'Ended')`.execute(db)
  ).rows[0]

/** Stores what was printed so far, and renews the lease. */
export const keepCheck = (db: Db, id: number, output: string) =>
  sql`update solver_checks set output = ${output}, running_until = ${inMs(checkLimits.lease)} where id = ${id} and state = 'Running'`.execute(
    db,
  )

export interface CheckResult {
  readonly state: 'Passed' | 'Failed' | 'NotTried'
  readonly problem: string | null
  readonly output: string
}

/** Ends a check and deletes the oldest ones. Resolves to false when it has ended already. */
export async function endCheck(
  tx: Tx,
  { id, challengeId }: ClaimedCheck,
  { state, problem, output }: CheckResult,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update solver_checks set state = ${state}, problem = ${problem}, output = ${output}, slot = null, running_until = null, ended_at = clock_timestamp()
    where id = ${id} and state = 'Running'`.execute(tx)
  await sql`
    delete from solver_checks where id in (
      select id from solver_checks where challenge_id = ${challengeId} and state not in ('Waiting', 'Running') order by id desc offset ${checkLimits.kept})`.execute(
    tx,
  )
  return numAffectedRows === 1n
}
