/** The periodic work of a platform. Other integration tests run without the work that is repeated every 5 seconds or less often. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCallSites } from 'node:util'
import { sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { freePort } from '../../../e2e/platform.ts'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { freshDatabase } from './database.ts'
import { openMemoryEngine } from './memory-engine.ts'

const begun = vi.hoisted(() => [] as string[])
/** Records each call of a method that begins work. */
const recorded = vi.hoisted(() => (part: Record<string, (...given: unknown[]) => unknown>, method: string, name: string) => {
  const begin = part[method]!
  return Object.assign(part, {
    [method]: (...given: unknown[]) => {
      begun.push(name)
      return begin(...given)
    },
  })
})
vi.mock('../src/instances/instance-sweeper.ts', async (load) => {
  const module = (await load()) as { startInstanceSweeper: (deps: unknown) => never }
  return { ...module, startInstanceSweeper: (deps: unknown) => recorded(module.startInstanceSweeper(deps), 'begin', 'instances') }
})
vi.mock('../src/scoreboard/scoreboard.live.ts', async (load) => {
  const module = (await load()) as { liveBoards: (...given: unknown[]) => never }
  return { ...module, liveBoards: (...given: unknown[]) => recorded(module.liveBoards(...given), 'start', 'boards') }
})
/** What reports a fault of the isolation probe; null: it has none. */
const probe = vi.hoisted(() => ({ report: null as ((error: unknown) => void) | null }))
vi.mock('../src/instances/try-isolation.ts', async (load) => {
  const module = (await load()) as { tryIsolation: (...given: unknown[]) => unknown }
  const tryIsolation = (deps: { onError: (error: unknown) => void }) => {
    if (probe.report === null) return module.tryIsolation(deps)
    deps.onError = probe.report
    return Promise.reject(new Error('no probe'))
  }
  return recorded({ ...module, tryIsolation: tryIsolation as typeof module.tryIsolation }, 'tryIsolation', 'isolation')
})

interface Repeated {
  /** Below apps/server/src. */
  readonly file: string
  readonly seconds: number
  readonly work: () => void
}

afterEach(() => {
  vi.restoreAllMocks()
  probe.report = null
  begun.length = 0
})

/** A platform with everything that repeats work, and what it repeats. */
async function aPlatform({ isWorker = false } = {}) {
  const repeated: Repeated[] = []
  const start = globalThis.setInterval
  vi.spyOn(globalThis, 'setInterval').mockImplementation(((work: () => void, ms: number) => {
    const sites = getCallSites(20).map(({ scriptName }) => /\/apps\/server\/src\/(.*)$/.exec(scriptName)?.[1])
    const file = sites.find((path) => path !== undefined && path !== 'every.ts')
    if (file) repeated.push({ file, seconds: ms / 1000, work })
    return start(work, ms)
  }) as typeof setInterval)
  const database = await freshDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'vexil-periodic-'))
  for (const name of ['data', 'files', 'backups']) mkdirSync(join(folder, name))
  const config = readConfig({
    DATA_DIR: join(folder, 'data'),
    PORT: String(await freePort()),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    VEXIL_BACKUP_DIR: join(folder, 'backups'),
    VEXIL_FILES_DIR: join(folder, 'files'),
    VEXIL_MAIL_HOST: '127.0.0.1',
    VEXIL_MAIL_PORT: '9',
    VEXIL_MAIL_SENDER: 'ctf@example.org',
  })
  const app = await startApp({ config, database, isWorker, printLine: () => undefined, engine: openMemoryEngine() })
  return {
    database,
    node: app.deps.node,
    repeated: () => repeated.map(({ file, seconds }) => `${file} ${seconds}`).sort(),
    /** Does all work of this file once, as its intervals would. */
    repeat(file: string) {
      for (const one of repeated) if (one.file === file) one.work()
    },
    close: app.close,
    async remove() {
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const ofEachProcess = [
  'accounts/visits.ts 0.25',
  'db/jobs.ts 60',
  'db/versions.ts 0.25',
  'db/versions.ts 0.25',
  'http/live.ts 5',
  'instances/starts.ts 1',
  'instances/tunnel-leases.ts 20',
  'scoreboard/board-client.ts 0.25',
  'site/log.ts 1',
  'sweeps.ts 60',
  'sweeps.ts 60',
]

test('the first process begins its work and repeats it at its interval, and each task of the clean-up has its own', async () => {
  const platform = await aPlatform()
  const ofFirst = [
    'files/release-file.ts 10',
    'health/node-reports.ts 5',
    'instances/instance-sweeper.ts 20',
    'instances/move-captures.ts 5',
    'instances/move-captures.ts 600',
  ]
  expect(platform.repeated()).toEqual([...ofEachProcess, ...ofFirst].sort())
  expect(begun.toSorted()).toEqual(['boards', 'instances', 'isolation'])

  const { db, pool } = platform.database
  const minutes = async () => {
    const { rows } = await sql<{ name: string; minutes: number }>`
      select name, round(extract(epoch from due_at - clock_timestamp()) / 60)::int as minutes from sweeps`.execute(db)
    return Object.fromEntries(rows.map((row) => [row.name, row.minutes]))
  }
  expect(await minutes()).toEqual({})
  platform.repeat('sweeps.ts')
  await expect.poll(minutes).toEqual({
    sessions: 60,
    'ended sessions': 60,
    registrations: 60,
    'sign-in buckets': 1,
    mails: 1440,
    logs: 60,
    captures: 10,
    files: 1440,
    images: 1,
    'solver checks': 1,
    isolation: 60,
    backup: 60,
    'daily backup': 60,
  })

  await db
    .insertInto('releasedFiles')
    .values({ hash: 'a'.repeat(64) })
    .execute()
  platform.repeat('files/release-file.ts')
  await expect.poll(() => db.selectFrom('releasedFiles').select('hash').execute()).toEqual([])

  await db.deleteFrom('nodes').execute()
  platform.repeat('health/node-reports.ts')
  await expect.poll(() => db.selectFrom('nodes').select('id').execute()).toEqual([{ id: platform.node }])

  // A task that no node can execute, so it is not taken again.
  await pool.query(`select graphile_worker.add_job('unknown')`)
  await pool.query(`update graphile_worker._private_jobs set locked_by = 'gone', locked_at = now() - interval '6 minutes'`)
  platform.repeat('db/jobs.ts')
  await expect
    .poll(async () => (await pool.query('select locked_by from graphile_worker._private_jobs')).rows)
    .toEqual([{ locked_by: null }])
  await platform.close()
  await platform.remove()
})

test('a fault of the isolation probe is reported, and the platform starts', async () => {
  const faults: unknown[] = []
  probe.report = (error) => faults.push(error)
  const platform = await aPlatform()
  await expect.poll(() => faults).toEqual([new Error('no probe')])
  await platform.close()
  await platform.remove()
})

test('another process of the node repeats only what each process needs, and has no task of the clean-up', async () => {
  const platform = await aPlatform({ isWorker: true })
  expect(platform.repeated()).toEqual(ofEachProcess)
  expect(begun).toEqual(['boards'])
  platform.repeat('sweeps.ts')
  // Closing waits for the running tasks.
  await platform.close()
  expect(await platform.database.db.selectFrom('sweeps').select('name').execute()).toEqual([])
  await platform.remove()
})
