import { recordSignIn } from '../accounts/accounts.queries.ts'
import { endSession, startSession } from '../accounts/sessions.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'

interface SignIn {
  readonly userName: string
  readonly ip: string
  /** Token of the caller's session, which ends. */
  readonly oldToken: string | null
}

/** Signs in as an account of the demo and returns the token of the session. */
export async function signInWithoutPassword(
  { db, bus }: Pick<Deps, 'db' | 'bus'>,
  { userName, ip, oldToken }: SignIn,
): Promise<string> {
  const token = await inTransaction(db, async (tx) => {
    const { id } = await tx.selectFrom('accounts').select('id').where('userName', '=', userName).executeTakeFirstOrThrow()
    await recordSignIn(tx, id, ip)
    if (oldToken !== null) await endSession(tx, oldToken)
    return startSession(tx, id)
  })
  if (oldToken !== null) bus.publish('security.changed', {})
  return token
}
