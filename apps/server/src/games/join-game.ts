import { joinOutcome, mustBeAbleToJoin } from '@vexil/core/participation'
import { GameNotFound } from '@vexil/core/rules'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { audit, type By } from '../audit.ts'
import { lockLogs } from '../db/lock-logs.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { lockTeam } from '../teams/lock-team.ts'
import { signTeamToken } from './game-keys.ts'
import { findClock, findGame, findOwnParticipation, findPrivateKey } from './games.queries.ts'

export interface Join {
  readonly gameId: number
  readonly teamId: number
  readonly division: string | null
  readonly inviteCode: string | null
  readonly by: By
}

/**
 * Registers a member for a game under a team. The game's log is held meanwhile, so joins of one game come one after the other:
 * the member limit and "one participation a team" hold for requests at the same instant.
 * @throws as mustBeAbleToJoin
 */
export async function joinGame(deps: Pick<Deps, 'db' | 'bus' | 'log' | 'secrets'>, join: Join): Promise<void> {
  const { participationId, teamName, title } = await inTransaction(deps.db, (tx) => register(tx, deps, join))
  deps.bus.publish('participation.changed', { gameId: join.gameId, participationId })
  audit(deps, join.by, `Joined ${title} for team ${teamName}`)
}

async function register(tx: Tx, { secrets }: Pick<Deps, 'secrets'>, join: Join) {
  const { gameId, teamId, by } = join
  await lockLogs(tx, { gameId })
  const game = await findGame(tx, gameId)
  const clock = await findClock(tx, gameId)
  if (!game || !clock) throw new GameNotFound()

  const team = await tx.selectFrom('teams').select(['id', 'name']).where('id', '=', teamId).forKeyShare().executeTakeFirst()
  const member = await tx
    .selectFrom('teamMembers')
    .select('accountId')
    .where('teamId', '=', teamId)
    .where('accountId', '=', by.id)
    .forKeyShare()
    .executeTakeFirst()
  const own = await findOwnParticipation(tx, gameId, by.id)
  const existing = await findOfTeam(tx, gameId, teamId, by.id)
  const scene = {
    now: clock.now,
    game: {
      startsAt: clock.startsAt,
      endsAt: clock.endsAt,
      practiceMode: game.practiceMode,
      inviteCode: game.inviteCode,
      divisions: game.divisions,
      memberLimit: game.memberLimit,
      acceptWithoutReview: game.acceptWithoutReview,
    },
    inviteCode: join.inviteCode,
    division: join.division,
    teamExists: team !== undefined,
    isMember: member !== undefined,
    ownStatus: own?.status ?? null,
    participation: existing ?? null,
  }
  mustBeAbleToJoin(scene)
  const { status, division, accepted } = joinOutcome(scene)

  if (own) await tx.deleteFrom('registrations').where('gameId', '=', gameId).where('accountId', '=', by.id).execute()
  let participationId = existing?.id
  if (participationId === undefined) {
    const token = signTeamToken((await findPrivateKey(tx, gameId)) as string, secrets.key, teamId)
    const made = await tx
      .insertInto('participations')
      .values({ gameId, teamId, status, division, token, createdAt: sql`clock_timestamp()` })
      .returning('id')
      .executeTakeFirstOrThrow()
    participationId = made.id
  } else {
    await tx.updateTable('participations').set({ status, division }).where('id', '=', participationId).execute()
  }
  await tx.insertInto('registrations').values({ participationId, accountId: by.id, teamId, gameId }).execute()
  if (accepted) await lockTeam(tx, teamId)
  return { participationId, teamName: team?.name ?? '', title: game.title }
}

/** The team's participation with the number of its registered members, the caller not counted. */
async function findOfTeam(tx: Tx, gameId: number, teamId: number, accountId: string) {
  const row = await tx
    .selectFrom('participations as p')
    .select(['p.id', 'p.status', 'p.division'])
    .select(
      sql<number>`(select count(*)::int from registrations r where r.participation_id = p.id and r.account_id <> ${accountId})`.as(
        'members',
      ),
    )
    .where('p.gameId', '=', gameId)
    .where('p.teamId', '=', teamId)
    .executeTakeFirst()
  return row && { ...row, status: row.status as ParticipationStatus }
}
