import { EmailVerificationFailed } from '@vexil/core/rules'
import { sql } from 'kysely'
import { translated } from '../db/constraints.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { getAccount, updateAccount } from './accounts.queries.ts'
import { consumeToken } from './mails/link-tokens.ts'
import { endSessions } from './sessions.ts'

/** Restores the old address from the link in its notice and ends all sessions and links. @throws EmailVerificationFailed for any reason */
export async function cancelEmailChange(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  { token, email, ip }: { readonly token: string; readonly email: string; readonly ip: string },
): Promise<void> {
  const cancelling = inTransaction(deps.db, async (tx) => {
    const consumed = await consumeToken(tx, { token, purpose: 'EmailChanging', email })
    if (!consumed) throw new EmailVerificationFailed()
    const { accountId, email: old, expiresAt } = consumed
    await updateAccount(tx, accountId, { email: old })
    await endLinksSince(tx, accountId, expiresAt)
    await endSessions(tx, accountId)
    return getAccount(tx, accountId)
  })
  const { userName } = await translated(cancelling, { accounts_email: EmailVerificationFailed })
  deps.bus.publish('security.changed', {})
  deps.log.write({ level: 'Warning', status: 'Success', name: userName, ip, message: 'Email change cancelled' })
}

/** Ends all links, but only later ones of the cancelling kind: the link of an earlier change must still work after a second change. */
async function endLinksSince(tx: Tx, accountId: string, expiresAt: Date): Promise<void> {
  await sql`
    delete from mail_tokens where account_id = ${accountId} and (purpose <> 'EmailChanging' or expires_at >= ${expiresAt})`.execute(
    tx,
  )
}
