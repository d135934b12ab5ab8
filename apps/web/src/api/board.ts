/**
 * The board of a game in this browser: loaded once as the feed, then carried on by the solve messages of the live channel with the same
 * function that the server draws with (LIVE-4). Scores come from the server; nothing is computed here.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { BoardChanged, BoardRoster, BoardSolves } from '@vexil/contract/live'
import { type Feed, feed as feedCall } from '@vexil/contract/scoreboard'
import { addSolve, type Board, type BoardFacts, drawBoard, patchTeam, renameSolvers, rowsOf } from '@vexil/core/scoreboard'
import { challengeCategories } from '@vexil/core/vocabulary'
import { useEffect, useRef } from 'react'
import { call } from './client.ts'
import { keys } from './keys.ts'
import { type LiveState, pollWithout, useLive } from './live.ts'

/** What happened to one row lately, for marks that fade. `at` is device time in milliseconds. */
export interface Recent {
  readonly challengeId: number
  readonly at: number
}
export interface Move {
  /** Places won (positive) or lost. */
  readonly places: number
  readonly at: number
}

export interface BoardState {
  readonly board: Board
  readonly epoch: number
  readonly head: number
  readonly roster: number
  readonly startsAt: number
  readonly endsAt: number
  readonly bloodBonus: number
  readonly divisions: readonly string[]
  /** Bonus of a challenge of its own, by id. */
  readonly ownBonus: ReadonlyMap<number, number>
  /** Server time of the last change, ms. */
  readonly changedAt: number
  /** By participation: its newest solve that came while this page was open. */
  readonly recent: ReadonlyMap<number, Recent>
  /** By participation: its last change of rank while this page was open. */
  readonly moves: ReadonlyMap<number, Move>
}

/** Columns to facts. */
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

export function openFeed(feed: Feed): BoardState {
  const { id, bloodBonus } = feed.challenges
  return {
    board: drawBoard(readFeed(feed)),
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

/** The state after a message, or null when the feed has to be loaded again. */
export function hearSolves(state: BoardState, { epoch, from, to, solves }: BoardSolves, now: number): BoardState | null {
  if (epoch !== state.epoch || from > state.head) return null
  const fresh = solves.filter(([number]) => number > state.head)
  if (to <= state.head) return state
  const before = new Map(rowsOf(state.board).map(({ team, rank }) => [team.participationId, rank]))
  let changedAt = state.changedAt
  for (const [number, participationId, challengeId, userName, arrivedAt, shownAt, value] of fresh) {
    addSolve(state.board, { number, participationId, challengeId, userName, arrivedAt, shownAt, value })
    changedAt = Math.max(changedAt, shownAt)
  }
  const recent = new Map(state.recent)
  const moves = new Map(state.moves)
  for (const { team, rank } of rowsOf(state.board)) {
    const places = (before.get(team.participationId) ?? rank) - rank
    if (places !== 0) moves.set(team.participationId, { places, at: now })
  }
  for (const [, participationId, challengeId] of fresh) recent.set(participationId, { challengeId, at: now })
  return { ...state, head: to, changedAt, recent, moves }
}

/** The state after a message, or null when the feed has to be loaded again: names may have been exchanged, so none may be missed or heard twice. */
export function hearRoster(state: BoardState, { epoch, roster, teams, steps }: BoardRoster): BoardState | null {
  if (epoch !== state.epoch) return null
  if (roster === state.roster) return state
  const first = steps.findIndex(({ from }) => from === state.roster)
  if (first < 0) return null
  for (const team of teams) patchTeam(state.board, team)
  for (const { solvers } of steps.slice(first)) renameSolvers(state.board, new Map(solvers))
  const named = teams.map(({ division }) => division).filter((division) => division !== null)
  return { ...state, roster, divisions: [...new Set([...state.divisions, ...named])] }
}

/** Does the state lack what messages have told of? A feed that was under way when one came may be older than it. */
export const isBehind = (state: Pick<BoardState, 'epoch' | 'head'>, told: Pick<BoardState, 'epoch' | 'head'>): boolean =>
  told.epoch > state.epoch || (told.epoch === state.epoch && told.head > state.head)

interface Live {
  readonly live: LiveState
}

/** The board of a game, moving. `enabled` false before the start. Without the channel it is loaded again every 10 s. */
export function useBoard(gameId: number, enabled: boolean) {
  const queries = useQueryClient()
  const key = keys.game(gameId).feed
  const again = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(again.current), [])

  const told = useRef({ epoch: 0, head: 0 })
  const hearOf = (epoch: number, head: number) => {
    if (isBehind(told.current, { epoch, head })) told.current = { epoch, head }
  }

  const reload = (withinMs = 0) => {
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
    hear: {
      VexilSolves: (message) => {
        hearOf(message.epoch, message.to)
        apply((state) => hearSolves(state, message, Date.now()))
      },
      VexilRoster: (message) => apply((state) => hearRoster(state, message)),
      VexilBoard: ({ epoch, head, roster, withinMs }: BoardChanged) => {
        hearOf(epoch, head)
        const state = queries.getQueryData<BoardState>(key)
        if (!state || state.epoch !== epoch || state.head !== head || state.roster !== roster) reload(withinMs)
      },
    },
    onReturn: () => reload(),
  })

  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => openFeed((await call(feedCall, { params: { id: gameId }, signal })) as Feed),
    enabled,
    // The board inside is changed in place; comparing it would compare it with itself.
    structuralSharing: false,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchInterval: pollWithout(live),
  })
  const loaded = query.data
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that something was loaded or carried on
  useEffect(() => {
    if (loaded && isBehind(loaded, told.current)) reload(1000)
  }, [loaded])
  return { ...query, live } satisfies typeof query & Live
}
