/** PostgreSQL as a child process: no port, one private socket, durable commits, restarted after an unexpected exit. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { StartError } from '../start-error.ts'
import { openClient } from './connections.ts'
import { postgresBinaries } from './embedded-binaries.ts'
import { databaseLocation, databaseOwner, type Owner, repairCluster, socketFolder, socketFoldersOf } from './embedded-place.ts'
import { isRunning, lockFolder } from './folder-lock.ts'

/** Another major version cannot read the cluster. */
const MAJOR = 18
const PORT = 5432
const USER = 'vexil'
const DATABASE = 'vexil'
const MAX_CONNECTIONS = 200

/** Backends of a dead postmaster exit; those still running after this time are ended (shorter at a restart). */
const ORPHANS_END_WITHIN = 5_000
const ORPHANS_END_WITHIN_AT_RESTART = 1_000
/** Delay before a restart: starts at 100 ms, doubles with each exit, and resets after a run of `RAN_WELL`. */
const PAUSE_FIRST = 100
const PAUSE_MOST = 30_000
const RAN_WELL = 2_000
const STOP_WITHIN = 30_000
const LOG = 'postgres.log'
const LOG_BEFORE = 'postgres-before.log'
const MIB = 1024 * 1024

export interface EmbeddedConnection {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}

export interface Embedded {
  readonly connection: EmbeddedConnection
  /** The folder of the cluster: the data folder, or another one if the database's user cannot reach it. */
  readonly location: string
  /** Stops the database and its restarts; all data is on disk. */
  stop(): Promise<void>
}

interface Options {
  readonly dataDir: string
  readonly printLine: (line: string) => void
  /** False only in tests: a crash may then lose all data. */
  readonly durable?: boolean
}

/** Starts the database of a data folder and creates it if missing. @throws StartError */
export async function startEmbedded({ dataDir, printLine, durable = true }: Options): Promise<Embedded> {
  const owner = databaseOwner()
  const location = await databaseLocation(dataDir, owner)
  const lock = lockFolder(location, 'database.lock')
  if ('heldBy' in lock) throw new StartError(`The database in ${location} is in use by another running platform.`)
  try {
    const cluster = join(location, `pg${MAJOR}`)
    const exists = clusterExists(location, cluster)
    const binaries = await postgresBinaries(location, owner)
    if (exists) {
      await repairCluster(cluster, owner)
      await reclaim(cluster, printLine)
    } else {
      await makeCluster(binaries, cluster, owner, durable)
    }
    const host = socketFolder(location, owner)
    const plan = { binaries, cluster, location, host, owner, durable, printLine }
    keepLog(location)
    const postmaster = await launch(plan)
    const connection = { host, port: PORT, user: USER, database: DATABASE }
    await makeDatabase(connection)
    return keepRunning(postmaster, plan, connection, lock.release)
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The database of the platform that runs in this data folder, as seen by its socket; null without one. Changes nothing. */
export function runningDatabase(dataDir: string): EmbeddedConnection | null {
  const host = socketFoldersOf(dataDir).find((folder) => existsSync(join(folder, `.s.PGSQL.${PORT}`)))
  return host === undefined ? null : { host, port: PORT, user: USER, database: DATABASE }
}

/** The next start overwrites the log. */
function keepLog(location: string): void {
  if (existsSync(join(location, LOG))) renameSync(join(location, LOG), join(location, LOG_BEFORE))
}

/** Whether there is a cluster that this release can read. Changes nothing. */
function clusterExists(location: string, cluster: string): boolean {
  const found = readdirSync(location).filter((name) => /^pg\d+$/.test(name))
  for (const name of found) {
    const path = join(location, name)
    const version = existsSync(join(path, 'PG_VERSION')) ? readFileSync(join(path, 'PG_VERSION'), 'utf8').trim() : ''
    if (version === String(MAJOR) && path === cluster) return true
    if (version) {
      throw new StartError(
        `The database in ${path} was created by PostgreSQL ${version}, this release includes ${MAJOR}: dump it with the release that created it, and restore it with this one.`,
      )
    }
    if (path === cluster && readdirSync(path).length > 0)
      throw new StartError(`The folder ${path} is not a database: its file PG_VERSION is missing.`)
    if (path === cluster) rmdirSync(path)
  }
  return false
}

/** Creates the cluster under a temporary name and renames it, so that an interrupted start leaves no incomplete cluster. */
async function makeCluster(binaries: string, cluster: string, owner: Owner, durable: boolean): Promise<void> {
  const fresh = `${cluster}.new`
  rmSync(fresh, { recursive: true, force: true })
  const args = [
    '-D',
    fresh,
    '-U',
    USER,
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]
  try {
    // On a slow disk it takes longer than the parent process waits for a heartbeat.
    await promisify(execFile)(join(binaries, 'initdb'), [...args, '--no-instructions', ...(durable ? [] : ['--no-sync'])], {
      cwd: '/',
      env: quietEnvironment(),
      ...owner,
    })
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    const { stderr } = error as { stderr?: string }
    throw new StartError(`The database could not be created in ${cluster}: ${lastErrorLine(stderr || String(error))}`)
  }
  renameSync(fresh, cluster)
}

/**
 * Ends an orphaned postmaster: we hold the folder's lock, so it cannot belong to a running platform. If another process has its id, PostgreSQL would
 * not start: only the id is removed from the file, since PostgreSQL recognises surviving backends by the rest.
 */
async function reclaim(cluster: string, printLine: (line: string) => void): Promise<void> {
  const path = join(cluster, 'postmaster.pid')
  if (!existsSync(path)) return
  const [first = '', ...rest] = readFileSync(path, 'utf8').split('\n')
  const pid = Math.abs(Number.parseInt(first, 10) || 0)
  if (!isRunning(pid)) return
  if (!runsIn(pid, cluster)) {
    const unusedPid = 2 ** 31 - 1
    writeFileSync(path, [unusedPid, ...rest].join('\n'))
    return
  }
  printLine('Waiting for the database of the previous run to stop.')
  process.kill(pid, 'SIGINT')
  for (const end = Date.now() + STOP_WITHIN; isRunning(pid) && Date.now() < end; ) await sleep(50)
  if (isRunning(pid)) process.kill(pid, 'SIGQUIT')
  for (const end = Date.now() + STOP_WITHIN; isRunning(pid) && Date.now() < end; ) await sleep(50)
  if (isRunning(pid)) throw new StartError(`The database of the previous run (process ${pid}) does not stop.`)
}

/** Whether a process is a PostgreSQL of this cluster: its working directory is the cluster. */
function runsIn(pid: number, cluster: string): boolean {
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster)
    } catch {
      return false
    }
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(cluster)
}

function killOrphans(cluster: string): void {
  if (process.platform !== 'linux') return
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!(pid > 1) || !runsIn(pid, cluster)) continue
    try {
      if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres') process.kill(pid, 'SIGKILL')
    } catch {
      // The process has ended.
    }
  }
}

interface PostmasterOptions {
  readonly binaries: string
  readonly cluster: string
  readonly location: string
  readonly host: string
  readonly owner: Owner
  readonly durable: boolean
  readonly printLine: (line: string) => void
}

interface Again {
  /** Called for each postmaster before it accepts connections. */
  readonly spawned: (postmaster: ChildProcess) => void
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

async function launch(plan: PostmasterOptions, again?: Again): Promise<ChildProcess> {
  const { spawned, timeoutMs = ORPHANS_END_WITHIN, signal } = again ?? {}
  const log = join(plan.location, LOG)
  for (const startedAt = performance.now(); ; ) {
    signal?.throwIfAborted()
    const postmaster = spawnPostmaster(plan, log)
    spawned?.(postmaster)
    if (await isReady(postmaster, plan)) return postmaster
    const output = readFileSync(log, 'utf8')
    const waits = ['pre-existing shared memory block', '" already exists'].some((reason) => output.includes(reason))
    if (!waits || performance.now() - startedAt > 3 * timeoutMs) {
      throw new StartError(`The database in ${plan.cluster} does not start: ${lastErrorLine(output)}`)
    }
    if (performance.now() - startedAt > timeoutMs) killOrphans(plan.cluster)
    await sleep(100)
  }
}

function spawnPostmaster({ binaries, cluster, host, owner, durable }: PostmasterOptions, log: string): ChildProcess {
  const settings = Object.entries(postgresSettings(host, durable)).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [join(binaries, 'postgres'), '-D', cluster, ...settings]
  // With a parent-death signal a killed platform shuts the database down cleanly. Not every system supports it.
  const tied = spawnSync('setpriv', ['--pdeathsig', 'INT', 'true'], { stdio: 'ignore' }).status === 0
  const [file, ...args] = tied ? ['setpriv', '--pdeathsig', 'INT', ...command] : command
  const output = openSync(log, 'w', 0o600)
  try {
    // A separate session, so that Ctrl-C reaches only the platform, which stops the database last.
    return spawn(file!, args, { cwd: '/', detached: true, env: quietEnvironment(), stdio: ['ignore', output, output], ...owner })
  } finally {
    closeSync(output)
  }
}

/** Keeps the operator's environment (secrets, PG variables) from the database. */
function quietEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}

function postgresSettings(host: string, durable: boolean): Record<string, string | number> {
  const onOff = durable ? 'on' : 'off'
  const memory = totalmem() / MIB
  return {
    listen_addresses: '',
    port: PORT,
    unix_socket_directories: `"${host.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    fsync: onOff,
    synchronous_commit: onOff,
    full_page_writes: onOff,
    max_connections: MAX_CONNECTIONS,
    shared_buffers: `${Math.round(Math.min(512, Math.max(64, memory / 16)))}MB`,
    effective_cache_size: `${Math.round(Math.max(128, memory / 2))}MB`,
    random_page_cost: 1.1,
    jit: 'off',
    ...(sharedMemoryIsTiny() ? { dynamic_shared_memory_type: 'mmap' } : {}),
    // Omits constraint violations; keeps messages about the server.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    log_timezone: 'UTC',
    timezone: 'UTC',
    cluster_name: 'vexil',
  }
}

/** Containers often have 64 MB in /dev/shm, too little for a parallel query. */
function sharedMemoryIsTiny(): boolean {
  if (process.platform !== 'linux') return false
  try {
    const shared = statfsSync('/dev/shm')
    return shared.blocks * shared.bsize < 256 * MIB
  } catch {
    return true
  }
}

/** Waits while the process runs, since recovery after a crash may take long. */
async function isReady(postmaster: ChildProcess, { host, printLine }: PostmasterOptions): Promise<boolean> {
  let failed = false
  postmaster.once('error', () => {
    failed = true
  })
  const startedAt = Date.now()
  for (let announced = false; !failed && postmaster.exitCode === null && postmaster.signalCode === null; ) {
    if (await answers(host)) return true
    if (!announced && Date.now() - startedAt > 5_000) {
      announced = true
      printLine('The database is recovering from a crash; this may take a while.')
    }
    await sleep(15)
  }
  return false
}

async function answers(host: string): Promise<boolean> {
  try {
    const client = await openClient({ host, port: PORT, user: USER, database: 'postgres' })
    await client.end()
    return true
  } catch {
    return false
  }
}

async function makeDatabase({ database, ...server }: EmbeddedConnection): Promise<void> {
  const client = await openClient({ ...server, database: 'postgres' })
  try {
    const known = await client.query('select 1 from pg_database where datname = $1', [database])
    if (known.rowCount === 0) await client.query(`create database "${database}"`)
  } finally {
    await client.end()
  }
}

const isOver = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** Restarts the database after each unexpected exit (decision 0011). The folder stays locked and the previous process has ended, so only one runs. */
function keepRunning(
  first: ChildProcess,
  plan: PostmasterOptions,
  connection: EmbeddedConnection,
  release: () => void,
): Embedded {
  const stopping = new AbortController()
  const { signal } = stopping
  let current = first
  const spawned = (postmaster: ChildProcess) => {
    current = postmaster
  }

  async function supervise(): Promise<void> {
    let wasReady = true
    for (let restarts = 0; ; restarts++) {
      const startedAt = performance.now()
      if (!isOver(current)) await once(current, 'exit')
      if (signal.aborted) return
      if (performance.now() - startedAt > RAN_WELL) restarts = 0
      if (wasReady) keepLog(plan.location)
      plan.printLine(`The embedded database exited unexpectedly and is restarted; its last log is ${LOG_BEFORE} in its folder.`)
      await sleep(Math.min(PAUSE_MOST, PAUSE_FIRST * 2 ** restarts), undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      wasReady = await launch(plan, { spawned, timeoutMs: ORPHANS_END_WITHIN_AT_RESTART, signal }).then(
        () => true,
        (error: Error) => {
          plan.printLine(error.message)
          return false
        },
      )
    }
  }
  const ended = supervise().then(() => {
    if (!connection.host.startsWith(plan.location)) rmSync(connection.host, { recursive: true, force: true })
    release()
  })

  return {
    connection,
    location: plan.location,
    stop: async () => {
      stopping.abort()
      if (!isOver(current)) current.kill('SIGINT')
      const killTimer = setTimeout(() => current.kill('SIGQUIT'), STOP_WITHIN)
      await ended
      clearTimeout(killTimer)
    },
  }
}

function lastErrorLine(output: string): string {
  const lines = output.trim().split('\n')
  const errorLine = lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1) ?? ''
  return errorLine.replace(/^.*?(FATAL|PANIC|error): */, '').trim()
}
