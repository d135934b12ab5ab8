/** Stored files: bytes in the storage, one row each; references are counted in the referencing tables. */
import type { Readable } from 'node:stream'
import { fileLimits } from '@vexil/core/limits'
import { fileTypeFromBuffer } from 'file-type'
import type { Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { withStored } from './file-leases.ts'
import { type FileRow, upsertFile } from './files.queries.ts'

export type PutFile = Omit<FileRow, 'name'>

/** Stores bytes and detects their type by content, not by name. */
export async function putFile({ storage }: Pick<Deps, 'storage'>, bytes: Buffer | Readable, max: number): Promise<PutFile> {
  const { hash, size, start } = await storage.put(bytes, max)
  const sniffed = await fileTypeFromBuffer(start).catch(() => undefined)
  return { hash, size, type: sniffed?.mime ?? 'application/octet-stream' }
}

/** Inserts the row in the transaction that also references it; must run inside `withStored`. */
export async function enterFile(
  tx: Tx,
  file: PutFile & { readonly name: string; readonly pinned?: boolean | undefined },
): Promise<void> {
  await upsertFile(tx, { ...file, name: baseName(file.name), pinned: file.pinned ?? false })
}

export interface StoreOptions {
  readonly name: string
  /** Maximum bytes; above: FileTooLarge. */
  readonly max: number
  /** Keeps the file without another reference, as for an administrator's upload. */
  readonly pinned?: boolean
}

export async function storeFile(
  deps: Pick<Deps, 'db' | 'storage'>,
  bytes: Buffer | Readable,
  { name, max, pinned }: StoreOptions,
  refer: (tx: Tx, hash: string) => Promise<void> = async () => {},
): Promise<FileRow> {
  const put = await putFile(deps, bytes, max)
  const again = Buffer.isBuffer(bytes) ? () => deps.storage.put(bytes, max) : undefined
  await withStored(deps, [{ hash: put.hash, again }], async (tx) => {
    await enterFile(tx, { ...put, name, pinned })
    await refer(tx, put.hash)
  })
  return { ...put, name: baseName(name) }
}

/** A file name without folders and control characters, at most 255 characters. */
export function baseName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const clean = last.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '').trim()
  return [...clean.toWellFormed()].join('').slice(0, fileLimits.nameMax).toWellFormed() || 'file'
}
