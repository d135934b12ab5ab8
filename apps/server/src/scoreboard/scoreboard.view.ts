/** The board in the format of existing clients (rules: docs/scoring.md). */
import type { Scoreboard, ScoreboardItem } from '@vexil/contract/scoreboard'
import { minTime, wireTime } from '@vexil/contract/wire'
import { type BoardColumn, type BoardRow, columnsOf, rowsOf, timeLinesOf } from '@vexil/core/scoreboard'
import { scoreOf } from '@vexil/core/scoring'
import type { KeptBoard } from './kept-board.ts'

/** Depends on the board's version only, so it is the same on every node. */
export function scoreboardView({ board, game, log }: KeptBoard): Scoreboard {
  const columns = columnsOf(board)
  return {
    updateTimeUtc: wireTime(log.changedAt),
    bloodBonus: game.bloodBonus,
    timeLines: Object.fromEntries(
      [...timeLinesOf(board)].map(([name, lines]) => [
        name,
        lines.map(({ team, items }) => ({
          id: team.id,
          name: team.name,
          items: items.map(({ time, points }) => ({ time: wireTime(time), score: points })),
        })),
      ]),
    ),
    items: rowsOf(board).map(itemView),
    challenges: byCategory(columns, columnView),
    challengeCount: columns.length,
  }
}

export const itemView = ({ team, rank, divisionRank, points, lastAt, solves }: BoardRow): ScoreboardItem => ({
  id: team.id,
  name: team.name,
  bio: team.bio,
  organization: team.division,
  avatar: team.avatar,
  score: points,
  rank,
  organizationRank: divisionRank,
  lastSubmissionTime: lastAt === null ? minTime : wireTime(lastAt),
  solvedChallenges: solves.map(({ challengeId, points: score, type, userName, time }) => ({
    id: challengeId,
    score,
    type,
    userName,
    time: wireTime(time),
  })),
  solvedCount: solves.length,
})

const columnView = ({ id, title, category, value, solved, bloods }: BoardColumn) => ({
  id,
  title,
  category,
  score: value,
  solved,
  bloods: bloods.map(({ team, time }) => ({ id: team.id, name: team.name, avatar: team.avatar, submitTimeUtc: wireTime(time) })),
})

/** The challenges for all players of the game, with their current score and the score after the next solve. */
export function challengesView({ board, challenges }: KeptBoard) {
  const columns = columnsOf(board)
  return {
    challenges: byCategory(columns, (column) => {
      const facts = challenges.get(column.id)
      return {
        ...columnView(column),
        ...(facts && {
          type: facts.type,
          originalScore: facts.curve.originalScore,
          nextScore: scoreOf(facts.curve, column.solved + 1),
          enabledAt: facts.enabledAt === null ? null : wireTime(facts.enabledAt),
        }),
      }
    }),
    challengeCount: columns.length,
  }
}

/** The columns are sorted by category; categories without challenges are absent. */
function byCategory<T>(columns: readonly BoardColumn[], view: (column: BoardColumn) => T): Record<string, T[]> {
  const groups: Record<string, T[]> = {}
  for (const column of columns) {
    groups[column.category] ??= []
    groups[column.category]?.push(view(column))
  }
  return groups
}
