import { expect, test } from 'vitest'
import { signalLetters } from './signal-flag.tsx'

test('a name flies its first Latin letters, without accents', () => {
  expect(signalLetters('Tidewatch 潮見坂', 7)).toBe('T')
  expect(signalLetters('éclair', 7)).toBe('E')
  expect(signalLetters('Tideline Finals', 1, 4)).toBe('TIDE')
  expect(signalLetters('新生杯 Semaphore Cup', 3, 2)).toBe('SE')
})

test('a name without Latin letters gets one by its id, always the same', () => {
  const letter = signalLetters('潮見坂', 12)
  expect(letter).toMatch(/^[A-Z]$/)
  expect(signalLetters('другие', 12)).toBe(letter)
  expect(signalLetters('', 'guid-1', 4)).toMatch(/^[A-Z]{4}$/)
})
