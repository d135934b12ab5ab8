/** A zip archive generated as a stream, with one file open at a time. */
import type { PassThrough, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'

export interface ZipEntry {
  readonly name: string
  readonly time: Date
  readonly stream: Readable
}

/** `compress`: false for compressed content. An error aborts the stream, so that the reader gets no truncated archive as complete. */
export function zipStream(entries: AsyncIterable<ZipEntry>, { compress }: { compress: boolean }): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as PassThrough
  const fail = (error: unknown) => output.destroy(error as Error)
  zip.on('error', fail)
  let open: Readable | undefined
  // Closes the open file when the reader disconnects.
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
