/** Removes unreferenced files. Call after the commit that dropped a reference. */
import { type Db, inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { every } from '../every.ts'
import { acquireLease, dropLeases, hasLease, lockHash } from './file-leases.ts'
import { deleteFileRow, findFile, forgetReleased, isReferred, listReleased, lockFile, noteReleased } from './files.queries.ts'

type FileDeps = Pick<Deps, 'db' | 'storage' | 'log'>

/** Removes the file if nothing references it. Idempotent; a missing file is no error. */
export async function releaseFile(deps: FileDeps, hash: string | null): Promise<void> {
  if (hash === null || hash === '') return
  await removeBytes(deps, hash, await removeRow(deps.db, hash))
}

/**
 * Releases the files that a stored change no longer references; to be called last, after its events and log entry. Errors are reported, not thrown,
 * because the change is done: `keepReleasing` and the daily clean-up remove what is left.
 */
export async function releaseFiles(deps: FileDeps & Pick<Deps, 'onError'>, hashes: readonly (string | null)[]): Promise<void> {
  try {
    const notes: [string, number | null][] = []
    for (const hash of new Set(hashes)) if (hash) notes.push([hash, await removeRow(deps.db, hash)])
    // Ends at the first error: an unreachable storage may take long to fail, and the notes remain.
    for (const [hash, note] of notes) await removeBytes(deps, hash, note)
  } catch (error) {
    deps.onError(error)
  }
}

/** Removes the row of a file that nothing references. Returns the number of its note in `released_files`; null if the row remains or there is none. */
const removeRow = (db: Db, hash: string): Promise<number | null> =>
  inTransaction(db, async (tx) => {
    await lockHash(tx, hash)
    // Checks the lease first: it ends with the commit of the row, so without a lease the next statement sees that row.
    if ((await hasLease(tx, hash, 'Entering')) || !(await lockFile(tx, hash))) return null
    // A separate statement after the lock, to see every earlier reference.
    if (await isReferred(tx, hash)) return null
    await deleteFileRow(tx, hash)
    return noteReleased(tx, hash)
  })

async function removeBytes(deps: FileDeps, hash: string, note: number | null): Promise<void> {
  await discardBytes(deps, hash)
  // After a failure the note remains, and the removal is retried.
  if (note !== null) await forgetReleased(deps.db, note)
}

/** Removes bytes without a row, after a removal or an unfinished upload. */
export async function discardBytes({ db, storage, log }: FileDeps, hash: string): Promise<void> {
  const lease = await inTransaction(db, async (tx) => {
    await lockHash(tx, hash)
    if ((await hasLease(tx, hash, 'Entering')) || (await findFile(tx, hash))) return null
    return acquireLease(tx, hash, 'Removing')
  })
  if (lease === null) return
  try {
    if (await storage.delete(hash)) log.write({ status: 'Success', name: 'System', message: `File removed: ${hash.slice(0, 8)}` })
  } finally {
    await dropLeases(db, [lease])
  }
}

/** Releases the files of deleted rows, also of cascades. A file that cannot be removed does not delay the others. Stops at the signal, after a file. */
export async function releaseLost(deps: FileDeps & Pick<Deps, 'onError'>, signal?: AbortSignal): Promise<void> {
  let failed = false
  for (let after = 0; ; ) {
    const lost = await listReleased(deps.db, after)
    for (const { id, hash } of lost) {
      after = id
      try {
        await releaseFile(deps, hash)
        await forgetReleased(deps.db, id)
      } catch (error) {
        // The others probably fail for the same reason: an unreachable storage.
        if (!failed) deps.onError(error)
        failed = true
      }
      if (signal?.aborted) return
    }
    if (lost.length === 0) return
  }
}

const everyMs = 10_000

export function keepReleasing(deps: FileDeps & Pick<Deps, 'onError'>): { close(): Promise<void> } {
  const closing = new AbortController()
  const work = every(everyMs, () => releaseLost(deps, closing.signal), deps.onError)
  return {
    close() {
      closing.abort()
      return work.close()
    },
  }
}
