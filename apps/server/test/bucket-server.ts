/** A bucket of s3rver, a fake, in this process. */
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import S3rver from 's3rver'
import { openS3Client } from '../src/ports/storage/s3.ts'

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

/** With an empty bucket; `folder` keeps what is stored. */
export async function startBucket(folder: string): Promise<BucketServer> {
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: folder })
  const { port } = await server.run()
  const endpoint = `http://127.0.0.1:${port}`
  const place = { endpoint, bucket: 'files', region: 'us-east-1', accessKey: 'S3RVER', secretKey: 'S3RVER', pathStyle: true }
  const client = await openS3Client(place)
  await client.send(new CreateBucketCommand({ Bucket: 'files' }))
  client.destroy()
  return { port, close: () => server.close() }
}
