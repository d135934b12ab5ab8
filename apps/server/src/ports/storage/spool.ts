/** Stores incoming bytes in a temporary file while they are hashed, because the hash is the final name. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { DiskFull, FileTooLarge } from '@vexil/core/rules'
import { codeOf } from '../../start-error.ts'
import { syncFolders } from './kept-file.ts'
import type { Stored } from './storage.ts'

const startBytes = 4100

const leftAfterMs = 24 * 3_600_000

export const incomingOf = (folder: string): string => join(folder, 'uploads', 'incoming')

/** Returns the folder of temporary files, which nodes may share, and removes files older than a day, which belong to processes that ended. */
export async function openIncoming(dataDir: string): Promise<string> {
  const incoming = incomingOf(dataDir)
  await syncFolders(incoming, await mkdir(incoming, { recursive: true, mode: 0o700 }))
  const before = (await folderTime(incoming)) - leftAfterMs
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name)
    const found = await stat(path).catch(() => null)
    if (found && found.mtimeMs < before) await rm(path, { force: true })
  }
  return incoming
}

/** The time of the folder's clock, by which its files are dated (ms): the clock of a node that shares it may be wrong. */
export async function folderTime(folder: string): Promise<number> {
  const path = join(folder, randomUUID())
  const file = await open(path, 'wx', 0o600)
  try {
    return (await file.stat()).mtimeMs
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
}

/** Writes the bytes to a synced file and calls `keep`, which may move the file. Nothing is left behind if either fails. @throws FileTooLarge above `max` bytes, DiskFull */
export async function spool(
  incoming: string,
  bytes: Readable | Buffer,
  max: number,
  keep: (path: string, stored: Stored) => Promise<void>,
): Promise<Stored> {
  const path = join(incoming, randomUUID())
  try {
    const stored = await write(path, bytes, max)
    await keep(path, stored)
    return stored
  } catch (error) {
    throw ['ENOSPC', 'EDQUOT'].includes(codeOf(error)) ? new DiskFull() : error
  } finally {
    await rm(path, { force: true })
  }
}

async function write(path: string, bytes: Readable | Buffer, max: number): Promise<Stored> {
  const file = await open(path, 'wx', 0o600)
  try {
    const digest = createHash('sha256')
    let size = 0
    let start = Buffer.alloc(0)
    for await (const chunk of Buffer.isBuffer(bytes) ? Readable.from([bytes]) : bytes) {
      size += chunk.length
      if (size > max) throw new FileTooLarge({ max })
      if (start.length < startBytes) start = Buffer.concat([start, chunk]).subarray(0, startBytes)
      digest.update(chunk)
      const { bytesWritten } = await file.write(chunk)
      // The system stores what fits, and would refuse only the next write.
      if (bytesWritten < chunk.length) throw new DiskFull()
    }
    await file.sync()
    return { hash: digest.digest('hex'), size, start }
  } finally {
    await file.close()
  }
}
