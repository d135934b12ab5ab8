import { expect, test } from 'vitest'
import { borderOf, signalLetters } from './signal-flag.tsx'

test('a name is shown by its first Latin letters, without accents', () => {
  expect(signalLetters('Tidewatch 潮見坂', 7)).toBe('T')
  expect(signalLetters('éclair', 7)).toBe('E')
  expect(signalLetters('Tideline Finals', 1, 4)).toBe('TIDE')
  expect(signalLetters('新生杯 Semaphore Cup', 3, 2)).toBe('SE')
})

test('a name without Latin letters gets a letter by its id, always the same', () => {
  const letter = signalLetters('潮見坂', 12)
  expect(letter).toMatch(/^[A-Z]$/)
  expect(signalLetters('другие', 12)).toBe(letter)
  expect(signalLetters('', 'guid-1', 4)).toMatch(/^[A-Z]{4}$/)
})

test('SB-21 teams with the same initial differ in their border, always the same for an id', () => {
  const seen = Array.from({ length: 40 }, (_, id) => borderOf(id + 1))
  expect(new Set(seen.map(({ colour }) => colour)).size).toBe(10)
  expect(new Set(seen.map(({ colour, corner }) => `${colour} ${corner}`)).size).toBe(40)
  expect(borderOf(7)).toEqual(borderOf('7'))
  expect(borderOf(7)).not.toEqual(borderOf(8))
})
