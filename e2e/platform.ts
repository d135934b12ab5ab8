/** A real platform for a journey, with a separate process, port and data folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { type EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { serverEnv, serverFlags } from '../scripts/toolchain.mjs'
import { chooseProxy } from './test-proxy.ts'

const MAIN = join(import.meta.dirname, '../apps/server/src/main.ts')
/** Long enough for a busy machine. */
const READY_WITHIN = 180_000

/** A running platform. */
export interface Platform {
  readonly url: string
  readonly dataDir: string
  /** The password of the account `Admin`. */
  readonly adminPassword: string
  readonly process: ChildProcess
  /** The output so far. */
  output(): string
  /** Stops it as an operator would, and removes the data folder. */
  stop(): Promise<void>
  /** Simulates a power failure with SIGKILL. The data folder is kept, so that `dataDir` can start it again. */
  kill9(): Promise<void>
}

interface Options {
  readonly env?: Readonly<Record<string, string>>
  /** The folder of an earlier platform, kept by `kill9`. */
  readonly dataDir?: string
}

/** Starts a platform and waits until it is healthy. */
export async function startPlatform({ env = {}, dataDir }: Options = {}): Promise<Platform> {
  // On a disk: benches, restarts and kills of this platform measure and test durable commits.
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'vexil-e2e-'))
  const port = Number(env.PORT ?? (await freePort()))
  const proxy = await chooseProxy(freePort)
  const adminPassword = env.ADMIN_PASSWORD ?? 'Correct-Horse-9'
  const child = spawn(process.execPath, [...serverFlags, MAIN], {
    env: {
      ...serverEnv,
      ...process.env,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: folder,
      ADMIN_PASSWORD: adminPassword,
      VEXIL_DRAIN_SECONDS: '0',
      ...proxy?.env,
      ...env,
    },
    // The platform stops when this channel closes, which also happens when the tests are killed.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk))
  const exit = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  await healthy(url, child, () => output)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await exit
    await proxy?.stop()
  }
  return {
    url: (await proxy?.start(url)) ?? url,
    dataDir: folder,
    adminPassword,
    process: child,
    output: () => output,
    async stop() {
      await end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
    kill9: () => end('SIGKILL'),
  }
}

async function healthy(url: string, child: ChildProcess, output: () => string): Promise<void> {
  for (const end = Date.now() + READY_WITHIN; Date.now() < end; await sleep(30)) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The platform did not start:\n${output()}`)
    const answer = await fetch(`${url}/healthz`).catch(() => null)
    if (answer?.ok) return
  }
  child.kill('SIGKILL')
  throw new Error(`The platform was not healthy in time:\n${output()}`)
}

/**
 * A free port, below the range of outgoing connections and Docker. The UDP port of the same number reserves it until this process ends, so that no
 * other test chooses it before its platform listens.
 */
export async function freePort(): Promise<number> {
  const port = 10_240 + Math.floor(Math.random() * 20_000)
  const isBound = (socket: EventEmitter) =>
    once(socket, 'listening').then(
      () => true,
      () => false,
    )
  const reservation = createSocket('udp4').unref()
  reservation.bind({ port, exclusive: true })
  if (!(await isBound(reservation))) return freePort()
  const server = createServer().listen(port)
  if (!(await isBound(server))) {
    reservation.close()
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
