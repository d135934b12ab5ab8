/** Details of a game for players. The thread sends the shared part and the standings once per version. A row is requested only when it changed apart from its ranks. */
import type { Standings } from '@vexil/core/scoreboard'
import type { BoardClient } from './board-client.ts'
import type { BoardDetails } from './board-requests.ts'
import type { SharedPart } from './gzip-concat.ts'
import { openTeamRowCache } from './team-row-cache.ts'

export interface Details {
  readonly shared: SharedPart
  readonly row: string | null
}

type GameBoard = NonNullable<BoardDetails['board']>

/** Characters of cached rows, enough for ten thousand players with a dozen solves each. */
const rowsMost = 16_000_000
const gamesMost = 64

function placeIn({ participation }: Standings, id: number): number {
  let [low, high] = [0, participation.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((participation[middle] as number) < id) low = middle + 1
    else high = middle
  }
  return participation[low] === id ? low : -1
}

const rowVersion = ({ drawing, standings }: GameBoard, place: number): string => `${drawing}.${standings.version[place]}`

function withRanks({ standings }: GameBoard, place: number, row: string): string {
  return `{"rank":${standings.rank[place]},"organizationRank":${standings.divisionRank[place] || null},${row.slice(1)}`
}

/** Details of one version, `version` or later; null if the game does not exist. Costs a binary search; the first caller for a version or a changed row waits for the thread. */
export function openDetails(
  request: BoardClient['request'],
): (details: { gameId: number; participationId: number; version: string }) => Promise<Details | null> {
  const boards = new Map<number, GameBoard>()
  const rows = openTeamRowCache(rowsMost)
  /** By game: the pending request for the newest version, and the version that caused it. */
  const pending = new Map<number, { readonly version: string; readonly answer: Promise<GameBoard | null> }>()

  function keepBoard(gameId: number, newest: GameBoard): void {
    boards.delete(gameId)
    boards.set(gameId, newest)
    if (boards.size > gamesMost) boards.delete(boards.keys().next().value as number)
  }

  async function requestDetails(gameId: number, participationId: number, known: GameBoard | undefined) {
    const details = await request('details', { gameId, participationId, cached: known?.shared.version ?? null })
    if (!details) return null
    if (details.board) keepBoard(gameId, details.board)
    const newest = details.board ?? (known as GameBoard)
    const place = placeIn(newest.standings, participationId)
    if (details.row !== null && place >= 0) rows.keep(participationId, rowVersion(newest, place), details.row)
    return { newest, row: details.row }
  }

  function newestOf(gameId: number, participationId: number, version: string): Promise<GameBoard | null> {
    const under = pending.get(gameId)
    if (under?.version === version) return under.answer
    const answer = requestDetails(gameId, participationId, boards.get(gameId)).then((found) => found?.newest ?? null)
    const one = { version, answer }
    pending.set(gameId, one)
    const done = () => void (pending.get(gameId) === one && pending.delete(gameId))
    answer.then(done, done)
    return answer
  }

  return async ({ gameId, participationId, version }) => {
    const known = boards.get(gameId)
    const newest = known?.shared.version === version ? known : await newestOf(gameId, participationId, version)
    if (!newest) return null
    const place = placeIn(newest.standings, participationId)
    if (place < 0) return { shared: newest.shared, row: null }
    const row = rows.find(participationId, rowVersion(newest, place))
    if (row !== undefined) return { shared: newest.shared, row: withRanks(newest, place, row) }
    const found = await requestDetails(gameId, participationId, newest)
    if (!found) return null
    const at = placeIn(found.newest.standings, participationId)
    return { shared: found.newest.shared, row: found.row === null || at < 0 ? null : withRanks(found.newest, at, found.row) }
  }
}
