import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ListenOptions } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AppOptions, startApp } from './app.ts'
import { closesWithin } from './close-parts.ts'
import type { Config } from './config.ts'
import { claimDataFolder } from './data-folder.ts'
import { type Database, openDatabase } from './db/database.ts'
import { type Embedded, startEmbedded } from './db/embedded.ts'
import { migrate, untilMigrated } from './db/migrate.ts'
import { drainsWithin } from './drain.ts'
import { beat, beats } from './heartbeat.mjs'
import { type LogFormat, printedLine } from './log-lines.ts'
import type { Metric } from './metrics/figures.ts'
import {
  type ChannelAnswers,
  openRequestClient,
  openRequestServer,
  type RequestClient,
  type RequestHandlers,
} from './process-channel.ts'
import { countLimits, remoteLimits } from './shared-limits.ts'
import { codeOf, StartError } from './start-error.ts'
import {
  type Heartbeat,
  type Start,
  startWorkerProcesses,
  type ToFirst,
  type ToWorker,
  type WorkerProcesses,
} from './worker-processes.ts'

const STARTED_WITHIN = 10_000
const CLOSE_WITHIN = 2_000
/** Worker processes of a killed run release the port within this time. */
const PORT_RELEASED_WITHIN = 5_000
/** EX_SOFTWARE of sysexits.h: an internal error. The supervisor restarts the process. */
const FAULT = 70
/** Time limit for the shutdown after an error: longer than all closers may take in sequence. */
const FAULT_ENDS_WITHIN = 45_000
const SAME_SIGNAL = 300

const closers: (() => Promise<void>)[] = []
let ending: Promise<void> | null = null
/** Ends without waiting for listeners and connections to instances. */
let isImmediate = false

let printedAs: LogFormat = 'text'

/** Sets the form of the lines that `printLine` prints. */
export function printAs(format: LogFormat): void {
  printedAs = format
}

export function printLine(line: string): void {
  process.stdout.write(`${printedLine(line, printedAs)}\n`)
}

/** Registers a closer; it runs before those registered earlier. */
export const onShutdown = (close: () => Promise<void>): void => void closers.push(close)

function end(code: number, immediate = false): Promise<void> {
  if (!ending) isImmediate = immediate
  ending ??= (async () => {
    for (const close of closers.reverse()) await close().catch(() => undefined)
    process.exit(code)
  })()
  return ending
}

function within(milliseconds: number, work: () => Promise<unknown>): () => Promise<void> {
  return async () => void (await Promise.race([work(), sleep(milliseconds)]))
}

/** Runs a start with signal handlers; on failure prints one sentence if it is a StartError, and ends the process. */
export async function serve(start: () => Promise<void>): Promise<void> {
  handleSignals()
  handleFaults()
  sendHeartbeats()
  try {
    await start()
  } catch (error) {
    if (!ending) console.error(error instanceof StartError ? error.message : error)
    await end(error instanceof StartError ? error.exitCode : 1)
  }
}

function handleSignals(): void {
  // A second signal ends at once. A terminal and npm may both forward the same Ctrl-C.
  let first = 0
  const stop = (signal: NodeJS.Signals) => {
    if (first && performance.now() - first > SAME_SIGNAL) process.exit(1)
    first ||= performance.now()
    void end(0, signal === 'SIGINT')
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('SIGHUP', stop)
  // The parent process was killed: no signal would arrive from it.
  process.once('disconnect', () => void end(0, true))
  process.channel?.unref()
  // The reader of the output is gone; the platform keeps serving.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
}

/** Sends heartbeats to the parent process, if there is a channel. */
function sendHeartbeats(): void {
  const heartbeat: Heartbeat = { beat: true }
  if (process.connected) beat(() => process.connected && process.send!(heartbeat, undefined, undefined, () => undefined))
}

/** Sends heartbeats to systemd by a shell: Node has no such socket, and forking this large process each time is expensive. */
export function notifySystemd({ NOTIFY_SOCKET, WATCHDOG_USEC }: NodeJS.ProcessEnv): void {
  if (!NOTIFY_SOCKET || !WATCHDOG_USEC) return
  const shell = spawn('sh', ['-c', 'while read -r line; do systemd-notify "$line"; done'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  shell.on('error', (error) => console.error('Could not notify systemd.', error))
  shell.stdin.on('error', () => undefined)
  shell.unref()
  const oftenEnough = Number(WATCHDOG_USEC) / 1000 / 5
  beat(() => void shell.stdin.write('WATCHDOG=1\n'), { ...beats, every: oftenEnough })
}

/** After an unexpected error the process takes no new work, finishes running requests and ends, even after further errors. */
function handleFaults(): void {
  const fault = (error: unknown) => {
    console.error('Unexpected error: the process finishes running requests and exits.', error)
    if (ending) return
    setTimeout(() => process.exit(FAULT), FAULT_ENDS_WITHIN).unref()
    void end(FAULT, true)
  }
  process.on('uncaughtException', fault)
  process.on('unhandledRejection', fault)
}

export type Opened = Awaited<ReturnType<typeof startApp>> & {
  /** The location of the embedded database if it is not the data folder. */
  readonly elsewhere: string | null
}

/** Opens everything, listens, and starts the worker processes of this node. Null if the shutdown began in the meantime. */
export async function openPlatform(config: Config, more: Pick<AppOptions, 'demo' | 'demoCalls'> = {}): Promise<Opened | null> {
  claimDataFolder(config.dataDir)
  await mustBeFree(config)
  const embedded = config.databaseUrl === null ? await embeddedDatabase(config) : null
  const start = { config, source: embedded?.connection ?? { url: config.databaseUrl! } }
  const database = await openDatabaseOf(start)
  await upgradeSchema(database, config)
  if (ending) return null
  const limits = countLimits(config.disableRateLimit, config.hallNetworks)
  const opening = startApp({ config, database, printLine, limits, ...more }).catch((error: unknown) =>
    Promise.reject(addressError(error, config)),
  )
  let workers: WorkerProcesses | null = null
  const closeApp = closeOpened(opening)
  closers.push(async () => void (await Promise.all([closeApp(), workers?.end(isImmediate)])))
  const app = await opening
  if (!ending)
    workers = startWorkerProcesses({
      start,
      limits,
      printLine,
      endWithin: drainsWithin(config) + STARTED_WITHIN + closesWithin.requests + closesWithin.rest + CLOSE_WITHIN,
    })
  if (workers && config.metrics) await openMetrics(config.metrics, app, workers)
  const elsewhere = embedded && !embedded.location.startsWith(config.dataDir) ? embedded.location : null
  return ending ? null : { ...app, elsewhere }
}

/** Until then nothing listens, so no load balancer sends requests. */
async function upgradeSchema(database: Database, config: Config): Promise<void> {
  if (config.migrate === 'auto') return void (await migrate(database))
  const waiting = (pending: readonly string[]) =>
    printLine(`Waiting for "vexil migrate": ${pending.length} pending (VEXIL_MIGRATE=never).`)
  await untilMigrated(database.db, waiting, () => ending !== null)
}

/** @throws StartError if the port is in use */
async function openMetrics(
  place: NonNullable<Config['metrics']>,
  { deps, metrics }: Pick<Awaited<ReturnType<typeof startApp>>, 'deps' | 'metrics'>,
  workers: WorkerProcesses,
): Promise<void> {
  // Loaded only where it is used.
  const [{ openMetricsPort }, { keepCounts }, { databaseDown, readNodeMetrics }] = await Promise.all([
    import('./metrics/metrics-port.ts'),
    import('./metrics/kept-counts.ts'),
    import('./metrics/node-metrics.ts'),
  ])
  const ofWorkers = keepCounts()
  const collect = async () => {
    const [others, ofNode] = await Promise.all([
      workers.requestAll<Metric[]>('metrics'),
      readNodeMetrics(deps).catch(() => databaseDown),
    ])
    return [metrics?.read() ?? [], ofNode, ...(await ofWorkers(others))]
  }
  const { close } = await openMetricsPort(place, collect, deps.onError).catch((error: unknown) => {
    throw new StartError(`VEXIL_METRICS: cannot listen on ${place.host}:${place.port} (${codeOf(error)}).`)
  })
  onShutdown(close)
}

/** A closer to be registered before the app listens: it waits for the start, because requests may arrive before the start ends. */
function closeOpened(opening: ReturnType<typeof startApp>, mayDrain = () => true) {
  return async () => {
    const app = await Promise.race([opening, sleep(STARTED_WITHIN)])
    if (app && mayDrain()) await app.drain(isImmediate)
    await app?.close()
  }
}

async function openDatabaseOf({ config, source }: Start): Promise<Database> {
  const database = await openDatabase({ source, poolSize: config.databasePool, processes: config.processes })
  closers.push(within(CLOSE_WITHIN, database.close))
  return database
}

/** Opens a worker process with the settings from the first process and listens on the same port. */
export async function openWorker(demo: NonNullable<AppOptions['demo']>): Promise<void> {
  const client = openRequestClient((requests) =>
    process.send!({ requests } satisfies ToFirst, undefined, undefined, () => undefined),
  )
  process.once('disconnect', client.close)
  const { start, receive } = await receiveStart(client)
  const { config } = start
  printAs(config.logFormat)
  const database = await openDatabaseOf(start)
  if (ending) return
  const opening = startApp({
    config,
    database,
    printLine,
    demo,
    limits: remoteLimits(client, config.disableRateLimit),
    isWorker: true,
  })
  // Without the first process the port must be free at once for its replacement.
  closers.push(closeOpened(opening, () => process.connected))
  const { metrics } = await opening
  receive({ metrics: () => metrics?.read() ?? [] })
}

/** Resolves with the first message; later ones are answers, requests, for which `receive` sets the answers, or the shutdown of the node. */
function receiveStart(client: RequestClient): Promise<{ readonly start: Start; receive(answers: RequestHandlers): void }> {
  process.channel?.ref()
  const reply = (replies: ChannelAnswers) => process.send!(replies satisfies ToFirst, undefined, undefined, () => undefined)
  let answer = openRequestServer({}, reply)
  const receive = (answers: RequestHandlers) => {
    answer = openRequestServer(answers, reply)
  }
  return new Promise((resolve) => {
    process.on('message', (message: ToWorker) => {
      if ('answers' in message) client.receive(message)
      else if ('requests' in message) answer(message.requests)
      else if ('start' in message) resolve({ start: message.start, receive })
      else void end(0, message.end === 'in a hurry')
    })
  })
}

async function embeddedDatabase(config: Config): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir: config.dataDir, printLine })
  closers.push(embedded.stop)
  // Stops the database however this process ends; where possible the system does so after a kill.
  process.once('exit', () => void embedded.stop())
  return embedded
}

/** Checked before anything is opened, so that a second start has no effect. @throws StartError if the port is in use */
export async function mustBeFree(config: Config): Promise<void> {
  const { host, port, processes } = config
  try {
    const startedAt = performance.now()
    const mayWait = (error: unknown) =>
      processes > 1 && codeOf(error) === 'EADDRINUSE' && performance.now() - startedAt < PORT_RELEASED_WITHIN
    for (let free = false; !free; ) {
      free = await tryListening({ host, port, exclusive: true }).then(
        () => true,
        (error) => (mayWait(error) ? sleep(100, false) : Promise.reject(error)),
      )
    }
    if (processes > 1) await tryListening({ host, port, reusePort: true })
  } catch (error) {
    throw addressError(error, config)
  }
}

async function tryListening(options: ListenOptions): Promise<void> {
  const probe = createServer().listen(options)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}

function addressError(error: unknown, { host, port }: Config): unknown {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new StartError(`Port ${port} on ${host} is in use by another program: stop it, or set PORT to another port.`)
    case 'EACCES':
      return new StartError(`This user cannot listen on port ${port}: set PORT to a port above 1023.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(`HOST is ${host}, which is not an address of this machine.`)
    case 'ENOTSUP':
      return new StartError('VEXIL_PROCESSES must be 1: this system cannot share a port among processes.')
    default:
      return error
  }
}
