import { AccountBanned, AccountVerificationFailed, ActivationLinkInvalid } from '@vexil/core/rules'
import { sql } from 'kysely'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findByEmail } from './accounts.queries.ts'
import { useToken } from './mails/link-tokens.ts'
import { endSession, startSession } from './sessions.ts'

export interface Verification {
  readonly email: string
  readonly token: string
  readonly ip: string
  /** Session that the browser brought along; it is dropped with a new one. */
  readonly oldToken: string | null
}

/** Activates an account with the token of a mail and signs it in: returns the session's token. */
export async function verifyAccount(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  { email, token, ip, oldToken }: Verification,
): Promise<string> {
  const account = await findByEmail(db, email)
  if (!account || account.active) throw new ActivationLinkInvalid()
  const session = await inTransaction(db, async (tx) => {
    const claim = { token, purpose: 'Verify', accountId: account.id, email: account.email } as const
    if (!(await useToken(tx, claim))) throw new AccountVerificationFailed()
    const { numUpdatedRows } = await tx
      .updateTable('accounts')
      .set({
        active: true,
        registeredAt: sql`clock_timestamp()`,
        lastVisitAt: sql`clock_timestamp()`,
        lastIp: ip,
      })
      .where('id', '=', account.id)
      // A ban that came meanwhile counts; the token stays, for the day when the ban ends.
      .where('role', '<>', 'Banned')
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new AccountBanned()
    if (oldToken !== null) await endSession(tx, oldToken)
    return startSession(tx, account.id)
  })
  log.write({ status: 'Success', name: account.userName, ip, message: 'E-mail address confirmed' })
  return session
}
