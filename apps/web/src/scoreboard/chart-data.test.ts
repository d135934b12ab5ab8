import { expect, onTestFinished, test, vi } from 'vitest'
import { columnsOf, timeTicks } from './chart-data.ts'

test('every line has its points at each moment of any line, and none after its end', () => {
  const line = (id: number, points: [number, number][]) => ({ id, name: '', own: false, strong: false, points })
  expect(
    columnsOf([
      line(1, [
        [0, 0],
        [10, 100],
        [40, 100],
      ]),
      line(2, [
        [0, 0],
        [20, 50],
        [30, 50],
      ]),
    ]),
  ).toEqual([
    [0, 10, 20, 30, 40],
    [0, 100, 100, 100, 100],
    [0, 0, 50, 50, null],
  ])
  expect(columnsOf([])).toEqual([[]])
})

test('labels of the axis are at round local times, apart from each other and from the beginning', () => {
  const from = new Date(2026, 10, 20, 9, 10).getTime()
  const hour = 3_600_000
  const ticks = timeTicks(from, from + 48 * hour, 800, 90)
  expect(ticks[0]).toBe(from)
  expect(ticks.slice(1).map((at) => new Date(at).getHours() % 6)).toEqual(ticks.slice(1).map(() => 0))
  for (const [index, at] of ticks.entries())
    if (index > 0) expect(((at - ticks[index - 1]!) / (48 * hour)) * 800).toBeGreaterThan(89)
  expect(timeTicks(from, from + 400 * 24 * hour, 300, 90).length).toBeLessThan(5)
})

test('labels of the axis include its end, and are at round times of a place that is ahead of or behind Greenwich', () => {
  const hour = 3_600_000
  const from = Date.UTC(2026, 10, 20, 9, 10)
  const zone = vi.spyOn(Date.prototype, 'getTimezoneOffset')
  onTestFinished(() => zone.mockRestore())
  for (const [offset, hours] of [
    [-330, [9 + 10 / 60, 18.5, 24.5]],
    [240, [9 + 10 / 60, 16, 22]],
  ] as const) {
    zone.mockReturnValue(offset)
    expect(timeTicks(from, Date.UTC(2026, 10, 21, 0, 30), 300, 90).map((at) => (at - Date.UTC(2026, 10, 20)) / hour)).toEqual(
      hours,
    )
  }
  zone.mockReturnValue(0)
  // A step of exactly the space that a label needs is enough.
  expect(timeTicks(0, 3 * hour, 300, 100).map((at) => at / hour)).toEqual([0, 2, 3])
  expect(timeTicks(0, 400 * 24 * hour, 100, 30).map((at) => at / (24 * hour))).toEqual([0, 240, 360])
})
