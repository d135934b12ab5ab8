/** Removal of files that nothing refers to any more. Call it after the commit that dropped a reference. */
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { every } from '../every.ts'
import { dropLeases, hasLease, lockHash, takeLease } from './file-leases.ts'
import { deleteFileRow, findFile, forgetReleased, isReferred, listReleased, lockFile, noteReleased } from './files.queries.ts'

type FileDeps = Pick<Deps, 'db' | 'storage' | 'log'>

/** Removes the file unless something still refers to it; harmless when done twice or for a file that is not there. */
export async function releaseFile(deps: FileDeps, hash: string | null): Promise<void> {
  if (hash === null || hash === '') return
  const note = await inTransaction(deps.db, async (tx) => {
    await lockHash(tx, hash)
    // First the lease: it ends with the commit that enters the row, so a transaction that finds none sees that row in the next statement.
    if ((await hasLease(tx, hash, 'Entering')) || !(await lockFile(tx, hash))) return null
    // A separate statement after the lock, so that it sees every reference made until then.
    if (await isReferred(tx, hash)) return null
    await deleteFileRow(tx, hash)
    return noteReleased(tx, hash)
  })
  await discardBytes(deps, hash)
  // Bytes that could not be removed are tried again from the note.
  if (note !== null) await forgetReleased(deps.db, note)
}

/** Removes bytes that have no row: after a removal, or after an upload that was not finished. */
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

/** Releases the files of rows that were deleted, also by a cascade. Call it after the commit; what it leaves is done by `keepReleasing`. */
export async function releaseLost(deps: FileDeps): Promise<void> {
  for (let lost = await listReleased(deps.db); lost.length > 0; lost = await listReleased(deps.db)) {
    for (const { id, hash } of lost) {
      await releaseFile(deps, hash)
      await forgetReleased(deps.db, id)
    }
  }
}

const everyMs = 10_000

/** Releases what others left: a process that ended after its commit, a cascade. */
export function keepReleasing(deps: FileDeps & Pick<Deps, 'onError'>): { close(): Promise<void> } {
  return every(everyMs, () => releaseLost(deps), deps.onError)
}
