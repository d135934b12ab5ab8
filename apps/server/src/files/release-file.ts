/** Removes unreferenced files. Call after the commit that dropped a reference. */
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { every } from '../every.ts'
import { dropLeases, hasLease, lockHash, takeLease } from './file-leases.ts'
import { deleteFileRow, findFile, forgetReleased, isReferred, listReleased, lockFile, noteReleased } from './files.queries.ts'

type FileDeps = Pick<Deps, 'db' | 'storage' | 'log'>

/** Removes the file if nothing references it. Idempotent; a missing file is no error. */
export async function releaseFile(deps: FileDeps, hash: string | null): Promise<void> {
  if (hash === null || hash === '') return
  const note = await inTransaction(deps.db, async (tx) => {
    await lockHash(tx, hash)
    // Checks the lease first: it ends with the commit of the row, so without a lease the next statement sees that row.
    if ((await hasLease(tx, hash, 'Entering')) || !(await lockFile(tx, hash))) return null
    // A separate statement after the lock, to see every earlier reference.
    if (await isReferred(tx, hash)) return null
    await deleteFileRow(tx, hash)
    return noteReleased(tx, hash)
  })
  await discardBytes(deps, hash)
  // After a failure the note remains, and the removal is retried.
  if (note !== null) await forgetReleased(deps.db, note)
}

/** Removes bytes without a row, after a removal or an unfinished upload. */
export async function discardBytes({ db, storage, log }: FileDeps, hash: string): Promise<void> {
  const lease = await inTransaction(db, async (tx) => {
    await lockHash(tx, hash)
    if ((await hasLease(tx, hash, 'Entering')) || (await findFile(tx, hash))) return null
    return takeLease(tx, hash, 'Removing')
  })
  if (lease === null) return
  try {
    if (await storage.delete(hash)) log.write({ status: 'Success', name: 'System', message: `File removed: ${hash.slice(0, 8)}` })
  } finally {
    await dropLeases(db, [lease])
  }
}

/** Releases the files of deleted rows, also of cascades. Call after the commit; `keepReleasing` handles the rest. */
export async function releaseLost(deps: FileDeps): Promise<void> {
  for (let lost = await listReleased(deps.db); lost.length > 0; lost = await listReleased(deps.db)) {
    for (const { id, hash } of lost) {
      await releaseFile(deps, hash)
      await forgetReleased(deps.db, id)
    }
  }
}

const everyMs = 10_000

export function keepReleasing(deps: FileDeps & Pick<Deps, 'onError'>): { close(): Promise<void> } {
  return every(everyMs, () => releaseLost(deps), deps.onError)
}
