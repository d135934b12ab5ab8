/** Makes an archive: complete under its name, or not at all. */
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pack as openPack, type Pack } from 'tar-stream'
import type { Deps } from '../deps.ts'
import { referencedFiles } from '../files/files.queries.ts'
import { syncFolder } from '../ports/storage/kept-file.ts'
import { readVersion } from '../read-version.ts'
import { codeOf, StartError } from '../start-error.ts'
import {
  archiveFormat,
  type FileEntry,
  fileEntry,
  keyName,
  type Manifest,
  manifestName,
  measure,
  tableEntry,
} from './archive-format.ts'
import { guarded } from './disk-room.ts'
import { startSnapshot } from './start-snapshot.ts'
import { rowsPath, type Snapshot, type SnapshotOptions } from './take-snapshot.ts'

export interface BackupOptions extends Pick<SnapshotOptions, 'sessions' | 'guard' | 'progress'> {
  /** `referenced`: without uploads that nothing refers to, and without their rows. */
  readonly files: 'none' | 'referenced' | 'all'
  readonly withKey: boolean
  /** Stores the files somewhere else than in the archive, and returns what is there. */
  readonly filesBeside?: (hashes: readonly string[]) => Promise<FileEntry[]>
}

export interface Saved {
  readonly manifest: Manifest
  readonly bytes: number
  /** Hashes of files that the database names, but that are not stored or have other bytes. */
  readonly damaged: readonly string[]
}

export type BackupDeps = Pick<Deps, 'database' | 'db' | 'storage' | 'secrets' | 'onError'>

/** Mode 0600, synced, renamed at the end. What is written before is in a folder beside it, which is always removed. @throws StartError */
export async function saveArchive(deps: BackupDeps, path: string, options: BackupOptions): Promise<Saved> {
  if (existsSync(path)) throw new StartError(`The file ${path} exists already: choose another name.`)
  let folder: string | undefined
  try {
    folder = await mkdtemp(`${path}.part-`)
    const part = join(folder, 'archive')
    const snapshot = await startSnapshot(deps, folder, {
      ...options,
      fileRows: options.files === 'referenced' ? referencedFiles(deps.db) : 'select * from files',
      withHashes: options.files !== 'none',
    })
    const saved = await writeTar(deps, { folder, part }, snapshot, options)
    await rename(part, path)
    await syncFolder(dirname(path))
    return { ...saved, bytes: (await stat(path)).size }
  } catch (error) {
    throw reasonOf(error, path)
  } finally {
    if (folder) await rm(folder, { recursive: true, force: true })
  }
}

async function writeTar(
  deps: BackupDeps,
  { folder, part }: { readonly folder: string; readonly part: string },
  snapshot: Snapshot,
  options: BackupOptions,
): Promise<Omit<Saved, 'bytes'>> {
  const pack = openPack()
  const written = pipeline(
    pack as unknown as Readable,
    (source: AsyncIterable<Buffer>) => guarded(source, options.guard),
    createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }),
  )
  const filled = fill(deps, pack, { ...snapshot, folder }, options).then((manifest) => {
    pack.finalize()
    return manifest
  })
  try {
    const [manifest] = await Promise.all([filled, written])
    const stored = new Set(manifest.files.filter(({ hash, sha256 }) => hash === sha256).map(({ hash }) => hash))
    return { manifest, damaged: snapshot.hashes.filter((hash) => !stored.has(hash)) }
  } catch (error) {
    pack.destroy(error as Error)
    await Promise.allSettled([filled, written])
    throw error
  }
}

async function fill(
  { storage, secrets }: BackupDeps,
  pack: Pack,
  snapshot: Snapshot & { readonly folder: string },
  options: BackupOptions,
): Promise<Manifest> {
  const { hashes, folder, ...facts } = snapshot
  for (const { name } of facts.tables) {
    const path = rowsPath(folder, name)
    await addEntry(pack, tableEntry(name), (await stat(path)).size, createReadStream(path))
    await rm(path)
  }
  if (options.withKey) await addText(pack, keyName, Buffer.from(secrets.key).toString())
  const files = options.filesBeside ? await options.filesBeside(hashes) : await addFiles(storage, pack, hashes, options.progress)
  const manifest: Manifest = {
    format: archiveFormat,
    version: readVersion(),
    madeAt: new Date().toISOString(),
    ...facts,
    place: options.files === 'none' ? 'none' : options.filesBeside ? 'beside' : 'inside',
    files,
  }
  await addText(pack, manifestName, JSON.stringify(manifest, null, 1))
  return manifest
}

/** A file that is removed in the meantime is left out. */
async function addFiles(
  storage: Deps['storage'],
  pack: Pack,
  hashes: readonly string[],
  progress: (line: string) => void,
): Promise<FileEntry[]> {
  const files: FileEntry[] = []
  for (const [at, hash] of hashes.entries()) {
    const stored = await storage.get(hash)
    if (!stored) continue
    progress(`file ${at + 1} of ${hashes.length}`)
    const measured = measure()
    await addEntry(pack, fileEntry(hash), stored.size, stored.stream, measured.pass)
    files.push({ hash, ...measured.read() })
  }
  return files
}

async function addText(pack: Pack, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  await addEntry(pack, name, bytes.length, Readable.from([bytes]))
}

type Pass = (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>

async function addEntry(
  pack: Pack,
  name: string,
  size: number,
  source: Readable,
  pass: Pass = (chunks) => chunks,
): Promise<void> {
  await pipeline(source, pass, pack.entry({ name, size, mode: 0o600 }))
}

function reasonOf(error: unknown, path: string): unknown {
  const reasons: Record<string, string> = {
    ENOENT: 'its folder does not exist',
    ENOTDIR: 'its folder is a file',
    EACCES: 'permission denied',
    EROFS: 'it is on a read-only file system',
  }
  const isFolder = (error as { syscall?: unknown }).syscall === 'mkdtemp'
  const isFull = ['ENOSPC', 'EDQUOT'].includes(codeOf(error))
  const reason = isFull ? 'the disk is full' : isFolder ? reasons[codeOf(error)] : undefined
  return reason ? new StartError(`The backup ${path} cannot be written: ${reason}.`) : error
}
