import { mustHaveAllowedDomain } from '@vexil/core/accounts'
import { EmailTaken, EmailUnchangeable, EmailVerificationFailed, MailNotConfigured, RuleError } from '@vexil/core/rules'
import type { Language } from '@vexil/core/vocabulary'
import { audit } from '../audit.ts'
import { translated } from '../db/constraints.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findByEmail, getAccount } from './accounts.queries.ts'
import { isHeldBack, takeToken } from './mails/link-tokens.ts'
import { mayReceive, writeMail } from './mails/write-mail.ts'
import { endSessions } from './sessions.ts'

interface Owner {
  readonly id: string
  readonly userName: string
  readonly ip: string
}

/** Who may ask for it: refuses before a password is compared. @throws EmailTaken, EmailDomainRefused, EmailUnchangeable, MailNotConfigured */
export async function mustBeChangeable(
  { db, settings, mailer }: Pick<Deps, 'db' | 'settings' | 'mailer'>,
  accountId: string,
  newMail: string,
): Promise<void> {
  const policy = settings.get()
  if ((await findByEmail(db, newMail)) || (await isHeldBack(db, newMail, accountId))) throw new EmailTaken()
  mustHaveAllowedDomain(newMail, policy['AccountPolicy:EmailDomainList'])
  // Clients look for this `false`: the one refusal with data on the wire.
  if (!policy['AccountPolicy:EmailConfirmationRequired']) throw new RuleError(EmailUnchangeable.code, false)
  if (!mailer.configured) throw new MailNotConfigured()
}

/**
 * Sends a link to the new address, and to the old one a notice whose link cancels the change; the address changes when the first
 * is followed. No link goes out without its notice: beyond what either address may receive in an hour nothing is sent.
 */
export async function askForEmailChange(
  deps: Pick<Deps, 'db' | 'log' | 'secrets'>,
  { id: accountId, userName, ip }: Owner,
  newMail: string,
  language: Language,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const { email: old } = await getAccount(tx, accountId)
    if (!(await mayReceive(tx, old, 'notice')) || !(await mayReceive(tx, newMail, 'asked'))) return
    await writeMail(tx, deps, { kind: 'ChangeEmail', accountId, userName, recipient: newMail, language })
    await writeMail(tx, deps, { kind: 'EmailChanging', accountId, userName, recipient: old, language })
  })
  deps.log.write({ status: 'Pending', name: userName, ip, message: 'Email change requested' })
}

/** Changes the own address with the token of a mail; all other sessions end. @throws EmailVerificationFailed whatever is wrong */
export async function confirmEmailChange(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  by: Owner & { readonly session: string },
  { token, email }: { readonly token: string; readonly email: string },
): Promise<void> {
  const changing = inTransaction(deps.db, async (tx) => {
    const taken = await takeToken(tx, { token, purpose: 'ChangeEmail', email })
    if (taken?.accountId !== by.id) throw new EmailVerificationFailed()
    await tx.updateTable('accounts').set({ email }).where('id', '=', by.id).execute()
    await endSessions(tx, by.id, by.session)
  })
  await translated(changing, { accounts_email: EmailVerificationFailed })
  deps.bus.publish('security.changed', {})
  audit(deps, by, 'Email changed')
}
