import type { Reply } from '@vexil/contract/endpoint'
import { wireTime } from '@vexil/contract/wire'
import type { getWriteup, WriteupInfo } from '@vexil/contract/writeups'
import { fileUrl } from '../files/file-url.ts'
import { imageUrl } from '../files/store-image.ts'
import type { WriteupContext, WriteupRow } from './writeups.queries.ts'

export const ownWriteupView = ({ writeup, note, deadline }: WriteupContext): Reply<typeof getWriteup> => ({
  submitted: writeup !== null,
  name: writeup?.name ?? '#',
  fileSize: writeup?.size ?? 0,
  note,
  writeupDeadline: wireTime(deadline),
  url: writeup && fileUrl(writeup.hash, writeup.name),
})

export const writeupView = (row: WriteupRow): WriteupInfo => ({
  id: row.participationId,
  team: {
    id: row.teamId,
    name: row.name,
    bio: row.bio,
    avatar: imageUrl(row.avatarHash),
    locked: row.locked,
    members: null,
  },
  url: fileUrl(row.fileHash, row.fileName),
  uploadTimeUtc: wireTime(row.uploadedAt),
})
