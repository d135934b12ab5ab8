import { expect, test } from 'vitest'
import { checkImage } from './image-file.ts'

const limit = 3 * 1024 * 1024

test('P5.10 a picture of 3 MiB is accepted, a larger or an empty one is not', () => {
  expect(checkImage({ type: 'image/png', size: limit })).toBeUndefined()
  expect(checkImage({ type: 'image/png', size: limit + 1 })).toBe('size')
  expect(checkImage({ type: 'image/webp', size: 0 })).toBe('size')
})

test('P5.10 only pictures are accepted', () => {
  expect(checkImage({ type: 'image/svg+xml', size: 10 })).toBe('type')
  expect(checkImage({ type: 'text/html', size: 10 })).toBe('type')
  expect(checkImage({ type: '', size: 10 })).toBe('type')
})
