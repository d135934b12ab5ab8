/** Nodes as an operator starts them, and the memory and handles of their processes. Linux only. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../scripts/toolchain.mjs'

const startsWithin = 60_000

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Pids of the children of a process; [] once it has ended. */
export const childrenOf = (pid: number): number[] =>
  read(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number)
const runs = (pid: number, program: string) => read(`/proc/${pid}/cmdline`).includes(program)

export interface Held {
  /** MB, of all processes. */
  readonly memory: number
  readonly handles: number
}

export interface Node {
  readonly url: string
  /** Pid; undefined between two starts. */
  first(): number | undefined
  workers(): number[]
  held(): Held
  /** The output since its start. */
  output(): string
  /** Starts the release in this folder, with `env` as additional settings. Returns when the node is ready. */
  start(env?: Readonly<Record<string, string>>, release?: string): Promise<void>
  /** Stops it as an operator does. */
  stop(): Promise<void>
}

export const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz/ready`, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  )

function heldBy(pids: readonly number[]): Held {
  let [memory, handles] = [0, 0]
  for (const pid of pids) {
    memory += Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024
    try {
      handles += readdirSync(`/proc/${pid}/fd`).length
    } catch {
      // The process has just ended.
    }
  }
  return { memory, handles }
}

/** `settings` must have PORT and DATA_DIR. */
export function makeNode(settings: Readonly<Record<string, string>>): Node {
  const url = `http://127.0.0.1:${settings.PORT}`
  let supervisor: ReturnType<typeof spawn> | undefined
  let output = ''
  const first = () => childrenOf(supervisor?.pid ?? 0).find((pid) => runs(pid, 'src/main.ts'))
  const workers = () => childrenOf(first() ?? 0).filter((pid) => runs(pid, 'worker-process.ts'))
  return {
    url,
    first,
    workers,
    held: () => heldBy([first() ?? 0, ...workers()]),
    output: () => output,
    async start(env = {}, release = root) {
      const child = spawn(process.execPath, [join(release, 'tools/chaos/supervised.mjs')], {
        env: { PATH: process.env.PATH, ...settings, ...env },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      })
      supervisor = child
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk))
      for (const end = performance.now() + startsWithin; !(await isReady(url)); await sleep(100)) {
        if (child.exitCode !== null || performance.now() > end) throw new Error(`A node did not start:\n${output.slice(-2000)}`)
      }
    },
    async stop() {
      if (!supervisor || supervisor.exitCode !== null) return
      const ended = once(supervisor, 'exit')
      supervisor.kill('SIGTERM')
      await ended
    },
  }
}
