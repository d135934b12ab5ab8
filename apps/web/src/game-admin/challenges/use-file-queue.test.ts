import { expect, test } from 'vitest'
import { inLanes } from './use-file-queue.ts'

test('FL-9 every file has its own call, a few at a time', async () => {
  let now = 0
  let most = 0
  const done: number[] = []
  await inLanes([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++now)
    await Promise.resolve()
    done.push(item)
    now--
  })
  expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(most).toBe(3)
})
