import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Smaller ones may share their memory with others. */
const ownFrom = 16 * 1024

/**
 * Sends a long stream piece by piece and gives each piece's memory back when the system has it: left to the collector, up to 64 MB of
 * sent pieces would stay in memory. The pieces must not be shared. A stream that fails breaks off the answer.
 */
export async function streamChunks(reply: FastifyReply, stream: Readable, onError: (error: unknown) => void): Promise<void> {
  reply.hijack()
  const { raw } = reply
  const left = once(raw, 'close').then(() => stream.destroy())
  raw.writeHead(200, reply.getHeaders() as Record<string, string>)
  try {
    for await (const piece of stream as AsyncIterable<Buffer<ArrayBuffer>>) {
      const sent = new Promise<void>((done, failed) => raw.write(piece, (error) => (error ? failed(error) : done())))
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
