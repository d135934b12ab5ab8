import { type JoinContext, joinOutcome, mustBeAbleToJoin } from '@vexil/core/participation'
import { GameNotFound } from '@vexil/core/rules'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { type Actor, audit } from '../audit.ts'
import type { Db } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { signTeamToken } from './game-keys.ts'

export interface Join {
  readonly gameId: number
  readonly teamId: number
  readonly division: string | null
  readonly inviteCode: string | null
  readonly by: Actor
}

/** The result of `join_facts` in the database. Times are milliseconds. */
interface Facts extends NonNullable<JoinContext['game']> {
  readonly title: string
  readonly teamName: string | null
  readonly isMember: boolean
  readonly ownStatus: ParticipationStatus | null
  readonly participation: (Omit<NonNullable<JoinContext['participation']>, 'madeAt'> & { readonly id: number }) | null
}

interface Seen {
  readonly facts: Facts | null
  /** The facts as the database wrote them, for comparison there. */
  readonly text: string
  readonly now: number
  /** When the team's participation was made; null: none. It is not in the facts, but never changes. */
  readonly madeAt: number | null
  /** Masked (game-keys.ts); signs the token of a new participation. */
  readonly privateKey: string
}

/**
 * Registers a member for a game under a team. Reads the facts without a lock; `join_game` (migration 0010) checks them again under the lock of the
 * game's log, which serialises joins and delays answers by at most one statement and its commit. Costs two queries. @throws as mustBeAbleToJoin
 */
export async function joinGame(deps: Pick<Deps, 'db' | 'bus' | 'log' | 'secrets'>, join: Join): Promise<void> {
  // Each repetition means that another change of this team, account or game was stored.
  for (;;) {
    const seen = await findFacts(deps.db, join)
    const { facts, now, madeAt } = seen
    if (!facts) throw new GameNotFound()
    const participation = facts.participation && { ...facts.participation, madeAt: madeAt as number }
    const context: JoinContext = { ...facts, ...join, game: facts, now, teamExists: facts.teamName !== null, participation }
    mustBeAbleToJoin(context)
    const participationId = await store(deps, join, { seen, facts, isOver: now > facts.endsAt, ...joinOutcome(context) })
    if (participationId === null) continue
    deps.bus.publish('participation.changed', { gameId: join.gameId, participationId })
    return audit(deps, join.by, `Joined ${facts.title} for team ${facts.teamName}`)
  }
}

async function findFacts(db: Db, { gameId, teamId, by }: Join): Promise<Seen> {
  const { rows } = await sql<{ text: string; now: number; madeAt: number | null; privateKey: string }>`
    select coalesce(join_facts(${gameId}, ${teamId}, ${by.id})::text, 'null') as text,
      extract(epoch from clock_timestamp())::float8 * 1000 as now,
      (select (extract(epoch from created_at) * 1000)::float8 from participations
        where game_id = ${gameId} and team_id = ${teamId}) as made_at,
      coalesce((select private_key from games where id = ${gameId}), '') as private_key`.execute(db)
  const seen = rows[0]!
  return { ...seen, facts: JSON.parse(seen.text) as Facts | null }
}

interface Decision {
  readonly seen: Seen
  readonly facts: Facts
  readonly isOver: boolean
  readonly status: ParticipationStatus
  readonly division: string | null
}

/** Returns the participation; null if the facts have changed and nothing was stored. */
async function store(
  { db, secrets }: Pick<Deps, 'db' | 'secrets'>,
  { gameId, teamId, by }: Join,
  { seen, facts, isOver, status, division }: Decision,
): Promise<number | null> {
  const token = facts.participation ? null : signTeamToken(seen.privateKey, secrets.key, teamId)
  const { rows } = await sql<{ participationId: number | null }>`
    select join_game(${gameId}, ${teamId}, ${by.id}, ${seen.text}::jsonb, ${isOver}, ${status}, ${division}, ${token}) as participation_id`.execute(
    db,
  )
  return rows[0]!.participationId
}
