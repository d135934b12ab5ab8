import { expect, test } from 'vitest'
import { parseInstant, wireTime } from './wire.ts'

test('times are written with +00:00 and without a fraction of zero', () => {
  expect(wireTime(new Date('2024-09-26T09:41:37.000Z'))).toBe('2024-09-26T09:41:37+00:00')
  expect(wireTime(Date.UTC(2024, 8, 26, 9, 41, 37, 120))).toBe('2024-09-26T09:41:37.120+00:00')
})

test.each([
  ['2024-09-26T09:41:37Z', '2024-09-26T09:41:37.000Z'],
  ['2024-09-26T09:41:37.1234567+02:00', '2024-09-26T07:41:37.123Z'],
  ['2024-09-26T09:41:37', '2024-09-26T09:41:37.000Z'],
  ['2024-09-26 09:41', '2024-09-26T09:41:00.000Z'],
  ['2024-09-26T09:41:37-0530', '2024-09-26T15:11:37.000Z'],
  [' 2024-09-26T09:41:37.5Z\n', '2024-09-26T09:41:37.500Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
])('%s is read as %s', (text, expected) => {
  expect(parseInstant(text)?.toISOString()).toBe(expected)
})

test.each([
  ...['', 'now', '2024-02-30T00:00:00Z', '2024-13-01T00:00:00Z', '1726000000', '2024-09-26'],
  // In the years 0 and 10000.
  ...['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'],
])('%j is not an instant', (text) => {
  expect(parseInstant(text)).toBeNull()
})
