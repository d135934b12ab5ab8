/** What a signal lets this process and its worker processes wait for. */
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { freePort } from '../../../e2e/platform.ts'
import { readConfig } from './config.ts'

const app = vi.hoisted(() => ({ drain: vi.fn(async () => undefined), close: vi.fn(async () => undefined) }))
const endWorkers = vi.hoisted(() => vi.fn(async () => undefined))
const startWorkers = vi.hoisted(() => vi.fn((_options: { endWithin: number }) => ({ end: endWorkers })))
vi.mock('./app.ts', () => ({ startApp: async () => app }))
vi.mock('./data-folder.ts', () => ({ takeDataFolder: () => undefined }))
vi.mock('./db/database.ts', () => ({ openDatabase: async () => ({ close: async () => undefined }) }))
vi.mock('./db/embedded.ts', () => ({}))
vi.mock('./db/migrate.ts', () => ({ migrate: async () => undefined }))
vi.mock('./worker-processes.ts', () => ({ startWorkerProcesses: startWorkers }))
vi.mock('./shared-limits.ts', () => ({ countLimits: () => undefined }))
vi.mock('./heartbeat.mjs', () => ({ beat: () => undefined, beats: {} }))

afterEach(() => {
  vi.restoreAllMocks()
  vi.clearAllMocks()
})

async function endedBy(signal: string) {
  vi.resetModules()
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never)
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const listeners = new Map<string, (given: string) => void>()
  for (const add of ['on', 'once'] as const)
    vi.spyOn(process, add).mockImplementation(((name: string, act: () => void) => {
      listeners.set(name, act)
      return process
    }) as never)
  if (process.channel) vi.spyOn(process.channel, 'unref').mockImplementation(() => undefined)
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'on').mockReturnThis()
  const { openPlatform, serve } = await import('./platform-process.ts')
  const env = { HOST: '127.0.0.1', PORT: String(await freePort()), DATABASE_URL: 'postgres://nowhere/x' }
  await serve(async () => void (await openPlatform(readConfig(env))))
  listeners.get(signal)?.(signal)
  while (exit.mock.calls.length === 0) await turn()
  const hurries = [app.drain.mock.calls.flat(), endWorkers.mock.calls.flat()]
  expect(app.close.mock.invocationCallOrder[0]).toBeGreaterThan(app.drain.mock.invocationCallOrder[0] as number)
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
  expect(startWorkers.mock.calls[0]?.[0].endWithin).toBe((1 + 60 + 10 + 10 + 2) * 1000)
})
