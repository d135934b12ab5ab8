/** Named files in an S3-compatible bucket. */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { NamedFile, NamedFiles } from './named-files.ts'
import { nullWhenMissing, openS3Client, type S3Place } from './s3.ts'

const deletionsAtOnce = 16

async function checksumOf(file: FileHandle): Promise<string> {
  const digest = createHash('sha256')
  await pipeline(file.createReadStream({ start: 0, autoClose: false }), digest)
  return digest.digest('base64')
}

/** For a bucket that `openS3Storage` has reached. */
export async function openNamedBucket(place: S3Place): Promise<NamedFiles> {
  const { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand, paginateListObjectsV2 } = await import(
    '@aws-sdk/client-s3'
  )
  const client = await openS3Client(place)
  const Bucket = place.bucket
  async function remove({ name }: Pick<NamedFile, 'name'>): Promise<void> {
    await client.send(new DeleteObjectCommand({ Bucket, Key: name }))
  }

  async function* list(folder: string): AsyncGenerator<NamedFile> {
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: folder }))
      for (const { Key, Size = 0, LastModified } of Contents)
        if (Key && LastModified) yield { name: Key, size: Size, changedAt: LastModified }
  }

  return {
    place: `the bucket ${place.bucket}`,
    list,
    async put(name, path, abortSignal) {
      const file = await open(path)
      try {
        const { size } = await file.stat()
        const ChecksumSHA256 = await checksumOf(file)
        const Body = file.createReadStream({ start: 0, autoClose: false })
        const object = { Bucket, Key: name, Body, ContentLength: size, ChecksumSHA256 }
        await client.send(new PutObjectCommand(object), { abortSignal })
      } finally {
        await file.close()
      }
    },
    async get(name) {
      const found = await client.send(new GetObjectCommand({ Bucket, Key: name })).catch(nullWhenMissing)
      return found && { size: Number(found.ContentLength), stream: found.Body as Readable }
    },
    async delete(name) {
      if (!(await client.send(new HeadObjectCommand({ Bucket, Key: name })).catch(nullWhenMissing))) return false
      await remove({ name })
      return true
    },
    deleteFolder: (folder) => Readable.from(list(folder)).forEach(remove, { concurrency: deletionsAtOnce }),
    async folders(folder) {
      const names: string[] = []
      for await (const { CommonPrefixes = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: folder, Delimiter: '/' }))
        for (const { Prefix = '' } of CommonPrefixes) names.push(Prefix.slice(folder.length, -1))
      return names
    },
  }
}
