/** The board's facts in columns, for clients that draw it themselves. Solves come in the order of the log, those that count only. */
import type { Feed } from '@vexil/contract/scoreboard'
import { columnsOf, rowsOf } from '@vexil/core/scoreboard'
import { scoreTable } from '@vexil/core/scoring'
import { challengeCategories } from '@vexil/core/vocabulary'
import type { KeptBoard } from './keep-board.ts'

export function feedView({ board, game, challenges, log }: KeptBoard): Feed {
  const columns = columnsOf(board)
  const rows = rowsOf(board)
  const divisions = [...new Set(rows.map(({ team }) => team.division).filter((division) => division !== null))]
  const placeOf = new Map(divisions.map((division, place) => [division, place]))
  const challengePlace = new Map(columns.map(({ id }, place) => [id, place]))

  const entries = rows.flatMap((row, team) => row.solves.map((solve) => ({ ...solve, team }))).sort((a, b) => a.number - b.number)
  const users = [...new Set(entries.map(({ userName }) => userName))]
  const userPlace = new Map(users.map((user, place) => [user, place]))

  return {
    gameId: game.id,
    epoch: log.epoch,
    head: log.head,
    roster: log.roster,
    startsAt: game.startsAt,
    endsAt: game.endsAt,
    changedAt: Math.round(log.changedAt),
    bloodBonus: game.bloodBonus,
    divisions,
    challenges: {
      id: columns.map(({ id }) => id),
      title: columns.map(({ title }) => title),
      category: columns.map(({ category }) => challengeCategories.indexOf(category)),
      bloodBonus: columns.map(({ id }) => challenges.get(id)?.bloodBonus ?? null),
      values: columns.map(({ id, solved }) => {
        const curve = challenges.get(id)?.curve
        return curve ? scoreTable(curve, solved + 1) : []
      }),
    },
    teams: {
      id: rows.map(({ team }) => team.id),
      participationId: rows.map(({ team }) => team.participationId),
      name: rows.map(({ team }) => team.name),
      bio: rows.map(({ team }) => team.bio),
      avatar: rows.map(({ team }) => team.avatar),
      division: rows.map(({ team }) => (team.division === null ? -1 : (placeOf.get(team.division) ?? -1))),
    },
    users,
    solves: {
      number: entries.map(({ number }) => number),
      team: entries.map(({ team }) => team),
      challenge: entries.map(({ challengeId }) => challengePlace.get(challengeId) ?? -1),
      user: entries.map(({ userName }) => userPlace.get(userName) ?? 0),
      after: entries.map(({ time }, place) => time - (entries[place - 1]?.time ?? game.startsAt)),
      raised: entries.map(({ time, arrivedAt }) => time - arrivedAt),
    },
  }
}
