/** Files in an S3-compatible bucket, with the keys of the data folder. Uploads are first stored in a local file, because a bucket cannot rename, and failures would leave objects behind. */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import type { HeadObjectCommandOutput, S3Client } from '@aws-sdk/client-s3'
import { RuleError } from '@vexil/core/rules'
import { codeOf, StartError } from '../../start-error.ts'
import { openIncoming, spool } from './spool.ts'
import { keyOf, type Storage } from './storage.ts'

export interface S3Place {
  /** Origin of the server; null for Amazon's own in that region. */
  readonly endpoint: string | null
  readonly bucket: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
  readonly pathStyle: boolean
}

// Loaded on demand, because it is large and most platforms have no bucket.
const sdk = () => import('@aws-sdk/client-s3')

const quiet = () => undefined
const maxSockets = 1000

export async function openS3Client({ endpoint, region, accessKey, secretKey, pathStyle }: S3Place): Promise<S3Client> {
  const { S3Client } = await sdk()
  return new S3Client({
    region,
    ...(endpoint !== null && { endpoint }),
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    forcePathStyle: pathStyle,
    // Not every server supports the newer checksums; ours is sent with each file.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Failures are reported by those who ask; otherwise the client prints a line for each failed upload.
    logger: { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet },
    // A download holds its connection until the player has read it. The default of 50 for each process would be used up by slow readers.
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 60_000, httpAgent: { maxSockets }, httpsAgent: { maxSockets } },
  })
}

/** @throws StartError with a sentence when the bucket cannot be used */
export async function openS3Storage(place: S3Place, dataDir: string): Promise<Storage> {
  const { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, ListObjectsV2Command, PutObjectCommand } = await sdk()
  const client = await openS3Client(place)
  await mustReach(client, place)
  client.middlewareStack.add((next) => (input) => next(input).catch(throwUnavailable), { step: 'initialize' })
  const incoming = await openIncoming(dataDir)
  const at = (hash: string) => ({ Bucket: place.bucket, Key: keyOf(hash) })

  const head = (hash: string): Promise<HeadObjectCommandOutput | null> =>
    client.send(new HeadObjectCommand(at(hash))).catch(nullWhenMissing)

  return {
    put: (bytes, max) =>
      spool(incoming, bytes, max, async (path, { hash, size }) => {
        if ((await head(hash))?.ContentLength === size) return
        const checksum = Buffer.from(hash, 'hex').toString('base64')
        const Body = createReadStream(path)
        const body = { Body, ContentLength: size, ChecksumSHA256: checksum }
        try {
          await client.send(new PutObjectCommand({ ...at(hash), ...body }))
        } finally {
          // The client leaves it open after a failure, and with it the space of the deleted file.
          Body.destroy()
        }
      }),
    async get(hash, range) {
      const part = range && { Range: `bytes=${range.start}-${range.end}` }
      const found = await client.send(new GetObjectCommand({ ...at(hash), ...part })).catch(nullWhenMissing)
      if (!found) return null
      const whole = /\/(\d+)$/.exec(found.ContentRange ?? '')?.[1]
      return { size: Number(whole ?? found.ContentLength), stream: found.Body as Readable }
    },
    has: async (hash) => (await head(hash)) !== null,
    async delete(hash) {
      if (!(await head(hash))) return false
      await client.send(new DeleteObjectCommand(at(hash)))
      return true
    },
    async *list(olderThanMs) {
      const before = Date.now() - olderThanMs
      let ContinuationToken: string | undefined
      do {
        const options = { Bucket: place.bucket, Prefix: 'uploads/', ...(ContinuationToken && { ContinuationToken }) }
        const page = await client.send(new ListObjectsV2Command(options))
        for (const { Key = '', LastModified } of page.Contents ?? []) {
          const hash = Key.split('/').at(-1) as string
          if (Key === keyOf(hash) && LastModified && LastModified.getTime() <= before) yield hash
        }
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken)
    },
  }
}

const statusOf = (error: unknown) => (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode

/** For `catch`: an answer that is late or not HTTP, and errors of the bucket's server, are refused like a bucket that cannot be reached. */
function throwUnavailable(error: unknown): never {
  const isLate = error instanceof Error && error.name === 'TimeoutError'
  const isUnavailable = isLate || codeOf(error).startsWith('HPE_') || (statusOf(error) ?? 0) >= 500
  throw isUnavailable ? Object.assign(new RuleError('server.unavailable', { retryAfter: 1 }), { cause: error }) : error
}

/** For `catch`. */
export function nullWhenMissing(error: unknown): null {
  if (statusOf(error) === 404) return null
  throw error
}

async function mustReach(client: S3Client, { endpoint, bucket }: S3Place): Promise<void> {
  const { HeadBucketCommand } = await sdk()
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }))
  } catch (error) {
    const where = `The bucket ${bucket} (VEXIL_S3_BUCKET)${endpoint === null ? '' : ` at ${endpoint}`}`
    throw new StartError(`${where} cannot be used: ${reasonOf(error)}.`)
  }
}

function reasonOf(error: unknown): string {
  switch (statusOf(error)) {
    case 404:
      return 'there is none of this name'
    case 403:
      return 'VEXIL_S3_ACCESS_KEY and VEXIL_S3_SECRET_KEY are refused'
    case 301:
    case 400:
      return 'the server refuses the request; look at VEXIL_S3_REGION and VEXIL_S3_PATH_STYLE'
    default:
      return codeOf(error) || (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
  }
}
