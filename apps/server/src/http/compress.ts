/** Answers of JSON and text are sent compressed, apart from those that decision 0009 names. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { encodingOf } from './encoding.ts'

/** Bytes; below, the headers weigh as much as what is saved. */
const compressAbove = 1024
/** Beyond so many answers at the same time, further ones are sent as they are: four threads do this and all other heavy work. */
const atOnceMost = 32
const types = /^(?:text\/(?:html|plain|css|javascript)|application\/(?:[\w.+-]+\+)?json)\s*(?:;|$)/i

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants
const brotli = promisify(zlib.brotliCompress)
const gzip = promisify(zlib.gzip)
/** In the order of preference. */
const pack = {
  // The default quality would take some hundred times as long.
  br: (bytes: Buffer) => brotli(bytes, { params: { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  zstd: promisify(zlib.zstdCompress),
  gzip: (bytes: Buffer) => gzip(bytes),
}
const encodings = Object.keys(pack) as (keyof typeof pack)[]

export function compressAnswers(app: FastifyInstance): void {
  let running = 0
  async function compress(request: FastifyRequest, reply: FastifyReply, payload: string | Buffer): Promise<string | Buffer> {
    // Caches must know it of the plain form too.
    varyBy(reply, 'Accept-Encoding')
    weaken(reply)
    const encoding = encodingOf(request.headers['accept-encoding'], encodings)
    if (encoding === 'identity' || running >= atOnceMost) return payload
    running++
    try {
      const bytes = await pack[encoding](Buffer.from(payload as string))
      reply.header('content-encoding', encoding).header('content-length', bytes.length)
      return bytes
    } finally {
      running--
    }
  }
  // By its callback: most answers are short, and waiting for nothing has its price too.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isCompressed(request, reply, payload)) return done(null, payload)
    compress(request, reply, payload).then((sent) => done(null, sent), done)
  })
}

/** Streams, and what was encoded already, stay as they are; so do short answers. */
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
function weaken(reply: FastifyReply): void {
  const tag = reply.getHeader('etag')
  if (typeof tag === 'string' && tag.startsWith('"')) reply.header('etag', `W/${tag}`)
}
