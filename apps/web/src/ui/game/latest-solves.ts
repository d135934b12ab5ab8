import type { BoardEntry, BoardRow } from '@vexil/core/scoreboard'

export interface LatestSolve extends Pick<BoardEntry, 'challengeId' | 'time' | 'type'> {
  readonly team: BoardRow['team']
}

/** The newest solves of all teams, newest first. Costs one step per row and per solve that is newer than the oldest kept one. */
export function latestSolves(rows: readonly BoardRow[], most: number): LatestSolve[] {
  const latest: LatestSolve[] = []
  // Solves of a row are in the order of time.
  for (const { team, solves } of rows)
    for (let at = solves.length - 1; at >= 0; at--) {
      const { challengeId, time, type } = solves[at] as BoardEntry
      if (latest.length === most && time <= (latest.at(-1)?.time ?? 0)) break
      const place = latest.findIndex((other) => other.time < time)
      latest.splice(place < 0 ? latest.length : place, 0, { team, challengeId, time, type })
      if (latest.length > most) latest.pop()
    }
  return latest
}
