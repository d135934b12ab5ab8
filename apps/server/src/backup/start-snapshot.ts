/** Takes a snapshot in a child process of low priority, so that requests have precedence when processors are busy. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { DatabaseSource } from '../db/client-settings.ts'
import type { SnapshotInput, SnapshotOutput } from './snapshot-process.ts'
import type { Snapshot, SnapshotOptions } from './take-snapshot.ts'

const entry = fileURLToPath(new URL('./snapshot-process.ts', import.meta.url))

/** Rejects with what `guard` throws, or with the error of the process. The process has ended when this settles. */
export async function startSnapshot(
  source: DatabaseSource,
  folder: string,
  { fileRows, withHashes, sessions, guard, progress }: SnapshotOptions,
): Promise<Snapshot> {
  const child = fork(entry, { execArgv: [] })
  const ended = once(child, 'exit')
  const { promise, resolve, reject } = Promise.withResolvers<Snapshot>()
  const send = (message: object) => void child.send(message, () => undefined)
  child.on('message', (output: SnapshotOutput) => {
    if ('progress' in output) progress(output.progress)
    else if ('guard' in output) guard().then(() => send({}), reject)
    else if ('snapshot' in output) resolve(output.snapshot)
    else reject(Object.assign(new Error(output.failed.message), { code: output.failed.code }))
  })
  child.once('error', reject)
  child.once('exit', (code, signal) => reject(new Error(`The process that reads the tables ended with ${signal ?? code}`)))
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    send({ source, folder, fileRows, withHashes, sessions } satisfies SnapshotInput)
    return await promise
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}
