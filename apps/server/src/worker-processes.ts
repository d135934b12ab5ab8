/** Starts, restarts and ends the worker processes of a node, and answers their requests (decision 0029). */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from './config.ts'
import type { DatabaseSource } from './db/client-settings.ts'
import { watchBeats } from './heartbeat.mjs'
import { type Asker, openAnswerer, openAsker, type Question, type Replies } from './process-channel.ts'
import { answerLimits, type CountedLimits } from './shared-limits.ts'

/** Settings of a worker process, sent over the channel: command lines and environments are visible to others. */
export interface Start {
  readonly config: Config
  readonly source: DatabaseSource
}

export type ToWorker =
  | { readonly start: Start }
  | Replies
  | { readonly questions: readonly Question[] }
  | { readonly end: 'drained' | 'in a hurry' }
export type Heartbeat = { readonly beat: true }
export type ToFirst = { readonly questions: readonly Question[] } | Replies | Heartbeat

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
  askAll<T>(name: string): Promise<ReadonlyMap<object, T | null>>
  end(isImmediate: boolean): Promise<void>
}

export function startWorkerProcesses(options: Options): WorkerProcesses {
  const askers = new Set<Asker>()
  const ending = new AbortController()
  const { signal } = ending

  async function keepOne(): Promise<void> {
    for (let pause = pauses.first; ; pause = Math.min(pauses.most, pause * 2)) {
      const begun = performance.now()
      const how = await runOne(options, askers, signal)
      if (signal.aborted) return
      if (performance.now() - begun > pauses.ranWell) pause = pauses.first
      options.printLine(`A worker process exited (${how}). Restarting in ${pause / 1000} s.`)
      await sleep(pause, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
    }
  }
  const kept = Array.from({ length: options.start.config.processes - 1 }, keepOne)

  return {
    async askAll<T>(name: string) {
      const askOne = (asker: Asker) => asker.ask<T | null>(name).catch(() => null)
      return new Map(await Promise.all([...askers].map(async (asker) => [asker, await askOne(asker)] as const)))
    },
    async end(isImmediate) {
      ending.abort(isImmediate ? 'in a hurry' : 'drained')
      await Promise.all(kept)
    },
  }
}

async function runOne(
  { start, limits, printLine, endWithin }: Options,
  askers: Set<Asker>,
  signal: AbortSignal,
): Promise<string> {
  const child = fork(new URL('./worker-process.ts', import.meta.url))
  // Errors are ignored: the process has ended.
  const say = (message: ToWorker) => void child.send(message, () => undefined)
  const { answers, lost } = answerLimits(limits)
  const answer = openAnswerer(answers, say)
  const asker = openAsker((questions) => say({ questions }))
  askers.add(asker)
  const life = watchBeats(() => {
    printLine('A worker process does not respond. Killing it.')
    child.kill('SIGKILL')
  })
  const hear = (message: ToFirst) => {
    if ('beat' in message) life.received()
    else if ('answers' in message) asker.hear(message)
    else answer(message.questions)
  }
  const end = () => {
    say({ end: signal.reason })
    setTimeout(() => child.kill('SIGKILL'), endWithin).unref()
  }
  child.on('message', hear)
  signal.addEventListener('abort', end)
  say({ start })
  try {
    const [code, killedBy] = await once(child, 'exit')
    return killedBy ?? `code ${code}`
  } catch (error) {
    child.kill('SIGKILL')
    return String(error)
  } finally {
    life.stop()
    askers.delete(asker)
    asker.close()
    signal.removeEventListener('abort', end)
    child.off('message', hear)
    lost()
  }
}
