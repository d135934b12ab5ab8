/** Requests to the thread that keeps the boards (board-thread.ts), with serialised responses. */
import { buffer } from 'node:stream/consumers'
import { rowOf, type Standings, scoreNow, standingsOf } from '@vexil/core/scoreboard'
import type { Language } from '@vexil/core/vocabulary'
import { LRUCache } from 'lru-cache'
import { sheetStream } from '../files/sheet.ts'
import type { BoardGame, BoardVersion } from './board-facts.queries.ts'
import type { BoardKeeper } from './board-keeper.ts'
import { boardSheet } from './board-sheet.ts'
import type { BoardPerson } from './details.queries.ts'
import { baseVersion, feedView, tailFrom, tailView } from './feed.view.ts'
import { makeShared, ownBytes, type SharedPart } from './gzip-concat.ts'
import type { KeptBoard } from './kept-board.ts'
import type { Body } from './response-cache.ts'
import { challengesView, itemView, scoreboardView } from './scoreboard.view.ts'
import { startRowView, startView } from './start.view.ts'

export interface BoardState extends BoardVersion {
  readonly game: BoardGame
  readonly teamCount: number
  /** By challenge: the current score, without bonus. */
  readonly scores: ReadonlyMap<number, number>
}

/** For a player: the game's part, unless the caller has that version already, and the team's row. */
export interface BoardDetails {
  readonly board: {
    readonly shared: SharedPart
    readonly drawing: string
    readonly standings: Standings
  } | null
  /** The team's row as JSON, without its ranks; null if it is not on the board. */
  readonly row: string | null
}

/** Requests and responses; null if the game does not exist. */
export interface BoardRequests {
  state: { params: { gameId: number }; answer: BoardState }
  fresh: { params: { gameId: number }; answer: BoardState }
  wire: { params: { gameId: number }; answer: Body }
  base: { params: { gameId: number }; answer: Body }
  tail: { params: { gameId: number; after: number }; answer: Body }
  start: { params: { gameId: number }; answer: Body }
  startRow: { params: { gameId: number; teamId: number }; answer: Body }
  details: { params: { gameId: number; participationId: number; cached: string | null }; answer: BoardDetails }
  sheet: { params: { gameId: number; hasDivisions: boolean; language: Language; time: Date }; answer: Uint8Array }
}

export const versionOf = ({ epoch, head, roster }: BoardVersion): string => `${epoch}.${head}.${roster}`
export const tailVersion = (board: BoardVersion, from: number): string => `${versionOf(board)}.${from}`

export function stateOf({ game, challenges, board, log: { epoch, head, roster } }: KeptBoard): BoardState {
  const scores = new Map([...challenges.keys()].map((id) => [id, scoreNow(board, id) ?? 0]))
  return { game, epoch, head, roster, teamCount: board.rows.size, scores }
}

function bodyOf(version: string, view: () => unknown): Body {
  const startedAt = performance.now()
  const plain = ownBytes(JSON.stringify(view()))
  return { version, plain, ms: performance.now() - startedAt }
}

const gamesMost = 64

/** Answers requests. A part that all players of a game share is built once per version. */
export function openRequestHandlers(
  { get: find, refresh }: Pick<BoardKeeper, 'get' | 'refresh'>,
  listPeople: (gameId: number) => Promise<ReadonlyMap<number, BoardPerson>>,
): { [W in keyof BoardRequests]: (params: BoardRequests[W]['params']) => Promise<BoardRequests[W]['answer'] | null> } {
  const parts = new LRUCache<number, SharedPart>({ max: gamesMost })
  function sharedPart(kept: KeptBoard, version: string): SharedPart {
    const known = parts.get(kept.game.id)
    if (known?.version === version) return known
    const made = makeShared(version, challengesView(kept))
    parts.set(kept.game.id, made)
    return made
  }
  const on =
    <A extends { gameId: number }, T>(answer: (kept: KeptBoard, params: A) => T | Promise<T>) =>
    async (params: A): Promise<T | null> => {
      const kept = await find(params.gameId)
      return kept && answer(kept, params)
    }
  return {
    state: on(stateOf),
    async fresh({ gameId }) {
      await refresh(gameId)
      const kept = await find(gameId)
      return kept && stateOf(kept)
    },
    wire: on((kept) => bodyOf(versionOf(kept.log), () => scoreboardView(kept))),
    base: on((kept) => bodyOf(baseVersion(kept.log), () => feedView(kept))),
    tail: on((kept, { after }) => bodyOf(tailVersion(kept.log, tailFrom(kept.log.head, after)), () => tailView(kept, after))),
    start: on((kept) => bodyOf(versionOf(kept.log), () => startView(kept))),
    startRow: on((kept, { teamId }) => bodyOf(versionOf(kept.log), () => startRowView(kept, teamId))),
    details: on((kept, { participationId, cached }) => {
      const version = versionOf(kept.log)
      const row = rowOf(kept.board, participationId)
      const standing = () => ({ drawing: kept.drawing, standings: standingsOf(kept.board) })
      return {
        board: cached === version ? null : { shared: sharedPart(kept, version), ...standing() },
        row: row ? JSON.stringify({ ...itemView(row), rank: undefined, organizationRank: undefined }) : null,
      }
    }),
    async sheet({ gameId, time, ...options }) {
      const people = await listPeople(gameId)
      const kept = await find(gameId)
      return kept && new Uint8Array(await buffer(sheetStream({ ...boardSheet(kept, { people, ...options }), time })))
    },
  }
}
