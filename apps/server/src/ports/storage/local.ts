/** Files in the data folder or in one that nodes share, `uploads/ab/cd/abcd…`. Written to a temporary file, synced, then renamed, so every file is complete; its folder is synced, so it remains. */
import { createReadStream } from 'node:fs'
import { opendir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { folderReason, makeFolder } from '../../data-folder.ts'
import { StartError } from '../../start-error.ts'
import { keepFile, syncFolder } from './kept-file.ts'
import { folderTime, openIncoming, spool } from './spool.ts'
import { keyOf, type Storage } from './storage.ts'

/** A folder that nodes share (VEXIL_FILES_DIR); none locks it. @throws StartError when it cannot be created or written */
export async function openSharedStorage(folder: string): Promise<Storage> {
  try {
    makeFolder(folder)
    return await openLocalStorage(folder)
  } catch (error) {
    throw new StartError(`The folder ${folder} (VEXIL_FILES_DIR) cannot be used: ${folderReason(error)}.`)
  }
}

export async function openLocalStorage(dataDir: string): Promise<Storage> {
  const incoming = await openIncoming(dataDir)
  const root = join(dataDir, 'uploads')
  const placeOf = (hash: string) => join(dataDir, keyOf(hash))
  const sizeOf = (path: string) =>
    stat(path).then(
      ({ size }) => size,
      () => null,
    )

  return {
    put: (bytes, max) =>
      spool(incoming, bytes, max, async (path, { hash, size }) => {
        const place = placeOf(hash)
        // The upload that stored it may still be syncing its folder.
        if ((await sizeOf(place)) === size) await syncFolder(dirname(place))
        else await keepFile(path, place)
      }),
    async get(hash, range) {
      const path = placeOf(hash)
      const size = await sizeOf(path)
      return size === null ? null : { size, stream: createReadStream(path, range ?? {}) }
    },
    has: async (hash) => (await sizeOf(placeOf(hash))) !== null,
    async delete(hash) {
      const path = placeOf(hash)
      if ((await sizeOf(path)) === null) return false
      await rm(path, { force: true })
      return true
    },
    async *list(olderThanMs) {
      const before = (await folderTime(incoming)) - olderThanMs
      for await (const entry of await opendir(root, { recursive: true })) {
        if (!entry.isFile()) continue
        const path = join(entry.parentPath, entry.name)
        const found = await stat(path).catch(() => null)
        if (!found || found.mtimeMs > before) continue
        if (entry.parentPath === incoming) await rm(path, { force: true })
        else if (path === placeOf(entry.name)) yield entry.name
      }
    },
  }
}
