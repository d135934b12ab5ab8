import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listEvents } from '@vexil/contract/games'
import { failingChecks, silentChallenges } from '@vexil/contract/instances'
import { activity as countActivity, listCheats, listSubmissions } from '@vexil/contract/submissions'
import type { AnswerResult } from '@vexil/core/vocabulary'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'

/** Entries that a filter searches: the newest, since the calls cannot filter. */
export const deepCount = 1000
/** Found entries that are shown: more would delay every key of the search. */
export const foundShown = 200
export const eventPage = 30
export const submissionPage = 50

/** A live list that is not on screen misses entries, so it is read again when it is shown. */
const neverFresh = 0

/** Not announced by the hub, so it is polled. */
export const silentQuery = (id: number) =>
  queryOptions({
    queryKey: keys.game(id).silent,
    queryFn: ({ signal }) => call(silentChallenges, { params: { id }, signal }),
    refetchInterval: 30_000,
  })

/** Polled like `silentQuery`. */
export const failingChecksQuery = (id: number) =>
  queryOptions({
    queryKey: keys.game(id).failingChecks,
    queryFn: ({ signal }) => call(failingChecks, { params: { id }, signal }),
    refetchInterval: 30_000,
  })

export interface EventSlice {
  readonly hideContainer: boolean
  readonly count: number
  readonly skip: number
  /** ISO instants; absent for the whole game. */
  readonly from?: string
  readonly before?: string
}

export const activityQuery = (id: number) =>
  queryOptions({
    queryKey: keys.game(id).activity,
    queryFn: ({ signal }) => call(countActivity, { params: { id }, signal }),
  })

export const eventsQuery = (id: number, slice: EventSlice) =>
  queryOptions({
    queryKey: keys.game(id).events(slice),
    queryFn: ({ signal }) => call(listEvents, { params: { id }, query: { ...slice }, signal }),
    placeholderData: keepPreviousData,
    staleTime: neverFresh,
  })

export interface SubmissionSlice {
  readonly type: AnswerResult | undefined
  readonly count: number
  readonly skip: number
}

export const submissionsQuery = (id: number, slice: SubmissionSlice) =>
  queryOptions({
    queryKey: keys.game(id).submissions(slice),
    queryFn: ({ signal }) => call(listSubmissions, { params: { id }, query: { ...slice }, signal }),
    placeholderData: keepPreviousData,
    staleTime: neverFresh,
  })

export const cheatsQuery = (id: number) =>
  queryOptions({
    queryKey: keys.game(id).cheats,
    queryFn: ({ signal }) => call(listCheats, { params: { id }, signal }),
  })
