/** A process of deletions.runner.ts and its database server, recreated if an answer does not arrive. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Question, Result } from './deletions.runner.ts'

export class Runner {
  readonly #copy: string
  #child: ChildProcess | undefined

  constructor(copy: string) {
    this.#copy = copy
  }

  /** @param ms timeout of the answer; after it the deletion counts as noticed */
  async ask(question: Question, ms: number): Promise<Result> {
    this.#child ??= await this.#start()
    const child = this.#child
    const { promise, resolve } = Promise.withResolvers<Result>()
    const late = setTimeout(resolve, ms, { failed: true, by: 'no answer in time', ran: 0 })
    const ended = () => resolve({ failed: true, by: 'the process of the tests ended', ran: 0 })
    child.once('message', resolve)
    child.once('exit', ended)
    child.send(question)
    const result = await promise
    clearTimeout(late)
    child.off('message', resolve)
    child.off('exit', ended)
    // It may be in an endless loop, and so may the processes that it started.
    if (result.ran === 0) await this.end('SIGKILL')
    return result
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(join(this.#copy, 'tools/mutation/deletions.runner.ts'), {
      cwd: this.#copy,
      // A separate process group, so that all its processes can be ended.
      detached: true,
      stdio: ['ignore', 'ignore', process.env.VEXIL_SHOW ? 'inherit' : 'ignore', 'ipc'],
      env: {
        ...process.env,
        NODE_ENV: 'test',
        VITEST: '1',
        VEXIL_TEST_POSTGRES: '18',
        // Each deletion runs in a new worker, which need not compile unchanged code again.
        NODE_COMPILE_CACHE: join(this.#copy, 'node_modules/.cache/compiled'),
      },
    })
    await once(child, 'message')
    return child
  }

  async end(signal: 'SIGKILL' | 'none' = 'none'): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    if (signal === 'SIGKILL' && child.pid) process.kill(-child.pid, signal)
    else child.disconnect()
    await ended
  }
}
