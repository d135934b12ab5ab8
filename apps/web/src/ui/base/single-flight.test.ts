import { expect, test, vi } from 'vitest'
import { singleFlight } from './single-flight.ts'

test('simultaneous requests load once; a failed load is requested again', async () => {
  const load = vi.fn<() => Promise<string>>()
  const code = singleFlight(load)
  load.mockRejectedValueOnce(new Error('unreachable'))
  const [first, second] = [code(), code()]
  await expect(first).rejects.toThrow('unreachable')
  await expect(second).rejects.toThrow('unreachable')
  expect(load).toHaveBeenCalledTimes(1)
  load.mockResolvedValue('here')
  expect(await Promise.all([code(), code()])).toEqual(['here', 'here'])
  expect(await code()).toBe('here')
  expect(load).toHaveBeenCalledTimes(2)
})
