/** Facts of a board. Version and facts come from one snapshot, so old facts never have a new version. */
import type { BoardSolve, BoardTeam } from '@vexil/core/scoreboard'
import type { ScoreCurve } from '@vexil/core/scoring'
import type { ChallengeCategory, ChallengeType } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/transaction.ts'

/** Version of a board. Compared by `<>` only: after a restore numbers may be lower. */
export interface BoardVersion {
  readonly epoch: number
  readonly head: number
  readonly roster: number
}

export interface LogState extends BoardVersion {
  readonly gameId: number
  /** Milliseconds. */
  readonly changedAt: number
}

export interface BoardGame {
  readonly id: number
  readonly title: string
  readonly startsAt: number
  readonly endsAt: number
  readonly bloodBonus: number
}

export interface FactChallenge {
  readonly id: number
  readonly title: string
  readonly category: ChallengeCategory
  readonly type: ChallengeType
  readonly bloodBonus: number | null
  readonly curve: ScoreCurve
  readonly enabledAt: number | null
}

/** A solve with its account; null if the account was deleted. */
export type LoggedSolve = BoardSolve & { readonly accountId: string | null }

export interface Facts {
  readonly log: LogState
  readonly game: BoardGame
  readonly challenges: readonly FactChallenge[]
  readonly teams: readonly BoardTeam[]
  readonly solves: readonly LoggedSolve[]
}

const logColumns = sql<LogState>`game_id, epoch, head, roster, (extract(epoch from changed_at) * 1000)::float8 as changed_at`

export async function findLogs(db: Db | Tx, games: readonly number[]): Promise<LogState[]> {
  const { rows } = await sql<LogState>`select ${logColumns} from solve_logs where game_id = any (${games}::int[])`.execute(db)
  return rows
}

const solveColumns = sql`s.number, s.participation_id, s.challenge_id, s.account_id, a.user_name,
  (extract(epoch from s.arrived_at) * 1000)::float8 as arrived_at, (extract(epoch from s.shown_at) * 1000)::float8 as shown_at`

/** The state of the log and its solves above a number, in one statement; no row if the game was deleted. */
export async function findSolvesAbove(
  db: Db | Tx,
  gameId: number,
  head: number,
): Promise<{ log: LogState; solves: LoggedSolve[] } | null> {
  const { rows } = await sql<LogState & LoggedSolve>`
    select l.game_id, l.epoch, l.head, l.roster, (extract(epoch from l.changed_at) * 1000)::float8 as changed_at, ${solveColumns}
    from solve_logs l
    left join solves s on s.game_id = l.game_id and s.number > ${head}
    left join accounts a on a.id = s.account_id
    where l.game_id = ${gameId}
    order by s.number`.execute(db)
  const first = rows[0]
  if (!first) return null
  const { epoch, roster, changedAt } = first
  return { log: { gameId, epoch, head: first.head, roster, changedAt }, solves: rows.filter((row) => row.number !== null) }
}

/** Accepted teams that joined before the end, with or without solves. */
export async function listBoardTeams(db: Db | Tx, gameId: number): Promise<BoardTeam[]> {
  const { rows } = await sql<Omit<BoardTeam, 'avatar'> & { avatarHash: string | null }>`
    select t.id, p.id as participation_id, t.name, t.bio, t.avatar_hash, p.division
    from participations p
    join teams t on t.id = p.team_id
    join games g on g.id = p.game_id
    where p.game_id = ${gameId} and p.status = 'Accepted' and p.created_at < g.ends_at`.execute(db)
  return rows.map(({ avatarHash, ...team }) => ({ ...team, avatar: avatarHash === null ? null : `/assets/${avatarHash}/avatar` }))
}

interface ChallengeRow {
  id: number
  title: string
  category: ChallengeCategory
  type: ChallengeType
  bloodBonus: number | null
  originalScore: number
  minScoreRate: number
  difficulty: number
  enabledAt: Date | null
}

const inOneSnapshot = (db: Db) => db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')

async function listSolvers(db: Db | Tx, gameId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'userName'])
    .where('id', 'in', (solves) => solves.selectFrom('solves').select('accountId').where('gameId', '=', gameId))
    .execute()
  return new Map(rows.map(({ id, userName }) => [id, userName]))
}

export interface Roster {
  readonly log: LogState
  readonly solves: readonly LoggedSolve[]
  readonly teams: readonly BoardTeam[]
  readonly solvers: ReadonlyMap<string, string>
}

/** The names of the board and the log above a number, in one snapshot, so that the names match their version. */
export const readRoster = (db: Db, gameId: number, head: number): Promise<Roster | null> =>
  inOneSnapshot(db).execute(async (tx) => {
    const found = await findSolvesAbove(tx, gameId, head)
    return found && { ...found, teams: await listBoardTeams(tx, gameId), solvers: await listSolvers(tx, gameId) }
  })

/** All facts in one snapshot; null if the game does not exist. */
export function readFacts(db: Db, gameId: number): Promise<Facts | null> {
  return inOneSnapshot(db).execute(async (tx) => {
    const [log] = await findLogs(tx, [gameId])
    const games = await sql<BoardGame>`
        select id, title, (extract(epoch from starts_at) * 1000)::float8 as starts_at, (extract(epoch from ends_at) * 1000)::float8 as ends_at, blood_bonus
        from games where id = ${gameId}`.execute(tx)
    const game = games.rows[0]
    if (!log || !game) return null
    const challenges = await sql<ChallengeRow>`
        select id, title, category, type, blood_bonus, original_score, min_score_rate, difficulty, enabled_at
        from challenges where game_id = ${gameId} and enabled`.execute(tx)
    const solves = await sql<LoggedSolve>`
        select ${solveColumns} from solves s left join accounts a on a.id = s.account_id where s.game_id = ${gameId} order by s.number`.execute(
      tx,
    )
    return {
      log,
      game,
      challenges: challenges.rows.map(({ originalScore, minScoreRate, difficulty, enabledAt, ...challenge }) => ({
        ...challenge,
        curve: { originalScore, minScoreRate, difficulty },
        enabledAt: enabledAt?.getTime() ?? null,
      })),
      teams: await listBoardTeams(tx, gameId),
      solves: solves.rows,
    }
  })
}
