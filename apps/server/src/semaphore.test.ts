import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openSemaphore } from './semaphore.ts'

test('a limited number runs at once, in order of arrival', async () => {
  const semaphore = openSemaphore(2, 10)
  let running = 0
  let most = 0
  const order: number[] = []
  const work = (n: number) => async () => {
    most = Math.max(most, ++running)
    await sleep(2)
    order.push(n)
    running--
    return n
  }
  expect(await Promise.all([1, 2, 3, 4, 5].map((n) => semaphore(work(n))))).toEqual([1, 2, 3, 4, 5])
  expect([most, order]).toEqual([2, [1, 2, 3, 4, 5]])
})

test('a caller is asked to retry when the queue is full; a failure releases its slot', async () => {
  const semaphore = openSemaphore(1, 1)
  const first = semaphore(async () => {
    await sleep(2)
    throw new Error('first')
  })
  const second = semaphore(async () => 'second')
  await expect(semaphore(async () => 'third')).rejects.toMatchObject({ code: 'server.unavailable', data: { retryAfter: 1 } })
  await expect(first).rejects.toThrow('first')
  expect(await second).toBe('second')
  expect(await semaphore(async () => 'later')).toBe('later')
})

test('one that gives up gets no turn and frees its place; the others keep their order', async () => {
  const semaphore = openSemaphore(1, 2)
  let finish = () => {}
  const order: string[] = []
  const first = semaphore(() => new Promise<void>((resolve) => (finish = resolve)))
  const leaving = new AbortController()
  const work = (name: string) => async () => void order.push(name)
  const second = semaphore(work('second'), leaving.signal)
  const third = semaphore(work('third'))
  leaving.abort(new Error('enough'))
  await expect(second).rejects.toThrow('enough')
  await expect(semaphore(work('late'), leaving.signal)).rejects.toThrow('enough')
  const fourth = semaphore(work('fourth'), new AbortController().signal)
  finish()
  await Promise.all([first, third, fourth])
  expect(order).toEqual(['third', 'fourth'])
  // Its slot is free, and a signal that comes later changes nothing.
  expect(await semaphore(async () => 'after')).toBe('after')
})
