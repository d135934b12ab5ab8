import { focusManager, queryOptions, useQueryClient } from '@tanstack/react-query'
import { editGetChallenge, editListChallenges } from '@vexil/contract/challenges'
import { editGetGame, editListNotices, listNotices, listParticipations } from '@vexil/contract/games'
import { listWriteups } from '@vexil/contract/writeups'
import { useEffect } from 'react'
import { call } from '../api/client.ts'
import { pollWithout, useLive } from '../api/live.ts'
import { refetch } from '../api/live-data.ts'
import { keys } from '../api/query-keys.ts'

export const editGameQuery = (id: number) =>
  queryOptions({ queryKey: keys.edit.game(id), queryFn: ({ signal }) => call(editGetGame, { params: { id }, signal }) })

export const challengesQuery = (id: number) =>
  queryOptions({
    queryKey: keys.edit.challenges(id),
    queryFn: ({ signal }) => call(editListChallenges, { params: { id }, signal }),
  })

export const challengeQuery = (id: number, cid: number) =>
  queryOptions({
    queryKey: keys.edit.challenge(id, cid),
    queryFn: ({ signal }) => call(editGetChallenge, { params: { id, cid }, signal }),
    refetchInterval: ({ state }) => (state.data?.testContainer?.readiness === 'waiting' ? 3_000 : false),
  })

export const editNoticesQuery = (id: number) =>
  queryOptions({
    queryKey: keys.edit.notices(id),
    queryFn: ({ signal }) => call(editListNotices, { params: { id }, signal }),
  })

/** All notices as players see them, including automatic ones; refused before the start. */
export const publicNoticesQuery = (id: number) =>
  queryOptions({
    queryKey: keys.game(id).notices,
    queryFn: ({ signal }) => call(listNotices, { params: { id }, query: { count: 1000 }, signal }),
    retry: false,
  })

export const participationsQuery = (id: number) =>
  queryOptions({
    queryKey: keys.game(id).participations,
    queryFn: ({ signal }) => call(listParticipations, { params: { id }, signal }),
    staleTime: 30_000,
  })

export const writeupsQuery = (id: number) =>
  queryOptions({
    queryKey: keys.edit.writeups(id),
    queryFn: ({ signal }) => call(listWriteups, { params: { id }, signal }),
  })

export function useGameChanged(id: number): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    void queries.invalidateQueries({ queryKey: keys.games.all })
    void queries.invalidateQueries({ queryKey: keys.edit.games() })
    void queries.invalidateQueries({ queryKey: keys.game(id).all })
    await queries.invalidateQueries({ queryKey: keys.edit.game(id), exact: true })
  }
}

/** `deleted`: a challenge whose editor may still be on the screen and must not request it again. */
export function useChallengesChanged(id: number): (deleted?: number) => Promise<void> {
  const queries = useQueryClient()
  return async (deleted) => {
    void queries.invalidateQueries({ queryKey: keys.game(id).all })
    await queries.invalidateQueries({
      queryKey: keys.edit.challenges(id),
      predicate: ({ queryKey }) => deleted === undefined || queryKey.at(-1) !== deleted,
    })
  }
}

const liveKeys = (id: number) => [keys.edit.game(id), keys.game(id).participations, keys.game(id).notices]

/** Updates by other administrators and joining teams; without the channel by polling. */
export function useGameAdminLive(id: number, enabled: boolean): void {
  const queries = useQueryClient()
  const { notices, participations } = keys.game(id)
  const stale = (...which: readonly (readonly unknown[])[]) => {
    for (const queryKey of which) refetch(queries, queryKey)
  }
  const live = useLive({
    hub: '/hub/user',
    game: id,
    enabled,
    handlers: {
      ReceivedGameNotice: () => stale(notices, keys.edit.notices(id)),
      VexilGame: ({ what }) => {
        if (what === 'participations') stale(participations)
        if (what === 'notices') stale(notices, keys.edit.notices(id))
        if (what === 'challenges') stale(keys.edit.challenges(id))
        if (what === 'game') void queries.invalidateQueries({ queryKey: keys.edit.game(id), exact: true })
      },
    },
    reads: liveKeys(id),
  })
  const every = enabled && pollWithout(live)
  // One timer for all keys, whichever part of the screen uses them.
  useEffect(() => {
    if (every === false) return
    const timer = setInterval(() => {
      if (focusManager.isFocused()) for (const queryKey of liveKeys(id)) void queries.invalidateQueries({ queryKey })
    }, every)
    return () => clearInterval(timer)
  }, [queries, id, every])
}
