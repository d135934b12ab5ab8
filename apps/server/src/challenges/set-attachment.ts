import { isWebLink } from '@vexil/core/flags'
import { AttachmentFileUnknown, AttachmentLinkInvalid, AttachmentOnFlags } from '@vexil/core/rules'
import { type AttachmentType, type ChallengeType, hasAttachmentPerFlag } from '@vexil/core/vocabulary'
import { type Actor, audit } from '../audit.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { dropHolds } from '../files/files.queries.ts'
import { releaseFiles } from '../files/release-file.ts'
import { holdFiles, lockChallenge } from './challenges.queries.ts'

export interface AttachmentEdit {
  readonly attachmentType?: AttachmentType | undefined
  readonly fileHash?: string | null | undefined
  readonly remoteUrl?: string | null | undefined
}

interface AttachmentColumns {
  readonly type: 'Local' | 'Remote'
  readonly fileHash: string | null
  readonly fileName: string | null
  readonly remoteUrl: string | null
}

/** The columns to store, null for no attachment. `names`: of existing files, by hash. @throws AttachmentFileUnknown, AttachmentLinkInvalid */
export function attachmentColumns(
  { attachmentType = 'None', fileHash, remoteUrl }: AttachmentEdit,
  names: ReadonlyMap<string, string>,
): AttachmentColumns | null {
  if (attachmentType === 'None') return null
  if (attachmentType === 'Remote') {
    const url = remoteUrl?.trim() ?? ''
    if (!isWebLink(url)) throw new AttachmentLinkInvalid()
    return { type: 'Remote', fileHash: null, fileName: null, remoteUrl: url }
  }
  const hash = fileHash?.toLowerCase() ?? ''
  const fileName = names.get(hash)
  if (fileName === undefined) throw new AttachmentFileUnknown()
  return { type: 'Local', fileHash: hash, fileName, remoteUrl: null }
}

export const hashesOf = (edits: readonly AttachmentEdit[]): string[] => [
  ...new Set(
    edits.flatMap(({ attachmentType, fileHash }) => (attachmentType === 'Local' && fileHash ? [fileHash.toLowerCase()] : [])),
  ),
]

/** @throws GameNotFound, ChallengeNotFound, AttachmentOnFlags, AttachmentFileUnknown, AttachmentLinkInvalid */
export async function setAttachment(
  deps: Pick<Deps, 'db' | 'bus' | 'log' | 'storage' | 'onError'>,
  { gameId, challengeId, edit }: { gameId: number; challengeId: number; edit: AttachmentEdit },
  by: Actor,
): Promise<void> {
  const { title, oldHash } = await inTransaction(deps.db, async (tx) => {
    const challenge = await lockChallenge(tx, gameId, challengeId)
    if (hasAttachmentPerFlag(challenge.type as ChallengeType)) throw new AttachmentOnFlags()
    const columns = attachmentColumns(edit, await holdFiles(tx, hashesOf([edit])))
    const old = await tx
      .deleteFrom('attachments')
      .where('challengeId', '=', challengeId)
      .where('flagId', 'is', null)
      .returning('fileHash')
      .executeTakeFirst()
    if (columns) {
      await tx
        .insertInto('attachments')
        .values({ challengeId, ...columns })
        .execute()
      await dropHolds(tx, [columns.fileHash])
    }
    return { title: challenge.title, oldHash: old?.fileHash ?? null }
  })
  deps.bus.publish('challenge.changed', { gameId, challengeId })
  audit(deps, by, `Set the attachment of ${title} (#${challengeId})`)
  await releaseFiles(deps, [oldHash])
}
