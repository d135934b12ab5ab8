import { RuleError } from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import { type Db, inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { releaseLater } from '../files/files.queries.ts'
import { listAttachments, lockChallenge } from './challenges.queries.ts'

/** Submissions per statement, with their solves and cheats. */
const atOnce = 5_000

/**
 * Deletes a challenge with all that belongs to it. Locks the log of the game only to close the challenge and to delete the rest, and deletes answers
 * between the two in separate commits, so that new answers do not wait. Can be repeated after an interruption, which leaves the challenge disabled.
 * @throws GameNotFound, ChallengeNotFound
 */
export async function deleteChallenge(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  { gameId, challengeId }: { gameId: number; challengeId: number },
  by: Actor,
): Promise<void> {
  const title = await closeChallenge(deps.db, gameId, challengeId)
  try {
    await deleteAnswers(deps.db, challengeId)
    await inTransaction(deps.db, async (tx) => {
      await lockChallenge(tx, gameId, challengeId)
      const attachments = await listAttachments(tx, challengeId)
      await releaseLater(
        tx,
        attachments.flatMap(({ fileHash }) => fileHash ?? []),
      )
      await tx.deleteFrom('challenges').where('id', '=', challengeId).execute()
    })
  } catch (error) {
    // A concurrent deletion has deleted it.
    if (error instanceof RuleError) throw error
    const message = `Disabled challenge ${title} (#${challengeId}), but did not delete it`
    deps.log.write({ level: 'Warning', status: 'Failed', name: by.userName, ip: by.ip, message })
    throw error
  } finally {
    deps.bus.publish('challenge.changed', { gameId, challengeId })
  }
  audit(deps, by, `Deleted challenge ${title} (#${challengeId})`)
}

/** Returns its title. */
const closeChallenge = (db: Db, gameId: number, challengeId: number): Promise<string> =>
  inTransaction(db, async (tx) => {
    const { title } = await lockChallenge(tx, gameId, challengeId)
    await tx.updateTable('challenges').set({ enabled: false }).where('id', '=', challengeId).execute()
    return title
  })

/** Until none is left: what a concurrent deletion of the challenge deletes at the same time is missing from the number of deleted rows. */
async function deleteAnswers(db: Db, challengeId: number): Promise<void> {
  const answers = db.selectFrom('submissions').select('id').where('challengeId', '=', challengeId)
  while (await answers.limit(1).executeTakeFirst())
    await db.deleteFrom('submissions').where('id', 'in', answers.limit(atOnce)).execute()
}
