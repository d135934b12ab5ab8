/** What this process and its worker processes wait for after a signal. */
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { freePort } from '../../../e2e/platform.ts'
import { readConfig } from './config.ts'

const app = vi.hoisted(() => ({
  drain: vi.fn(async () => undefined),
  close: vi.fn(async () => undefined),
  deps: {},
  metrics: null,
}))
const endWorkers = vi.hoisted(() => vi.fn(async () => undefined))
const requestAll = vi.hoisted(() => vi.fn())
const startWorkers = vi.hoisted(() => vi.fn((_options: { endWithin: number }) => ({ end: endWorkers, requestAll })))
const startApp = vi.hoisted(() => vi.fn(async () => app))
const migrate = vi.hoisted(() => vi.fn(async () => undefined))
const closeMetrics = vi.hoisted(() => vi.fn(async () => undefined))
const openMetricsPort = vi.hoisted(() =>
  vi.fn(async (_place: object, _collect: () => Promise<unknown>) => ({ close: closeMetrics })),
)
/** The time limits of the shutdown: they end only where a test says so. */
const sleep = vi.hoisted(() => vi.fn((_milliseconds: number) => new Promise<void>(() => undefined)))
vi.mock('node:timers/promises', async (original) => ({ ...(await original<object>()), setTimeout: sleep }))
vi.mock('./app.ts', () => ({ startApp }))
vi.mock('./metrics/metrics-port.ts', () => ({ openMetricsPort }))
vi.mock('./metrics/node-metrics.ts', () => ({
  databaseDown: 'no database',
  readNodeMetrics: async () => Promise.reject(new Error('unreachable')),
}))
const claimDataFolder = vi.hoisted(() => vi.fn())
vi.mock('./data-folder.ts', () => ({ claimDataFolder }))
const closeDatabase = vi.hoisted(() => vi.fn(async () => undefined))
vi.mock('./db/database.ts', () => ({ openDatabase: async () => ({ close: closeDatabase }) }))
vi.mock('./db/embedded.ts', () => ({}))
const untilMigrated = vi.hoisted(() =>
  vi.fn(async (_db: unknown, _waiting: (pending: string[]) => void, _isOver: () => boolean) => undefined),
)
vi.mock('./db/migrate.ts', () => ({ migrate, untilMigrated }))
vi.mock('./worker-processes.ts', () => ({ startWorkerProcesses: startWorkers }))
vi.mock('./shared-limits.ts', () => ({ countLimits: () => undefined, remoteLimits: () => undefined }))
vi.mock('./heartbeat.mjs', () => ({ beat: () => undefined, beats: {} }))

/** Of signals and other ends of the process. */
const listeners = new Map<string, (given?: string | object) => void>()
afterEach(() => {
  vi.restoreAllMocks()
  vi.clearAllMocks()
})

function watchProcess() {
  vi.resetModules()
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never)
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  listeners.clear()
  for (const add of ['on', 'once'] as const)
    vi.spyOn(process, add).mockImplementation(((name: string, act: () => void) => {
      listeners.set(name, act)
      return process
    }) as never)
  if (process.channel) vi.spyOn(process.channel, 'unref').mockImplementation(() => undefined)
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'on').mockReturnThis()
  return { exit, error }
}

/** Starts the process; returns what was printed as an error, and how the process was ended. */
async function start(more: Record<string, string> = {}) {
  const { exit, error } = watchProcess()
  const { openPlatform, serve } = await import('./platform-process.ts')
  const port = String(await freePort())
  const env = { HOST: '127.0.0.1', PORT: port, DATABASE_URL: 'postgres://nowhere/x', VEXIL_METRICS: '127.0.0.1:9464', ...more }
  await serve(async () => void (await openPlatform(readConfig(env))))
  return { port, exit, error }
}

async function endedBy(signal: string) {
  const { exit } = await start()
  expect(claimDataFolder).toHaveBeenCalledBefore(migrate)
  expect(migrate).toHaveBeenCalledOnce()
  expect(closeMetrics).not.toHaveBeenCalled()
  listeners.get(signal)?.(signal)
  // The first reason decides.
  for (const later of ['SIGINT', 'SIGTERM', 'disconnect']) listeners.get(later)?.(later)
  while (exit.mock.calls.length === 0) await turn()
  const hurries = [app.drain.mock.calls.flat(), endWorkers.mock.calls.flat()]
  expect(closeMetrics).toHaveBeenCalledOnce()
  // In the reverse order of the start.
  const ends = [closeMetrics, app.drain, app.close, closeDatabase].map(({ mock }) => mock.invocationCallOrder[0] ?? 0)
  expect(ends).toEqual(ends.toSorted((a, b) => a - b))
  return hurries
}

test.each(['SIGTERM', 'SIGHUP'])('%s drains this process and its worker processes', async (signal) => {
  expect(await endedBy(signal)).toEqual([[false], [false]])
})

test.each(['SIGINT', 'uncaughtException'])('%s ends them without the waits of a drain', async (signal) => {
  expect(await endedBy(signal)).toEqual([[true], [true]])
})

test('worker processes have the time of a drain, of the requests under way and of the close before they are killed', async () => {
  await endedBy('SIGTERM')
  expect(startWorkers.mock.calls[0]?.[0].endWithin).toBe((1 + 60 + 10 + 10 + 6 + 2) * 1000)
})

test('metrics of the worker processes are collected also while the database is unreachable, and kept while they do not answer', async () => {
  const [worker, theirs] = [{}, [{ name: 'vexil_theirs', type: 'counter' }]]
  requestAll.mockResolvedValueOnce(new Map([[worker, theirs]])).mockResolvedValueOnce(new Map([[worker, null]]))
  await start()
  expect(openMetricsPort.mock.calls[0]?.[0]).toMatchObject({ host: '127.0.0.1', port: 9464 })
  for (let scrape = 0; scrape < 2; scrape++)
    expect(await openMetricsPort.mock.calls[0]?.[1]()).toEqual([[], 'no database', [], theirs])
})

test.each([
  ['the port', startApp, (port: string) => `Port ${port} on 127.0.0.1 is in use by another program`],
  ['the port of metrics', openMetricsPort, () => 'VEXIL_METRICS: cannot listen on 127.0.0.1:9464 (EADDRINUSE).'],
])('%s that another program took meanwhile ends the start with one sentence', async (_what, open, sentence) => {
  open.mockRejectedValueOnce(Object.assign(new Error('listen'), { code: 'EADDRINUSE' }))
  const { port, error, exit } = await start()
  expect([error.mock.calls.length, exit.mock.calls.length]).toEqual([1, 1])
  expect(error.mock.calls[0]?.[0]).toContain(sentence(port))
})

test('a start that is stopped opens nothing more, and reports no error', async () => {
  const stop = async () => listeners.get('SIGTERM')?.('SIGTERM')
  migrate.mockImplementationOnce(async () => void (await stop()))
  await start()
  expect([startApp.mock.calls.length, closeDatabase.mock.calls.length]).toEqual([0, 1])
  // Also while it waits for the upgrade of the schema by an operator.
  const seen: boolean[] = []
  untilMigrated.mockImplementationOnce(async (_db, _waiting, isOver) => {
    seen.push(isOver())
    await stop()
    seen.push(isOver())
  })
  await start({ VEXIL_MIGRATE: 'never' })
  expect([seen, startApp.mock.calls.length]).toEqual([[false, true], 0])
  startApp.mockImplementationOnce(async () => {
    await stop()
    return app
  })
  await start()
  expect([startWorkers.mock.calls.length, openMetricsPort.mock.calls.length]).toEqual([0, 0])
  startApp.mockImplementationOnce(async () => {
    await stop()
    throw new Error('closed')
  })
  expect((await start()).error).not.toHaveBeenCalled()
})

test('a start and a database that do not end keep the process for ten and for two seconds', async () => {
  const limits: [milliseconds: number, end: () => void][] = []
  sleep.mockImplementation((milliseconds) => new Promise((resolve) => limits.push([milliseconds, resolve])))
  startApp.mockImplementationOnce(() => new Promise(() => undefined))
  closeDatabase.mockImplementationOnce(() => new Promise(() => undefined))
  const exits = () => vi.mocked(process.exit).mock.calls.flat()
  void start()
  await expect.poll(() => startApp.mock.calls.length).toBe(1)
  listeners.get('SIGTERM')?.('SIGTERM')
  for (const limit of [10_000, 2_000]) {
    await expect.poll(() => limits.at(-1)?.[0]).toBe(limit)
    expect(exits()).toEqual([])
    limits.at(-1)?.[1]()
  }
  await expect.poll(exits).toEqual([0])
  expect(app.drain).not.toHaveBeenCalled()
  sleep.mockReset()
})

test.each([
  [true, [[false]]],
  [false, []],
])(
  'a worker process drains only while its first process runs (%s), whose replacement needs the port',
  async (connected, drains) => {
    const { exit } = watchProcess()
    vi.stubGlobal('process', Object.create(process, { connected: { value: connected }, channel: { value: undefined } }))
    try {
      const { openWorker, serve } = await import('./platform-process.ts')
      const serving = serve(() => openWorker({} as never))
      await expect.poll(() => listeners.has('message')).toBe(true)
      const source = { url: 'postgres://nowhere/x' }
      listeners.get('message')?.({ start: { config: readConfig({ DATABASE_URL: source.url }), source } })
      await serving
      listeners.get('message')?.({ end: 'drained' })
      await expect.poll(() => exit.mock.calls).toEqual([[0]])
    } finally {
      vi.unstubAllGlobals()
    }
    expect([app.drain.mock.calls, app.close.mock.calls.length, closeDatabase.mock.calls.length]).toEqual([drains, 1, 1])
  },
)
