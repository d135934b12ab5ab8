import { type Actor, audit } from '../audit.ts'
import { type Db, inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { releaseFiles } from '../files/release-file.ts'
import { listAttachments, lockChallenge } from './challenges.queries.ts'

/** Submissions per statement, with their solves and cheats. */
const atOnce = 5_000

/**
 * Deletes a challenge with all that belongs to it. Locks the log of the game only to close the challenge and to delete the rest, and deletes answers
 * between the two in separate commits, so that new answers do not wait. Can be repeated after an interruption.
 * @throws GameNotFound, ChallengeNotFound
 */
export async function deleteChallenge(
  deps: Pick<Deps, 'db' | 'bus' | 'log' | 'storage' | 'onError'>,
  { gameId, challengeId }: { gameId: number; challengeId: number },
  by: Actor,
): Promise<void> {
  await closeChallenge(deps.db, gameId, challengeId)
  await deleteAnswers(deps.db, challengeId)
  const { title, hashes } = await inTransaction(deps.db, async (tx) => {
    const challenge = await lockChallenge(tx, gameId, challengeId)
    const attachments = await listAttachments(tx, challengeId)
    await tx.deleteFrom('challenges').where('id', '=', challengeId).execute()
    return { title: challenge.title, hashes: attachments.map(({ fileHash }) => fileHash) }
  })
  deps.bus.publish('challenge.changed', { gameId, challengeId })
  audit(deps, by, `Deleted challenge ${title} (#${challengeId})`)
  await releaseFiles(deps, hashes)
}

async function closeChallenge(db: Db, gameId: number, challengeId: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockChallenge(tx, gameId, challengeId)
    await tx.updateTable('challenges').set({ enabled: false }).where('id', '=', challengeId).execute()
  })
}

async function deleteAnswers(db: Db, challengeId: number): Promise<void> {
  for (let deleted = atOnce; deleted === atOnce; ) {
    const { numDeletedRows } = await db
      .deleteFrom('submissions')
      .where('id', 'in', (some) =>
        some.selectFrom('submissions').select('id').where('challengeId', '=', challengeId).limit(atOnce),
      )
      .executeTakeFirstOrThrow()
    deleted = Number(numDeletedRows)
  }
}
