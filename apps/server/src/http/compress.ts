/** Answers of JSON and text are sent compressed, apart from those that decision 0009 names. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
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
  app.addHook('onSend', async (request, reply, payload) => {
    // Streams, and what was encoded already, stay as they are.
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    if (reply.hasHeader('content-encoding') || !types.test(String(reply.getHeader('content-type') ?? ''))) return payload
    const { secret, sends } = request.routeOptions.config.endpoint?.shape ?? {}
    // Calls that answer by themselves (files, sheets, the board) know their encodings.
    if (secret || (sends && sends !== 'page')) return payload
    if (Buffer.byteLength(payload) <= compressAbove) return payload
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
  })
}

export function varyBy(reply: FastifyReply, name: string): void {
  const named = String(reply.getHeader('vary') ?? '')
  const names = named.toLowerCase().split(/\s*,\s*/)
  if (!names.includes(name.toLowerCase())) reply.header('vary', named ? `${named}, ${name}` : name)
}

/** One tag stands for all encodings, so it cannot promise the same bytes. */
function weaken(reply: FastifyReply): void {
  const tag = reply.getHeader('etag')
  if (typeof tag === 'string' && tag.startsWith('"')) reply.header('etag', `W/${tag}`)
}
