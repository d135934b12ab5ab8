/** The process: reads the configuration, opens everything in order, says where it serves, and closes in reverse order. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { takeDataFolder } from './data-folder.ts'
import { openDatabase } from './db/database.ts'
import { type Embedded, startEmbedded } from './db/embedded.ts'
import { migrate } from './db/migrate.ts'
import { codeOf, StartError } from './start-error.ts'

const DRAIN_WITHIN = 10_000
const CANNOT_START = 2
const SAME_SIGNAL = 300

/** What was opened, to be closed in reverse order. */
const closers: (() => Promise<void>)[] = []
let ending: Promise<void> | null = null

function note(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Stops everything that was started and ends the process. */
function end(code: number): Promise<void> {
  ending ??= (async () => {
    for (const close of closers.reverse()) await close().catch(() => undefined)
    process.exit(code)
  })()
  return ending
}

function within(milliseconds: number, work: () => Promise<unknown>): () => Promise<void> {
  return async () => void (await Promise.race([work(), sleep(milliseconds)]))
}

function listenForTheEnd(): void {
  // The second signal ends at once; a database of ours then stops by itself.
  // A terminal and npm may both pass on one and the same Ctrl-C.
  let first = 0
  const stop = () => {
    if (ending && performance.now() - first > SAME_SIGNAL) process.exit(1)
    first ||= performance.now()
    void end(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // The command that started us was killed: nobody would be left to stop us.
  process.once('disconnect', () => void end(0))
  process.channel?.unref()
  // Nobody reads any more; that is no reason to stop serving.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
}

async function start(): Promise<void> {
  const begun = performance.now()
  const config = readConfig(process.env)
  takeDataFolder(config.dataDir)
  await mustBeFree(config)
  const embedded = config.databaseUrl === null ? await embeddedDatabase(config) : null
  const source = embedded?.connection ?? { url: config.databaseUrl! }
  const database = await openDatabase({ source, poolSize: config.databasePool })
  closers.push(within(2_000, database.close))
  await migrate(database)
  if (ending) return
  const app = await startApp({ config, database, note }).catch((error: unknown) => Promise.reject(addressError(error, config)))
  closers.push(within(DRAIN_WITHIN, app.close))
  const elsewhere = embedded && !embedded.location.startsWith(config.dataDir) ? embedded.location : null
  if (!ending) note(startBlock({ ...app, elsewhere, dataDir: config.dataDir, seconds: (performance.now() - begun) / 1000 }))
}

async function embeddedDatabase(config: Config): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir: config.dataDir, note })
  closers.push(embedded.stop)
  // However this process ends, the database is told; where possible the system does the same after a kill.
  process.once('exit', () => void embedded.stop())
  void embedded.ended.then((unexpected) => {
    if (!unexpected || ending) return
    console.error('The embedded database has ended unexpectedly; its last words are in postgres.log beside it.')
    void end(1)
  })
  return embedded
}

/** Asked before anything is opened, so that a second start disturbs nothing. */
async function mustBeFree(config: Config): Promise<void> {
  const probe = createServer()
  try {
    probe.listen({ host: config.host, port: config.port, exclusive: true })
    await once(probe, 'listening')
    probe.close()
    await once(probe, 'close')
  } catch (error) {
    throw addressError(error, config)
  }
}

function addressError(error: unknown, { host, port }: Config): unknown {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new StartError(`Port ${port} on ${host} is in use by another program: stop that one, or choose another with PORT.`)
    case 'EACCES':
      return new StartError(`This user may not listen on port ${port}: choose one above 1023 with PORT.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(`HOST is ${host}, which is no address of this machine.`)
    default:
      return error
  }
}

interface Facts {
  readonly address: string
  readonly setupLink: string | null
  readonly dataDir: string
  readonly elsewhere: string | null
  readonly seconds: number
}

function startBlock({ address, setupLink, dataDir, elsewhere, seconds }: Facts): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  const lines = [
    ['Address', address],
    ['Set up', setupLink],
    ['Data', dataDir],
    ['Database', elsewhere],
    ['Stop', 'Ctrl-C'],
  ]
  const shown = lines.filter(([, value]) => value).map(([name, value]) => `  ${name!.padEnd(10)}${value}`)
  return ['', `Vexil v${version} is ready (${seconds.toFixed(1)} s)`, '', ...shown, ''].join('\n')
}

listenForTheEnd()
try {
  await start()
} catch (error) {
  if (!ending) console.error(error instanceof StartError ? error.message : error)
  await end(error instanceof StartError ? CANNOT_START : 1)
}
