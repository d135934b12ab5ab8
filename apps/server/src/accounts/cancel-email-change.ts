import { EmailVerificationFailed } from '@vexil/core/rules'
import { sql } from 'kysely'
import { translated } from '../db/constraints.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { getAccount, updateAccount } from './accounts.queries.ts'
import { takeToken } from './mails/link-tokens.ts'
import { endSessions } from './sessions.ts'

/**
 * Follows the link of the notice to the old address, before or after the change was confirmed: the account has that address again,
 * and all its sessions and links end. @throws EmailVerificationFailed whatever is wrong, also when another account has the address
 */
export async function cancelEmailChange(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  { token, email, ip }: { readonly token: string; readonly email: string; readonly ip: string },
): Promise<void> {
  const cancelling = inTransaction(deps.db, async (tx) => {
    const taken = await takeToken(tx, { token, purpose: 'EmailChanging', email })
    if (!taken) throw new EmailVerificationFailed()
    const { accountId, email: old, expiresAt } = taken
    await updateAccount(tx, accountId, { email: old })
    await endLinksSince(tx, accountId, expiresAt)
    await endSessions(tx, accountId)
    return getAccount(tx, accountId)
  })
  const { userName } = await translated(cancelling, { accounts_email: EmailVerificationFailed })
  deps.bus.publish('security.changed', {})
  deps.log.write({ level: 'Warning', status: 'Success', name: userName, ip, message: 'Email change cancelled' })
}

/**
 * All links, but of the cancelling ones only the later: those went to addresses that this one takes back. The link of an earlier
 * change stays, since a second change in a row must not take away the link that cancels the first.
 */
async function endLinksSince(tx: Tx, accountId: string, expiresAt: Date): Promise<void> {
  await sql`
    delete from mail_tokens where account_id = ${accountId} and (purpose <> 'EmailChanging' or expires_at >= ${expiresAt})`.execute(
    tx,
  )
}
