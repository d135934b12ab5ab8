/** The first rows of a large board, and single rows, for a client that has not loaded the feed yet. */
import type { BoardStart, BoardStartRow, StartRow } from '@vexil/contract/scoreboard'
import { type BoardRow, columnsOf, rowOf, rowsOf } from '@vexil/core/scoreboard'
import { submissionTypes } from '@vexil/core/vocabulary'
import type { KeptBoard } from './kept-board.ts'

const rowsMost = 100

export function startView({ board, game, challenges, log }: KeptBoard): BoardStart {
  const rows = rowsOf(board)
  return {
    epoch: log.epoch,
    head: log.head,
    roster: log.roster,
    startsAt: game.startsAt,
    endsAt: game.endsAt,
    changedAt: log.changedAt,
    bloodBonus: game.bloodBonus,
    divisions: [...new Set(rows.map(({ team }) => team.division).filter((division) => division !== null))],
    teamCount: rows.length,
    challenges: columnsOf(board).map(({ id, title, category, value, solved }) => {
      return { id, title, category, value, solved, bloodBonus: challenges.get(id)?.bloodBonus ?? null }
    }),
    rows: rows.slice(0, rowsMost).map(startRow),
  }
}

/** By `teamId`, because a page does not have the id of the participation. */
export function startRowView({ board }: KeptBoard, teamId: number): BoardStartRow {
  for (const { team } of board.rows.values()) {
    const row = team.id === teamId ? rowOf(board, team.participationId) : undefined
    if (row) return { row: startRow(row) }
  }
  return { row: null }
}

const startRow = ({ team, rank, divisionRank, points, solves }: BoardRow): StartRow => ({
  team,
  rank,
  divisionRank,
  points,
  solves: solves.map(({ number, challengeId, points, type, userName, arrivedAt, time }) => {
    return [number, challengeId, points, submissionTypes.indexOf(type), userName, arrivedAt, time]
  }),
})
