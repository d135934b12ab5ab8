import { sql } from 'kysely'
import type { Db } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { forgetLeases } from './file-leases.ts'
import { discardBytes, releaseFile } from './release-file.ts'

type FileDeps = Pick<Deps, 'db' | 'storage' | 'log'>

/** Newer ones may belong to a running upload. */
const minutesOld = 60
const page = 500

export async function sweepFiles(deps: FileDeps, signal: AbortSignal): Promise<void> {
  await forgetLeases(deps.db)
  for (let after = ''; !signal.aborted; ) {
    const hashes = await listUnheld(deps.db, after)
    for (const hash of hashes) await releaseFile(deps, hash)
    if (hashes.length < page) break
    after = hashes.at(-1) as string
  }
  let hashes: string[] = []
  for await (const hash of deps.storage.list(minutesOld * 60_000)) {
    if (signal.aborted) return
    hashes.push(hash)
    if (hashes.length < page) continue
    await discardUnknown(deps, hashes)
    hashes = []
  }
  await discardUnknown(deps, hashes)
}

async function listUnheld(db: Db, after: string): Promise<string[]> {
  const { rows } = await sql<{ hash: string }>`
    select hash from files
    where not pinned and hash > ${after} and uploaded_at < clock_timestamp() - make_interval(mins => ${minutesOld})
    order by hash limit ${page}`.execute(db)
  return rows.map(({ hash }) => hash)
}

async function discardUnknown(deps: FileDeps, hashes: readonly string[]): Promise<void> {
  const { rows } = await sql<{ hash: string }>`
    select hash from unnest(${hashes}::text[]) as stored (hash) where not exists (select from files where files.hash = stored.hash)`.execute(
    deps.db,
  )
  for (const { hash } of rows) await discardBytes(deps, hash)
}
