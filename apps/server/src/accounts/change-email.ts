import { mustHaveAllowedDomain } from '@vexil/core/accounts'
import { EmailTaken, EmailUnchangeable, EmailVerificationFailed, MailNotConfigured, RuleError } from '@vexil/core/rules'
import type { Language } from '@vexil/core/vocabulary'
import { audit } from '../audit.ts'
import { translated } from '../db/constraints.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findByEmail, getAccount } from './accounts.queries.ts'
import { consumeToken, isHeldBack } from './mails/link-tokens.ts'
import { mayReceive, writeMail } from './mails/write-mail.ts'
import { endSessions } from './sessions.ts'

interface Owner {
  readonly id: string
  readonly userName: string
  readonly ip: string
}

/** Checks the preconditions before a password is compared. @throws EmailTaken, EmailDomainRefused, EmailUnchangeable, MailNotConfigured */
export async function mustBeChangeable(
  { db, settings, mailer }: Pick<Deps, 'db' | 'settings' | 'mailer'>,
  accountId: string,
  newMail: string,
): Promise<void> {
  const policy = settings.get()
  if ((await findByEmail(db, newMail)) || (await isHeldBack(db, newMail, accountId))) throw new EmailTaken()
  mustHaveAllowedDomain(newMail, policy['AccountPolicy:EmailDomainList'])
  // Clients read this `false`; no other refusal carries data.
  if (!policy['AccountPolicy:EmailConfirmationRequired']) throw new RuleError(EmailUnchangeable.code, false)
  if (!mailer.configured) throw new MailNotConfigured()
}

/** Mails a confirmation link to the new address and a notice with a cancel link to the old one, both within their hourly limits or neither. */
export async function requestEmailChange(
  deps: Pick<Deps, 'db' | 'log' | 'secrets'>,
  { id: accountId, userName, ip }: Owner,
  newMail: string,
  language: Language,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const { email: old } = await getAccount(tx, accountId)
    if (!(await mayReceive(tx, old, 'notice')) || !(await mayReceive(tx, newMail, 'requested'))) return
    await writeMail(tx, deps, { kind: 'ChangeEmail', accountId, userName, recipient: newMail, language })
    await writeMail(tx, deps, { kind: 'EmailChanging', accountId, userName, recipient: old, language })
  })
  deps.log.write({ status: 'Pending', name: userName, ip, message: 'Email change requested' })
}

/** Changes the caller's address with the token of a mail and ends all other sessions. @throws EmailVerificationFailed for any reason */
export async function confirmEmailChange(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  by: Owner & { readonly session: string },
  { token, email }: { readonly token: string; readonly email: string },
): Promise<void> {
  const changing = inTransaction(deps.db, async (tx) => {
    const consumed = await consumeToken(tx, { token, purpose: 'ChangeEmail', email })
    if (consumed?.accountId !== by.id) throw new EmailVerificationFailed()
    await tx.updateTable('accounts').set({ email }).where('id', '=', by.id).execute()
    await endSessions(tx, by.id, by.session)
  })
  await translated(changing, { accounts_email: EmailVerificationFailed })
  deps.bus.publish('security.changed', {})
  audit(deps, by, 'Email changed')
}
