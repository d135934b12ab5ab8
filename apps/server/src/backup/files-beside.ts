/** The files of scheduled backups: each is stored once in `files/ab/cd/HASH`, and removed when no kept backup names it. */
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Deps } from '../deps.ts'
import { syncFolders } from '../ports/storage/kept-file.ts'
import { type FileEntry, fileEntry, measure } from './archive-format.ts'
import { guarded } from './disk-room.ts'

/** Newer files and lists may belong to a backup that another node is making. */
const leastAgeMs = 24 * 3_600_000

/** Hashes of the files of a backup, one per line. */
export const listOf = (archive: string) => `${archive}.files`

/** Copies files that do not exist there yet, and lists them beside the archive. Files that are lost or damaged are left out. */
export async function storeBeside(
  { storage }: Pick<Deps, 'storage'>,
  archive: string,
  hashes: readonly string[],
  guard: () => Promise<void>,
): Promise<FileEntry[]> {
  const files: FileEntry[] = []
  for (const hash of hashes) {
    const path = join(dirname(archive), fileEntry(hash))
    const size = (await touch(path)) ?? (await copy(storage, hash, path, guard))
    if (size !== null) files.push({ hash, size, sha256: hash })
  }
  await writeFile(listOf(archive), files.map(({ hash }) => `${hash}\n`).join(''), { mode: 0o600, flush: true })
  return files
}

/** Makes an existing file new again and returns its size; null: it does not exist. */
async function touch(path: string): Promise<number | null> {
  const now = new Date()
  return utimes(path, now, now).then(
    async () => (await stat(path)).size,
    () => null,
  )
}

async function copy(storage: Deps['storage'], hash: string, path: string, guard: () => Promise<void>): Promise<number | null> {
  const stored = await storage.get(hash)
  if (!stored) return null
  const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Two nodes may copy the same file at the same time.
  const part = `${path}.part-${randomUUID()}`
  const measured = measure()
  try {
    await pipeline(
      stored.stream,
      measured.pass,
      (source: AsyncIterable<Buffer>) => guarded(source, guard),
      createWriteStream(part, { mode: 0o600, flush: true }),
    )
    const { size, sha256 } = measured.read()
    if (sha256 !== hash) return null
    await rename(part, path)
    await syncFolders(dirname(path), made)
    return size
  } finally {
    await rm(part, { force: true })
  }
}

/** Removes lists without an archive, and files that no list names, once they are a day old. No file is removed while an archive has no list. */
export async function removeUnnamed(folder: string, kept: readonly string[], now: Date): Promise<void> {
  const removeAged = async (path: string) => {
    // Another node may have renamed or removed it since the folder was read.
    const found = await stat(path).catch(() => null)
    if (found && found.mtimeMs < now.getTime() - leastAgeMs) await rm(path, { force: true })
  }
  const names = await readdir(folder)
  for (const name of names)
    if (name.endsWith('.tar.files') && !kept.some((archive) => listOf(archive) === name)) await removeAged(join(folder, name))
  if (kept.some((name) => !names.includes(listOf(name)))) return
  const named = new Set<string>()
  for (const name of kept) for (const hash of (await readFile(join(folder, listOf(name)), 'utf8')).split('\n')) named.add(hash)
  for (const entry of await readdir(join(folder, 'files'), { recursive: true }).catch(() => [])) {
    const name = basename(entry)
    if (!named.has(name) && /^[0-9a-f]{64}(\.part-[\w-]+)?$/.test(name)) await removeAged(join(folder, 'files', entry))
  }
}
