import { type ChallengeType, generatesFlags } from '@vexil/core/vocabulary'
import { type Actor, audit } from '../audit.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { releaseFiles } from '../files/release-file.ts'
import { countFlags, lockChallenge } from './challenges.queries.ts'

/** A team that held the flag gets another; without flags the challenge is disabled. @throws GameNotFound, ChallengeNotFound */
export async function deleteFlag(
  deps: Pick<Deps, 'db' | 'bus' | 'log' | 'storage' | 'onError'>,
  { gameId, challengeId, flagId }: { gameId: number; challengeId: number; flagId: number },
  by: Actor,
): Promise<'Success' | 'NotFound'> {
  const removed = await inTransaction(deps.db, async (tx) => {
    const { title, type, enabled } = await lockChallenge(tx, gameId, challengeId)
    const attachment = await tx.selectFrom('attachments').select('fileHash').where('flagId', '=', flagId).executeTakeFirst()
    const { numDeletedRows } = await tx
      .deleteFrom('flags')
      .where('id', '=', flagId)
      .where('challengeId', '=', challengeId)
      .executeTakeFirst()
    if (numDeletedRows === 0n) return null
    const disables = enabled && !generatesFlags(type as ChallengeType) && (await countFlags(tx, challengeId)) === 0
    if (disables) await tx.updateTable('challenges').set({ enabled: false }).where('id', '=', challengeId).execute()
    return { title, disables, hash: attachment?.fileHash ?? null }
  })
  if (!removed) return 'NotFound'
  const { title, disables, hash } = removed
  deps.bus.publish('challenge.changed', { gameId, challengeId })
  const last = disables ? '; it was the last, the challenge is disabled' : ''
  audit(deps, by, `Removed a flag of ${title} (#${challengeId})${last}`)
  await releaseFiles(deps, [hash])
  return 'Success'
}
