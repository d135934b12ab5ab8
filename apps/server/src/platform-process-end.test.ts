/** How signals and faults end a process. Only what the tests close is opened; the clock is fake. */
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const nothing = vi.hoisted(() => () => ({}))
vi.mock('./app.ts', nothing)
vi.mock('./db/database.ts', nothing)
vi.mock('./db/embedded.ts', nothing)
vi.mock('./db/migrate.ts', nothing)
vi.mock('./worker-processes.ts', nothing)
vi.mock('./shared-limits.ts', nothing)
const beat = vi.hoisted(() => vi.fn())
vi.mock('./heartbeat.mjs', () => ({ beat, beats: {} }))
const shell = vi.hoisted(() => ({ on: vi.fn(), stdin: { on: vi.fn(), write: vi.fn() }, unref: vi.fn() }))
vi.mock('node:child_process', () => ({ spawn: () => shell }))

let listeners: Map<string | symbol, (given?: unknown) => void>
let exit: ReturnType<typeof vi.fn>
let logged: ReturnType<typeof vi.fn>
/** The listeners of the standard output and of the standard error. */
let outputs: ReturnType<typeof vi.fn>[]
/** Lets the only closer finish. */
let finish: () => void

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  vi.advanceTimersByTime(1000)
  listeners = new Map()
  exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never) as never
  logged = vi.spyOn(console, 'error').mockImplementation(() => undefined) as never
  for (const add of ['on', 'once'] as const)
    vi.spyOn(process, add).mockImplementation(((name: string, act: () => void) => {
      listeners.set(name, act)
      return process
    }) as never)
  // The runner's own channel and streams stay as they are.
  if (process.channel) vi.spyOn(process.channel, 'unref').mockImplementation(() => undefined)
  outputs = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'on').mockReturnThis() as never)
  vi.resetModules()
  const { onShutdown, serve } = await import('./platform-process.ts')
  const closed = Promise.withResolvers<void>()
  finish = closed.resolve
  onShutdown(() => closed.promise)
  await serve(async () => undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})
const send = (name: string, given?: unknown) => listeners.get(name)?.(given)
const exits = () => exit.mock.calls.map(([code]) => code)
const settled = async () => {
  for (let i = 0; i < 3; i++) await turn()
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'disconnect'])('%s ends it with 0 when everything is closed', async (signal) => {
  send(signal)
  vi.advanceTimersByTime(60_000)
  await settled()
  expect(exits()).toEqual([])
  finish()
  await settled()
  expect(exits()).toEqual([0])
})

test('heartbeats are sent to the parent process while there is a channel to it, and a process without a parent sends none', async () => {
  const { serve } = await import('./platform-process.ts')
  const sendMessage = vi.fn()
  const parent = Object.create(process, {
    connected: { value: true, writable: true },
    channel: { value: undefined },
    send: { value: sendMessage },
  })
  vi.stubGlobal('process', parent)
  try {
    beat.mockClear()
    await serve(async () => undefined)
    const [[sendOne]] = beat.mock.calls as [[() => void]]
    sendOne()
    expect(sendMessage.mock.calls.map(([message]) => message)).toEqual([{ beat: true }])
    parent.connected = false
    sendOne()
    expect(sendMessage).toHaveBeenCalledOnce()
    await serve(async () => undefined)
    expect(beat).toHaveBeenCalledOnce()
  } finally {
    vi.unstubAllGlobals()
  }
})

test('a second signal ends it at once, unless it repeats the first one, sent by a terminal and by npm', () => {
  send('SIGINT')
  vi.advanceTimersByTime(300)
  send('SIGTERM')
  expect(exits()).toEqual([])
  vi.advanceTimersByTime(1)
  send('SIGHUP')
  expect(exits()).toEqual([1])
})

test.each(['uncaughtException', 'unhandledRejection'])('a fault (%s) ends it with 70 when everything is closed', async (kind) => {
  send(kind, new Error('planted'))
  expect(logged.mock.calls).toEqual([[expect.stringContaining('Unexpected error'), new Error('planted')]])
  await settled()
  expect(exits()).toEqual([])
  finish()
  await settled()
  expect(exits()).toEqual([70])
})

test('it ends 45 seconds after a fault, whatever is still running, and a further fault does not change that', () => {
  send('uncaughtException', new Error('first'))
  vi.advanceTimersByTime(30_000)
  send('unhandledRejection', new Error('second'))
  expect(logged).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(14_999)
  expect(exits()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(exits()).toEqual([70])
  vi.advanceTimersByTime(60_000)
  expect(exits()).toEqual([70])
})

test('a reader of its output that ends is no fault', () => {
  for (const listened of outputs) expect(listened.mock.calls).toEqual([['error', expect.any(Function)]])
})

test('systemd is notified five times in its period, by a shell that keeps the process no longer alive', async () => {
  const { notifySystemd } = await import('./platform-process.ts')
  beat.mockClear()
  notifySystemd({ NOTIFY_SOCKET: '/run/systemd/notify' })
  notifySystemd({ WATCHDOG_USEC: '1000000' })
  expect(beat).not.toHaveBeenCalled()
  notifySystemd({ NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '1000000' })
  expect(beat).toHaveBeenCalledExactlyOnceWith(expect.any(Function), { every: 200 })
  beat.mock.calls[0]?.[0]()
  expect([shell.stdin.write.mock.calls, shell.unref.mock.calls.length]).toEqual([[['WATCHDOG=1\n']], 1])
})
