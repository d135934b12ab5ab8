/** The package s3rver, a fake of S3, has no types. */
declare module 's3rver' {
  interface Options {
    readonly port: number
    readonly address: string
    readonly silent: boolean
    readonly directory: string
  }
  interface ListOptions {
    readonly prefix?: string
    readonly delimiter?: string
  }
  interface Listing {
    readonly objects: readonly { readonly key: string }[]
    readonly commonPrefixes: readonly string[]
    readonly isTruncated: boolean
  }
  export default class S3rver {
    readonly store: {
      listObjects(bucket: string, options: ListOptions): Promise<Listing>
      deleteObject(bucket: string, key: string): Promise<void>
    }
    constructor(options: Options)
    run(): Promise<{ address: string; port: number }>
    close(): Promise<void>
  }
}
