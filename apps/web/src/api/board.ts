/** The board of a game: the feed and its tail, advanced by live solve messages. Scores come from the server. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { BoardChanged, BoardRoster, BoardSolves } from '@vexil/contract/live'
import { type Feed, type FeedTail, feed as feedCall } from '@vexil/contract/scoreboard'
import {
  addSolves,
  type Board,
  type BoardColumn,
  type BoardFacts,
  type BoardRow,
  columnsOf,
  drawBoard,
  patchTeam,
  renameSolvers,
  rowsOf,
} from '@vexil/core/scoreboard'
import { challengeCategories } from '@vexil/core/vocabulary'
import { useEffect, useRef } from 'react'
import { call } from './client.ts'
import { type LiveState, pollWithout, useLive } from './live.ts'
import { keys } from './query-keys.ts'

/** Latest change of one row, for marks that fade. `at` is device time in milliseconds. */
export interface Recent {
  readonly challengeId: number
  readonly at: number
  /** Differs from the one before, so that the row can start its mark again. */
  readonly again: boolean
}
export interface Move {
  /** Places won (positive) or lost. */
  readonly places: number
  readonly at: number
}

export type BoardHead = Pick<BoardColumn, 'id' | 'title' | 'category'>

export interface BoardState {
  /** Mutated by each message; screens read the immutable `rows` and `columns`. */
  readonly engine: Board
  /** In rank order; an unchanged row stays the same object. */
  readonly rows: readonly BoardRow[]
  readonly columns: readonly BoardColumn[]
  /** Titles and categories in the order of the columns; the same object while the challenges are unchanged. */
  readonly heads: readonly BoardHead[]
  readonly epoch: number
  readonly head: number
  readonly roster: number
  readonly startsAt: number
  readonly endsAt: number
  readonly bloodBonus: number
  readonly divisions: readonly string[]
  /** Bonuses of challenges that differ from the game's, by id. */
  readonly ownBonus: ReadonlyMap<number, number>
  /** Server time of the last change, ms. */
  readonly changedAt: number
  /** By participation: its newest solve since this page was opened. */
  readonly recent: ReadonlyMap<number, Recent>
  /** By participation: its last change of rank since this page was opened. */
  readonly moves: ReadonlyMap<number, Move>
}

export function readFeed(feed: Feed): BoardFacts {
  const { challenges, teams, solves } = feed
  let time = feed.startsAt
  return {
    startsAt: feed.startsAt,
    endsAt: feed.endsAt,
    bloodBonus: feed.bloodBonus,
    challenges: challenges.id.map((id, place) => ({
      id,
      title: challenges.title[place] ?? '',
      category: challengeCategories[challenges.category[place] ?? 0] ?? 'Misc',
      values: challenges.values[place] ?? [],
      bloodBonus: challenges.bloodBonus[place] ?? null,
    })),
    teams: teams.id.map((id, place) => ({
      id,
      participationId: teams.participationId[place] ?? 0,
      name: teams.name[place] ?? '',
      bio: teams.bio[place] ?? null,
      avatar: teams.avatar[place] ?? null,
      division: feed.divisions[teams.division[place] ?? -1] ?? null,
    })),
    solves: solves.number.map((number, place) => {
      time += solves.after[place] ?? 0
      return {
        number,
        participationId: teams.participationId[solves.team[place] ?? -1] ?? 0,
        challengeId: challenges.id[solves.challenge[place] ?? -1] ?? 0,
        userName: feed.users[solves.user[place] ?? -1] ?? null,
        arrivedAt: time - (solves.raised[place] ?? 0),
        shownAt: time,
      }
    }),
  }
}

export const readBoard = (engine: Board) => ({ engine, rows: rowsOf(engine), columns: columnsOf(engine) })

export function openFeed(feed: Feed): BoardState {
  const { id, bloodBonus } = feed.challenges
  const engine = drawBoard(readFeed(feed))
  return {
    ...readBoard(engine),
    heads: columnsOf(engine).map(({ id, title, category }) => ({ id, title, category })),
    epoch: feed.epoch,
    head: feed.head,
    roster: feed.roster,
    startsAt: feed.startsAt,
    endsAt: feed.endsAt,
    bloodBonus: feed.bloodBonus,
    divisions: feed.divisions,
    ownBonus: new Map(id.flatMap((challenge, place) => (bloodBonus[place] == null ? [] : [[challenge, bloodBonus[place]]]))),
    changedAt: feed.changedAt,
    recent: new Map(),
    moves: new Map(),
  }
}

type Advance = Pick<BoardSolves, 'epoch' | 'from' | 'to' | 'solves'>

/** The state with more solves of the log, without marks; null when the feed must be reloaded. */
function advance(state: BoardState, { epoch, from, to, solves }: Advance): BoardState | null {
  if (epoch !== state.epoch || from > state.head) return null
  if (to <= state.head) return state
  const fresh = solves
    .filter(([number]) => number > state.head)
    .map(([number, participationId, challengeId, userName, arrivedAt, shownAt, value]) => {
      return { number, participationId, challengeId, userName, arrivedAt, shownAt, value }
    })
  addSolves(state.engine, fresh)
  const changedAt = fresh.reduce((latest, { shownAt }) => Math.max(latest, shownAt), state.changedAt)
  return { ...state, ...readBoard(state.engine), head: to, changedAt }
}

/** The state after a message, or null when the feed must be reloaded. */
export function applySolves(state: BoardState, message: BoardSolves, now: number): BoardState | null {
  const advanced = advance(state, message)
  if (advanced === null || advanced === state) return advanced
  const recent = unfaded(state.recent, now)
  for (const [number, participationId, challengeId] of message.solves)
    if (number > state.head)
      recent.set(participationId, { challengeId, at: now, again: state.recent.get(participationId)?.again === false })
  return { ...advanced, recent, moves: movesOf(state, advanced.rows, now) }
}

/** The state with its tail, or null when the tail belongs to another feed. */
export const addTail = (state: BoardState, tail: FeedTail): BoardState | null =>
  tail.roster === state.roster ? advance(state, tail) : null

/** Reloads of a feed that changed before its tail arrived; the live channel corrects the rest. */
const maxReloads = 3

/** A loaded board is advanced by its tail alone, and stays the same object when nothing is new. */
async function loadBoard(gameId: number, shown: () => BoardState | undefined, signal: AbortSignal): Promise<BoardState> {
  const params = { id: gameId }
  const tailAfter = async (after: number) => (await call(feedCall, { params, query: { after }, signal })) as FeedTail
  const before = shown()
  if (before) {
    const tail = await tailAfter(before.head)
    // Messages may have advanced it during the request.
    const advanced = addTail(shown() ?? before, tail)
    if (advanced) return advanced
  }
  for (let left = maxReloads; ; left--) {
    const state = openFeed((await call(feedCall, { params, query: {}, signal })) as Feed)
    const whole = addTail(state, await tailAfter(state.head))
    if (whole) return whole
    if (left === 1) return state
  }
}

const fadedMs = 15_000
const unfaded = <T extends { readonly at: number }>(marks: ReadonlyMap<number, T>, now: number): Map<number, T> =>
  new Map([...marks].filter(([, { at }]) => now - at < fadedMs))

/** Changes of rank. One pass over the rows; allocates only for those that moved. */
function movesOf({ rows: before, moves }: BoardState, after: readonly BoardRow[], now: number): Map<number, Move> {
  const ranks = new Map<number, number>()
  const idAt = (rows: readonly BoardRow[], index: number) => rows[index]?.team.participationId
  for (let index = 0; index < before.length; index++) {
    const row = before[index] as BoardRow
    if (row !== after[index] && row.team.participationId !== idAt(after, index)) ranks.set(row.team.participationId, row.rank)
  }
  const next = unfaded(moves, now)
  for (let index = 0; index < after.length && ranks.size > 0; index++) {
    const { team, rank } = after[index] as BoardRow
    if (team.participationId === idAt(before, index)) continue
    const places = (ranks.get(team.participationId) ?? rank) - rank
    if (places !== 0) next.set(team.participationId, { places, at: now })
  }
  return next
}

/** The state after a message, or null to reload the feed: as names may be swapped, no message may be missed or applied twice. */
export function applyRoster(state: BoardState, { epoch, roster, teams, steps }: BoardRoster): BoardState | null {
  if (epoch !== state.epoch) return null
  if (roster === state.roster) return state
  const first = steps.findIndex(({ from }) => from === state.roster)
  if (first < 0) return null
  for (const team of teams) patchTeam(state.engine, team)
  for (const { solvers } of steps.slice(first)) renameSolvers(state.engine, new Map(solvers))
  const named = teams.map(({ division }) => division).filter((division) => division !== null)
  return { ...state, ...readBoard(state.engine), roster, divisions: [...new Set([...state.divisions, ...named])] }
}

type Version = Pick<BoardState, 'epoch' | 'head' | 'roster'>

/** The latest announced version after another message, which has one of head and roster or both. */
export function latest(announced: Version, { epoch, head = 0, roster = 0 }: Pick<Version, 'epoch'> & Partial<Version>): Version {
  if (epoch < announced.epoch) return announced
  if (epoch > announced.epoch) return { epoch, head, roster }
  return { epoch, head: Math.max(head, announced.head), roster: Math.max(roster, announced.roster) }
}

/** Whether the state lacks announced changes: a feed in flight may be older than a message. */
export const isBehind = (state: Version, announced: Version): boolean =>
  announced.epoch > state.epoch ||
  (announced.epoch === state.epoch && (announced.head > state.head || announced.roster > state.roster))

interface Live {
  readonly live: LiveState
}

/** The live board. `ready` is false while something else loads first. Without the channel it reloads every 10 s. */
export function useBoard(gameId: number, enabled: boolean, ready = true) {
  const queries = useQueryClient()
  const key = keys.game(gameId).feed
  const again = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(again.current), [])

  const announced = useRef<Version>({ epoch: 0, head: 0, roster: 0 })
  const noteVersion = (message: Parameters<typeof latest>[1]) => {
    announced.current = latest(announced.current, message)
  }

  const reload = (withinMs: number) => {
    clearTimeout(again.current)
    again.current = setTimeout(() => void queries.invalidateQueries({ queryKey: key }), Math.random() * withinMs)
  }
  const apply = (step: (state: BoardState) => BoardState | null) => {
    const state = queries.getQueryData<BoardState>(key)
    if (!state) return
    const next = step(state)
    if (next === null) reload(1000)
    else if (next !== state) queries.setQueryData(key, next)
  }
  const live = useLive({
    hub: '/hub/user',
    game: gameId,
    enabled,
    handlers: {
      VexilSolves: (message) => {
        noteVersion({ epoch: message.epoch, head: message.to })
        apply((state) => applySolves(state, message, Date.now()))
      },
      VexilRoster: (message) => {
        noteVersion({ epoch: message.epoch, roster: message.roster })
        apply((state) => applyRoster(state, message))
      },
      VexilBoard: ({ epoch, head, roster, withinMs }: BoardChanged) => {
        noteVersion({ epoch, head, roster })
        const state = queries.getQueryData<BoardState>(key)
        if (!state || state.epoch !== epoch || state.head !== head || state.roster !== roster) reload(withinMs)
      },
    },
    reads: [key],
  })

  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => loadBoard(gameId, () => queries.getQueryData<BoardState>(key), signal),
    enabled: enabled && ready,
    // Rows are shared already; comparing ten thousand of them costs more than drawing them.
    structuralSharing: false,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchInterval: pollWithout(live),
  })
  const loaded = query.data
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that something was loaded or carried on
  useEffect(() => {
    if (loaded && isBehind(loaded, announced.current)) reload(1000)
  }, [loaded])
  return { ...query, live } satisfies typeof query & Live
}
