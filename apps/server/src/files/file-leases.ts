/**
 * Keeps bytes and rows consistent without a transaction that waits for the storage. Adding a file holds a lease until its row is committed; removing
 * one holds a lease until its bytes are deleted. Adding waits for removals; a removal is skipped while the file is being added. Both check under the
 * lock of the hash.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { FileNotStored } from '@vexil/core/rules'
import { sql } from 'kysely'
import { type Db, inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'

type Purpose = 'Entering' | 'Removing'

/** Older leases belong to ended processes. A removal is one request to the storage; adding may transfer hundreds of megabytes. */
const minutesMost: Readonly<Record<Purpose, number>> = { Entering: 60, Removing: 5 }
/** How long adding waits for a removal of the same bytes. */
const waitMostMs = 10_000

/** Stored bytes; `again` stores them again after a removal. Absent for a stream, which cannot be read twice. */
export interface PutBytes {
  readonly hash: string
  readonly again?: (() => Promise<unknown>) | undefined
}

/** Runs `work` in a transaction during which the bytes of these files cannot be removed. @throws FileNotStored */
export async function withStored<T>(
  { db, storage }: Pick<Deps, 'db' | 'storage'>,
  files: readonly PutBytes[],
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const leases: number[] = []
  try {
    for (const { hash, again } of files) {
      leases.push(await waitToEnter(db, hash))
      if (await storage.has(hash)) continue
      if (!again) throw new FileNotStored()
      await again()
    }
    return await inTransaction(db, async (tx) => {
      await dropLeases(tx, leases)
      return work(tx)
    })
  } catch (error) {
    await dropLeases(db, leases)
    throw error
  }
}

async function waitToEnter(db: Db, hash: string): Promise<number> {
  for (const startedAt = performance.now(); performance.now() - startedAt < waitMostMs; await sleep(20 + Math.random() * 30)) {
    const lease = await inTransaction(db, async (tx) => {
      await lockHash(tx, hash)
      return (await hasLease(tx, hash, 'Removing')) ? null : acquireLease(tx, hash, 'Entering')
    })
    if (lease !== null) return lease
  }
  throw new FileNotStored()
}

/** Serialises adding and removing a file: locks the hash until the transaction ends. */
export async function lockHash(tx: Tx, hash: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${hash}, 0))`.execute(tx)
}

/** Requires the lock of the hash. */
export async function hasLease(tx: Tx, hash: string, purpose: Purpose): Promise<boolean> {
  const { rows } = await sql<{ leased: boolean }>`
    select exists (
      select from file_leases
      where hash = ${hash} and purpose = ${purpose} and since > clock_timestamp() - make_interval(mins => ${minutesMost[purpose]})
    ) as leased`.execute(tx)
  return rows[0]?.leased ?? true
}

/** Requires the lock of the hash. Returns the id of the lease. */
export async function acquireLease(tx: Tx, hash: string, purpose: Purpose): Promise<number> {
  const { id } = await tx.insertInto('fileLeases').values({ hash, purpose }).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function dropLeases(db: Db | Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('fileLeases').where('id', '=', sql<number>`any(${ids}::bigint[])`).execute()
}

export async function forgetLeases(db: Db): Promise<void> {
  await sql`delete from file_leases where since < clock_timestamp() - make_interval(mins => ${minutesMost.Entering})`.execute(db)
}
