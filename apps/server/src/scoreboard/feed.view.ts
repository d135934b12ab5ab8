/** The board's facts for clients that compute it. The base ends at a cut of the log and depends on epoch, roster and cut only, so it rarely changes; the tail contains the solves above a number. */
import type { Feed, FeedTail } from '@vexil/contract/scoreboard'
import { type BoardEntry, type BoardRow, columnsOf, rowsOf, solvesAbove } from '@vexil/core/scoreboard'
import { scoreTable } from '@vexil/core/scoring'
import { challengeCategories } from '@vexil/core/vocabulary'
import type { BoardVersion } from './board-facts.queries.ts'
import { type KeptBoard, solveColumns } from './kept-board.ts'

/** Number of solves between two cuts. */
const cutEvery = 512
/** The last cut at or below this number, where the base of a log of this length ends. */
const cutBelow = (number: number): number => number - (number % cutEvery)
/** A client whose base is older than this number of cuts loads a new one. */
const tailCuts = 8

export const baseVersion = ({ epoch, head, roster }: BoardVersion): string => `${epoch}.${cutBelow(head)}.${roster}`

/** True if two bases differ in their cut only, so that the tail of the earlier one contains the difference. */
export const isEarlierBase = (base: string, other: string): boolean => withoutCut(base) === withoutCut(other)
const withoutCut = (base: string) => base.replace(/\..*\./, '.')

/** Start of the tail for a client with the log up to `after`: at a cut, so that few different tails exist. */
export const tailFrom = (head: number, after: number): number =>
  Math.max(cutBelow(Math.min(after, head)), cutBelow(head) - tailCuts * cutEvery, 0)

/** Columns: counted solves in the order of the log; teams by participation. O(solves). */
export function feedView({ board, game, challenges, log }: KeptBoard): Feed {
  const base = cutBelow(log.head)
  const columns = columnsOf(board)
  const rows = [...rowsOf(board)].sort((a, b) => a.team.participationId - b.team.participationId)
  const divisions = [...new Set(rows.map(({ team }) => team.division).filter((division) => division !== null))]
  const placeOf = new Map(divisions.map((division, place) => [division, place]))
  const challengePlace = new Map(columns.map(({ id }, place) => [id, place]))

  const { solves, users, solved, changedAt } = solvesUpTo(base, { rows, challengePlace, startsAt: game.startsAt })

  return {
    gameId: game.id,
    epoch: log.epoch,
    head: base,
    roster: log.roster,
    startsAt: game.startsAt,
    endsAt: game.endsAt,
    changedAt,
    bloodBonus: game.bloodBonus,
    divisions,
    challenges: {
      id: columns.map(({ id }) => id),
      title: columns.map(({ title }) => title),
      category: columns.map(({ category }) => challengeCategories.indexOf(category)),
      bloodBonus: columns.map(({ id }) => challenges.get(id)?.bloodBonus ?? null),
      values: columns.map(({ id }) => {
        const curve = challenges.get(id)?.curve
        return curve ? scoreTable(curve, (solved.get(id) ?? 0) + 1) : []
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
    solves,
  }
}

/** Counted solves up to a number of the log, in its order, as columns. Indexed by number, which is ten times as fast as a sort with comparisons. */
function solvesUpTo(
  base: number,
  {
    rows,
    challengePlace,
    startsAt,
  }: { rows: readonly BoardRow[]; challengePlace: ReadonlyMap<number, number>; startsAt: number },
) {
  const entries = new Array<BoardEntry | undefined>(base + 1).fill(undefined)
  const teams = new Int32Array(base + 1)
  for (const [team, row] of rows.entries()) {
    for (const solve of row.solves) {
      if (solve.number > base) continue
      entries[solve.number] = solve
      teams[solve.number] = team
    }
  }
  const userPlace = new Map<BoardEntry['userName'], number>()
  const solved = new Map<number, number>()
  const solves: Feed['solves'] = { number: [], team: [], challenge: [], user: [], after: [], raised: [] }
  let changedAt = startsAt
  for (const entry of entries) {
    if (!entry) continue
    const { number, challengeId, userName, time, arrivedAt } = entry
    let user = userPlace.get(userName)
    if (user === undefined) {
      user = userPlace.size
      userPlace.set(userName, user)
    }
    solved.set(challengeId, (solved.get(challengeId) ?? 0) + 1)
    solves.number.push(number)
    solves.team.push(teams[number] as number)
    solves.challenge.push(challengePlace.get(challengeId) ?? -1)
    solves.user.push(user)
    solves.after.push(time - changedAt)
    solves.raised.push(time - arrivedAt)
    changedAt = time
  }
  return { solves, users: [...userPlace.keys()], solved, changedAt }
}

/** Counted solves above the cut below `after`, in the format of the live channel. Costs what it returns. If `from` is larger than `after`, the client must load the base again. */
export function tailView(kept: KeptBoard, after: number): FeedTail {
  const { epoch, head, roster } = kept.log
  const from = tailFrom(head, after)
  const solves = solvesAbove(kept.board, from).map((counted) => solveColumns(kept, counted))
  return { gameId: kept.game.id, epoch, roster, from, to: head, solves }
}
