import { expect, test } from 'vitest'
import { orderGames } from './game-order.ts'

const hour = 3_600_000
const now = Date.UTC(2026, 10, 22, 12)
const game = (id: number, start: number, end: number) => ({
  id,
  start: new Date(now + start * hour).toISOString(),
  end: new Date(now + end * hour).toISOString(),
})

test('P2.3 HOME-1 games not yet ended come first by their end, then ended games, the latest first', () => {
  const games = [game(1, -100, -50), game(2, 10, 20), game(3, -5, 30), game(4, -40, -10), game(5, -1, 2)]
  expect(orderGames(games, now).map(({ id }) => id)).toEqual([5, 2, 3, 4, 1])
})

test('HOME-1 games that end at the same time are in the order of their ids', () => {
  const games = [game(4, -5, 2), game(3, -1, 2), game(9, -9, -2), game(8, -9, -2)]
  expect(orderGames(games, now).map(({ id }) => id)).toEqual([3, 4, 8, 9])
})

test('HOME-1 a game is still running at its exact end', () => {
  expect(orderGames([game(1, 1, 2), game(2, -5, 0)], now)[0]?.id).toBe(2)
})
