import { Readable } from 'node:stream'
import zlib from 'node:zlib'
import { type Endpoint, endpoint, endpoints } from '@vexil/contract/endpoint'
import { nameOf } from '@vexil/contract/interface'
import { fastify } from 'fastify'
import { afterAll, describe, expect, test } from 'vitest'
import { compressAnswers } from './compress.ts'
import { isHeld } from './conditional.ts'

const before = endpoints.map((call) => nameOf(call))
const text = (length: number) => 'a line of text '.repeat(length).slice(0, length)
const app = fastify()
compressAnswers(app)
const answer = (path: string, type: string, payload: () => unknown, headers: Record<string, string> = {}, call?: Endpoint) =>
  app.get(path, { config: call ? { endpoint: call } : {} }, async (_request, reply) =>
    reply.type(type).headers(headers).send(payload()),
  )
answer('/json', 'application/json; charset=utf-8', () => JSON.stringify({ text: text(5000) }))
answer('/bytes', 'application/json', () => Buffer.from(text(5000)))
answer('/html', 'text/html; charset=utf-8', () => `ü${text(5000)}`, { vary: 'Accept-Language' })
answer('/small', 'text/plain', () => text(1024))
answer('/large', 'text/plain', () => text(1025))
answer('/picture', 'image/webp', () => Buffer.from(text(5000)))
answer('/sheet', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', () => Buffer.from(text(5000)))
answer('/stream', 'application/json', () => Readable.from([text(5000)]))
answer('/finished', 'application/json', () => zlib.gzipSync(text(5000)), { 'content-encoding': 'gzip' })
answer(
  '/secret',
  'application/json',
  () => text(5000),
  {},
  endpoint('GET /secret', { access: 'user', summary: 'Test', secret: true }),
)
const board = endpoint('GET /board', { access: 'anyone', summary: 'Test', sends: 'stream' })
answer('/board', 'application/json', () => text(5000), { etag: '"1"' }, board)
app.get('/tagged', async (request, reply) =>
  isHeld(request, reply, '"one"') ? reply.send() : reply.type('application/json').send(text(5000)),
)
afterAll(() => app.close())

const every = 'gzip, deflate, br, zstd'
const get = (url: string, accepted?: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { ...(accepted !== undefined && { 'accept-encoding': accepted }), ...headers } })
const unpack: Record<string, (bytes: Buffer) => Buffer> = {
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
  gzip: zlib.gunzipSync,
}

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants
/** The default quality would take about a hundred times as long. */
const fastBrotli = (bytes: Buffer) =>
  zlib.brotliCompressSync(bytes, { params: { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_SIZE_HINT]: bytes.length } })

test('at most 32 concurrent responses are compressed, and later ones again', async () => {
  const encoded = async (number: number) =>
    (await Promise.all(Array.from({ length: number }, () => get('/json', 'br')))).filter(
      ({ headers }) => headers['content-encoding'] === 'br',
    ).length
  expect(await encoded(40)).toBe(32)
  expect(await encoded(32)).toBe(32)
})

describe('a response', () => {
  test.each([
    [every, 'br'],
    ['gzip, zstd', 'zstd'],
    ['gzip', 'gzip'],
    ['br;q=0, GZIP', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['*', 'br'],
  ])('for Accept-Encoding %s is sent as %s, and unpacks to the original', async (accepted, encoding) => {
    for (const url of ['/json', '/bytes', '/html', '/large']) {
      const [plain, packed] = [await get(url), await get(url, accepted)]
      expect(packed.headers['content-encoding']).toBe(encoding)
      if (encoding === 'br') expect(packed.rawPayload).toEqual(fastBrotli(plain.rawPayload))
      expect(packed.headers['content-length']).toBe(String(packed.rawPayload.length))
      expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length)
      expect(unpack[encoding]?.(packed.rawPayload)).toEqual(plain.rawPayload)
    }
  })

  test.each([undefined, '', 'identity', 'deflate', 'gzip;q=0, br;q=0'])(
    'for Accept-Encoding %j is sent uncompressed',
    async (accepted) => {
      const { headers, payload } = await get('/json', accepted)
      expect(headers['content-encoding']).toBeUndefined()
      expect(headers['content-length']).toBe(String(payload.length))
    },
  )

  test('has a Vary header, compressed or not, added to the existing one', async () => {
    for (const accepted of [undefined, every]) {
      expect((await get('/json', accepted)).headers.vary).toBe('Accept-Encoding')
      expect((await get('/html', accepted)).headers.vary).toBe('Accept-Language, Accept-Encoding')
    }
  })

  test.each(['/small', '/picture', '/sheet', '/stream', '/secret', '/board'])('at %s is never compressed', async (url) => {
    const { headers } = await get(url, every)
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined])
  })

  test('that is already compressed is not compressed again', async () => {
    const { headers, rawPayload } = await get('/finished', every)
    expect(headers['content-encoding']).toBe('gzip')
    expect(zlib.gunzipSync(rawPayload).toString()).toBe(text(5000))
  })

  test('has one weak ETag for all encodings, and is not sent again when it matches', async () => {
    for (const accepted of [undefined, every]) {
      expect((await get('/tagged', accepted)).headers.etag).toBe('W/"one"')
      for (const known of ['W/"one"', '"one"', '"other", W/"one"', '*']) {
        const again = await get('/tagged', accepted, { 'if-none-match': known })
        expect([again.statusCode, again.payload, again.headers['content-encoding']]).toEqual([304, '', undefined])
      }
      expect((await get('/tagged', accepted, { 'if-none-match': '"on"' })).statusCode).toBe(200)
    }
  })

  test('to HEAD has the headers of the response to GET', async () => {
    const [head, full] = [
      await app.inject({ method: 'HEAD', url: '/json', headers: { 'accept-encoding': 'gzip' } }),
      await get('/json', 'gzip'),
    ]
    for (const name of ['content-encoding', 'content-length', 'vary']) expect(head.headers[name]).toBe(full.headers[name])
    expect(head.payload).toBe('')
  })
})

test('responses with a secret next to text from users are marked', () => {
  const marked = endpoints.filter((call) => before.includes(nameOf(call)) && call.shape.secret).map(nameOf)
  expect(marked).toEqual([
    'GET /api/game/:id/challenges/:cid/tries',
    'GET /api/game/:id/submissions',
    'GET /api/game/:id/cheatinfo',
  ])
})
