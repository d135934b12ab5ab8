import type { FastifyReply, FastifyRequest } from 'fastify'
import { varyBy } from './compress.ts'
import { isHeld } from './conditional.ts'

export interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

interface EncodedJson {
  readonly bytes: Buffer
  readonly encoding: 'br' | 'gzip' | 'identity'
  /** Identifies version and encoding; a client with the same tag gets a 304. */
  readonly tag?: string
}

export function sendEncoded({ request, reply }: Exchange, { bytes, encoding, tag }: EncodedJson): void {
  varyBy(reply, 'Accept-Encoding')
  if (tag !== undefined && isHeld(request, reply.header('cache-control', 'no-cache'), tag)) {
    reply.send()
    return
  }
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  reply.type('application/json; charset=utf-8').send(bytes)
}
