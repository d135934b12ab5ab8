import { MailNotConfigured, RecoveryOff } from '@vexil/core/rules'
import type { Language } from '@vexil/core/vocabulary'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findByEmail } from './accounts.queries.ts'
import { writeMail } from './mails/write-mail.ts'
import { mustPassCaptcha } from './must-pass-captcha.ts'

export interface Recovery {
  readonly email: string
  readonly challenge: string | null
  readonly ip: string
  readonly language: Language
}

/** Sends a link for a new password to an active account. For all other addresses nothing happens, and the answer is the same. */
export async function recoverAccount(
  deps: Pick<Deps, 'db' | 'log' | 'settings' | 'captcha' | 'mailer' | 'secrets'>,
  { email, challenge, ip, language }: Recovery,
): Promise<void> {
  await mustPassCaptcha(deps, challenge, ip, 'recovery')
  if (!deps.settings.get()['AccountPolicy:EmailConfirmationRequired']) throw new RecoveryOff()
  if (!deps.mailer.configured) throw new MailNotConfigured()
  const account = await findByEmail(deps.db, email)
  if (!account?.active || account.role === 'Banned') return
  const { id: accountId, userName, email: recipient } = account
  await inTransaction(deps.db, (tx) => writeMail(tx, deps, { kind: 'Reset', accountId, userName, recipient, language }))
  deps.log.write({ status: 'Pending', name: userName, ip, message: 'Mail for a new password asked for' })
}
