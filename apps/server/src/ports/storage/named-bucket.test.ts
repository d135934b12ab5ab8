/** A bucket in s3rver, a fake of S3. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BucketServer, startBucket } from '../../../test/bucket-server.ts'
import { namedFilesSuite } from '../../../test/named-files.suite.ts'
import { openNamedBucket } from './named-bucket.ts'
import type { NamedFiles } from './named-files.ts'

const root = mkdtempSync(join(tmpdir(), 'vexil-named-bucket-'))
const openAt = (port: number) =>
  openNamedBucket({
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'files',
    region: 'us-east-1',
    accessKey: 'S3RVER',
    secretKey: 'S3RVER',
    pathStyle: true,
  })
let server: BucketServer
let files: NamedFiles
beforeAll(async () => {
  server = await startBucket(root)
  files = await openAt(server.port)
})
afterAll(async () => {
  await server.close()
  rmSync(root, { recursive: true })
})

namedFilesSuite(async () => {
  await files.deleteFolder('')
  return files
})

test('lists continue where an answer ends, which s3rver cannot do', async () => {
  const requests: (string | null)[][] = []
  const pages = createServer(({ url = '' }, response) => {
    const query = new URL(url, 'http://bucket').searchParams
    const token = query.get('continuation-token')
    requests.push(['prefix', 'delimiter', 'continuation-token'].map((name) => query.get(name)))
    const more = token ? '' : '<IsTruncated>true</IsTruncated><NextContinuationToken>second</NextContinuationToken>'
    const number = token ? 2 : 1
    const file = `<Contents><Key>a/${number}</Key><Size>${number}</Size><LastModified>2026-11-25T10:00:00.000Z</LastModified></Contents>`
    response.setHeader('content-type', 'application/xml')
    response.end(
      `<?xml version="1.0"?><ListBucketResult>${more}${file}<CommonPrefixes><Prefix>a/${number}/</Prefix></CommonPrefixes></ListBucketResult>`,
    )
  }).listen(0, '127.0.0.1')
  await once(pages, 'listening')
  const paged = await openAt((pages.address() as AddressInfo).port)
  const changedAt = new Date('2026-11-25T10:00:00Z')
  const listed = []
  for await (const file of paged.list('a/')) listed.push(file)
  expect(listed).toEqual([
    { name: 'a/1', size: 1, changedAt },
    { name: 'a/2', size: 2, changedAt },
  ])
  expect(await paged.folders('a/')).toEqual(['1', '2'])
  expect(requests).toEqual([
    ['a/', null, null],
    ['a/', null, 'second'],
    ['a/', '/', null],
    ['a/', '/', 'second'],
  ])
  pages.close()
  pages.closeAllConnections()
})

test('a file is sent with its size and SHA-256, which the bucket compares', async () => {
  const sent: unknown[] = []
  const bucket = createServer((request, response) => {
    const { 'x-amz-checksum-sha256': checksum, 'content-length': size } = request.headers
    sent.push([request.method, checksum, size])
    request.resume().once('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(bucket, 'listening')
  const path = join(root, 'file')
  writeFileSync(path, 'some bytes')
  await (await openAt((bucket.address() as AddressInfo).port)).put('a/b', path, new AbortController().signal)
  expect(sent).toEqual([['PUT', createHash('sha256').update('some bytes').digest('base64'), '10']])
  bucket.close()
  bucket.closeAllConnections()
})

test('sixteen files of a folder are deleted at a time', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `a/${at}`)
  const waiting: ServerResponse[] = []
  const deleted: unknown[] = []
  const bucket = createServer(({ method, url }, response) => {
    if (method === 'DELETE') {
      deleted.push(new URL(url ?? '', 'http://bucket').pathname)
      return void waiting.push(response.writeHead(204))
    }
    const file = (name: string) =>
      `<Contents><Key>${name}</Key><Size>1</Size><LastModified>2026-11-25T10:00:00.000Z</LastModified></Contents>`
    response.setHeader('content-type', 'application/xml')
    response.end(`<?xml version="1.0"?><ListBucketResult>${names.map(file).join('')}</ListBucketResult>`)
  }).listen(0, '127.0.0.1')
  await once(bucket, 'listening')
  const deleting = (await openAt((bucket.address() as AddressInfo).port)).deleteFolder('a/')
  for (const count of [16, 4]) {
    await expect.poll(() => waiting.length).toBe(count)
    for (const response of waiting.splice(0)) response.end()
  }
  await deleting
  expect(deleted.toSorted()).toEqual(names.map((name) => `/files/${name}`).toSorted())
  bucket.close()
  bucket.closeAllConnections()
})
