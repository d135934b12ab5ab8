/** Named files in a folder of this machine, or in one that nodes share. */
import type { Dirent } from 'node:fs'
import { createReadStream } from 'node:fs'
import { open, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { codeOf } from '../../start-error.ts'
import { keepFile } from './kept-file.ts'
import type { NamedFile, NamedFiles } from './named-files.ts'
import { hasRoom } from './room.ts'
import { incomingOf, spool } from './spool.ts'

const atOnce = 32

const isMissing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(codeOf(error))

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

async function fileAt(path: string) {
  try {
    const found = await stat(path)
    return found.isFile() ? found : null
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** The file is opened when it is read, so that an error reaches the reader. */
async function* chunksOf(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(path)) {
    signal.throwIfAborted()
    yield chunk
  }
}

/** `put` writes in `uploads/incoming`, as uploads do, so what a killed node leaves there is removed with theirs. */
export function openNamedFolder(root: string): NamedFiles {
  /** Keeps the first folder, and folders that are not empty: another process may have stored a file. */
  async function removeEmpty(folder: string): Promise<void> {
    for (let parts = folder.split('/'); parts.length > 1; parts = parts.slice(0, -1)) {
      const isRemoved = await rmdir(join(root, ...parts)).then(
        () => true,
        (error: unknown) => isMissing(error),
      )
      if (!isRemoved) return
    }
  }

  async function* list(folder: string): AsyncGenerator<NamedFile> {
    const entries = await entriesOf(join(root, folder))
    for (let from = 0; from < entries.length; from += atOnce) {
      const names = entries.slice(from, from + atOnce).map(({ name }) => `${folder}${name}`)
      const found = await Promise.all(names.map((name) => fileAt(join(root, name))))
      for (const [i, file] of found.entries())
        if (file) yield { name: names[i] as string, size: file.size, changedAt: file.mtime }
    }
    for (const entry of entries) if (entry.isDirectory()) yield* list(`${folder}${entry.name}/`)
  }

  return {
    place: root,
    list,
    async put(name, path, signal) {
      if (!(await hasRoom(root))) throw new Error(`${root} is nearly full`)
      const { mtime } = await stat(path)
      const place = join(root, name)
      const bytes = Readable.from(chunksOf(path, signal), { objectMode: false })
      await spool(incomingOf(root), bytes, Number.POSITIVE_INFINITY, async (draft) => {
        const file = await open(draft, 'r+')
        try {
          await keepFile(draft, place)
          // Not before: a draft of an old date would be removed as one of a killed node.
          await file.utimes(mtime, mtime)
        } finally {
          await file.close()
        }
      })
    },
    async get(name) {
      const file = await open(join(root, name)).catch((error: unknown) => {
        if (isMissing(error)) return null
        throw error
      })
      if (!file) return null
      const found = await file.stat()
      if (!found.isFile()) {
        await file.close()
        return null
      }
      const { size } = found
      return { size, stream: file.createReadStream({ start: 0, end: Math.max(0, size - 1) }) }
    },
    async delete(name) {
      const path = join(root, name)
      if (!(await fileAt(path))) return false
      await rm(path, { force: true })
      await removeEmpty(dirname(name))
      return true
    },
    async deleteFolder(folder) {
      await rm(join(root, folder), { recursive: true, force: true, maxRetries: 3 })
      await removeEmpty(dirname(folder))
    },
    folders: async (folder) =>
      (await entriesOf(join(root, folder))).filter((entry) => entry.isDirectory()).map(({ name }) => name),
  }
}
