import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openClient } from './connections.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { isRunning } from './folder-lock.ts'

/** Milliseconds of the pauses before a restart; without effect while `skipped`. */
const pauses = vi.hoisted(() => ({ all: [] as number[], skipped: false }))
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>()
  return {
    ...real,
    setTimeout(ms: number, value?: unknown, options?: { signal?: AbortSignal }) {
      if (options?.signal) pauses.all.push(ms)
      return real.setTimeout(options?.signal && pauses.skipped ? 0 : ms, value, options)
    },
  }
})

const folder = mkdtempSync(join(tmpdir(), 'vexil-embedded-'))
const notes: string[] = []
let embedded: Embedded
const start = () => startEmbedded({ dataDir: folder, printLine: (line) => notes.push(line) })
let turnsWhileCreated = 0
beforeAll(async () => {
  const turns = setInterval(() => {
    if (existsSync(join(folder, 'pg18.new'))) turnsWhileCreated++
  }, 1)
  embedded = await start().finally(() => clearInterval(turns))
})
afterAll(async () => {
  await embedded.stop()
  rmSync(folder, { recursive: true, force: true })
})

const pid = () => Number.parseInt(readFileSync(join(embedded.location, 'pg18/postmaster.pid'), 'utf8'), 10)
async function ask(text: string) {
  const client = await openClient({ ...embedded.connection })
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
const back = (statement: string, rows: unknown[]) =>
  vi.waitFor(async () => expect(await ask(statement)).toEqual(rows), { timeout: 20_000, interval: 20 })

test('while it is created, the process sends heartbeats', () => {
  expect(turnsWhileCreated).toBeGreaterThan(0)
})

test('commits are durable, only its private socket accepts connections, and texts do not depend on the locale of the system', async () => {
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses', 'unix_socket_permissions']
  const rows = (await ask(`select name, setting from pg_settings where name in ('${names.join("', '")}')`)) as {
    name: string
    setting: string
  }[]
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    ...{ fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' },
    ...{ listen_addresses: '', unix_socket_permissions: '0700' },
  })
  const database =
    'select pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale from pg_database'
  expect(await ask(`${database} where datname = current_database()`)).toEqual([
    { encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8' },
  ])
})

test.runIf(process.platform === 'linux')('it has a separate session: Ctrl-C in the terminal does not reach it', () => {
  const [, , , session] = readFileSync(`/proc/${pid()}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  expect(Number(session)).toBe(pid())
})

test('when killed, it is restarted with all committed data, repeatedly', async () => {
  await ask('create table kept (n int)')
  for (let n = 1; n <= 3; n++) {
    await ask(`insert into kept values (${n})`)
    const killed = pid()
    process.kill(killed, 'SIGKILL')
    await back('select count(*)::int as rows from kept', [{ rows: n }])
    expect(pid()).not.toBe(killed)
    expect(isRunning(killed)).toBe(false)
  }
  expect(notes.filter((line) => line.includes('exited unexpectedly'))).toHaveLength(3)
})

test('when killed during a statement, it does not wait for the statement', async () => {
  const client = await openClient({ ...embedded.connection })
  const busy = client.query(`do $$ begin for i in 1..2000000000 loop null; end loop; end $$`).catch((error: unknown) => error)
  await ask('select 1')
  process.kill(pid(), 'SIGKILL')
  await back('select 1 as one', [{ one: 1 }])
  expect(await busy).toBeInstanceOf(Error)
  await client.end().catch(() => undefined)
})

test('when stopped during a restart, it ends and releases its folder, as a failed start does; the mode of the cluster is repaired', async () => {
  const killed = pid()
  process.kill(killed, 'SIGKILL')
  await vi.waitFor(() => expect(isRunning(killed)).toBe(false), 5000)
  await embedded.stop()
  const older = join(embedded.location, 'pg17')
  mkdirSync(older)
  writeFileSync(join(older, 'PG_VERSION'), '17\n')
  await expect(start()).rejects.toThrow('was created by PostgreSQL 17')
  rmSync(older, { recursive: true })
  // As copied without its mode.
  chmodSync(join(embedded.location, 'pg18'), 0o755)
  const noteCount = notes.length
  embedded = await start()
  await back('select 1 as one', [{ one: 1 }])
  expect(notes.length - noteCount).toBe(0)
})

test('the log of the previous start is kept, also while the database cannot be restarted after an exit', async () => {
  const log = (name: string) => readFileSync(join(embedded.location, name), 'utf8')
  await embedded.stop()
  const previous = log('postgres.log')
  embedded = await start()
  expect(log('postgres-before.log')).toBe(previous)
  await ask("do $$ begin raise log 'before the exit'; end $$")
  const control = join(embedded.location, 'pg18/global/pg_control')
  renameSync(control, `${control}.away`)
  ;[pauses.all, pauses.skipped] = [[], true]
  process.kill(pid(), 'SIGKILL')
  await vi.waitFor(() => expect(pauses.all.length).toBeGreaterThan(11), 100_000)
  renameSync(`${control}.away`, control)
  expect(notes.filter((line) => line.includes('does not start')).length).toBeGreaterThan(10)
  // Each pause is twice as long as the one before, up to half a minute.
  const seconds = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30]
  expect(pauses.all.slice(0, seconds.length)).toEqual(seconds.map((one) => one * 1000))
  // A start that began before the file was there fails, too: its pause would be half a minute.
  await back('select 1 as one', [{ one: 1 }])
  pauses.skipped = false
  expect(log('postgres-before.log')).toContain('before the exit')
})
