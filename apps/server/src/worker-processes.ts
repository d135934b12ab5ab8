/** Starts, restarts and ends the worker processes of a node, and answers their requests (decision 0029). */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from './config.ts'
import type { DatabaseSource } from './db/client-settings.ts'
import { watchBeats } from './heartbeat.mjs'
import {
  type ChannelAnswers,
  type ChannelRequest,
  openRequestClient,
  openRequestServer,
  type RequestClient,
} from './process-channel.ts'
import { type CountedLimits, limitHandlers } from './shared-limits.ts'

/** Settings of a worker process, sent over the channel: command lines and environments are visible to others. */
export interface Start {
  readonly config: Config
  readonly source: DatabaseSource
}

export type ToWorker =
  | { readonly start: Start }
  | ChannelAnswers
  | { readonly requests: readonly ChannelRequest[] }
  | { readonly end: 'drained' | 'in a hurry' }
export type Heartbeat = { readonly beat: true }
export type ToFirst = { readonly requests: readonly ChannelRequest[] } | ChannelAnswers | Heartbeat

interface Options {
  readonly start: Start
  readonly limits: CountedLimits
  readonly printLine: (line: string) => void
  /** Milliseconds after which a process that does not end is killed. */
  readonly endWithin: number
}

/** Delay (ms) before a restart; doubled each time until a process ran for `ranWell`. */
const pauses = { first: 1_000, most: 60_000, ranWell: 5 * 60_000 }

export interface WorkerProcesses {
  /** The answer of each running process; null from those that are starting, ending or do not respond. The keys stay the same until a process ends. */
  requestAll<T>(name: string): Promise<ReadonlyMap<object, T | null>>
  end(isImmediate: boolean): Promise<void>
}

export function startWorkerProcesses(options: Options): WorkerProcesses {
  const clients = new Set<RequestClient>()
  const ending = new AbortController()
  const { signal } = ending

  async function keepOne(): Promise<void> {
    for (let pause = pauses.first; ; pause = Math.min(pauses.most, pause * 2)) {
      const startedAt = performance.now()
      const how = await runOne(options, clients, signal)
      if (signal.aborted) return
      if (performance.now() - startedAt > pauses.ranWell) pause = pauses.first
      options.printLine(`A worker process exited (${how}). Restarting in ${pause / 1000} s.`)
      await sleep(pause, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
    }
  }
  const kept = Array.from({ length: options.start.config.processes - 1 }, keepOne)

  return {
    async requestAll<T>(name: string) {
      const requestOne = (client: RequestClient) => client.request<T | null>(name).catch(() => null)
      return new Map(await Promise.all([...clients].map(async (client) => [client, await requestOne(client)] as const)))
    },
    async end(isImmediate) {
      ending.abort(isImmediate ? 'in a hurry' : 'drained')
      await Promise.all(kept)
    },
  }
}

async function runOne(
  { start, limits, printLine, endWithin }: Options,
  clients: Set<RequestClient>,
  signal: AbortSignal,
): Promise<string> {
  const child = fork(new URL('./worker-process.ts', import.meta.url))
  // Errors are ignored: the process has ended. One that could not be started for lack of file descriptors has no channel.
  const send = (message: ToWorker) => void child.send?.(message, () => undefined)
  const { answers, lost } = limitHandlers(limits)
  const answer = openRequestServer(answers, send)
  const client = openRequestClient((requests) => send({ requests }))
  clients.add(client)
  const life = watchBeats(() => {
    printLine('A worker process does not respond. Killing it.')
    child.kill('SIGKILL')
  })
  const receive = (message: ToFirst) => {
    if ('beat' in message) life.received()
    else if ('answers' in message) client.receive(message)
    else answer(message.requests)
  }
  const end = () => {
    send({ end: signal.reason })
    setTimeout(() => child.kill('SIGKILL'), endWithin).unref()
  }
  child.on('message', receive)
  signal.addEventListener('abort', end)
  send({ start })
  try {
    const [code, killedBy] = await once(child, 'exit')
    return killedBy ?? `code ${code}`
  } catch (error) {
    child.kill('SIGKILL')
    return String(error)
  } finally {
    life.stop()
    clients.delete(client)
    client.close()
    signal.removeEventListener('abort', end)
    child.off('message', receive)
    lost()
  }
}
