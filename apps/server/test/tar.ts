/** Archives as a list of entries, so that a test can change one. */
import { createReadStream, createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { extract, pack } from 'tar-stream'

export interface TarEntry {
  name: string
  bytes: Buffer
  type?: 'file' | 'symlink'
  /** Of an entry that was read. */
  mode?: number | undefined
}

export async function readTar(path: string): Promise<TarEntry[]> {
  const entries: TarEntry[] = []
  const reader = extract()
  const fed = pipeline(createReadStream(path), reader)
  for await (const entry of reader) {
    const { name, mode } = entry.header
    entries.push({ name, bytes: await buffer(entry as unknown as Readable), mode })
  }
  await fed
  return entries
}

export async function writeTar(path: string, entries: readonly TarEntry[]): Promise<void> {
  const writer = pack()
  for (const { name, bytes, type = 'file' } of entries)
    writer.entry(type === 'file' ? { name } : { name, type, linkname: '/etc/passwd' }, bytes)
  writer.finalize()
  await pipeline(writer as unknown as Readable, createWriteStream(path))
}
