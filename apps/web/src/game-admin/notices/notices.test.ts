import type { GameNotice } from '@vexil/contract/games'
import { expect, test } from 'vitest'
import { joinNotices, keepNotices } from './notices.ts'

const notice = (id: number, type: GameNotice['type'], minute: number): GameNotice => ({
  id,
  type,
  time: `2026-11-21T09:${String(minute).padStart(2, '0')}:00+00:00`,
  values: [],
})

test('GN-3 automatic notices are listed with the own ones, newest first, without duplicates', () => {
  const own = [notice(1, 'Normal', 5)]
  const all = [notice(1, 'Normal', 5), notice(2, 'FirstBlood', 7), notice(3, 'NewHint', 1)]
  expect(joinNotices(own, all).map(({ id }) => id)).toEqual([2, 1, 3])
})

test('GN-3 the filter separates challenges, events and the game', () => {
  const all = [notice(1, 'Normal', 5), notice(2, 'ThirdBlood', 7), notice(3, 'NewHint', 1), notice(4, 'NewChallenge', 0)]
  expect(keepNotices(all, 'all')).toHaveLength(4)
  expect(keepNotices(all, 'game').map(({ id }) => id)).toEqual([1])
  expect(keepNotices(all, 'events').map(({ id }) => id)).toEqual([2])
  expect(keepNotices(all, 'challenge').map(({ id }) => id)).toEqual([3, 4])
})
