/** A child process that writes one snapshot: compressing rows would delay the requests of the platform's own process. */

import { type DatabaseSource, reservedSettings } from '../db/client-settings.ts'
import { openClient } from '../db/connections.ts'
import { codeOf } from '../start-error.ts'
import { type Snapshot, type SnapshotOptions, takeSnapshot } from './take-snapshot.ts'

export interface SnapshotInput extends Omit<SnapshotOptions, 'guard' | 'progress'> {
  readonly source: DatabaseSource
  readonly folder: string
}

/** `guard`: the parent answers with any message when the process may write more, and kills it otherwise. */
export type SnapshotOutput =
  | { readonly progress: string }
  | { readonly guard: true }
  | { readonly snapshot: Snapshot }
  | { readonly failed: { readonly message: string; readonly code: string } }

const send = (output: SnapshotOutput) => new Promise<void>((resolve) => void process.send?.(output, () => resolve()))

async function run({ source, folder, ...options }: SnapshotInput): Promise<void> {
  const client = await openClient(reservedSettings(source, { idleInTransactionMs: 0, statementMs: 0, name: 'vexil backup' }))
  const snapshot = await takeSnapshot(client, folder, {
    ...options,
    guard: async () => {
      const answer = new Promise((resolve) => void process.once('message', resolve))
      await send({ guard: true })
      await answer
    },
    progress: (progress) => void send({ progress }),
  })
  await send({ snapshot })
}

// The parent ends this process when it has the snapshot or an error.
process.once('disconnect', () => process.exit(1))
process.once('message', (input: SnapshotInput) => {
  run(input).catch((error: Error) => send({ failed: { message: error.message, code: codeOf(error) } }))
})
