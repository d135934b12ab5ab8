import type { BoardRow } from '@vexil/core/scoreboard'

export interface CoursePoint {
  /** Server time, ms. */
  readonly at: number
  readonly points: number
  /** null before the first solve, and where ranks are not computed. */
  readonly rank: number | null
}

/** Solves of a board up to which ranks are computed: 50,000 take about 20 ms, at each change of an open dialog. */
export const mostSolves = 50_000

/**
 * Points and rank of a team whenever one of them changed, with the current values of the challenges.
 * Sorts the solves of all teams, and iterates over all teams for each own solve.
 */
export function courseOf(rows: readonly BoardRow[], { team: { participationId: own }, solves }: BoardRow): CoursePoint[] {
  const count = rows.reduce((sum, row) => sum + row.solves.length, 0)
  if (count > mostSolves) {
    let sum = 0
    return solves.map(({ time, points }) => {
      sum += points
      return { at: time, points: sum, rank: null }
    })
  }
  const log = rows
    .flatMap(({ team, solves: of }) => of.map(({ number, time, points }) => ({ id: team.participationId, number, time, points })))
    .sort((a, b) => a.number - b.number)
  const states = new Map<number, { points: number; last: number }>()
  const mine = { points: 0, last: 0 }
  const isAhead = (one: { points: number; last: number }) =>
    one.points > mine.points || (one.points === mine.points && one.last < mine.last)
  const course: CoursePoint[] = []
  let ahead = 0
  for (const { id, number, time, points } of log) {
    if (id === own) {
      mine.points += points
      mine.last = number
      ahead = [...states.values()].filter(isAhead).length
    } else {
      const state = states.get(id) ?? { points: 0, last: 0 }
      const before = states.has(id) && isAhead(state)
      state.points += points
      state.last = number
      states.set(id, state)
      const moved = Number(isAhead(state)) - Number(before)
      ahead += moved
      if (moved === 0 || mine.last === 0) continue
    }
    course.push({ at: time, points: mine.points, rank: ahead + 1 })
  }
  return course
}
