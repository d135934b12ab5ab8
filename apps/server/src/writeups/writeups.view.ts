import type { Reply } from '@vexil/contract/endpoint'
import { wireTime } from '@vexil/contract/wire'
import type { getWriteup, WriteupInfo } from '@vexil/contract/writeups'
import { imageUrl } from '../files/store-image.ts'
import type { WriteupRow, WriteupScene } from './writeups.queries.ts'

const urlOf = (hash: string, name: string) => `/assets/${hash}/${encodeURIComponent(name)}`

export const ownWriteupView = ({ writeup, note, deadline }: WriteupScene): Reply<typeof getWriteup> => ({
  submitted: writeup !== null,
  name: writeup?.name ?? '#',
  fileSize: writeup?.size ?? 0,
  note,
  writeupDeadline: wireTime(deadline),
  url: writeup && urlOf(writeup.hash, writeup.name),
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
  url: urlOf(row.fileHash, row.fileName),
  uploadTimeUtc: wireTime(row.uploadedAt),
})
