/** A bucket of s3rver, a fake of S3, in this process. */
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import S3rver from 's3rver'
import { openS3Client } from '../src/ports/storage/s3.ts'
import { codeOf } from '../src/start-error.ts'

export interface BucketServer {
  readonly port: number
  close(): Promise<void>
}

/** The settings of a platform that reaches the bucket at this port. */
export const bucketSettings = (port: number) => ({
  VEXIL_S3_ENDPOINT: `http://127.0.0.1:${port}`,
  VEXIL_S3_BUCKET: 'files',
  VEXIL_S3_ACCESS_KEY: 'S3RVER',
  VEXIL_S3_SECRET_KEY: 'S3RVER',
})

/** Starts a server with an empty bucket; `folder` contains what is stored. */
export async function startBucket(folder: string): Promise<BucketServer> {
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: folder })
  asAmazon(server)
  const { port } = await server.run()
  const endpoint = `http://127.0.0.1:${port}`
  const place = { endpoint, bucket: 'files', region: 'us-east-1', accessKey: 'S3RVER', secretKey: 'S3RVER', pathStyle: true }
  const client = await openS3Client(place)
  await client.send(new CreateBucketCommand({ Bucket: 'files' }))
  client.destroy()
  return { port, close: () => server.close() }
}

/** s3rver does not list folders that contain only folders, and cannot delete from a missing folder; Amazon has no folders. */
function asAmazon({ store }: S3rver): void {
  const listAll = store.listObjects.bind(store)
  const deleteOne = store.deleteObject.bind(store)
  store.listObjects = async (bucket, { delimiter, ...options }) => {
    if (!delimiter) return listAll(bucket, options)
    const { prefix = '' } = options
    const { objects } = await listAll(bucket, { prefix })
    const folders = objects
      .map(({ key }) => key.slice(prefix.length).split(delimiter))
      .flatMap(([folder, ...rest]) => (rest.length > 0 ? [`${prefix}${folder}${delimiter}`] : []))
    return { objects: [], commonPrefixes: [...new Set(folders)], isTruncated: false }
  }
  store.deleteObject = (bucket, key) =>
    deleteOne(bucket, key).catch((error) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
}
