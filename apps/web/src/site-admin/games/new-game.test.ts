import { expect, test } from 'vitest'
import { newGame, withStart, wrongOf } from './new-game.ts'

const at = Date.UTC(2026, 10, 21, 9, 0, 0, 250)
const hour = 3_600_000

test('NEW-1 AG-2 a new game starts at the next full hour of tomorrow and lasts two hours', () => {
  const local = (...parts: [number, number, number, number, number?]) => new Date(...parts).getTime()
  expect(newGame(local(2026, 10, 21, 9, 40)).start).toBe(local(2026, 10, 22, 10))
  expect(newGame(local(2026, 10, 21, 9, 0)).start).toBe(local(2026, 10, 22, 10))
  expect(newGame(local(2026, 11, 31, 23, 59)).start).toBe(local(2027, 0, 2, 0))
  const { start, end } = newGame(at)
  expect(end - start).toBe(2 * hour)
})

test('AG-2 a start after the end moves the end to two hours later', () => {
  const game = newGame(at)
  expect(withStart(game, game.end + hour).end).toBe(game.end + 3 * hour)
  expect(withStart(game, game.start + hour).end).toBe(game.end)
})

test('P5.13 AG-2 a missing title and an end before the start are invalid', () => {
  const game = newGame(at)
  expect(wrongOf(game)).toEqual({ title: true, end: false })
  expect(wrongOf({ ...game, title: 'Finals', end: game.start })).toEqual({ title: false, end: true })
  expect(wrongOf({ ...game, title: 'Finals', start: Number.NaN }).end).toBe(true)
})
