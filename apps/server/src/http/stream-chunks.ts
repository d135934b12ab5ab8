import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Smaller chunks may share their memory. */
const ownFrom = 16 * 1024

/** Frees the memory of each chunk once written: the garbage collector would leave up to 64 MB. The chunks must not be shared. */
export async function streamChunks(reply: FastifyReply, stream: Readable, onError: (error: unknown) => void): Promise<void> {
  reply.hijack()
  const { raw } = reply
  const left = once(raw, 'close').then(() => stream.destroy())
  raw.writeHead(200, reply.getHeaders() as Record<string, string>)
  try {
    for await (const piece of stream as AsyncIterable<Buffer<ArrayBuffer>>) {
      // A write fails only when the client has left, which is no error.
      const sent = new Promise<void>((done) => raw.write(piece, () => done()))
      await Promise.race([sent, left])
      if (raw.destroyed) return
      if (piece.length >= ownFrom && piece.length === piece.buffer.byteLength) piece.buffer.transfer(0)
    }
    raw.end()
  } catch (error) {
    if (!raw.destroyed) onError(error)
    raw.destroy()
  }
}
