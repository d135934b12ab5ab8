/**
 * The worker that runs tests against one mutant after another. The files contain the code of all mutants and a switch selects the active
 * one, so that the application is imported once and not for each mutant. If a mutant is evaluated while modules are
 * imported, a new thread is started before and after it; another one is started after some runs, so that state does not accumulate, and after
 * a test of the web that needs a separate process in `npm test`.
 */
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { type PoolOptions, type PoolWorker, ThreadsPoolWorker, type WorkerRequest } from 'vitest/node'
import { isAlone } from '../../vitest.config.ts'

const runsMost = 25

/** Whether the next test file in the same thread could depend on what this one of the web left behind. */
const spoilsThread = ({ filepath }: { readonly filepath: string }): boolean =>
  filepath.includes('/apps/web/') && isAlone(readFileSync(filepath, 'utf8'))

interface Kept {
  readonly thread: ThreadsPoolWorker
  started: boolean
  runs: number
}
/** By the environment of the tests (`node`, `jsdom`), which a thread sets up once. */
const threads = new Map<string, Kept>()

type Listener = (...args: unknown[]) => void

export class KeptThread implements PoolWorker {
  readonly name = 'kept'
  readonly #options: PoolOptions
  readonly #asks = new EventEmitter()
  readonly #listeners: [string, Listener][] = []
  #config: unknown
  #kept: Kept | undefined

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Whether modules must be imported while the mutant is active, or while coverage is recorded. */
  get #importsAnew(): boolean {
    const { mode, mutantActivation } = this.#options.project.getProvidedContext() as unknown as Record<string, unknown>
    return mode !== 'mutant' || mutantActivation !== 'runtime'
  }

  async start(): Promise<void> {
    const { name } = this.#options.environment
    if (this.#importsAnew) await end()
    const last = threads.get(name)
    if (last && last.runs >= runsMost) await last.thread.stop()
    else if (last) {
      this.#kept = last
      return
    }
    this.#kept = { thread: new ThreadsPoolWorker(this.#options), started: false, runs: 0 }
    threads.set(name, this.#kept)
    await this.#kept.thread.start()
  }

  on(event: string, listener: Listener): void {
    this.#listeners.push([event, listener])
    this.#asks.on(event, listener)
    this.#kept?.thread.on(event, listener)
  }

  off(event: string, listener: Listener): void {
    this.#asks.off(event, listener)
    this.#kept?.thread.off(event, listener)
  }

  send(message: WorkerRequest): void {
    const kept = this.#kept
    if (message.type === 'stop') this.#answer('stopped')
    else if (message.type === 'start') this.#start(message)
    // The configuration selects the tests, but the thread still has the one of its first run.
    else if (message.type === 'run') {
      if (kept) kept.runs = message.context.files.some(spoilsThread) ? runsMost : kept.runs + 1
      kept?.thread.send({ ...message, context: { ...message.context, config: this.#config } } as WorkerRequest)
    } else kept?.thread.send(message)
  }

  #start(message: WorkerRequest & { readonly type: 'start' }): void {
    this.#config = message.context.config
    const kept = this.#kept
    if (kept?.started) {
      this.#answer('started')
    } else if (kept) {
      kept.started = true
      kept.thread.send(message)
    }
  }

  /** Answers as a thread that has just started or stopped. */
  #answer(type: 'started' | 'stopped'): void {
    setImmediate(() => this.#asks.emit('message', { type, __vitest_worker_response__: true }))
  }

  deserialize(data: unknown): unknown {
    return data
  }

  async stop(): Promise<void> {
    for (const [event, listener] of this.#listeners) this.off(event, listener)
    if (this.#importsAnew) await end()
  }
}

/** Ends the threads; also called when the test runner closes. */
export async function end(): Promise<void> {
  const last = [...threads.values()]
  threads.clear()
  await Promise.all(last.map(({ thread }) => thread.stop()))
}
