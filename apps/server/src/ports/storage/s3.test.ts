/** With s3rver, a fake that accepts any secret. Signatures are therefore compared with the examples that Amazon publishes. */
import { createHash } from 'node:crypto'
import dns from 'node:dns'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import S3rver from 's3rver'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../../../e2e/platform.ts'
import { openFilesIn } from '../../../test/open-files.ts'
import { storageSuite } from '../../../test/storage.suite.ts'
import { StartError } from '../../start-error.ts'
import { openS3Client, openS3Storage, type S3Place } from './s3.ts'
import { keyOf } from './storage.ts'

const root = mkdtempSync(join(tmpdir(), 'vexil-s3-'))
const folder = () => mkdtempSync(join(root, 'one-'))
let place: S3Place
let server: S3rver
beforeAll(async () => {
  server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: folder() })
  const { port } = await server.run()
  place = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: '',
    region: 'us-east-1',
    accessKey: 'S3RVER',
    secretKey: 'S3RVER',
    pathStyle: true,
  }
})
afterAll(async () => {
  await server.close()
  rmSync(root, { recursive: true })
})

let count = 0
async function aBucket(): Promise<S3Place> {
  const own = { ...place, bucket: `bucket-${++count}` }
  await (await openS3Client(own)).send(new CreateBucketCommand({ Bucket: own.bucket }))
  return own
}

storageSuite(async () => openS3Storage(await aBucket(), folder()))

test('objects have the same names as in the data folder, and no other files are left', async () => {
  const [own, dataDir] = [await aBucket(), folder()]
  const storage = await openS3Storage(own, dataDir)
  const { hash } = await storage.put(Buffer.from('some bytes'), 100)
  await expect(storage.put(Buffer.alloc(200), 100)).rejects.toMatchObject({ code: 'file.too_large' })
  const listed = await (await openS3Client(own)).send(new ListObjectsV2Command({ Bucket: own.bucket }))
  expect(listed.Contents?.map(({ Key }) => Key)).toEqual([`uploads/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`])
  expect(readdirSync(join(dataDir, 'uploads', 'incoming'))).toEqual([])
})

describe('an unusable bucket is reported in one sentence at the start', () => {
  const refusal = (wrong: S3Place) => openS3Storage(wrong, folder()).catch((error: unknown) => error as Error)

  test('it does not exist', async () => {
    const error = await refusal({ ...place, bucket: 'missing' })
    expect(error).toBeInstanceOf(StartError)
    expect((error as Error).message).toBe(
      `The bucket missing (VEXIL_S3_BUCKET) at ${place.endpoint} cannot be used: there is none of this name.`,
    )
  })

  test('the server does not respond', async () => {
    const port = await freePort()
    const error = await refusal({ ...place, bucket: 'any', endpoint: `http://127.0.0.1:${port}` })
    expect(error).toBeInstanceOf(StartError)
    expect((error as Error).message).toMatch(
      /^The bucket any \(VEXIL_S3_BUCKET\) at http:\/\/127\.0\.0\.1:\d+ cannot be used: ECONNREFUSED\.$/,
    )
  })

  test('the keys are refused, and the message does not contain the secret', async () => {
    const own = await aBucket()
    const error = await refusal({ ...own, accessKey: 'SOMEBODY', secretKey: 'very secret' })
    expect((error as Error).message).toMatch(/VEXIL_S3_ACCESS_KEY and VEXIL_S3_SECRET_KEY are refused\.$/)
    expect((error as Error).message).not.toContain('very secret')
  })
})

describe('a bucket that fails while the platform runs', () => {
  const answered = (status: string) => `HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`
  const unavailable = { code: 'server.unavailable', data: { retryAfter: 1 } }
  test.each([
    ['answers that are not HTTP are refused for now', 'no server of files', unavailable],
    ['so are errors of its server', answered('500 Internal Server Error'), unavailable],
    ['a refusal of its keys is a fault', answered('403 Forbidden'), { $metadata: { httpStatusCode: 403 } }],
  ])('%s', async (_, answer, expected) => {
    let reply = answered('200 OK')
    const failing = createServer((socket) => socket.on('data', () => socket.write(reply)).on('error', () => undefined))
    await once(failing.listen(0, '127.0.0.1'), 'listening')
    const endpoint = `http://127.0.0.1:${(failing.address() as AddressInfo).port}`
    try {
      const storage = await openS3Storage({ ...place, bucket: 'some', endpoint }, folder())
      reply = answer
      await expect(storage.put(Buffer.from('some bytes'), 100)).rejects.toMatchObject(expected)
      await expect(storage.get('0'.repeat(64))).rejects.toMatchObject(expected)
    } finally {
      failing.close()
    }
  })

  test('an upload that it does not accept leaves no file open', async () => {
    const failing = createHttpServer((request, response) => {
      const isObject = request.url?.startsWith('/some/uploads/')
      response.writeHead(!isObject ? 200 : request.method === 'HEAD' ? 404 : 503).end()
    })
    await once(failing.listen(0, '127.0.0.1'), 'listening')
    const endpoint = `http://127.0.0.1:${(failing.address() as AddressInfo).port}`
    const dataDir = folder()
    try {
      const storage = await openS3Storage({ ...place, bucket: 'some', endpoint }, dataDir)
      const bytes = Buffer.alloc(4_000_000)
      await expect(storage.put(bytes, bytes.length)).rejects.toMatchObject(unavailable)
      await vi.waitFor(() => expect(openFilesIn(dataDir)).toEqual([]))
    } finally {
      failing.closeAllConnections()
      failing.close()
    }
  })
})

test('a file that the bucket has is not sent again, a new one is sent with its SHA-256, and a list has all pages', async () => {
  const [there, missing] = [Buffer.from('there'), Buffer.from('missing')]
  const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  const sent: unknown[] = []
  const bucket = createHttpServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://bucket')
    const contents = (key: string) =>
      `<Contents><Key>${key}</Key><LastModified>2026-11-25T10:00:00.000Z</LastModified></Contents>`
    // The second one of each page is not a file of the platform.
    const page = (hash: string, more: string) =>
      `<?xml version="1.0"?><ListBucketResult>${more}${contents(keyOf(hash))}${contents(`uploads/${hash}`)}</ListBucketResult>`
    const next = '<IsTruncated>true</IsTruncated><NextContinuationToken>second</NextContinuationToken>'
    if (request.method === 'PUT') sent.push(request.headers['x-amz-checksum-sha256'])
    if (request.method === 'HEAD') {
      response.statusCode = pathname.endsWith(hashOf(missing)) ? 404 : 200
      response.setHeader('content-length', there.length)
    }
    const isSecond = searchParams.get('continuation-token') === 'second'
    const listed = isSecond ? page(hashOf(missing), '') : page(hashOf(there), next)
    request.resume().once('end', () => response.end(searchParams.get('list-type') ? listed : ''))
  })
  await once(bucket.listen(0, '127.0.0.1'), 'listening')
  const endpoint = `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`
  try {
    const storage = await openS3Storage({ ...place, bucket: 'some', endpoint }, folder())
    for (const bytes of [there, missing]) await storage.put(bytes, 100)
    expect(sent).toEqual([createHash('sha256').update(missing).digest('base64')])
    const listed = []
    for await (const hash of storage.list(0)) listed.push(hash)
    expect(listed).toEqual([hashOf(there), hashOf(missing)])
  } finally {
    bucket.closeAllConnections()
    bucket.close()
  }
})

test('downloads that are not read do not use up the connections for others', async () => {
  const slow = createHttpServer((request, response) => {
    response.writeHead(200, { 'content-length': 2 })
    if (request.method === 'GET') response.write('a')
    else response.end()
  })
  await once(slow.listen(0, '127.0.0.1'), 'listening')
  const endpoint = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
  try {
    const storage = await openS3Storage({ ...place, bucket: 'some', endpoint }, folder())
    const downloads = await Promise.all(Array.from({ length: 60 }, () => storage.get('0'.repeat(64))))
    expect(downloads.map((download) => download?.size)).toEqual(Array(60).fill(2))
  } finally {
    slow.closeAllConnections()
    slow.close()
  }
})

test('a bucket to which no connection is opened in time is refused for now', async () => {
  const server = createHttpServer((_, response) => response.setHeader('connection', 'close').end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const endpoint = `http://localhost:${(server.address() as AddressInfo).port}`
  try {
    const storage = await openS3Storage({ ...place, bucket: 'some', endpoint }, folder())
    // The name is never found.
    vi.spyOn(dns, 'lookup').mockImplementation((() => undefined) as never)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const found = storage.get('0'.repeat(64)).catch((error: unknown) => error)
    const waits = setInterval(() => vi.advanceTimersByTime(1_000), 1)
    expect(await found.finally(() => clearInterval(waits))).toMatchObject({ code: 'server.unavailable', data: { retryAfter: 1 } })
  } finally {
    vi.useRealTimers()
    vi.restoreAllMocks()
    server.close()
  }
})

test('a connection on which the bucket sends nothing for a minute is given up', async () => {
  const requested = Promise.withResolvers<void>()
  const server = createHttpServer((request, response) => {
    response.setHeader('connection', 'close')
    if (request.method === 'HEAD') response.end()
    else requested.resolve()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const storage = await openS3Storage({ ...place, bucket: 'some', endpoint }, folder())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  // Timers of sockets are not those of the fake clock.
  const limit = vi.spyOn(Socket.prototype, 'setTimeout').mockReturnThis()
  const found = storage.get('0'.repeat(64)).catch(() => null)
  try {
    await requested.promise
    vi.advanceTimersByTime(4_000)
    expect(limit).toHaveBeenCalledWith(60_000, expect.any(Function))
  } finally {
    vi.useRealTimers()
    vi.restoreAllMocks()
    server.close()
    server.closeAllConnections()
    await found
  }
})

describe('signatures match the published examples (Signature Version 4, S3, authorization header)', () => {
  const host = 'examplebucket.s3.amazonaws.com'
  // The fourth example, PUT Object, signs a Date header, which is optional and which this signer omits.
  test.each<[string, { path: string; query?: Record<string, string>; headers?: Record<string, string> }, string]>([
    [
      'GET Object',
      { path: '/test.txt', headers: { range: 'bytes=0-9' } },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'GET Bucket Lifecycle',
      { path: '/', query: { lifecycle: '' } },
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'List Objects',
      { path: '/', query: { 'max-keys': '2', prefix: 'J' } },
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('%s', async (_, call, signature) => {
    const client = await openS3Client({
      endpoint: null,
      bucket: 'examplebucket',
      region: 'us-east-1',
      accessKey: 'AKIAIOSFODNN7EXAMPLE',
      secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      pathStyle: false,
    })
    const signer = await client.config.signer({ schemeId: 'aws.auth#sigv4', signingName: 's3' } as never)
    const request = { method: 'GET', protocol: 'https:', hostname: host, path: call.path, query: call.query ?? {} }
    const headers = { host, ...call.headers }
    const signed = await signer.sign({ ...request, headers }, { signingDate: new Date('2013-05-24T00:00:00Z') })
    expect(signed.headers.authorization).toMatch(new RegExp(`Signature=${signature}$`))
  })
})
