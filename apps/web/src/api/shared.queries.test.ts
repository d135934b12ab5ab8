import type { BasicGame } from '@vexil/contract/games'
import { expect, onTestFinished, test, vi } from 'vitest'
import { allGamesQuery } from './shared.queries.ts'

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
