/** A real PostgreSQL as a child of the platform: no port, one private socket, every commit on disk, started again when it ends by a fault. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
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
import { StartError } from '../start-error.ts'
import { openClient } from './connections.ts'
import { postgresBinaries } from './embedded-binaries.ts'
import { databaseLocation, databaseOwner, mendCluster, type Owner, socketFolder } from './embedded-place.ts'
import { isRunning, lockFolder } from './folder-lock.ts'

/** The major version is part of the format on disk: another one cannot read the cluster. */
const MAJOR = 18
const PORT = 5432
const USER = 'vexil'
const DATABASE = 'vexil'
const MAX_CONNECTIONS = 200

/** The backends of a dead postmaster exit; those still busy after this time (at a restart while we run, a shorter one) are ended. */
const PATIENCE_WITH_ORPHANS = 5_000
const PATIENCE_AT_RESTART = 1_000
/** Pauses before it is started again: 100 ms, doubled while it keeps ending, reset once it ran for so long. */
const PAUSE_FIRST = 100
const PAUSE_MOST = 30_000
const RAN_WELL = 2_000
const STOP_WITHIN = 30_000
const LOG = 'postgres.log'
/** What the one before the last start said. */
const LOG_BEFORE = 'postgres-before.log'
const MIB = 1024 * 1024

/** How to reach the embedded database: as options of `pg`. */
export interface EmbeddedConnection {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}

/** A running embedded database. */
export interface Embedded {
  readonly connection: EmbeddedConnection
  /** The folder that holds the cluster: the data folder, or another where the database's user cannot reach that. */
  readonly location: string
  /** Stops it with all its data on disk. Until then it is started again whenever it ends. */
  stop(): Promise<void>
}

interface Options {
  readonly dataDir: string
  readonly printLine: (line: string) => void
  /** False for throwaway clusters of tests only: a crash may then lose everything. */
  readonly durable?: boolean
}

/** Starts the database of a data folder, making it at the first time. Throws `StartError` with a sentence. */
export async function startEmbedded({ dataDir, printLine, durable = true }: Options): Promise<Embedded> {
  const owner = databaseOwner()
  const location = databaseLocation(dataDir, owner)
  const lock = lockFolder(location, 'database.lock')
  if ('heldBy' in lock) throw new StartError(`The database in ${location} is in use by another running platform.`)
  try {
    const cluster = join(location, `pg${MAJOR}`)
    const exists = clusterExists(location, cluster)
    const binaries = postgresBinaries(location, owner)
    if (exists) {
      mendCluster(cluster, owner)
      await reclaim(cluster, printLine)
    } else {
      makeCluster(binaries, cluster, owner, durable)
    }
    const host = socketFolder(location, owner)
    const plan = { binaries, cluster, location, host, owner, durable, printLine }
    const postmaster = await launch(plan)
    const connection = { host, port: PORT, user: USER, database: DATABASE }
    await makeDatabase(connection)
    return keepRunning(postmaster, plan, connection, lock.release)
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Whether there is a cluster that this release can read. Nothing is touched before this is known. */
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

/** Makes the cluster beside its place and moves it there, so that an interrupted first start leaves none by halves. */
function makeCluster(binaries: string, cluster: string, owner: Owner, durable: boolean): void {
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
  const made = spawnSync(join(binaries, 'initdb'), [...args, '--no-instructions', ...(durable ? [] : ['--no-sync'])], {
    cwd: '/',
    env: quietEnvironment(),
    encoding: 'utf8',
    ...owner,
  })
  if (made.status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    throw new StartError(
      `The database could not be created in ${cluster}: ${lastComplaint(made.stderr || String(made.error ?? ''))}`,
    )
  }
  renameSync(fresh, cluster)
}

/**
 * Deals with what a killed platform or a copy left behind. We hold the folder's lock, so a postmaster that still runs here
 * is an orphan. A process that merely got the same number keeps PostgreSQL from starting: its number is taken out of the
 * file, but not the rest, by which PostgreSQL recognises surviving backends.
 */
async function reclaim(cluster: string, printLine: (line: string) => void): Promise<void> {
  const path = join(cluster, 'postmaster.pid')
  if (!existsSync(path)) return
  const [first = '', ...rest] = readFileSync(path, 'utf8').split('\n')
  const pid = Math.abs(Number.parseInt(first, 10) || 0)
  if (!isRunning(pid)) return
  if (!worksIn(pid, cluster)) {
    const nobody = 2 ** 31 - 1
    writeFileSync(path, [nobody, ...rest].join('\n'))
    return
  }
  printLine('Waiting for the database of the previous run to stop.')
  process.kill(pid, 'SIGINT')
  for (const end = Date.now() + STOP_WITHIN; isRunning(pid) && Date.now() < end; ) await sleep(50)
  if (isRunning(pid)) process.kill(pid, 'SIGQUIT')
  for (const end = Date.now() + STOP_WITHIN; isRunning(pid) && Date.now() < end; ) await sleep(50)
  if (isRunning(pid)) throw new StartError(`The database of the previous run (process ${pid}) does not stop.`)
}

/** Whether a process is a PostgreSQL of this cluster: all of them work in its folder. */
function worksIn(pid: number, cluster: string): boolean {
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
    if (!(pid > 1) || !worksIn(pid, cluster)) continue
    try {
      if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres') process.kill(pid, 'SIGKILL')
    } catch {
      // It ended meanwhile.
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
  /** Called with each postmaster that is started, before it answers. */
  readonly spawned: (postmaster: ChildProcess) => void
  readonly patience: number
  readonly signal: AbortSignal
}

/** Starts the postmaster and waits until it answers; tries again while backends of a killed one vanish. */
async function launch(plan: PostmasterOptions, again?: Again): Promise<ChildProcess> {
  const { spawned, patience = PATIENCE_WITH_ORPHANS, signal } = again ?? {}
  const log = join(plan.location, LOG)
  for (const begun = performance.now(); ; ) {
    signal?.throwIfAborted()
    const postmaster = spawnPostmaster(plan, log)
    spawned?.(postmaster)
    if (await isReady(postmaster, plan)) return postmaster
    const said = readFileSync(log, 'utf8')
    const waits = ['pre-existing shared memory block', '" already exists'].some((reason) => said.includes(reason))
    if (!waits || performance.now() - begun > 3 * patience) {
      throw new StartError(`The database in ${plan.cluster} does not start: ${lastComplaint(said)}`)
    }
    if (performance.now() - begun > patience) killOrphans(plan.cluster)
    await sleep(100)
  }
}

function spawnPostmaster({ binaries, cluster, host, owner, durable }: PostmasterOptions, log: string): ChildProcess {
  const settings = Object.entries(postgresSettings(host, durable)).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [join(binaries, 'postgres'), '-D', cluster, ...settings]
  // With the signal of its parent's death a killed platform takes the database down, cleanly. Not every system has it.
  const tied = spawnSync('setpriv', ['--pdeathsig', 'INT', 'true'], { stdio: 'ignore' }).status === 0
  const [file, ...args] = tied ? ['setpriv', '--pdeathsig', 'INT', ...command] : command
  const output = openSync(log, 'w', 0o600)
  try {
    // A separate session: Ctrl-C in a terminal is for the platform, which stops the database last.
    return spawn(file!, args, { cwd: '/', detached: true, env: quietEnvironment(), stdio: ['ignore', output, output], ...owner })
  } finally {
    closeSync(output)
  }
}

/** Nothing of the operator's environment (secrets, PG variables) reaches the database. */
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
    // Broken constraints are answers and not worth a line; what concerns the server as a whole is.
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

/** Waits for the first answer for as long as the process lives: recovery after a crash may take its time. */
async function isReady(postmaster: ChildProcess, { host, printLine }: PostmasterOptions): Promise<boolean> {
  let failed = false
  postmaster.once('error', () => {
    failed = true
  })
  const begun = Date.now()
  for (let announced = false; !failed && postmaster.exitCode === null && postmaster.signalCode === null; ) {
    if (await answers(host)) return true
    if (!announced && Date.now() - begun > 5_000) {
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

/**
 * Restarts it after each unexpected end (decision 0011). The folder stays locked meanwhile, and the one before has ended, so
 * there are never two.
 */
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
    for (let restarts = 0; ; restarts++) {
      const begun = performance.now()
      if (!isOver(current)) await once(current, 'exit')
      if (signal.aborted) return
      if (performance.now() - begun > RAN_WELL) restarts = 0
      if (existsSync(join(plan.location, LOG))) renameSync(join(plan.location, LOG), join(plan.location, LOG_BEFORE))
      plan.printLine(`The embedded database exited unexpectedly and is restarted; its last log is in ${LOG_BEFORE} beside it.`)
      await sleep(Math.min(PAUSE_MOST, PAUSE_FIRST * 2 ** restarts), undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      await launch(plan, { spawned, patience: PATIENCE_AT_RESTART, signal }).catch((error: Error) =>
        plan.printLine(error.message),
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
      const hurry = setTimeout(() => current.kill('SIGQUIT'), STOP_WITHIN)
      await ended
      clearTimeout(hurry)
    },
  }
}

/** The last line in which PostgreSQL says what is wrong. */
function lastComplaint(output: string): string {
  const lines = output.trim().split('\n')
  const complaint = lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1) ?? ''
  return complaint.replace(/^.*?(FATAL|PANIC|error): */, '').trim()
}
