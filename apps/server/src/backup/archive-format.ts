/**
 * The archive: a tar with `tables/NAME.copy.gz` (COPY in text form), `files/ab/cd/HASH`, `secret-key` and, last, `manifest.json`. The manifest is
 * last because the checksums are known only when everything else is written.
 */
import { createHash } from 'node:crypto'
import * as Type from 'typebox'

/** Raised when earlier releases can no longer read the archive. */
export const archiveFormat = 1

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Count = Type.Integer({ minimum: 0 })
const Name = Type.String({ pattern: '^[a-z_][a-z0-9_]{0,62}$' })

export const Manifest = Type.Object({
  format: Type.Integer({ minimum: 1 }),
  /** The release that made it. */
  version: Type.String(),
  /** ISO 8601, in UTC. */
  madeAt: Type.String(),
  migrations: Type.Array(Type.Object({ name: Type.String(), hash: Hash })),
  /** Fingerprint of SECRET_KEY; null for a platform that was never started. */
  secretFingerprint: Type.Union([Type.String(), Type.Null()]),
  tables: Type.Array(
    Type.Object({ name: Name, columns: Type.Array(Name), rows: Count, /** Of the uncompressed text. */ sha256: Hash }),
  ),
  /** Tables of the schema that are not in the archive. */
  leftOut: Type.Array(Name),
  sequences: Type.Record(Type.String(), Type.Union([Count, Type.Null()])),
  /** `beside`: in the folder `files` beside the archive. */
  place: Type.Union([Type.Literal('none'), Type.Literal('inside'), Type.Literal('beside')]),
  /** `sha256` of the bytes differs from `hash`, their name, when they were damaged before the backup. */
  files: Type.Array(Type.Object({ hash: Hash, size: Count, sha256: Hash })),
})
export type Manifest = Type.Static<typeof Manifest>
export type FileEntry = Manifest['files'][number]

export const manifestName = 'manifest.json'
export const keyName = 'secret-key'
export const tableEntry = (name: string): string => `tables/${name}.copy.gz`
export const fileEntry = (hash: string): string => `files/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`

/** Counts and hashes what passes. `read` is final after the end of the stream. */
export function measure() {
  const digest = createHash('sha256')
  let size = 0
  return {
    async *pass(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of source) {
        size += chunk.length
        digest.update(chunk)
        yield chunk
      }
    },
    read: () => ({ size, sha256: digest.digest('hex') }),
  }
}
