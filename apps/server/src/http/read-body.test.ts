import { expect, test } from 'vitest'
import { openBodyBuffer } from './read-body.ts'

test('a body in one chunk takes no more memory than its bytes', () => {
  const bytes = openBodyBuffer()
  bytes.add(Buffer.from('{"flag":"flag{a}"}'))
  expect(bytes.pieces().map(({ buffer }) => buffer.byteLength)).toEqual([18])
})

test('many small chunks go into few buffers, in order', () => {
  const bytes = openBodyBuffer()
  const all = Array.from({ length: 40_000 }, (_, at) => at % 251)
  for (const byte of all) bytes.add(Uint8Array.of(byte))
  expect(bytes.size).toBe(all.length)
  expect(Buffer.concat(bytes.pieces()).equals(Buffer.from(all))).toBe(true)
  expect(bytes.pieces().map(({ buffer }) => buffer.byteLength)).toEqual([1, 4096, 4097, 8194, 16_388, 32_776])
})

test('a chunk longer than the remaining space is split, and buffers after the first are at most 1 MiB', () => {
  const bytes = openBodyBuffer()
  for (let chunk = 0; chunk < 60; chunk++) bytes.add(new Uint8Array(65_536).fill(chunk))
  const sizes = bytes.pieces().map(({ buffer }) => buffer.byteLength)
  expect(Math.max(...sizes)).toBe(1024 * 1024)
  expect(Buffer.concat(bytes.pieces()).length).toBe(60 * 65_536)
})
