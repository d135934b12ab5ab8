import { afterEach, expect, test, vi } from 'vitest'
import { paced } from './paced.ts'

afterEach(() => void vi.useRealTimers())

test('a stream rests as long as it has worked, in slices, and passes all bytes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const work = [0.3, 0.6, 0.1, 25, 0.9, 4]
  async function* source() {
    for (const [at, ms] of work.entries()) {
      vi.advanceTimersByTime(ms)
      yield Buffer.from([at])
    }
  }
  const rests: number[] = []
  const rest = async (ms: number) => void rests.push(ms)
  const passed: number[] = []
  for await (const chunk of paced(source(), rest)) passed.push(...chunk)
  expect(passed).toEqual([0, 1, 2, 3, 4, 5])
  expect(rests.map((ms) => Math.round(ms * 10) / 10)).toEqual([1, 25, 4.9])
})
