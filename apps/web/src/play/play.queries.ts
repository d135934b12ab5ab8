import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { type GameNotice, listNotices } from '@vexil/contract/games'
import type { MyInstance } from '@vexil/contract/instances'
import { type ChallengeDetail, challengeDetail, type GameDetail } from '@vexil/contract/scoreboard'
import { ownTries, submissionStatus, submitFlag } from '@vexil/contract/submissions'
import { statusPollInterval } from '@vexil/core/limits'
import type { AnswerResult } from '@vexil/core/vocabulary'
import { call } from '../api/client.ts'
import { type LiveState, pollWithout, useJittered, useLive } from '../api/live.ts'
import { patchList, refetch } from '../api/live-data.ts'
import { keys } from '../api/query-keys.ts'
import { detailsQuery } from '../api/shared.queries.ts'

export const challengeQuery = (id: number, cid: number) =>
  queryOptions({
    queryKey: keys.game(id).challenge(cid),
    queryFn: ({ signal }) => call(challengeDetail, { params: { id, cid }, signal }),
    staleTime: 120_000,
    // A service may answer while the hub is away.
    refetchInterval: ({ state }) => (state.data?.context.readiness === 'waiting' ? 5_000 : 120_000),
  })

export const triesQuery = (id: number, cid: number) =>
  queryOptions({
    queryKey: keys.game(id).tries(cid),
    queryFn: ({ signal }) => call(ownTries, { params: { id, cid }, signal }),
  })

export const noticesQuery = (id: number) =>
  queryOptions({
    queryKey: keys.game(id).notices,
    queryFn: ({ signal }) => call(listNotices, { params: { id }, query: { count: 1000 }, signal }),
    staleTime: 300_000,
  })

/** Own view of the game; without the channel polled while the game runs. */
export function useDetails(id: number, running: boolean, live: LiveState) {
  return useQuery({ ...detailsQuery(id), refetchInterval: running && pollWithout(live) })
}

export function usePlayLive(id: number, onNotice: (notice: GameNotice) => void): LiveState {
  const queries = useQueryClient()
  const stale = (...which: readonly (readonly unknown[])[]) => {
    for (const queryKey of which) refetch(queries, queryKey)
  }
  const game = keys.game(id)
  const playSoon = useJittered(() => stale(game.play))
  return useLive({
    hub: '/hub/user',
    game: id,
    handlers: {
      ReceivedGameNotice: (notice) => {
        patchList<GameNotice>(queries, game.notices, (old) => [notice, ...old.filter((one) => one.id !== notice.id)])
        if (notice.type === 'NewHint') stale(['game', id, 'challenge'])
        onNotice(notice)
      },
      VexilGame: ({ what }) => {
        if (what === 'challenges') stale(game.play, ['game', id, 'challenge'])
        if (what === 'notices') stale(game.notices)
      },
      VexilInstances: ({ challengeId }) => stale(game.instances, game.challenge(challengeId)),
      VexilStart: ({ challengeId, start }) => {
        if (!start) return stale(game.instances, game.challenge(challengeId))
        queries.setQueryData<ChallengeDetail>(
          game.challenge(challengeId),
          (old) => old && { ...old, context: { ...old.context, start } },
        )
        patchList<MyInstance>(queries, game.instances, (all) =>
          all.map((one) => (one.challengeId === challengeId ? { ...one, start } : one)),
        )
      },
      VexilBoard: playSoon,
    },
    reads: [game.play, game.notices, game.instances, ['game', id, 'challenge']],
  })
}

const slowAfterMs = 10_000
const slowPollMs = 2000
const timeoutMs = 60_000
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** Sends an answer once (never retried) and polls for its result; after a minute it counts as unknown. */
export async function sendFlag(
  id: number,
  cid: number,
  flag: string,
): Promise<{ submission: number; result: AnswerResult | 'unknown' }> {
  const submission = await call(submitFlag, { params: { id, cid }, body: { flag } })
  const started = performance.now()
  for (;;) {
    const elapsed = performance.now() - started
    try {
      const result = await call(submissionStatus, { params: { id, cid, sid: submission } })
      if (result !== 'FlagSubmitted') return { submission, result }
    } catch {
      // The answer is stored; only its result could not be read. Ask again.
    }
    if (elapsed > timeoutMs) return { submission, result: 'unknown' }
    await pause(elapsed > slowAfterMs ? slowPollMs : statusPollInterval)
  }
}

export type Card = NonNullable<GameDetail['challenges'][keyof GameDetail['challenges']]>[number]
