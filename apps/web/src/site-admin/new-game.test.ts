import { expect, test } from 'vitest'
import { newGame, withStart, wrongOf } from './new-game.ts'

const at = Date.UTC(2026, 10, 21, 9, 0, 0, 250)
const hour = 3_600_000

test('AG-2 a new game starts now and lasts two hours', () => {
  const game = newGame(at)
  expect(game.start).toBe(at - 250)
  expect(game.end - game.start).toBe(2 * hour)
})

test('AG-2 a start behind the end moves the end two hours behind it', () => {
  const game = newGame(at)
  expect(withStart(game, game.end + hour).end).toBe(game.end + 3 * hour)
  expect(withStart(game, game.start + hour).end).toBe(game.end)
})

test('AG-2 a missing title and an end before the start are wrong', () => {
  const game = newGame(at)
  expect(wrongOf(game)).toEqual({ title: true, end: false })
  expect(wrongOf({ ...game, title: 'Finals', end: game.start })).toEqual({ title: false, end: true })
})
