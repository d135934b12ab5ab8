import { bodyLimits } from '@vexil/core/limits'
import { expect, test } from 'vitest'
import { openScan } from './json-scan.ts'

/** The count after all chunks were read. */
const scan = (...chunks: string[]) => {
  const read = openScan()
  return chunks.map((chunk) => read(Buffer.from(chunk))).at(-1)
}

test('commas, lists and objects are counted across any number of chunks', () => {
  expect(scan('5')).toBe(0)
  expect(scan('[1,2,{"a":[]}]')).toBe(5)
  expect(scan('[1', ',2,', '{"a":[', ']}]')).toBe(5)
})

test('characters inside strings are not counted, also after an escaped quote and across chunks', () => {
  expect(scan('"a,b[c{d}"')).toBe(0)
  expect(scan('"a\\",[{"')).toBe(0)
  expect(scan('"a\\', '",[', '{"')).toBe(0)
  expect(scan('["a\\\\",1]')).toBe(2)
  expect(scan('["', ',,', '",1]')).toBe(2)
})

test('the maximum depth is accepted, one level more is refused, regardless of closed ones', () => {
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  expect(scan(deep(bodyLimits.depth))).toBe(bodyLimits.depth)
  expect(() => scan(deep(bodyLimits.depth + 1))).toThrow('request.malformed')
  expect(() => scan('{"a":'.repeat(bodyLimits.depth + 1))).toThrow('request.malformed')
  expect(scan(deep(40), deep(40))).toBe(80)
  expect(scan('{"a":{}}'.repeat(40))).toBe(80)
})

test('the maximum number of values is accepted, one more is refused', () => {
  const half = ','.repeat(bodyLimits.values / 2)
  expect(scan(half, half)).toBe(bodyLimits.values)
  expect(() => scan(half, half, ',')).toThrow('request.too_large')
})
