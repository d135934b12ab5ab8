/** Compresses answers of JSON and text, except those in decision 0009. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { encodingOf } from './encoding.ts'

/** Bytes; for smaller answers the headers outweigh the gain. */
const compressAbove = 1024
/** Above this number, answers are sent uncompressed: four threads do all heavy work. */
const atOnceMost = 32
const types = /^(?:text\/(?:html|plain|css|javascript)|application\/(?:[\w.+-]+\+)?json)\s*(?:;|$)/i

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants
const brotli = promisify(zlib.brotliCompress)
const gzip = promisify(zlib.gzip)
/** In order of preference. */
const encoders = {
  // The default quality takes about a hundred times as long.
  br: (bytes: Buffer) => brotli(bytes, { params: { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  zstd: promisify(zlib.zstdCompress),
  gzip: (bytes: Buffer) => gzip(bytes),
}
const encodings = Object.keys(encoders) as (keyof typeof encoders)[]

export function compressAnswers(app: FastifyInstance): void {
  let running = 0
  async function compress(request: FastifyRequest, reply: FastifyReply, payload: string | Buffer): Promise<string | Buffer> {
    // Caches must know this for uncompressed answers too.
    varyBy(reply, 'Accept-Encoding')
    weakenTag(reply)
    const encoding = encodingOf(request.headers['accept-encoding'], encodings)
    if (encoding === 'identity' || running >= atOnceMost) return payload
    running++
    try {
      const bytes = await encoders[encoding](Buffer.from(payload as string))
      reply.header('content-encoding', encoding).header('content-length', bytes.length)
      return bytes
    } finally {
      running--
    }
  }
  // With a callback instead of a promise, since most answers are short and a promise costs time.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isCompressed(request, reply, payload)) return done(null, payload)
    compress(request, reply, payload).then((sent) => done(null, sent), done)
  })
}

/** Excludes streams, encoded answers and short answers. */
function isCompressed(request: FastifyRequest, reply: FastifyReply, payload: unknown): payload is string | Buffer {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return false
  if (Buffer.byteLength(payload) <= compressAbove || reply.hasHeader('content-encoding')) return false
  if (!types.test(String(reply.getHeader('content-type') ?? ''))) return false
  const { secret, sends } = request.routeOptions.config.endpoint?.shape ?? {}
  // Calls that send their answer directly (files, sheets, the board) set their encoding.
  return !secret && (!sends || sends === 'page')
}

export function varyBy(reply: FastifyReply, name: string): void {
  const named = String(reply.getHeader('vary') ?? '')
  const names = named
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
  if (!names.includes(name.toLowerCase())) reply.header('vary', named ? `${named}, ${name}` : name)
}

/** One ETag is used for all encodings, so it must be weak. */
function weakenTag(reply: FastifyReply): void {
  const tag = reply.getHeader('etag')
  if (typeof tag === 'string' && tag.startsWith('"')) reply.header('etag', `W/${tag}`)
}
