import { expect, test } from 'vitest'
import { hourTicks } from './hour-ticks.ts'

const at = (text: string) => new Date(`2026-11-${text}`).getTime()
const words = (time: number) => {
  const date = new Date(time)
  return `${date.getDate()} ${date.getHours()}:${String(date.getMinutes()).padStart(2, '0')}`
}

test.each([
  ['a day from 00:45', '25T00:45', '25T23:45', ['25 4:00', '25 8:00', '25 12:00', '25 16:00', '25 20:00'], 3],
  ['eight hours', '25T09:30', '25T17:30', ['25 12:00', '25 14:00', '25 16:00'], 2],
  ['a weekend', '27T18:00', '29T18:00', ['28 0:00', '28 12:00', '29 0:00', '29 12:00'], 12],
  ['half an hour', '25T10:10', '25T10:40', [], 1],
])('the scale of %s has its ticks and labels at full hours', (_, from, to, labels) => {
  const ticks = hourTicks(at(from), at(to))
  expect(ticks.every((tick) => new Date(tick.at).getMinutes() === 0)).toBe(true)
  expect(ticks.every(({ share }) => share >= 0 && share <= 1)).toBe(true)
  expect(ticks.length).toBeLessThanOrEqual(49)
  const shown = ticks.filter(({ labelled }) => labelled).map((tick) => words(tick.at))
  // Leaves space for the labels at the ends.
  expect(ticks.every(({ labelled, share }) => !labelled || (share > 0.17 && share < 0.83))).toBe(true)
  expect(shown.length).toBeLessThanOrEqual(5)
  expect(shown.every((one) => one.endsWith(':00'))).toBe(true)
  if (labels.length === 0) expect(shown).toEqual([])
  else expect(shown.length).toBeGreaterThan(1)
})

test('HOME-8 a scale of months has few ticks', () => {
  expect(hourTicks(at('01T00:00'), at('01T00:00') + 90 * 86_400_000).length).toBeLessThanOrEqual(49)
})
