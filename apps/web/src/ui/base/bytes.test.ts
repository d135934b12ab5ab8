import { expect, test } from 'vitest'
import { formatBytes } from './bytes.ts'

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1.5 * 1024 ** 3, '1.5 GiB'],
  [5 * 1024 ** 4, '5120.0 GiB'],
])('%i bytes are %s', (bytes, words) => expect(formatBytes(bytes)).toBe(words))
