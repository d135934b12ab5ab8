/** Takes a snapshot in a child process of low priority, so that requests have precedence when processors are busy. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Deps } from '../deps.ts'
import type { SnapshotInput, SnapshotOutput } from './snapshot-process.ts'
import type { Snapshot, SnapshotOptions } from './take-snapshot.ts'

const entry = fileURLToPath(new URL('./snapshot-process.ts', import.meta.url))

/** Rejects with what `guard` throws, or with the error of the process. The process has ended when this settles. */
export async function startSnapshot(
  { database: { source }, onError }: Pick<Deps, 'database' | 'onError'>,
  folder: string,
  { fileRows, withHashes, sessions, guard, progress }: SnapshotOptions,
): Promise<Snapshot> {
  const child = fork(entry, { execArgv: [] })
  const ended = once(child, 'exit')
  const { promise, resolve, reject } = Promise.withResolvers<Snapshot>()
  // A process that could not be started for lack of file descriptors has no channel.
  const send = (message: object) => void child.send?.(message, () => undefined)
  child.on('message', (output: SnapshotOutput) => {
    if ('progress' in output) progress(output.progress)
    else if ('guard' in output) guard().then(() => send({}), reject)
    else if ('snapshot' in output) resolve(output.snapshot)
    else reject(Object.assign(new Error(output.failed.message), { code: output.failed.code }))
  })
  child.once('error', reject)
  child.once('exit', (code, signal) => reject(new Error(`The process that reads the tables ended with ${signal ?? code}`)))
  if (child.pid !== undefined) lowerPriority(child.pid, onError)
  try {
    send({ source, folder, fileRows, withHashes, sessions } satisfies SnapshotInput)
    return await promise
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

/** Some sandboxes do not permit it. */
function lowerPriority(pid: number, onError: Deps['onError']): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch (error) {
    const reason = (error as Error).message
    onError(new Error(`The priority of the process that reads the tables was not lowered: ${reason}`, { cause: error }))
  }
}
