import { type FetchQueryOptions, QueryClient } from '@tanstack/react-query'
import type { BasicGame } from '@vexil/contract/games'
import { expect, onTestFinished, test, vi } from 'vitest'
import { allGamesQuery, detailsQuery, gameQuery, mailStateQuery, myGamesQuery, myTeamsQuery } from './shared.queries.ts'

test('all games are read page by page; one that moved to the next page meanwhile is there once', async () => {
  onTestFinished(() => void vi.unstubAllGlobals())
  const pages = [Array.from({ length: 100 }, (_, id) => ({ id })), [{ id: 99 }, { id: 100 }]]
  const requests: string[] = []
  vi.stubGlobal('fetch', async (address: string) => Response.json(pages[requests.push(address) - 1]))
  const read = allGamesQuery.queryFn as (context: object) => Promise<BasicGame[]>
  const found = await read({ signal: new AbortController().signal })
  expect(requests).toEqual(['/api/game?count=100&skip=0', '/api/game?count=100&skip=100'])
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 101 }, (_, id) => id))
})

test.each([
  ['the list of games', 300, allGamesQuery, '/api/game?count=100&skip=0'],
  ['a game', 10, gameQuery(3), '/api/game/3'],
  ['its challenges', 5, detailsQuery(3), '/api/game/3/details'],
  ['the own games', 60, myGamesQuery, '/api/account/games'],
  ['the own teams', 120, myTeamsQuery, '/api/team'],
  ['the state of emails', 60, mailStateQuery, '/api/admin/mails?count=1'],
] as const)('an answer with %s is %s seconds old when the next screen requests it again', async (_, seconds, query, address) => {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (input: string) => {
    requests.push(input)
    return Response.json([])
  })
  const start = Date.now()
  const queries = new QueryClient()
  const clock = vi.spyOn(Date, 'now').mockReturnValue(start)
  onTestFinished(() => {
    queries.clear()
    clock.mockRestore()
    vi.unstubAllGlobals()
  })
  const read = async (age: number) => {
    clock.mockReturnValue(start + age)
    await queries.fetchQuery(query as FetchQueryOptions)
    return [...requests]
  }
  expect(await read(0)).toEqual([address])
  expect(await read(seconds * 1000 - 1)).toEqual([address])
  expect(await read(seconds * 1000)).toEqual([address, address])
})
