// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import { isLostChunk, reloadOnce } from './lost-chunk.ts'

test('ERR-3 a file that is missing after a deployment reloads once, not for ever', () => {
  expect(isLostChunk(new TypeError('Failed to fetch dynamically imported module: /assets/x.js'))).toBe(true)
  expect(isLostChunk(new Error('x is undefined'))).toBe(false)
  const reload = vi.fn()
  expect(reloadOnce(1_000_000, reload)).toBe(true)
  expect(reloadOnce(1_010_000, reload)).toBe(false)
  expect(reloadOnce(1_050_000, reload)).toBe(true)
  expect(reload).toHaveBeenCalledTimes(2)
})
