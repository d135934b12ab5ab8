/** Files in the data folder, `uploads/ab/cd/abcd…`. Written beside, synced, then renamed: a file that is there is whole. */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { FileTooLarge } from '@vexil/core/rules'
import type { Storage } from './storage.ts'

const startBytes = 4100

export async function openLocalStorage(dataDir: string): Promise<Storage> {
  const root = join(dataDir, 'uploads')
  const incoming = join(root, 'incoming')
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  const placeOf = (hash: string) => join(root, hash.slice(0, 2), hash.slice(2, 4), hash)
  const sizeOf = (path: string) =>
    stat(path).then(
      ({ size }) => size,
      () => null,
    )

  return {
    async put(bytes, max) {
      const path = join(incoming, randomUUID())
      const file = await open(path, 'wx', 0o600)
      const digest = createHash('sha256')
      let size = 0
      let start = Buffer.alloc(0)
      try {
        for await (const chunk of Buffer.isBuffer(bytes) ? Readable.from([bytes]) : bytes) {
          size += chunk.length
          if (size > max) throw new FileTooLarge({ max })
          if (start.length < startBytes) start = Buffer.concat([start, chunk]).subarray(0, startBytes)
          digest.update(chunk)
          await file.write(chunk)
        }
        await file.sync()
        await file.close()
        const hash = digest.digest('hex')
        const place = placeOf(hash)
        if ((await sizeOf(place)) === size) await rm(path)
        else {
          await mkdir(dirname(place), { recursive: true, mode: 0o700 })
          await rename(path, place)
        }
        return { hash, size, start }
      } catch (error) {
        await file.close().catch(() => {})
        await rm(path, { force: true })
        throw error
      }
    },
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
      const before = Date.now() - olderThanMs
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
