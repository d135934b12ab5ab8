import type { ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { nameOf } from '@vexil/contract/interface'
import { addUsers } from '@vexil/contract/users'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { openLargeBodies } from './large-bodies.ts'

const fork = vi.hoisted(() => vi.fn())
vi.mock('node:child_process', async (original) => {
  const real = await original<typeof import('node:child_process')>()
  return { ...real, fork: fork.mockImplementation(real.fork) }
})

const large = openLargeBodies()
afterAll(() => large.close())
const pieces = (body: string) => [new TextEncoder().encode(body)]

test('bodies are validated one after another, and each gets its result', async () => {
  const warnings: Error[] = []
  const warn = (warning: Error) => warnings.push(warning)
  process.on('warning', warn)
  for (let number = 0; number < 12; number++) {
    const users = [{ userName: `player${number}`, email: `p${number}@example.org`, password: 'Correct-Horse-9' }]
    expect(await large.validate(nameOf(addUsers), pieces(JSON.stringify(users)))).toEqual(users)
  }
  process.off('warning', warn)
  // Listeners left by earlier bodies would exceed the limit of Node.
  expect(warnings).toEqual([])
})

test('four bodies wait for the one that is validated, and the next is refused for now', async () => {
  const sent = Array.from({ length: 6 }, () => large.validate(nameOf(addUsers), pieces('[]')))
  const results = await Promise.allSettled(sent)
  const unavailable = { status: 'rejected', reason: { code: 'server.unavailable', data: { retryAfter: 1 } } }
  expect(results).toMatchObject([...Array(5).fill({ status: 'fulfilled', value: [] }), unavailable])
})

test('a body that takes more than 30 s is refused as too large, and another process validates the next one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const late = large.validate(nameOf(addUsers), pieces('[]'))
    const refused = expect(late).rejects.toMatchObject({ code: 'request.too_large' })
    await new Promise((turn) => setImmediate(turn))
    vi.advanceTimersByTime(30_000)
    await refused
    const before = fork.mock.calls.length
    expect(await large.validate(nameOf(addUsers), pieces('[]'))).toEqual([])
    expect(fork.mock.calls.length).toBe(before + 1)
    // The only timer left is the one that ends an unused process.
    expect(vi.getTimerCount()).toBe(1)
  } finally {
    vi.useRealTimers()
  }
})

test('an error in the validating process is returned, and the next body is validated', async () => {
  await expect(large.validate('no such call', pieces('[]'))).rejects.toThrow()
  expect(await large.validate(nameOf(addUsers), pieces('[]'))).toEqual([])
})

test('a process that cannot be started for lack of file descriptors fails only its body', async () => {
  large.close()
  fork.mockImplementationOnce(() => {
    const child = Object.assign(new EventEmitter(), { kill: () => false })
    const error = Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' })
    process.nextTick(() => child.emit('error', error))
    setImmediate(() => child.emit('error', error))
    return child
  })
  await expect(large.validate(nameOf(addUsers), pieces('[]'))).rejects.toMatchObject({ code: 'EMFILE' })
  expect(await large.validate(nameOf(addUsers), pieces('[]'))).toEqual([])
})

test('the validating process is used again within two seconds, and is replaced after them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const processes = async (after: number) => {
      vi.advanceTimersByTime(after)
      await large.validate(nameOf(addUsers), pieces('[]'))
      return fork.mock.calls.length
    }
    const first = await processes(0)
    expect([await processes(1_999), await processes(1_999), await processes(2_000)]).toEqual([first, first, first + 1])
  } finally {
    vi.useRealTimers()
  }
})

test('the validating process is replaced when it was killed while it was unused', async () => {
  const other = openLargeBodies()
  onTestFinished(other.close)
  await other.validate(nameOf(addUsers), pieces('[]'))
  const made = fork.mock.results[0]?.value as ChildProcess
  const ended = once(made, 'exit')
  made.kill('SIGKILL')
  await ended
  expect(await other.validate(nameOf(addUsers), pieces('[]'))).toEqual([])
})
