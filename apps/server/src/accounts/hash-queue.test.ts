import { expect, test } from 'vitest'
import { openHashQueue } from './hash-queue.ts'

/** A queue whose jobs end on demand, and the order in which they began. */
function aQueue(atOnce: number, waitingMost: number) {
  let at = 0
  const queue = openHashQueue(atOnce, waitingMost, () => at)
  const begun: string[] = []
  const refused: string[] = []
  const ends: (() => void)[] = []
  const ask = (caller: string, name = caller) =>
    queue
      .run(caller, () => {
        begun.push(name)
        return new Promise<void>((end) => ends.push(end))
      })
      .catch((error) => {
        expect(error).toMatchObject({ code: 'server.unavailable', data: { retryAfter: 1 } })
        refused.push(name)
      })
  const endOne = async () => {
    ends.shift()?.()
    for (let i = 0; i < 5; i++) await Promise.resolve()
  }
  const endAll = async () => {
    while (ends.length > 0) await endOne()
  }
  const pass = (ms: number) => {
    at += ms
  }
  return { queue, ask, begun, refused, endOne, endAll, pass }
}

test('a limited number runs at once, and callers with equal demand run in order of arrival', async () => {
  const { ask, begun, endOne, endAll } = aQueue(2, 10)
  for (const key of ['a', 'b', 'c', 'd', 'e']) void ask(key)
  expect(begun).toEqual(['a', 'b'])
  await endOne()
  expect(begun).toEqual(['a', 'b', 'c'])
  await endAll()
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('a caller with many requests waits for callers with few', async () => {
  const { ask, begun, endAll } = aQueue(1, 10)
  for (const name of ['a1', 'a2', 'a3']) void ask('a', name)
  void ask('b')
  await endAll()
  expect(begun).toEqual(['a1', 'b', 'a2', 'a3'])
})

test('a wrong guess counts more than a request, and expires with time', async () => {
  const first = aQueue(1, 10)
  void first.ask('busy')
  first.queue.failed('wrong', 4)
  for (const name of ['x1', 'x2', 'x3']) void first.ask('x', name)
  void first.ask('wrong')
  void first.ask('x', 'x4')
  await first.endAll()
  expect(first.begun).toEqual(['busy', 'x1', 'x2', 'x3', 'x4', 'wrong'])

  const later = aQueue(1, 10)
  void later.ask('busy')
  later.queue.failed('wrong', 4)
  later.pass(10 * 60_000)
  void later.ask('x', 'x1')
  void later.ask('x', 'x2')
  void later.ask('wrong')
  await later.endAll()
  expect(later.begun).toEqual(['busy', 'wrong', 'x1', 'x2'])
})

test('when the queue is full the caller with the most demand is refused, whether waiting or new', async () => {
  const { ask, begun, refused, endAll, queue } = aQueue(1, 3)
  void ask('busy')
  for (const name of ['a1', 'a2', 'a3']) void ask('a', name)
  expect(queue.length).toBe(3)
  void ask('a', 'a4')
  await Promise.resolve()
  await ask('a', 'a5')
  expect(refused).toEqual(['a4', 'a5'])
  void ask('owner')
  await new Promise((done) => setImmediate(done))
  expect(refused).toEqual(['a4', 'a5', 'a3'])
  await endAll()
  expect(begun).toEqual(['busy', 'owner', 'a1', 'a2'])
})

test('a failed task releases its slot', async () => {
  const queue = openHashQueue(1, 3)
  const first = queue.run('a', async () => {
    throw new Error('first')
  })
  const second = queue.run('b', async () => 'second')
  await expect(first).rejects.toThrow('first')
  expect(await second).toBe('second')
  expect(await queue.run('c', async () => 'third')).toBe('third')
})

test('demand halves after half a minute', async () => {
  for (const [others, order] of [
    [
      ['x1', 'x2'],
      ['busy', 'x1', 'x2', 'wrong'],
    ],
    [
      ['x1', 'x2', 'x3', 'x4'],
      ['busy', 'wrong', 'x1', 'x2', 'x3', 'x4'],
    ],
  ] as const) {
    const { ask, begun, endAll, pass, queue } = aQueue(1, 10)
    void ask('busy')
    queue.failed('wrong', 4)
    pass(30_000)
    // It counts two of the four, and its own request.
    for (const name of others) void ask('x', name)
    void ask('wrong')
    await endAll()
    expect(begun).toEqual(order)
  }
})

test('the demand of 50,000 callers is kept; beyond that, the least recent one is forgotten', async () => {
  const { ask, begun, endAll, queue } = aQueue(1, 10)
  for (const caller of ['first', 'second']) queue.failed(caller, 100)
  for (let i = 0; i < 49_997; i++) queue.failed(`caller ${i}`, 1)
  queue.failed('x', 10)
  // It fails again, so `second` is now the least recent caller.
  queue.failed('first', 1)
  queue.failed('one more', 1)
  for (const caller of ['busy', 'first', 'x', 'second']) void ask(caller)
  await endAll()
  expect(begun).toEqual(['busy', 'second', 'x', 'first'])
})
