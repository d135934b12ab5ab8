import { queryOptions } from '@tanstack/react-query'
import { myGames } from '@vexil/contract/accounts'
import { type BasicGame, getGame, listGames } from '@vexil/contract/games'
import { listMails } from '@vexil/contract/mails'
import { gameDetails } from '@vexil/contract/scoreboard'
import { myTeams } from '@vexil/contract/teams'
import { call } from './client.ts'
import { keys } from './query-keys.ts'

const page = 100

/** All visible games, page by page; one call gives only the newest. */
export const allGamesQuery = queryOptions({
  queryKey: keys.games.list,
  queryFn: async ({ signal }) => {
    const found = new Map<number, BasicGame>()
    for (let skip = 0; ; skip += page) {
      const some = await call(listGames, { query: { count: page, skip }, signal })
      for (const game of some) found.set(game.id, game)
      if (some.length < page) return [...found.values()]
    }
  },
  staleTime: 300_000,
})

export const gameQuery = (id: number) =>
  queryOptions({
    queryKey: keys.game(id).detail,
    queryFn: ({ signal }) => call(getGame, { params: { id }, signal }),
    staleTime: 10_000,
  })

/** The own view of a game, with its challenges. */
export const detailsQuery = (id: number) =>
  queryOptions({
    queryKey: keys.game(id).play,
    queryFn: ({ signal }) => call(gameDetails, { params: { id }, signal }),
    staleTime: 5000,
  })

export const myGamesQuery = queryOptions({
  queryKey: keys.myGames,
  queryFn: ({ signal }) => call(myGames, { signal }),
  staleTime: 60_000,
})

export const myTeamsQuery = queryOptions({
  queryKey: keys.teams.mine,
  queryFn: ({ signal }) => call(myTeams, { signal }),
  staleTime: 120_000,
})

/** Whether emails can be sent; for administrators. */
export const mailStateQuery = queryOptions({
  queryKey: keys.admin.mails({ count: 1 }),
  queryFn: ({ signal }) => call(listMails, { query: { count: 1 }, signal }),
  staleTime: 60_000,
  retry: false,
})
