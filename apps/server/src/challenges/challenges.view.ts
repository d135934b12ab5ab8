import { type ChallengeFieldValues, challengeFields, eachChallengeField } from '@vexil/contract/challenge-fields'
import type {
  AdditionalContainer,
  Attachment,
  ChallengeEditDetail,
  ChallengeRow as ListRow,
  NamedPort,
} from '@vexil/contract/challenges'
import { wireTime } from '@vexil/contract/wire'
import { scoreOf } from '@vexil/core/scoring'
import type { ChallengeCategory, ChallengeType } from '@vexil/core/vocabulary'
import { fileUrl } from '../files/file-url.ts'
import type { AttachmentRow, ChallengeRow, FlagCounts } from './challenges.queries.ts'

/** `solves`: by listed teams, in time. */
export const listRowView = (
  row: ChallengeRow,
  solves: number,
  { flags, files }: FlagCounts,
  checkFailsSince: Date | null,
): ListRow => ({
  id: row.id,
  title: row.title,
  category: row.category as ChallengeCategory,
  type: row.type as ChallengeType,
  isEnabled: row.enabled,
  score: scoreOf(row, solves),
  minScore: Math.floor(row.minScoreRate * row.originalScore),
  originalScore: row.originalScore,
  acceptedCount: solves,
  flagCount: flags,
  fileCount: files,
  containerImage: row.containerImage || null,
  silentSince: row.silentSince && wireTime(row.silentSince),
  checkFailsSince: checkFailsSince && wireTime(checkFailsSince),
})

const attachmentView = ({ id, type, fileHash, fileName, remoteUrl, size }: AttachmentRow): Attachment => ({
  id,
  type,
  url: remoteUrl ?? fileUrl(fileHash ?? '', fileName ?? 'attachment'),
  fileSize: size,
})

/** The containers and ports in addition to the first ones. */
export const severalOf = (
  row: Pick<ChallengeRow, 'additionalContainers' | 'namedPorts'>,
): Pick<ChallengeEditDetail, 'additionalContainers' | 'namedPorts'> => ({
  additionalContainers: row.additionalContainers as AdditionalContainer[],
  namedPorts: row.namedPorts as NamedPort[],
})

export function editDetailView(
  row: ChallengeRow,
  flags: readonly { id: number; flag: string }[],
  attachments: readonly AttachmentRow[],
  solves: number,
  testContainer: ChallengeEditDetail['testContainer'],
): ChallengeEditDetail {
  const viewOf = new Map(attachments.map((attachment) => [attachment.flagId, attachmentView(attachment)]))
  return {
    id: row.id,
    title: row.title,
    category: row.category as ChallengeCategory,
    type: row.type as ChallengeType,
    hints: row.hints ?? [],
    flagTemplate: row.flagTemplate,
    isEnabled: row.enabled,
    acceptedCount: solves,
    attachment: viewOf.get(null) ?? null,
    testContainer,
    flags: flags.map(({ id, flag }) => ({ id, flag, attachment: viewOf.get(id) ?? null })),
    bloodBonus: row.bloodBonus,
    ...severalOf(row),
    ...eachChallengeField<ChallengeFieldValues>((name) => row[challengeFields[name].column]),
  }
}
