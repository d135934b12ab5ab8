import { sql } from 'kysely'
import type { Tx } from './transaction.ts'

/** One game, every game of a team, or every game in which one of the accounts is registered. */
type Games = { readonly gameId: number } | { readonly teamId: number } | { readonly accountIds: readonly string[] }

function gamesOf(games: Games) {
  if ('gameId' in games) return sql`${games.gameId}::int`
  if ('teamId' in games) return sql`select game_id from participations where team_id = ${games.teamId}`
  return sql`select game_id from registrations where account_id = any(${games.accountIds}::uuid[])`
}

/** Locks solve logs before other rows of the games and in ascending order, as answers do, to prevent deadlocks. False if there are none. */
export async function lockLogs(tx: Tx, games: Games): Promise<boolean> {
  const { rows } = await sql`
    select from solve_logs where game_id in (${gamesOf(games)}) order by game_id for no key update`.execute(tx)
  return rows.length > 0
}
