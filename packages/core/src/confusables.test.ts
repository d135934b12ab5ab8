import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { skeletonOf } from './confusables.ts'

test('P7.14 the characters that look like others are those of UTS 39, version 15.0', () => {
  // The blocks of the table, without characters that are replaced before they are compared.
  const characters = Array.from({ length: 0x20000 }, (_, point) => String.fromCodePoint(point))
  const found = characters.filter((one) => one.normalize('NFKC').normalize('NFD') === one && skeletonOf(one) !== one)
  const table = found.map((one) => `${one} ${skeletonOf(one)}`).join('\n')
  expect([found.length, createHash('sha256').update(table).digest('hex')]).toEqual([
    1248,
    '8a5beaaddf2119e997fb860600dd0fb653dcf0f95a524af364631a8e1d8f59c3',
  ])
  expect(table).not.toMatch(/\p{M}/u)
})

test('P7.14 texts are compared in their simplest form', () => {
  expect(skeletonOf('\ufb01')).toBe(skeletonOf('fi'))
  // A Greek omicron with an accent, as one character.
  expect(skeletonOf('\u03cc')).toBe(skeletonOf('o\u0301'))
})
