import { expect, test } from 'vitest'
import { backupName, isAbandonedPart, splitBackups } from './retention.ts'

const hour = 3_600_000
const now = new Date('2026-11-25T12:30:00.123Z')
const before = (hours: number) => backupName(new Date(now.getTime() - hours * hour))

test('a backup is named by its time to the second', () => {
  expect(backupName(now)).toBe('vexil-20261125T123000Z.tar')
})

test('the newest 48 are kept, and of the days before the newest of each, 14 days with today', () => {
  const hourly = Array.from({ length: 24 * 20 }, (_, at) => before(at))
  const { kept, old } = splitBackups([...hourly].reverse(), now)
  expect(kept.slice(0, 48)).toEqual(hourly.slice(0, 48))
  // The newest 48 reach back to the 23rd and include its newest backup.
  const days = Array.from({ length: 11 }, (_, at) => `vexil-202611${22 - at}T233000Z.tar`)
  expect(kept.slice(48)).toEqual(days)
  expect([...kept, ...old].sort()).toEqual([...hourly].sort())
})

test('after a break the newest 48 stay however old they are; files of other names are neither kept nor old', () => {
  const names = [before(24 * 400), before(24 * 500)]
  const others = ['vexil-1.tar', 'vexil-20261125T123000Z.tar.files', 'x-vexil-20261125T123000Z.tar', 'files']
  expect(splitBackups([...others, ...names], now)).toEqual({ kept: names, old: [] })
})

test('the part of a backup is abandoned once the backup began more than a day ago; archives and other names never are', () => {
  const parts = [0, 23.9, 24.1, 9_000].map((hours) => `${before(hours)}.part-aB3_-9`)
  expect(parts.map((name) => isAbandonedPart(name, now))).toEqual([false, false, true, true])
  const others = [before(9_000), `x${before(9_000)}.part-abc123`, 'vexil-1.tar.part-abc123', `${before(9_000)}.files`]
  expect(others.map((name) => isAbandonedPart(name, now))).toEqual([false, false, false, false])
})
