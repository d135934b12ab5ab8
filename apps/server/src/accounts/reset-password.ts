import { ResetLinkInvalid } from '@vexil/core/rules'
import { audit } from '../audit.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findByEmail } from './accounts.queries.ts'
import { consumeToken, isAlive } from './mails/link-tokens.ts'
import { hashPassword } from './passwords.ts'
import { endSessions } from './sessions.ts'

export interface PasswordReset {
  readonly email: string
  readonly token: string
  readonly password: string
  readonly ip: string
  readonly network: string
}

/** Sets a new password with the token of a mail and ends all sessions. An unknown address and an invalid token give the same error. */
export async function resetPassword(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  { email, token, password, ip, network }: PasswordReset,
): Promise<void> {
  const account = await findByEmail(deps.db, email)
  // Checked before hashing: anonymous callers must not cause expensive work.
  if (!account || !(await isAlive(deps.db, token))) throw new ResetLinkInvalid()
  const passwordHash = await hashPassword(password, network)
  await inTransaction(deps.db, async (tx) => {
    const consumed = await consumeToken(tx, { token, purpose: 'Reset', email: account.email })
    if (consumed?.accountId !== account.id) throw new ResetLinkInvalid()
    await tx.updateTable('accounts').set({ passwordHash }).where('id', '=', account.id).execute()
    await endSessions(tx, account.id)
  })
  deps.bus.publish('security.changed', {})
  audit(deps, { userName: account.userName, ip }, 'Password reset by email')
}
