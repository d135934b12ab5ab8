/** How the first process manages the others, with a fake `fork` and a fake clock. Real processes are in test/processes.test.ts. */
import { fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { countLimits } from './shared-limits.ts'
import { startWorkerProcesses } from './worker-processes.ts'

vi.mock('node:child_process', () => ({ fork: vi.fn() }))
// These timers are not those of the fake clock.
vi.mock('node:timers/promises', () => ({
  setTimeout: (milliseconds: number, value: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      setTimeout(resolve, milliseconds, value)
      signal.addEventListener('abort', () => reject(signal.reason))
    }),
}))

class Child extends EventEmitter {
  readonly sent: object[] = []
  readonly signals: string[] = []
  send = (message: object) => this.sent.push(message)
  kill(signal: string) {
    this.signals.push(signal)
    if (signal === 'SIGKILL') this.emit('exit', null, 'SIGKILL')
  }
}
let children: Child[] = []
let notes: string[] = []
const limits = countLimits(false)
const semaphore = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}
const later = async (milliseconds: number) => {
  await vi.advanceTimersByTimeAsync(milliseconds)
  await semaphore()
}
const beat = (child: Child | undefined) => child?.emit('message', { beat: true })

function start(processes: number) {
  const begun = { config: { processes }, source: { url: 'postgres://here' } } as never
  return startWorkerProcesses({ start: begun, limits, printLine: (line) => notes.push(line), endWithin: 5000 })
}

beforeEach(() => {
  ;[children, notes] = [[], []]
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  vi.mocked(fork).mockImplementation(() => {
    children.push(new Child())
    return children.at(-1) as never
  })
})
afterEach(() => {
  vi.useRealTimers()
})

test('all processes except the first are started, and each first receives its configuration', () => {
  start(3)
  expect(children.map(({ sent }) => sent)).toEqual(
    Array.from({ length: 2 }, () => [{ start: { config: { processes: 3 }, source: { url: 'postgres://here' } } }]),
  )
  start(1)
  expect(children).toHaveLength(2)
})

test('a process that ends is restarted after pauses that double up to a minute, and reset after five minutes of running', async () => {
  start(2)
  const pauses = [1, 2, 4, 8, 16, 32, 60, 60]
  for (const [i, seconds] of pauses.entries()) {
    children[i]?.emit('exit', 70, null)
    await semaphore()
    expect(notes.at(-1)).toBe(`A worker process exited (code 70). Restarting in ${seconds} s.`)
    await later(seconds * 1000 - 1)
    expect(children).toHaveLength(i + 1)
    await later(1)
    expect(children).toHaveLength(i + 2)
  }
  for (let i = 0; i <= 300; i++) {
    beat(children.at(-1))
    await later(1000)
  }
  children.at(-1)?.emit('exit', null, 'SIGSEGV')
  await semaphore()
  expect(notes.at(-1)).toBe('A worker process exited (SIGSEGV). Restarting in 1 s.')
})

test('a process without a heartbeat for ten seconds is killed and replaced; others stay', async () => {
  start(3)
  const [hung, well] = children
  for (let i = 0; i < 20; i++) {
    beat(well)
    if (i < 5) beat(hung)
    await later(1000)
  }
  expect(hung?.signals).toEqual(['SIGKILL'])
  expect(well?.signals).toEqual([])
  expect(notes).toEqual([
    'A worker process does not respond. Killing it.',
    'A worker process exited (SIGKILL). Restarting in 1 s.',
  ])
  expect(children).toHaveLength(3)
})

test('a request goes to all processes; those that end or do not acknowledge it have no answer, and each keeps its key', async () => {
  const workers = start(4)
  const [well, ending, hung] = children
  const answers = workers.requestAll<string>('metrics')
  await semaphore()
  await new Promise((turn) => setImmediate(turn))
  for (const child of children) expect(child.sent.at(-1)).toEqual({ requests: [[1, 'metrics', []]] })
  well?.emit('message', { answers: [[1, 'figures']], acknowledged: 1 })
  ending?.emit('exit', 1, null)
  await later(2_000)
  await new Promise((turn) => setImmediate(turn))
  expect([...(await answers).values()]).toEqual(['figures', null, null])
  hung?.emit('exit', 1, null)
  await semaphore()
  const again = workers.requestAll<string>('metrics')
  await new Promise((turn) => setImmediate(turn))
  well?.emit('message', { answers: [[2, 'more']], acknowledged: 2 })
  // The replacement of the ended one does not answer yet.
  await later(2_000)
  await new Promise((turn) => setImmediate(turn))
  expect([...(await again).values()]).toEqual(['more', null])
  expect([...(await again).keys()][0]).toBe([...(await answers).keys()][0])
  // When all of them end, the call returns without a delay.
  const last = vi.fn((given: ReadonlyMap<object, unknown>) => [...given.values()])
  void workers.requestAll('metrics').then(last)
  await new Promise((turn) => setImmediate(turn))
  for (const child of children) child.emit('exit', 1, null)
  await new Promise((turn) => setImmediate(turn))
  expect(last.mock.results).toMatchObject([{ value: [null, null, null] }])
})

test('resources held by an ended process are released, and it is no longer watched or asked to end', async () => {
  const workers = start(2)
  const [child] = children
  const caller = { actor: { id: 'anna' }, key: 'anna' }
  const requests = Array.from({ length: 8 }, (_, id) => [id + 1, 'takeSlot', [id, caller]])
  child?.emit('message', { requests })
  expect(limits.slots.take(caller as never)).toBeNull()
  child?.emit('exit', 1, null)
  await semaphore()
  expect(limits.slots.take(caller as never)).not.toBeNull()
  await later(1000)
  beat(children[1])
  await later(9000)
  expect(child?.signals).toEqual([])
  void workers.end(false)
  expect([child?.sent, children[1]?.sent].map((sent) => sent?.at(-1))).toEqual([
    expect.not.objectContaining({ end: 'drained' }),
    { end: 'drained' },
  ])
})

test('a process that cannot be started is killed and started again, also one without a channel', async () => {
  vi.mocked(fork).mockImplementationOnce(() => {
    children.push(Object.assign(new Child(), { send: undefined as never }))
    return children[0] as never
  })
  start(2)
  children[0]?.emit('error', new Error('no memory'))
  await semaphore()
  expect(children[0]?.signals).toEqual(['SIGKILL'])
  expect(notes).toEqual(['A worker process exited (Error: no memory). Restarting in 1 s.'])
})

test('at the end each is asked to end; one that does not is killed in time, and none is restarted', async () => {
  const further = start(3)
  const [good, slow] = children
  const over = vi.fn()
  void further.end(false).then(over)
  expect([good?.sent.at(-1), slow?.sent.at(-1)]).toEqual([{ end: 'drained' }, { end: 'drained' }])
  good?.emit('exit', 0, null)
  beat(slow)
  await later(4999)
  expect([slow?.signals, over.mock.calls.length]).toEqual([[], 0])
  await later(1)
  expect(slow?.signals).toEqual(['SIGKILL'])
  await semaphore()
  expect(over).toHaveBeenCalledOnce()
  await later(120_000)
  expect([children.length, notes]).toEqual([2, []])
})

test('during a pause the end waits for no start', async () => {
  const further = start(2)
  children[0]?.emit('exit', 1, null)
  await semaphore()
  await further.end(true)
  await later(120_000)
  expect(children).toHaveLength(1)
})
