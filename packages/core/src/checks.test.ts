import { expect, test } from 'vitest'
import { hasFlag, keptOutput, marksChallenge } from './checks.ts'

test('the output has a flag when it contains one, anywhere', () => {
  expect(hasFlag('got flag{a} at last', ['flag{b}', 'flag{a}'])).toBe(true)
  expect(hasFlag('flag{A}', ['flag{a}'])).toBe(false)
  expect(hasFlag('flag{a}', [])).toBe(false)
})

test('flags are hidden in what is kept, also one that begins another', () => {
  expect(keptOutput('flag{a} flag{a} flag{a}b x', ['flag{a}', 'flag{a}b'])).toBe('*** *** *** x')
})

test('control characters and those that turn the direction have visible signs; tabs and lines stay', () => {
  expect(keptOutput('a\tb\r\nc\u001b[31md\u0007\u007f\u0000', [])).toBe('a\tb\nc␛[31md␇␡␀')
  expect(keptOutput('a\u202eb\u009bc\u200bd\ud800', [])).toBe('a�b�c�d�')
  expect(keptOutput('船 😀', [])).toBe('船 😀')
})

test('the last 16 KiB are kept, never half of a character', () => {
  const kept = keptOutput(`begin ${'x'.repeat(16_384)}`, [])
  expect([kept.length, kept.startsWith('x')]).toEqual([16_384, true])
  expect(keptOutput(`😀${'x'.repeat(16_383)}`, [])).toBe('x'.repeat(16_383))
  // Hidden before it is cut: no end of a flag is kept.
  expect(keptOutput(`flag{secret}${'x'.repeat(16_380)}`, ['flag{secret}'])).toBe(`***${'x'.repeat(16_380)}`)
})

test('two failures mark a challenge', () => {
  expect([0, 1, 2, 3].map(marksChallenge)).toEqual([false, false, true, true])
})
