/** Progress that the database did not take. Everything else is in starts.db.test.ts. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openInProcessBus } from '../ports/bus/in-process.ts'
import type { CreateWatch } from '../ports/engine/engine.ts'
import { openStarts } from './starts.ts'

const queries = vi.hoisted(() => ({ setProgress: vi.fn(), listPending: vi.fn() }))
vi.mock('./starts.queries.ts', () => queries)

beforeEach(() => {
  vi.useFakeTimers()
  vi.resetAllMocks()
  queries.listPending.mockResolvedValue([])
})
afterEach(() => void vi.useRealTimers())

test('progress that could not be stored is stored by the next look, with its time in the queue, and once', async () => {
  const onError = vi.fn()
  const unsubscribe = vi.fn()
  const row = { id: 'c', gameId: 3, challengeId: 1, participationId: 2, phase: 'queued', percent: null, place: 1 }
  queries.listPending.mockResolvedValue([row])
  const bus = { ...openInProcessBus(onError), subscribe: () => unsubscribe }
  const starts = openStarts({ db: 'db' as never, bus, onError })
  const ended = Promise.withResolvers<void>()
  let watch!: CreateWatch
  void starts.run({ id: 'c', challengeId: 1, participationId: 2, waitsForImages: true }, (given) => {
    watch = given
    return ended.promise
  })
  watch.seen('pulling', 7)
  watch.seen('queued', null)
  await vi.advanceTimersByTimeAsync(400)
  // Reported again, it keeps its place.
  watch.seen('queued', null)
  queries.setProgress.mockRejectedValueOnce(new Error('no connection'))
  await vi.advanceTimersByTimeAsync(600)
  expect(onError.mock.calls).toEqual([[new Error('no connection')]])
  await vi.advanceTimersByTimeAsync(3_000)
  const progress = { phase: 'queued', percent: null }
  expect(queries.setProgress.mock.calls).toEqual([
    ['db', 'c', { ...progress, queuedSince: 1_000 }],
    ['db', 'c', { ...progress, queuedSince: 2_000 }],
  ])
  expect(unsubscribe).not.toHaveBeenCalled()
  watch.seen('creating', null)
  const closed = starts.close()
  expect(watch.signal.aborted).toBe(false)
  // A start that has to wait again is given up.
  watch.seen('queued', null)
  expect(watch.signal.reason).toMatchObject({ code: 'server.unavailable' })
  ended.resolve()
  await closed
  expect([unsubscribe.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
})

test('progress is published for the team of a start; a test container has none', async () => {
  const publish = vi.fn()
  const bus = { ...openInProcessBus(vi.fn()), publish, subscribe: () => () => undefined }
  const starts = openStarts({ db: 'db' as never, bus, onError: vi.fn() })
  const ended = Promise.withResolvers<void>()
  const row = { gameId: 3, challengeId: 1, phase: 'queued', percent: null, place: 1 }
  const rows = [
    { ...row, id: 'test', participationId: null },
    { ...row, id: 'c', participationId: 2 },
  ]
  queries.listPending.mockResolvedValue(rows)
  for (const { id, challengeId, participationId } of rows)
    void starts.run({ id, challengeId, participationId, waitsForImages: false }, () => ended.promise)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(publish.mock.calls).toEqual([['start.changed', { gameId: 3, challengeId: 1, participationId: 2 }]])
  ended.resolve()
  await starts.close()
})
