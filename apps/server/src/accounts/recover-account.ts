import { MailNotConfigured, RecoveryOff } from '@vexil/core/rules'
import type { Language } from '@vexil/core/vocabulary'
import { addJob } from '../db/jobs.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findByEmail } from './accounts.queries.ts'
import { mayReceive, writeMail } from './mails/write-mail.ts'
import { mustPassCaptcha } from './must-pass-captcha.ts'

export interface Recovery {
  readonly email: string
  readonly challenge: string | null
  readonly ip: string
  readonly language: Language
}

/** For database errors; the mail has separate attempts. */
const attempts = 5

/** A job looks the account up, so that known and unknown addresses take the same time. @throws RecoveryOff, MailNotConfigured */
export async function recoverAccount(
  deps: Pick<Deps, 'db' | 'settings' | 'captcha' | 'mailer'>,
  { email, challenge, ip, language }: Recovery,
): Promise<void> {
  await mustPassCaptcha(deps, challenge, ip, 'recovery')
  if (!deps.settings.get()['AccountPolicy:EmailConfirmationRequired']) throw new RecoveryOff()
  if (!deps.mailer.configured) throw new MailNotConfigured()
  await inTransaction(deps.db, (tx) => addJob(tx, 'recover-account', { email, ip, language }, { attempts }))
}

/** The job: sends the mail to an active account within its hourly limit; does nothing for other addresses. */
export async function writeRecoveryMail(
  deps: Pick<Deps, 'db' | 'log' | 'secrets'>,
  { email, ip, language }: { readonly email: string; readonly ip: string; readonly language: Language },
): Promise<void> {
  const account = await findByEmail(deps.db, email)
  if (!account?.active || account.role === 'Banned') return
  const { id: accountId, userName, email: recipient } = account
  const written = await inTransaction(deps.db, async (tx) => {
    if (!(await mayReceive(tx, recipient, 'requested'))) return false
    await writeMail(tx, deps, { kind: 'Reset', accountId, userName, recipient, language })
    return true
  })
  if (written) deps.log.write({ status: 'Pending', name: 'Anonymous', ip, message: `Password reset requested for ${userName}` })
}
