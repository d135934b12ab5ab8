import { fileLimits } from '@vexil/core/limits'
import { fileUses } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { ArrayOf, DateTime, Hash, Int, Long, Nullable, OneOf, Page, vexil } from './shapes.ts'

export const LocalFile = Type.Object({ hash: Hash, name: Type.String() })

export const uploadFiles = endpoint('POST /api/assets', {
  access: 'admin',
  summary: 'Upload files',
  upload: 'files',
  query: Type.Object({ filename: Type.Optional(Type.String({ maxLength: 255 })) }),
  reply: Type.Array(LocalFile),
  throws: ['file.asset_too_large', 'file.not_stored', 'file.disk_full'],
})

export const deleteFile = endpoint('DELETE /api/assets/:hash', {
  access: 'admin',
  summary: 'Release an uploaded file',
  params: Type.Object({ hash: Type.String({ minLength: 64, maxLength: 64 }) }),
  throws: ['file.not_found', 'file.hash_invalid', 'file.not_deleted'],
})

export const readFile = endpoint('GET /assets/:hash/:name', {
  access: 'anyone',
  summary: 'Download a stored file',
  params: Type.Object({ hash: Type.String({ minLength: 64, maxLength: 64 }), name: Type.String({ minLength: 1 }) }),
  sends: 'file',
  types: ['application/octet-stream', 'application/pdf', 'image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'],
  throws: ['file.not_found', 'file.hash_invalid'],
})

export const StoredFile = Type.Object({
  ...LocalFile.properties,
  fileSize: Long,
  uploadTime: DateTime,
  /** Number of rows that refer to it; 0 for an unused upload. */
  references: Int,
  /** Some of them, in a fixed order. */
  uses: Type.Array(
    Type.Object({
      use: OneOf(fileUses),
      name: Type.String(),
      gameId: Nullable(Type.Integer()),
      challengeId: Nullable(Type.Integer()),
    }),
    { ...vexil, maxItems: fileLimits.usesMax },
  ),
})
export type StoredFile = Type.Static<typeof StoredFile>

export const diskSpace = endpoint('GET /api/admin/disk', {
  access: 'admin',
  ours: true,
  summary: 'Get the free and the total disk space of the data folder',
  reply: Type.Object({ free: Long, total: Long }),
})

export const listFiles = endpoint('GET /api/admin/files', {
  access: 'admin',
  summary: 'List stored files, by name',
  query: Page,
  reply: ArrayOf(StoredFile),
})
