import type { ChallengeRow } from '@vexil/contract/challenges'
import { generatesFlags, hasAttachmentPerFlag, hasContainer } from '@vexil/core/vocabulary'

/** The server enables it only with a flag. */
export const lacksFlag = ({ type, flagCount }: Pick<ChallengeRow, 'type' | 'flagCount'>): boolean =>
  flagCount === 0 && !generatesFlags(type)

export type Problem = 'flag' | 'image' | 'attachment' | 'silent' | 'check'

type Facts = Pick<ChallengeRow, 'type' | 'flagCount' | 'fileCount' | 'containerImage' | 'silentSince' | 'checkFailsSince'>

/** What keeps players from solving it. */
export function problemsOf(facts: Facts): Problem[] {
  const { type, flagCount, fileCount, containerImage, silentSince, checkFailsSince } = facts
  const problems: Problem[] = []
  if (lacksFlag(facts)) problems.push('flag')
  if (hasContainer(type) && !containerImage?.trim()) problems.push('image')
  if (hasAttachmentPerFlag(type) && fileCount < flagCount) problems.push('attachment')
  if (silentSince !== null) problems.push('silent')
  if (checkFailsSince !== null) problems.push('check')
  return problems
}
