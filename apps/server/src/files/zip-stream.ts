/** A zip archive that is made while it is read, one file open at a time. */
import type { PassThrough, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'

export interface ZipEntry {
  /** Path within the archive, `/` between folders. */
  readonly name: string
  readonly time: Date
  readonly stream: Readable
}

/** `compress`: false for what is compressed already. A fault breaks the archive off: its reader must not take a part for the whole. */
export function zipStream(entries: AsyncIterable<ZipEntry>, { compress }: { compress: boolean }): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as PassThrough
  const fail = (error: unknown) => output.destroy(error as Error)
  zip.on('error', fail)
  let open: Readable | undefined
  // A reader that went away leaves nothing open.
  output.once('close', () => open?.destroy())

  async function fillIn(): Promise<void> {
    for await (const { name, time, stream } of entries) {
      open = stream
      if (output.destroyed) stream.destroy()
      zip.addReadStream(stream, name, { mtime: time, mode: 0o100644, compress })
      await finished(stream, { writable: false })
    }
    zip.end()
  }
  fillIn().catch(fail)
  return output
}
