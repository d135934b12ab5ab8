/** First rows of a large board and those of the own teams, some tens of kilobytes, shown while the feed loads. */
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { type BoardStart, type BoardStartRow, boardStart, type StartRow } from '@vexil/contract/scoreboard'
import type { BoardRow } from '@vexil/core/scoreboard'
import { submissionTypes } from '@vexil/core/vocabulary'
import { useState } from 'react'
import type { BoardState } from './board.ts'
import { call } from './client.ts'
import { keys } from './query-keys.ts'

export interface StartOfBoard extends Omit<BoardState, 'engine'> {
  readonly teamCount: number
  /** Rows of the own teams beyond the first rows. */
  readonly extraRows: readonly BoardRow[]
}

export const isWhole = (state: BoardState | StartOfBoard): state is BoardState => 'engine' in state

/** The feed of a smaller board arrives as soon as its start: about a hundred bytes per team, compressed. */
const leastTeams = 500

const readRow = ({ solves, ...row }: StartRow): BoardRow => ({
  ...row,
  lastAt: solves.at(-1)?.[6] ?? null,
  solves: solves.map(([number, challengeId, points, type, userName, arrivedAt, time]) => {
    return { number, challengeId, points, type: submissionTypes[type] ?? 'Normal', userName, arrivedAt, time }
  }),
})

function readStart({ challenges, rows, ...start }: BoardStart, own: readonly BoardStartRow[]): StartOfBoard {
  const first = rows.map(readRow)
  const known = new Set(first.map(({ team }) => team.id))
  return {
    ...start,
    rows: first,
    extraRows: own.flatMap(({ row }) => (row && !known.has(row.team.id) ? [readRow(row)] : [])),
    columns: challenges.map(({ bloodBonus: _, ...column }) => ({ ...column, bloods: [] })),
    heads: challenges.map(({ id, title, category }) => ({ id, title, category })),
    ownBonus: new Map(challenges.flatMap(({ id, bloodBonus }) => (bloodBonus === null ? [] : [[id, bloodBonus]]))),
    recent: new Map(),
    moves: new Map(),
  }
}

async function loadStart(gameId: number, teams: readonly number[], signal: AbortSignal): Promise<StartOfBoard> {
  const params = { id: gameId }
  const [start, ...own] = await Promise.all([
    call(boardStart, { params, query: {}, signal }),
    ...teams.map((team) => call(boardStart, { params, query: { team }, signal })),
  ])
  return readStart(start as BoardStart, own as BoardStartRow[])
}

/** The first hundred rows, without the feed. */
export const topOfBoardQuery = (gameId: number) =>
  queryOptions({
    queryKey: keys.game(gameId).boardTop,
    queryFn: ({ signal }) => loadStart(gameId, [], signal),
    structuralSharing: false,
    staleTime: 10_000,
  })

/** `ready`: request the feed: the start has arrived, failed or is not worth a call. `teams`: ids of the own teams. */
export function useBoardStart(
  gameId: number,
  { enabled, teamCount, teams }: { readonly enabled: boolean; readonly teamCount: number; readonly teams: readonly number[] },
): { readonly start: StartOfBoard | undefined; readonly ready: boolean } {
  const queries = useQueryClient()
  const [isNew] = useState(() => queries.getQueryData(keys.game(gameId).feed) === undefined)
  const query = useQuery({
    queryKey: keys.game(gameId).boardStart,
    queryFn: ({ signal }) => loadStart(gameId, teams, signal),
    enabled: enabled && isNew && teamCount >= leastTeams,
    structuralSharing: false,
    retry: false,
    // Newer data comes with the feed.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return { start: query.data, ready: !query.isLoading }
}
