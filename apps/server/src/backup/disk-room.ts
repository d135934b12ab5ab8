/** Stops a scheduled backup before it fills the disk that the database may share. */
import { statfs } from 'node:fs/promises'

const everyBytes = 16 * 1024 ** 2
const leastBytes = 2e9
const leastShare = 0.05

/** Calls `guard` repeatedly while bytes pass. */
export async function* guarded(source: AsyncIterable<Buffer>, guard: () => Promise<void>): AsyncGenerator<Buffer> {
  let since = everyBytes
  for await (const chunk of source) {
    since += chunk.length
    if (since >= everyBytes) {
      await guard()
      since = 0
    }
    yield chunk
  }
}

/** Throws when the disk of the folder has less than 2 GB or less than 5 % left. */
export async function mustHaveRoom(folder: string): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const least = Math.max(leastBytes, blocks * bsize * leastShare)
  if (bavail * bsize < least) throw new Error(`The disk of ${folder} has less than ${(least / 1e9).toFixed(1)} GB left`)
}
