/** Stops a scheduled backup before it fills the disk that the database may share. */
const everyBytes = 16 * 1024 ** 2

/** Asks `guard` again and again while bytes pass. */
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
