import { fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { aGame } from '../../test/builders/game.ts'
import { openFilesIn } from '../../test/open-files.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { readTar } from '../../test/tar.ts'
import type { LogEntry } from '../audit.ts'
import type { Config } from '../config.ts'
import { checkPlatform, described } from '../health/checks.ts'
import { readNodeMetrics } from '../metrics/node-metrics.ts'
import { StartError } from '../start-error.ts'
import type { Sweep } from '../sweeps.ts'
import { fileEntry, type Manifest } from './archive-format.ts'
import { openArchive, readEntries, verifyArchive } from './read-archive.ts'
import { backupName } from './retention.ts'
import { saveArchive } from './save-archive.ts'
import { scheduledBackups } from './scheduled-backups.ts'
import type { SnapshotInput, SnapshotOutput } from './snapshot-process.ts'
import { startSnapshot } from './start-snapshot.ts'

/** What the system throws when the priority of a process is changed. */
const refusal = vi.hoisted(() => ({ error: null as Error | null }))
vi.mock('node:os', async (original) => {
  const os = await original<typeof import('node:os')>()
  const setPriority = (pid: number, priority: number) => {
    if (refusal.error) throw refusal.error
    os.setPriority(pid, priority)
  }
  return { ...os, setPriority }
})

/** The code with which the system refuses to make the folder of a backup; null: it does not. */
const refused = vi.hoisted(() => ({ code: null as string | null }))
vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof import('node:fs/promises')>()
  const mkdtemp = (...given: Parameters<typeof files.mkdtemp>) =>
    refused.code === null
      ? files.mkdtemp(...given)
      : Promise.reject(Object.assign(new Error('refused'), { code: refused.code, syscall: 'mkdtemp' }))
  return { ...files, mkdtemp }
})

/** Whether the next process cannot be started for lack of file descriptors. */
const descriptors = vi.hoisted(() => ({ spent: false }))
/** The last process that was started. */
const started = vi.hoisted(() => ({ last: null as import('node:child_process').ChildProcess | null }))
vi.mock('node:child_process', async (original) => {
  const processes = await original<typeof import('node:child_process')>()
  const withoutChannel = () => {
    const child = Object.assign(new EventEmitter(), { kill: () => false })
    process.nextTick(() => child.emit('error', Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' })))
    return child
  }
  const start = (...args: Parameters<typeof processes.fork>) => {
    if (descriptors.spent) return withoutChannel()
    started.last = processes.fork(...args)
    return started.last
  }
  return { ...processes, fork: start }
})

let platform: TestPlatform
let root: string
let folder: string
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'vexil-scheduled-'))
  folder = join(root, 'backups')
  platform = await startTestPlatform({ VEXIL_BACKUP_DIR: folder, VEXIL_BACKUP_MINUTES: '30' })
})
afterAll(async () => {
  await platform.stop()
  rmSync(root, { recursive: true })
})
beforeEach(async () => {
  logged.length = 0
  rmSync(folder, { recursive: true, force: true })
  for (const table of ['backups', 'sweeps', 'files', 'games', 'logs'] as const) await platform.db.deleteFrom(table).execute()
})

const state = async () =>
  (
    await sql<{ made: boolean; problem: string | null }>`select made_at is not null as made, problem from backups`.execute(
      platform.db,
    )
  ).rows
/** Connections that read tables for a backup. */
const readers = async () =>
  (
    await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity where application_name = 'vexil backup'`.execute(
      platform.db,
    )
  ).rows[0]?.n
const logged: LogEntry[] = []
const archives = () => readdirSync(folder).filter((name) => name.endsWith('.tar'))
const store = async (text: string) => {
  const { hash } = await platform.deps.storage.put(Buffer.from(text), 100)
  await platform.db.insertInto('files').values({ hash, name: 'f', type: 't', size: text.length }).execute()
  return hash
}
const turn = async (sweeps: readonly Sweep[], signal = AbortSignal.timeout(60_000)) => {
  for (const sweep of sweeps) await sweep.run(signal)
}
/** `hours`: offset of the clock for names and ages of files. */
const run = (hours = 0, signal?: AbortSignal) =>
  turn(
    scheduledBackups(
      { ...platform.deps, log: { ...platform.deps.log, write: (entry) => logged.push(entry) } },
      folder,
      () => new Date(Date.now() + hours * 3_600_000),
    ),
    signal,
  )
/** The check, with which the metrics must agree. `more`: other settings. */
const checkBackup = async (more: Partial<Config> = {}) => {
  const deps = { ...platform.deps, config: { ...platform.deps.config, ...more } }
  const [check] = (await checkPlatform(deps)).filter(({ name }) => name === 'backup').map((one) => described(one))
  const metrics = await readNodeMetrics(deps)
  const values = (metric: string) => metrics.find(({ name }) => name === metric)?.values.map(({ value }) => value)
  expect(values('vexil_backup_failed')).toEqual([check?.level === 'error' ? 1 : 0])
  expect(values('vexil_backup_age_seconds')).toHaveLength(/last made/.test(check?.text ?? '') ? 1 : 0)
  return check
}

test('one of several turns makes an archive, whose files are beside it; log and health check show it', async () => {
  const hash = await store('beside')
  expect(await checkBackup()).toMatchObject({ level: 'warning', text: 'No scheduled backup was made yet' })
  const turns = await Promise.all([platform.backups.run(), platform.backups.run(), platform.backups.run()])
  expect(turns.flat()).toEqual(['backup', 'daily backup'])
  const [name = ''] = archives()
  expect(archives()).toEqual([expect.stringMatching(/^vexil-\d{8}T\d{6}Z\.tar$/)])
  expect(readdirSync(folder).sort()).toEqual(['files', name, `${name}.files`])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readFileSync(join(folder, fileEntry(hash)), 'utf8')).toBe('beside')
  const entries = await readTar(join(folder, name))
  const manifest = JSON.parse(entries.at(-1)?.bytes.toString() ?? '') as Manifest
  expect(entries.map((entry) => entry.name).filter((entry) => !entry.startsWith('tables/'))).toEqual([
    'secret-key',
    'manifest.json',
  ])
  expect([manifest.place, manifest.files]).toEqual(['beside', [{ hash, size: 6, sha256: hash }]])
  expect(await state()).toEqual([{ made: true, problem: null }])
  expect(await checkBackup()).toMatchObject({ level: 'ok', text: 'Scheduled backup last made 0.0 h ago' })
  await expect
    // On a busy machine there may be a line about it.
    .poll(() => {
      const logs = platform.db.selectFrom('logs').select(['level', 'status', 'name', 'message'])
      return logs.where('message', 'ilike', '%backup%').execute()
    })
    .toEqual([
      {
        level: 'Information',
        status: 'Success',
        name: 'System',
        message: expect.stringMatching(/^Backup vexil-\S+\.tar made: 0\.\d MB, 1 files$/),
      },
    ])
  // Whatever the interval during a game, the daily one is checked each hour.
  const due = sql`select name, ceil(extract(epoch from due_at - clock_timestamp()) / 60)::int as minutes from sweeps order by name`
  expect(await due.execute(platform.db)).toMatchObject({
    rows: [
      { name: 'backup', minutes: 30 },
      { name: 'daily backup', minutes: 60 },
    ],
  })
})

test('it is made at each turn while a game runs, otherwise when the last is a day old', async () => {
  await run()
  const first = archives()
  rmSync(join(folder, first[0] as string))
  await run()
  expect(archives()).toEqual([])
  const game = await aGame(platform.db)
  await run()
  expect(archives()).toHaveLength(1)
  rmSync(join(folder, archives()[0] as string))
  await platform.db.deleteFrom('games').where('id', '=', game).execute()
  await aGame(platform.db, { starts: '-3h', ends: '-1h' })
  await aGame(platform.db, { starts: '1h', ends: '3h' })
  await run()
  expect(archives()).toEqual([])
  // Two hours without a backup are too long only while a game runs.
  await sql`update backups set made_at = made_at - interval '2 hours'`.execute(platform.db)
  expect(await checkBackup()).toMatchObject({ level: 'ok' })
  // The first turn of a game that has just begun is not due yet.
  const young = await aGame(platform.db, { starts: '-1m', ends: '1h' })
  expect(await checkBackup()).toMatchObject({ level: 'ok' })
  await platform.db.deleteFrom('games').where('id', '=', young).execute()
  await aGame(platform.db, { starts: '-3h', ends: '1h' })
  expect(await checkBackup()).toMatchObject({ level: 'error' })
  // Another node makes them, with a schedule that is not known here, until none has tried for three days.
  expect(await checkBackup({ backupDir: null })).toMatchObject({ level: 'ok', text: 'Scheduled backup last made 2 h ago' })
  await sql`update backups set tried_at = tried_at - interval '71 hours'`.execute(platform.db)
  expect(await checkBackup({ backupDir: null })).toMatchObject({ level: 'ok', text: 'Scheduled backup last made 2 h ago' })
  await sql`update backups set tried_at = tried_at - interval '2 hours'`.execute(platform.db)
  expect(await checkBackup({ backupDir: null })).toMatchObject({ level: 'ok', text: 'No backups are scheduled' })
  await platform.db.deleteFrom('games').execute()
  // A turn that comes a little earlier than the day before counts.
  for (const [more, count] of Object.entries({ '21 hours 29 minutes': 0, '2 minutes': 1 })) {
    await sql`update backups set made_at = made_at - ${more}::interval`.execute(platform.db)
    await run()
    expect(archives()).toHaveLength(count)
  }
})

test('a file is copied once; one that no kept archive names is removed a day later, others and remains are not taken for it', async () => {
  await aGame(platform.db)
  const [kept, gone] = [await store('kept'), await store('gone')]
  await run()
  const [first = ''] = archives()
  const path = join(folder, fileEntry(kept))
  writeFileSync(path, 'not copied again')
  utimesSync(path, 0, 0)
  await platform.db.deleteFrom('files').where('hash', '=', gone).execute()
  writeFileSync(join(folder, 'files', 'own.txt'), 'of the operator')
  const part = join(folder, `${fileEntry(gone)}.part-a1b2`)
  writeFileSync(part, 'of a killed process')
  utimesSync(part, 0, 0)
  const abandoned = join(folder, 'vexil-20260101T000000Z.tar.part-abc123')
  mkdirSync(abandoned)
  writeFileSync(join(abandoned, 'archive'), 'of a killed process')
  const oldest = join(folder, 'vexil-20200101T000010Z.tar')
  writeFileSync(`${oldest}.files`, '')
  for (let at = 10; at < 58; at++) writeFileSync(join(folder, `vexil-20200101T0000${at}Z.tar`), '')
  await run(1)
  expect(readFileSync(path, 'utf8')).toBe('not copied again')
  // It is as new as a copy: another node, which does not know this archive yet, would remove an old file.
  expect(statSync(path).mtimeMs).toBeGreaterThan(0)
  expect([abandoned, oldest, `${oldest}.files`].filter(existsSync)).toEqual([])
  // Nothing in the folder of files is removed while an archive has no list.
  expect([existsSync(part), logged.map(({ status }) => status)]).toEqual([true, ['Success', 'Success']])
  expect(archives()).toContain(first)
  // Two of the newest 48 are complete; the others have no list.
  expect(archives()).toHaveLength(48)
  for (const name of archives()) if (name.startsWith('vexil-2020') || name === first) rmSync(join(folder, name))
  await run(23.9)
  expect([join(folder, fileEntry(gone)), part].map(existsSync)).toEqual([true, false])
  utimesSync(join(folder, 'files', 'own.txt'), 0, 0)
  await run(24.1)
  expect([kept, gone].map((hash) => existsSync(join(folder, fileEntry(hash))))).toEqual([true, false])
  expect(existsSync(join(folder, 'files', 'own.txt'))).toBe(true)
  expect(readdirSync(folder).filter((name) => name.endsWith('.tar.files'))).toEqual(archives().map((name) => `${name}.files`))
})

test('two backups at the same time are both complete: neither removes or shares what the other is writing', async () => {
  const hash = await store('of both')
  const { storage } = platform.deps
  const log = { ...platform.deps.log, write: (entry: LogEntry) => void logged.push(entry) }
  const [slow, quick] = [new Date(Date.now() - 3_600_000), new Date()]
  const quickEnded = Promise.withResolvers<void>()
  async function* inHalves() {
    yield Buffer.from('of ')
    await quickEnded.promise
    yield Buffer.from('both')
  }
  const make = (now: Date) => {
    const get = async (wanted: string) => {
      const stored = await storage.get(wanted)
      return stored && now === slow ? { ...stored, stream: Readable.from(inHalves()) } : stored
    }
    return turn(scheduledBackups({ ...platform.deps, log, storage: { ...storage, get } }, folder, () => now))
  }
  const slowTurn = make(slow)
  await vi.waitFor(() => expect(readdirSync(join(folder, 'files'), { recursive: true }).join()).toContain('.part'))
  await make(quick)
  // Written by a backup that has not renamed its archive yet.
  writeFileSync(join(folder, 'vexil-20261125T080000Z.tar.files'), '')
  quickEnded.resolve()
  await slowTurn
  const names = [slow, quick].map(backupName)
  expect(archives().sort()).toEqual(names)
  expect(logged.map(({ status }) => status)).toEqual(['Success', 'Success'])
  expect(readdirSync(folder).sort()).toEqual(
    ['files', 'vexil-20261125T080000Z.tar.files', ...names.flatMap((name) => [name, `${name}.files`])].sort(),
  )
  for (const name of names) expect(readFileSync(join(folder, `${name}.files`), 'utf8')).toBe(`${hash}\n`)
  expect(readFileSync(join(folder, fileEntry(hash)), 'utf8')).toBe('of both')
  expect(readdirSync(join(folder, 'files'), { recursive: true })).toHaveLength(3)
})

test('a file whose bytes are damaged is not copied, not even in part, and the log counts it; its neighbour is copied', async () => {
  const [whole, damaged] = [await store('whole'), await store('damaged')]
  const { storage } = platform.deps
  const get = async (hash: string) => {
    const stored = await storage.get(hash)
    return hash === damaged && stored ? { ...stored, stream: Readable.from([Buffer.from('others!')]) } : stored
  }
  const log = { ...platform.deps.log, write: (entry: LogEntry) => void logged.push(entry) }
  await turn(scheduledBackups({ ...platform.deps, log, storage: { ...storage, get } }, folder))
  const copied = readdirSync(join(folder, 'files'), { recursive: true }).filter((name) => String(name).length > 5)
  expect(copied).toEqual([fileEntry(whole).replace('files/', '')])
  expect(logged.map(({ message }) => message)).toEqual([
    expect.stringMatching(/, 1 files; 1 files are lost or damaged, see "vexil verify --deep"$/),
  ])
})

test('a failure leaves nothing, is recorded with its reason, and the next success clears it', async () => {
  writeFileSync(folder, 'a file')
  await run()
  expect(await state()).toEqual([{ made: false, problem: expect.stringContaining('EEXIST') }])
  expect(await checkBackup()).toMatchObject({
    level: 'error',
    text: expect.stringMatching(/^The scheduled backup failed: EEXIST.+\(never made\)$/),
  })
  expect(logged).toEqual([
    { level: 'Error', status: 'Failed', name: 'System', message: expect.stringMatching(/^Scheduled backup failed: EEXIST/) },
  ])
  rmSync(folder)
  await run()
  expect(await state()).toEqual([{ made: true, problem: null }])
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'a file')
  await sql`update backups set made_at = made_at - interval '1 day', tried_at = tried_at - interval '1 day'`.execute(platform.db)
  await run()
  expect(await state()).toEqual([{ made: true, problem: expect.stringContaining('EEXIST') }])
  const tried = sql<{ isNew: boolean }>`select tried_at > clock_timestamp() - interval '1 hour' as is_new from backups`
  expect((await tried.execute(platform.db)).rows).toEqual([{ isNew: true }])
  expect(await checkBackup()).toMatchObject({ level: 'error', text: expect.stringMatching(/\(last made 24 h ago\)$/) })
})

test('a node that stops leaves no part of a backup, and records no failure', async () => {
  const stopping = new AbortController()
  stopping.abort()
  await run(0, stopping.signal)
  expect([readdirSync(folder), await state(), logged]).toEqual([[], [], []])
})

test('a guard that fails ends the statement of a table that is being copied', async () => {
  await sql`insert into logs (level, name, message) select 'Warning', 'x', repeat(md5(n::text), 100) from generate_series(1, 6000) n`.execute(
    platform.db,
  )
  let requests = 0
  const options = { files: 'none', sessions: false, withKey: false, progress: () => undefined } as const
  const guard = async () => {
    if (++requests > 11) throw new Error('no room')
  }
  await expect(saveArchive(platform.deps, join(root, 'a.tar'), { ...options, guard })).rejects.toThrow('no room')
  expect(readdirSync(root).filter((name) => name.startsWith('a.tar'))).toEqual([])
  await expect.poll(readers).toBe(0)
})

/** Child processes of this process that read tables. */
const snapshotProcesses = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [parent] = /PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.slice(1) ?? []
        return Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('snapshot-process')
      } catch {
        return false
      }
    })
    .map(Number)

test.runIf(process.platform === 'linux')(
  'tables are read by a process of low priority; when it is killed, the backup fails and nothing is left',
  async () => {
    const options = { files: 'none', sessions: false, withKey: false, guard: async () => undefined } as const
    const priorities: number[] = []
    const saved = saveArchive(platform.deps, join(root, 'killed.tar'), {
      ...options,
      progress: (line) => {
        if (line !== 'table games') return
        for (const pid of snapshotProcesses()) {
          priorities.push(getPriority(pid))
          process.kill(pid, 'SIGKILL')
        }
      },
    })
    await expect(saved).rejects.toThrow(/^The process that reads the tables ended with SIGKILL$/)
    expect(priorities).toEqual([10])
    expect(readdirSync(root).filter((name) => name.startsWith('killed.tar'))).toEqual([])
    // A system that does not permit it: the backup is made, and the reason is reported.
    refusal.error = new Error('EPERM')
    const onError = vi.fn()
    const made = saveArchive({ ...platform.deps, onError }, join(root, 'killed.tar'), { ...options, progress: () => undefined })
    await made.finally(() => {
      refusal.error = null
    })
    const message = 'The priority of the process that reads the tables was not lowered: EPERM'
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ message, cause: expect.any(Error) })]])
    rmSync(join(root, 'killed.tar'))
    expect(snapshotProcesses()).toEqual([])
  },
)

test('the process that reads tables waits for the answer of its parent, and ends with it in the middle of its transaction', async () => {
  const part = mkdtempSync(join(root, 'left-'))
  const child = fork(join(import.meta.dirname, 'snapshot-process.ts'), { execArgv: [] })
  const ended = once(child, 'exit')
  const outputs: SnapshotOutput[] = []
  child.on('message', (output: SnapshotOutput) => outputs.push(output))
  try {
    child.send({
      ...{ source: platform.deps.database.source, folder: part },
      ...{ fileRows: 'select * from files', withHashes: false, sessions: false },
    } satisfies SnapshotInput)
    await vi.waitFor(() => expect(outputs.at(-1)).toEqual({ guard: true }), 10_000)
    // Reading would go on within this time if it did not wait.
    await sleep(300)
    expect(outputs.at(-1)).toEqual({ guard: true })
    child.disconnect()
    expect(await ended).toEqual([1, null])
    await expect.poll(readers).toBe(0)
  } finally {
    child.kill('SIGKILL')
  }
})

test('a snapshot fails with the error of its process, or when that cannot be started', async () => {
  const options = { withHashes: false, sessions: false, guard: async () => undefined, progress: () => undefined }
  const start = () =>
    startSnapshot(platform.deps, mkdtempSync(join(root, 'failed-')), {
      ...options,
      fileRows: 'select * from nowhere',
    })
  await expect(start()).rejects.toMatchObject({ message: 'relation "nowhere" does not exist', code: '42P01' })
  // The process has ended before the failure is returned.
  expect(started.last?.signalCode).toBe('SIGKILL')
  const { execPath } = process
  process.execPath = join(root, 'no-node')
  try {
    await expect(start()).rejects.toMatchObject({ code: 'ENOENT' })
  } finally {
    process.execPath = execPath
  }
  descriptors.spent = true
  const starting = start()
  descriptors.spent = false
  await expect(starting).rejects.toMatchObject({ code: 'EMFILE' })
})

test('tables are read without a statement timeout or an idle timeout', async () => {
  const hash = await store('slow')
  const settings = ['statement_timeout', 'idle_in_transaction_session_timeout'].map((name) => `current_setting('${name}') = '0'`)
  const { hashes } = await startSnapshot(platform.deps, mkdtempSync(join(root, 'unlimited-')), {
    ...{ withHashes: true, sessions: false, guard: async () => undefined, progress: () => undefined },
    fileRows: `select * from files where ${settings.join(' and ')}`,
  })
  expect(hashes).toEqual([hash])
})

const archiveOptions = {
  files: 'all',
  sessions: false,
  withKey: false,
  progress: () => undefined,
  guard: async () => undefined,
} as const

test('an archive has the tables of one moment, whatever is stored while it is made', async () => {
  const { db } = platform
  const count = async () => (await db.selectFrom('settings').select('key').execute()).length
  const before = await count()
  let isLater = false
  const guard = async () => {
    // Asked for the first table.
    if (!isLater) await db.insertInto('settings').values({ key: 'Test:Later', value: '1' }).execute()
    isLater = true
  }
  const path = join(root, 'moment.tar')
  const { manifest } = await saveArchive(platform.deps, path, { ...archiveOptions, guard })
  await db.deleteFrom('settings').where('key', '=', 'Test:Later').execute()
  rmSync(path)
  expect([isLater, manifest.tables.find(({ name }) => name === 'settings')?.rows]).toEqual([true, before])
})

test('the compressed rows of a table are removed once they are in the archive', async () => {
  const path = join(root, 'rows.tar')
  let left: string[] = []
  const filesBeside = async () => {
    left = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.startsWith('rows.tar'))
    return []
  }
  await saveArchive(platform.deps, path, { ...archiveOptions, filesBeside })
  expect(left.map((name) => name.split('/')[1] ?? 'folder').sort()).toEqual(['archive', 'folder'])
  if (process.platform === 'linux') expect(openFilesIn(root)).toEqual([])
  rmSync(path)
})

test('a file that cannot be added is the disk’s fault only when it is full, and never that of the folder', async () => {
  await store('to add')
  const path = join(root, 'failed.tar')
  const isFull = `The backup ${path} cannot be written: the disk is full.`
  for (const [code, message] of Object.entries({ ENOSPC: isFull, EDQUOT: isFull, ENOENT: 'no such file' })) {
    const get = () => Promise.reject(Object.assign(new Error('no such file'), { code }))
    const storage = { ...platform.deps.storage, get }
    await expect(saveArchive({ ...platform.deps, storage }, path, archiveOptions)).rejects.toMatchObject({ message })
    expect(readdirSync(root).filter((name) => name.startsWith('failed.tar'))).toEqual([])
  }
})

test('a folder that cannot be written is named with the reason', async () => {
  const path = join(root, 'refused.tar')
  const reasons = { EACCES: 'permission denied', EROFS: 'it is on a read-only file system' }
  try {
    for (const [code, reason] of Object.entries(reasons)) {
      refused.code = code
      const message = `The backup ${path} cannot be written: ${reason}.`
      await expect(saveArchive(platform.deps, path, archiveOptions)).rejects.toEqual(new StartError(message))
    }
  } finally {
    refused.code = null
  }
})

test('a guard that fails while files are added ends the archive', async () => {
  const bytes = Buffer.alloc(4 * 1024 ** 2, 'b')
  const { hash } = await platform.deps.storage.put(bytes, bytes.length)
  await platform.db.insertInto('files').values({ hash, name: 'f', type: 't', size: bytes.length }).execute()
  let isFull = false
  const saved = saveArchive(platform.deps, join(root, 'full.tar'), {
    files: 'all',
    sessions: false,
    withKey: false,
    guard: async () => {
      if (isFull) throw new Error('no room')
    },
    // The last table: the next bytes that are guarded are those of the archive.
    progress: (line) => {
      isFull = line === 'table writeups'
    },
  })
  await expect(saved).rejects.toThrow('no room')
  expect(readdirSync(root).filter((name) => name.startsWith('full.tar'))).toEqual([])
  // The manifest is read without the file before it.
  const whole = join(root, 'whole.tar')
  await saveArchive(platform.deps, whole, archiveOptions)
  expect((await openArchive(whole)).manifest.files).toEqual([{ hash, size: bytes.length, sha256: hash }])
  rmSync(whole)
})

test('an archive whose files are beside it is verified with them, and gives them to a restore', async () => {
  const hash = await store('beside')
  await run()
  const path = join(folder, archives()[0] as string)
  const archive = await openArchive(path)
  await verifyArchive(archive, () => undefined)
  const read: string[] = []
  await readEntries(archive, {
    table: async () => undefined,
    file: async (file, bytes) => void read.push(file.hash, await text(bytes)),
  })
  expect(read).toEqual([hash, 'beside'])
  const unread = { table: async () => undefined, file: async (_: unknown, bytes: Readable) => void (await once(bytes, 'open')) }
  await readEntries(archive, unread)
  if (process.platform === 'linux') expect(openFilesIn(folder)).toEqual([])
  writeFileSync(join(folder, fileEntry(hash)), 'besidf')
  await expect(verifyArchive(archive, () => undefined)).rejects.toThrow(
    `is damaged: ${join(folder, fileEntry(hash))} has another checksum.`,
  )
  rmSync(join(folder, fileEntry(hash)))
  await expect(verifyArchive(archive, () => undefined)).rejects.toThrow(
    `is not complete: the file ${join(folder, fileEntry(hash))} is missing.`,
  )
})
