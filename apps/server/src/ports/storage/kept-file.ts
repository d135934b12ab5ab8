/** Files and folders that remain after a power failure. */
import { mkdir, open, rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { codeOf } from '../../start-error.ts'

const attempts = 20

/** Creates the folder, private, and calls `act`, again when another process has removed the empty folder in the meantime. `made`: the first folder that was created. */
export async function inFolder<T>(folder: string, act: (made: string | undefined) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act(await mkdir(folder, { recursive: true, mode: 0o700 }))
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || attempt === attempts) throw error
    }
  }
}

/** Renames a synced file, and creates the private folders above its place. */
export async function keepFile(draft: string, place: string): Promise<void> {
  const made = await inFolder(dirname(place), (first) => rename(draft, place).then(() => first))
  await syncFolders(dirname(place), made)
}

/** Syncs a folder, and those above it as far as one has a new entry. `made`: the first folder that was created for it. */
export async function syncFolders(folder: string, made: string | undefined): Promise<void> {
  const top = resolve(made === undefined ? folder : dirname(made))
  for (let path = resolve(folder); ; path = dirname(path)) {
    await syncFolder(path)
    if (path === top) return
  }
}

/** Without it, the name of a new file may be lost in a power failure. Does nothing where the file system cannot sync folders, or the folder was removed. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch (error) {
    if (!['EINVAL', 'ENOENT'].includes(codeOf(error))) throw error
  }
}
