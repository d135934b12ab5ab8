/** The board as the calls return it once it has caught up with the log. */
import type { Feed, FeedTail, Scoreboard } from '@vexil/contract/scoreboard'
import { expect, vi } from 'vitest'
import type { Db } from '../src/db/transaction.ts'
import type { Answer } from './platform.ts'

interface Asking {
  readonly db: Db
  readonly get: (url: string) => Promise<Answer>
}

/** Version of a game's log as the tag of its board. */
export async function versionOf(db: Db, gameId: number): Promise<string> {
  const { epoch, head, roster } = await db
    .selectFrom('solveLogs')
    .select(['epoch', 'head', 'roster'])
    .where('gameId', '=', gameId)
    .executeTakeFirstOrThrow()
  return `"${epoch}.${head}.${roster}"`
}

/** Repeats the request until the answer has the ETag of the state in the database. */
async function settled({ db, get }: Asking, gameId: number, path: string): Promise<Answer> {
  return vi.waitFor(
    async () => {
      const answer = await get(`/api/game/${gameId}/${path}`)
      expect(answer.status).toBe(200)
      expect(answer.headers.etag).toBe(await versionOf(db, gameId))
      return answer
    },
    { timeout: 10_000, interval: 10 },
  )
}

export const settledBoard = async (asking: Asking, gameId: number): Promise<Scoreboard> =>
  (await settled(asking, gameId, 'scoreboard')).body as Scoreboard

/** The feed and its tail, both of the current version in the database. */
export async function settledFeed(asking: Asking, gameId: number): Promise<{ feed: Feed; tail: FeedTail }> {
  await settled(asking, gameId, 'scoreboard')
  const feed = (await asking.get(`/api/game/${gameId}/scoreboard/feed`)).body as Feed
  const tail = (await asking.get(`/api/game/${gameId}/scoreboard/feed?after=${feed.head}`)).body as FeedTail
  return { feed, tail }
}

/** Team and points in rank order. */
export const standings = (board: Scoreboard): [name: string, points: number][] =>
  board.items.map(({ name, score }) => [name, score])

/** The challenges of a board in the order of its categories. */
export const challengesOf = (board: Scoreboard) => Object.values(board.challenges).flatMap((list) => list ?? [])
