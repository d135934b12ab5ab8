import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { FastifyReply } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { streamChunks } from './stream-chunks.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A client that downloads `stream`. `finished` resolves to the reported errors. */
async function download(stream: Readable) {
  const { promise: finished, resolve, reject } = Promise.withResolvers<unknown[]>()
  const server = createServer((_request, raw: ServerResponse) => {
    const reply = { raw, hijack: () => undefined, getHeaders: () => ({}) } as unknown as FastifyReply
    const errors: unknown[] = []
    streamChunks(reply, stream, (error) => errors.push(error)).then(() => resolve(errors), reject)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  closing.push(() => {
    client.destroy()
    server.close()
  })
  return { client, finished }
}
const piece = () => Buffer.alloc(64 * 1024, 'x')

/** Has at most this number of pieces, and does not end. */
const endless = (pieces: number) =>
  new Readable({
    read() {
      if (pieces-- > 0) this.push(piece())
    },
  })

test.each([
  ['while a chunk is written', Number.POSITIVE_INFINITY],
  ['while the next chunk is awaited', 1],
])('a client that disconnects %s ends the stream, and is not reported', async (_when, pieces) => {
  const stream = endless(pieces)
  const { client, finished } = await download(stream)
  await once(client, 'data')
  client.destroy()
  expect(await finished).toEqual([])
  expect(stream.destroyed).toBe(true)
})

test('a stream that fails is reported, and its response is not complete', async () => {
  const failure = new Error('the disk is broken')
  async function* failing() {
    yield piece()
    throw failure
  }
  const { client, finished } = await download(Readable.from(failing(), { objectMode: false }))
  const received = await text(client).catch(() => '')
  expect(await finished).toEqual([failure])
  expect(received.endsWith('\r\n0\r\n\r\n')).toBe(false)
})

test('a stream that ends is passed in full, and only the memory of its chunks is freed', async () => {
  const [own, shared] = [piece(), piece()]
  const chunks = [own, shared.subarray(0, 32 * 1024), Buffer.from('end')]
  const { client, finished } = await download(Readable.from(chunks))
  const [, ...sent] = (await text(client)).split('\r\n10000\r\n')
  expect(sent).toEqual([`${'x'.repeat(64 * 1024)}\r\n8000\r\n${'x'.repeat(32 * 1024)}\r\n3\r\nend\r\n0\r\n\r\n`])
  expect([await finished, own.length, shared.length]).toEqual([[], 0, 64 * 1024])
})
