import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { aContainer } from '../../../test/engine.suite.ts'
import { counts } from '../../metrics/counts.ts'
import { type Engine, EngineError } from './engine.ts'
import { openEngineWatch } from './engine-watch.ts'
import { noEngine } from './none.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const unreachableError = new EngineError('unreachable', 'no socket')
const spec = aContainer({ image: 'echo' })
const turn = () => vi.advanceTimersByTimeAsync(0)

function open(more: Partial<Engine> = {}) {
  const look = vi.fn(async () => undefined as unknown)
  const list = vi.fn(noEngine.list)
  const create = vi.fn(async () => ({ engineId: 'x', host: 'h', port: 1, published: null, namedPorts: [] }))
  const destroy = vi.fn(noEngine.destroy)
  const known = openEngineWatch()
  const inner: Engine = {
    ...noEngine,
    ping: async () => void (await look()),
    list,
    destroy,
    create: async () => {
      known.check()
      return create()
    },
    ...more,
  }
  return { look, list, create, destroy, engine: known.watch(inner) }
}

test('after a call without an answer, starts are refused immediately until a look succeeds; looks are three seconds apart', async () => {
  const { look, list, create, destroy, engine } = open()
  const answer = Promise.withResolvers<void>()
  look.mockReturnValueOnce(answer.promise).mockRejectedValueOnce(new EngineError('unreachable', 'still no socket'))
  list.mockRejectedValueOnce(unreachableError)
  const counted = counts.engineErrors.get('unreachable') ?? 0
  await expect(engine.list()).rejects.toBe(unreachableError)
  expect(counts.engineErrors.get('unreachable')).toBe(counted + 1)
  await expect(engine.create(spec)).rejects.toBe(unreachableError)
  await expect(engine.destroy('x')).rejects.toBe(unreachableError)
  expect(destroy).not.toHaveBeenCalled()
  answer.reject(unreachableError)
  await turn()
  await vi.advanceTimersByTimeAsync(2_999)
  expect(look).toHaveBeenCalledTimes(1)
  await expect(engine.create(spec)).rejects.toBe(unreachableError)
  await vi.advanceTimersByTimeAsync(1)
  expect(look).toHaveBeenCalledTimes(2)
  await expect(engine.create(spec)).rejects.toThrow('still no socket')
  expect(create).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(look).toHaveBeenCalledTimes(3)
  expect((await engine.create(spec)).engineId).toBe('x')
  await engine.destroy('x')
  expect(destroy.mock.calls).toEqual([['x']])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(look).toHaveBeenCalledTimes(3)
})

test('a single call without an answer is forgotten when the look succeeds, and any call that succeeds ends the looks', async () => {
  const { look, list, engine } = open()
  list.mockRejectedValueOnce(unreachableError).mockRejectedValueOnce(unreachableError)
  await expect(engine.list()).rejects.toBe(unreachableError)
  await turn()
  expect((await engine.create(spec)).engineId).toBe('x')
  look.mockRejectedValue(unreachableError)
  await expect(engine.list()).rejects.toBe(unreachableError)
  await turn()
  await expect(engine.create(spec)).rejects.toBe(unreachableError)
  await engine.list()
  expect((await engine.create(spec)).engineId).toBe('x')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(look).toHaveBeenCalledTimes(2)
})

test.each(['inspect', 'logs', 'destroy', 'destroyOne', 'probe'] as const)(
  '%s without an answer refuses starts, too',
  async (act) => {
    const { look, engine } = open({ [act]: () => Promise.reject(unreachableError) })
    look.mockRejectedValue(unreachableError)
    await expect((engine[act] as (...asked: unknown[]) => Promise<unknown>)('x', 'y')).rejects.toBe(unreachableError)
    await expect(engine.create(spec)).rejects.toBe(unreachableError)
    await engine.close()
  },
)

test('another error is no sign that the engine is unreachable', async () => {
  const { look, list, engine } = open()
  list.mockRejectedValueOnce(new EngineError('failed', 'refused'))
  await expect(engine.list()).rejects.toThrow('refused')
  expect((await engine.create(spec)).engineId).toBe('x')
  expect(look).not.toHaveBeenCalled()
})

test('a look that fails in another way counts as an answer', async () => {
  const { look, list, engine } = open()
  look.mockRejectedValueOnce(new EngineError('failed', 'refused'))
  list.mockRejectedValueOnce(unreachableError)
  await expect(engine.list()).rejects.toBe(unreachableError)
  await turn()
  expect((await engine.create(spec)).engineId).toBe('x')
})

test.each(['while it waits', 'during a look'])('an engine that closes %s looks no more', async (when) => {
  const { look, list, engine } = open()
  const answer = Promise.withResolvers<void>()
  look.mockReturnValueOnce(answer.promise)
  list.mockRejectedValue(unreachableError)
  await expect(engine.list()).rejects.toBe(unreachableError)
  if (when === 'while it waits') {
    answer.reject(unreachableError)
    await turn()
  }
  await engine.close()
  answer.reject(unreachableError)
  await expect(engine.list()).rejects.toBe(unreachableError)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(look).toHaveBeenCalledTimes(1)
})
