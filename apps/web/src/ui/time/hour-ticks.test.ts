import { expect, test } from 'vitest'
import { hourTicks } from './hour-ticks.ts'

const at = (text: string) => new Date(`2026-11-${text}`).getTime()
const words = (time: number) => {
  const date = new Date(time)
  return `${date.getDate()} ${date.getHours()}:${String(date.getMinutes()).padStart(2, '0')}`
}

test.each([
  ['a day from 00:45', '25T00:45', '25T23:45', ['25 8:00', '25 12:00', '25 16:00'], 23],
  ['eight hours', '25T09:30', '25T17:30', ['25 12:00', '25 14:00', '25 16:00'], 8],
  ['a weekend', '27T18:00', '29T18:00', ['28 12:00', '29 0:00'], 25],
  ['half an hour', '25T10:10', '25T10:40', [], 0],
])('the scale of %s has its ticks and labels at full hours', (_, from, to, labels, count) => {
  const ticks = hourTicks(at(from), at(to))
  expect(ticks.every((tick) => new Date(tick.at).getMinutes() === 0)).toBe(true)
  expect(ticks.every(({ share }) => share >= 0 && share <= 1)).toBe(true)
  expect(ticks.length).toBe(count)
  const shown = ticks.filter(({ labelled }) => labelled).map((tick) => words(tick.at))
  // Leaves space for the labels at the ends.
  expect(ticks.every(({ labelled, share }) => !labelled || (share > 0.17 && share < 0.83))).toBe(true)
  expect(shown).toEqual(labels)
})

test('HOME-8 a scale of months has few ticks', () => {
  expect(hourTicks(at('01T00:00'), at('01T00:00') + 90 * 86_400_000).length).toBeLessThanOrEqual(49)
})
