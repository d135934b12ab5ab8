import { audit, type By } from '../audit.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { releaseFile } from '../files/release-file.ts'
import { listAttachments, lockChallenge } from './challenges.queries.ts'

/** Deletes a challenge with its submissions and solves; its files go when nothing else refers to them. @throws GameNotFound, ChallengeNotFound */
export async function deleteChallenge(
  deps: Pick<Deps, 'db' | 'bus' | 'log' | 'storage'>,
  { gameId, challengeId }: { gameId: number; challengeId: number },
  by: By,
): Promise<void> {
  const { title, hashes } = await inTransaction(deps.db, async (tx) => {
    const challenge = await lockChallenge(tx, gameId, challengeId)
    const attachments = await listAttachments(tx, challengeId)
    await tx.deleteFrom('challenges').where('id', '=', challengeId).execute()
    return { title: challenge.title, hashes: new Set(attachments.map(({ fileHash }) => fileHash)) }
  })
  deps.bus.publish('challenge.changed', { gameId, challengeId })
  audit(deps, by, `Deleted challenge ${title} (#${challengeId})`)
  for (const hash of hashes) await releaseFile(deps, hash)
}
